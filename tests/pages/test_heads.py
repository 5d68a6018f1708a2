"""The Heads page by AppTest: short texts whole, long ones pooled, and what stands below: explain,
compare, tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
import torch
from streamlit.testing.v1 import AppTest

from engine.analysis.heads import combine, thumbnails
from engine.core.registry import models
from engine.frame.blocks import Problem, Rows, blocks_in
from engine.frame.part import Part
from engine.lessons.heads import live, parts, stage, tags
from engine.runs import store
from engine.training.fit import fit
from tests.conftest import ROOT, TEXT, small
from tests.pages.test_every_page import answered

SHORT = "the cat sat on the mat"
LONG = "the old cat saw the small bird and the dog ran to the sea in the evening"


@pytest.fixture(scope="module", autouse=True)
def small_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Three runs: a decoder that can read more than 48 tokens, another one like it, and an
    encoder."""
    root, home = tmp_path_factory.mktemp("shipped"), tmp_path_factory.mktemp("home")
    for seed, folder in enumerate((root / "transformer", home / "runs" / "zz-second")):
        config = small(
            models.get("transformer"), context=96, tokenizer="chars", steps=3, bias_start="uniform"
        )  # after three steps two of them differ
        for _ in fit(folder, store.Recipe("transformer", config, store.digest(TEXT), seed), TEXT):
            pass
    (root / "bert").symlink_to(run_folder("bert"), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SHIPPED", root)
        patch.setenv("UNROLLED_HOME", str(home))
        yield
    st.cache_resource.clear()


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page("pages/510_heads.py")
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def fields(header: dict[str, Any], numbers: np.ndarray) -> dict[str, np.ndarray]:
    (part,) = header["readings"]
    return {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }


def model_of(id: str) -> tuple[store.Run, Any]:
    run = store.RunStore().find(id)
    return run, store.RunStore().load(run)


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_a_short_text_comes_whole(id: str) -> None:
    _, model = model_of(id)
    header, numbers = answered(opened(run=id), "heads", SHORT)
    weight = model.trace(SHORT).field("attention").values
    found = fields(header, numbers)
    np.testing.assert_allclose(found["attention"], weight, atol=1e-6)
    np.testing.assert_allclose(found["combined"], combine.combine(weight), atol=1e-6)
    said = header["readings"][0]["said"]
    assert said["cell"] == 1 and np.shape(said["statistic"]) == (3, *weight.shape[:2])
    assert header["layout"]["readers"][0]["causal"] is model.causal


def test_a_key_sends_only_its_new_rows() -> None:
    _, model = model_of("transformer")
    at = opened()
    first, _ = answered(at, "heads", SHORT)
    have = first["layout"]["hash"]
    header, numbers = answered(at, "heads", SHORT + "s", have=have, base=SHORT)
    (part,) = header["readings"]
    t = len(SHORT) + 2
    assert part["keep"] == t - 1
    whole = model.trace(SHORT + "s").field("attention").values
    for field, wanted in (("attention", whole), ("combined", combine.combine(whole))):
        about = next(f for f in part["fields"] if f["name"] == field)
        rows = numbers[about["at"] : about["at"] + about["count"]].reshape(*wanted.shape[:2], 1, t)
        np.testing.assert_allclose(rows, wanted[:, :, -1:], atol=1e-6)


@pytest.mark.parametrize("hides", [False, True])
def test_a_long_text_comes_as_small_pictures_and_one_head(hides: bool) -> None:
    _, model = model_of("transformer")
    at = opened()
    header, numbers = answered(at, "heads", LONG, open=[0, 1], hides=hides, base=SHORT)
    found, (part,) = fields(header, numbers), header["readings"]
    weight = model.trace(LONG).field("attention").values
    count = weight.shape[-1]
    assert count > thumbnails.MOST and set(found) == {"thumbnail", "opened"} and part["keep"] == 0
    np.testing.assert_allclose(found["opened"], weight[0, 1], atol=1e-6)
    kept = np.arange(count) >= hides  # the start mark
    small_ones = thumbnails.pool(
        torch.from_numpy(np.ascontiguousarray(combine.without(weight[1], kept)))
    )
    np.testing.assert_allclose(found["thumbnail"][1, : weight.shape[1]], small_ones, atol=1e-5)
    assert (
        part["said"]["cell"] == 2
        and part["said"]["open"] == [0, 1]
        and part["said"]["hides"] is hides
    )
    header, _ = answered(at, "heads", LONG, open=[99, "x"], hides=None)
    assert header["readings"][0]["said"]["open"] == [
        1,
        weight.shape[1] + 2,
    ], "a place that is not there becomes the last"


def test_a_key_of_a_long_text_sends_the_new_cells_and_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Glued to what the browser has, they are what a whole reply says; as bytes where the pictures
    are large."""
    _, model = model_of("transformer")
    for large in (False, True):
        if large:
            monkeypatch.setattr(stage, "LARGE", 0)
        at, text = opened(), LONG
        first, numbers = answered(at, "heads", text, open=[0, 1])
        have, was = first["layout"]["hash"], first["readings"][0]["said"]
        old = sent(first, numbers)
        for fresh in ("e", "es"):
            screen = [was["cell"], int(was["hides"]), *was["open"]]
            header, numbers = answered(
                at, "heads", LONG + fresh, have=have, base=text, open=[0, 1], on_screen=screen
            )
            text, (part,) = LONG + fresh, header["readings"]
            keep = {f["name"]: f["keep"] for f in part["fields"]}
            assert keep == {"thumbnail": part["keep"] // was["cell"], "opened": part["keep"]}
            assert part["keep"] > 0 and len(part["labels"]) == len(part["top"]) <= 2
            old = sent(header, numbers, old)
            whole, theirs = answered(opened(), "heads", text, open=[0, 1])
            wanted = sent(whole, theirs)
            for name, values in wanted.items():
                np.testing.assert_allclose(old[name], values, atol=1e-5, err_msg=name)
            assert part["said"]["statistic"] == whole["readings"][0]["said"]["statistic"]
            thumbnail = next(f for f in whole["readings"][0]["fields"] if f["name"] == "thumbnail")
            assert thumbnail.get("shades", False) is large and thumbnail["grows"] == [2, 3]
        weight = model.trace(text).field("attention").values
        small = thumbnails.pool(torch.from_numpy(weight[1].copy())).numpy()
        near = 0.5 / 255 + 1e-6 if large else 1e-5
        assert np.abs(old["thumbnail"][1, : len(small)] - small).max() <= near
        np.testing.assert_allclose(old["opened"], weight[0, 1], atol=1e-5)
        # another head, or other cells: nothing of the screen stays
        header, _ = answered(
            at,
            "heads",
            text + "s",
            have=have,
            base=text,
            open=[1, 1],
            on_screen=[*screen[:2], 0, 1],
        )
        keep = {f["name"]: f["keep"] for f in header["readings"][0]["fields"]}
        assert keep["thumbnail"] > 0 == keep["opened"]
        for screen in ([1, 0, 0, 1], [was["cell"], 1, 0, 1], ["x"], None):
            header, _ = answered(
                at, "heads", text + "s", have=have, base=text, open=[0, 1], on_screen=screen
            )
            (part,) = header["readings"]
            assert part["keep"] == 0 and not any(f["keep"] for f in part["fields"]), screen


def sent(
    header: dict[str, Any], numbers: np.ndarray, old: dict[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """The fields of a reply, glued to those that the browser has."""
    found = {}
    for f in header["readings"][0]["fields"]:
        values = numbers[f["at"] :]
        if f.get("shades"):
            values = values.view(np.uint8)[: f["count"]].astype(np.float32) / 255
        keep, shape, along = f["keep"], f["shape"], f.get("grows", [0, 1])
        new = [n - keep if i == along[0] else n for i, n in enumerate(shape)]
        made = np.zeros(shape, np.float32)
        rows = (slice(None),) * along[0]
        if keep:
            assert old is not None
            made[(*rows, slice(keep), slice(keep))] = old[f["name"]][
                (*rows, slice(keep), slice(keep))
            ]
        made[(*rows, slice(keep, None))] = values[: f["count"]].reshape(new)
        found[f["name"]] = made
    return found


def test_tags_come_when_they_are_measured() -> None:
    run, model = model_of("transformer")
    found = tags.known(run, model, wait=True)
    assert found is not None
    header, _ = answered(opened(), "heads", SHORT)
    sent = header["readings"][0]["said"]["tags"]
    assert [r["id"] for r in sent["relations"]] == list(found.names)
    np.testing.assert_allclose(np.array(sent["score"]), found.score.transpose(1, 2, 0), atol=1e-4)
    header, _ = answered(opened(), "heads", SHORT, tags=True)
    assert "tags" not in header["readings"][0]["said"], "the browser has them"


def told(part: Part, id: str = "transformer", **asked: Any) -> tuple[str, list[Rows]]:
    """The sentences of a part below, and its tables."""
    run, model = model_of(id)
    runs = store.RunStore().all(None)
    page = {
        "run": run,
        "model": model,
        "runs": runs,
        "open_run": store.RunStore().load,
        "above": SHORT,
    }
    names = part.parameters
    found = [*blocks_in(part.blocks(**{n: v for n, v in page.items() if n in names}, **asked))]
    said = [str(b.words) if isinstance(b, Problem) else str(b) for b in found]
    return "\n".join(said), [block for block in found if isinstance(block, Rows)]


@pytest.mark.parametrize(
    ("id", "text"),
    [("transformer", SHORT), ("bert", "the cat sat on the [MASK]"), ("transformer", LONG)],
)
def test_does_attention_explain(id: str, text: str) -> None:
    said, (table,) = told(parts.explain, id, sentence=text, of_layer=1, of_head=1)
    assert "disagree" in said and "KL divergence" in said
    assert len(table.rows) == len(model_of(id)[1].tokens(text)) - 1


@pytest.mark.parametrize("text", ["", "a", "👩‍🚀", "x" * 600, "\u202e<b>"])
def test_nothing_to_explain_is_said(text: str) -> None:
    assert told(parts.explain, sentence=text)[0]


def test_two_readings_and_all_tags() -> None:
    assert "that both have are compared" in told(parts.pair)[0]
    same, _ = told(parts.pair, second="")
    assert "0.00 bits, with 0 % of its weight moved" in same
    assert "0.00 bits, with 0 %" not in told(parts.pair, second="", second_run="zz-second")[0]
    assert told(parts.pair, second_run="bert")[0]
    run, model = model_of("transformer")
    found = tags.known(run, model, wait=True)
    assert found is not None
    said, (table,) = told(parts.given, given=False)
    assert "Induction" in said and len(table.rows) == found.score.size


def test_saved_figures_hold_the_numbers() -> None:
    run, model = model_of("transformer")
    stage = live.made(run, model)
    for text in (SHORT, LONG):
        traces, _ = stage.traces(text, None)
        weight = model.trace(text).field("attention").values
        look = {"layer": 1, "head": 0}
        for panel in stage.panels:
            if panel.id == "reshape":  # places, no numbers of the model: its table is saved
                assert panel.figure is None
                continue
            assert panel.figure is not None
            drawn = panel.figure(traces, look)
            frame = drawn.frame()
            if panel.id in ("open", "arcs"):
                np.testing.assert_allclose(
                    np.sort(frame["value"]), np.sort(weight[1, 0].ravel()), atol=1e-6
                )
            assert len(frame)
    rolled = stage.panels[1].figure and stage.panels[1].figure(
        traces, {"layer": 1, "head": weight.shape[1] + 2, "with": "no_marks"}
    )  # type: ignore[misc]
    values = rolled.inputs()[0].values  # type: ignore[union-attr]
    np.testing.assert_allclose(
        values,
        combine.without(combine.combine(weight)[1, 2], np.arange(weight.shape[-1]) > 0),
        atol=1e-5,
    )
