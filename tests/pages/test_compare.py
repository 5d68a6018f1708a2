"""Compare and Corpus duel, without JavaScript: they answer keys, links and clicks with the engine's numbers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.analysis import measure
from engine.core import registry
from engine.lessons.runs.table import row as runs_row
from engine.runs.store import Recipe, RunStore, digest
from engine.training.fit import fit
from tests.conftest import TEXT, only_runs, small
from tests.pages.opening import opened, said
from tests.pages.test_every_page import answered

IDS = ("lstm", "transformer", "ngram")


@pytest.fixture(scope="module", autouse=True)
def shown(run_folder: Any, tmp_path_factory: Any) -> Iterator[Path]:
    tags = tmp_path_factory.mktemp("tagger")
    (tags / "run.json").write_text('{"model": "tagger", "config": {}, "recipe": "t"}')
    yield from only_runs(tmp_path_factory, {id: run_folder(id) for id in IDS} | {"tagger": tags})


def test_compare_answers_keys() -> None:
    at = opened("compare")
    assert at.multiselect(key="compare.runs").value == list(IDS)
    assert "tagger" not in at.multiselect(key="compare.runs").options, "says no next word"
    header, _ = answered(at, "compare", "the cat sat")
    assert [r["id"] for r in header["readings"]] == ["m0", "m1", "m2"]
    assert [p["kind"] for p in header["layout"]["panels"]] == ["ribbon", "tops"]
    store = RunStore()
    models = [store.load(store.find(id)) for id in IDS]
    for part, model in zip(header["readings"], models, strict=True):
        bits = [b for b in part["bits"] if b is not None]
        want = measure.surprisal(model.trace("the cat sat"))[1:].tolist()
        assert bits == pytest.approx(want, abs=1e-4)


def test_a_link_chooses_models_and_harms_nothing() -> None:
    at = opened("compare", runs="ngram,../../etc/passwd,lstm,ngram,lstm@7,<b>x</b>")
    assert at.multiselect(key="compare.runs").value == ["ngram", "lstm"]
    assert "Not here, so left out: \\.\\./\\.\\./etc/passwd, lstm@7, \\<b\\>x\\</b\\>" in said(at)
    at.multiselect(key="compare.runs").set_value(["ngram"]).run()
    assert "Choose at least two models" in said(at) and not at.main.get("bidi_component")


def test_a_step_of_a_training_is_chosen_behind_its_run(shown: Path) -> None:
    """The picker lists runs; a step that one kept is added from a menu, or by a link."""
    folder = RunStore().roots[-1] / "kept"
    recipe = Recipe("lstm", small(registry.models.get("lstm")), digest(TEXT), 0)
    for _ in fit(folder, recipe, TEXT, snapshots=3):
        pass
    steps = [*RunStore().find("kept").snapshots]
    try:
        at = opened("compare", runs="lstm,ngram")
        picker = at.multiselect(key="compare.runs")
        assert not [label for label in picker.options if "@" in label or ", step" in label]
        at.selectbox(key="compare.of").set_value("kept").run()
        assert at.selectbox(key="compare.step").options == [f"{step:,}" for step in steps[:-1]]
        at.button(key="compare.add").click().run()
        assert not at.exception, at.exception
        assert at.multiselect(key="compare.runs").value == ["lstm", "ngram", f"kept@{steps[0]}"]
        linked = opened("compare", runs=f"kept,kept@{steps[1]}")
        assert linked.multiselect(key="compare.runs").value == ["kept", f"kept@{steps[1]}"]
        rows = [runs_row(run, RunStore()) for run in RunStore().all() if run.id == "kept"]
        assert rows[0]["snapshots"] == len(steps) - 1, "the finished run is no step on the way"
    finally:
        shutil.rmtree(folder)


def test_the_corpus_duel_leads_to_two_texts() -> None:
    """Its address of before, with what was chosen there."""
    at = opened("duel", side_b="counted.scenes", duel_cut="words", duel_w="1.0")
    picked = ["counted.stories.words", "counted.scenes.words"]
    assert at.multiselect(key="compare.runs").value == picked
    header, _ = answered(opened("compare", runs=",".join(picked)), "compare", "She gave him a key")
    assert [p["kind"] for p in header["layout"]["panels"]] == ["ribbon", "odds", "tops"]
