"""The Merges page in a real browser, one visit: the slider asks nobody, tokens are the engine's, and
the parts below read what is typed above."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.lessons.merges.parts import replayed
from engine.text.subword import study
from engine.text.subword.words import readable
from tests.browser.conftest import COUNT_SENT, WAIT_MS, Live
from tests.browser.test_every_page import CONTRAST, HANGING, SMALL

pytestmark = pytest.mark.browser
TEXT = "low lower lowest new newer newest low low"
WORDS = ", ".join(
    f".un-{name}"
    for name in "says readout button merge-said merge-head row-label row-value".split()
)


def tokens(live: Live) -> list[str]:
    return [
        t.replace("·", " ") for t in live.page.locator(".un-is-merges .un-token").all_inner_texts()
    ]


def said(live: Live) -> dict[str, Any]:
    """What Python has said of the text."""
    app = "document.querySelector('[data-unrolled]').parentElement.unrolledApp"
    return dict(live.page.evaluate(f"{app}.readers.get('merges').said"))


def chosen(live: Live, rules: str) -> None:
    kind, ties = rules.split("_")
    selects = live.page.locator(".un-is-merges select")
    selects.nth(0).select_option(kind)
    if kind != "wordpiece":
        selects.nth(1).select_option(ties)
    live.page.wait_for_function(
        """([kind, ties]) => { const { said } = document.querySelector("[data-unrolled]").parentElement.unrolledApp.readers.get("merges");
             return said.kind === kind && (kind === "wordpiece" || said.ties === ties); }""",
        arg=[kind, ties],
        timeout=WAIT_MS,
    )


def at(live: Live, step: int) -> None:
    live.page.locator("#un-merge").fill(str(step))
    live.page.wait_for_function(
        "(n) => document.querySelector('.un-is-merges"
        " .un-player-said').textContent.startsWith(`${n} of `)",
        arg=step,
    )


@pytest.mark.slow
def test_a_training(page: Callable[..., Live]) -> None:
    live: Any = page("merges", query={"text": TEXT, "stop": 2})
    # every step as the engine has it; moving asks nobody
    found = study.study(TEXT, "chars", "letters")
    live.page.evaluate(COUNT_SENT)
    for step in range(len(found.steps) + 1):
        at(live, step)
        assert tokens(live) == found.tokens(step)
        rows = found.steps[step].rows if step < len(found.steps) else found.after
        assert live.numbers()["pair.count"][2].tolist() == [row[2] for row in rows]
    assert live.page.evaluate("window.sent") == 0
    assert said(live)["sizes"] == found.sizes
    assert said(live)["lengths"] == found.lengths
    expect(live.page.locator(".un-is-merges")).to_contain_text(
        "No pair occurs twice any more", use_inner_text=True
    )

    # how a token came about, at a click; Play goes on by itself and stops at the end
    live.page.locator(".un-is-merges .un-token", has_text="·newe").first.click()
    made = {s.piece: (n, s.a, s.b) for n, s in reversed([*enumerate(found.steps, 1)])}

    def parts(piece: str) -> set[tuple[int, str]]:
        n, a, b = made.get(piece, (0, "", ""))
        whole, first, second = (name.replace(" ", "·") for name in (piece, a, b))
        own = {(n, f"{whole} = {first} + {second} (merge {n})")}
        return own | parts(a) | parts(b) if n else set()

    wanted = "; ".join(said for _, said in sorted(parts(" newe"), reverse=True))
    assert [n for n, _ in sorted(parts(" newe"))] == [4, 5, 6, 8]
    expect(live.page.locator(".un-is-merges .un-readout")).to_contain_text(
        f"How “·newe” was built: {wanted}.", use_inner_text=True
    )
    at(live, len(found.steps) - 1)
    live.page.get_by_role("button", name="Play").click()
    live.page.wait_for_function(
        "document.querySelector('.un-is-merges .un-player-said').textContent.startsWith('9 of 9')",
        timeout=WAIT_MS,
    )
    live.page.get_by_role("button", name="Play").wait_for()

    # other rules and a key: over bytes, without words, with </w>, by score
    live.type(" 😀😀 é é")
    text = f"{TEXT} 😀😀 é é"
    for rules in ("whole_seen", "classic_ids", "wordpiece_letters", "bytes_letters"):
        chosen(live, rules)
        found = study.study(text, *rules.split("_"))
        assert said(live)["lengths"] == found.lengths, rules
        at(live, len(found.steps))
        write = readable if rules.startswith("bytes") else str
        assert tokens(live) == [*map(write, found.tokens(len(found.steps)))], rules

    # the part below reads the text above, and an old link leads to it
    live.page.goto(f"{live.url}/merges?panel=replay&text=low lower lowest")
    live.ready()
    part = live.page.locator(".st-key-part-cut-a-new-word")
    expect(part.get_by_label("A text to learn from")).to_have_value("low lower lowest")
    part.get_by_label("A new word").fill(" slowest")
    learned = study.study("low lower lowest", "chars", "letters")
    count = len(replayed(learned, " slowest", len(learned.steps))[-1][1])
    expect(part).to_contain_text(f"{count} tokens.", use_inner_text=True)

    # to read and to touch, wide and narrow
    for width in (1280, 390):
        live.page.set_viewport_size({"width": width, "height": 900})
        found = live.page.evaluate(HANGING)
        assert max(found["wide"]) <= 0 and not found["hanging"], (width, found)
        assert live.page.evaluate(CONTRAST, WORDS) == []
        assert live.page.evaluate(SMALL) == []
