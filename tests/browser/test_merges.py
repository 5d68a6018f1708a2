"""The Merges page in a real browser, one visit: the slider asks nobody, a click says how a token came
about, and the parts below read what is typed above."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.lessons.merges.parts import replayed
from engine.text.subword import study
from engine.text.subword.words import readable
from tests.browser.conftest import Live

TEXT = "low lower lowest new newer newest low low"


def tokens(live: Live) -> list[str]:
    found = live.page.locator(".un-is-merges .un-token").all_inner_texts()
    return [token.replace("·", " ") for token in found]


def at(live: Live, step: int) -> None:
    live.page.locator("#un-merge").fill(str(step))
    says = live.page.locator(".un-is-merges .un-player-said")
    expect(says).to_contain_text(f"{step} of ", use_inner_text=True)


@pytest.mark.slow
def test_a_training(page: Callable[..., Live]) -> None:
    live = page("merges", query={"text": TEXT, "stop": 2})
    found = study.study(TEXT, "chars", "letters")
    live.alone()
    for step in range(len(found.steps) + 1):
        at(live, step)
        assert tokens(live) == found.tokens(step)
        rows = found.steps[step].rows if step < len(found.steps) else found.after
        assert live.numbers()["pair.count"][2].tolist() == [row[2] for row in rows]
    assert live.sent == 0
    merges = live.page.locator(".un-is-merges")
    expect(merges).to_contain_text("No pair occurs twice any more", use_inner_text=True)
    merges.locator(".un-token", has_text="·newe").first.click()
    built = merges.locator(".un-readout")
    expect(built).to_contain_text("How “·newe” was built: ·newe = ", use_inner_text=True)
    assert built.inner_text().count("(merge ") == 4
    at(live, len(found.steps) - 1)
    live.page.get_by_role("button", name="Play").click()
    expect(merges.locator(".un-player-said")).to_contain_text("9 of 9", use_inner_text=True)
    live.page.get_by_role("button", name="Play").wait_for()

    # other rules and a key: over bytes, without words, with </w>, by score
    live.type(" 😀😀 é é")
    text = f"{TEXT} 😀😀 é é"
    for rules in ("whole_seen", "classic_ids", "wordpiece_letters", "bytes_letters"):
        kind, ties = rules.split("_")
        selects = merges.locator("select")
        selects.nth(0).select_option(kind)
        if kind != "wordpiece":
            selects.nth(1).select_option(ties)
        live.page.wait_for_function(
            """([kind, ties]) => { const { said } = document.querySelector("[data-unrolled]").parentElement.unrolledApp.readers.get("merges");
                 return said.kind === kind && (kind === "wordpiece" || said.ties === ties); }""",
            arg=[kind, ties],
        )
        found = study.study(text, kind, ties)
        at(live, len(found.steps))
        write = readable if kind == "bytes" else str
        assert tokens(live) == [*map(write, found.tokens(len(found.steps)))], rules

    # the part below reads the text above, and an old link leads to it
    live.open(panel="replay", text="low lower lowest")
    part = live.page.locator(".st-key-part-cut-a-new-word")
    expect(part.get_by_label("A text to learn from")).to_have_value("low lower lowest")
    part.get_by_label("A new word").fill(" slowest")
    learned = study.study("low lower lowest", "chars", "letters")
    count = len(replayed(learned, " slowest", len(learned.steps))[-1][1])
    expect(part).to_contain_text(f"{count} tokens.", use_inner_text=True)
