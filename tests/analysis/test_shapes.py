"""The roles of a trained language model: read alone, writing from one token; recomputed from the
weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.shapes import Delayed, OneToMany, OneToOne
from engine.core.registry import models
from engine.models.base import train
from tests.conftest import TEXT, small
from tests.models.test_labelling_oracle import lstm, softmax

Trained = Callable[[str], Any]


def answers(model: Any, x_TD: np.ndarray) -> np.ndarray:
    """Probabilities after each row of inputs, from a state of zeros."""
    w = {k: v.astype(np.float64) for k, v in model.weights().items() if v.dtype != np.uint8}
    for layer in range(model.config.layers):
        x_TD = lstm(w, f"layers.{layer}.fused", x_TD)
    return softmax(x_TD @ w["head.weight"].T + w["head.bias"])


def test_read_alone_every_token_comes_out_of_zeros(trained: Trained) -> None:
    model = trained("lstm")
    trace = OneToOne(model).trace("the cat")
    w = model.weights()["embed.weight"].astype(np.float64)
    want = np.concatenate([answers(model, w[[id]]) for id in trace.ids])
    np.testing.assert_allclose(trace.field("alone").values, want, atol=1e-5)
    t, e = trace.tokens.index("t"), trace.tokens.index("e")
    again = len(trace.tokens) - 1
    np.testing.assert_array_equal(
        trace.field("alone").values[t], trace.field("alone").values[again]
    )  # both are "t"
    assert not np.array_equal(trace.field("alone").values[t], trace.field("alone").values[e])


@pytest.mark.parametrize("feeds", [True, False])
def test_what_is_expected_at_each_step_of_writing(feeds: bool, trained: Trained) -> None:
    """Fed back, the rows are those of the written text read at once; otherwise those of zeros after
    the seed."""
    model = trained("lstm")
    trace = OneToMany(model, 9, 3, feeds).trace("the c")
    assert trace.tokens[0] == "c" and 2 <= len(trace.tokens) <= 10
    x_TD = model.weights()["embed.weight"].astype(np.float64)[trace.ids]
    if not feeds:
        x_TD[1:] = 0
    np.testing.assert_allclose(
        trace.field("fed" if feeds else "unfed").values, answers(model, x_TD), atol=1e-5
    )


def test_the_seed_is_the_last_token_and_nothing_else_is_read(trained: Trained) -> None:
    role = OneToMany(trained("lstm"), 12, 1, True)
    assert role.trace("the c").tokens == role.trace("zzz c").tokens != role.trace("the d").tokens
    assert role.trace("the c").tokens == OneToMany(trained("lstm"), 12, 1, True).trace("c").tokens
    assert (
        role.trace("the c").tokens != OneToMany(trained("lstm"), 12, 2, True).trace("the c").tokens
    )


def test_writing_ends_at_the_boundary_and_never_writes_the_sign_for_unknown() -> None:
    model = train(
        models.get("lstm"), TEXT, small(models.get("lstm"), tokenizer="words", vocabulary=16)
    )
    boundary, unknown = model.tokenizer.boundary, model.tokenizer.unknown
    written = [OneToMany(model, 30, seed, True).trace("the").ids.tolist() for seed in range(20)]
    # it would be drawn, were it allowed
    assert max(model.trace("the cat").field("probability").values[:, unknown]) > 0.1
    assert all(unknown not in ids[1:] and boundary not in ids[1:-1] for ids in written)
    assert any(ids[-1] == boundary and len(ids) < 31 for ids in written) and all(
        len(ids) == 31 or ids[-1] == boundary for ids in written
    )
    # an unknown word can be the seed
    assert OneToMany(model, 5, 1, True).trace("a flurble").tokens[0] == "flurble"


def test_nothing_typed_is_nothing_shown(trained: Trained) -> None:
    for role in (OneToOne(trained("lstm")), OneToMany(trained("lstm"), 5, 1, True)):
        assert len(role.tokens("")) >= 1  # the start mark
        assert not [p for f in role.trace("").values() for p in f.problems()]


def test_a_role_can_be_neither_trained_nor_loaded(trained: Trained) -> None:
    with pytest.raises(TypeError, match="train the model itself"):
        next(OneToOne.fit("a", None, seed=0))
    with pytest.raises(TypeError, match="open the model itself"):
        OneToOne.from_weights(None, {})


def test_a_translator_answers_behind_the_whole_text(trained: Trained) -> None:
    """Its rows are those of the pair read at once; before the start mark there are none."""
    model = trained("seq2seq")
    role = Delayed(model)
    trace = role.trace("the old dog sat")
    begins = trace.tokens.index(role.start)
    assert trace.tokens[:begins] == ("the", "old", "dog", "sat", "</s>")
    written = model.translated(torch.tensor(trace.ids[:begins])[None], 40)[0]
    assert [*trace.ids[begins + 1 :]] == written[:-1]
    p_TV = trace.field("delayed").values
    assert not p_TV[:begins].any() and [*p_TV[begins:].argmax(-1)] == written
    pair = f"the old dog sat\n{' '.join(trace.tokens[begins + 1 :])}"
    want = model.trace(pair).field("probability").values
    np.testing.assert_allclose(p_TV[begins:], want, atol=1e-5)
    assert not len(role.tokens("  ")) and not len(role.trace("").tokens)
    assert role.tokens("the dog\nle chien").labels == role.tokens("the dog").labels
