"""What a Transformer costs, by the numbers of the literature; and norms and gradients, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from engine.lessons.transformer import depth, sizes


def test_parameters_are_those_of_our_own_model(trained: Any) -> None:
    model, c = trained("transformer"), trained("transformer").config
    counted = sizes.parameters(c.layers, c.width, len(model.tokenizer.vocab), c.context)
    assert sum(counted.values()) == sum(p.numel() for p in model.net.parameters())


def test_operations_and_bytes() -> None:
    want = {128: (0.034, 0.268, 0.537), 1024: (2.147, 2.147, 4.295), 4096: (34.36, 8.590, 17.18)}
    for n, row in want.items():
        found = [v / 1e9 for v in sizes.operations(n, 512).values()]
        np.testing.assert_allclose(found, row, atol=5e-3 if n == 4096 else 5e-4)
    mib = [sizes.weights_bytes(n, 12) / sizes.MIB for n in (512, 1024, 2048, 8192, 32_768)]
    assert mib == [6, 24, 96, 1536, 24_576]


def test_ways_from_one_word_to_another() -> None:
    recurrent, attention, convolution, dilated = sizes.ways(512, 512, 3, 16)
    assert (recurrent.hops, attention.hops, convolution.hops, dilated.hops) == (16, 1, 8, 3)
    assert (recurrent.steps, attention.steps) == (512, 1)
    assert recurrent.operations == 4 * 512 * 512**2 == attention.operations - 8 * 512 * 512**2, (
        "scores cost as much as recurrence where n = d"
    )


def test_gradients_through_a_deep_stack() -> None:
    after, before, bare = (depth.gradients(kind, 24) for kind in depth.KINDS)
    assert 0.8 < after[0] / after[-1] < 1.2 and 1.2 < before[0] / before[-1] < 2.0
    assert bare[0] < 1e-10 * bare[-1]
    # transformers T33, relative to the last block; more inputs and other random numbers here than there
    wanted = ((91.7, 96.0, 102.1), (94.8, 75.4, 65.9), (3.2e-13, 4.6e-7, 5.57))
    for found, want, off in zip((after, before, bare), wanted, (0.15, 0.15, 5), strict=True):
        for at, value in zip((0, 12), want, strict=False):
            ratio = found[at] / found[23] / (value / want[-1])
            assert 1 / (1 + off) < ratio < 1 + off
    np.testing.assert_array_equal(after, depth.gradients("after", 24))
    assert not np.array_equal(after, depth.gradients("after", 24, seed=1))


def test_the_gradient_of_one_block_by_differences() -> None:
    """One bare block: the gradient of its last bias is the sum of the noise, whatever the weights are."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        blocks = [
            torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
        ]
        x, noise = torch.randn(depth.INPUTS, 8), torch.randn(depth.INPUTS, 8)
    hidden = blocks[0][:2](x).detach()
    back = (noise @ blocks[0][2].weight.detach()) * (hidden > 0)
    parts = [noise.T @ hidden, noise.sum(0), back.T @ x, back.sum(0)]
    want = float(sum(p.square().sum() for p in parts)) ** 0.5
    np.testing.assert_allclose(depth.gradients("bare", 1, width=8, seed=3), [want], rtol=1e-5)
