"""Runs: its table is what the run.json files say, two are told apart, what is asked of one happens to it alone."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.language.catalogue import tell
from engine.language.message import Message, _
from engine.lessons.runs import details as curves
from engine.lessons.runs.table import lessons_for
from engine.live import cache
from engine.runs import own
from engine.runs import store as runs
from engine.runs.archive import unpack
from engine.runs.archive.pack import pack
from engine.runs.store import Run, RunStore
from engine.storage.run_folder import NOTE
from tests.conftest import only_runs
from tests.pages import opening
from tests.pages.opening import said

ODD = {"model": "lstm", "config": [1], "corpus": 5, "held_out": "good", "steps": "many"}
ODD |= {"seconds": None, "title": ["<b>"], "device": 7}


@pytest.fixture(scope="module", autouse=True)
def home(run_folder: Any, tmp_path_factory: Any) -> Iterator[RunStore]:
    """Four runs of one's own beside the shipped ones, one of them with a run.json that somebody wrote by hand."""
    some = {id: runs.SHIPPED / id for id in ("ngram", "lstm", "gru", "tagger", "sentiment")}
    for shown in only_runs(tmp_path_factory, some):
        store = RunStore(shown, runs.home() / "runs")
        for name, id in (("mine", "lstm"), ("yours", "lstm"), ("counts", "ngram"), ("odd", "lstm")):
            shutil.copytree(run_folder(id), store.roots[1] / name)
        config = {**store.find("mine").note["config"], "units": 9}
        change(store, "yours", title="**Bold** [x](y)", seed=3, config=config)
        change(store, "odd", **ODD)
        yield store


def change(store: RunStore, id: str, **facts: Any) -> None:
    path = store.roots[1] / id / NOTE
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))


opened = partial(opening.opened, "runs")


def table(at: AppTest) -> Any:
    return frame(at, "whose")


def frame(at: AppTest, column: str) -> Any:
    return next(found for found in at.dataframe if column in found.value).value


def test_the_table_is_what_the_files_say(home: RunStore) -> None:
    at = opened()
    rows = {row["id"]: row for row in table(at).to_dict("records")}
    files = [path for root in home.roots for path in root.glob("*/run.json")]
    notes = {path.parent.name: json.loads(path.read_text()) for path in files}
    assert set(rows) == set(notes)
    assert list(rows)[-5:] == "gru lstm ngram sentiment tagger".split(), "one's own first"
    for id in ("lstm", "ngram", "mine"):
        row, note = rows[id], notes[id]
        assert row["model"] == note["model"]
        assert row["steps"] == note["steps"]
        assert row["characters"] == note["corpus"]["characters"]
        assert row["minutes"] == pytest.approx(note["seconds"] / 60)
        assert row["bits"] == note["held_out"]["bits_per_char"]
        folder = next(root / id for root in home.roots if (root / id).exists())
        bytes_ = [p.stat().st_size for p in folder.iterdir() if p.name != "evaluation.json"]
        assert row["MB"] == pytest.approx(sum(bytes_) / 1e6)
    assert rows["tagger"]["right"] == pytest.approx(92.89)
    assert rows["lstm"]["whose"] == "shipped"
    assert rows["mine"]["whose"] == "yours"
    assert np.isnan(rows["odd"]["steps"]) and rows["odd"]["corpus"] == "your text"


def test_filters_and_a_choice_that_stays(home: RunStore) -> None:
    at = opened(run="gru")
    assert at.subheader[0].value.startswith("GRU")
    at.text_input(key="runs_find").set_value("LSTM units=9").run()
    assert list(table(at)["id"]) == ["yours"]
    assert at.subheader[0].value == r"\*\*Bold\*\* \[x\]\(y\)"
    at.text_input(key="runs_find").set_value("")
    at.segmented_control(key="runs_whose").set_value("Yours").run()
    assert set(table(at)["id"]) == {"mine", "yours", "odd", "counts"}
    at.text_input(key="runs_find").set_value("<b> nobody 👩‍👧").run()
    assert "No run matches" in said(at) and not at.exception and at.file_uploader
    at.text_input(key="runs_find").set_value("").run()
    key = next(str(found.key) for found in at.dataframe if str(found.key).startswith("runs_table"))
    place = list(table(at)["id"]).index("odd")
    at.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    at.run()
    assert not at.exception and at.query_params["run"] == "odd"


def test_one_run(home: RunStore) -> None:
    at = opened(run="mine")
    note = home.find("mine").note
    shown = frame(at, "setting")
    assert set(shown["setting"]) == set(note["config"])
    changed = dict(zip(shown["setting"], shown[""], strict=True))
    assert changed["units"] == "changed" and changed["tokenizer"] == "", "the small config's"
    measured = frame(at, "measure")
    row = list(measured["measure"]).index("bits per character")
    want = pytest.approx(note["held_out"]["bits_per_char"], rel=5e-3)
    assert float(measured["value"][row]) == want
    curve = at.selectbox(key="runs.details.runs_curve")
    assert curve.value == "Loss in nats"
    assert curve.options[:3] == ["Loss in nats", "Learning rate", "Gradient norm"]
    at.selectbox(key="runs.details.runs_curve").set_value("Gradient norm").run()
    assert not at.exception
    assert "seed 0" in said(at) and "30 steps" in said(at)


def test_an_imported_run_says_what_was_done_to_it(home: RunStore) -> None:
    plain = home.find("yours").note
    about: dict[str, Any] = {"name": "x", "kind": "Llama", "layers": 2, "heads": 4}
    about |= {"numbers": 36_000, "left_out": ["score.weight"]}
    about["notes"] = ["Its weight matrices (14 of them) are stored in few bits (FP8)."]
    try:
        for notes in (about["notes"], "none", [7]):  # a run.json that somebody wrote by hand
            change(home, "yours", checkpoint={**about, "notes": notes})
            shown = said(opened(run="yours")).replace("\\", "")
            assert "Imported checkpoint: Llama, 2 layers, 4 heads, 36,000 weights." in shown
            assert "not used here: score.weight." in shown
            told = "(14 of them) are stored in few bits (FP8)." in shown
            assert told == (notes is about["notes"])
    finally:
        change(home, "yours", **plain, checkpoint={})


def test_where_an_imported_run_comes_from_is_said_in_german() -> None:
    """By run.json as it is read again: our sentences in words, what fills them sign for sign."""
    stored = _("Its tokenizer has marks that the model has no vectors for: {named}.", named="<a>_*")
    gguf = _(
        "It comes from a GGUF file: its weights are stored as {kinds}, and were dequantised as llama.cpp does.",
        kinds="Q4_1 (210)",
    )
    strange = Message("[a link](http://example.org) {kinds}", {"kinds": "x"})
    about = {"kind": "Llama", "layers": 2, "heads": 4, "numbers": 36_000}
    note = {
        "model": "transformer",
        "config": {},
        "checkpoint": {**about, "notes": [gguf, strange, stored]},
    }
    row = {"corpus": "texts that the makers of this checkpoint chose", "MB": 1.0}
    blocks = curves.describe_run(Run(Path("x"), note), defaultdict(lambda: None, row))
    first, _sizes, *notes = [tell(getattr(block, "words", block), "de") for block in blocks]
    assert "trainiert auf Texte, die die Urheber dieses Checkpoints" in first
    assert notes[0].startswith(
        "Es stammt aus einer GGUF-Datei: Seine Gewichte sind als Q4\\_1 \\(210\\)"
    )
    assert notes[1].startswith("\\[a link\\]\\(") and "\\<a\\>\\_\\*" in notes[2]


def test_two_runs(home: RunStore) -> None:
    at = opened(run="mine", **{"with": "yours"})
    apart = frame(at, "what")
    assert set(apart["what"]) == {"seed", "units"}
    assert list(apart.iloc[list(apart["what"]).index("units")]) == ["units", "12", "9"]
    assert "do not show which is better" not in said(at)
    at.selectbox(key="runs_with").set_value("ngram").run()
    assert not at.exception and "do not show which is better" in said(at)
    at.selectbox(key="runs.details.runs_curve").set_value("Gradient norm").run()
    assert not at.exception and "ngram has no such curve" in said(at)
    assert {"model", "its digest", "training"} <= set(frame(at, "what")["what"])
    at.selectbox(key="runs_with").set_value("odd").run()
    assert not at.exception


def test_renaming_and_deleting_ask_first(home: RunStore) -> None:
    shutil.copytree(home.roots[1] / "counts", home.roots[1] / "spare")
    at = opened(run="spare")
    at.text_input(key="runs_title.spare").set_value("My <b>*counts*").run()
    at.button(key="runs_rename").click().run()
    assert home.find("spare").title == "My <b>*counts*" and not at.exception
    assert "Renamed" in said(at)
    at.button(key="runs_delete").click().run()
    assert home.find("spare") and "for good" in said(at)
    at.button(key="runs_no").click().run()
    assert home.find("spare") and "for good" not in said(at)
    at.button(key="runs_delete").click().run()
    at.button(key="runs_yes").click().run()
    assert "is deleted" in said(at)
    assert not at.exception
    assert "spare" not in [run.id for run in home.all()]
    shipped = opened(run="gru")
    assert "can't be renamed or deleted" in said(shipped)
    assert not [b for b in shipped.button if b.key in ("runs_delete", "runs_rename")]


def test_what_is_brought_comes_by_the_door(home: RunStore, tmp_path: Path) -> None:
    out = io.BytesIO()
    pack(home.find("counts"), out)
    own.delete(home.find("counts"), home)
    at = opened()
    assert "93 MB" in said(at) and at.button(key="runs.add.smollm2").label.startswith("Add Smol")
    assert "84 MB" in said(at) and at.button(key="runs.add.minilm").label.startswith("Add all-Mini")
    for turn, raw, says in (
        (0, out.getvalue()[:-40], "not a zip of a run"),
        (0, out.getvalue(), "Imported: counts"),
        (1, out.getvalue(), "already here, as counts"),
    ):
        at.file_uploader(key=f"runs.add.files.{turn}").set_value(("x.zip", raw, "")).run()
        at.button(key="runs.add.given").click().run()
        until = time.monotonic() + 120
        while "runs.adding" in at.session_state:
            assert [b for b in at.button if b.key == "waiting.stop"] and time.monotonic() < until
            time.sleep(0.1)
            at.run()
        assert not at.exception and says in said(at)
        assert len(at.error) == ("not" in says)
    assert at.subheader[0].value == "counts"
    assert home.find("counts").folder.parent == home.roots[1].resolve()
    assert not list((home.roots[1] / unpack.ARRIVING).iterdir())
    shutil.copytree(home.find("counts").folder, home.roots[1] / "smollm2")
    assert "already here, as smollm2" in said(opened())
    own.delete(home.find("smollm2"), home)


def test_a_deleted_run_is_forgotten(home: RunStore, run_folder: Any) -> None:
    shutil.copytree(run_folder("ngram"), home.roots[1] / "gone")
    run = home.find("gone")
    model = cache.model(run)
    assert cache.model(run) is model and cache.is_open(run)
    own.delete(run, home)
    cache.forget(run)
    assert not cache.is_open(run)
    with pytest.raises(ValueError, match="can't be opened"):
        cache.model(run)


def test_lessons_are_those_that_offer_the_run() -> None:
    def of(model: str) -> set[str]:
        run = Run(Path("x"), {"model": model, "config": {}})
        return {found.id for found in lessons_for(run)}

    assert "ngrams" in of("ngram") and {"ngrams", "runs"}.isdisjoint(of("lstm"))
    assert of("nobody") == set()


def test_curves_are_thinned_and_laid_along_what_was_read(home: RunStore, tmp_path: Path) -> None:
    steps, values = np.arange(1, 1001), np.arange(1000.0)
    few, means = curves.thin(steps, values)
    assert len(few) == 200 and few[0] == 3 and means[-1] == np.mean([995, 996, 997, 998, 999])
    assert curves.thin(steps[:200], values[:200])[1] is not means
    assert len(curves.thin(steps[:200], values[:200])[0]) == 200
    run = home.find("lstm")
    config = run.note["config"]
    assert curves.tokens_per_step(run) == config["batch"] * config["span"] == 64 * 128
    assert curves.tokens_per_step(home.find("tagger")) is None
    assert curves.tokens_per_step(home.find("odd")) is None
    (tmp_path / "pace.csv").write_text("step,seconds\n10,1.0\n30,2.0\nnonsense\n40,")
    found = curves.laid(Run(tmp_path, run.note), "Seconds", np.array([5, 10, 20, 99]))
    assert found is not None and found.tolist() == [0.5, 1.0, 1.5, 2.0]
