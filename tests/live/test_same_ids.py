"""A word that a translator does not know, typed on: the ids stay, so nothing is read again, and what is
sent has the numbers and names of a trace of the new text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.lessons.translation import live as panels
from engine.live.request import Request
from engine.runs.store import SHIPPED, RunStore

BEFORE, AFTER = "The zebr ate\nLe", "The zebra ate\nLe"


@pytest.mark.parametrize("run", ["seq2seq_attention", "translator"])
def test_a_word_typed_on_is_not_read_again(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of = RunStore(SHIPPED).find(run)
    model: Any = RunStore(SHIPPED).load(of)
    stage, read = panels.stage(of), []
    plain = type(model).trace

    def counted(self: Any, text: str, *more: Any, **named: Any) -> Any:
        read.append(text)
        return plain(self, text, *more, **named)

    monkeypatch.setattr(type(model), "trace", counted)

    def ask(text: str, base: str | None) -> Any:
        message = {"text": text, "seq": 1, "have": "x", "base": base, "base_start": 0}
        (reading,) = stage.answer(Request.read(message, 2000))[0]
        return reading

    ask(BEFORE, None)
    found = ask(AFTER, BEFORE)
    assert read == [BEFORE]
    assert found.part["source"]["labels"][1] == "zebra"
    whole = plain(model, AFTER)
    for sent in found.fields:
        if sent.field.spec.name in whole:
            want = whole.field(sent.field.spec.name)
            np.testing.assert_allclose(sent.field.values, want.values, atol=1e-6)
            assert [a.labels for a in sent.field.axes] == [a.labels for a in want.axes]
    ask("The dog ate\nLe", AFTER)
    assert read[1:] == ["The dog ate\nLe"]
    ask("The dog sat\nLe", "The dog ate\nLe")  # the French is the same, the English is not
    assert len(read) == 3
