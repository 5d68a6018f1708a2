"""A dialogue in a window: what fits, the words that are left, and what they are worth to a model."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.core.registry import tokenizers
from engine.lessons.transformer import dialogue
from engine.text.tokenizers.base import Tokens
from tests.conftest import shipped, together

TURNS = ["be kind", "a doctor on monday please", "nine is free", "what about tuesday instead"]


def cut(turns: list[str]) -> Tokens:
    text = "\n".join(turns)
    return tokenizers.get("words").fit([text], 100).encode(text)


@together("room", range(20))
def test_what_fits(room: int) -> None:
    """Lengths 2, 5, 3 and 4; of the oldest tokens by cutting a list."""
    lengths = [2, 5, 3, 4]
    owners = [n for n, length in enumerate(lengths) for _ in range(length)]
    last = owners[max(0, len(owners) - room) :] if room else []
    assert dialogue.kept(lengths, room, "tokens") == [last.count(n) for n in range(4)]
    whole = dialogue.kept(lengths, room, "turns")
    first = dialogue.kept(lengths, room, "first")
    for found in (whole, first):
        assert sum(found) <= room
        assert all(a in (0, b) for a, b in zip(found[1:3], lengths[1:3], strict=True))
    assert first[0] == min(2, room) and whole[3] == min(4, room)
    many = next((n for n in range(4) if sum(lengths[n:]) <= room), None)
    if many is not None:
        assert whole == [0] * many + lengths[many:]


def test_words_that_are_left() -> None:
    tokens = cut(TURNS)
    own = dialogue.places(tokens, TURNS)
    assert [len(mine) for mine in own] == [2, 5, 3, 4] and dialogue.starts(TURNS) == [0, 8, 34, 47]
    found = dialogue.parts(tokens, TURNS, own, dialogue.kept([2, 5, 3, 4], 9, "tokens"))
    assert found == [
        ("be kind", ""),
        ("a doctor on", "monday please"),
        ("", "nine is free"),
        ("", "what about tuesday instead"),
    ]
    for text in (["a"], ["👩‍🚀", "b"], ["x" * 50, "?"]):
        assert sum(map(len, dialogue.places(cut(text), text))) >= len(text)
    assert dialogue.kept([], 5, "turns") == []


def test_a_model_knows_only_what_is_read() -> None:
    """The same turn behind the same words costs the same, whatever stood before them; a repeated one costs less."""
    model: Any = shipped("transformer")
    turn = "What about next Tuesday instead?"
    twice = dialogue.bits(model, [turn, "No."], turn)
    assert twice < 0.75 * dialogue.bits(model, ["No."], turn)
    trace = model.trace(f"No.\n{turn}", fields=("probability",))
    p_TV, ids = trace.field("probability").values, trace.ids
    own = [t for t, (a, b) in enumerate(trace.spans) if b > a >= 4]
    by_hand = [-math.log2(p_TV[t - 1, ids[t]]) for t in own]
    assert dialogue.bits(model, ["No."], turn) == pytest.approx(
        sum(by_hand) / len(by_hand), rel=1e-4
    )
