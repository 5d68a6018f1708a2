"""The lens ends with the model's own answer, and the pushes of all parts add up to the logit;
against sums written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.lessons.transformer import lens
from engine.models.base import train
from tests.conftest import TEXT, small

SENTENCE = "the cat saw the small dog"
LLAMA = ("norm", "activation", "groups", "position", "bias", "tied")
DESIGNS: dict[str, dict[str, Any]] = {
    "GPT-2": {},
    "Llama": dict(zip(LLAMA, ("rms", "swiglu", 1, "rope", False, False), strict=True)),
    "2017": {"norm_first": False, "position": "sinusoidal", "activation": "relu"},
}


@pytest.fixture(scope="module", params=list(DESIGNS))
def model(request: pytest.FixtureRequest) -> Any:
    kind = models.get("transformer")
    return train(kind, TEXT, small(kind, steps=6, **DESIGNS[request.param]))


def test_the_last_layer_answers_what_the_model_answers(model: Any) -> None:
    trace = model.trace(SENTENCE)
    found = lens.depths(model, lens.streams(trace))
    p_TV = trace.field("probability").values
    assert lens.has_lens(model) and len(found.p_LT) == model.config.layers + 1
    np.testing.assert_array_equal(found.answer_T, p_TV.argmax(-1))
    np.testing.assert_allclose(found.p_LTk[-1], np.sort(p_TV, -1)[:, ::-1][:, :5], atol=1e-6)
    np.testing.assert_allclose(found.p_LT[-1], p_TV.max(-1), atol=1e-6)
    assert (found.rank_LT[-1] == 1).all()


def test_an_early_layer_is_read_with_the_last_norm_and_the_output_weights(model: Any) -> None:
    trace, net = model.trace(SENTENCE), model.net
    x_TD = trace.field("residual").values[0].astype(float)
    if (norm := net.tower.norm) is not None:
        centred = x_TD - x_TD.mean(-1, keepdims=True) if model.config.norm == "layer" else x_TD
        deviation_T1 = np.sqrt((centred**2).mean(-1, keepdims=True) + norm.eps)
        x_TD = centred / deviation_T1 * norm.weight.detach().numpy()
        x_TD = x_TD + (norm.bias.detach().numpy() if model.config.norm == "layer" else 0)
    weight_VD = (net.output or net.embed).weight.detach().numpy().astype(float)
    e_TV = np.exp(x_TD @ weight_VD.T)
    p_TV = e_TV / e_TV.sum(-1, keepdims=True)
    found = lens.depths(model, lens.streams(trace))
    rows = np.arange(len(p_TV))
    np.testing.assert_allclose(found.p_LT[1], p_TV[rows, found.answer_T], rtol=1e-4)
    np.testing.assert_array_equal(
        found.rank_LT[1], 1 + (p_TV > p_TV[rows, found.answer_T][:, None]).sum(-1)
    )


def test_the_pushes_add_up_to_the_logit(model: Any) -> None:
    trace = model.trace(SENTENCE)
    logit_TV = trace.field("logits").values
    id_T = logit_TV.argmax(-1)
    if not model.config.norm_first:
        assert not lens.has_pushes(model)
        with pytest.raises(ValueError, match="no sum"):
            lens.pushes(model, trace, id_T)
        return
    for above in (False, True):
        push_PT = lens.pushes(model, trace, id_T, above=above)
        want_T = logit_TV[np.arange(len(id_T)), id_T] - (logit_TV.mean(-1) if above else 0)
        np.testing.assert_allclose(push_PT.sum(0), want_T, atol=1e-3)
        assert len(lens.parts(model)) == len(push_PT)


def test_a_head_pushes_as_far_as_what_it_adds(trained: Any) -> None:
    """The same through `head.output`, which the model computes another way, and a norm whose divisor is held."""
    model = trained("transformer")
    trace, norm = model.trace(SENTENCE), model.net.tower.norm
    id_T = trace.field("probability").values.argmax(-1)
    push_PT, names = lens.pushes(model, trace, id_T, above=False), lens.parts(model)
    deviation_T = np.sqrt(trace.field("norm.deviation").values ** 2 + norm.eps)
    u_TD = model.net.embed.weight.detach().numpy()[id_T] * norm.weight.detach().numpy()
    for layer in range(2):
        for head in range(2):
            out_TD = trace.field("head.output").values[layer, head]
            want_T = ((out_TD - out_TD.mean(-1, keepdims=True)) * u_TD).sum(-1) / deviation_T
            np.testing.assert_allclose(
                push_PT[names.index(f"layer {layer + 1}, head {head + 1}")], want_T, atol=1e-4
            )


def test_a_tail_says_what_the_whole_says(trained: Any) -> None:
    model = trained("transformer")
    trace = model.trace(SENTENCE)
    whole, part = (lens.depths(model, lens.streams(t)) for t in (trace, lens.tail(trace, 4)))
    np.testing.assert_allclose(part.p_LT, whole.p_LT[:, 4:], atol=1e-6)
    np.testing.assert_allclose(whole.logit_T, trace.field("logits").values.max(-1), atol=1e-5)


def test_an_encoder_is_read_at_its_own_places(trained: Any) -> None:
    model = trained("bert")
    trace = model.trace("the cat saw the dog")
    found = lens.depths(model, lens.streams(trace))
    assert lens.has_lens(model) and not lens.has_pushes(model)
    np.testing.assert_allclose(found.p_LT[-1], trace.field("fill").values.max(-1), atol=1e-5)
    assert not lens.has_lens(trained("lstm"))
