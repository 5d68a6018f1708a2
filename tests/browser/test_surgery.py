"""Surgery by hand: dragging edits, undo takes back, a link brings the edits again; another text lets go
of those of an example."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Live, reads

TEXT = 'She said "yes" and'


# The largest number of all differences, and the largest that is not that of the two runs.
CHANGE = """() => {
  const { fields } = document.querySelector("[data-unrolled]").unrolled;
  let [most, off] = [0, 0];
  for (const [name, { values }] of Object.entries(fields).filter(([name]) => name.startsWith("change."))) {
    const [edited, plain] = ["edited", "plain"].map((run) => fields[name.replace("change", run)].values);
    if (edited.length !== values.length || plain.length !== values.length) return [most, Infinity];
    values.forEach((value, i) => {
      const wanted = edited[i] - plain[i];
      if (Number.isNaN(value) && Number.isNaN(wanted)) return;
      most = Math.max(most, Math.abs(value));
      off = Math.max(off, Math.abs(value - wanted) - 1e-7 * Math.abs(wanted));
    });
  }
  return [most, off];
}"""


def change(live: Live) -> float:
    """The largest difference on the screen, which is that of the two runs on the screen; found there, for
    they are many."""
    most, off = live.page.evaluate(CHANGE)
    assert off <= 1e-6
    return float(most)


def settle(live: Live, edits: int) -> None:
    """Wait until so many edits stand in the list and the reply to them is drawn."""
    expect(live.page.locator(".un-edit")).to_have_count(edits)
    live.page.wait_for_selector(".un-written:not(.un-old)", state="attached")


@pytest.mark.slow
def test_dragging_changes_undo_takes_back_and_a_link_brings_again(
    page: Callable[..., Live],
) -> None:
    live = page("surgery")
    settle(live, 1)  # the page opens with an edit of its example
    assert change(live) > 0.01
    live.type("x")
    settle(live, 1)
    live.fill(TEXT)  # another text lets go of it
    settle(live, 0)
    assert change(live) == 0.0

    panel, made = live.panel("surgery"), live.panel("surgery").locator(".un-edits")
    canvas = panel.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    live.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.25 * box["height"])
    live.page.mouse.down()
    live.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.36 * box["height"], steps=6)
    live.page.mouse.up()
    settle(live, 1)
    drawn = change(live)
    assert drawn > 0.01
    reads(made, "held at")
    live.settled("edits=")
    edits = live.kept()["edits"]
    # let go on the token where it began: to the end
    assert edits.count(":") == 5 and edits.split(":")[3].endswith("-")
    live.page.keyboard.press("Control+z")
    settle(live, 0)
    assert change(live) == 0.0
    live.page.keyboard.press("Control+Shift+Z")
    settle(live, 1)
    assert change(live) == drawn and live.kept()["edits"] == edits
    before = live.numbers()
    live.open(**live.kept())
    settle(live, 1)
    assert live.kept()["edits"] == edits
    for name, (_, labels, values) in live.numbers().items():
        assert labels == before[name][1]
        np.testing.assert_allclose(values, before[name][2], atol=1e-5, rtol=1e-4, err_msg=name)
    live.type("!")
    assert change(live) > 0.01, "the edit holds for what is typed behind it"

    # by keyboard alone; the edit just made is the one that the controls change
    panel.get_by_text("Remove all").press("Enter")
    settle(live, 0)
    panel.get_by_label("Operation").select_option("freeze")
    panel.get_by_label("Which units").select_option("all")
    panel.get_by_label("First token").fill("4")
    panel.get_by_label("Last token").fill("7")
    panel.get_by_text("Add this edit").press("Enter")
    settle(live, 1)
    live.settled("freeze")
    field, layer, *rest = live.kept()["edits"].split(":")
    assert rest == ["*", "4-7", "freeze"]
    values = live.numbers()[f"edited.{field}"][2][int(layer)]
    assert (values[4:8] == values[3]).all() and change(live) > 0
    panel.get_by_label("Operation").select_option("set")
    panel.get_by_label("Value", exact=True).fill("0.5")
    reads(made, "held at 0.5")
    panel.get_by_text("Remove", exact=True).press("Enter")
    settle(live, 0)
    live.page.wait_for_function(
        "() => location.search.includes('text=') && !location.search.includes('edits')"
    )
