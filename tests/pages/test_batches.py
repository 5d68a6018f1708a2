"""The page on batches: what is chosen is what is shown, and every part leads to the training room with
settings that it takes."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import round_trip
from engine.analysis.batching import halves
from engine.cli import settings
from engine.core.registry import models
from engine.live import cache
from pages.ui import train
from pages.ui.batches import bits
from tests.conftest import ROOT

LINES = "ABCDE\nFGH\nIJKL"
TAKEN: dict[str, dict[str, Any]] = {
    "One product": {"batch": 32, "units": 128},
    "Dropout in time": {"dropout": 0.3, "recurrent_dropout": 0.3, "layers": 2},
    "Dropout in a Transformer": {"dropout": 0.1},
    "Fewer bits": {"bits": 4},
    "Half precision": {"mixed": True},
    "Checkpoints": {"recompute": True, "units": 64},
}


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page("pages/608_batches.py").run()
    assert not at.exception, at.exception
    return at


def links(at: AppTest) -> list[Any]:
    found = []
    for link in at.get("page_link"):
        asked = {k: v[0] for k, v in parse_qs(link.proto.query_string).items()}
        if train.ASKED in asked:
            model = models.get(asked["model"])
            found.append(settings.config(model, train.parted(asked[train.ASKED])))
    return found


def words(at: AppTest) -> str:
    return "\n".join(
        str(e.value) for kind in ("markdown", "caption", "info") for e in getattr(at, kind)
    )


@pytest.mark.parametrize("part", TAKEN)
def test_parts_train_with_what_they_show(part: str) -> None:
    first, second = links(opened(part=part))
    assert first.passages and first.batch == 8
    for name, value in TAKEN[part].items():
        assert getattr(second, name) == value, name


def test_own_lines() -> None:
    at = opened(lines=LINES, part="Checkpoints")
    losses, ends = (at.dataframe[n].value for n in (0, 1))
    assert losses["divided by"].tolist()[:3] == ["12 tokens", "15 cells", "3 lines"]
    assert losses["if each token costs 1"].tolist() == [1, 0.8, 4, 1]
    assert ends["line"].tolist() == LINES.split("\n")
    assert ends["apart"][0] < 1e-5 < 0.1 < ends["apart"][1]


@pytest.mark.parametrize(
    "lines", ["\n\n", "x", "ש" * 900, "👩‍🚀\n<b>$x$</b>\n" + "a" * 4_000, "\x00"]
)
def test_any_lines(lines: str) -> None:
    opened(lines=lines, order="Sorted by length", size="1")


def test_what_is_no_number() -> None:
    at = opened(part="Half precision", number="many")
    assert "A number only" in words(at)
    for typed in ("1e400", "nan", "-0", "1e-320"):
        opened(part="Half precision", number=typed)


def test_words_below_bits() -> None:
    half = halves.FORMATS["float16"]
    told = [
        bits._told(x, halves.pattern(x, half), halves.value(halves.pattern(x, half), half), half)
        for x in (0.1, 70_000.0, 2e-8, 1.5)
    ]
    assert told[0].startswith("2⁻⁴ · (1 + 614 / 1,024)") and "too large" in told[1]
    assert "too small" in told[2] and told[3] == "2⁰ · (1 + 512 / 1,024); exact"


def test_a_lighter_model_follows_its_sliders() -> None:
    at = opened(part="Fewer bits")

    def apart() -> Any:
        return next(d.value["KL in bits"] for d in at.dataframe if "KL in bits" in d.value)

    assert apart()[0] == 0 and apart().is_monotonic_increasing
    at.slider(key="l_share").set_value(0.9).run()
    assert not at.exception and apart()[0] > 0.1
    at.text_input(key="l_text").set_value("").run()
    assert not at.exception and at.warning


def test_dropout_in_a_transformer_takes_any_sentence() -> None:
    for typed in ("", "a", "👩‍🚀 <b>$x$</b> " * 12):
        at = opened(part="Dropout in a Transformer", d_text=typed)
        at.slider(key="d_mask").set_value(7).run()
        assert not at.exception


def test_a_row_of_weights_goes_there_and_back() -> None:
    at = opened(part="Fewer bits")
    run = next(run for run in cache.runs("gru") if run.id == "gru")
    name = at.selectbox(key="l_table").value
    row = cache.model(run).weights()[name][3, :64]
    at.number_input(key="l_row").set_value(3).run()
    table = at.dataframe[-1].value.set_index("format")
    for kind in round_trip.FORMATS:
        off = np.abs(round_trip.trip(row, kind).back_N - row)
        assert table["moved by at most"][kind] == pytest.approx(float(off.max()))
    assert table["bits of a weight, scale included"]["NF4"] == 4 + 32 / len(row)
    assert r"\text{level }" in at.latex[-1].value
    at.segmented_control(key="l_format").set_value("int8").run()
    assert r"\mathrm{round}" in at.latex[-1].value
    for kind in ("float16", "int4"):
        at.segmented_control(key="l_format").set_value(kind).run()
        assert not at.exception
    at.selectbox(key="l_table").set_value("embed.weight").run()
    at.selectbox(key="l_run").set_value("lstm_lag").run()
    assert not at.exception
