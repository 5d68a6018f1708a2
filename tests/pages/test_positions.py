"""The positions page without a browser: its live numbers, its parts, and texts that nobody
expects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.positions import encodings, extrapolate
from engine.core.registry import positions
from engine.runs import store
from engine.runs.store import RunStore
from pages.ui.positions import beyond, rotation, shuffle
from tests.conftest import ROOT, only_runs
from tests.pages.test_every_page import answered

SECONDS = 180
SMALL = {f"transformer_{kind}" for kind in positions.ids()}


@pytest.fixture(scope="module", autouse=True)
def only_shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory)


def opened(query: dict[str, str] | None = None, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(query or {})
    at.switch_page("pages/515_positions.py")
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def settled(at: AppTest, text: str) -> AppTest:
    at.session_state["live-positions.settle"] = {"text": text, "selection": {}}
    return at.run()


def test_the_shipped_runs_are_all_here() -> None:
    assert {run.id for run in RunStore(store.SHIPPED).all("transformer")} >= SMALL


@pytest.mark.parametrize("kind", ["rope", "shaw", "learned"])
def test_the_live_numbers_are_those_of_the_kind_chosen(kind: str) -> None:
    at = opened({"positions": positions.get(kind).title})
    header, numbers = answered(at, "positions", "The cat sat on the mat")
    (part,) = header["readings"]
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    model = RunStore().load(RunStore().find(f"transformer_{kind}"))
    trace = model.trace("The cat sat on the mat")
    np.testing.assert_allclose(fields["place"], encodings.place(model, trace).values, atol=1e-5)
    np.testing.assert_allclose(fields["attention"], trace.field("attention").values, atol=1e-5)
    assert ("embedding.position" in fields) == (kind == "learned")
    about = header["layout"]["readers"][0]["place"]
    assert about["about"] == positions.get(kind).about and (about["speeds"] is not None) == (
        kind == "rope"
    )


def test_the_words_are_shuffled_through_every_model() -> None:
    at = opened({"positions": "None"})
    answered(at, "positions", "The dog bites the old man")
    at = settled(at, "The dog bites the old man")
    assert not at.exception, at.exception
    rows = next(f.value for f in at.dataframe if "as it is" in f.value.columns).set_index(
        "positions"
    )
    assert list(rows.index) == [positions.get(k).title for k in positions.listed()]
    assert rows.loc["None", "words"] == rows.loc[
        "None", "their mean"
    ] == "0 (rounding)" and rows.loc["None", "as it is"].endswith("%")
    assert all(value.endswith("%") for value in rows.drop("None")["words"])
    before = re.search(r"Shuffled: \*\*(.*)\*\*", said(at))
    next(b for b in at.button if b.label == "Shuffle again").click().run()
    after = re.search(r"Shuffled: \*\*(.*)\*\*", said(at))
    assert (
        before
        and after
        and sorted(before[1].split())
        == sorted(after[1].split())
        == sorted("The dog bites the old man".split())
    )
    assert "nothing to shuffle" in said(settled(at, "dog"))


def test_every_part_opens() -> None:
    at = opened()
    for part in (
        "Waves and clocks",
        "Same code",
        "Rotations",
        "Biases and tables",
        "Longer than trained",
        "Side by side",
    ):
        at.session_state["positions_part"] = part
        assert not at.run().exception, at.exception
        assert len(said(at)) > 600


def test_the_waves_of_six_dimensions() -> None:
    at = opened({"positions_part": "Waves and clocks"}, wave_width=6, k=5)
    assert "**2.25679**" in said(at)  # T28: 2.256794
    table = next(
        f.value for f in at.dataframe if "0" in f.value.columns and "place" in f.value.columns
    )
    assert (
        table.loc[3, "2"] == "0.1388   (printed: 0.1389)"
        and table.loc[2, "4"] == "0.0043   (printed: 0.0050)"
        and table.loc[9, "0"] == "0.4121"
    )


def test_places_that_collide() -> None:
    part = {"positions_part": "Same code"}
    at = opened(part, collide_width=2, collide_format="float16")
    assert "The worst is 710" in said(at) and "places 0 and" not in said(at).split("In float16")[1]
    assert "**no two of the 1,024 places collide**" in said(opened(part, collide_width=32))


def test_a_rotation_by_hand() -> None:
    at = opened({"positions_part": "Rotations"}, pq=5, pk=3, by=7)
    assert "**1.929096**. Both 7 later: **1.929096**" in said(at)  # T29
    rows, score = rotation.turned(np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 1, 0]), 1, 0, 10_000)
    assert (
        rows[0]["query"] == "(0.540, 0.841)"
        and rows[1]["query"] == "(1.000, 0.010)"
        and score == pytest.approx(np.cos(1) + np.cos(0.01))
    )


def test_what_is_said_beyond_the_training_is_measured() -> None:
    found = extrapolate.shipped()
    assert found is not None
    told = beyond.verdict(found)
    stay, lose = told.split("**worse**")
    assert (
        "ALiBi" in stay
        and "RoPE" in lose.split(".")[0] + lose
        and "Learned: the table has 64 rows" in lose
    )
    for c in found.curves:
        inside, _, far = beyond.parts(found, c)
        if c.stretch == 1 and far == far:
            assert f"{positions.get(c.kind).title} ({far - inside:+.2f})".replace("-", "−") in told
    rows = beyond.rows(found, list(found.curves))
    assert next(r for r in rows if r["positions"] == "Learned")["129 to 256"] == "no row"
    at = opened({"positions_part": "Longer than trained", "kinds": "RoPE"})
    assert not at.exception and "Choose a kind" in said(
        opened({"positions_part": "Longer than trained"}, kinds=[])
    )


def test_survives_any_text() -> None:
    at = opened()
    for text in ("", "👩‍🚀 🏳️‍🌈 \x00 \u202ea", "x " * 2500):
        answered(at, "positions", text)
        assert not settled(at, text).exception, at.exception


BROKEN = [
    {"positions": "<b>", "positions_part": "nothing", "wave_width": "7", "base": "x", "kinds": "?"},
    {"positions_part": "Rotations", "qk": "no", "pq": "-4", "rbase": "1"},
]


def test_a_broken_link_opens_the_page() -> None:
    for bad in BROKEN:
        at = opened(bad)
        assert not at.exception, at.exception


def test_without_the_small_runs_the_page_still_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.live import cache

    whole = cache.runs("transformer")
    monkeypatch.setattr(cache, "runs", lambda id: [run for run in whole if run.id == "transformer"])
    at = opened({"positions_part": "Biases and tables"})
    assert not at.exception and "is not here" in said(at)
    monkeypatch.setattr(cache, "runs", lambda id: [])
    assert "No transformer has been trained yet" in said(opened())


def test_shares_are_written_as_they_are() -> None:
    assert shuffle.share(3e-7) == "0 (rounding)" and shuffle.share(0.1234) == "12.3 %"
