"""Oracle: the sentence classifier recomputed from its weights, word by word and with torch's own
convolution; what an answer depends on; what it is taught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.core.tap import Edit
from engine.models.base import train
from engine.nn.windows import NOTHING

Trained = Callable[[str], Any]
TEXT = "we laughed and the film was a bore"


def weights(model: Any) -> dict[str, np.ndarray]:
    return {k: v.astype(np.float64) for k, v in model.weights().items() if v.dtype != np.uint8}


def test_every_sum_by_hand(trained: Trained) -> None:
    """A loop over filters, words and places of a filter, as the formula says."""
    model = trained("textcnn")
    w, vocab = weights(model), list(model.tokenizer.vocab)
    trace = model.trace(TEXT)
    x_TD = w["embed.weight"][[vocab.index(t) if t in vocab else 0 for t in trace.tokens]]
    np.testing.assert_allclose(trace.field("vector").values, x_TD, atol=1e-6)
    c_UT = []
    for n, wide in enumerate(model.config.covers):
        for kernel_DK, bias in zip(w[f"banks.{n}.weight"], w[f"banks.{n}.bias"], strict=True):
            row = []
            for t in range(len(x_TD)):
                places = [(k, t - wide + 1 + k) for k in range(wide)]
                found = sum(kernel_DK[:, k] @ x_TD[at] for k, at in places if at >= 0)
                row.append(max(0.0, found + bias))
            c_UT.append(row)
    c_TU = np.array(c_UT).T
    np.testing.assert_allclose(trace.field("response").values, c_TU, atol=1e-5)
    m_TU = np.array([c_TU[: t + 1].max(0) for t in range(len(c_TU))])
    np.testing.assert_allclose(trace.field("largest").values, m_TU, atol=1e-5)
    logit_TK = m_TU @ w["head.weight"].T + w["head.bias"]
    e_TK = np.exp(logit_TK - logit_TK.max(1, keepdims=True))
    label = trace.field("label")
    np.testing.assert_allclose(label.values, e_TK / e_TK.sum(1, keepdims=True), atol=1e-5)
    assert label.axes[1].labels == model.names
    assert trace.field("response").axes[1].labels[-1] == f"{c_TU.shape[1] - 1} (5 words)"


def test_each_row_is_the_answer_to_the_text_up_to_there(trained: Trained) -> None:
    model = trained("textcnn")
    trace = model.trace(TEXT)
    for t, (_, stop) in enumerate(trace.spans):
        alone = model.trace(TEXT[:stop]).field("label").values[-1]
        np.testing.assert_allclose(trace.field("label").values[t], alone, atol=1e-5)


def test_the_order_of_phrases_that_are_far_apart_is_forgotten(trained: Trained) -> None:
    """Max over time: the largest number of each filter over two stretches, whichever comes first."""
    model = trained("textcnn")
    gap = " , , , , , "
    one, other = (
        model.trace(text).field("label").values[-1]
        for text in (
            f"{gap}{a}{gap}{b}{gap}" for a, b in (("a joy", "a bore"), ("a bore", "a joy"))
        )
    )
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_filter_switched_off_adds_nothing(trained: Trained) -> None:
    model = trained("textcnn")
    best_U = model.trace(TEXT).field("largest").values[-1]
    u = int(best_U.argmax())
    off = model.trace(TEXT, (Edit("largest", {"unit": u}),)).field("label").values[-1]
    w = weights(model)
    logit_K = w["head.weight"] @ np.where(np.arange(len(best_U)) == u, 0, best_U) + w["head.bias"]
    np.testing.assert_allclose(off, np.exp(logit_K) / np.exp(logit_K).sum(), atol=1e-5)


def test_only_the_answer_to_the_whole_is_taught() -> None:
    kind = models.get("textcnn")
    model = train(kind, kind.sample * 8, kind.config_type(steps=2, filters=2, width=4, span=4))
    example = kind.parse("bad\tnobody laughed at the film")
    rows_TF, target_T = model.numbered(example)
    assert rows_TF.shape == (5, 1) and target_T.tolist() == [NOTHING] * 4 + [0]
    rows_TF, target_T = model.numbered(example.first(3))
    assert target_T.tolist() == [NOTHING, NOTHING, 0], "a long example is cut before it is taught"


def test_it_learns_a_phrase_that_no_single_word_tells() -> None:
    """“not good” and “not bad” against “good” and “bad”: the words alone say nothing."""
    kind = models.get("textcnn")
    lines = [
        f"{label}\tthe {noun} was {said} for us"
        for noun in ("film", "cast", "plot", "song", "meal", "day")
        for said, label in (("good", "yes"), ("not bad", "yes"), ("bad", "no"), ("not good", "no"))
    ]
    config = kind.config_type(steps=150, filters=8, width=8, batch=8, rate=1e-2, unknown=0.0)
    model = train(kind, "\n".join(lines) + "\n", config)
    assert model.judge(lines)["accuracy"] == 1.0


def test_filters_that_end_before_they_begin_are_told() -> None:
    with pytest.raises(ValueError, match="take longest=4 or more"):
        models.get("textcnn").config_type(shortest=4, longest=2)
