"""Tokenizers in a real browser: a click keeps a piece, the slider cuts anew, a file joins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.text.tokenizer_comparison import shipped
from tests.browser.conftest import Live
from tests.lessons.test_tokenizers import a_file

TEXT = "The cat's unhappinesses!"


@pytest.mark.slow
def test_click_slide_and_add_a_file(page: Callable[..., Live], tmp_path: Path) -> None:
    live = page("tokenizers", query={"text": TEXT[:-1]}).type(TEXT[-1])

    def lengths(size: int) -> list[int]:
        last = shipped.SIZES[-1]
        sizes = [size if len(shipped.sizes(item.id)) > 1 else last for item in shipped.ALL]
        opened = [shipped.opened(i.id, n) for i, n in zip(shipped.ALL, sizes, strict=True)]
        return [len(one.encode(TEXT)) for one in opened]

    _, labels, values = live.numbers()["tokens"]
    assert labels[0] == [item.title for item in shipped.ALL]
    assert values.tolist() == lengths(shipped.FIRST)

    # a click keeps a piece, and says what the others make of the same characters; Esc lets go
    live.says("pieces", "A dashed frame")
    live.click_in("pieces", 0.16, 0.17)  # the first letter, in the first row
    live.page.mouse.move(0, 0)
    live.says("pieces", "“T”, number")
    whole = shipped.opened("bpe", shipped.FIRST).encode(TEXT).labels[0]
    short = next(item.short for item in shipped.ALL if item.id == "bpe")
    live.says("pieces", f"{short} {whole}")
    assert "reader=chars" in live.settled("token=0")
    live.page.keyboard.press("Escape")
    live.says("pieces", "A dashed frame")

    # the slider goes back through the merges
    live.page.locator("#un-size").press("Home")
    live.page.wait_for_function(
        "(n) => document.querySelector('[data-unrolled]').unrolled.fields.tokens.values[5] === n",
        arg=lengths(512)[5],
    )
    assert live.numbers()["tokens"][2].tolist() == lengths(512)
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
        "() => document.querySelector('[data-unrolled]').unrolled.fields.tokens?.labels[0]"
        ".includes('tokenizer (BPE)')"
    )
    expect(live.box).to_have_value(TEXT)
    assert live.numbers()["tokens"][2][: len(shipped.ALL)].tolist() == lengths(512)
