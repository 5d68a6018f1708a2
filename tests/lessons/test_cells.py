"""Compare cells: its numbers are those of the formulas, of torch and of the shelf."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis.contest import results
from engine.analysis.contest.entry import Entry, Result
from engine.core.registry import tasks
from engine.frame.blocks import Chart, Code, Problem, Rows, blocks_in
from engine.frame.part import Part
from engine.jobs.status import FAILED, RUNNING, Status
from engine.lessons.cells import chooser, parts
from engine.lessons.cells.speed import Speed
from engine.runs.store import Run, RunStore
from tests.conftest import only_runs

TINY = {
    "size": 8,
    "steps": 100,
    "distance": 5,
    "seed": 3,
    "task": "lag",
    "noise": "half",
    "match": "units",
}


@pytest.fixture(scope="module", autouse=True)
def a_place_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Path]:
    yield from only_runs(tmp_path_factory)


def rows(part: Part, **chosen: Any) -> list[dict[str, Any]]:
    found = [block.rows for block in blocks_in(part.blocks(**chosen)) if isinstance(block, Rows)]
    return [dict(row) for row in found[0]]


def said(blocks: Iterable[Any]) -> str:
    return "\n".join(str(getattr(block, "words", block)) for block in blocks_in(blocks))


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


class Waiting:
    """Stands for the child: trains one entry at each look, or fails."""

    def __init__(self, error: str = "") -> None:
        self.asked, self.dropped, self.error = list[Entry](), list[Entry](), error

    def ask(self, entries: list[Entry]) -> None:
        self.asked += entries

    def drop(self, entries: list[Entry]) -> None:
        self.dropped += entries

    def state(self, entry: Entry) -> Status:
        if self.error:
            return Status(FAILED, error=self.error)
        points = {2: 1.0, 5: 0.5, 10: 0.25}, {2: 0.75, 5: 0.5, 10: 0.0}
        results.keep(Result(entry, 8, 123, 1.5, 0.1, *points))
        return Status(RUNNING, 40, 100)


def test_what_is_not_trained_can_be_and_its_numbers_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "WAIT", 0.0)
    chosen: dict[str, Any] = {**TINY, "cells": ("lstm", "gru")}
    assert "No cell has been trained with these settings yet" in said(
        parts.contest.blocks(**chosen)
    )
    for queue in (Waiting("it broke."), Waiting()):
        monkeypatch.setattr(parts, "queue", lambda queue=queue: queue)
        blocks = parts.contest.blocks(**chosen, train=True)
        wanted = Entry("lstm", "lag", 0.5, "units", 8, distance=5, steps=100, seed=3)
        assert queue.asked == queue.dropped == [wanted, replace(wanted, cell="gru")]
        if queue.error:
            assert blocks[-1] == Problem("LSTM: it broke.")
    (lstm, _gru) = rows(parts.contest, **chosen)
    assert (lstm["right"], lstm["farther than trained"]) == ("75.0 %", "25.0 %")
    assert lstm["with distractors"] == "62.5 %"


@pytest.mark.parametrize("id", ["copy", "lag", "brackets", "agreement"])
def test_the_example_of_a_task(id: str) -> None:
    blocks = parts.contest.blocks(task=id, far="long only")
    (code,) = (block.text for block in blocks if isinstance(block, Code))
    first, second = code.split("\n")
    assert "→" in first and "→" in second and first != second
    if charts := [b for b in blocks_in(blocks) if isinstance(b, Chart)]:
        last = tasks.get(id)().distances(20)[-1]
        assert f"Trained on distance {last} alone" in str(charts[0].note)


def test_parameters_are_those_of_torch() -> None:
    found = {row["cell"]: row for row in rows(parts.costs)}
    assert found["LSTM"]["parameters"] == 365_568 and found["GRU"]["parameters"] == 274_176
    assert (
        found["GRU"]["of an LSTM"] == "75.0 %" and found["LSTM"]["in torch"] == "nn.LSTM: 366,592"
    )
    small = {row["cell"]: row for row in rows(parts.costs, cells=("lstm", "rnn"), d=300, h=128)}
    assert small["LSTM"]["parameters"] == 219_648 and small["Elman RNN"]["parameters"] == 54_912


def test_time_per_token_is_shown_and_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Speed("lstm", 0.04, 0.2, 0.03), Speed("gru", 0.034, 0.15, float("nan"))]
    monkeypatch.setattr(parts, "speeds_apart", lambda *_: found)
    blocks = parts.costs.blocks(measure=True)
    table = [dict(row) for b in blocks if isinstance(b, Rows) for row in b.rows]
    assert table[0]["reading, µs per token"] == "40" and table[1]["torch's own kernel, µs"] == ""
    assert table[1]["products of an LSTM"] == "75 %"
    assert "GRU reads a token in **15 % less time** than the LSTM" in said(blocks)

    def broken(*_: Any) -> list[Speed]:
        raise RuntimeError("It went wrong.")

    monkeypatch.setattr(parts, "speeds_apart", broken)
    assert parts.costs.blocks(measure=True)[-1] == Problem("It went wrong.")


def test_the_chooser_counts_what_was_measured() -> None:
    every = RunStore().all(None)
    found = chooser.duels("lstm", "gru", 20, True)
    better = [duel.better for duel in found]
    words = said(parts.duels.blocks(runs=every))
    assert (
        f"**LSTM is better in {better.count(0)} of 9 trainings, GRU in {better.count(1)}**" in words
    )
    table = rows(parts.duels, runs=every)
    assert [row["better"] for row in table].count("both alike") == better.count(-1) and len(
        table
    ) == 9
    assert "LSTM has 365,568 parameters, GRU 274,176" in words  # rnn D10
    notes = [next(r for r in every if r.id == id).note for id in ("lstm_small", "gru")]
    bits = [note["held_out"]["bits_per_char"] for note in notes]
    assert f"they need {bits[0]:.3f} and {bits[1]:.3f} bits per character" in words
    assert "Choose two different cells" in said(parts.duels.blocks(runs=every, other="lstm"))


def test_a_run_of_another_text_is_not_among_those_trained_alike() -> None:
    config = {"layers": 1, "units": 8, "tokenizer": "chars"}
    runs = [
        Run(Path(id), {"model": "gru", "config": config, "corpus": {"digest": digest}})
        for id, digest in (("gru", "ours"), ("mine", "another"), ("rnn", "ours"))
    ]
    assert [run.id for run in parts.alike(runs)] == ["gru", "rnn"]


def test_how_far_a_gradient_reaches_in_a_fresh_cell() -> None:
    first = rows(parts.untrained)[0]
    assert list(first.values())[1:] == ["0.0215", "5.11 × 10⁻⁴", "2.74 × 10⁻⁷", "6.95 × 10⁻¹⁷", "0"]
    assert "at lag 50 1.43 × 10⁻¹¹" in said(parts.untrained.blocks())
    biased = said(parts.untrained.blocks(bias=2))  # T20: 5.3e-2
    assert "begin near 0.88; at lag 50 0.0534 of the gradient is left" in biased
    loud = rows(parts.untrained, cells=("rnn",), times="3")[0]["lag 99"].replace(",", "")
    assert float(loud) == pytest.approx(2.3e3, rel=0.05)


def test_the_verdict_on_the_dual_memory_is_the_shelf_s() -> None:
    table = rows(parts.dual)
    ours, theirs = (right(Entry(cell, "copy")) for cell in ("dual_memory", "lstm"))
    assert (
        table[0]["Dual memory"] == f"{100 * ours:.1f} %"
        and table[0]["LSTM"] == f"{100 * theirs:.1f} %"
    )
    assert table[-1]["forget bias of the LSTM"] == 3
