"""Translation in a real browser: a click writes the next word, words that the model does not know are
named and underlined.  The numbers: tests/pages/test_replies.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.models.seq2seq import Seq2seq
from engine.runs.store import SHIPPED, Run, RunStore
from tests.browser.conftest import Live

Page, RunOf = Callable[..., Live], Callable[[str], Run]


@pytest.mark.slow
def test_look_and_write(page: Page, run_of: RunOf) -> None:
    model: Any = RunStore().load(run_of("encoder_decoder"))
    vocab = model.tokenizer.vocab
    source = " ".join(vocab[i] for i in (5, 8, 7))
    live = page("translation").fill(source)
    live.type("\n" + vocab[4])

    # a step keeps where it looks; the readout says the largest weight of the kept head
    live.page.locator(".un-chip").first.click()
    field = model.trace(live.box.input_value()).field("cross.attention")
    weight_S = field.values[model.config.layers - 1, 0, 0]
    best = field.axis("source").labels[int(weight_S.argmax())]
    live.says("cross", "Having read “<s>”")
    live.says("cross", f"looks at “{best}” {100 * weight_S.max():.3g}")
    live.click_in("wall", 0.05, 0.2)  # a head is opened, and all pictures look through it
    live.settled("layer=0")
    for panel in ("cross", "sights", "masked"):
        live.says(panel, "layer 1, head 1", "h3")

    # one click, one word: the likeliest of the model
    panel = live.panel("write")
    panel.get_by_role("button", name="Start again").click()
    live.painted(source + "\n")
    p_V = model.trace(source, fields=("probability",)).field("probability").values[-1]
    panel.get_by_role("button", name="Next word").click()
    live.painted(f"{source}\n{vocab[int(p_V.argmax())]}")


@pytest.mark.slow
def test_unknown_words_are_named_and_underlined_in_the_box(page: Page, run_of: RunOf) -> None:
    vocab = RunStore().load(run_of("encoder_decoder")).tokenizer.vocab
    words = [word for word in vocab if word[:1].isalpha()]
    word, marks = words[0], "[...document.querySelectorAll('.un-under mark')]"
    live = page("translation").fill(f"{word} {words[1]}zzz {words[2]}")
    said = live.page.locator(".un-known")
    expect(said).to_contain_text(f"{words[1]}zzz is not one of its words")
    chosen = said.locator("button").first.inner_text()
    assert chosen in words
    said.locator("button").first.click()
    live.painted(f"{word} {chosen} {words[2]}")
    assert said.is_hidden()

    def marked(words: str) -> None:
        live.page.wait_for_function(
            f"(words) => {marks}.map((m) => m.textContent).join() === words", arg=words
        )

    live.fill(f"{word} qqq {word} 💡 www {word}\n{word} vvv {word}")
    marked("qqq,💡,www,vvv")
    # a copy of the box: the same letters at the same places, whatever the width
    for width in (1280, 390):
        live.page.set_viewport_size({"width": width, "height": 800})
        live.fill(f"{f'{word} qqq ' * 9}{word}\n{word}")
        marked(",".join(["qqq"] * 9))
        box, under = (
            live.page.evaluate(
                "(which) => { const n = document.querySelector(which), s = getComputedStyle(n),"
                " r = n.getBoundingClientRect(), b = parseFloat(s.borderTopWidth);"
                " return [r.left + b, r.top + b, n.clientWidth, n.clientHeight, s.font, s.padding,"
                " s.letterSpacing, n.scrollHeight, n.scrollTop]; }",
                which,
            )
            for which in (".un-text", ".un-under")
        )
        assert box[:2] == pytest.approx(under[:2], abs=0.6) and box[2:7] == under[2:7]
        assert abs(box[7] - under[7]) <= 24 and box[8] == under[8]  # one line break more below
    # who types on changes no mark before the change; what is not finished is not judged
    live.fill(f"{word} qqq {word}")
    marked("qqq")
    live.page.evaluate(
        "() => { const box = document.querySelector('.un-text'); box.value = 'x' + box.value;"
        " box.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    assert live.page.evaluate(f"{marks}.map((m) => m.textContent).join()") in ("", f"x{word},qqq")
    live.fill(f"{word} {word}")
    marked("")


@pytest.mark.slow
def test_pieces_of_words_are_written_to_the_end(page: Page) -> None:
    """A tokenizer of pieces has one mark for beginning and end."""
    run = RunStore(SHIPPED).find("translator_spanish")
    live = page("translation", query={"run": run.id}).fill("He said to the people")
    live.panel("write").get_by_role("button", name="Write on").click()
    live.says("write", "complete")
    model = RunStore(SHIPPED).load(run)
    assert isinstance(model, Seq2seq)
    (said,) = model.translations(["He said to the people"])
    written = live.box.input_value().split("\n")[1].strip()
    assert written == said.strip() and len(written) > 3
