"""The BERT page: what is sent for masked words, its figures, its parts; by AppTest, with a small
model."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.lessons.bert import live as panels
from engine.models.bert import Bert
from engine.runs import store
from engine.runs.store import RunStore
from engine.storage.arrays import write_arrays
from pages.ui import saving
from tests.conftest import small
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered

small_runs = seeing("bert")


def test_masks_are_guessed_and_odd_ones_are_left_out() -> None:
    at, model = opened("bert"), RunStore().load(RunStore().find("bert"))
    header, _ = answered(at, "bert", "the cat sat\non the [MASK]", masks="2_0_999_x")
    found = header["readings"][0]["said"]
    assert found["masks"] == [2] and found["second"] and found["segments"] == [0] * 5 + [1] * 4
    fill = model.trace("the [MASK] sat\non the [MASK]").field("fill").values
    assert [g["t"] for g in found["guesses"]] == [2, 7]
    for guess in found["guesses"]:
        want = np.sort(fill[guess["t"]])[::-1][: len(guess["top"])]
        np.testing.assert_allclose([p for _, p in guess["top"]], want, rtol=1e-4)
    assert found["guesses"][0]["true"][0] == "cat" and found["guesses"][1]["true"] is None
    np.testing.assert_allclose(
        found["pair"],
        model.trace("the [MASK] sat\non the [MASK]").field("sentence").values,
        atol=1e-5,
    )
    long, _ = answered(at, "bert", "the cat sat " * 400)
    assert long["readings"][0]["said"]["left"] > 4000
    assert len(long["readings"][0]["labels"]) == model.context


def test_figures_hold_what_is_on_the_screen(run_folder: Callable[[str], Path]) -> None:
    run = RunStore().find(str(run_folder("bert")))
    model = RunStore().load(run)
    stage = panels.stage(run, model)
    traces, _ = stage.traces("the cat sat\nthe dog sat", None)
    look = {"masks": "2", "token": 2}
    fill = model.trace("the [MASK] sat\nthe dog sat").field("fill").values[2]
    (blanks,) = stage.panels
    assert blanks.figure is not None
    drawing = blanks.figure(traces, look)
    assert len(drawing.frame()) and saving.describe_source(drawing, run)
    assert ast.parse(saving.make(drawing, run, blanks.id, "py", False).decode())
    assert drawing.names == ("fill.2", "both", "left", "sentence")
    np.testing.assert_allclose(drawing.inputs()[0].values, fill, atol=1e-6)
    with pytest.raises(ValueError, match="mask a word"):
        blanks.figure(traces, {"masks": ""})


def test_a_model_without_heads_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that only makes vectors of sentences: the rest of the page works."""
    whole = RunStore().load(RunStore().find("bert"))
    config = small(Bert, masked=False, pairs=False)
    weights = {
        k: v for k, v in whole.weights().items() if not k.startswith(("guess", "pool", "pair"))
    }
    (tmp_path / "bare").mkdir()
    write_arrays(tmp_path / "bare" / store.WEIGHTS, weights)
    note = {
        "version": 1,
        "model": "bert",
        "recipe": "bare",
        "config": store.asdict(config),
        "corpus": {},
    }
    (tmp_path / "bare" / store.NOTE).write_text(json.dumps(note))
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    at = opened("bert")
    header, _ = answered(at, "bert", "the cat\nthe dog", masks="1")
    found = header["readings"][0]["said"]
    assert found["fills"] is False
    assert found["masks"] == found["guesses"] == []
    assert found["sides"] is None
    assert found["pair"] is None
    assert not at.exception
