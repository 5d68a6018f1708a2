"""What a pipeline does to a whole text: counts by hand, the judge against naive Bayes written
out."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from engine.text.corpora.reviews import CORPUS
from engine.text.preparation.effect import Judge, accuracy, effect
from engine.text.preparation.pipeline import STRAIGHT, Pipeline

LOWER = Pipeline.read("case-tokens")


def test_counts_by_hand() -> None:
    lines = ["The cat.", "the CAT", "A dog", "a cat", "a", "a", "a", "a", "a", "a", "The bird sat."]
    plain, lower = effect(lines, Pipeline()), effect(lines, LOWER)
    assert (plain.tokens, plain.types) == (17, 10)  # The cat. the CAT A dog a cat bird sat.
    assert (lower.tokens, lower.types) == (19, 7)  # the cat . a dog bird sat
    assert lower.ratio == 7 / 19
    # the eleventh line is held out: of "The bird sat." two are new, of "the bird sat ." two of four
    assert (plain.held, plain.unknown) == (3, pytest.approx(2 / 3)) and (
        lower.held,
        lower.unknown,
    ) == (4, 0.5)
    assert lower.curve[0] == (1, 1) and lower.curve[-1] == (19, 7)
    assert lower.curve[5:8] == ((6, 4), (7, 5), (8, 5))  # the cat . the cat a | dog | a


def test_nothing_to_measure() -> None:
    for lines in ([], ["", " "], ["!"]):
        found = effect(lines, Pipeline.read(STRAIGHT))
        assert (found.tokens, found.types, found.curve) == (0, 0, ())
        assert math.isnan(found.unknown)
        assert math.isnan(found.ratio)
    assert math.isnan(accuracy([], LOWER)[0])
    assert accuracy([("a", "!"), ("b", "?")] * 20, Pipeline.read("punctuation.strip"))[0] == 0, (
        "where no word is left nothing is judged right"
    )


def by_hand(labelled: list[tuple[str, str]], text: str, label: str) -> float:
    """P(label | text) from counts plus one."""
    words = {
        name: Counter(w for mark, line in labelled if mark == name for w in LOWER.tokens(line))
        for name in {mark for mark, _ in labelled}
    }
    vocabulary = set().union(*words.values())
    logs = {}
    for name, count in words.items():
        prior = sum(mark == name for mark, _ in labelled) / len(labelled)
        total = sum(count.values()) + len(vocabulary)
        logs[name] = math.log(prior) + sum(
            math.log((count[w] + 1) / total) for w in LOWER.tokens(text) if w in vocabulary
        )
    return math.exp(logs[label]) / sum(math.exp(v) for v in logs.values())


def test_the_judge_is_naive_bayes() -> None:
    labelled = CORPUS.labelled()
    texts = ["The movie was not very good.", "A boring, unfriendly zyxgrob", ""]
    found = Judge.trained(labelled, LOWER).probability(texts, "positive")
    assert found.tolist() == pytest.approx(
        [by_hand(labelled, text, "positive") for text in texts], rel=1e-6
    )


def test_accuracy_is_of_lines_it_never_saw() -> None:
    labelled = CORPUS.labelled()[:40]
    right = 0
    for n, (label, text) in enumerate(labelled):
        train = [pair for m, pair in enumerate(labelled) if m // 2 % 10 != n // 2 % 10]
        right += (by_hand(train, text, "positive") > 0.5) == (label == "positive")
    share, error = accuracy(labelled, LOWER)
    assert share == right / 40 and error == pytest.approx(math.sqrt(share * (1 - share) / 40))


def test_what_the_page_says_of_not() -> None:
    """With the list the two films are one; without it they differ, and naive Bayes finds both
    positive all the same."""
    films = ["The movie was not very good.", "The movie was very good."]
    for written, same in (
        ("tokens", False),
        ("tokens-stopwords.sklearn", True),
        ("tokens-stopwords.negations", False),
    ):
        judge = Judge.trained(CORPUS.labelled(), Pipeline.read(written))
        first, second = judge.probability(films, "positive")
        assert bool(first == second) is same and min(first, second) > 0.5
        assert (judge.pipeline.tokens(films[0]) == judge.pipeline.tokens(films[1])) is same
