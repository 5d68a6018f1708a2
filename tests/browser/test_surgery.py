"""Surgery by hand: dragging edits, undo takes back, a link brings the edits again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import WAIT_MS, Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
TEXT = 'She said "yes" and'
SAID = "document.querySelector('[data-panel=surgery] .un-edits').innerText"


def change(live: Live) -> float:
    """The largest difference on the screen, which is that of the two runs on the screen."""
    fields = live.numbers()
    most = 0.0
    for name, (_, _, values) in fields.items():
        if name.startswith("change."):
            own = name.removeprefix("change.")
            np.testing.assert_allclose(
                values, fields[f"edited.{own}"][2] - fields[f"plain.{own}"][2], atol=1e-6
            )
            most = max(most, float(np.abs(values).max()))
    return most


def settle(live: Live, edits: int) -> None:
    """Wait until so many edits stand in the list and the reply to them is drawn."""
    live.page.wait_for_function(
        f"() => document.querySelectorAll('.un-edit').length === {edits}", timeout=WAIT_MS
    )
    live.page.wait_for_function(
        "() => { const said = document.querySelector('.un-written'); return said &&"
        " !said.classList.contains('un-old'); }",
        timeout=WAIT_MS,
    )


def drag(live: Live, x: tuple[float, float], y: tuple[float, float]) -> None:
    """From one share of the width and height of the unit's picture to another, in steps."""
    canvas = live.page.locator('[data-panel="surgery"] canvas')
    canvas.scroll_into_view_if_needed()
    box: dict[str, Any] = canvas.bounding_box()
    at = [
        (box["x"] + a * box["width"], box["y"] + b * box["height"])
        for a, b in zip(x, y, strict=True)
    ]
    live.page.mouse.move(*at[0])
    live.page.mouse.down()
    live.page.mouse.move(*at[1], steps=6)
    live.page.mouse.up()


def test_dragging_changes_undo_takes_back_and_a_link_brings_again(page: Page) -> None:
    live = page("surgery", query={"text": TEXT})
    settle(live, 0)
    assert change(live) == 0.0
    drag(live, (0.5, 0.5), (0.25, 0.36))
    settle(live, 1)
    drawn = change(live)
    assert (
        drawn > 0.01 and "held at" in live.page.evaluate(SAID) and " on" in live.page.evaluate(SAID)
    )
    live.settled("edits=")
    edits = live.kept()["edits"]
    assert edits.count(":") == 5 and edits.split(":")[3].endswith("-"), (
        "let go on the token where it began: to the end"
    )
    live.page.keyboard.press("Control+z")
    settle(live, 0)
    assert change(live) == 0.0
    live.page.keyboard.press("Control+Shift+Z")
    settle(live, 1)
    assert change(live) == drawn and live.kept()["edits"] == edits
    before = live.numbers()
    again = page("surgery", query=live.kept())
    settle(again, 1)
    assert again.kept()["edits"] == edits
    for name, (_, labels, values) in again.numbers().items():
        assert labels == before[name][1]
        np.testing.assert_allclose(values, before[name][2], atol=1e-5, rtol=1e-4, err_msg=name)
    again.type("!")
    assert change(again) > 0.01, "the edit holds for what is typed behind it"


def test_an_edit_by_keyboard_alone(page: Page) -> None:
    live = page("surgery", query={"text": TEXT})
    settle(live, 0)
    panel = live.page.locator('[data-panel="surgery"]')
    panel.get_by_label("Operation").select_option("freeze")
    panel.get_by_label("Which units").select_option("all")
    panel.get_by_label("First token").fill("4")
    panel.get_by_label("Last token").fill("7")
    panel.get_by_text("Add this edit").press("Enter")
    settle(live, 1)
    live.settled("edits=")
    assert live.kept()["edits"].split(":")[2:] == ["*", "4-7", "freeze"]
    field = live.kept()["edits"].split(":")[0]
    layer = int(live.kept()["edits"].split(":")[1])
    values = live.numbers()[f"edited.{field}"][2][layer]
    assert (values[4:8] == values[3]).all() and change(live) > 0
    # the edit just made is the one that the controls change
    panel.get_by_label("Operation").select_option("set")
    panel.get_by_label("Value", exact=True).fill("0.5")
    live.page.wait_for_function(f"() => {SAID}.includes('held at 0.5')")
    panel.get_by_text("Remove", exact=True).press("Enter")
    settle(live, 0)
    assert change(live) == 0.0


def test_the_first_view_shows_an_edit_and_without_it_a_link_shows_none(page: Page) -> None:
    live = page("surgery")
    settle(live, 1)
    assert change(live) > 0.01
    live.page.locator('[data-panel="surgery"]').get_by_text("Remove all").click()
    settle(live, 0)
    assert change(live) == 0.0
    live.page.wait_for_function(
        "() => location.search.includes('text=') && !location.search.includes('edits')"
    )
    settle(page("surgery", query=live.kept()), 0)


def test_another_text_lets_go_of_the_edit_and_the_advice_of_an_example(page: Page) -> None:
    live = page("surgery")
    settle(live, 1)  # the page opens with an edit of its example
    live.type("x")
    settle(live, 1)
    live.fill("A text of my own")
    settle(live, 0)
    assert change(live) == 0.0
    live.page.get_by_text("Examples", exact=True).click()
    live.page.locator(".un-try").first.click()
    live.painted()
    assert live.page.inner_text(".un-tip")
    live.type("x")
    assert not live.page.inner_text(".un-tip")
