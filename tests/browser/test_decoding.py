"""Generation by hand: the browser's sums equal the engine's, and sliders ask nobody; one visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.analysis import decode
from engine.lessons.decoding import rules as decoding_rules
from engine.runs.store import Run, RunStore
from tests.browser.conftest import COUNT_SENT, WAIT_MS, Live

pytestmark = pytest.mark.browser
TEXT = "The king said that he would"
RULES = ("off", "t0", "k40", "m0.1", "y0.6", "t1.3_k200_p0.95_m0.02_y0.9_r1.2")


def test_what_is_drawn_is_what_the_engine_says(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("decoding", query={"text": TEXT})
    model: Any = RunStore().load(run_of("transformer"))
    tokens = model.tokens(TEXT)
    place = decode.read(model, tokens)

    # the sliders are the browser's own: nobody is asked
    live.page.wait_for_selector("[class*=st-key-part-]", state="attached")
    live.page.evaluate(COUNT_SENT)
    for name, value in (("t", "1.3"), ("p", "0.95"), ("m", "0.02"), ("y", "0.9"), ("r", "1.2")):
        live.page.locator(f"#un-rule-{name}").fill(value)
    live.settled("rules=t1.3_p0.95_m0.02_y0.9_r1.2")
    assert live.page.evaluate("window.sent") == 0

    # every rule over the whole vocabulary, from the logits on the screen
    for rules in RULES:
        live.page.evaluate(
            """(rules) => new Promise((done) => { const app = document.querySelector("[data-unrolled]").parentElement.unrolledApp;
                 app.selection.keep({ rules }, app); requestAnimationFrame(done); })""",
            rules,
        )
        fields = live.numbers()
        logit_V = fields["logits"][2]
        np.testing.assert_allclose(logit_V, place.logit_V, atol=1e-4)
        choice = decode.choose(
            logit_V, decoding_rules.read(rules), fields["id"][2].astype(int).tolist()
        )
        shown = fields["drawn.after"][2]
        assert (
            np.flatnonzero(shown).tolist() == np.flatnonzero(choice.p_V.astype(np.float32)).tolist()
        ), rules
        np.testing.assert_allclose(shown, choice.p_V, atol=1e-7, rtol=1e-5, err_msg=rules)
        np.testing.assert_allclose(fields["drawn.cut"][2], [c.mass for c in choice.cuts], atol=1e-6)

    # a token of the text is clicked: what follows it
    live.page.locator(".un-chip").nth(2).click()
    live.page.wait_for_function(
        "document.querySelector('[data-panel=sieve] .un-title').textContent.includes('king')",
        timeout=WAIT_MS,
    )
    np.testing.assert_allclose(
        live.numbers()["logits"][2], decode.read(model, tokens[:3]).logit_V, atol=1e-4
    )


def test_a_link_to_the_last_part_of_a_page_lands_at_its_top(page: Callable[..., Live]) -> None:
    live = page("decoding").open(panel="latency")
    live.page.wait_for_function(
        "Math.abs((document.querySelector('.st-key-part-how-long-does-writing-take')?.getBoundingClientRect().top ?? 999) - 72) < 3"
    )
