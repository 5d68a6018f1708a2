"""What makes a training's steps faster changes nothing in them."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.core import runtime
from engine.nn import windowed_attention
from engine.nn.attention import Attention, Sight
from tests.conftest import ROOT, Patch

FAULTS = """
import resource, runpy
kept_here = runpy.run_path("engine/core/runtime.py")["kept_memory"]  # without torch
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        bytearray(100 << 20)  # touches every page
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
def size():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
usual, start = faults(), size()
with kept_here():
    bytearray(100 << 20)
    kept, held = faults(), size()
print(usual, kept, (held - start) >> 20, (size() - start) >> 20)
"""


@pytest.mark.skipif(runtime._glibc() is None, reason="only glibc is told so")
def test_a_training_keeps_its_memory_and_gives_it_back() -> None:
    """Three blocks of 100 MB one after the other: their pages are fetched once, and at the end they
    go back."""
    made = subprocess.run(
        [sys.executable, "-c", FAULTS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    usual, kept, held, after = map(int, made.stdout.split())
    pages = (100 << 20) // 65_536  # of the largest usual kind
    assert usual >= 3 * pages > pages / 10 > kept
    assert held >= 99 and after < 10


def test_without_glibc_a_training_goes_on_as_ever(monkeypatch: Patch) -> None:
    class Other:
        def __init__(self, name: None) -> None: ...

    monkeypatch.setattr(runtime.ctypes, "CDLL", Other)
    with runtime.kept_memory():
        assert runtime._glibc() is None


def gradients(net: Attention, x_BTD: Tensor, sight: Sight, halved: bool) -> tuple[Tensor, Tensor]:
    net.zero_grad()
    with torch.autocast("cpu", torch.bfloat16, enabled=halved):
        read_BTD = net(x_BTD, sight)
    read_BTD.float().square().sum().backward()
    grads = [p.grad.flatten() for p in net.parameters() if p.grad is not None]
    return read_BTD.detach().float(), torch.cat(grads)


@pytest.mark.parametrize("causal", [True, False])
def test_short_attention_is_as_near_to_float32_as_the_fused_kernel(
    causal: bool, monkeypatch: Patch
) -> None:
    torch.manual_seed(0)
    net, x_BTD, place_T = Attention(32, 4), 3 * torch.randn(3, 40, 32), torch.arange(40)
    sight = Sight(place_T, place_T, place_T[:, None] >= place_T if causal else None, causal)
    exact = gradients(net, x_BTD, sight, halved=False)
    calls: list[int] = []
    fused = F.scaled_dot_product_attention
    monkeypatch.setattr(
        F, "scaled_dot_product_attention", lambda *a, **k: calls.append(1) or fused(*a, **k)
    )
    written = gradients(net, x_BTD, sight, halved=True)
    assert not calls
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        net(x_BTD, sight)
    assert len(calls) == 1, "only where there is a way back"
    gradients(net, x_BTD, sight, halved=False)
    assert len(calls) == 2, "in float32 the fused kernel is faster"
    monkeypatch.setattr(windowed_attention, "LONGEST", 39)
    kernel = gradients(net, x_BTD, sight, halved=True)
    assert len(calls) == 3, "past the longest the weights take too much memory"
    for ours, theirs, right in zip(written, kernel, exact, strict=True):
        off, usual = ((found - right).norm() / right.norm() for found in (ours, theirs))
        assert 0 < off < 1.5 * usual < 0.02
