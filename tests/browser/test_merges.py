"""The Merges page in a real browser, one visit: the slider asks nobody, tokens are the engine's, a
new word is cut as the engine cuts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.text.subword import bpe, study, wordpiece
from tests.browser.conftest import COUNT_SENT, WAIT_MS, Live
from tests.browser.test_every_page import CONTRAST, HANGING, SMALL

pytestmark = pytest.mark.browser
TEXT = "low lower lowest new newer newest low low"
WORDS = ", ".join(
    f".un-{name}"
    for name in "says readout button merge-said merge-head replay-how row-label row-value".split()
)


def tokens(live: Live) -> list[str]:
    return [
        t.replace("·", " ") for t in live.page.locator(".un-is-merges .un-token").all_inner_texts()
    ]


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
    live.page.wait_for_function(
        "document.querySelector('[data-unrolled]').unrolled.fields['cut.share']", timeout=WAIT_MS
    )

    # every step as the engine has it; moving asks nobody
    found = study.study(TEXT, "chars", "letters")
    live.page.evaluate(COUNT_SENT)
    for step in range(len(found.steps) + 1):
        at(live, step)
        assert tokens(live) == found.tokens(step)
        rows = found.steps[step].rows if step < len(found.steps) else found.after
        assert live.numbers()["pair.count"][2].tolist() == [row[2] for row in rows]
    assert live.page.evaluate("window.sent") == 0
    assert (
        live.numbers()["vocabulary"][2].tolist() == found.sizes
        and live.numbers()["text"][2].tolist() == found.lengths
    )
    expect(live.page.locator(".un-is-merges")).to_contain_text(
        "No pair occurs twice any more", use_inner_text=True
    )

    # a new word, cut as the spec says and as the engine does
    for word, cut in (
        (" lowest", [" lowe", "st"]),
        ("newest", ["n", "e", "w", "e", "st"]),
        (" slower", [" ", "s", "low", "e", "r"]),
    ):
        live.page.locator("#un-replay").fill(word)
        assert live.numbers()["replay.length"][1] == [cut]
    live.page.locator("#un-replay").fill("zero")
    expect(live.page.locator(".un-is-replay")).to_contain_text(
        "Never seen in the text", use_inner_text=True
    )

    # a token and its tree, by pointer and by click; Play goes on by itself and stops at the end
    live.page.locator(".un-is-merges .un-token", has_text="·newe").first.click()
    expect(live.page.locator(".un-is-piecetree .un-title")).to_contain_text(
        "How “·newe” was built", use_inner_text=True
    )
    assert sorted(live.page.locator(".un-is-piecetree .un-leaf-number").all_text_contents()) == [
        "4",
        "5",
        "6",
        "8",
    ]
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
        assert live.numbers()["text"][2].tolist() == found.lengths, rules
        at(live, len(found.steps))
        if rules.startswith("wordpiece"):
            live.page.locator("#un-replay").fill("lowest newer")
            known = {
                piece: n
                for n, piece in enumerate(
                    dict.fromkeys([*found.symbols, *(s.piece for s in found.steps)])
                )
            }
            assert live.numbers()["replay.length"][1] == [
                [*wordpiece.cut("lowest", known), *wordpiece.cut("newer", known)]
            ]
    live.page.locator("#un-replay").fill(" lowest éé")
    pairs = [(s.a, s.b) for s in found.steps]
    known = {
        piece: n
        for n, piece in enumerate(dict.fromkeys([*found.symbols, *(s.piece for s in found.steps)]))
    }
    pieces, ready = list(known), bpe.Merges(known, pairs)
    cut = [pieces[i] for word, _ in study.cut("bytes", " lowest éé") for i in ready.encode(word)]
    assert live.numbers()["replay.length"][1] == [cut]

    # Unigram of a word that is asked for, in a moment of rest
    live.page.locator("#un-cut-word").fill("lowest")
    live.page.wait_for_function(
        "document.querySelector('[data-unrolled]').parentElement.unrolledApp.readers.get('merges').said.cuts.word"
        " === 'lowest'",
        timeout=WAIT_MS,
    )
    made = study.lattice(text, "lowest", 30)
    assert live.numbers()["cut.share"][2].tolist() == pytest.approx(
        [edge[4] for edge in made["edges"]], abs=1e-6
    )
    assert "next=lowest" in live.settled("next=lowest")

    # to read and to touch, wide and narrow
    for width in (1280, 390):
        live.page.set_viewport_size({"width": width, "height": 900})
        found = live.page.evaluate(HANGING)
        assert max(found["wide"]) <= 0 and not found["hanging"], (width, found)
        assert live.page.evaluate(CONTRAST, WORDS) == []
        assert live.page.evaluate(SMALL) == []
