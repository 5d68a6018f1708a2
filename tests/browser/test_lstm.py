"""The page on gates in a real browser: its numbers are those of the weights file; one order for all
pictures, the zoom to one unit, what is heard of it, and the diagram."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from safetensors.numpy import load_file

from engine.lessons.lstm import order
from engine.runs.store import Run, RunStore
from engine.storage.quantised import unpack
from tests.browser.conftest import Live, figures, soon
from tests.browser.saving import save

Page = Callable[..., Live]
TEXT = "He said yes"


def by_gate(live: Live, layer: int) -> list[int]:
    """The units of a layer by the mean of their forget gates."""
    x_TU = live.numbers()["gate.forget"][2][layer].astype(np.float32)
    value_U = order.statistic("mean", x_TU, x_TU, False, -1)
    return [int(u) for u in np.argsort(-value_U, kind="stable")]


def values(live: Live) -> dict[str, np.ndarray]:
    return {name: numbers for name, (_, _, numbers) in live.numbers().items() if numbers.ndim == 3}


def looked_at(live: Live) -> dict[str, int]:
    found: dict[str, int] = live.app(
        """({ selection, readers }) => {
          const [layer, unit] = ["layer", "unit"].map((axis) => selection.get(axis));
          return { layer, unit, token: selection.token(readers.get("lstm")) }; }"""
    )
    return found


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def test_the_numbers_on_the_screen_are_those_of_the_weights_file(
    page: Page, run_of: Callable[[str], Run]
) -> None:
    """Typed key by key, so that the replies that only hold what changed are checked too."""
    run = run_of("lstm")
    text = 'She said "yes" in May they'
    fields = page("lstm").fill(text[:14]).type(text[14:]).numbers()
    raw = unpack(load_file(run.folder / "weights.safetensors"))
    w = {name: part.astype(np.float64) for name, part in raw.items() if part.dtype.kind == "f"}
    tokens = RunStore().load(run).tokens(text)
    assert list(tokens.labels) == fields["cell"][1][1]
    x_TD = w["embed.weight"][tokens.ids]
    for layer in range(run.note["config"]["layers"]):
        part = f"layers.{layer}.fused."
        bias = w[part + "bias_ih_l0"] + w[part + "bias_hh_l0"]
        h = c = np.zeros(run.note["config"]["units"])
        names = ("gate.input", "gate.forget", "candidate", "gate.output", "cell", "hidden")
        steps: dict[str, list[np.ndarray]] = {name: [] for name in names}
        for x in x_TD:
            z = w[part + "weight_ih_l0"] @ x + w[part + "weight_hh_l0"] @ h + bias
            i, f, g, o = np.split(z, 4)
            i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
            c = f * c + i * g
            h = o * np.tanh(c)
            for name, value in zip(steps, (i, f, g, o, c, h), strict=True):
                steps[name].append(value)
        for name, made in steps.items():
            found = fields[name][2][layer]
            np.testing.assert_allclose(found, made, atol=2e-4, rtol=1e-4, err_msg=f"{name} {layer}")
        x_TD = np.array(steps["hidden"])
    e_TV = np.exp(x_TD @ w["head.weight"].T + w["head.bias"])
    p_TV = e_TV / e_TV.sum(-1, keepdims=True)
    bits, shown = fields["surprisal"][2], fields["probability"][2]
    wanted = [-math.log2(p_TV[t - 1, tokens.ids[t]]) for t in range(1, len(tokens))]
    assert math.isnan(bits[0])
    np.testing.assert_allclose(bits[1:], wanted, atol=4e-3, rtol=1e-3)
    np.testing.assert_allclose(shown, np.sort(p_TV[-1])[::-1][: len(shown)], atol=2e-4)


@pytest.mark.slow
def test_from_all_units_to_one(page: Page, tmp_path: Path) -> None:
    live = page("lstm").fill(TEXT)
    kept, before = looked_at(live), values(live)
    live.page.get_by_label("Sort the units by").select_option("mean")
    live.page.get_by_label("Numbers to sort by").select_option("gate.forget")
    live.settled("by=gate.forget")
    assert looked_at(live) == kept, "the chosen unit stays"
    for name, numbers in values(live).items():
        np.testing.assert_array_equal(numbers, before[name], "told as it is, not as it stands")
    units, count = by_gate(live, kept["layer"]), before["cell"].shape[2]
    live.click_in("open", 0.5, 0.06)  # the top row of the opened picture is below its labels
    top = looked_at(live)["unit"]
    assert units.index(top) < count * 0.1
    live.page.keyboard.press("ArrowDown")
    chosen = looked_at(live)["unit"]
    assert chosen == units[units.index(top) + 1]
    all_gates_are_heard(live)
    live.page.keyboard.press("Escape")
    live.settled("order=mean")  # letting go of a place leaves the order

    panel, place = live.panel("open"), looked_at(live)
    expect(panel, "those that move most over this text").to_contain_text(f"64 of {count} units")
    for button, shown, words in (
        ("All units", count, f"all {count} units"),
        ("Show fewer units", count // 2, f"{count // 2} of {count} units"),
        ("Only the chosen unit", 1, f"1 of {count} units"),
    ):
        panel.get_by_label(button).click()
        live.settled(f"shown={shown}")
        expect(panel).to_contain_text(words)
    assert looked_at(live) == place
    live.page.keyboard.press("ArrowDown")  # the picture follows
    chosen = looked_at(live)["unit"]
    live.settled(f"first={units.index(chosen)}")
    panel.get_by_role("button", name="Table").click()
    # the number of the unit, not its place
    expect(panel.locator(".un-table td").first).to_have_text(str(chosen))
    panel.get_by_label("All units").click()
    live.settled(f"shown={count}")
    box = panel.locator("canvas").bounding_box()
    live.page.mouse.move(box["x"] + 20, box["y"] + 0.3 * box["height"])
    live.page.mouse.down()
    live.page.mouse.move(box["x"] + 20, box["y"] + 0.5 * box["height"], steps=3)
    live.page.mouse.up()
    number = "Number(new URLSearchParams(location.search).get('shown'))"
    live.page.wait_for_function(f"(n) => {number} < n", arg=count)
    first, shown = (int(live.kept()[name]) for name in ("first", "shown"))
    assert 0.15 * count < shown < 0.3 * count and 0 < first < 0.4 * count
    live.page.mouse.wheel(0, 100)
    live.page.wait_for_function(f"(n) => {number} > n", arg=shown)
    saved: Any = pd.read_csv(save(live, "open", "csv", tmp_path), comment="#")
    live.page.wait_for_function("() => !document.querySelector('[data-busy]')")
    first, shown = (int(live.kept()[name]) for name in ("first", "shown"))
    held = [*map(int, dict.fromkeys(saved["unit"]))]
    assert held == units[first : first + shown], "what the picture shows, in its order"

    # the theme changes under an open page; on a phone the box stays in reach
    canvas = live.panel("gates").locator("canvas")
    light = canvas.screenshot()
    live.page.emulate_media(color_scheme="dark")
    live.page.wait_for_selector(".un-dark")
    soon(live.page, lambda: canvas.screenshot() != light)
    live.page.set_viewport_size({"width": 390, "height": 844})
    live.painted()
    for n in (1, 2):
        live.page.locator(".un-panel:visible").nth(n).scroll_into_view_if_needed()
    assert 0 <= live.box.bounding_box()["y"] < 60
    live.fill("It still answers")


def all_gates_are_heard(live: Live) -> None:
    """A screen reader is told of the unit what the model's gates are there."""
    live.rest()  # the words of the move before are said
    live.panel("gates").locator("canvas").first.focus()
    live.page.keyboard.press("ArrowLeft")
    at = looked_at(live)
    where = f"layer {at['layer'] + 1}, unit {at['unit']}: "
    live.page.wait_for_function(
        "(part) => document.querySelector('.un-spoken').textContent.includes(part)", arg=where
    )
    said = live.page.inner_text(".un-spoken").partition(where)[2]
    fields = values(live)
    for gate in ("input", "forget", "output"):
        wanted = fields[f"gate.{gate}"][at["layer"], at["token"], at["unit"]]
        (found,) = figures(re.findall(rf"\b{gate} (\S+)", said)[0].rstrip(".,"))
        assert found == pytest.approx(wanted, rel=0.01), said


@pytest.mark.slow
@pytest.mark.parametrize("id", ["lstm", "gru", "rnn", "dual_memory"])
def test_the_diagram_shows_the_fields(page: Page, id: str) -> None:
    live = page("lstm", query={"run": id, "text": TEXT, "unit": 2, "token": 4}).painted(TEXT)
    live.panel("cell").scroll_into_view_if_needed()
    fields = values(live)
    for key in (None, "ArrowLeft", "ArrowDown"):
        if key:
            live.page.keyboard.press(key)
        at = looked_at(live)
        now, past = (
            {name: v[at["layer"], at["token"] - back, at["unit"]] for name, v in fields.items()}
            for back in (0, 1)
        )
        shown = live.page.eval_on_selector_all(
            ".un-cell [data-part]",
            "(all) => Object.fromEntries(all.map((n) => [n.dataset.part, n.textContent]))",
        )
        assert {name for name in fields if "forget" not in name} <= set(shown)
        number = {name: figures(text)[0] for name, text in shown.items() if name != "token"}
        for part, value in number.items():
            what, _, name = part.rpartition(" ")
            if what in ("", "before") and name in fields:
                wanted = (past if what else now)[name]
                assert value == pytest.approx(wanted, rel=6e-3, abs=1e-5), (id, part)
            elif what == "kept":
                total = value + number[f"added {name}"]
                assert number[name] == pytest.approx(total, abs=0.02), (id, part)
        if id == "lstm":
            assert number["keep cell"] == pytest.approx(now["gate.forget"], rel=6e-3, abs=1e-5)
            blade = live.page.evaluate("document.querySelector('.un-blade').style.transform")
            as_open = pytest.approx(1 - now["gate.forget"], abs=1e-5)
            assert figures(blade)[-1] == as_open
