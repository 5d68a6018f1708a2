"""The page Your texts in a real browser: files are dropped, one of them broken; the text is counted and
taken away.  That it is renamed and deleted: tests/pages/test_corpora.py."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.runs.store import Run
from engine.text import collection
from engine.text.collection import Library, counting
from tests.bench.server import Server
from tests.browser.conftest import WIDE, enter, reads

ODD = "<img src=x onerror=alert(1)>"
NOVEL = "Chapter <b>one</b>: a café by the sea\n\n" + "\n\n".join(
    f"The captain saw {n} ships, and **nobody** saw the captain." for n in range(300)
)


@pytest.mark.slow
def test_a_text_comes_is_counted_and_taken_along(
    tab: Callable[..., Any],
    server: Server,
    runs_of: tuple[Path, Callable[[str], Run]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(runs_of[0]))
    counting.count(collection.find("reviews"))
    # the large ones are not counted here: that takes their process some seconds
    for corpus in collection.list_all():
        if counting.read_counted(corpus) is None:
            kept, key = counting._cache(), counting._key
            shutil.copy(kept.path(key(collection.find("reviews"))), kept.path(key(corpus)))
    before = {corpus.id for corpus in Library().all()}
    page = tab()
    try:
        page.goto(f"{server.url}/corpora")
        chart = page.get_by_test_id("stVegaLiteChart").nth(1)
        chart.locator("canvas, svg").first.wait_for()
        assert page.evaluate(WIDE) == [0, 0]
        page.locator('input[type="file"]').set_input_files(
            [
                {"name": name, "mimeType": kind, "buffer": raw}
                for name, kind, raw in (
                    (f"{ODD}.txt", "text/plain", NOVEL.encode("cp1252") + b"\0\0"),
                    ("broken.docx", "application/octet-stream", b"PK\x03\x04 torn"),
                )
            ]
        )
        page.get_by_text("decoded as cp1252; 2 NUL characters removed").wait_for()
        said = page.get_by_text("broken.docx: ", exact=False).last.inner_text()
        assert said.count("damaged") == 1
        expect(page.locator("img[src=x]")).to_have_count(0)
        enter(page.get_by_label("Name", exact=True), "My *novel*")
        page.get_by_role("button", name="Add this text").click()
        page.get_by_text("“My *novel*” is added", exact=False).wait_for()
        page.wait_for_function("() => location.search.includes('corpus=my-novel-')")
        (stored,) = [corpus for corpus in Library().all() if corpus.id not in before]
        assert stored.whole().rstrip("\n") == NOVEL
        words = Counter(re.findall(r"\w+", NOVEL.lower()))
        page.get_by_text(f"{len(words):,} different words").wait_for()
        reads(page.get_by_text("different words in").first, f"“the” {words['the']:,}")

        page.get_by_role("button", name="Download the text").click()
        with page.expect_download() as got:
            page.get_by_role("button", name="The text", exact=True).click()
        assert Path(got.value.path()).read_text("utf-8") == stored.whole()
        assert got.value.suggested_filename == f"{stored.id}.txt"
        page.keyboard.press("Escape")

        page.get_by_role("button", name="Open in a lesson").click()
        link = page.get_by_role("link", name="Smoothing").last
        expect(link).to_have_attribute(
            "href", re.compile(rf"smoothing\?(.*&)?corpus={stored.id}\b")
        )
    finally:
        for corpus in Library().all():
            if corpus.id not in before:
                Library().delete(corpus.id)
        page.close()


@pytest.mark.slow
def test_what_the_browser_said_before_an_answer_does_not_undo_it(
    tab: Callable[..., Any], runs_of: tuple[Path, Callable[[str], Run]], server: Server
) -> None:
    """A page that looks again by itself may send its old choices while a new text is on its way."""
    page = tab()
    said: list[Any] = []

    def carry(here: Any) -> None:
        there = here.connect_to_server()

        def hear(message: Any) -> None:
            said.append((there, message))
            there.send(message)

        here.on_message(hear)

    def chosen() -> str:
        return str(page.evaluate("new URLSearchParams(location.search).get('corpus')"))

    page.route_web_socket(re.compile("/_stcore/stream"), carry)
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    id = ""
    try:
        page.goto(f"{server.url}/corpora")
        page.get_by_text("different words in").first.wait_for()
        page.get_by_text("Add a text").first.click()
        page.locator("[data-testid=stExpander] textarea").first.fill(NOVEL)
        page.keyboard.press("Control+Enter")
        add = page.get_by_role("button", name="Add this text")
        add.wait_for()
        there, old = said[-1]
        assert b"The Python language reference" in old  # the choice of then
        add.click()
        page.get_by_text("is added, and shown below").wait_for()
        page.wait_for_function("() => location.search.includes('corpus=chapter')")
        id = chosen()
        there.send(old)
        page.wait_for_timeout(3_000)
        assert chosen() == id and not [one for one in addresses if "corpus=python_docs" in one]
        page.get_by_role("button", name="Delete", exact=True).wait_for()
        # a step of the first minute shows another text, and going back gives this one again
        page.get_by_role("button", name="First minute", exact=True).click()
        page.locator(".un-minute").wait_for()
        page.get_by_role("button", name="Delete", exact=True).wait_for(state="detached")
        page.locator(".un-minute").get_by_role("button", name="Back", exact=True).click()
        page.get_by_role("button", name="Delete", exact=True).wait_for()
        assert chosen() == id
    finally:
        if id:
            Library(runs_of[0] / "corpora").delete(id)
        page.close()
