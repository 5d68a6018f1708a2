"""The map page draws what was chosen, marks typed words where they belong, and says what it can't
do in one sentence."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.projection import quality
from engine.analysis.projection.job import Maps
from engine.runs import store as runs
from engine.runs.store import RunStore
from pages.ui.maps import groups, panels
from pages.ui.maps import made as maps_made
from pages.ui.maps.choice import Choice
from tests.conftest import ROOT
from tests.pages.test_every_page import answered

PAGE = "pages/325_maps.py"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not (runs.SHIPPED / "skipgram").is_dir():
        pytest.skip("the shipped word vectors are not here")
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setattr(groups, "UNASKED", 0)
    maps_made.maps.clear()


def opened(**chosen: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page(PAGE)
    for key, value in {"map_kind": "pca", "map_size": 500, **chosen}.items():
        at.session_state[key] = value
    return at.run()


def places(panel: dict[str, Any]) -> np.ndarray:
    """The map as the browser unpacks it."""
    raw = np.frombuffer(base64.b64decode(panel["places"]), "<u2").reshape(-1, panel["dims"])
    found: np.ndarray = np.array(panel["low"]) + panel["step"] * raw
    return found


def test_the_browser_gets_the_map_its_neighbours_and_the_typed_words() -> None:
    at = opened()
    header, numbers = answered(at, "maps", "the king zyxgrob")
    panel = header["layout"]["panels"][0]
    store = RunStore()
    space = store.load(store.find("skipgram")).space
    rows = [space.row(word) for word in panel["words"]]
    assert (
        len(rows) == 500 and None not in rows and "drawn by frequency with seed 0" in panel["says"]
    )
    unit = space.unit[rows]
    drawn = places(panel)
    want = quality.measure(unit, drawn)
    assert (
        f"Of the 10 true nearest neighbours of a word {want.kept.mean():.1f} are" in panel["says"]
    )
    near = np.frombuffer(base64.b64decode(panel["near"]), "<u4").reshape(500, 10)
    assert np.array_equal(near, want.near)
    cosine = np.frombuffer(base64.b64decode(panel["cosine"]), "<i2").reshape(500, 10) / 32767
    np.testing.assert_allclose(cosine[7], unit[near[7]] @ unit[7], atol=1e-4)
    trust = np.frombuffer(base64.b64decode(panel["colours"]["trust"]["values"]), "<f4")
    # 16 bits move a few places past each other
    assert trust.mean() == pytest.approx(want.trust.mean(), abs=2e-3)
    (part,) = header["readings"]
    field = next(f for f in part["fields"] if f["name"] == "place")
    typed = numbers[field["at"] : field["at"] + field["count"]].reshape(field["shape"])
    assert typed[:, -1].tolist() == [0, 1, 1, 0], "the mark and an unknown word have no place"
    centred = unit.astype(float) - unit.mean(0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][:2]
    signs = np.sign((centred @ direction.T * drawn).sum(0))
    np.testing.assert_allclose(
        typed[2, :2],
        (space.unit[space.row("king")] - unit.mean(0)) @ direction.T * signs,
        atol=2e-3,
    )


def test_axes_of_ones_own_and_an_end_that_is_no_word() -> None:
    at = opened(map_kind="axes", map_size=500)
    assert not at.exception and any(
        "degrees" in c.value or "sum of words" in c.value for c in at.caption
    )
    panel = answered(at, "maps", "king")[0]["layout"]["panels"][0]
    assert (
        panel["title"] == "500 words between “man” and “woman”, and between “small” and “large”"
        and panel["ends"] == [["man", "woman"], ["small", "large"]]
        and "° to each other" in panel["says"]
    )
    for written in ("", "zyxgrob", "man - man", "👩‍🚀 </script>"):
        at.text_input(key="map_left").set_value(written).run()
        assert not at.exception and len(at.warning) == 1, written
        assert at.warning[0].value.endswith(".") and at.warning[0].value[0] in "“AW"


def test_what_takes_long_waits_for_a_click_behind_a_stand_in() -> None:
    at = opened(map_kind="umap", map_dims=3)
    assert not at.exception and [b.label for b in at.button] == ["Draw the map"]
    panel = answered(at, "maps", "king")[0]["layout"]["panels"][0]
    assert (
        panel["title"] == "Principal components of 500 words"
        and panel["dims"] == 3
        and "near" not in panel
    )
    at = opened(map_kind="tsne", map_starts=True, map_size=2_000)
    assert "t-SNE of 500 words, ten times" in "\n".join(m.value for m in at.markdown)


def test_a_map_that_a_full_disk_can_t_take_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    at = opened(map_kind="umap", map_size=200)
    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    at.button(key="map_start").click().run()
    assert not at.exception and [e.value.replace("\\", "") for e in at.error] == [
        "The disk is full, so nothing was stored and nothing changed; free some space and try again."
    ]


@pytest.mark.parametrize("dims", [2, 3])
def test_the_saved_figure_has_the_words_with_their_measures(dims: int) -> None:
    store = RunStore()
    run = store.find("skipgram")
    model = store.load(run)
    made = maps_made.make(Choice("pca", 500, "random", 3, dims, False), model.space)
    stage = panels.stage(run, model, made)
    assert stage.panels[0].figure is not None
    drawing = stage.panels[0].figure({"space": model.trace("the king zyxgrob")}, {})
    figure = drawing.figure()
    assert drawing.view == ("scatter" if dims == 2 else "scatter3d") and len(figure.frame) == 500
    assert "drawn at random with seed 3" in figure.title + figure.alt_text
    table = drawing.inputs()[0].columns
    assert table["trust"] == pytest.approx(made.arrays["trust"]) and table["kept"].max() <= 10


def test_many_words_are_sent_in_few_bytes() -> None:
    at = opened(map_size=5_000)
    panel = answered(at, "maps", "")[0]["layout"]["panels"][0]
    assert len(panel["words"]) == 5_000 and len(panel["places"]) < 5_000 * 6
    assert panels.TOP == 65_535


@pytest.fixture(scope="module", autouse=True)
def forget() -> Any:
    yield
    st.cache_resource.clear()


def test_a_small_map_is_tested_without_a_click_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(Maps, "start", lambda self, *given: asked.append(self.key(*given)))
    opened()
    assert not asked, "nothing is started where it is switched off"
    monkeypatch.setattr(groups, "UNASKED", 1000)
    at = opened()
    assert len(asked) == 1 and any("Draw four maps" in b.label for b in at.button), (
        "it can be asked for again"
    )
    at.run()
    assert len(asked) == 1
    opened(map_size=2_000)
    assert len(asked) == 1, "a large map waits for a click"
