"""Weights of few bits, multiplied in fewer bytes: the product is that of float32."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.core.cache import held_bytes
from engine.nn import packed, small_matmul
from engine.storage import quantised
from tests.conftest import sampled

ROWS, WIDE = 512, 256


def table(numbers: str, seed: int = 0) -> torch.Tensor:
    """As a run's file gives it back."""
    x = np.random.default_rng(seed).normal(size=(ROWS, WIDE)).astype(np.float32)
    x[3] = 0
    found = quantised.unpack(quantised.stored({"w": x}, numbers))["w"]
    return torch.from_numpy(np.array(found, np.float32))


@pytest.mark.parametrize("numbers", ["int4", "int6", "int8"])
def test_scales_and_integers_are_found_again(numbers: str) -> None:
    w_ED = table(numbers)
    found = packed.wholes(w_ED)
    assert found is not None
    scale_E, whole_ED = found
    assert torch.equal(whole_ED * scale_E[:, None], w_ED)
    assert torch.equal(whole_ED, whole_ED.round())
    assert whole_ED.abs().max() == quantised.most_of(quantised.BITS[numbers])


@sampled("numbers", ["int4", "int6", "int8", "float16"])
@pytest.mark.parametrize("rows", [1, 2, packed.MOST_ROWS])
@pytest.mark.parametrize("biased", [False, True])
def test_the_product_is_that_of_float64(numbers: str, rows: int, biased: bool) -> None:
    torch.manual_seed(rows)
    part = packed.Linear(WIDE, ROWS, bias=biased)
    with torch.no_grad():
        part.weight.copy_(table(numbers))
    packed.offer(part)
    x_BTD = torch.randn(1, rows, WIDE)
    with torch.inference_mode():
        found = part(x_BTD)
    wanted = x_BTD.double() @ part.weight.detach().double().T
    wanted = wanted + part.bias.detach().double() if biased else wanted
    assert found.shape == (1, rows, ROWS)
    assert found.dtype == torch.float32
    of = packed.packed_of(part.weight)
    assert of is not None and of._made is not None, "it was multiplied as it is"
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=2e-5)


def test_other_numbers_are_multiplied_as_they_are() -> None:
    part = packed.Linear(WIDE, ROWS)  # drawn: of as many bits as float32 has
    packed.offer(part)
    x_ND = torch.randn(2, WIDE)
    with torch.inference_mode():
        assert torch.equal(part(x_ND), small_matmul.times(x_ND, part.weight, part.bias))
    assert packed.pack(part.weight) == (None, None)
    assert packed.pack(1e9 * part.weight) == (None, None)


def test_a_table_that_changed_is_multiplied_anew() -> None:
    part = packed.Linear(WIDE, ROWS, bias=False)
    with torch.no_grad():
        part.weight.copy_(table("int8"))
    packed.offer(part)
    x_ND = torch.randn(1, WIDE)
    with torch.no_grad():
        before = part(x_ND)
        part.weight.mul_(2)
        torch.testing.assert_close(part(x_ND), 2 * before)
        part.weight.data = table("int8", 1)
        torch.testing.assert_close(part(x_ND), x_ND @ part.weight.T, rtol=1e-5, atol=1e-4)


def test_gradients_are_those_of_the_table() -> None:
    part = packed.Linear(WIDE, ROWS)
    packed.offer(part)
    part(torch.randn(1, WIDE)).sum().backward()
    assert part.weight.grad is not None
    of = packed.packed_of(part.weight)
    assert of is not None and of._made is None


def test_its_bytes_are_counted() -> None:
    part = packed.Linear(WIDE, ROWS)
    before = held_bytes(part)
    packed.offer(part)
    assert held_bytes(part) - before == 2 * part.weight.numel()
