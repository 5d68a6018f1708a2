"""The task shapes in a real browser: the answers drawn are those of the weights, and the questions
choose the shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live
from tests.models.test_labelling_oracle import embedded, lstm, softmax


def test_the_shapes_answer_with_the_model_s_own_numbers(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    model = RunStore().load(run_of("sentiment"))
    live = page("shapes").fill("the acting is good")
    live.type(" but")
    axes, (words, _), values = live.numbers()["label"]
    w = {k: v.astype(np.float64) for k, v in model.weights().items() if v.dtype != np.uint8}
    want = softmax(
        lstm(w, "layers.0.fused", embedded(model, tuple(words), w)) @ w["head.weight"].T
        + w["head.bias"]
    )
    assert axes == ["token", "label"] and words[1:] == "the acting is good but".split()
    np.testing.assert_allclose(values, want, atol=2e-4)
    readout = live.page.locator('[data-panel="shape"] .un-readout').inner_text()
    best = int(want[-1].argmax())
    assert (
        f"{model.names[best]} {100 * want[-1][best]:.1f} %" in readout
        and "6 tokens up to here" in readout
    )
    live.page.get_by_text("Which shape is my task?").click()
    live.page.get_by_role("radio", name="a sequence").nth(1).click()
    live.page.wait_for_function(
        """() => document.querySelector('[data-panel="shape"] h3')?.textContent.startsWith("The answer begins")"""
    )
    live.painted("the acting is good but")
    live.settled("shape=Many+to+many%2C+delayed")
    live.fill("the cat sat")
    translator = RunStore().load(RunStore().find("seq2seq"))
    labels = live.page.locator(".un-chip").all_inner_texts()
    begins = labels.index("<s>")
    assert labels[:begins] == ["the", "cat", "sat", "</s>"]
    assert " ".join(labels[begins + 1 :]) == translator.translations(["the cat sat"])[0]
