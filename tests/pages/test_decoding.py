"""The live part of Decoding: one row of logits a key, and what is saved of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis import decode
from engine.analysis.decode import Rules
from engine.lessons.decoding import live
from engine.lessons.decoding import rules as decoding_rules
from engine.runs import store
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered

TEXT = "the cat sat on the"
KINDS = ("transformer", "lstm", "ngram")


small_runs = seeing(*KINDS)


def field(part: dict[str, Any], numbers: np.ndarray, name: str) -> np.ndarray:
    about = next(f for f in part["fields"] if f["name"] == name)
    return numbers[about["at"] : about["at"] + about["count"]]


def test_a_key_brings_the_logits_of_the_whole_vocabulary(trained: Any) -> None:
    for id in KINDS:
        at, model = opened("decoding", run=id), trained(id)
        header, numbers = answered(at, "decoding", TEXT)
        (part,) = header["readings"]
        vocab = header["layout"]["readers"][0]["labels"]["next"]
        assert tuple(vocab) == model.tokenizer.vocab
        assert field(part, numbers, "id").tolist() == model.tokens(TEXT).ids.tolist()
        shown = decode.choose(field(part, numbers, "logits"), Rules()).p_V
        np.testing.assert_allclose(shown, decode.expects(model, model.tokens(TEXT)), atol=2e-6)
        header, numbers = answered(at, "decoding", TEXT, after=2)  # a token of the text is clicked
        (part,) = header["readings"]
        assert part["said"]["after"] == 2
        shown = decode.choose(field(part, numbers, "logits"), Rules()).p_V
        p_TV = model.trace(TEXT).field("probability").values
        np.testing.assert_allclose(shown, p_TV[2], atol=2e-6)


def test_rules_are_read_as_the_browser_writes_them() -> None:
    assert decoding_rules.read("off") == decoding_rules.read(None) == Rules()
    assert decoding_rules.read("t0.7_k40_p0.9_m0.05_y0.95_r1.1") == Rules(
        0.7, 40, 0.9, 0.05, 0.95, 1.1
    )
    assert decoding_rules.read("t9_p-1_r99") == Rules(2.0, top_p=0.01, repetition_penalty=2.0)


def test_the_pictures_can_be_saved(trained: Any, run_folder: Callable[[str], Path]) -> None:
    run = store.RunStore().find(str(run_folder("transformer")))
    model = trained("transformer")
    stage = live.stage(run)
    traces, _ = stage.traces(TEXT, None)
    (panel,) = stage.panels
    assert panel.figure
    drawing = panel.figure(traces, {"rules": "p0.9", "token": 4})
    own_V, drawn_V = (entry.values for entry in drawing.inputs())  # type: ignore[union-attr]
    np.testing.assert_allclose(own_V, decode.expects(model, model.tokens(TEXT)[:5]), atol=2e-6)
    np.testing.assert_allclose(drawn_V, decode.top_p(own_V.astype(float), 0.9).p_V, atol=2e-6)
