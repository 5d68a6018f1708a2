"""Words made of n-grams: the counts of the notes put right, and the arithmetic by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.tap import Edit
from engine.models.gramvectors import MARKS
from engine.nn.word2vec.bags import Bags
from engine.vectors.grams import gram_hash, grams
from tests.conftest import shipped, together


@together(
    ("a", "b", "count"),
    [
        ("apple", "applw", 6),
        ("unhappiness", "unhappy", 14),
        ("unhappiness", "happiness", 26),
        ("unhappiness", "happily", 6),
        ("color", "colour", 6),
        ("hyperlink", "hypertext", 10),
        ("play", "playing", 6),
        ("johnson", "johnston", 11),
        ("johnston", "johnstone", 22),
        ("hyperhappiness", "happy", 3),
    ],
)
def test_words_share_ngrams(a: str, b: str, count: int) -> None:
    assert len({*grams(a, 3, 6)} & {*grams(b, 3, 6)}) == count


def test_bags_read_means_and_move_every_row() -> None:
    table = torch.arange(24.0).view(8, 3)
    bags = Bags([[0], [1, 5, 5], [2, 7]], 8)
    ids = torch.tensor([[2, 1], [0, 2]])
    last = (table[2] + table[7]) / 2
    want = torch.stack([last, (table[1] + 2 * table[5]) / 3, table[0], last]).view(2, 2, 3)
    torch.testing.assert_close(bags.read(ids, table), want)
    step = torch.tensor([[[1.0, 0, 0], [0, 1, 0]], [[0, 0, 1], [2, 0, 0]]])
    row, moved, much = bags.spread((ids, step, torch.tensor([[1.0, 2], [3, 4]])))
    assert row.tolist() == [2, 7, 1, 5, 5, 0, 2, 7] and much.tolist() == [1, 1, 2, 2, 2, 3, 4, 4]
    torch.testing.assert_close(moved, step.view(-1, 3)[[0, 0, 1, 1, 1, 2, 3, 3]])
    with pytest.raises(ValueError, match="a row at least"):
        Bags([[1], []], 3)


@pytest.mark.parametrize("id", ["fasttext", "charngram"])
def test_a_vector_is_the_mean_of_its_rows(id: str, trained: Callable[[str], Any]) -> None:
    model = trained(id)
    at = model.vocab.index("captain")
    parts = list(grams("captain", model.config.least, model.config.most))
    parts = [*{*parts}] if id == "charngram" else parts
    mean = model.grams.buckets[[gram_hash(g) % model.config.buckets for g in parts]].mean(0)
    if id == "charngram":
        np.testing.assert_allclose(model.in_VD[at], mean, atol=1e-5)
    np.testing.assert_allclose(model.compose("captain"), mean, atol=1e-5)
    assert not model.in_VD[:MARKS].any()


@pytest.mark.parametrize("id", ["fasttext", "charngram"])
def test_an_unseen_word_has_a_vector_and_neighbours(id: str, trained: Callable[[str], Any]) -> None:
    model = trained(id)
    trace = model.trace("captian captain qqqq")
    vectors = trace.field("vector").values
    assert trace.unknown == (1, 3) and vectors[1].any()
    np.testing.assert_allclose(vectors[1], model.compose("captian"), atol=1e-6)
    cosine = trace.field("cosine").values
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    np.testing.assert_allclose(cosine, unit @ unit.T, atol=1e-5)
    table = trace["neighbours"]
    assert {*table.columns["position"]} >= {1, 2}, "also the word without a row has neighbours"


def test_lengths_must_be_in_order() -> None:
    from engine.models.fasttext import FastText

    with pytest.raises(ValueError, match="can't be longer"):
        FastText.config_type(least=5, most=4)


@pytest.mark.parametrize("id", ["skipgram", "fasttext"])
def test_remembered_neighbours_are_those_of_the_vector(id: str) -> None:
    model = shipped(id)
    edits = (Edit("vector", {"token": 1, "dim": 3}, 4.0),)
    texts = "captain", "the captain sleeps", "captainless captain zyxgrobian", "captainless"
    for text, changed in [(text, ()) for text in texts] + [(texts[1], edits), (texts[1], ())]:
        trace = model.trace(text, changed, fields=("vector", "neighbours"))
        near = trace["neighbours"].columns
        for t, vector_D in enumerate(trace.field("vector").values):
            expected = model.nearest(vector_D, 12, (trace.tokens[t],)) if vector_D.any() else []
            here = near["position"] == t
            assert [*near["word"][here]] == [word for word, _ in expected]
            found_K = near["cosine"][here]
            np.testing.assert_allclose(found_K, [cosine for _, cosine in expected], atol=1e-3)
