"""What was taken for what, and how surely: by hand, beside scikit-learn, of models on texts with known labels;
and the tagger's test."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from engine.analysis.mistakes import Judged, judge
from engine.core.registry import corpora
from engine.lessons.hmm import build, results
from engine.models.trigram_tagger import Config, TrigramTagger, state_of
from tests.conftest import shipped

FOUR = Judged(
    ("a", "b", "c"),
    np.array([0, 1, 2, 0]),
    np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.8, 0.1, 0.1], [np.nan] * 3]),
)


def test_by_hand_and_beside_scikit_learn() -> None:
    assert FOUR.said_D.tolist() == [0, 0, 0, -1] and FOUR.answered_D.sum() == 3
    assert FOUR.worst() == [2, 1] and FOUR.confidence_D[[2, 1]].tolist() == [0.8, 0.6]
    assert FOUR.confusion.tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert FOUR.sure(True) == pytest.approx(0.7) and FOUR.sure(False) == pytest.approx(0.7)
    right = Judged(("a",), np.array([0]), np.array([[1.0]]))
    assert not right.worst() and np.isnan(right.sure(False))
    rng = np.random.default_rng(0)
    p_DC, true_D = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    found = Judged(tuple("abcd"), true_D, p_DC)
    np.testing.assert_array_equal(found.confusion, confusion_matrix(true_D, p_DC.argmax(1)))
    worst = found.worst()
    assert len(worst) == 200 - found.confusion.trace()
    assert (np.diff(found.confidence_D[worst]) <= 0).all()


@pytest.mark.parametrize("id", ["sentiment", "textcnn"])
def test_a_shipped_classifier(id: str) -> None:
    """Its answers are those of its trace, and what its page is for: sure mistakes about a negation."""
    model: Any = shipped(id)
    pairs = corpora.get("reviews").labelled()[:80]
    found = judge(model, *zip(*pairs, strict=True))
    for d in (0, 41, 79):
        last = model.trace(pairs[d][1], fields=("label",)).field("label").values[-1]
        np.testing.assert_allclose(found.p_DC[d], last, atol=1e-5)
        assert found.classes[found.true_D[d]] == pairs[d][0]
    surest = [pairs[d][1] for d in found.worst()[:12]]
    assert any("never" in text or "without" in text or "not" in text.lower() for text in surest)
    assert 0 < len(found.worst()) < 40
    assert len(judge(model, ["positive"], [""]).worst()) <= 1  # no answer, or one to nothing


TRAIN = "\n".join(["the/DET dog/NOUN ran/VERB", "the/DET cat/NOUN ran/VERB", "a/DET run/NOUN"] * 20)
TEST = "the/DET cat/NOUN ran/VERB\na/DET ran/NOUN zebra/NOUN"


def test_a_test_of_six_words_and_neighbours_that_disagree() -> None:
    found = build.measured(TRAIN, TEST)
    assert (found.words, found.known, found.ambiguous) == (6, 5, 0)
    best = found.best
    assert best.known == pytest.approx(4 / 5)  # “ran” was never counted as a noun
    assert (found.new_tag, len(found.rounds)) == (1, 3)
    assert found.wrong == round(6 * (1 - best.all)) and found.disagree == 0
    assert results.unpack(json.loads(results.written(found, "by hand"))) == found
    lines = ["a/X b/X c/Y d/X e/X", "a/X b/X c/Z d/X e/X", "a/X b/X c/Y d/X e/X"]
    assert build.disagreement(TrigramTagger.read(lines)) == (pytest.approx(1 / 3), 3)


def test_what_is_shipped_adds_up() -> None:
    found = results.shipped()
    best = found.best
    assert found.words == 25_094 and 0.94 < best.all < 0.95
    unknown = found.words - found.known
    assert best.all == pytest.approx(1 - found.wrong / found.words, abs=1e-4)
    assert best.unknown == pytest.approx(1 - found.wrong_unknown / unknown, abs=1e-4)
    assert found.new_tag + found.wrong_unknown < found.wrong
    assert [one.count for one in found.mistakes] == sorted(
        (one.count for one in found.mistakes), reverse=True
    )
    with pytest.raises(ValueError, match="damaged"):
        results.unpack({"words": 1})


def test_states_by_name_and_the_order() -> None:
    own, parts = {"the"}, ["ing", "s"]
    said = [
        state_of(word, "X", own, parts, True)
        for word in ("The", "Going", "goes", "go", "Ring", "s")
    ]
    assert said == ["X the", "X A-ing", "X -s", "X", "X A", "X"]
    assert state_of("Going", "X", own, parts, False) == "X -ing"
    # “b” after “a b” is Y, else X: two tags before tell, one does not.
    lines = ["a/A b/X b/Y b/X b/Y", "c/C b/Y b/X b/Y b/X"] * 5
    settings = {"own": 0, "parts": "", "case": False}
    two = TrigramTagger.counted(TrigramTagger.read(lines), Config(**settings))
    assert two.tagged(["a", "b", "b"]) == ["A", "X", "Y"]
    assert two.tagged(["c", "b", "b"]) == ["C", "Y", "X"]
