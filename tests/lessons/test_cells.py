"""Compare cells: its numbers are those of the formulas, of torch and of the shelf."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.analysis.contest import results
from engine.analysis.contest.entry import Entry, Result
from engine.core.registry import tasks
from engine.frame.blocks import Chart, Code, Problem, blocks_in
from engine.frame.part import Part
from engine.lessons.cells import chooser, parts
from tests.conftest import together
from tests.lessons.blocks import said, tables
from tests.pages.opening import seeing

TINY = {"size": 8, "steps": 100, "distance": 5, "seed": 3}
TINY |= {"task": "lag", "noise": "half", "match": "units"}

own_runs = seeing()


def rows(part: Part, **chosen: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in tables(part.blocks(**chosen))[0]]


def right(entry: Entry, which: str = "clean", beyond: bool | None = None) -> float:
    points = getattr(results.shipped()[entry], which)
    return float(np.mean([p for d, p in points.items() if beyond is None or (d > 20) is beyond]))


def test_the_contest_is_that_of_the_shelf() -> None:
    found = {row["cell"]: row for row in rows(parts.contest)}
    assert list(found) == ["Elman RNN", "LSTM", "GRU", "Dual memory"]
    for cell, name in (("rnn", "Elman RNN"), ("gru", "GRU")):
        near, far = (right(Entry(cell, "copy"), beyond=beyond) for beyond in (False, True))
        assert found[name]["right"] == f"{100 * near:.1f} %"
        assert found[name]["farther than trained"] == f"{100 * far:.1f} %"


def test_what_the_examples_tell_is_on_the_shelf() -> None:
    far = Entry("lstm", "lag", shortest=20)
    assert all(right(replace(far, cell=cell)) < 0.3 for cell in ("rnn", "lstm"))
    assert all(right(replace(far, cell=cell)) > 0.99 for cell in ("gru", "lstm1997"))
    assert right(replace(far, forget_bias=3.0)) > 0.95
    near = Entry("gru", "lag")
    assert right(near, "disturbed", True) < 0.7
    assert right(replace(near, cell="lstm"), "disturbed", True) > 0.99
    for cell in ("rnn", "lstm", "gru", "lstm1997"):
        assert right(replace(near, cell=cell, noise=0.5), "disturbed", True) > 0.99
    for values, look in parts.TRIES.values():
        blocks = parts.contest.blocks(**values)
        assert look in said(blocks) and len(rows(parts.contest, **values)) == len(values["cells"])


def test_what_is_not_trained_can_be_and_its_numbers_come(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: dict[str, Any] = {**TINY, "cells": ("lstm", "gru")}
    none = said(parts.contest.blocks(**chosen))
    assert "No cell has been trained with these settings yet" in none

    def broken(entries: list[Entry]) -> Iterable[tuple[int, float]]:
        yield 0, 0.4
        raise RuntimeError("it broke.")

    def train(entries: list[Entry]) -> Iterable[tuple[int, float]]:
        wanted = Entry("lstm", "lag", 0.5, "units", 8, distance=5, steps=100, seed=3)
        assert entries == [wanted, replace(wanted, cell="gru")]
        points = {2: 1.0, 5: 0.5, 10: 0.25}, {2: 0.75, 5: 0.5, 10: 0.0}
        for n, entry in enumerate(entries):
            yield n, 0.4
            results.keep_result(Result(entry, 8, 123, 1.5, 0.1, *points))

    monkeypatch.setattr(parts.trainer, "train", broken)
    assert parts.contest.blocks(**chosen, train=True)[-1] == Problem("LSTM: it broke.")
    monkeypatch.setattr(parts.trainer, "train", train)
    assert len(parts.contest.blocks(**chosen, train=True)) > 5
    (lstm, _gru) = rows(parts.contest, **chosen)
    assert (lstm["right"], lstm["farther than trained"]) == ("75.0 %", "25.0 %")
    assert lstm["with distractors"] == "62.5 %"


@together("id", ["copy", "lag", "brackets", "agreement"])
def test_the_example_of_a_task(id: str) -> None:
    blocks = parts.contest.blocks(task=id, far="long only")
    (code,) = (block.text for block in blocks if isinstance(block, Code))
    first, second = code.split("\n")
    assert "→" in first and "→" in second and first != second
    if charts := [b for b in blocks_in(blocks) if isinstance(b, Chart)]:
        last = tasks.get(id)().distances(20)[-1]
        assert f"Trained on distance {last} alone" in str(charts[0].note)


def test_parameters_of_torch_and_gradients_of_a_fresh_cell() -> None:
    found = {row["cell"]: row for row in rows(parts.costs)}
    assert found["LSTM"]["parameters"] == 365_568 and found["GRU"]["parameters"] == 274_176
    assert found["GRU"]["of an LSTM"] == "75.0 %"
    assert found["LSTM"]["in torch"] == "nn.LSTM: 366,592"
    small = {row["cell"]: row for row in rows(parts.costs, cells=("lstm", "rnn"), d=300, h=128)}
    assert small["LSTM"]["parameters"] == 219_648 and small["Elman RNN"]["parameters"] == 54_912
    first = rows(parts.untrained)[0]
    assert list(first.values())[1:] == ["0.0215", "5.11 × 10⁻⁴", "2.74 × 10⁻⁷", "6.95 × 10⁻¹⁷", "0"]
    assert "at lag 50 1.43 × 10⁻¹¹" in said(parts.untrained.blocks())
    biased = said(parts.untrained.blocks(bias=2))  # T20: 5.3e-2
    assert "begin near 0.88; at lag 50 0.0534 of the gradient is left" in biased
    loud = rows(parts.untrained, cells=("rnn",), times="3")[0]["lag 99"].replace(",", "")
    assert float(loud) == pytest.approx(2.3e3, rel=0.05)


def test_the_chooser_counts_what_was_measured() -> None:
    found = chooser.duels("lstm", "gru", 20, True)
    better = [duel.better for duel in found]
    words = said(parts.duels.blocks())
    won = [better.count(n) for n in (0, 1)]
    assert f"**LSTM is better in {won[0]} of 9 trainings, GRU in {won[1]}**" in words
    table = rows(parts.duels)
    assert [row["better"] for row in table].count("both alike") == better.count(-1)
    assert len(table) == 9
    assert "LSTM has 365,568 parameters, GRU 274,176" in words  # rnn D10
    assert "Choose two different cells" in said(parts.duels.blocks(other="lstm"))
