"""Pictures that play: within five seconds, told in the model's own numbers, and nobody is asked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import COUNT_SENT, QUIET, Live
from tests.conftest import shipped

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
LONGEST = 5.0  # seconds, as in assets/live/parts/playback.js
KNOCK, SHOOK = "There was a knock at the", "He shook his"
TOLD = """(id) => {
  const panel = document.querySelector(`[data-panel="${id}"]`), said = panel.querySelector(".un-player-said");
  window.told = [];
  new MutationObserver(() => said.textContent && window.told.push(said.textContent)).observe(said, { childList: true, characterData: true, subtree: true });
}"""


def played(live: Live, id: str) -> list[str]:
    """What is told while a panel plays from its first step to its last."""
    panel = live.page.locator(f'[data-panel="{id}"]')
    panel.scroll_into_view_if_needed()
    live.page.evaluate(COUNT_SENT)
    live.page.wait_for_function(QUIET)
    live.page.evaluate(TOLD, id)
    sent, began = live.page.evaluate("window.sent"), time.monotonic()
    panel.get_by_role("button", name="Play").click()
    panel.get_by_role("button", name="Pause").wait_for()
    assert live.page.evaluate("window.sent") == sent
    panel.get_by_role("button", name="Play").wait_for()
    assert time.monotonic() - began < LONGEST + 2, "a busy computer may draw late"
    told: list[str] = live.page.evaluate("[...new Set(window.told)]")
    assert told[-1].endswith(".")
    return told


def number(words: str) -> float:
    return float(words.replace("−", "-"))


def test_back_off_from_order_to_order(page: Page) -> None:
    live: Any = page("ngrams", query={"text": KNOCK})
    told = played(live, "ladder")
    left_M = np.cumprod(shipped("ngram").trace(KNOCK).field("backoff").values[-1][:0:-1])
    found = [re.search(r"order (\d) adds .*; (\S+) % goes on down", words) for words in told]
    shares = {int(m[1]): number(m[2]) for m in found if m}
    assert list(shares) == list(range(len(left_M), 0, -1))
    assert list(shares.values()) == pytest.approx(100 * left_M, rel=0.01)
    assert "uniform adds" in told[-1]

    # a key ends it, and all bars are there again
    panel = live.page.locator('[data-panel="ladder"]')
    panel.get_by_role("button", name="Play").click()
    live.type("y")
    panel.get_by_role("button", name="Play").wait_for()
    expect(panel.locator(".un-player-said")).to_have_text("", use_inner_text=True)
    expect(panel.locator(".un-coming")).to_have_count(0)


@pytest.mark.slow
def test_merges_one_after_another(page: Page) -> None:
    text = "cats rats bats hats mats"
    live: Any = page("merges", query={"text": text, "rules": "whole_letters"})
    told = played(live, "merges")
    for words in told:
        if found := re.search(r"the last made “(.+)”, (\d+) times", words):
            assert text.count(found[1].replace("·", " ")) == int(found[2])
    assert told[0].startswith("0 of 3 merges") and told[-1].startswith("3 of 3 merges")
    live.settled("stop=3")
