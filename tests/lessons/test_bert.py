"""The parts below BERT: what they say is what the model, its note and the published sizes say."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.frame.part import Part
from engine.lessons.bert import parts, senses
from engine.runs.store import RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, charts, said


def told(part: Part, **given: Any) -> tuple[str, list[Any]]:
    """The words, those of tables among them, and the charts."""
    page = {"model": shipped("bert"), "run": RunStore().find("bert")}
    found = asked(part, page, **given)
    return said(found), [*charts(found).values()]


def test_the_word_is_compared_where_it_stands() -> None:
    text, (alike, places) = told(parts.meanings)
    found = senses.senses(shipped("bert"), parts.TEXT.split("\n"), "bank")
    cosine_LNN = found.cosines()
    i, j = np.triu_indices(5, 1)
    np.testing.assert_allclose(alike.values, cosine_LNN[:, i, j].T, atol=1e-6)
    assert f"**{cosine_LNN[-1, i, j].min():.2f}**" in text
    last = found.places(len(found.depths) - 1)[0]
    np.testing.assert_allclose(places.columns["x"], last[:, 0])


@together(
    ("sentences", "word", "words"),
    [
        ("", "bank", "at least one sentence"),
        ("the cat", "", "at least one sentence"),
        ("the cat", "dog", "None of the sentences"),
        ("the cat", "cat", "Add a second sentence"),
        ("the cat\n😀 cat\n" + "cat " * 200, "CAT", "After the last layer"),
    ],
)
def test_sentences_of_any_kind(sentences: str, word: str, words: str) -> None:
    assert words in told(parts.meanings, sentences=sentences, sense=word)[0]


def test_sizes_masks_and_limits() -> None:
    text, _ = told(parts.family)
    assert "109,482,240" in text and "335,141,888" in text and "keep the encoder" in text
    assert "'chosen': '51.2', 'become [MASK]': '40.96'" in told(parts.masking, masked_share=40)[
        0
    ].replace("'words': '128', ", "")
    text, _ = told(parts.limits)
    assert "It does not write" in text and "everyday scenes" in told(parts.about)[0]
    held_out = RunStore().find("bert").note["held_out"]
    assert f"**{100 * held_out['accuracy']:.1f} %**" in text
