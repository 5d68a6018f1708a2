"""Scale: parameters, power laws, schedules and repeated passages, against the notes' numbers and
brute force."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from engine.lessons.transformer import scale
from tests.conftest import together


def test_parameters_of_the_notes() -> None:
    """T37 of the notes."""
    wanted = [116_534_784, 124_439_808, 1_557_611_200, 174_604_259_328]
    assert [s.parameters for s in scale.NAMED.values()] == wanted


def test_parameters_are_those_of_a_net() -> None:
    from engine.models.transformer import Config, Net

    tiny = scale.Size("tiny", 3, 16, 50, 20)
    net = Net(50, Config(width=16, heads=4, layers=3, context=20, span=8))
    assert tiny.parameters == sum(p.numel() for p in net.parameters())


def test_power_laws() -> None:
    """Kaplan et al.: twice the parameters make 0.949 of the loss; the law crosses 1 nat where N is its constant."""
    assert scale.loss_by_parameters(2e9) / scale.loss_by_parameters(1e9) == pytest.approx(
        0.949, abs=5e-4
    )
    assert scale.loss_by_parameters(8.8e13) == 1 and scale.loss_by_tokens(5.4e13) == 1
    assert scale.loss_by_tokens(2e9) / scale.loss_by_tokens(1e9) == pytest.approx(2**-0.095)


@together(
    ("chosen", "rejected"), [(0.0, 0.0), (2.0, -1.0), (-3.0, 4.0), (900.0, -900.0), (-900.0, 900.0)]
)
def test_preference_is_a_log_sigmoid(chosen: float, rejected: float) -> None:
    loss, p = scale.preference(chosen, rejected)
    assert loss == pytest.approx(
        float(-torch.nn.functional.logsigmoid(torch.tensor(chosen - rejected, dtype=torch.float64)))
    )
    assert p == pytest.approx(math.exp(-loss))


@together(("n", "layers", "workers"), [(1, 1, 1), (5, 1, 2), (6, 3, 3), (7, 2, 16), (9, 4, 5)])
def test_schedules_by_brute_force(n: int, layers: int, workers: int) -> None:
    """Each tick does as many of the jobs whose inputs are there as there are workers, layer by layer."""

    def run(needs: Callable[[int, int], list[tuple[int, int]]]) -> dict[tuple[int, int], int]:
        done: dict[tuple[int, int], int] = {}
        tick = 0
        while len(done) < n * layers:
            tick += 1
            jobs = [(i, t) for i in range(layers) for t in range(n)]
            ready = (j for j in jobs if all(done.get(n, tick) < tick for n in needs(*j)))
            free = [job for job in ready if job not in done]
            done |= dict.fromkeys(free[:workers], tick)
        return done

    recurrent = run(lambda i, t: [(i - 1, t)] * (i > 0) + [(i, t - 1)] * (t > 0))
    attention = run(lambda i, t: [(i - 1, s) for s in range(n)] if i else [])
    assert scale.steps(n, layers, workers) == (max(recurrent.values()), max(attention.values()))
    for tick in range(max(recurrent.values()) + 2):
        want = [[done[layers - 1, t] <= tick for t in range(n)] for done in (recurrent, attention)]
        np.testing.assert_array_equal(scale.ready(n, tick, layers, workers), want)


@pytest.mark.parametrize("id", ["transformer", "lstm"])
def test_repeated_passages_share_out_the_whole_surprise(
    id: str, trained: Callable[[str], Any]
) -> None:
    """Every token is counted once, in the turn that it stands in."""
    model = trained(id)
    found = scale.repeated(model, "the cat sat", 2)
    text = "the cat sat " * 2
    trace = model.trace(text)
    bits = -np.log2(trace.field("probability").values[np.arange(len(trace.ids) - 1), trace.ids[1:]])
    first = sum(start + stop < 24 for start, stop in trace.spans[1:])
    np.testing.assert_allclose(found, [bits[:first].mean(), bits[first:].mean()], rtol=1e-5)


def test_a_passage_that_does_not_fit_is_named(trained: Callable[[str], Any]) -> None:
    with pytest.raises(ValueError, match="shorter passage"):
        scale.repeated(trained("transformer"), "the cat sat on the mat " * 40, 3)
