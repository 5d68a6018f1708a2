"""A view of one's own, in one file, is listed and keeps the contract of every view, with a column no other has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from engine.__main__ import main
from engine.core.registry import views
from engine.core.trace import TableSpec
from tests.views import test_contract as contract

ID = "own_dots"
PROGRAM = '''"""Dots: a number for each word, as a dot."""

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    frame, ink = table.frame(), theme.ink(dark)
    hours = frame["own_hours"].to_numpy(float)
    names = [theme.visible(str(word)) for word in frame["word"]]
    columns = {
        "row": np.arange(len(frame)),
        "hours": np.where(np.isfinite(hours), hours, 0.0),
        "written": [base.number(float(value)) for value in hours],
    }
    y = {
        "field": "row",
        "type": "ordinal",
        "axis": {"title": "word", "labelExpr": f"{base.listed(names)}[datum.value]"},
    }
    x = {"field": "hours", "type": "quantitative", "axis": {"title": "hours"}}
    color = {**x, "scale": {"range": [ink.faint, ink.accent]}, "legend": {"title": "hours"}}
    del color["axis"]
    text = {"field": "written", "type": "nominal"}
    layers = [
        {"mark": {"type": "circle"}, "encoding": {"y": y, "x": x, "color": color}},
        {"mark": {"type": "text", "dx": 20}, "encoding": {"y": y, "x": x, "text": text}},
    ]
    said = f"Dots of {len(frame)} words by their hours."
    lines = (of, base.tell_unsound(hours))
    size = {"width": 400, "height": 20 * len(frame)}
    rows = base.rows(columns)
    return base.chart("Hours", lines, layers, frame, said, dark=dark, data=rows, **size)


VIEW = View("Dots", "How long?", (Need(columns=("word", "own_hours")),), draw)
'''


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: Any) -> Iterator[None]:
    place = tmp_path_factory.mktemp("my views")
    (place / f"{ID}.py").write_text(PROGRAM, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNROLLED_VIEWS", str(place))
        yield


def test_it_is_listed_and_takes_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "views", "--json"]) == 0
    said = {row["id"]: row["says"] for row in json.loads(capsys.readouterr().out)["views"]}
    assert said[ID].startswith("Dots: a number for each word")
    assert views.get(ID).keeps(TableSpec("t", ("word", "own_hours"), "")) == ("word", "own_hours")


def test_it_keeps_the_contract_of_every_view() -> None:
    contract.test_draws_a_valid_chart_with_its_table_and_words(ID, 0, None)
    contract.test_same_input_same_chart_and_every_number(ID, 0, None)
    contract.test_a_legend_and_axis_titles(ID, 0, None)
    for spoil in (False, True):
        contract.test_renders(ID, 0, None, spoil)
