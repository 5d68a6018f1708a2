"""One step by hand against the numbers given, torch's attention and the engine's scores; a filled sentence
against the sentence alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import soft_lookup
from engine.analysis.qkv.attend import softmax
from engine.lessons.scores import by_hand, filled
from tests.conftest import shipped, together

GIVEN = {name: np.array(values, float) for name, values in by_hand.GIVEN.items()}


def test_output_with_attention_and_with_a_fixed_context() -> None:
    """language_models T28: the whole step, and c = h3 in both places."""
    context_H = softmax(by_hand.scores("additive", GIVEN)) @ GIVEN["keys"]
    found = by_hand.output(context_H, GIVEN)
    np.testing.assert_allclose(found.new_H, [0.393903, 0.672215], atol=1e-6)
    np.testing.assert_allclose(found.logit_V, [0.312397, 0.305775, 0.076034], atol=1e-6)
    np.testing.assert_allclose(found.p_V, [0.359338, 0.356967, 0.283695], atol=1e-6)
    fixed = by_hand.output(GIVEN["keys"][2], GIVEN)
    np.testing.assert_allclose(fixed.p_V, [0.369501, 0.330989, 0.299510], atol=1e-6)


def test_general_score_of_any_matrix_is_torch_s_bilinear() -> None:
    draw = np.random.default_rng(3)
    given = GIVEN | {"general": draw.normal(size=(2, 2)), "query": draw.normal(size=(1, 2))}
    layer = torch.nn.Bilinear(2, 2, 1, bias=False).double()
    layer.weight.data = torch.tensor(given["general"])[None]
    query_SH = torch.tensor(given["query"]).expand(3, 2).contiguous()
    wanted = layer(query_SH, torch.tensor(given["keys"]))[:, 0].detach().numpy()
    np.testing.assert_allclose(by_hand.scores("bilinear", given), wanted)
    with pytest.raises(KeyError):
        by_hand.scores("location", given)


def test_entropy_as_specified() -> None:
    """language_models T31: 2 bits of four alike, .241941 of one that has nearly all."""
    assert soft_lookup.entropy(np.full(4, 0.25)) == 2
    assert soft_lookup.entropy(np.array([0.97, 0.01, 0.01, 0.01])) == pytest.approx(
        0.241941, abs=1e-6
    )
    assert soft_lookup.entropy(np.array([1.0, 0])) == 0


@together("looks", ["before", "after"])
def test_a_mask_makes_the_filling_nothing(looks: str) -> None:
    model: Any = shipped(f"score_additive_{looks}")
    source = model.source("The black cat ate").ids
    alone, look_TS = filled.written(model, source, 0, filled.MASKED)
    assert alone == model.translated(torch.from_numpy(source)[None])[0]
    same, masked_TS = filled.written(model, source, 3, filled.MASKED)
    assert same == alone and not masked_TS[:, -3:].any()
    np.testing.assert_allclose(masked_TS[:, :-3], look_TS, atol=1e-6)
    for way in (filled.OPEN, filled.UNMASKED):
        _, open_TS = filled.written(model, source, 3, way)
        assert open_TS[0, -3:].sum() > 1e-4
        np.testing.assert_allclose(open_TS.sum(1), 1, atol=1e-5)
    with pytest.raises(ValueError, match="no way"):
        filled.written(model, source, 1, "half")
