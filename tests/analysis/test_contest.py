"""The contest: counts against made cells, gradient reach against torch, the trainer against chance, the child
against its reports; and two cells side by side, the margin beside scipy."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from filelock import FileLock
from scipy import stats
from torch import nn

from engine.__main__ import main
from engine.analysis.contest import results
from engine.analysis.contest.entry import SHIPPED, Entry, Result
from engine.analysis.contest.parameters import parameters, units_for
from engine.analysis.contest.train import TESTED, asked_distances, train
from engine.core import cell_card
from engine.core.registry import cells, models, tasks
from engine.lessons.cells import chooser, trainer
from engine.lessons.cells.chooser import Duel
from engine.lessons.cells.reach import Start, reach
from engine.nn.cells.dual_memory import DualMemory
from tests.conftest import diagonal, together

QUICK = Entry("lstm", "lag", units=16, distance=2, steps=120, batch=32, rate=2e-2)


def result(entry: Entry) -> Result:
    *_, last = train(entry)
    assert last.result is not None
    return last.result


def numbers(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@together("cell,d,h", [(cell, *size) for cell in cells.ids() for size in ((1, 1), (2, 3))])
def test_the_formula_counts_what_the_cell_has(cell: str, d: int, h: int) -> None:
    two = cells.get(cell)(d, h).fused is not None
    assert numbers(cells.get(cell)(d, h)) == parameters(cell, d, h, 2 if two else 1)


def test_the_card_of_a_cell_says_what_its_file_does() -> None:
    for id in cells.ids():
        said = cell_card.get(id)
        assert said.forgets == ("gate.forget" in cells.get(id).gates), id
        assert bool(said.torch) == (cells.get(id)(2, 3).fused is not None), id
        assert models.get(id).card.title == said.title


def test_the_counts_of_the_notes() -> None:
    for d, h, rnn, lstm, in_torch in (
        (200, 128, 42_112, 168_448, 168_960),
        (300, 512, 416_256, 1_665_024, 1_667_072),
        (2, 3, 18, 72, 84),
    ):
        found = (parameters("rnn", d, h), parameters("lstm", d, h), parameters("lstm", d, h, 2))
        assert found == (rnn, lstm, in_torch) and numbers(nn.LSTM(d, h)) == in_torch
    assert parameters("gru", 100, 256) == 274_176 == 0.75 * parameters("lstm", 100, 256)
    for d, h, lstm, dual, concat in ((2, 2, 40, 60, 98), (10, 16, 1728, 2592, 4816)):
        assert (parameters("lstm", d, h), parameters("dual_memory", d, h)) == (lstm, dual)
        assert numbers(DualMemory(d, h, "concat")) == concat


@together("cell", cells.ids())
def test_equal_parameters_are_as_equal_as_units_allow(cell: str) -> None:
    wanted = parameters("lstm", 12, 40)
    h = units_for(cell, 12, wanted)
    off = [abs(parameters(cell, 12, n) - wanted) for n in (h - 1, h, h + 1)]
    assert off[1] == min(off) and units_for(cell, 12, 1) == 1


LAGS = (5, 10, 20, 50, 99)
T20 = [  # cell, forget bias, scale of the recurrent weights, gradient at the lags
    ("rnn", 0, 1, (2.2e-2, 5.1e-4, 2.7e-7, 7.0e-17, 0)),
    ("rnn", 0, 3, (1.6, 2.0, 3.4, 19, 2.3e3)),
    ("lstm", 0, 1, (5.1e-2, 4.0e-3, 2.9e-5, 1.4e-11, 3.4e-22)),
    ("lstm", 1, 1, (0.26, 9.1e-2, 1.2e-2, 3.9e-5, 3.9e-9)),
    ("lstm", 2, 1, (0.42, 0.31, 0.19, 5.3e-2, 7.7e-3)),
    ("lstm", 3, 1, (0.22, 0.19, 0.16, 0.13, 0.29)),
    ("lstm", 5, 1, (0.11, 0.11, 0.13, 0.21, 2.2)),
]


def test_the_reach_of_the_notes() -> None:
    for cell, bias, scale, wanted in T20:
        found = reach(cell, Start(bias, scale))
        assert found[0] == 1 and len(found) == 100
        for lag, value in zip(LAGS, wanted, strict=True):
            assert float(found[lag]) == pytest.approx(value, rel=0.05), (cell, bias, lag)


@together("cell", cells.ids()[::3])
def test_the_reach_of_any_cell_leaves_the_dice_alone(cell: str) -> None:
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    found = reach(cell, Start())
    assert torch.rand(1) == wanted and np.isfinite(found).all() and (found >= 0).all()


def test_it_learns_what_is_one_token_back_and_in_one_step_nothing() -> None:
    found = result(QUICK)
    assert found.units == 16
    assert found.parameters == numbers(cells.get("lstm")(12, 16))
    assert found.loss_nats < 0.2
    assert min(share for d, share in found.clean.items() if d <= 2) > 0.95
    one, two = (result(replace(QUICK, steps=5)) for _ in range(2))
    assert replace(two, seconds=one.seconds) == one
    found = result(replace(QUICK, steps=1, rate=1e-6, distance=8))
    # of 400: five standard deviations above 1 in 4
    assert all(share < 0.37 for share in found.clean.values())


@diagonal("cell,id", cells.ids()[::2], tasks.ids())
def test_every_cell_takes_every_task(cell: str, id: str) -> None:
    entry = Entry(cell, id, 0.5, "units", 4, distance=3, steps=2, batch=4)
    reports = list(train(entry))
    found = reports[-1].result
    assert found is not None and found.units == 4 and [r.step for r in reports] == [1, 2]
    assert list(found.clean) == list(found.disturbed) == asked_distances(tasks.get(id)(), 3)
    assert all(0 <= share <= 1 for share in (*found.clean.values(), *found.disturbed.values()))
    assert Result.from_json(json.loads(json.dumps(found.as_json()))) == found


def test_what_is_tested_holds_the_longest_distance_and_goes_on_to_twice_of_it() -> None:
    for id in tasks.ids():
        task = tasks.get(id)()
        for most in (1, 2, 5, 20, 40):
            found = asked_distances(task, most)
            assert found == sorted(set(found)) and len(found) <= 15
            assert set(found) <= set(task.distances(2 * most))
            assert task.distances(most)[-1] in found and found[-1] == task.distances(2 * most)[-1]


BAD: list[dict[str, Any]] = [{"noise": 2}, {"units": 0}, {"distance": 1000}, {"steps": 10**9}]


@together("bad", [*BAD, {"match": "x"}, {"shortest": 9, "distance": 5}, {"seed": -1}])
def test_an_entry_that_cannot_be_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"lies from|match is"):
        Entry("lstm", "lag", **bad)


def test_what_is_shipped_is_what_training_gives() -> None:
    kept = results.shipped()
    assert set(kept) == set(SHIPPED)
    for entry, found in kept.items():
        units = units_for(entry.cell, 12, parameters("lstm", 12, 40))
        assert found.units == (40 if entry.cell in ("lstm", "peephole") else units)
        asked = asked_distances(tasks.get(entry.task)(), entry.distance)
        assert list(found.clean) == asked == list(found.disturbed) and found.seconds > 0
    shipped = kept[Entry("lstm", "lag")]
    again = result(shipped.entry)
    for ours, theirs in ((again.clean, shipped.clean), (again.disturbed, shipped.disturbed)):
        assert ours.keys() == theirs.keys() and max(abs(ours[d] - theirs[d]) for d in ours) < 0.05
    assert again.parameters == shipped.parameters
    assert again.loss_nats == pytest.approx(shipped.loss_nats, abs=0.02)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    return tmp_path


def test_the_shelf_keeps_and_a_damaged_file_counts_as_none(alone: Path) -> None:
    made = Result(QUICK, 16, 100, 1.0, 0.1, {1: 1.0}, {1: 0.5})
    assert results.find(QUICK) is None
    results.keep_result(made)
    assert results.find(QUICK) == made
    results.place(QUICK).write_text('{"entry": {}}', encoding="utf-8")
    assert results.find(QUICK) is None
    out = alone / "all.json"
    results.write(out, [made])
    assert results.shipped_in(out) == {QUICK: made}
    out.write_text("{", encoding="utf-8")
    assert results.shipped_in(out) == {} and results.shipped_in(alone / "none.json") == {}


@pytest.mark.slow
def test_the_child_trains_one_after_the_other_and_says_what_cannot_be(alone: Path) -> None:
    good, bad = replace(QUICK, steps=4), replace(QUICK, cell="nobody")
    told: list[int] = []
    with pytest.raises(RuntimeError, match="nobody"):
        told.extend(n for n, _share in trainer.train([good, replace(good, seed=9), bad]))
    assert results.find(good) and results.find(replace(good, seed=9))
    assert told == sorted(told) and 1 in told
    endless = trainer.train([replace(QUICK, steps=5000, units=2)])
    assert next(share for _n, share in endless if share > 0) < 1
    endless.close()  # type: ignore[attr-defined]
    assert results.find(replace(QUICK, steps=5000, units=2)) is None


def test_the_workers_of_two_servers_take_turns_and_train_nothing_twice(alone: Path) -> None:
    entry = replace(QUICK, steps=4)
    made, place = result(entry), results.place(entry)
    training = trainer.train([entry])
    with FileLock(place.with_name("training.lock")):  # the other one trains
        end = time.monotonic() + 3
        while time.monotonic() < end:
            assert next(training) == (0, 0.0) and results.find(entry) is None
        results.keep_result(made)
        kept = place.stat().st_ino
    list(training)
    assert place.stat().st_ino == kept


def test_the_command(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = ("--set", "steps=2", "--set", "units=4", "--set", "distance=3", "--set", "match=units")
    out = alone / "made.json"
    assert main(["contest", "rnn", "--task", "lag", *tiny, "--out", str(out), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert row["entry"]["steps"] == 2
    assert row["parameters"] == numbers(cells.get("rnn")(12, 4))
    assert [e.cell for e in results.shipped_in(out)] == ["rnn"]
    assert main(["contest", "rnn", "--task", "lag", *tiny]) == 0
    assert "with distractors" in capsys.readouterr().out
    for wrong in (["nobody"], ["--task", "nothing"], ["--set", "colour=3"], ["--set", "units=0"]):
        assert main(["contest", *wrong]) == 2 and capsys.readouterr().err.count("\n") == 1


def test_every_training_with_both_is_there_once() -> None:
    """Against the file itself."""
    rows = json.loads(results.SHIPPED.read_text(encoding="utf-8"))["results"]
    for which, distance in (("disturbed", 20), ("clean", 40)):
        usual = [r for r in rows if r["entry"]["forget_bias"] == 1.0]
        keys = ("task", "noise", "shortest", "cell")
        shelf = {tuple(r["entry"][key] for key in keys): r[which] for r in usual}
        found = chooser.duels("lstm", "gru", distance, which == "disturbed")
        assert len(found) == len({(duel.first.entry.key) for duel in found}) == 9
        for duel in found:
            e = duel.first.entry
            assert abs(duel.distance - distance) <= 1
            for cell, share in zip(("lstm", "gru"), duel.shares, strict=True):
                assert shelf[e.task, e.noise, e.shortest, cell][str(duel.distance)] == share
    swapped = chooser.duels("gru", "lstm", 40, False)
    assert [d.shares for d in swapped] == [d.shares[::-1] for d in found]
    assert [{-1: -1, 0: 1, 1: 0}[d.better] for d in swapped] == [d.better for d in found]
    assert chooser.duels("lstm", "nothing", 20, True) == []


@together(("a", "b"), [(0.9, 0.9), (0.9, 0.86), (0.5, 0.6), (1.0, 1.0), (1.0, 0.98)])
def test_the_margin_is_that_of_two_proportions(a: float, b: float) -> None:
    (duel, *_) = chooser.duels("lstm", "gru", 20, True)
    duel = Duel(duel.first, duel.second, 20, (a, b))
    spread = stats.norm.ppf(0.975) * np.sqrt((a * (1 - a) + b * (1 - b)) / TESTED)
    assert duel.margin == pytest.approx(spread, rel=1e-3)
    assert (duel.better == -1) is bool(abs(a - b) <= spread)
    assert duel.better in ((-1,) if a == b else (-1, 0 if a > b else 1))
