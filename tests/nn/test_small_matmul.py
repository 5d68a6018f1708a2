"""A few rows times a matrix: against NumPy in double precision, for all that a layer takes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.nn.packed import Linear
from tests.conftest import sampled


@sampled("shape", [(1, 1), (1, 2), (2, 1), (5,), (2, 3), (3, 4), (1, 0), ()])
@pytest.mark.parametrize("bias", [True, False])
def test_the_product(shape: tuple[int, ...], bias: bool) -> None:
    torch.manual_seed(0)
    wide, high = (7, 4) if bias else (256, 600)  # the larger one is multiplied in its own way
    layer = Linear(wide, high, bias)
    x = torch.randn(*shape, wide)
    want = x.double().numpy() @ layer.weight.detach().double().numpy().T
    want = want + (layer.bias.detach().numpy() if bias else 0)
    for grad in (False, True):
        with torch.set_grad_enabled(grad):
            found = layer(x)
        assert found.shape == (*shape, high) and found.is_contiguous()
        np.testing.assert_allclose(found.detach().numpy(), want, atol=2e-6)
    with torch.no_grad():
        assert layer.double()(x.double()).dtype == torch.float64


def test_a_step_of_training_is_torchs_own() -> None:
    layer, x = Linear(3, 2), torch.randn(1, 1, 3, requires_grad=True)
    layer(x).sum().backward()
    torch.testing.assert_close(x.grad, layer.weight.detach().sum(0)[None, None])
