"""Sources of embeddings, by hand and beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis import embedding_sources
from engine.analysis.embedding_sources import GRAMMAR, Text


def test_words_and_lines_of_a_text() -> None:
    text = Text.of("The cat saw the dog.\nThe dog ran")
    assert text.words == ("the", "dog", "cat", "saw", "ran")
    assert text.word_M.tolist() == [0, 2, 3, 0, 1, 0, 1, 4]
    assert text.line_M.tolist() == [0] * 5 + [1] * 3


def test_nearest_and_together_by_hand() -> None:
    # cat and dog along one axis, bread and fish along another
    words, vector_VD = (
        ("cat", "bread", "dog", "fish"),
        np.array([[1, 0.1], [0, 2], [3, 0], [0.1, 1]], np.float32),
    )
    assert embedding_sources.nearest(vector_VD, 1)[:, 0].tolist() == [2, 3, 0, 1]
    assert embedding_sources.together(words, vector_VD) == 1.0
    assert embedding_sources.together(words, vector_VD[[0, 2, 1, 3]]) == 0.0
    assert embedding_sources.together(("cat", "the"), vector_VD[:2]) is None
    zero = embedding_sources.nearest(np.array([[1.0, 0], [0, 0], [0.9, 0.1]]), 1)
    assert zero[0, 0] == 2 and zero[2, 0] == 0


def test_counts_rebuild_the_table() -> None:
    """With all directions the product of vectors and contexts is the PPMI table: u s v."""
    text = Text.of("a b a b\nc d c d")
    found = embedding_sources.cosines(embedding_sources.counted(text, 4))
    # words of one line share neighbours, those of two lines none
    pair = {word: i for i, word in enumerate(text.words)}
    assert found[pair["a"], pair["c"]] == pytest.approx(0, abs=1e-6)
    assert embedding_sources.counted(text, 2).shape == (4, 2)


def test_three_sources_of_a_toy_text() -> None:
    text = Text.of(embedding_sources.toy())
    assert {word for some in GRAMMAR.values() for word in some.split()} < set(text.words)
    made = embedding_sources.trained(text, 16, 1)
    np.testing.assert_array_equal(made.vector_TVD[0], embedding_sources.random(text, 16, 1))
    assert made.loss_N[0] == pytest.approx(np.log(len(text.words)), abs=0.3)
    assert len(made.vector_TVD) == len(made.steps) and made.loss_N[-1] < 1
    random, learned, counted = (
        embedding_sources.together(text.words, v) or 0
        for v in (made.vector_TVD[0], made.vector_TVD[-1], embedding_sources.counted(text, 16))
    )
    # five classes of five: at random 4 of 24 others are of the same
    assert random < 0.4 < 0.7 < learned and counted > 0.9
    with pytest.raises(ValueError, match="three words"):
        embedding_sources.trained(Text.of("two words\nonly two"), 4, 1)
