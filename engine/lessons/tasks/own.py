"""Own: a head for a reader's own labels, learned on the vectors of the frozen body.

What      softmax(W v + b) of one vector v of a text, W and b by logistic regression; each line is judged by a head
          that learned from the lines of the other folds
Source    Devlin et al., BERT, 2019, sec. 5.3 (BERT as features)
Shapes    N = lines, D = width, W = ways to make one vector of a text, V = words
Differs   Numbers are brought to a spread of 1 first, and large weights cost something, as in most libraries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.language.message import refusal
from engine.lessons.bert.masked_prediction import fit
from engine.lessons.tasks.reading import WAYS, vectors
from engine.models.bert import Bert

MOST, FOLDS = 200, 4
COUNTS = "counts"  # of words, in place of a vector


@dataclass(frozen=True)
class Lines:
    labels: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return sorted({*self.labels})


@dataclass(frozen=True)
class Found:
    """What one way of making vectors is good for.

    right      share of lines whose label is found by a head that has not seen them
    precision, recall, f1  means over the labels
    said       {label: its probability for the sentence that was asked for}
    numbers    in the head
    """

    right: float
    precision: float
    recall: float
    f1: float
    said: dict[str, float]
    numbers: int


def example() -> str:
    """Lines that the page begins with."""
    return """\
weather: It rained all night and the wind was cold.
weather: The sun came out in the afternoon.
weather: Snow fell on the hills in the morning.
weather: The storm broke over the sea.
weather: A thick fog lay on the river.
weather: The sky was blue and the air was warm.
food: She ate the bread with butter and cheese.
food: They cooked a soup of fish and rice.
food: He drank a cup of tea and ate an apple.
food: The dinner was meat with potatoes.
food: The children liked the sweet cake.
food: We had eggs and coffee for breakfast.
money: He paid the bill with his last coins.
money: The bank lent them a large sum.
money: She sold the house for a good price.
money: The company lost a million dollars.
money: He owed his brother ten pounds.
money: The tax was too high for the poor.
"""


def read(text: str) -> Lines:
    """Lines `label: text`.  ValueError with a sentence where there are too few, or only one label."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        label, colon, rest = (part.strip() for part in line.partition(":"))
        if line.strip() and not (label and colon and rest):
            raise refusal("Line {number} is not a label, a colon and a text.", number=number)
        if line.strip():
            found.append((label, rest))
    count = Counter(label for label, _ in found)
    if len(found) > MOST:
        raise refusal("These are {n} lines, and {MOST} fit.", n=len(found))
    if not found:
        raise ValueError("Type some lines: a label, a colon and a text.")
    if len(found) == 1:
        raise ValueError("One line is too few: a head needs lines of two labels.")
    if len(count) < 2:
        raise ValueError("All lines have the same label; a head needs two to choose between.")
    if few := [label for label, n in count.items() if n < FOLDS]:
        raise refusal("The label “{label}” needs at least {FOLDS} lines.", label=few[0])
    return Lines(*(tuple(part) for part in zip(*found, strict=True)))


def read_vectors(model: Bert, texts: Sequence[str]) -> Iterator[np.ndarray]:
    """(W, D) of one text after the other."""
    for text in texts:
        tokens = fit(model, model.tokens(text))
        trace = model.trace(text, fields=("residual",), tokens=tokens)
        yield vectors(model, trace.field("residual").values[-1])


def count_words(texts: Sequence[str], of: Sequence[str]) -> np.ndarray:
    """How often each word of the texts `of` stands in each text (N, V)."""
    words = sorted({word for text in of for word in text.lower().split()})
    return np.array([[text.lower().split().count(word) for word in words] for text in texts], float)


def judge(x_ND: np.ndarray, labels: Sequence[str], asked_D: np.ndarray) -> Found:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import precision_recall_fscore_support
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    head = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    said = cross_val_predict(head, x_ND, np.array(labels), cv=folds)
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, said, average="macro", zero_division=0.0
    )
    head.fit(x_ND, labels)
    p_K = head.predict_proba(asked_D[None])[0]
    names = [str(name) for name in head.classes_]
    return Found(
        float((said == np.array(labels)).mean()),
        float(precision),
        float(recall),
        float(f1),
        dict(zip(names, p_K.tolist(), strict=True)),
        len(names) * (x_ND.shape[1] + 1),
    )


def compare(
    vector_NWD: np.ndarray, of: Lines, asked: str, asked_WD: np.ndarray
) -> dict[str, Found]:
    """Of each way, and of counted words."""
    found = {way: judge(vector_NWD[:, w], of.labels, asked_WD[w]) for w, way in enumerate(WAYS)}
    count_NV, asked_1V = (count_words(texts, of.texts) for texts in (of.texts, [asked]))
    return found | {COUNTS: judge(count_NV, of.labels, asked_1V[0])}
