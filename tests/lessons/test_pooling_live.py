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


def test_where_no_word_is_marked_each_answer_stands_beside_its_own_probability() -> None:
    ends = {}
    for way in panels.CALLED:
        model: Any = shipped(f"pooling_{way}")
        label_C = model.trace("old captain").field("label").values[-1]
        found = panels.derive(model, model.trace("old captain"), {})
        right, p_T = int(found["right"][1]), found["right.p"][1]
        assert p_T[-1] == label_C.max()
        ends[way] = model.names[right]
    assert len(set(ends.values())) > 1, "one name for all would be wrong"
    marked, unmarked, _ = panels.PREFIX.tell
    assert marked.startswith("{?known}") and "{right:label}" in marked
    assert "right" not in unmarked and "{own}" in unmarked
    assert "{right:label}" in str(panels.PREFIX.parts["own"])
