"""The lesson on positions: what its parts say is what codes, rotations and the measured models give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.registry import positions
from engine.frame.blocks import Problem
from engine.frame.part import Part
from engine.lessons.positions import encodings, extrapolate, parts
from engine.lessons.positions.live import derive, stage
from engine.lessons.positions.shown import find_alike, head, named
from engine.runs import store
from engine.runs.store import RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import said, tables

RUNS = RunStore(store.SHIPPED).all("transformer")


def told(part: Part, **given: Any) -> tuple[str, list[Any]]:
    """The sentences, and the rows of the tables."""
    found = part.blocks(**given)
    return said(found), tables(found)


def shuffled(text: str, again: int = 0) -> tuple[str, list[Any]]:
    more = {"runs": RUNS, "open_run": lambda run: shipped(run.id), "mine": ""}
    return told(parts.shuffle, text=text, again=again, **more)


def test_a_model_for_each_kind() -> None:
    assert [*find_alike(RUNS)] == positions.listed()
    assert {run.id for run in find_alike(RUNS).values()} == {
        f"transformer_{k}" for k in positions.ids()
    }
    assert named({"runs": RUNS})["transformer_rope"] == "RoPE"
    assert parts.share(3e-7) == "0 (rounding)" and parts.share(0.1234) == "12.3 %"


@together("kind", ["rope", "shaw", "learned"])
def test_the_live_part_tells_the_kind_chosen(kind: str) -> None:
    model = shipped(f"transformer_{kind}")
    made = stage(head(RUNS, f"transformer_{kind}"), f"transformer_{kind}")
    panels = {panel.id: panel for panel in made.panels}
    assert panels["places"].says.startswith(positions.get(kind).about)
    assert ("clocks" in panels) == (kind == "rope")
    trace = model.trace("The cat sat on the mat")
    derived = derive(model, trace, {})
    axes, place = derived["place"]
    assert axes == (["layer", "head"] if kind == "shaw" else []) + ["token", "key"]
    np.testing.assert_allclose(place, encodings.place(model, trace).squeeze(), atol=1e-5)
    assert derived["at"][1].tolist() == list(range(len(trace.tokens)))
    weight = trace.field("attention").values
    largest = np.take_along_axis(weight, derived["most"][1][..., None], -1).squeeze(-1)
    assert (largest == weight.max(-1)).all()


def test_the_words_are_shuffled_through_every_model() -> None:
    text = "The dog bites the old man"
    first, (table,) = shuffled(text)
    rows = {row["positions"]: row for row in table}
    assert [*rows] == [positions.get(k).title for k in positions.listed()]
    none = rows.pop("None")
    assert none["words"] == none["their mean"] == "0 (rounding)" and none["as it is"].endswith("%")
    assert all(row["words"].endswith("%") for row in rows.values())
    orders = [s.split("Shuffled: **")[1].split("**")[0] for s in (first, shuffled(text, 1)[0])]
    assert orders[0] != orders[1]
    assert all(sorted(order.split()) == sorted(text.split()) for order in orders)
    assert "nothing to shuffle" in shuffled("dog")[0]


def test_waves_and_rotations_by_hand() -> None:
    words = told(parts.waves, wave_width=6, k=5)[0]
    assert "**2.25679**" in words and "places 5 and 715 are equal" in words  # T28: 2.256794
    codes = encodings.waves(716, 2)[[5, 715]]
    assert (codes[0] != codes[1]).any()
    assert (codes.astype(np.float16)[0] == codes.astype(np.float16)[1]).all()
    words = told(parts.rotate, pq=5, pk=3, by=7)[0]
    assert "**1.929096**. Both 7 later: **1.929096**" in words  # T29
    table = told(parts.rotate, qk="q = k = (1, 0)(1, 0)", pq=1, pk=0)[1][0]
    assert [row["query"] for row in table] == ["(0.540, 0.841)", "(1.000, 0.010)"]
    assert sum(row["adds"] for row in table) == pytest.approx(np.cos(1) + np.cos(0.01))


def test_what_is_said_beyond_the_training_is_measured() -> None:
    found = extrapolate.shipped()
    words = str(parts.verdict(found))
    stay, lose = words.split("**worse**")
    assert "ALiBi" in stay and "RoPE" in lose and "Learned: the table has 64 rows" in lose
    for c in found.curves:
        inside, _next, far = found.means(c)
        if c.stretch == 1 and far == far:
            title = positions.get(c.kind).title
            assert f"{title} ({far - inside:+.2f})".replace("-", "−") in words
    table = told(parts.beyond)[1][0]
    assert {row["positions"]: row for row in table}["Learned"]["129 to 256"] == "no row"
    assert any(isinstance(block, Problem) for block in parts.beyond.blocks(kinds=()))
