"""Where controls stand, and what they may depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.frame.blocks import Controls, Problem
from engine.frame.control import WANTED, Matrix, array, cells, pick, slider
from engine.frame.latex import matrix
from engine.frame.part import Blocks, part, show_runs


def names(given: Mapping[str, Any]) -> list[str]:
    return [name for name in given["runs"] if name.startswith(given.get("order", ""))]


@part("A part")
def one(
    runs: Sequence[str],
    order: str = pick("Order", ["a", "b"]),
    *,
    name: str = pick("Name", names),
    table: Matrix = cells("", [[1, 2], [3, 4]], "k"),
) -> Blocks:
    yield Controls(["name"])
    yield f"{name} of {len(runs)}: {array(table).sum():g}"


def test_options_may_depend_on_the_page_and_on_controls_before() -> None:
    given = {"runs": ["a1", "a2", "b1"]}
    assert one.values(given)["name"] == "a1"
    assert one.values({**given, "order": "b"})["name"] == "b1"
    assert one.values({**given, "order": "b", "name": "a2"})["name"] == "b1"
    assert one.blocks(**given, order="b")[-1] == "b1 of 3: 10"
    assert one.above == ("order",) and {*one.controls} == {"order", "name", "table"}


def test_matrices_need_numbers_and_are_written_in_latex() -> None:
    control = one.controls["table"]
    assert (control.rows, control.columns) == (("k 1", "k 2"), ("1", "2"))
    last = one.blocks(runs=["a1"], table=((1, 2), (None, 4)))[-1]
    assert last == Problem(WANTED)
    assert one.blocks(runs=["a1"], table=((1, 2), (1e7, 4)))[-1] == Problem(WANTED)
    assert one.blocks(runs=["a1"], table=((1, 2, 3),))[-1] == "a1 of 1: 10"  # of another shape
    infinite = {np.nan: r"\text{NaN}", np.inf: r"\infty", -np.inf: r"-\infty"}
    small = {-0.00001: r"-1.00\cdot 10^{-5}", 2.71e-25: r"2.71\cdot 10^{-25}"}
    for value, written in ({0.0: "0", -0.5: "-0.5"} | small | infinite).items():
        assert matrix(np.array([value])) == rf"\begin{{bmatrix}}{written}\end{{bmatrix}}"
    marked = matrix(np.eye(2), np.array([[True, False], [False, False]]))
    assert marked == r"\begin{bmatrix}\cancel{1} & 0 \\ 0 & 1\end{bmatrix}"


def test_which_runs_are_shown_may_be_chosen() -> None:
    asking = show_runs(lambda runs, up=slider("Up to", 1, 3, 2): {run: run for run in runs[:up]})
    assert asking.values({"runs": "abc"}) == {"up": 2}
    assert [*asking.make(runs="abc", **asking.values({"up": 9}))] == ["a", "b", "c"]
