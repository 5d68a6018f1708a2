"""The last tokens of a text that is typed: read once while their ids stay the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine.core.trace import Field
from engine.live import cache, delta
from engine.live.reader import Reader
from engine.live.shown import Shown
from engine.models.base import Model
from engine.runs.store import RunStore
from tests.conftest import shipped

TYPED = "The old zxqvo sea xqzt "
NEEDS = {"ngram": ("probability", "ladder"), "skipgram": ("probability", "neighbours")}


@pytest.mark.parametrize("id", ["ngram", "skipgram", "fasttext"])
def test_a_word_typed_on_has_what_the_whole_text_has(
    id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, run = shipped(id), RunStore().find(id)
    needs = NEEDS.get(id, NEEDS["skipgram"])
    reader = Reader(id, id, model, run.id, "words", top=needs[1], also=needs)
    read: list[int] = []
    trace = Model.trace

    def counted(self: Model[object], *given: object, **named: object) -> object:
        read.append(1)
        return trace(self, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Model, "trace", counted)
    asked = 0
    for n in range(9, len(TYPED) + 1):
        old, new = (
            Shown.of(reader, run, TYPED[:m], (0, m), model.tokens(TYPED[:m])) for m in (n - 1, n)
        )
        shown = new.after(old)
        window = delta.find_fresh(shown)
        assert window is not None
        read.clear()
        made = cache.end_of(shown, window)
        asked += len(read)
        whole = trace(model, TYPED[:n], fields=needs, window=window)
        assert made.tokens[-len(whole.tokens) :] == whole.tokens and made.total == whole.total
        for name in needs:
            one, other = made[name], whole[name]
            if isinstance(one, Field):
                cut = one.values[window[0] - made.offset :]
                np.testing.assert_allclose(cut, other.values, rtol=1e-5, atol=1e-7)
            else:
                frame = one.frame()
                frame = frame[frame["position"] >= window[0] - made.offset].reset_index(drop=True)
                frame["position"] -= window[0] - made.offset
                pd.testing.assert_frame_equal(frame, other.frame(), check_dtype=False, rtol=1e-5)
    typed = len(TYPED) - 8
    assert asked == typed if id == "fasttext" else 0 < asked < typed / 2
