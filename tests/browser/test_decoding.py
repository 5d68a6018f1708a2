"""Generation by hand, one visit: sliders ask nobody, and what is drawn from is what the engine draws
from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.analysis import decode
from engine.lessons.decoding import rules as decoding_rules
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live

TEXT = "The king said that he would"
RULES = "t1.3_p0.95_m0.02_y0.9_r1.2"


@pytest.mark.slow
def test_what_is_drawn_is_what_the_engine_says(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("decoding", query={"text": TEXT, "panel": "latency"})
    top = "document.querySelector('.st-key-part-how-long-does-writing-take')?.getBoundingClientRect().top"
    # a link to the last part of a page lands at its top
    live.page.wait_for_function(f"Math.abs(({top} ?? 999) - 72) < 3")
    model: Any = RunStore().load(run_of("transformer"))
    tokens = model.tokens(TEXT)
    live.alone()
    for rule in RULES.split("_"):
        live.page.locator(f"#un-rule-{rule[0]}").fill(rule[1:])
    live.settled(f"rules={RULES}")
    assert live.sent == 0
    fields = live.numbers()
    logit_V = fields["logits"][2]
    np.testing.assert_allclose(logit_V, decode.read(model, tokens).logit_V, atol=1e-4)
    seen = fields["id"][2].astype(int).tolist()
    choice = decode.choose(logit_V, decoding_rules.read(RULES), seen)
    shown = fields["drawn.after"][2]
    assert ((shown > 0) == (choice.p_V.astype(np.float32) > 0)).all()
    np.testing.assert_allclose(shown, choice.p_V, atol=1e-7, rtol=1e-5)
    np.testing.assert_allclose(fields["drawn.cut"][2], [c.mass for c in choice.cuts], atol=1e-6)

    # a token of the text is clicked: what follows it
    live.page.locator(".un-chip").nth(2).click()
    live.says("sieve", "king", ".un-title")
    want = decode.read(model, tokens[:3]).logit_V
    np.testing.assert_allclose(live.numbers()["logits"][2], want, atol=1e-4)
