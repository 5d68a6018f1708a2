"""Counting in chunks on disk gives what counting in memory gives, for any text and any length of a
chunk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ngram import chunks
from engine.ngram.counts import Counts, Grams, count

SENTENCES = st.lists(st.lists(st.integers(1, 5), max_size=8), max_size=8)
PARTS = ("word_G", "count_G", "first_P", "suffix_G", "total_P")


def stream(sentences: list[list[int]]) -> np.ndarray:
    return np.array([0] + [token for line in sentences for token in (*line, 0)])


def same(left: Grams, right: Grams) -> None:
    for name in PARTS:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), name)


@settings(max_examples=25, deadline=None)
@given(SENTENCES, st.integers(1, 5), st.integers(1, 20))
def test_chunks_and_memory_agree(sentences: list[list[int]], order: int, chunk: int) -> None:
    stream_N = stream(sentences)
    found = list(chunks.count(stream_N, 6, order, 0, chunk))
    assert len(found) == chunks.steps(len(stream_N), order, chunk)
    merged = [grams for grams in found if grams is not None]
    for grams, expected in zip(merged, count(stream_N, 6, order, 0), strict=True):
        same(grams, expected)


def test_many_ranges_and_an_adjusted_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "SAMPLE", 3)
    rng = np.random.default_rng(4)
    stream_N = np.append(0, np.append(rng.zipf(1.3, 30_000) % 400, 0))
    merged = [grams for grams in chunks.count(stream_N, 400, 4, 0, 1_000) if grams is not None]
    whole = list(count(stream_N, 400, 4, 0))
    for grams, expected in zip(merged, whole, strict=True):
        same(grams, expected)
    for grams, expected in zip(
        Counts(merged, 0).adjusted().orders, Counts(whole, 0).adjusted().orders, strict=True
    ):
        np.testing.assert_array_equal(grams.count_G, expected.count_G)
