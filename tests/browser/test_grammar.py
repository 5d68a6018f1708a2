"""Every declared picture of every lesson: its words are whole, it is walked, drawn on a phone and in the dark,
saved as it stands; what only changes the drawing asks nothing, what is derived anew asks once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import ROOT
from tests.browser.conftest import FRAMES, TEXT, TEXTS, Live
from tests.browser.saving import same_words
from tests.browser.walking import WALK
from tests.conftest import Sweep

Page = Callable[..., Live]
SOME = 6  # places of a picture that are walked; all of them in test_every_page.py, where it is slow
DECLARED = {
    folder.name: {*re.findall(r"pic\.([A-Z]\w+)\(", source)} - {"Table"}  # each picture has one
    for folder in sorted((ROOT / "engine" / "lessons").glob("*/"))
    if "pic.Live(" in (source := "".join(p.read_text("utf-8") for p in folder.glob("*.py")))
}


def some() -> list[str]:
    """Pages that show each word of the grammar at least once; the others with `make bench`."""
    left, found = set[str]().union(*DECLARED.values()), list[str]()
    while left:
        found.append(max(DECLARED, key=lambda name: len(DECLARED[name] & left)))
        left -= DECLARED[found[-1]]
    return found


SOME_PAGES = some()
WORDS = re.compile(r"[{}]|\[\?|undefined|NaN|n/a|\bnull\b")  # of a template that is not filled

# Of each declared picture: what is said of it, whether it is wider than its panel, how much of it is drawn.
LOOK = """(app) => {
  return app.panels.filter((p) => p.spec.kind.startsWith("grammar/")).map((p) => {
    p.describe();
    const canvas = p.body.querySelector("canvas");
    const inked = canvas?.width > 1 && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const { columns, rows } = p.listed();
    return {
      id: p.spec.id, words: [p.title.textContent, p.says.textContent, p.readout.textContent, p.view.alt()],
      label: (canvas ?? p.body).getAttribute("aria-label"),
      wide: p.body.scrollWidth - p.body.clientWidth,
      inked: canvas ? inked && new Set(new Uint32Array(inked.buffer)).size : p.body.textContent.length,
      columns, rows: rows.map((row) => row.map(String)),
    };
  });
}"""


def looked(live: Live) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = live.rest().app(LOOK)
    assert found, "nothing is declared"
    return found


def words(picture: dict[str, Any]) -> str:
    return " ".join(picture["words"])


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in SOME_PAGES else pytest.mark.slow) for n in DECLARED]
)
def test_page(page: Page, name: str, tmp_path: Path) -> None:
    """One visit, and one more in German, of the first page here: loading a page is what costs."""
    live, text = page(name), TEXTS.get(name, TEXT)
    pictures = looked(live.fill(text))
    for picture in pictures:
        is_whole(picture)
    every_picture_is_walked(live, {picture["id"] for picture in pictures})
    what_is_saved_is_on_the_screen(live, pictures, tmp_path)
    nothing_typed_is_said(live)
    live.fill(text)
    only_what_is_derived_anew_is_asked_for(live)
    live.page.set_viewport_size({"width": 390, "height": 844})
    live.page.emulate_media(color_scheme="dark")
    for picture in looked(live.fill(text)):
        is_whole(picture)
    if Sweep.whole or name == SOME_PAGES[0]:
        live.page.set_viewport_size({"width": 1280, "height": 900})
        live.page.emulate_media(color_scheme="light")
        german_is_filled(live.open(lang="de").fill(text), pictures)


def is_whole(picture: dict[str, Any]) -> None:
    where = picture["id"]
    assert not WORDS.search(words(picture)), (where, picture["words"])
    title, _, told, alt = picture["words"]
    assert title and re.search(r"\d", told), where
    assert alt.startswith(title) and told in alt and picture["label"] == alt, where
    assert picture["wide"] <= 1, f"{where} is wider than the screen"
    assert picture["inked"] > 20, where
    columns, rows = picture["columns"], picture["rows"]
    assert rows and all(len(row) == len(columns) for row in rows), where
    assert not WORDS.search(" ".join(cell for row in rows for cell in row)), where


def nothing_typed_is_said(live: Live) -> None:
    live.fill("")
    for picture in looked(live):
        assert not WORDS.search(words(picture)) and picture["words"][0], picture


def german_is_filled(live: Live, pictures: list[dict[str, Any]]) -> None:
    english = {one["id"]: one["words"] for one in pictures}
    for picture in looked(live):
        assert not WORDS.search(words(picture)), picture["words"]
        for ours, theirs in zip(picture["words"][1:], english[picture["id"]][1:], strict=True):
            assert ours != theirs or not theirs, picture["id"]


def every_picture_is_walked(live: Live, ids: set[str]) -> None:
    for panel, found, reached, missed, said in live.app(WALK, SOME):
        if panel in ids and found:
            assert reached > (found > 1), f"{panel}: {found} places, and no key leads there"
            assert found > SOME or not missed, f"{panel}: {missed[:3]}"
            assert all(re.search(r"\d", one) for one in said), panel


def what_is_saved_is_on_the_screen(
    live: Live, pictures: list[dict[str, Any]], folder: Path
) -> None:
    for picture in pictures:
        live.page.mouse.move(1, 1)  # over no picture
        live.page.evaluate(FRAMES)
        assert same_words(live, picture["id"], folder).count("<") > 20


def only_what_is_derived_anew_is_asked_for(live: Live) -> None:
    """Pointing, and each button and list above a picture: a message is sent where Python reads what is
    chosen, and then one."""
    live.alone()
    for canvas in live.page.locator("[data-panel] canvas").all():
        canvas.scroll_into_view_if_needed()
        size = canvas.bounding_box()
        assert size
        for part in (0.3, 0.6):
            live.page.mouse.move(
                size["x"] + size["width"] * part, size["y"] + size["height"] * part
            )
            live.page.evaluate(FRAMES)
    assert live.sent == 0, "pointing"
    chosen = live.app(
        """async (app) => {
          const found = [], frame = () => new Promise(requestAnimationFrame);
          for (const panel of app.panels.filter((p) => p.spec.kind.startsWith("grammar/")))
            for (const [i, { kind, name, asks, start = 0 }] of (panel.spec.controls ?? []).entries()) {
              if (kind === "player") continue;
              const node = [panel.view.controls[i].node].flat().at(-1), before = app.seq;
              const list = node.matches("select") ? node : node.querySelector("select");
              const range = node.matches("input");
              if (range) node.value = String(Number(node.max) - Number(node.step)), node.oninput();
              else if (list) list.selectedIndex = list.selectedIndex === 2 ? 1 : 2, list.onchange();
              else node.click();
              await frame(), await frame();
              // an answer that takes long is waited for: only then the next one is asked
              for (let n = 0; n < 200 && app.sent; n++) await new Promise((done) => setTimeout(done, 50));
              found.push([`${panel.spec.id} ${kind} ${name ?? ""}`, Boolean(asks), app.seq - before]);
            }
          return found;
        }"""
    )
    for control, asks, sent in chosen:
        assert sent == int(asks), (control, sent)
