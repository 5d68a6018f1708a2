"""Scoring: how good is a model, in one number?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(lines: str, part: str = "One number", method: str = "modified_kneser_ney") -> str:
    """What a step of the first minute chooses, as its address says it."""
    text = "study.corpus=cats&study.order=2&study.cut=words"
    return f"{text}&scoring.part={part}&scoring.method={method}&scoring.lines={lines}"


LESSON = Lesson(
    id="scoring",
    era="Counting",
    title="Scoring",
    question="How good is a model, in one number?",
    model="ngram",
    example="",
    tries=(),
    sources=(
        "Shannon, A Mathematical Theory of Communication, 1948, sec. 6 and 7 (entropy)",
        (
            "Jelinek, Mercer, Bahl & Baker, Perplexity, a Measure of the Difficulty of Speech "
            "Recognition Tasks, 1977"
        ),
        "Kullback & Leibler, On Information and Sufficiency, 1951",
        (
            "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999, sec. 1"
        ),
    ),
    differs="The notes divide the loss by the number of sentences; raised to a power, that is not a perplexity, and "
    "it grows with sentence length. Here the loss is divided by the number of tokens, and both are shown. The notes "
    "do not say whether the sentence end counts, nor what to do with unknown words and with a probability of 0; "
    "here each has a switch or a list. The base of the power must be that of the logarithm; this page shows the "
    "error when they are mixed up. The notes divide by the count of a word; here the divisor is its count as a "
    "context.",
    minutes=15,
    before=("smoothing",),
    live=False,
    first="order=2",
    minute=(
        Step(
            "“dog”, with 3.30 bits: after “the” the model counted “cat” four times and "
            "“dog” once. A tall bar is a surprise.",
            link=chosen("the cat saw the dog"),
            panel="scoring.number.surprisal",
            asks="The model has counted four sentences. Which word of this one surprises it most?",
            choices=("cat", "saw", "dog"),
            covers=("part-one-number",),
        ),
        Step(
            "11.71 bits over 6 tokens are 1.95 each. The perplexity is 2 to that power, "
            "3.87: as unsure as a choice among 3.87 words.",
            link=chosen("the cat saw the dog"),
            panel="part-one-number",
        ),
        Step(
            "Yes: it is 21.3 now. Each word is scored after the one before it, so their order counts.",
            link=chosen("dog the on sat cat the"),
            panel="part-one-number",
            asks="“dog the on sat cat the”: does the order change the perplexity?",
            choices=("yes", "no"),
            covers=("part-one-number",),
        ),
        Step(
            "Plain counts: “cat” never came after “a”. One factor of 0 makes the text "
            "impossible, though every word of it is known.",
            link=chosen("a cat sat on the dog", "Zeros and unknown words", "mle"),
            panel="part-zeros-and-unknown-words",
        ),
    ),
    topics="""
scoring.number.surprisal | Surprisal | language_models M48
    Bits that each token costs, as bars over the sentence.
    negative log probability, information content, self-information, bits,
    which word surprised the model
part-one-number | Perplexity | lstm A31; language_models M05
    The mean surprisal as one number, and how it depends on what is counted.
    PPL, PP, branching factor, bits per token, bits per character, evaluation
scoring.divergence.pair | Cross-entropy and Kullback-Leibler divergence | language_models M48
    What it costs to expect one distribution and meet another.
    entropy; KL; relative entropy; H(p, q)
part-one-number | Negative log-likelihood | language_models M04
    The loss of a text per sentence and per token, with the same sum.
    NLL, log loss, loss function
part-product-of-factors | One factor as a ratio of counts | language_models M02 M29 M31 M32 P29
    Click a factor of the product: it is a count divided by a count.
    conditional probability, ratio of joints, product of factors
part-which-line-does-not-belong | Lines of a log by surprise | lstm C18
    Which new lines cost more bits than normal ones, with the share of false alarms that you choose.
    intrusion detection, anomaly detection, outlier, novelty, log file, security, threshold, false alarm rate
""",
)
