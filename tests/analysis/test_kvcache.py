"""The key-value cache: the formula against the tensors that a model really keeps, and shared heads
against a model whose weights are shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.measure import surprisal
from engine.lessons.masks import shared
from engine.lessons.masks.kvcache import Shape
from engine.models.transformer import Config, Net
from tests.conftest import shipped, together

TEXT = "The girl looked at the old man and shook her head"


def test_bytes_of_the_spec() -> None:
    # language_models T31: 32 layers, 32 heads of 128, 4096 tokens, fp16
    shape = Shape("", 32, 32, 32, 128)
    assert 2 * shape.numbers(4096) == 2_147_483_648
    assert 2 * shape.numbers(4096, 8) == 512 * 2**20
    assert 2 * shape.numbers(4096, 1) == 67_108_864


@together("groups", [1, 2, 4])
def test_the_formula_is_what_a_model_keeps(groups: int) -> None:
    config = Config(width=32, heads=4, layers=3, context=16, span=8, groups=groups)
    net = Net(11, config)
    kept: dict[str, torch.Tensor] = {}

    def keep(name: str, value: torch.Tensor) -> None:
        kept[f"{name}{len(kept)}"] = value

    for block in net.tower.blocks:  # what each layer's projection makes of keys and values
        narrow = groups * 8
        block.attention.qkv.register_forward_hook(
            lambda m, i, out, n=narrow: keep("kv", out[..., -2 * n :])
        )
    net(torch.zeros(1, 7, dtype=torch.long))
    size = sum(t.numel() * t.element_size() for t in kept.values())
    assert size == 4 * Shape("", 3, 4, groups, 8).numbers(7)


def test_shared_heads_are_a_model_with_mean_weights() -> None:
    model: Any = shipped("transformer")
    ids = model.tokens(TEXT).ids
    own = surprisal(model.trace(TEXT, fields=("probability",)))[1:].mean()
    heads, d, k = model.config.heads, model.config.width, model.config.width // model.config.heads
    assert shared.bits(model, ids, heads) == pytest.approx(own, abs=1e-4)
    for groups in (1, 2, 3):
        net = Net(len(model.tokenizer.vocab), model.config)
        net.load_state_dict(model.net.state_dict())
        with torch.no_grad():
            for block in net.tower.blocks:
                for part in (block.attention.qkv.weight, block.attention.qkv.bias):
                    for first in (d, 2 * d):  # keys, values
                        rows = part[first : first + d].reshape(groups, heads // groups, k, -1)
                        rows[:] = rows.mean(1, keepdim=True).clone()
            log_TV = net.eval()(torch.from_numpy(ids)[None])[0].log_softmax(-1)
        want = -log_TV[:-1].gather(1, torch.from_numpy(ids)[1:, None]).mean().item() / np.log(2)
        assert shared.bits(model, ids, groups) == pytest.approx(want, abs=1e-3)
        assert want > own
    with pytest.raises(ValueError, match="shared out"):
        shared.bits(model, ids, 4)
