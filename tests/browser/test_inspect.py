"""The page Inspect in a real browser: what is picked, drawn otherwise, looked for and edited, and the
address that says it.  The numbers of every field of every model: tests/pages/test_inspect.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.analysis import surgery
from engine.runs.store import SHIPPED, RunStore
from tests.browser.conftest import Live, soon

Page = Callable[..., Live]
FIRST = "The old man looked"


def model_of(id: str) -> Any:
    store = RunStore(SHIPPED)
    return store.load(store.find(id))


def told(live: Live) -> dict[str, Any]:
    """What Python says of the pictures on the screen, by field."""
    found: dict[str, Any] = live.app("(app) => [...app.readers.values()][0].said.inspect.fields")
    return found


def check(live: Live, model: Any, text: str, edits: str = "") -> None:
    """Every picture on the screen against the model."""
    done, _ = surgery.read(edits, surgery.sites(model)) if edits else ((), [])
    drawn = live.numbers()
    assert told(live)
    for name, about in told(live).items():
        want = model.trace(text, done, fields=(name,)).field(name).pick(**about["at"])
        if about["drawing"] == "bars":
            row = want.values[-1] if want.values.ndim > 1 else want.values
            shown = drawn[f"{name}#bars"][2]
            best = np.sort(row)[::-1][: len(shown)]
            np.testing.assert_allclose(shown, best, rtol=1e-4, atol=1e-6)
        else:
            axes, _, shown = drawn[name]
            assert tuple(axes) == want.axis_names
            cut = tuple(
                slice(about["start"].get(a, 0), about["start"].get(a, 0) + n)
                for a, n in zip(axes, shown.shape, strict=True)
            )
            np.testing.assert_allclose(shown, want.values[cut], rtol=1e-4, atol=2e-5)


def test_an_edit_is_live_stands_in_the_address_and_can_be_undone(page: Page) -> None:
    model, shown = model_of("lstm"), "gate.forget,cell,probability"
    live = page("inspect", query={"run": "lstm", "text": FIRST, "shows": shown})
    drawn = live.page.locator('[data-panel^="field:"]:visible canvas:visible').all()
    top = min(box["y"] for canvas in drawn if (box := canvas.bounding_box()))
    assert top < 700, "the first picture begins within the first screen"
    panel = live.panel("tamper")
    panel.get_by_label("Field").select_option("gate.forget")
    for label, value in (("layer", "1"), ("unit", "0-200"), ("token", "4-")):
        panel.get_by_label(f"{label}: one").fill(value)
    panel.get_by_label("Value", exact=True).fill("0")
    panel.get_by_role("button", name="Add this edit").click()
    live.settled("edits=")
    live.page.wait_for_selector(".un-move")
    edits = live.kept()["edits"]
    assert edits == "gate.forget:layer=1:token=4-:unit=0-200:set:0"
    soon(live.page, lambda: check(live, model, FIRST, edits))
    live.type(" at")
    check(live, model, f"{FIRST} at", edits)
    live.page.get_by_role("button", name="as it is", exact=True).click()
    soon(live.page, lambda: check(live, model, f"{FIRST} at"))
    panel.get_by_role("button", name="Undo").click()
    live.page.wait_for_function("!location.search.includes('edits=')")
    soon(live.page, lambda: check(live, model, f"{FIRST} at"))


@pytest.mark.slow
def test_pickers_a_wall_another_drawing_and_a_field_from_the_list(page: Page) -> None:
    model = model_of("transformer")
    live = page("inspect", query={"run": "transformer", "text": FIRST, "shows": "attention,query"})
    panel, other = live.panel("field:attention"), live.panel("field:query")

    def drawn(name: str, part: str, wanted: Any) -> None:
        soon(live.page, lambda: told(live)[name][part] == wanted)
        soon(live.page, lambda: check(live, model, FIRST))

    panel.get_by_label("layer, attention").select_option(label="2")
    live.settled("layer=1")
    soon(live.page, lambda: told(live)["attention"]["at"]["layer"] == 1)
    wall = panel.locator("canvas").first
    box = wall.bounding_box()
    wall.click(position={"x": 52 + 2.5 * (box["width"] - 52) / 6, "y": 40})
    live.settled("head=2")
    drawn("attention", "at", {"layer": 0, "head": 2})
    other.get_by_label("Drawn as, query").select_option("lines")
    live.settled("ways=query")
    drawn("query", "drawing", "lines")
    other.locator("canvas").last.hover(position={"x": 200, "y": 80})
    live.says("field:query", "query, layer 1, head 3, token")

    live.open(run="ngram", text="It was one of the")
    live.page.get_by_role("button", name="Choose among all").click()
    live.page.locator(".un-field-row", has_text="matched").locator("input").check()
    live.panel("field:matched").wait_for()
    check(live, model_of("ngram"), "It was one of the")
    words = live.panel("field:probability")
    words.locator(".un-search").fill("zebra")
    p = model_of("ngram").trace("It was one of the").field("probability")
    labels = p.axis("next").labels
    place = 1 + int((p.values[-1] > p.values[-1][labels.index("zebra")]).sum())
    said = words.locator('[role="status"]').last
    soon(live.page, lambda: f"place {place:,} of 30,000" in said.inner_text())
