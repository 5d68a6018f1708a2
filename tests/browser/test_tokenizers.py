"""Tokenizers in a real browser: the pieces drawn are the tokenizers', hover lights up the same
characters, the slider cuts, a file joins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.text.tokenizer_comparison import shipped
from tests.browser.conftest import Live
from tests.lessons.test_tokenizers import a_file

pytestmark = pytest.mark.browser
TEXT = "The cat's unhappiness"


def lengths(text: str, size: int) -> list[int]:
    return [
        len(
            shipped.opened(
                item.id, size if len(shipped.sizes(item.id)) > 1 else shipped.SIZES[-1]
            ).encode(text)
        )
        for item in shipped.ALL
    ]


def rows(live: Live) -> list[list[str]]:
    """The table of what is counted."""
    app = "document.querySelector('[data-unrolled]').parentElement.unrolledApp"
    find = f"{app}.panels.find((one) => one.spec.id === 'counted').listed().rows"
    return [[str(cell) for cell in row] for row in live.page.evaluate(find)]


def test_type_hover_slide_and_add_a_file(page: Callable[..., Live], tmp_path: Path) -> None:
    live = page("tokenizers", query={"text": TEXT, "tok_part": "Marks"})
    live.type("es!")
    text = TEXT + "es!"
    axes, labels, values = live.numbers()["tokens"]
    assert axes == ["method"] and labels[0] == [item.title for item in shipped.ALL]
    assert values.tolist() == lengths(text, shipped.FIRST)
    bits_B = shipped.bits("bpe", shipped.FIRST)[
        shipped.opened("bpe", shipped.FIRST).encode(text).ids
    ]
    counted = {row[0]: row for row in rows(live)}
    assert [counted[item.title][1] for item in shipped.ALL] == [*map(str, values.astype(int))]
    assert counted["BPE over bytes"][6] == f"{bits_B.sum() / len(text):.3g}"

    # a click keeps a piece, and says what the others make of the same characters; Esc lets go
    said = live.page.locator('[data-panel="pieces"] .un-readout')
    expect(said).to_contain_text("A dashed frame", use_inner_text=True)
    live.page.locator('[data-panel="pieces"] canvas').scroll_into_view_if_needed()
    live.page.mouse.move(0, 0)
    live.click_in("pieces", 0.16, 0.17)  # the first letter, in the first row
    expect(said).to_contain_text("“T”, number", use_inner_text=True)
    whole = shipped.opened("bpe", shipped.FIRST).encode(text).labels[0]
    short = next(item.short for item in shipped.ALL if item.id == "bpe")
    expect(said).to_contain_text(f"{short} {whole}", use_inner_text=True)
    assert "reader=chars" in live.settled("token=0")
    live.page.keyboard.press("Escape")
    live.page.mouse.move(0, 0)
    expect(said).to_contain_text("A dashed frame", use_inner_text=True)

    # the slider goes back through the merges
    live.page.locator("#un-size").press("Home")
    live.page.wait_for_function(
        "(n) => document.querySelector('[data-unrolled]').unrolled.fields.tokens.values[5] === n",
        arg=lengths(text, 512)[5],
    )
    assert live.numbers()["tokens"][2].tolist() == lengths(text, 512)
    live.settled("size=512")

    # a tokenizer.json joins the stack; one that is none gets a sentence
    good, bad = tmp_path / "tokenizer.json", tmp_path / "other.json"
    good.write_bytes(a_file())
    bad.write_bytes(b"{}")
    live.page.get_by_text("Add a tokenizer").click()
    live.page.locator('[data-testid="stFileUploaderDropzone"]').wait_for()
    live.page.wait_for_timeout(500)  # nobody drops a file into a box that is still opening
    chooser = live.page.locator('[data-testid="stFileUploaderDropzone"] input')
    chooser.set_input_files(bad)
    live.page.get_by_text("This JSON is no tokenizer.json").wait_for()
    live.page.locator('[data-testid="stFileUploader"] button[aria-label^="Remove"]').click()
    chooser.set_input_files(good)
    live.page.wait_for_function(
        "() =>"
        " document.querySelector('[data-unrolled]').unrolled.fields.tokens?.labels[0].includes('tokenizer"
        " (BPE)')"
    )
    expect(live.box).to_have_value(text)
    np.testing.assert_array_equal(
        live.numbers()["tokens"][2][: len(shipped.ALL)], lengths(text, 512)
    )
