"""The page Inspect in a browser: for runs of five kinds the numbers on the screen are those of a trace
of the model, after every key, every pick and every edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis import surgery
from engine.core.registry import models
from engine.lessons.inspect import pictures
from engine.runs.store import SHIPPED, Recipe, RunStore, digest
from engine.training.fit import fit
from tests.bench.server import serve
from tests.browser.conftest import WAIT_MS, Live, Watch, soon

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
FIRST = "The old man looked"
MORE = Path(__file__).parents[1] / "more_models"
KINDS = ("lstm", "transformer", "bert", "ngram", "skipgram")


def model_of(id: str) -> Any:
    store = RunStore(SHIPPED)
    return store.load(store.find(id))


def told(live: Live) -> dict[str, Any]:
    """What Python says of the pictures on the screen."""
    found: dict[str, Any] = live.page.evaluate(
        """() => { const root = document.querySelector("[data-unrolled]").parentElement;
          return [...root.unrolledApp.readers.values()][0].said.inspect; }"""
    )
    return found


def check(live: Live, model: Any, text: str, edits: str = "") -> set[str]:
    """Every picture on the screen against the model; returns the names of those drawn."""
    done, _ = surgery.read(edits, surgery.sites(model)) if edits else ((), [])
    said, fields = told(live), live.numbers()
    seen = set()
    for name, about in said["fields"].items():
        if name.startswith(pictures.LEARNED):
            whole = model.parameters((name.removeprefix(pictures.LEARNED),))
            field = whole.field(name.removeprefix(pictures.LEARNED))
        else:
            field = model.trace(text, done, fields=(name,)).field(name)
        want = field.pick(**about["at"])
        bars = f"{name}#bars"
        if about["drawing"] == "bars":
            row = want.values[-1] if want.values.ndim > 1 else want.values
            _, labels, shown = fields[bars]
            best = np.sort(row)[::-1][: len(shown)]
            np.testing.assert_allclose(shown, best, rtol=1e-4, atol=1e-6)
            at = dict(zip(want.axes[-1].labels, row.tolist(), strict=True))
            for label, value in zip(labels[0], shown, strict=True):
                assert at[label] == pytest.approx(value, rel=1e-4, abs=1e-6)
        else:
            axes, _, shown = fields[name]
            assert tuple(axes) == want.axis_names
            cut = tuple(
                slice(about["start"].get(a, 0), about["start"].get(a, 0) + n)
                for a, n in zip(axes, shown.shape, strict=True)
            )
            np.testing.assert_allclose(shown, want.values[cut], rtol=1e-4, atol=2e-5)
        seen.add(name)
    return seen


@pytest.mark.parametrize(
    "id",
    [pytest.param(id, marks=() if id == "bert" else pytest.mark.slow) for id in KINDS],
)
def test_numbers_of_five_kinds_of_models(page: Page, id: str) -> None:
    model = model_of(id)
    live = page("inspect", query={"run": id, "text": FIRST})
    assert len(check(live, model, FIRST)) >= 3
    live.type(" at the sea")
    assert len(check(live, model, f"{FIRST} at the sea")) >= 3
    visible = live.page.locator('[data-panel^="field:"]:visible')
    expect(visible).to_have_count(len(told(live)["fields"]))
    drawn = live.page.locator('[data-panel^="field:"]:visible canvas:visible').all()
    top = min(box["y"] for canvas in drawn if (box := canvas.bounding_box()))
    assert top < 700, "the first picture begins within the first screen"


@pytest.mark.slow
def test_pickers_a_wall_and_another_drawing(page: Page) -> None:
    model = model_of("transformer")
    live = page("inspect", query={"run": "transformer", "text": FIRST, "shows": "attention,query"})
    panel = live.page.locator('[data-panel="field:attention"]')
    panel.get_by_label("layer, attention").select_option(label="2")
    live.settled("layer=1")
    soon(live.page, lambda: told(live)["fields"]["attention"]["at"]["layer"] == 1)
    soon(live.page, lambda: check(live, model, FIRST))
    wall = panel.locator("canvas").first
    box = wall.bounding_box()
    wall.click(position={"x": 52 + 2.5 * (box["width"] - 52) / 6, "y": 40})
    live.settled("head=2")
    soon(live.page, lambda: told(live)["fields"]["attention"]["at"] == {"layer": 0, "head": 2})
    soon(live.page, lambda: check(live, model, FIRST))
    other = live.page.locator('[data-panel="field:query"]')
    other.get_by_label("Drawn as, query").select_option("lines")
    live.settled("ways=query")
    soon(live.page, lambda: told(live)["fields"]["query"]["drawing"] == "lines")
    soon(live.page, lambda: check(live, model, FIRST))
    other.locator("canvas").last.hover(position={"x": 200, "y": 80})
    expect(other.locator(".un-readout")).to_contain_text(
        "query, layer 1, head 3, token", use_inner_text=True
    )


@pytest.mark.slow
def test_a_field_is_chosen_from_the_list_and_a_word_is_found(page: Page) -> None:
    model = model_of("ngram")
    live = page("inspect", query={"run": "ngram", "text": "It was one of the"})
    live.page.get_by_role("button", name="Choose among all").click()
    live.page.locator(".un-field-row", has_text="matched").locator("input").check()
    live.page.wait_for_selector('[data-panel="field:matched"]:visible')
    assert "matched" in check(live, model, "It was one of the")
    live.page.locator('[data-panel="field:probability"] .un-search').fill("zebra")
    p = model.trace("It was one of the").field("probability")
    value = (
        float(p.values[-1][p.axis("next").labels.index("zebra")])
        if "zebra" in p.axis("next").labels
        else None
    )
    answer = live.page.locator('[data-panel="field:probability"] [role="status"]').last
    live.page.wait_for_function(
        "(e) => /place|unk/.test(e.textContent)", arg=answer.element_handle(), timeout=WAIT_MS
    )
    if value is not None:
        place = int((p.values[-1] > value).sum()) + 1
        expect(answer).to_contain_text(f"place {place:,} of 30,000", use_inner_text=True)


def test_an_edit_is_live_stands_in_the_address_and_can_be_undone(page: Page) -> None:
    model = model_of("lstm")
    live = page(
        "inspect", query={"run": "lstm", "text": FIRST, "shows": "gate.forget,cell,probability"}
    )
    panel = live.page.locator('[data-panel="tamper"]')
    panel.get_by_label("Field").select_option("gate.forget")
    panel.get_by_label("layer: one").fill("1")
    panel.get_by_label("unit: one").fill("0-200")
    panel.get_by_label("token: one").fill("4-")
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
def test_every_number_of_a_model_that_the_page_does_not_know(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNROLLED_MODELS", str(MORE))
    folder, kind = tmp_path / "runs" / "odd", models.get("odd")
    for _ in fit(folder, Recipe("odd", kind.config_type(), digest("abc"), 0), "abc"):
        pass
    model = RunStore(tmp_path / "runs").load(RunStore(tmp_path / "runs").find("odd"))
    every = [s.name for s in model.spec()]
    learned = [pictures.LEARNED + s.name for s in model.parameters_spec()]
    context = browser.new_context()
    with serve(home=tmp_path) as server:
        live = Live(context.new_page(), server.url, "inspect", Watch(context))
        live.open(run="odd", text="abc", shows=",".join([*every, *learned]))
        live.type(" bad")
        drawn = check(live, model, "abc bad")
        assert drawn == {*every, *learned} - {"notes"}
        panels = live.page.locator('[data-panel^="field:"]:visible, [data-panel^="table:"]:visible')
        expect(panels).to_have_count(len(every) + len(learned))
        for panel in panels.all():
            expect(panel).not_to_contain_text("Nothing is typed", use_inner_text=True)
        assert not live.watch.wrong and "Traceback" not in server.said()
    context.close()


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_it_fits_and_survives_odd_texts(page: Page, width: int) -> None:
    live = page("inspect", width=width, dark=width == 390, query={"run": "bert"})
    for text in ("", "👩‍🚀 ok", "flurble " * 30, "word " * 1000):
        live.fill(text)
        wide = live.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
    live.fill("")
    expect(live.page.locator('[data-panel="field:attention"]')).to_contain_text(
        "Nothing is typed", use_inner_text=True
    )
