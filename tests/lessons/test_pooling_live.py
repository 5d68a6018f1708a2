"""Pooling: the numbers that its live pictures show are the models'."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from engine.lessons.pooling import live as panels
from tests.conftest import shipped, together

TEXT = "oak rose ! cat hammer bread"


@together(("way", "text"), product(panels.CALLED, (TEXT, "oak rose", "oak !")))
def test_the_marked_word_and_what_each_says(way: str, text: str) -> None:
    model: Any = shipped(f"pooling_{way}")
    trace = model.trace(text)
    found = {name: values for name, (_, values) in panels.derive(model, trace, {}).items()}
    label_TC = trace.field("label").values
    np.testing.assert_array_equal(found["says"], label_TC.argmax(1))
    assert found["known"] == (text == TEXT)
    if text == TEXT:
        assert model.names[found["right"]] == "animal"
        assert [trace.tokens[int(t)] for t in found["truth"][3:]] == ["cat"] * 3
        assert np.isnan(found["truth"][:3]).all()
    np.testing.assert_array_equal(found["right.p"], label_TC[:, found["right"]])
