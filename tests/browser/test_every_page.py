"""What every live page owes: it answers each key with its models' own numbers, bears any text, fits
every screen, follows the pointer without asking, can be saved, and its link brings back what was
looked at.

One visit a page, and one more for its link: loading a page is what costs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.measure import surprisal
from engine.core.trace import FieldSpec
from engine.course.curriculum import LIVE
from engine.models.wordspace import WordSpace
from engine.runs.store import SHIPPED, Run, RunStore
from tests.browser.conftest import PAGES, TEXT, TEXTS, Live, reads, shown_first, soon
from tests.browser.saving import every_format_is_saved, panels, same_words
from tests.browser.walking import every_picture_is_walked

Page = Callable[..., Live]
FIVE_THOUSAND = ("The old captain looked at the grey sea. " * 125)[:5000]
EMOJI = "👩‍🚀 שלום e\u0301 🇫🇷"
HOSTILE = (
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><svg'
    ' onload="window.hacked = 3"><a href="javascript:window.hacked=4">x</a> {{constructor}}'
    " $$\\href{javascript:1}{x}$$ [x](javascript:window.hacked=5) :red[x]"
)


# Elements that hang over the right edge, other than in boxes that scroll by themselves.
HANGING = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const wide = [document.scrollingElement, main].map((e) => e.scrollWidth - e.clientWidth);
  const edge = main.getBoundingClientRect().right + 0.5;
  const hanging = Array.from(document.querySelectorAll("[data-unrolled] *"))
    .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > edge && !e.closest(".un-table, .un-chips, .un-strip"))
    .map((e) => e.tagName + "." + e.className);
  return { wide, hanging: hanging.slice(0, 5) };
}"""

# What lies on top at points of the text box.
COVERED = """() => {
  const box = document.querySelector("textarea.un-text");
  box.scrollIntoView({ block: "center" });
  const r = box.getBoundingClientRect();
  const points = [0.02, 0.25, 0.5, 0.75, 0.96].flatMap((x) => [0.15, 0.5, 0.85].map((y) => [r.left + x * r.width, r.top + y * r.height]));
  return points.map(([x, y]) => document.elementFromPoint(x, y)).filter((e) => e !== box).map((e) => e?.outerHTML.slice(0, 120));
}"""

SMALL = """() => Array.from(document.querySelectorAll("[data-unrolled] button, [data-unrolled] summary"))
  .filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 32).map((e) => e.className)"""
CANVASES = """() => Array.from(document.querySelectorAll("[data-unrolled] canvas")).filter((c) => c.getClientRects().length).map((c) =>
  [c.width - Math.round(c.clientWidth * devicePixelRatio), c.getAttribute("role"), c.getAttribute("aria-label") ?? ""])"""

MODEL = {item.id: item.model for item in LIVE}
OF = {"units": "lstm", "arcs": "transformer", "near": "skipgram"}  # whose the pictures of home are
# what is written next is asked at the end of the text alone
ASKED_AT_THE_END = ("home", "decoding")
NO_CHIPS = ("bert",)  # there a click masks a word: tests/browser/test_words.py
DERIVED = ("bert", "decoding", "documents", "tasks")  # pages that show no field of a trace as it is


def titles(live: Live, also: str = "") -> list[str]:
    """Of the panels; `also`: other parts of them."""
    return [t.inner_text() for t in live.page.locator(f".un-title{also}").all()]


# The page of all kinds here; the others, which share their code, with `make bench`.
KINDS = ("lstm",)
# of pages that read with no model, or with whatever is chosen
OWN = ("preparation", "tokenizers", "merges", "bag", "measures", "inspect", "compare")


@pytest.mark.parametrize(
    "name", [n if n in KINDS else pytest.param(n, marks=pytest.mark.slow) for n in PAGES]
)
def test_page(
    page: Page,
    name: str,
    tmp_path: Path,
    run_of: Callable[[str], Run],
    runs_of: tuple[Path, object],
) -> None:
    live = page(name, query={"text": HOSTILE})
    text_stays_text(live)
    tables_close_again(live)  # thousands of rows of a long text take half a minute
    every_key_is_drawn(live)
    what_is_left_out_is_said(live)
    text = TEXTS.get(name, TEXT)
    live.fill(text[:-6]).type(text[-6:])
    numbers_are_the_models_own(live, RunStore(SHIPPED, runs_of[0] / "runs"))
    if name not in NO_CHIPS:
        pointing_asks_nobody(live)
        the_keyboard_reaches_all(live)
    live.type(" <b>")
    if name == "bert":  # what it guesses for a hidden word is what can be saved
        live.panel("blanks").locator(".un-step").nth(2).click()
        live.settled("masks=")
    run = shown_first(name) or run_of(MODEL.get(name, "ngram")).id
    every_format_is_saved(
        live,
        tmp_path,
        lambda panel: run_of(OF[panel]).id if name == "home" and panel in OF else run,
    )
    for panel in panels(live):
        assert same_words(live, panel, tmp_path).count("<") > 8
    fits_wide_and_narrow_light_and_dark(live)
    if name not in (*NO_CHIPS, "home"):
        a_link_brings_it_back(live, page)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_walked(page: Page, name: str) -> None:
    every_picture_is_walked(page(name).fill(TEXTS.get(name, TEXT)))


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
def test_page_of_its_own_models(page: Page, name: str, tmp_path: Path) -> None:
    live = page(name, query={"text": HOSTILE})
    text_stays_text(live)
    for text in ("", EMOJI, FIVE_THOUSAND, TEXT):
        live.fill(text)
    tables_close_again(live)
    every_panel_speaks(live)
    every_format_is_saved(live, tmp_path, lambda panel: "")
    fits_wide_and_narrow_light_and_dark(live)


def space_tables(model: object) -> tuple[str, ...]:
    return ("neighbours",) if isinstance(model, WordSpace) else ()


def numbers_are_the_models_own(live: Live, store: RunStore) -> None:
    """What is drawn after some keys, of which each reply held only what had changed, is what a trace of
    the whole text says."""
    text, drawn = live.box.input_value(), live.numbers()
    chosen = live.app(
        "(app) => Object.fromEntries(['layer', 'head'].map((a) => [a, app.selection.get(a)]))"
    )
    readers = live.app(
        "(app) => [...app.readers.values()].map(({ spec }) => [spec.id, spec.run, Boolean(spec.of)])"
    )
    seen = 0
    for id, run, compares in readers:
        if compares:
            continue
        prefix = f"{id}." if len(readers) > 1 else ""
        mine = {
            name.removeprefix(prefix): field
            for name, field in drawn.items()
            if name.startswith(prefix)
        }
        model = store.load(store.find(run))
        every = tuple(spec.name for spec in model.spec() if isinstance(spec, FieldSpec))
        names = tuple(name for name in every if name in mine)
        trace = model.trace(
            text, fields=(*names, *({"probability"} & {*every}), *space_tables(model))
        )
        for name in names:
            (axes, _, values), field = mine[name], trace.field(name)
            if name == "probability" and isinstance(model, WordSpace):  # cosines of the nearest
                nearest = trace["neighbours"].columns
                mine = nearest["position"] == nearest["position"].max()
                wanted = nearest["cosine"][mine][: len(values)]
                np.testing.assert_allclose(values, wanted, atol=1e-4)
            elif name == "probability":  # the likeliest alone
                np.testing.assert_allclose(
                    values, np.sort(field.values[-1])[::-1][: len(values)], atol=1e-4
                )
            else:
                field = field.pick(
                    **{
                        a: chosen[a]
                        for a in field.axis_names
                        if a not in axes and chosen.get(a) is not None
                    }
                )
                if field.axis_names != tuple(axes) or field.values.shape != values.shape:
                    continue  # what a page derives under the same name
                np.testing.assert_allclose(values, field.values, atol=2e-4, rtol=1e-4, err_msg=name)
            seen += 1
        if "surprisal" in mine and "probability" in every:
            bits = mine["surprisal"][2][1:]
            if not np.isnan(bits).all():  # where the page says nothing of it
                np.testing.assert_allclose(bits, surprisal(trace)[1:], atol=2e-3)
                seen += 1
    assert seen or live.name in DERIVED, [*drawn]


def text_stays_text(live: Live) -> None:
    expect(live.box).to_have_value(HOSTILE)
    live.fill(HOSTILE + "!").rest()
    for table in live.page.locator('button:text-is("Table"):visible').all():
        table.click()
    made = live.page.evaluate(
        """() => [window.hacked ?? null, document.querySelectorAll(
             '[data-unrolled] script, [data-unrolled] img, [data-unrolled] svg:not(.un-cell), [data-unrolled] a:not(.un-lesson), [onerror], [onload]').length]"""
    )
    assert made == [None, 0]


def tables_close_again(live: Live) -> None:
    for table in live.page.locator('button.un-button:text-is("Table"):visible').all():
        if table.get_attribute("aria-pressed") == "true":
            table.click()


def every_key_is_drawn(live: Live) -> None:
    live.fill("The ")
    for n, key in enumerate("king\nsa", 5):
        live.page.keyboard.press("Enter") if key == "\n" else live.page.keyboard.type(key)
        live.painted()
        assert live.page.get_attribute("[data-unrolled]", "data-painted") == str(n)
    live.page.keyboard.press("Backspace")
    live.painted("The king\ns")
    live.page.keyboard.insert_text(EMOJI)
    live.painted("The king\ns" + EMOJI)
    points = str(10 + len(EMOJI))  # code points, not UTF-16 units
    assert live.page.get_attribute("[data-unrolled]", "data-painted") == points
    live.fill("")
    assert live.page.get_attribute("[data-unrolled]", "data-painted") == "0"


def what_is_left_out_is_said(live: Live) -> None:
    live.fill(FIVE_THOUSAND)
    said = live.page.inner_text(".un-status")
    if live.name == "bert":  # an encoder reads its beginning, and says so where the text is shown
        reads(live.panel("blanks").first, "characters at the end are not read")
        return
    assert "5,000 characters" in said and "shown: characters" in said, said
    earlier = live.page.get_by_role("button", name="‹ earlier")
    expect(earlier, said).to_be_enabled()
    earlier.click()
    live.page.wait_for_function(
        "(said) => document.querySelector('.un-status').textContent !== said", arg=said
    )
    live.type("!")
    reads(live.page.locator(".un-status").first, "5,001")


def pointing_asks_nobody(live: Live) -> None:
    live.alone()
    before = titles(live, ", .un-readout")
    for n in (1, 2, 3):
        live.page.locator(".un-chip").nth(n).hover()
        live.page.wait_for_function(
            "(n) => document.querySelectorAll('.un-chip')[n].className.includes('un-now')", arg=n
        )
    if live.name not in ASKED_AT_THE_END:
        assert titles(live, ", .un-readout") != before, "the panels follow the token"
    live.page.mouse.move(2, 2)
    live.page.wait_for_function("() => !document.querySelector('.un-chip.un-kept')")
    assert titles(live, ", .un-readout") == before
    assert live.sent == 0


def the_keyboard_reaches_all(live: Live) -> None:
    """Tab from the text box reaches the tokens, arrows move, Esc lets go."""
    live.box.focus()
    for _ in range(4):  # past the buttons beside the box
        live.page.keyboard.press("Tab")
    assert live.page.evaluate("document.activeElement.className").startswith("un-chip")
    last = live.page.locator(".un-chip").count() - 1
    live.page.keyboard.press("ArrowLeft")
    live.page.keyboard.press("ArrowLeft")
    kept = "document.querySelector('.un-chip.un-kept')?.dataset.t"
    live.page.wait_for_function(f"{kept} === '{last - 2}'")
    there = live.page.evaluate("document.activeElement.dataset.t")
    assert there == str(last - 2), "the focus goes along"
    live.page.keyboard.press("ArrowRight")
    live.page.wait_for_function(f"{kept} === '{last - 1}'")
    if live.name == "attention":
        look = RunStore().find("transformer").note.get("look", {})
        first = int(live.kept().get("head", look.get("head", 0)))
        live.page.keyboard.press("ArrowDown")
        live.settled(f"head={first + 1}")
    every_panel_speaks(live)
    live.page.keyboard.press("Escape")
    live.page.wait_for_function(f"{kept} === undefined")


# where arrow keys move from in each panel, the picture first; a panel of boxes and lists alone has
# their own keys
WALK = """() => Array.from(document.querySelectorAll(".un-panel")).filter((panel) => panel.checkVisibility()).map((panel) => {
  const all = [...panel.querySelectorAll(".un-body, .un-body :is(canvas, button, input, select, summary, [tabindex])")]
    .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility());
  const free = all.filter((e) => !e.closest("input, select, details, .un-player"));
  const from = free.find((e) => e.matches("canvas")) ?? free.find((e) => e.matches("div")) ?? free[0]
    ?? all.find((e) => e.closest(".un-player"));
  if (from) from.dataset.walk = panel.dataset.panel;
  return [panel.dataset.panel, all.length, !!from, !!from?.closest(".un-player")];
})"""
# works that go on in the browser for as long as somebody waits: what they find is said when it is
# there
SAYS_MS = 20_000


def every_panel_speaks(live: Live) -> None:
    """Each is reached by Tab, arrow keys move in it, and each move is said, with a number."""
    said = 'document.querySelector("%s").textContent'
    keys = "ArrowLeft", "ArrowRight"
    live.rest()  # with which a place for the focus comes
    found = live.page.evaluate(WALK)
    assert all(reached for _, reached, _, _ in found), found
    for n, (id, _, _, plays) in enumerate(one for one in found if one[2]):
        where = f'[data-panel="{id}"] .un-player-said' if plays else ".un-spoken"
        where = said % where.replace('"', "'")
        before = live.page.evaluate(where)
        live.page.locator(f'[data-walk="{id}"]').first.focus()
        live.page.keyboard.press(keys[n % 2])
        try:
            live.page.wait_for_function(
                f"(before) => {where} !== before && /\\d/.test({where})",
                arg=before,
                timeout=SAYS_MS,
            )
        except Exception as problem:
            raise AssertionError(f"{id} says: {live.page.evaluate(where)!r}") from problem


def fits_wide_and_narrow_light_and_dark(live: Live) -> None:
    """Pictures are crisp and described, buttons large enough, nothing hangs over or covers the box.  That
    words are readable, axe says: test_inside.py."""
    before = live.box.input_value()
    live.fill(before + " averyveryverylongwordwithoutanybreak")
    # what hangs over depends on the width, contrast on the theme: each is seen once
    for width, dark in ((1280, False), (390, True)):
        live.page.emulate_media(color_scheme="dark" if dark else "light")
        live.page.set_viewport_size({"width": width, "height": 900})
        live.page.wait_for_function(
            "(dark) => document.querySelector('[data-unrolled]').classList.contains('un-dark') ==="
            " dark",
            arg=dark,
        )
        live.page.wait_for_timeout(300)  # the menu goes or comes
        live.rest()  # with which the words for screen readers come
        found = live.page.evaluate(HANGING)
        assert max(found["wide"]) <= 0 and not found["hanging"], found
        live.page.wait_for_function(f"() => !({COVERED})().length")  # what goes fades first
        ground = live.page.evaluate(
            "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
        )
        assert (ground == "rgb(255, 255, 255)") != dark
        if width == 390:
            assert live.page.evaluate(SMALL) == []
        canvases = live.page.evaluate(CANVASES)
        # panels of words and bars are buttons and text by themselves
        rows = live.page.locator("[data-unrolled] .un-row:visible").count()
        assert canvases or live.name in NO_CHIPS or rows > 5
        for off, role, label in canvases:
            assert abs(off) <= 1, "as many pixels as the screen has"
            assert role == "img" and len(label) > 20
    live.page.set_viewport_size({"width": 1280, "height": 900})
    live.fill(before)


def a_link_brings_it_back(live: Live, page: Page) -> None:
    name, text = live.name, live.box.input_value()
    live.page.locator(".un-chip").nth(2).click()
    url = live.settled("token=2")
    if name == "lstm":
        live.click_in("gates", 0.5, 0.15)  # the candidate, or a neighbour of it, of layer 1
        url = live.settled("layer=0")
        assert live.kept()["field"] in ("gate.forget", "candidate", "gate.output")
        assert int(live.kept()["unit"]) >= 0
    if name == "attention":
        live.click_in("chain", 0.4, 0.1)
        url = live.settled("field=query")
        assert int(live.kept()["unit"]) >= 0
    kept, url = live.rest().kept(), live.page.url
    again = page(name, query=kept)
    again.painted(text)
    # some pictures are made in a moment of rest, later on a busy computer
    soon(again.page, lambda: same_as(live, again))
    assert again.kept() == kept
    assert again.page.url == url
    expect(again.page.locator(".un-chip.un-kept")).to_have_count(1)


def same_as(live: Live, again: Live) -> None:
    """Two pages of one link show the same."""
    assert titles(live) == titles(again)
    before, after = live.numbers(), again.numbers()
    assert set(before) == set(after)
    for field, (_, labels, values) in after.items():
        assert labels == before[field][1], field
        np.testing.assert_allclose(values, before[field][2], atol=1e-5, rtol=1e-4, err_msg=field)
