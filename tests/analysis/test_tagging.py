"""The tagger's test: counted by hand on a few words, and what is shipped adds up."""

from __future__ import annotations

import json

import pytest

from engine.lessons.hmm import build, results
from engine.models.trigram_tagger import Config, TrigramTagger, state_of

TRAIN = "\n".join(["the/DET dog/NOUN ran/VERB", "the/DET cat/NOUN ran/VERB", "a/DET run/NOUN"] * 20)
TEST = "the/DET cat/NOUN ran/VERB\na/DET ran/NOUN zebra/NOUN"


def test_a_test_of_six_words() -> None:
    found = build.measured(TRAIN, TEST)
    assert (found.words, found.known, found.ambiguous) == (6, 5, 0)
    best = found.best
    assert best.known == pytest.approx(4 / 5)  # “ran” was never counted as a noun
    assert (found.new_tag, len(found.rounds)) == (1, 3)
    assert found.wrong == round(6 * (1 - best.all)) and found.disagree == 0
    assert results.opened(json.loads(results.written(found, "by hand"))) == found


def test_neighbours_that_disagree() -> None:
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
        results.opened({"words": 1})


def test_states_by_name() -> None:
    own, parts = {"the"}, ["ing", "s"]
    said = [
        state_of(word, "X", own, parts, True)
        for word in ("The", "Going", "goes", "go", "Ring", "s")
    ]
    assert said == ["X the", "X A-ing", "X -s", "X", "X A", "X"]
    assert state_of("Going", "X", own, parts, False) == "X -ing"


def test_the_order_changes_the_answer() -> None:
    """“b” after “a b” is Y, else X: two tags before tell, one does not."""
    lines = ["a/A b/X b/Y b/X b/Y", "c/C b/Y b/X b/Y b/X"] * 5
    settings = {"own": 0, "parts": "", "case": False}
    two = TrigramTagger.counted(TrigramTagger.read(lines), Config(**settings))
    assert two.tagged(["a", "b", "b"]) == ["A", "X", "Y"]
    assert two.tagged(["c", "b", "b"]) == ["C", "Y", "X"]
