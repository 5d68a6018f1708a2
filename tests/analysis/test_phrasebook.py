"""The phrase book: what is learned, and that training and use go through the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.analysis import phrasebook
from engine.analysis.phrasebook import SENTENCES, Learned

ENGLISH, SPANISH = SENTENCES[0]


@pytest.fixture(scope="module")
def book() -> Learned:
    return phrasebook.learned(120, 1)


def test_it_learns_its_phrases(book: Learned) -> None:
    assert (ENGLISH, SPANISH) == ("You are welcome", "De nada")
    assert book.model.translations([a for a, _ in SENTENCES]) == [b for _, b in SENTENCES]
    assert phrasebook.written(book.model, ENGLISH) == ["De", "nada", "</s>"]
    assert book.loss_N[0] > np.log(len(book.model.tokenizer.vocab)) > 1 > 0.1 > book.loss_N[-1]


def test_rows_at_once_are_those_of_one_after_the_other(book: Learned) -> None:
    """What training computes in one pass is what use computes word by word."""
    whole = book.model.trace(f"{ENGLISH}\n{SPANISH}").field("probability").values
    words = SPANISH.split()
    for n in range(len(words) + 1):
        part = book.model.trace(f"{ENGLISH}\n{' '.join(words[:n])}").field("probability").values
        assert len(part) == n + 1
        np.testing.assert_allclose(part[-1], whole[n], atol=1e-5)


def test_the_loss_is_the_mean_surprisal_of_the_right_words() -> None:
    fresh = phrasebook.made(2)
    assert phrasebook.learned(0, 2).loss_N.size == 0
    nats = []
    for english, spanish in SENTENCES:
        trace = fresh.trace(f"{english}\n{spanish}")
        wanted = [*trace.ids[1:], fresh.tokenizer.boundary]
        nats += [-np.log(trace.field("probability").values[t, v]) for t, v in enumerate(wanted)]
    assert phrasebook.learned(1, 2).loss_N[0] == pytest.approx(float(np.mean(nats)), rel=1e-4)


def test_a_step_goes_down_the_gradient() -> None:
    before, after = (phrasebook.learned(n, 1).model.net for n in (0, 1))
    moved = torch.cat(
        [(b - a).flatten() for a, b in zip(before.parameters(), after.parameters(), strict=True)]
    )
    # the first step of Adam has the size of its rate wherever there is a gradient
    assert moved.detach().abs().max() == pytest.approx(phrasebook.RATE, rel=1e-3)
