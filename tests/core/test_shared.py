"""Overlap of words by their n-grams, against the counts of the notes put right and against sets by
hand."""

from __future__ import annotations

import pytest

from engine.vectors.grams import gram_hash
from engine.vectors.shared import bucket_loads, different, overlap, vocabulary_grams


def test_apple_and_its_misspelling() -> None:
    found = overlap("apple", "applw", 3, 6)
    assert len(found.first) == len(found.second) == 14
    assert {*found.both} == {"<ap", "app", "ppl", "<app", "appl", "<appl"}
    assert found.jaccard == pytest.approx(6 / 22)


def test_two_known_words_cover_an_unknown_one() -> None:
    """unhappiest: 33 of its 34 n-grams stand in unhappy or happiest; only "nhappi" is new (J12)."""
    made = {*different("unhappiest", 3, 6)}
    assert made - {*different("unhappy", 3, 6), *different("happiest", 3, 6)} == {"nhappi"}
    assert len(made) == 34


def test_what_a_vocabulary_has_seen() -> None:
    seen = vocabulary_grams(["cat", "cats", "at"], 2, 3)
    assert seen["at"] == 3 and seen["<ca"] == 2 and seen["t>"] == 2 and seen["dog"] == 0
    loads = bucket_loads(seen, 7)
    assert sum(loads.values()) == len(seen) and loads[gram_hash("at") % 7] >= 1


def test_no_word_no_ngrams() -> None:
    assert different("", 3, 6) == () and overlap("", "cat", 3, 6).jaccard == 0
