"""What a chat template adds, in a real browser: folded among the tokens, opened by a click, and in every picture."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.runs import imported
from engine.runs.store import Run
from tests.browser.conftest import Live, expect
from tests.models.checkpoints import saved
from tests.text.test_chat import CHATML


@pytest.fixture
def talks(runs_of: tuple[Path, Any], tmp_path: Path) -> Iterator[Run]:
    saved("llama", tmp_path / "there")
    (tmp_path / "there" / "chat_template.jinja").write_text(CHATML)
    made = imported.store(str(tmp_path / "there"), runs_of[0] / "runs" / "talks")
    yield made
    shutil.rmtree(made.folder)


def test_what_a_template_adds_is_folded_and_opens(talks: Run, page: Callable[..., Live]) -> None:
    live = page("transformer", query={"run": talks.id, "text": "the cat sat"})
    live.page.get_by_text("As a conversation").click()
    folds, chips = (
        live.page.locator(".un-fold"),
        live.page.locator(".un-chip:not(.un-fold):visible"),
    )
    # the small tokenizer writes roles in bytes, so none is known: tests/js/template.test.js
    expect(folds).to_have_text([re.compile(r"^▸ chat template \d+$")] * 2)
    typed = chips.count()
    count = "[...document.querySelector('.un').parentElement.unrolledApp.readers.values()][0].total"
    total = live.page.evaluate(count)
    sizes = [int(text.split()[-1]) for text in folds.all_inner_texts()]
    assert typed + sum(sizes) == total
    assert folds.last.get_attribute("class") == "un-chip un-fold un-now"
    folds.first.click()
    expect(folds.first).to_have_attribute("aria-expanded", "true")
    assert chips.count() == typed + sizes[0]
    # typed on, it stays open, and the last stands behind what is typed
    live.page.locator("textarea").first.fill("the cat sat on")
    live.page.wait_for_function(f"() => {count} > {total}")
    expect(folds.first).to_have_attribute("aria-expanded", "true")
    last = live.page.locator(".un-chips > :nth-last-child(1 of .un-chip:not([hidden]))")
    expect(last).to_have_text(folds.last.inner_text())
    folds.first.click()
    # a token in a folded group that is kept opens it, and lets go folds it again
    live.page.mouse.move(0, 0)
    folds.last.focus()
    for _time in range(2):
        live.page.keyboard.press("ArrowLeft")
    expect(folds.last).to_have_attribute("aria-expanded", "true")
    live.page.keyboard.press("Escape")
    expect(folds.last).to_have_attribute("aria-expanded", "false")
    live.page.get_by_text("As a conversation").click()
    expect(folds).to_have_count(0)
