"""The unit detective's page: it opens, picks, finds by example, restores a link, and survives any
text and any recurrent run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.core.registry import models
from engine.runs import store as runs
from engine.saving.export import render
from engine.training.fit import fit
from pages.ui.units import passages, phrase, source, split, unit
from tests.conftest import ROOT, TEXT, small
from tests.pages.tables import tables

SECONDS = 180
OWN = {"text_of": "Your own text", "own": 'She said "no (not yet)" and left.\n' + TEXT}
HOSTILE = {
    "nothing": "",
    "spaces": "  \n ",
    "one letter": "a",
    "one word": "cat\n",
    "emoji": "👩‍🚀🏳️‍🌈 ok 🇫🇷\n👩‍🚀 ok",
    "huge": "the old captain saw the sea\n" * 4000,
    "markup": "<script>alert(1)</script> **b** $x^2$ :red[x]\n<script>",
    "controls": "\x00\x01\x02",
    "right to left": "שלום עולם\n\u202eabc",
    "one long word": "a" * 30_000,
    "one sign": "((((" * 200,
    "half of a character": "a\ud83d b",
}


@pytest.fixture(scope="module", autouse=True)
def small_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A small LSTM in the place of the shipped one, and one that reads words."""
    root = tmp_path_factory.mktemp("shipped")
    (root / "lstm").symlink_to(run_folder("lstm"), target_is_directory=True)
    recipe = runs.Recipe(
        "lstm", small(models.get("lstm"), tokenizer="words", steps=2), runs.digest(TEXT), 0
    )
    for _ in fit(root / "words", recipe, TEXT):
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "SHIPPED", root)
        patch.setenv("UNROLLED_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr(source, "POSITIONS", 1500)
        yield
    st.cache_resource.clear()
    source.READINGS.clear()
    st.cache_data.clear()


def opened(link: dict[str, str] | None = None, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(link or {})
    at.switch_page("pages/425_units.py")
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


def test_opens_with_every_picture_and_no_click() -> None:
    at = opened()
    assert not at.exception and len(at.header) == 1 and len(at.subheader) == 4
    assert "1,500 positions of Little stories" in said(at)
    assert (
        len(at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")) >= 3 and not at.dataframe
    )
    (table,) = tables(at)
    assert (
        list(table.columns) == ["hypothesis", "AUC", "p", "q", "holds at", "rule"]
        and len(table) >= 10
    )


@pytest.fixture
def tested() -> source.Tested:
    """What the page reads and tests for a text of one's own, made apart from it."""
    store = runs.RunStore()
    lines = tuple(line for line in OWN["own"].split("\n") if line.strip())
    return source.read("apart", store.load(store.find("lstm")), "cell", "", lines)


def press(at: AppTest) -> AppTest:
    return next(b for b in at.button if b.label == "Pick the best unit").click().run()


@pytest.mark.parametrize("about", ["space", "vowel", unit.STRONGEST])
def test_picks_the_unit_that_tells_best(about: str, tested: source.Tested) -> None:
    at = press(opened(about=about, **OWN))
    assert not at.exception
    best = tested.probe.best(unit.TITLES.index(about) if about in unit.TITLES else None)
    assert best is not None
    assert (at.session_state["layer"], at.session_state["unit"]) == tested.reading.place(best[0])
    assert "".join(at.query_params["unit"]) == str(at.session_state["unit"])
    auc = tested.probe.auc[best]
    assert f"**{unit.per_cent(float(auc))}** of all such pairs" in said(at)
    assert (unit.per_cent(0.9996), unit.per_cent(0.25)) == ("99.96 %", "75.0 %")


def test_says_so_where_no_unit_is_found() -> None:
    at = press(opened(about="digit", **OWN))
    assert not at.exception and "No unit detects this" in said(at) and "digit" in said(at)


def test_a_link_restores_what_was_looked_at() -> None:
    link = {
        "least": "1",
        "layer": "1",
        "unit": "5",
        "about": "vowel",
        "signal": "hidden",
        "text_of": "Your own text",
        "side": "lowest",
        "example": "a (b) c",
        "from": "3",
        "to": "5",
    }
    at = opened(link, own=OWN["own"])
    assert not at.exception and "What does unit 5 of layer 2 respond to?" in [
        s.value for s in at.subheader
    ]
    assert "“vowel”" in said(at) and "is lowest" in said(at) and "hidden" in said(at)
    assert at.session_state["phrase"] == (3, 5) and ":blue-background[\\(b\\)]" in said(at)


@pytest.mark.parametrize(
    "bad",
    [
        {"layer": "99"},
        {"unit": "-1"},
        {"unit": "1e9"},
        {"about": "<script>"},
        {"signal": "gate.none"},
        {"from": "x", "to": "0"},
        {"run": "none"},
        {"share": "900"},
        {"text_of": ""},
    ],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = opened(bad)
    assert not at.exception and len(at.subheader) == 4


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_survives_any_text_of_ones_own(text: str) -> None:
    at = opened(text_of="Your own text", own=text)
    assert not at.exception, at.exception
    assert at.subheader or at.info or at.error


# a text box cannot send one
@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "half of a character"])
def test_survives_any_example(name: str) -> None:
    at = opened(example=HOSTILE[name][:400], **OWN)
    assert not at.exception, at.exception
    assert len(at.subheader) == 4
    at.text_input(key="example").set_value("now shorter").run()
    assert not at.exception and at.session_state["phrase"][1] <= 11


def test_a_text_of_the_same_name_from_another_page_is_no_phrase() -> None:
    for kept in ({"phrase": "old man"}, {"from": "a small text", "to": "end"}):
        at = opened(**kept)
        assert not at.exception and isinstance(at.session_state["phrase"], tuple)


def test_reads_every_recurrent_run_and_field() -> None:
    at = opened({"run": "words"}, **OWN)
    assert not at.exception and "(words)" in said(at).replace("\\", "")
    for field in ("hidden", "gate.forget"):
        at.selectbox(key="signal").set_value(field).run()
        assert not at.exception and len(at.subheader) == 4
    at.text_input(key="example").set_value("the cat sat").run()
    assert not at.exception and at.session_state["phrase"][1] <= 3


def test_without_a_model_the_page_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SHIPPED", tmp_path / "none")
    at = opened()
    assert not at.exception and "make zoo" in said(at)


def test_pictures_hold_the_numbers_and_can_be_saved(
    tested: source.Tested, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    monkeypatch.setattr("pages.ui.plate.show", lambda plate, *where: made.append(plate))
    store = runs.RunStore()
    run = store.find("lstm")
    chosen = source.Chosen(run, store.load(run), "cell", "a text", "key", tested)
    row, about = 3, unit.TITLES.index("long word so far")
    unit.ranking(chosen, row)
    split.curves(chosen, row, about)
    passages.strongest_places(chosen, row, False)
    phrase.list_matches(chosen, [phrase.Switch(row, 1, 0.0), phrase.Switch(row + 1, -1, 0.1)], 3)
    by_id = {p.id: {n: v.tolist() for n, v in p.entries[0].columns.items()} for p in made}
    assert list(by_id) == ["hypotheses", "split", "course", "places", "matches"]
    first = by_id["hypotheses"]
    assert first["value"][0] == tested.probe.auc[row, unit.TITLES.index(first["word"][0])]
    assert np.abs(np.array(first["value"]) - 0.5).argmax() == 0
    assert sum(by_id["split"]["value"]) == pytest.approx(200)  # both curves add up to 100 %
    value_N, words = tested.reading.state_UN[row], by_id["places"]
    assert words["value"][words["marked"].index(True)] == value_N.max()
    both_N = (value_N >= 0).astype(int) + (-tested.reading.state_UN[row + 1] >= 0.1)
    assert max(by_id["matches"]["value"]) == both_N.max()
    assert np.array(by_id["matches"]["value"])[by_id["matches"]["marked"]].min() >= 1
    for p in made:
        assert (
            b"<svg" in render(p.figure(False), "svg")[:200]
            and p.make("npz", False)[:2] == b"PK"
            and b"views" in p.make("py", False)
        )
        assert (p.model == "lstm" and "layer 1, unit 3" in p.of) or p.id == "matches"


def test_a_unit_that_is_hardly_ever_on_can_be_drawn(
    tested: source.Tested, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    monkeypatch.setattr("pages.ui.plate.show", lambda plate, *where: made.append(plate))
    run = runs.RunStore().find("lstm")
    state_UN = np.zeros_like(tested.reading.state_UN)
    state_UN[1, 7] = 2
    state_UN[2, 7] = np.nan
    silent = replace(tested, reading=replace(tested.reading, state_UN=state_UN))
    chosen = source.Chosen(run, None, "cell", "a text", "key", silent)
    for row in (0, 1, 2):
        unit.ranking(chosen, row)
        split.curves(chosen, row, unit.TITLES.index("space"))
        passages.strongest_places(chosen, row, False)
    assert [p.id for p in made] == ["hypotheses", "split", "places"] * 2 + ["places"]
    for p in made:
        assert p.figure(False).alt_text
    assert b"<svg" in render(made[4].figure(False), "svg")[:200]
