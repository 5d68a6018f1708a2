"""A long text in a real browser: walked through by the strip, and the numbers are those of a direct
trace of the part shown."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.measure import surprisal
from engine.live import window as windows
from engine.runs.store import Run, RunStore
from tests.browser.conftest import WAIT_MS, Live
from tests.conftest import LINES

Page = Callable[..., Live]
RunOf = Callable[[str], Run]
WORDS = " ".join(LINES).split()


def written(characters: int) -> str:
    pick = random.Random(1)
    return "\n".join(" ".join(pick.choices(WORDS, k=12)) for _ in range(characters // 30))[
        :characters
    ]


def whole(live: Live) -> None:
    live.page.wait_for_function(
        "document.querySelector('.un-band').dataset.read === '1'", timeout=WAIT_MS
    )


def window(live: Live) -> tuple[int, int]:
    said = live.page.locator(".un-band canvas").get_attribute("aria-valuetext")
    start, stop = (int(n.replace(",", "")) for n in re.findall(r"[\d,]+", said)[:2])
    return start - 1, stop


def moved(live: Live, before: tuple[int, int]) -> tuple[int, int]:
    """Wait until another part is shown, and the strip and the line under the box agree on which."""
    live.page.wait_for_function(
        """(start) => {
          const part = (words) => (words ?? "").match(/characters ([\\d,]+) to ([\\d,]+)/)?.slice(1).map((n) => Number(n.replaceAll(",", "")));
          const said = part(document.querySelector(".un-status").textContent.split("shown: ")[1]);
          const marked = part(document.querySelector(".un-band canvas").getAttribute("aria-valuetext"));
          return said && marked && said[0] - 1 !== start && said.join() === marked.join();
        }""",
        arg=before[0],
        timeout=WAIT_MS,
    )
    return window(live)


def bits_of(live: Live, run: Run, text: str, shown: tuple[int, int]) -> None:
    """What the chips say is what a trace of just these tokens says."""
    model = RunStore().load(run)
    tokens = model.tokens(text)
    first, stop = windows.cut(tokens, shown)
    trace = model.trace(text, fields=("probability",), window=(first, stop))
    _, (labels,), bits = live.numbers()["surprisal"]
    assert tuple(labels) == tokens.labels[first:stop] and len(labels) > 20
    np.testing.assert_allclose(bits[1:], surprisal(trace)[1:], atol=1e-3)


LATE = """() => {
  let node = document.querySelector("[data-unrolled]");
  while (!node.unrolledApp) node = node.parentNode ?? node.host;
  const app = node.unrolledApp, send = app.send;
  app.send = function (...how) { send.apply(this, how); if (this.text === this.box.value) this.lose(); };
}"""


@pytest.mark.slow
def test_a_text_is_read_to_its_end_where_every_answer_comes_late(page: Page) -> None:
    live = page("lstm")
    live.page.evaluate(LATE)
    live.box.fill(written(6_000))
    whole(live)


@pytest.mark.slow
def test_a_hundred_thousand_characters(page: Page, run_of: RunOf) -> None:
    text = written(100_000)
    live = page("ngrams").fill(text)
    whole(live)
    first = window(live)
    assert first[0] == 0  # what comes in one go is read from its beginning
    live.page.get_by_role("button", name="List of surprises").click()
    peak = live.page.locator(".un-band-list button").last
    said = peak.inner_text()
    peak.click()
    there = moved(live, first)
    assert there[1] - there[0] == 600
    place = int(said.rsplit(" at character ", 1)[1].split(":")[0].replace(",", "")) - 1
    assert (
        there[0] <= place < there[1] and live.page.locator(".un-chip.un-kept").inner_text() in said
    )
    bits_of(live, run_of("ngram"), text, there)
    drawn = live.page.evaluate(
        "Object.values(document.querySelector('[data-unrolled]').unrolled.fields).map((f) =>"
        " f.values.length)"
    )
    assert sum(drawn) < 5000  # not the numbers of the text: those of the part
    canvas = live.page.locator(".un-band canvas")
    canvas.press("Home")
    assert moved(live, there)[0] == 0
    canvas.press("End")
    end = moved(live, (0, 600))
    assert end[1] == len(text)
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    middle = moved(live, end)
    assert abs(middle[0] - 50_000) < 3000
    bits_of(live, run_of("ngram"), text, middle)
    edge, high = canvas.bounding_box(), box["height"] / 2
    live.page.mouse.move(edge["x"] + box["width"] / 2, edge["y"] + high)
    live.page.mouse.down()
    for share in (0.6, 0.7, 0.8, 0.9):
        live.page.mouse.move(edge["x"] + share * box["width"], edge["y"] + high)
    live.page.mouse.up()
    live.page.wait_for_function(
        "Number(document.querySelector('.un-band canvas').getAttribute('aria-valuenow')) > 85000",
        timeout=WAIT_MS,
    )
    dragged = moved(live, middle)
    assert abs(dragged[0] - 89_700) < 1500
    live.box.press("Control+End")
    live.page.keyboard.type("x")  # typing means looking at the end
    live.painted()


def test_a_link_opens_a_part(page: Page) -> None:
    text = written(1500)
    live = page("lstm", query={"text": text, "start": 640, "zoom": "500-1500"})
    shown = moved(live, (0, 256)) if window(live)[0] == 0 else window(live)
    assert shown == (640, 896)
    assert "start=640" in live.settled("zoom=500-1500")


def files(live: Live, name: str, content: bytes) -> str:
    live.page.locator(".un-does input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    live.page.wait_for_function(
        "(name) => document.querySelector('.un-tip').textContent.includes(name)",
        arg=name,
        timeout=WAIT_MS,
    )
    return str(live.page.locator(".un-tip").inner_text())


@pytest.mark.slow
def test_files(page: Page) -> None:
    live = page("ngrams")
    assert (
        files(live, "a.txt", "\ufeffThe caf\u00e9.\r\nIt is".encode()) == "“a.txt”: 15 characters."
    )
    live.painted("The caf\u00e9.\nIt is")
    assert "windows-1252" in files(live, "b.txt", "The caf\u00e9 is".encode("cp1252"))
    live.painted("The caf\u00e9 is")
    assert "utf-16le" in files(live, "c.txt", "The king".encode("utf-16-le"))
    live.painted("The king")
    assert "2 control characters" in files(live, "d.txt", b"The\0 old king said\0 yes and went")
    live.painted("The old king said yes and went")
    assert "first 99,999 characters" in files(
        live, "e.txt", ("\U0001f642" + "the king " * 20_000).encode()
    )
    live.page.wait_for_function("document.querySelector('textarea.un-text').value.length <= 100000")
    live.painted()
    held = live.box.input_value()
    # the emoji counts twice in a text box
    assert held.startswith("\U0001f642the king the") and len(held) == 99_999
    for name, content, says in (
        ("f.txt", b"", "is empty"),
        ("g.docx", b"PK\x03\x04\x00", "zip archive"),
        ("h.bin", bytes(range(32)) * 40, "not a text"),
        ("i.txt", b" \n\n ", "white space"),
    ):
        assert says in files(live, name, content)
        expect(live.box).to_have_value(held)  # the text stays
