"""Behind the heads: foundations T26 and T27, and a clipped model beside torch itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis.residual_stream import behind_heads

X = torch.tensor([[1.0, 2, 3, 4], [2, 0, -2, 0]])
OUT = torch.tensor([[0.5, -0.5, 1, -1], [1, -1, 1, -1]])


def test_residual_and_norm_by_hand() -> None:
    """T26: as in the paper, with a gain and a shift, as printed, and over the batch instead."""
    standard = behind_heads.joined(X, OUT, False)
    want = [
        [-0.942805, -0.942805, 1.414207, 0.471402],
        [1.732048, -0.577349, -0.577349, -0.577349],
    ]
    np.testing.assert_allclose(standard, want, atol=1e-6)
    np.testing.assert_allclose(
        2 * standard[0] + 0.5, [-1.385610, -1.385610, 3.328415, 1.442805], atol=2e-6
    )
    printed = [
        [-1.207402, -0.768347, 0.987875, 0.987875],
        [1.666663, -0.333333, -0.999998, -0.333333],
    ]
    np.testing.assert_allclose(behind_heads.joined(X, OUT, True), printed, atol=1e-6)
    batch = nn.functional.batch_norm(X + OUT, None, None, training=True)
    np.testing.assert_allclose(batch[0], [-0.999991, 0.999997, 0.999999, 0.999999], atol=1e-6)
    np.testing.assert_allclose(batch[1], -batch[0], atol=1e-6)


def test_parameters_of_either_order() -> None:
    """T27: N = 5, d_v = 64, d_model = 128."""
    printed = {s.name: s.parameters for s in behind_heads.steps(5, 128, 64, 512, True)}
    assert printed["queries, keys, values"] == 24_576
    assert printed["output weights"] == 8_320 == 8_192 + 128
    assert printed["residual and norm"] == 256
    assert sum(printed.values()) == 33_152 == 24_576 + 8_320 + 256
    for d, inner, want in ((128, 512, 131_712), (512, 2048, 2_099_712)):
        found = behind_heads.steps(5, d, 64, inner, False)
        assert sum(s.parameters for s in found if "feed-forward" in s.name) == want
        both = nn.Sequential(nn.Linear(d, inner), nn.Linear(inner, d))
        assert want == sum(p.numel() for p in both.parameters())
    with pytest.raises(ValueError, match="at least 1"):
        behind_heads.steps(0, 128, 64, 512, True)


def test_feed_forward_by_hand() -> None:
    """T27: x = (1, -2), ReLU and GELU."""
    x, w_1 = torch.tensor([1.0, -2]), torch.tensor([[1.0, 0], [0, 1], [1, 1], [-1, 1]])
    w_2 = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1]])
    relu, gelu = (f(w_1 @ x) for f in (torch.relu, nn.functional.gelu))
    np.testing.assert_allclose(relu, [1, 0, 0, 0])
    np.testing.assert_allclose(w_2 @ relu, [1, 0])
    np.testing.assert_allclose(gelu, [0.841345, -0.0455, -0.158655, -0.00405], atol=1e-6)
    np.testing.assert_allclose(w_2 @ gelu, [0.682689, -0.04955], atol=1e-6)


def test_a_clipped_model_reads_what_hooks_clip(trained: Any) -> None:
    model, text = trained("transformer"), "the cat sat on the mat"
    found = behind_heads.surprisals(model, text)
    tokens = model.tokens(text)
    ids = torch.as_tensor(tokens.ids.astype("int64"))[None]
    hooks = []
    want = []
    for clips in (False, True):
        if clips:
            hooks = [
                block.attention.register_forward_hook(lambda _, __, made: made.relu())
                for block in model.tower.blocks
            ]
        with torch.inference_mode():
            logit = model.net(ids)[0]
        want.append(nn.functional.cross_entropy(logit[:-1], ids[0, 1:], reduction="none"))
    for hook in hooks:
        hook.remove()
    np.testing.assert_allclose(found, torch.stack(want) / np.log(2), atol=1e-4)
    assert not torch.allclose(found[0], found[1])
    with pytest.raises(ValueError, match="two words"):
        behind_heads.surprisals(model, "")
