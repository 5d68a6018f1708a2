"""The page on gates in a real browser: one order for all pictures, the zoom to one unit, the
diagram, the two vocabularies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from engine.lessons.lstm import order
from tests.browser.conftest import Live
from tests.browser.test_save import save

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = "He said yes"
# The orders of the units of both layers, as the pictures use them.
ORDER = """async (choices) => {
  const app = document.querySelector("[data-unrolled]").parentElement.unrolledApp;
  const base = document.querySelector('link[href*="/assets/"]').href.replace(/[^/]+$/, "");
  const { order } = await import(`${base}sums/order.js`);
  const reader = app.readers.get("lstm");
  return choices.map((chosen) => {
    app.selection.keep({ order: undefined, by: undefined, with: undefined, up: undefined, ...chosen }, app);
    return [0, 1].map((layer) => order(reader, app.selection, layer, app.layout.vertical.size));
  });
}"""
CHOICES = [
    {"order": "mean", "by": "gate.forget"},
    {"order": "range", "by": "cell", "up": 1},
    {"order": "last", "by": "hidden"},
    {"order": "change", "by": "cell"},
    {"order": "half_life", "by": "gate.forget"},
    {"order": "correlation", "by": "cell", "with": "gate.output"},
    {"order": "similar", "by": "cell"},
]


def python_order(
    fields: dict[str, np.ndarray], chosen: dict[str, Any], layer: int, token: int = -1
) -> list[int]:
    x_TU, y_TU = fields[chosen["by"]][layer], fields[chosen.get("with", "cell")][layer]
    if chosen["order"] == "half_life":  # the first gate acted on an empty memory
        x_TU = x_TU[1:]
    value_U = order.statistic(
        chosen["order"], x_TU.astype(np.float32), y_TU.astype(np.float32), False, token
    )
    return [int(u) for u in np.argsort(value_U if chosen.get("up") else -value_U, kind="stable")]


def values(live: Live) -> dict[str, np.ndarray]:
    return {name: numbers for name, (_, _, numbers) in live.numbers().items() if numbers.ndim == 3}


def looked_at(live: Live) -> dict[str, int]:
    found: dict[str, int] = live.page.evaluate(
        """() => { const { selection, readers } = document.querySelector("[data-unrolled]").parentElement.unrolledApp;
      const [layer, unit] = ["layer", "unit"].map((axis) => selection.get(axis));
      return { layer, unit, token: selection.token(readers.get("lstm")) }; }"""
    )
    return found


def drawn(live: Live) -> dict[str, str]:
    """The numbers in the diagram by the name of their part."""
    found: dict[str, str] = live.page.eval_on_selector_all(
        ".un-cell [data-part]",
        "(all) => Object.fromEntries(all.map((n) => [n.dataset.part, n.textContent]))",
    )
    return found


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def titled(live: Live, panel: str) -> str:
    return str(live.page.inner_text(f'[data-panel="{panel}"] .un-title'))


def test_the_browser_sorts_as_python_does(page: Page) -> None:
    live = page("lstm", query={"text": TEXT, "token": 5})
    fields = values(live)
    for chosen, found in zip(CHOICES, live.page.evaluate(ORDER, CHOICES), strict=True):
        for layer in (0, 1):
            assert found[layer] == python_order(fields, chosen, layer, 5), chosen


def test_one_order_for_all_pictures_and_for_the_keys(page: Page) -> None:
    live = page("lstm").fill(TEXT)
    before, kept = values(live), looked_at(live)
    live.page.get_by_label("Sort the units by").select_option("mean")
    live.page.get_by_label("Numbers to sort by").select_option("gate.forget")
    live.settled("by=gate.forget")
    units = python_order(before, {"order": "mean", "by": "gate.forget"}, kept["layer"])
    assert looked_at(live) == kept, "the chosen unit stays"
    for name, numbers in values(live).items():
        np.testing.assert_array_equal(
            numbers, before[name], "what is drawn is told as it is, not as it stands"
        )
    live.click_in("open", 0.5, 0.06)  # the top row of the opened picture is below its labels
    top = looked_at(live)["unit"]
    assert units.index(top) < len(units) * 0.1
    live.page.keyboard.press("ArrowDown")
    assert looked_at(live)["unit"] == units[units.index(top) + 1]
    live.page.get_by_role("button", name="Smallest first").click()
    live.settled("up=1")
    live.click_in("open", 0.5, 0.06)
    assert units.index(looked_at(live)["unit"]) > len(units) * 0.9
    live.page.keyboard.press("Escape")
    live.settled("order=mean")  # letting go of a place leaves the order


def test_from_all_units_to_one(page: Page, tmp_path: Path) -> None:
    live = page("lstm", query={"text": TEXT, "order": "mean", "by": "gate.forget"})
    place = looked_at(live)
    fields = values(live)
    count = fields["cell"].shape[2]
    panel = live.page.locator('[data-panel="open"]')
    expect(panel, "those that move most over this text").to_contain_text(
        f"64 of {count} units", use_inner_text=True
    )
    panel.get_by_label("All units").click()
    live.settled(f"shown={count}")
    expect(panel).to_contain_text(f"all {count} units", use_inner_text=True)
    panel.get_by_label("Show fewer units").click()
    live.settled(f"shown={count // 2}")
    panel.get_by_label("Only the chosen unit").click()
    live.settled("shown=1")
    expect(panel).to_contain_text(f"1 of {count} units", use_inner_text=True)
    assert looked_at(live) == place
    live.page.keyboard.press("ArrowDown")  # the picture follows
    chosen = looked_at(live)["unit"]
    units = python_order(fields, {"order": "mean", "by": "gate.forget"}, place["layer"])
    live.settled(f"first={units.index(chosen)}")
    panel.get_by_role("button", name="Table").click()
    expect(
        panel.locator(".un-table td").first, "the number of the unit, not its place"
    ).to_have_text(str(chosen), use_inner_text=True)
    panel.get_by_label("All units").click()
    live.settled(f"shown={count}")
    canvas = panel.locator("canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    live.page.mouse.move(box["x"] + 20, box["y"] + 0.3 * box["height"])
    live.page.mouse.down()
    live.page.mouse.move(box["x"] + 20, box["y"] + 0.5 * box["height"], steps=3)
    live.page.mouse.up()
    live.page.wait_for_function(
        "(n) => Number(new URLSearchParams(location.search).get('shown')) < n", arg=count
    )
    first, shown = (int(live.kept()[name]) for name in ("first", "shown"))
    assert 0.15 * count < shown < 0.3 * count and 0 < first < 0.4 * count
    live.page.mouse.wheel(0, 100)
    live.page.wait_for_function(
        "(n) => Number(new URLSearchParams(location.search).get('shown')) > n", arg=shown
    )
    shown_units = [
        int(u)
        for u in dict.fromkeys(
            pd.read_csv(save(live, "open", "csv", tmp_path), comment="#")["unit"]
        )
    ]
    live.page.wait_for_function("() => !document.querySelector('[data-busy]')")
    first, shown = (int(live.kept()[name]) for name in ("first", "shown"))
    assert shown_units == units[first : first + shown], (
        "the file holds what the picture shows, in its order"
    )


def test_the_diagram_shows_the_fields(page: Page) -> None:
    live = page("lstm").fill(TEXT)
    live.page.locator('[data-panel="cell"]').scroll_into_view_if_needed()
    live.page.locator(".un-chip").nth(4).click()
    fields = values(live)
    for press in (None, "ArrowLeft", "ArrowDown"):
        if press:
            live.page.keyboard.press(press)
        at = looked_at(live)
        value = {name: float(v[at["layer"], at["token"], at["unit"]]) for name, v in fields.items()}
        past = {
            name: float(v[at["layer"], at["token"] - 1, at["unit"]]) for name, v in fields.items()
        }
        expected = {
            name: value[name]
            for name in ("gate.input", "gate.output", "candidate", "cell", "hidden")
        } | {
            "keep cell": value["gate.forget"],
            "before cell": past["cell"],
            "before hidden": past["hidden"],
            "kept cell": value["gate.forget"] * past["cell"],
            "added cell": value["gate.input"] * value["candidate"],
            "shown": np.tanh(value["cell"]),
        }
        shown = drawn(live)
        assert set(shown) == set(expected) | {"token"}
        for name, wanted in expected.items():
            assert number(shown[name]) == pytest.approx(wanted, rel=6e-3, abs=1e-5), name
        blade = live.page.evaluate("document.querySelector('.un-blade').style.transform")
        assert float(re.findall(r"\((.*)\)", blade)[0]) == pytest.approx(
            1 - value["gate.forget"], abs=1e-5
        ), "as open as the gate"


def test_other_cells_have_their_own_diagram(page: Page) -> None:
    parts = {
        "gru": {
            "before hidden",
            "hidden",
            "kept hidden",
            "added hidden",
            "keep hidden",
            "gate.update",
            "gate.reset",
            "candidate",
        },
        "rnn": {"before hidden", "hidden", "preactivation"},
        "dual_memory": (
            {
                f"{part} cell.{kind}"
                for part in ("before", "kept", "keep", "added")
                for kind in ("short", "long")
            }
            | {
                "cell.short",
                "cell.long",
                "gate.input.short",
                "gate.input.long",
                "gate.output",
                "candidate",
                "shown",
                "hidden",
                "before hidden",
            }
        ),
    }
    for id, wanted in parts.items():
        live = page("lstm", query={"run": id, "text": TEXT, "unit": 2, "token": 3}).painted(TEXT)
        shown = drawn(live)
        assert set(shown) == wanted | {"token"}, id
        assert all(
            one.locator("option").count()
            for one in live.page.locator(".un-order select:visible").all()
        ), "a list without a choice"
        fields = values(live)
        layer = looked_at(live)["layer"]
        for name in wanted & set(fields):
            assert number(shown[name]) == pytest.approx(
                fields[name][layer, 3, 2], rel=6e-3, abs=1e-5
            ), (id, name)
        for name in wanted:
            if name.startswith("added "):
                state = name.removeprefix("added ")
                total = number(shown[f"kept {state}"]) + number(shown[name])
                assert number(shown[state]) == pytest.approx(total, abs=0.02), (
                    id,
                    "kept and added make the state",
                )
