"""Cross-attention in a real browser: the weights drawn are the model's, a click writes its next
word."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from engine.models.seq2seq import Seq2seq
from engine.runs.store import SHIPPED, Run, RunStore
from tests.browser.conftest import Live

pytestmark = pytest.mark.browser


def test_look_and_write(page: Callable[..., Live], run_of: Callable[[str], Run]) -> None:
    model = RunStore().load(run_of("encoder_decoder"))
    source = " ".join(model.tokenizer.vocab[i] for i in (5, 8, 7))
    live = page("translation").fill(source)
    live.type("\n" + model.tokenizer.vocab[4])
    text = live.box.input_value()
    fields, trace = live.numbers(), model.trace(text)
    for name in ("cross.attention", "attention", "encoder.attention"):
        axes, labels, values = fields[name]
        field = trace.field(name)
        assert axes == list(field.axis_names) and [tuple(part) for part in labels[2:]] == [
            axis.labels for axis in field.axes[2:]
        ]
        np.testing.assert_allclose(values, field.values, atol=1e-5)

    # a step keeps where it looks; the readout says the largest weight of the kept head
    live.page.locator(".un-chip").first.click()
    layer = model.config.layers - 1
    weight_S = trace.field("cross.attention").values[layer, 0, 0]
    best = trace.field("cross.attention").axis("source").labels[int(weight_S.argmax())]
    readout = live.page.locator('[data-panel="cross"] .un-readout')
    expect(readout).to_contain_text("Having read “<s>”", use_inner_text=True)
    expect(readout).to_contain_text(
        f"looks at “{best}” {100 * weight_S.max():.3g}", use_inner_text=True
    )

    # the target one place late, and what it costs
    rows = [
        [cell.strip() for cell in row.split("\t")]
        for row in live.page.locator('[data-panel="lanes"] table.un-lanes').inner_text().split("\n")
    ]
    assert rows[0][1:] == ["<s>", model.tokenizer.vocab[4]] and rows[1][1:] == [
        model.tokenizer.vocab[4],
        "</s>",
    ]
    p_TV = trace.field("probability").values
    loss = [-np.log(p_TV[0, 4]), -np.log(p_TV[1, model.tokenizer.boundary])]
    np.testing.assert_allclose([float(x.replace("−", "-")) for x in rows[3][1:]], loss, rtol=6e-3)

    # a head of the wall is opened, and all pictures look through it
    live.click_in("wall", 0.05, 0.2)
    live.settled("layer=0")
    for panel in ("cross", "sights", "masked"):
        title = live.page.locator(f'[data-panel="{panel}"] h3')
        expect(title).to_contain_text("layer 1, head 1", use_inner_text=True)

    # one click, one word: the likeliest of the model
    panel = live.page.locator('[data-panel="write"]')
    panel.get_by_role("button", name="Start again").click()
    live.painted(source + "\n")
    first = model.tokenizer.vocab[
        int(model.trace(source, fields=("probability",)).field("probability").values[-1].argmax())
    ]
    panel.get_by_role("button", name="Next word").click()
    live.painted(f"{source}\n{first}")
    panel.get_by_role("button", name="Write on").click()
    ids = model.translated(torch.from_numpy(model.source(source).ids)[None])[0]
    end = [model.tokenizer.boundary] == ids[-1:]
    if end and len(ids) < 12 and 0 not in ids:
        live.painted(f"{source}\n{model.tokenizer.decode(ids[:-1])}")
        live.page.wait_for_function(
            """() => document.querySelector('[data-panel="write"] .un-readout').textContent.includes("the end")"""
        )
    else:
        panel.get_by_role("button", name="Stop").click()


def test_unknown_words_are_named_and_known_ones_offered(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    vocab = RunStore().load(run_of("encoder_decoder")).tokenizer.vocab
    words = [word for word in vocab if word[:1].isalpha()]
    live = page("translation").fill(f"{words[0]} {words[1]}zzz {words[2]}")
    said = live.page.locator(".un-known")
    expect(said).to_contain_text(f"{words[1]}zzz is not one of its words")
    offered = said.locator("button")
    assert offered.first.inner_text() in words
    chosen = offered.first.inner_text()
    offered.first.click()
    live.painted(f"{words[0]} {chosen} {words[2]}")
    assert said.is_hidden()


MARKED = '() => [...document.querySelectorAll(".un-under mark")].map((m) => m.textContent).join()'


def test_unknown_words_are_underlined_in_the_box(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    vocab = RunStore().load(run_of("encoder_decoder")).tokenizer.vocab
    word = next(word for word in vocab if word[:1].isalpha())
    live = page("translation").fill(f"{word} qqq {word} 💡 www {word}\n{word} vvv {word}")

    def marked(words: str) -> None:
        live.page.wait_for_function(f"(words) => ({MARKED})() === words", arg=words)

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
    assert live.page.evaluate(MARKED) in ("", f"x{word},qqq")
    live.fill(f"{word} {word}")
    marked("")


def test_pieces_of_words_are_written_to_the_end(page: Callable[..., Live]) -> None:
    """A tokenizer of pieces has one mark for beginning and end."""
    run = RunStore(SHIPPED).find("translator_spanish")
    live = page("translation", query={"run": run.id}).fill("He said to the people")
    live.page.locator('[data-panel="write"]').get_by_role("button", name="Write on").click()
    live.page.wait_for_function(
        """() => document.querySelector('[data-panel="write"] .un-readout').textContent.includes("complete")"""
    )
    model = RunStore(SHIPPED).load(run)
    assert isinstance(model, Seq2seq)
    (said,) = model.translations(["He said to the people"])
    written = live.box.input_value().split("\n")[1].strip()
    assert written == said.strip() and len(written) > 3
