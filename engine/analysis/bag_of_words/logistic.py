"""Logistic regression on TF-IDF: the same words, but their weights are learned together instead of
counted one by one.

What      P(c | text) = softmax(b_c + sum x_w weight_cw), the weights that make the counted labels
          likeliest, with an L2 penalty
Source    scikit-learn's TfidfVectorizer and LogisticRegression; Ng & Jordan, On Discriminative vs.
          Generative Classifiers, 2002
Differs   For comparison only, so it is the library's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.analysis.bag_of_words.words import words

STRENGTH = 10.0  # scikit-learn's C: larger means a weaker penalty


def fit(
    labels: Sequence[str],
    texts: Sequence[str],
    log_tf: bool = False,
    smooth: bool = True,
    unit: bool = True,
) -> Callable[[str], str]:
    """What calls a text by its class."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors = TfidfVectorizer(
        analyzer=words, sublinear_tf=log_tf, smooth_idf=smooth, norm="l2" if unit else None
    )
    model = LogisticRegression(C=STRENGTH, max_iter=1000).fit(vectors.fit_transform(texts), labels)
    return lambda text: str(model.predict(vectors.transform([text]))[0])
