"""What another word in each place changes: against texts that are typed with that word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.lessons.feedforward.swaps import swaps

TEXT = "the old cat saw the small bird and the dog ran"
OTHER = "sea"


def typed(model: Any, text: str) -> np.ndarray:
    p_TV: np.ndarray = model.trace(text, fields=("probability",)).field("probability").values
    return p_TV[-1].astype(float)


def test_a_swap_is_the_text_with_another_word(trained: Callable[[str], Any]) -> None:
    for id in ("feedforward", "ngram", "lstm", "rnn"):
        model = trained(id)
        letters = model.config.tokenizer == "chars"
        text, other = (TEXT[:14], "s") if letters else (TEXT, OTHER)
        parts = list(text) if letters else text.split()
        tokens = model.tokens(text)
        places = [t for t, (_, stop) in enumerate(tokens.spans) if stop]
        plain, number = typed(model, text), int(model.tokenizer.encode(other).ids[0])
        for n, found in zip(range(len(parts)), swaps(model, tokens, places, number), strict=True):
            changed = ("" if letters else " ").join([*parts[:n], other, *parts[n + 1 :]])
            want = np.abs(typed(model, changed) - plain).sum() / 2
            assert found == (None if parts[n] == other else pytest.approx(want, abs=1e-5))


def test_out_of_the_window_the_change_is_exactly_nothing(trained: Callable[[str], Any]) -> None:
    net, grams = trained("feedforward"), trained("ngram")
    for model, sees in ((net, net.config.window), (grams, grams.config.order - 1)):
        tokens = model.tokens(TEXT)
        other = int(model.tokenizer.encode(OTHER).ids[0])
        found = swaps(model, tokens, range(1, len(tokens)), other)
        moved = [one or 0.0 for one in found]
        assert moved[:-sees] == [0.0] * (len(moved) - sees), "bit for bit"
        assert moved[-1] > 0
