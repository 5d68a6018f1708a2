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
    axes, labels, values = live.numbers()["bits_per_character"]
    assert values[labels[0].index("BPE over bytes")] == pytest.approx(
        bits_B.sum() / len(text), rel=1e-4
    )

    # the last word is looked at when nothing is pointed at; a click keeps a piece, and Esc lets go
    rows = live.page.locator('[data-panel="covers"] .un-body tr')
    expect(rows.nth(3)).to_contain_text("unhappinesses!", use_inner_text=True)
    live.page.locator('[data-panel="pieces"] canvas').scroll_into_view_if_needed()
    live.page.mouse.move(0, 0)
    live.click_in("pieces", 0.16, 0.17)  # the first letter, in the first row
    expect(live.page.locator('[data-panel="covers"] .un-title')).to_have_text(
        "“T” in every tokenizer", use_inner_text=True
    )
    assert "reader=chars" in live.settled("token=0")
    live.page.keyboard.press("Escape")
    live.page.mouse.move(0, 0)
    live.page.wait_for_function(
        """() => document.querySelector('[data-panel="covers"] .un-title').textContent.includes("unhappinesses!")"""
    )

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
