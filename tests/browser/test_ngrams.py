"""The n-grams page: the product, the place of a word and the ladder, read off the screen and
recomputed.

What is recomputed comes from the trace of the shipped model alone: probabilities over the
vocabulary and counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from engine.runs.store import Run, RunStore
from tests.browser.conftest import WAIT_MS, Live
from tests.browser.test_save import opens, save

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
RunOf = Callable[[str], Run]
TEXT = "The king of the"
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.fixture
def model(run_of: RunOf) -> Any:
    return RunStore().load(run_of("ngram"))


def number(text: str) -> float:
    """The number that a text begins with, as it is written on the page."""
    found = re.match(r"([\d,.]*\d)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?( %)?", text)
    assert found, text
    return (
        float(found[1].replace(",", ""))
        * 10.0 ** int((found[2] or "0").translate(RAISED))
        / (100 if found[3] else 1)
    )


def close(shown: str, value: float) -> None:
    assert number(shown) == pytest.approx(value, rel=6e-3), shown


def written(formula: str) -> float:
    """The value of "(3 − 1.41) / 384 × 0.620": a count, perhaps less a discount, over a total,
    perhaps times a weight."""
    tiny = re.sub(r" × (10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", r"~\1", formula)  # a power of ten belongs to its number
    counted, rest = tiny.split(" / ")
    total, *weight = rest.split(" × ")
    kept = sum((-1) ** i * number(part) for i, part in enumerate(counted.strip("()").split(" − ")))
    return kept / number(total) * math.prod(number(w.replace("~", " × ")) for w in weight)


def said(live: Live, selector: str, holds: str = "") -> str:
    """The text of an element, once it holds a part."""
    live.page.wait_for_function(
        "([s, part]) => document.querySelector(s)?.textContent.includes(part)",
        arg=[selector, holds],
        timeout=WAIT_MS,
    )
    return str(live.page.locator(selector).first.text_content())


def expected(model: Any, text: str) -> np.ndarray:
    p_V: np.ndarray = model.trace(text).field("probability").values[-1].astype(float)
    return p_V


def choose(live: Live, word: str) -> str:
    live.page.locator(".un-search").fill(word)
    return said(live, ".un-answer", f"“{word}”:")


def test_the_sentence_is_the_product_of_its_factors(page: Page, model: Any) -> None:
    live = page("ngrams").fill("The king").type(" of the sea")
    text = "The king of the sea"
    trace = model.trace(text)
    p_TV = trace.field("probability").values.astype(float)
    factors = [p_TV[t, i] for t, i in enumerate(trace.ids[1:])]
    total = said(live, ".un-total", f"for {len(factors)} tokens")
    close(total.removeprefix("P(what is shown) = "), math.prod(factors))
    bits = -sum(math.log2(p) for p in factors)
    assert f"2^−{bits:.3g}:" in total and f"{len(factors)} tokens" in total
    close(total.split("perplexity ")[1], 2 ** (bits / len(factors)))
    live.page.locator('[data-panel="chain"] button:text-is("Table")').click()
    rows = live.page.locator('[data-panel="chain"] .un-table tr').all_inner_texts()[1:]
    for row, word, p, product in zip(
        rows[-len(factors) :], trace.tokens[1:], factors, np.cumprod(factors), strict=True
    ):
        cells = row.split("\t")
        assert cells[0] == word
        close(cells[1], p)
        close(cells[2], product)


def test_what_the_model_forgets_is_left_out(page: Page, model: Any) -> None:
    """Order n: the factor of a word depends on the n - 1 words before it, and on nothing before
    those."""
    words = ["It", "was", "one", "of", "the", "most"]
    live = page("ngrams").fill(" ".join(words))
    back = model.config.order - 1
    kept = " ".join(words[-1 - back : -1])
    told = said(live, '[data-panel="chain"] .un-readout', f"P(“most” | {kept}) = ")
    assert f"looks at {back} words" in told
    other = expected(model, " ".join(["Nobody", "ever", *words[-1 - back : -1]]))
    close(told.split(" = ")[1], other[model.tokenizer.vocab.index("most")])
    live.page.locator(".un-chip").nth(2).click()  # “was”: all before it still counts
    said(live, '[data-panel="chain"] .un-readout', "P(“was” | <s> It) = ")


def test_where_a_word_is(page: Page, model: Any) -> None:
    """Rank = 1 + the number of words with a larger probability; told anew with every key."""
    live = page("ngrams").fill(TEXT)
    vocab = model.tokenizer.vocab
    for word in ("cat", "world", "of", "Paris"):
        answer = choose(live, word)
        p_V = expected(model, TEXT)
        place = 1 + int((p_V > p_V[vocab.index(word)]).sum())
        assert f"place {place:,} of {len(vocab):,} after “the”" in answer
        close(answer.split("P = ")[1], p_V[vocab.index(word)])
    live.box.press("End")
    for key in " sea":
        live.page.keyboard.type(key)
        live.painted()
        text = live.box.input_value()
        p_V = expected(model, text)
        place = 1 + int((p_V > p_V[vocab.index("Paris")]).sum())
        assert f"“Paris”: place {place:,} of" in said(live, ".un-answer")
    live.page.locator(".un-chip").nth(2).click()  # after “king”, answered without the server
    p_V = expected(model, "The king")
    assert f"place {1 + int((p_V > p_V[vocab.index('Paris')]).sum()):,} of" in said(
        live, ".un-answer", "after “king”"
    )


def test_a_word_that_is_not_there(page: Page, model: Any) -> None:
    live = page("ngrams").fill(TEXT)
    answer = choose(live, "flurble")
    assert "Not among the" in answer and "<unk>" in answer
    close(answer.split("P = ")[1], expected(model, TEXT)[model.tokenizer.vocab.index("<unk>")])
    live.page.locator(".un-search").fill("the cat")
    assert "2 tokens" in said(live, ".un-answer", "“the·cat”:")
    choose(live, "<b>x</b>")
    live.page.locator(".un-search").fill("")
    assert "Type any word" in said(live, ".un-answer", "Type any word")
    live.type("!")


def test_a_click_opens_the_ladder_of_a_word(page: Page, model: Any) -> None:
    """Every rung: (count - discount) / total times what the longer orders left; together they are
    the probability."""
    live = page("ngrams").fill(TEXT)
    rows = live.page.locator('[data-panel="next"] [role="option"]')
    for at in (0, 5):
        word = rows.nth(at).locator(".un-row-label").inner_text()
        rows.nth(at).click()
        said(live, '[data-panel="ladder"] .un-title', f"P(“{word}”)")
        said(live, ".un-answer", f"“{word}”:")
        expect(rows.nth(at)).to_have_attribute("aria-selected", "true")
        trace, order = model.trace(TEXT), model.config.order
        columns, gamma_M = trace["ladder"].columns, trace.field("backoff").values[-1].astype(float)
        (i,) = np.flatnonzero(
            (columns["position"] == len(trace.tokens) - 1) & (columns["next"] == word)
        )
        rungs, weight, whole = live.page.locator(".un-rung").all(), 1.0, 0.0
        assert len(rungs) == order + 1
        for m, rung in zip(range(order, -1, -1), rungs, strict=True):
            if m:
                count, total, discount = (
                    float(columns[f"{name}_{m}"][i]) for name in ("count", "total", "discount")
                )
                part = weight * (count - discount) / total if count else 0.0
            else:
                count, part = 1.0, weight / model.smoothed.predicted
            if count:
                formula = rung.locator(".un-formula").inner_text()
                close(formula.split(" = ")[1], part)
                assert written(formula.split(" = ")[0]) == pytest.approx(part, rel=2e-2), formula
            weight, whole = weight * (gamma_M[m] if m else 0), whole + part
        p = expected(model, TEXT)[model.tokenizer.vocab.index(word)]
        assert whole == pytest.approx(p, rel=1e-4)
        end = live.page.locator('[data-panel="ladder"] .un-body > .un-formula').inner_text()
        close(end.split(" = ")[-1], p)
    rows.nth(5).click()  # a second click lets go
    assert "Type any word" in said(live, ".un-answer", "Type any word")


def test_a_rare_word_has_a_ladder_too(page: Page, model: Any) -> None:
    """A word that is not among the listed ones: the server sends its counts with its place."""
    live = page("ngrams").fill(TEXT)
    choose(live, "cat")
    said(live, '[data-panel="ladder"] .un-title', "P(“cat”)")
    found = model.ladder_of(
        TEXT,
        (len(model.tokens(TEXT)) - 1, len(model.tokens(TEXT))),
        model.tokenizer.vocab.index("cat"),
    )
    seen = [f"{int(n):,}" for n in found["count"][0][::-1] if n]
    formulas = [
        f
        for f in live.page.locator(".un-rung .un-formula").all_inner_texts()
        if f and not f.startswith("1 / ")
    ]
    assert [re.match(r"\(?([\d,]+)", f)[1] for f in formulas] == seen  # type: ignore[index]


def test_how_many_words_hold_half_of_the_mass(page: Page, model: Any) -> None:
    live = page("ngrams").fill(TEXT)
    falling = np.sort(expected(model, TEXT))[::-1].cumsum()
    half = int(np.searchsorted(falling, 0.5)) + 1
    says = said(live, '[data-panel="next"] .un-says', f"Half of the mass is in {half:,} word")
    close(says.split("hold ")[1], falling[15])
    live.type(" old")
    half = int(np.searchsorted(np.sort(expected(model, f"{TEXT} old"))[::-1].cumsum(), 0.5)) + 1
    said(live, '[data-panel="next"] .un-says', f"Half of the mass is in {half:,} word")


def test_the_log_axis_of_the_bars(page: Page, model: Any) -> None:
    """A bar is as long as the probability is many powers of ten above 10^-8."""
    live = page("ngrams").fill(TEXT)
    live.page.locator('[data-panel="next"] button:text-is("Log axis")').click()
    lengths = live.page.eval_on_selector_all(
        '[data-panel="next"] .un-row-bar',
        "(bars) => bars.map((b) => Array.from(b.children).reduce((a, i) => a + i.offsetWidth, 0) /"
        " b.clientWidth)",
    )
    p_V = np.sort(expected(model, TEXT))[::-1][: len(lengths)]
    np.testing.assert_allclose(lengths, 1 + np.log10(p_V) / 8, atol=0.02)
    ends = live.page.locator(".un-axis span")
    expect(ends.first).to_have_text("10⁻⁸", use_inner_text=True)
    expect(ends.last).to_have_text("1", use_inner_text=True)


def test_the_keyboard_reaches_everything(page: Page) -> None:
    live = page("ngrams").fill(TEXT)
    live.page.locator(".un-search").focus()
    live.page.keyboard.type("king")
    said(live, ".un-answer", "“king”:")
    live.page.keyboard.press("ArrowLeft")  # moves in the word, not along the sentence
    assert "after “the”" in said(live, '[data-panel="next"] .un-title')
    live.page.keyboard.press("Tab")
    assert live.page.evaluate("document.activeElement.textContent") == "Log axis"
    live.page.keyboard.press("Tab")
    live.page.keyboard.press("ArrowDown")
    live.page.keyboard.press("ArrowDown")
    second = live.page.locator('[data-panel="next"] [role="option"]').nth(1)
    live.page.wait_for_function(
        "() => document.querySelectorAll('[role=option]')[1].ariaSelected === 'true'"
    )
    expect(live.page.locator(".un-search")).to_have_value(
        second.locator(".un-row-label").inner_text()
    )
    live.page.keyboard.press("Escape")
    assert "Type any word" in said(live, ".un-answer", "Type any word")


def test_a_link_restores_the_word(page: Page) -> None:
    live = page("ngrams").fill(TEXT)
    choose(live, "cat")
    live.settled("next=cat")
    live.page.reload()
    live.ready()
    assert "place" in said(live, ".un-answer", "“cat”:")
    expect(live.page.locator(".un-search")).to_have_value("cat")


def test_saved_files_hold_the_numbers_on_the_screen(page: Page, model: Any, tmp_path: Any) -> None:
    live = page("ngrams").fill(TEXT)
    choose(live, "cat")
    frame: Any = pd.read_csv(save(live, "ladder", "csv", tmp_path), comment="#")
    assert frame["part"].sum() == pytest.approx(
        expected(model, TEXT)[model.tokenizer.vocab.index("cat")], rel=1e-4
    )
    lines = save(live, "chain", "csv", tmp_path).read_text(encoding="utf-8").splitlines()
    factors = [float(line.split(",")[1]) for line in lines if line.startswith(("king,", "of,"))]
    p_TV, vocab = model.trace(TEXT).field("probability").values, model.tokenizer.vocab
    wanted = [p_TV[1, vocab.index("king")], p_TV[2, vocab.index("of")]]
    assert factors == pytest.approx(wanted, rel=6e-3)
    for panel in ("ladder", "chain"):
        for kind in ("png", "svg"):
            opens(save(live, panel, kind, tmp_path), kind)
