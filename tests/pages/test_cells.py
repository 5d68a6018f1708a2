"""The page that compares cells: its numbers are those of the formulas, of torch and of the shelf,
whatever the link or the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.contest import chooser, results
from engine.analysis.contest.entry import Entry, Result
from engine.analysis.contest.speed import Speed
from engine.analysis.measure import surprisal
from engine.core.registry import tasks
from engine.jobs.status import RUNNING, Status
from engine.live import cache
from engine.runs.store import Run
from engine.saving.export import render
from pages.ui.cells import contest, costs, dual, reach, together, training, tries
from tests.conftest import ROOT, only_runs
from tests.pages.tables import tables

SECONDS = 180
TINY = {"size": 8, "steps": 100, "distance": 5, "seed": 3}
HOSTILE = {
    "nothing": "",
    "one character": "a",
    "emoji": "👩‍🚀🏳️‍🌈 ok",
    "markup": "<script>alert(1)</script> **b** $x^2$ :red[x]",
    "controls": "\x00\x01\x1b[31m",
    "right to left": "שלום \u202eabc",
    "long": "The old captain looked at the grey sea. " * 8,
}


@pytest.fixture(scope="module", autouse=True)
def test_a_run_of_another_text_is_not_chosen_by_itself() -> None:
    config = {"layers": 1, "units": 8, "tokenizer": "chars"}
    notes = {id: {"config": config, "corpus": {"digest": "ours"}} for id in ("gru", "rnn")}
    notes["mine"] = {"config": config, "corpus": {"digest": "another"}}
    runs = {id: Run(Path(id), note) for id, note in notes.items()}
    assert together.alike(runs) == ["gru", "rnn"]


def a_place_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory)


def opened(query: dict[str, str] | None = None, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(query or {})
    at.switch_page("pages/430_cells.py")
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def frame(at: AppTest, column: str) -> Any:
    return next(found for found in tables(at) if column in found.columns)


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.warning, *at.error))


def test_opens_with_numbers_and_no_click() -> None:
    at = opened()
    assert not at.exception and len(at.header) == 1 and len(at.expander) >= 3
    rows = frame(at, "with distractors").set_index("cell")
    kept = results.shipped()
    assert list(rows.index) == ["Elman RNN", "LSTM", "GRU", "Dual memory"]
    for cell, name in (("rnn", "Elman RNN"), ("gru", "GRU")):
        points = kept[Entry(cell, "copy")].clean
        near, far = (
            [share for d, share in points.items() if (d > 20) == beyond] for beyond in (False, True)
        )
        assert (
            rows.loc[name, "right"] == f"{100 * np.mean(near):.1f} %"
            and rows.loc[name, "beyond training distances"] == f"{100 * np.mean(far):.1f} %"
        )
    counts = frame(at, "of an LSTM").set_index("cell")
    assert (
        counts.loc["LSTM", "parameters"] == "365,568"
        and counts.loc["GRU", "parameters"] == "274,176"
        and counts.loc["GRU", "of an LSTM"] == "75.0 %"
    )
    assert (
        counts.loc["LSTM", "in torch"] == "nn.LSTM: 366,592" and counts.loc["GRU", "in torch"] == ""
    )
    lags = frame(at, "lag 50").set_index("cell")
    assert list(lags.loc["Elman RNN"]) == [
        "0.0215",
        "5.11 × 10⁻⁴",
        "2.74 × 10⁻⁷",
        "6.95 × 10⁻¹⁷",
        "0",
    ]
    assert (
        "In an untrained LSTM the gradient vanishes too: at lag 50 1.43 × 10⁻¹¹" in said(at)
        and "The dual memory" in at.subheader[-1].value
    )


def test_sliders_change_what_is_counted_and_how_far_it_reaches() -> None:
    at = opened(cells=["LSTM", "GRU as in torch", "Elman RNN"], d=300, h=128, bias=2, times="3")
    counts = frame(at, "of an LSTM").set_index("cell")
    assert (
        counts.loc["LSTM", "parameters"] == "219,648"
        and counts.loc["LSTM", "in torch"] == "nn.LSTM: 220,160"
        and counts.loc["Elman RNN", "parameters"] == "54,912"
    )
    assert float(
        frame(at, "lag 99").set_index("cell").loc["Elman RNN", "lag 99"].replace(",", "")
    ) == pytest.approx(2.3e3, rel=0.05)
    assert "the gradient of the RNN explodes" in said(at)


def test_the_forget_bias_is_in_the_sentence() -> None:
    found = {"lstm": reach.reached("lstm", 2.0, 1.0)}
    assert (
        reach.said(found, 2, "1")
        == "With a forget bias of 2 the forget gates of the LSTM begin near 0.88; at lag 50 0.0534"
        " of the gradient is left."
    )  # T20: 5.3e-2


def test_without_a_cell_it_asks_for_one() -> None:
    at = opened(cells=[])
    assert not at.exception and "Choose at least one cell" in said(at) and not at.subheader


class Waiting:
    """Stands for the child: notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Entry] = []
        self.dropped: list[Entry] = []
        self.problem = ""

    def ask(self, entries: list[Entry]) -> None:
        if self.problem:
            raise ValueError(self.problem)
        self.asked += entries

    def drop(self, entries: list[Entry]) -> None:
        self.dropped += entries
        self.asked = [e for e in self.asked if e not in entries]

    def state(self, entry: Entry) -> Status | None:
        return Status(RUNNING, 40, 100) if entry in self.asked else None


def test_what_is_not_trained_can_be_and_its_numbers_come(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Waiting()
    monkeypatch.setattr(training, "queue", lambda: queue)
    at = opened(
        cells=["LSTM", "GRU"], task=tasks.get("lag").title, noise="half", match="units", **TINY
    )
    assert "No cell has been trained with these settings yet" in said(at)
    button = next(b for b in at.button if b.label == "Train LSTM, GRU")
    queue.problem = "Too many wait."
    assert "Too many wait." in said(button.click().run())
    queue.problem = ""
    next(b for b in at.button if b.label.startswith("Train")).click().run()
    wanted = Entry("lstm", "lag", 0.5, "units", 8, distance=5, steps=100, seed=3)
    assert queue.asked == [wanted, replace(wanted, cell="gru")] and not at.exception
    assert [b.label for b in at.button if b.label == "Stop"]
    results.keep(
        Result(wanted, 8, 123, 1.5, 0.1, {2: 1.0, 5: 0.5, 10: 0.25}, {2: 0.75, 5: 0.5, 10: 0.0})
    )
    at.run()
    (row,) = frame(at, "with distractors").to_dict("records")
    assert (
        row["cell"] == "LSTM"
        and row["right"] == "75.0 %"
        and row["beyond training distances"] == "25.0 %"
        and row["with distractors"] == "62.5 %"
    )
    next(b for b in at.button if b.label == "Stop").click().run()
    assert queue.dropped == [replace(wanted, cell="gru")] and [
        b.label for b in at.button if b.label.startswith("Train GRU")
    ]


@pytest.mark.parametrize("id", ["copy", "lag", "brackets", "agreement"])
def test_the_example_and_the_picture_of_a_task(id: str) -> None:
    at = opened(task=tasks.get(id).title, far="long only", noise="none")
    assert not at.exception
    line = at.code[0].value.split("\n")
    assert len(line) == 2 and all("→" in part for part in line) and line[0] != line[1]
    last = tasks.get(id)().distances(20)[-1]
    chosen = contest.Chosen(("rnn",), tasks.get(id)(), (Entry("rnn", id, shortest=20),))
    assert f"Trained on distance {last} alone" in chosen.says
    plate = contest.curves(
        chosen,
        {"rnn": Result(chosen.entries[0], 1, 1, 1.0, 1.0, {1: 0.5, 40: 0.25}, {})},
        "clean",
        "Made up",
    )
    columns = plate.entries[0].columns  # type: ignore[union-attr]
    assert columns["series"].tolist() == ["Elman RNN"] * 2 + ["a guess"] * 2 and columns[
        "value"
    ].tolist() == [0.5, 0.25, *[chosen.task.chance] * 2]
    assert (
        b"<svg" in render(plate.figure(False), "svg")[:200]
        and plate.make("npz", False)[:2] == b"PK"
        and b"views" in plate.make("py", False)
    )


def test_time_per_token_is_shown_and_explained() -> None:
    rows = [Speed("lstm", 0.04, 0.2, 0.03), Speed("gru", 0.034, 0.15, float("nan"))]
    at = opened(cells=["LSTM", "GRU"], speed=(("lstm", "gru"), 100, 256, rows))
    table = frame(at, "products").set_index("cell")
    assert (
        table.loc["LSTM", "reading, µs per token"] == "40"
        and table.loc["GRU", "torch's own kernel, µs"] == ""
        and table.loc["GRU", "products"] == "75 % of an LSTM"
    )
    assert "GRU reads a token in **15 % less** time than the LSTM" in said(at)
    at = opened(cells=["LSTM"], speed=(("lstm",), 100, 256, "It went wrong."))
    assert "It went wrong." in said(at)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_survives_any_text(text: str) -> None:
    at = opened(text=text)
    assert not at.exception, at.exception
    assert (
        "Type a few words." in said(at)
        if not text
        else any("bits per token, this text" in found.columns for found in tables(at))
    )


BROKEN = [
    {"cells": "<script>", "models": "nobody", "task": "x", "far": "__proto__"},
    {
        "size": "99999",
        "steps": "-1",
        "d": "0",
        "h": "abc",
        "bias": "1e9",
        "times": "7",
        "forget": "x",
    },
]


@pytest.mark.parametrize("bad", BROKEN, ids=("words", "numbers"))
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = opened(bad)
    assert not at.exception, at.exception


def test_the_same_text_is_each_model_s_own(
    run_folder: Any, trained: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.runs.store import RunStore

    runs = [RunStore().find(str(run_folder(id))) for id in ("lstm", "gru")]
    monkeypatch.setattr(cache, "runs_of", lambda *ids: runs)
    at = opened(text="the cat")
    assert not at.exception
    rows = frame(at, "bits per token, this text")
    for run, bits in zip(runs, rows["bits per token, this text"], strict=True):
        trace = trained(run.model).trace("the cat")
        assert float(bits) == pytest.approx(float(np.nanmean(surprisal(trace))), abs=0.01)
    traces = {run.id: trained(run.model).trace("the cat") for run in runs}
    field = together.states(traces, {id: id for id in traces})
    h_TH = traces[runs[0].id].field("hidden").values[-1]
    most = int(h_TH.std(0).argmax())
    assert field.axis("label").labels == tuple(traces) and np.array_equal(
        field.values[0, 0], h_TH[:, most]
    )
    bits = together.bits(traces, {id: id for id in traces})
    assert bits.axis("token").labels == tuple("the cat") and np.allclose(
        bits.values[1], surprisal(traces[runs[1].id])[1:]
    )
    others = {**traces, "other": trained("lstm").trace("another")}
    assert together.same_pieces(others) == (traces, ["other"])


def test_the_verdict_on_the_dual_memory_is_the_shelf_s() -> None:
    ours, theirs = (
        np.mean(list(results.shipped()[Entry(cell, "copy")].clean.values()))
        for cell in ("dual_memory", "lstm")
    )
    told = dual.verdict()
    assert f"- Copy: dual memory {100 * ours:.1f} %, LSTM {100 * theirs:.1f} %." in told
    far = [
        np.mean(list(results.shipped()[Entry(*row)].clean.values()))
        for row in (
            ("dual_memory", "lag", 0.0, "parameters", 40, 20),
            ("lstm", "lag", 0.0, "parameters", 40, 20),
        )
    ]
    assert (
        f"- Lag, long distances only: dual memory {100 * far[0]:.1f} %, LSTM {100 * far[1]:.1f} %."
        in told
        and "LSTM with a forget bias of 3" in told
    )


def test_the_curve_of_sizes_holds_the_counts() -> None:
    columns = costs.curve(("lstm", "gru"), 2, 3).entries[0].columns  # type: ignore[union-attr]
    points = dict(
        zip(zip(columns["series"].tolist(), columns["x"].tolist()), columns["value"].tolist())
    )
    assert (
        points["LSTM", 3] == 72 and points["GRU", 3] == 54 and points["LSTM", 512] == 4 * 512 * 515
    )


def test_what_the_examples_tell_is_on_the_shelf() -> None:
    kept = results.shipped()

    def right(entry: Entry, which: str = "clean", beyond: bool = False) -> float:
        points = getattr(kept[entry], which)
        return float(np.mean([share for d, share in points.items() if not beyond or d > 20]))

    far = Entry("lstm", "lag", shortest=20)
    assert all(right(replace(far, cell=cell)) < 0.3 for cell in ("rnn", "lstm")) and all(
        right(replace(far, cell=cell)) > 0.99 for cell in ("gru", "lstm1997")
    )
    assert right(replace(far, forget_bias=3.0)) > 0.95
    near = Entry("gru", "lag")
    assert (
        right(near, "disturbed", True) < 0.7
        and right(replace(near, cell="lstm"), "disturbed", True) > 0.99
    )
    assert all(
        right(replace(near, cell=cell, noise=0.5), "disturbed", True) > 0.99
        for cell in ("rnn", "lstm", "gru", "lstm1997")
    )


@pytest.mark.parametrize("n", range(len(tries.TRIES)))
def test_an_example_is_one_click(n: int) -> None:
    at = opened()
    next(b for b in at.button if b.label == tries.TRIES[n].title).click().run()
    assert not at.exception and tries.TRIES[n].look in said(at)
    cells = tries.TRIES[n].state["cells"]
    assert frame(at, "with distractors")["cell"].tolist() == list(cells), (
        "all that the example speaks of is trained"
    )


def test_the_chooser_counts_what_was_measured() -> None:
    at = opened(**{"fold.chooser": True})
    assert not at.exception
    found = chooser.duels("lstm", "gru", 20, True)
    better = [duel.better for duel in found]
    words = "\n".join(m.value for m in at.markdown)
    assert (
        f"**LSTM is better in {better.count(0)} of 9 trainings, GRU in {better.count(1)}**" in words
    )
    assert f"in {better.count(-1)} they are alike" in words
    table = next(m.value for m in at.markdown if "trained with" in m.value)
    assert table.count("**") == 2 * (9 - better.count(-1)) and len(table.splitlines()) == 11
    assert "| Lag | no distractors | **100\u00a0%** | 83\u00a0% |" in table
    assert "LSTM has 365,568 parameters, GRU 274,176" in words  # rnn D10
    held = [next(r for r in cache.runs(None) if r.id == id).note for id in ("lstm_small", "gru")]
    bits = [note["held_out"]["bits_per_char"] for note in held]
    assert f"they need {bits[0]:.3f} and {bits[1]:.3f} bits per character" in words
    at.selectbox(key="other").set_value("lstm").run()
    assert any("Choose two different cells" in i.value for i in at.info) and not at.exception
    at.selectbox(key="other").set_value("rnn").run()
    at.slider(key="back").set_value(2).run()
    assert not at.exception
