"""How weights begin, against the vectors of the specification and numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.analysis import cures, starts
from engine.analysis.cures import Switches
from engine.nn.cells.base import Cell
from tests.conftest import together


def test_bounds_as_specified() -> None:
    # lstm T13: (812 -> 512), and stacked (300 -> 4 x 512)
    assert starts.bounds(812, 512)["xavier"][0] == pytest.approx(0.067318, abs=1e-6)
    assert starts.bounds(812, 512)["he"][0] == pytest.approx(0.085960, abs=1e-6)
    assert starts.bounds(300, 512, 4)["xavier"][0] == pytest.approx(0.050551, abs=1e-6)
    assert starts.bounds(812, 512)["uniform"][1] == pytest.approx(0.0577, abs=1e-4)
    assert starts.bounds(812, 512)["torch"][0] == pytest.approx(0.0442, abs=1e-4)
    # foundations T8: bound and standard deviation
    for wide, high, xavier, he in (
        (64, 64, (0.216506, 0.125), (0.306186, 0.176777)),
        (784, 256, (0.075955, 0.043853), (0.087482, 0.050508)),
        (300, 512, (0.085960, 0.049629), (0.141421, 0.081650)),
        (512, 512, (0.076547, 0.044194), (0.108253, 0.0625)),
        (3, 2, (1.095445, 0.632456), (1.414214, 0.816497)),
    ):
        found = starts.bounds(wide, high)
        assert found["xavier"] == pytest.approx(xavier, abs=1e-6)
        assert found["he"] == pytest.approx(he, abs=1e-6)


@together("start", starts.KINDS)
def test_spectra(start: str) -> None:
    values, singular = starts.spectrum(start, 2.0)
    cell = cures.build(Switches(start=start, layers=1)).layers[0]
    assert isinstance(cell, Cell)
    u_HH = 2 * cell.matrices()[1].detach().double().numpy()
    # |det| both ways, the trace, the sum of squares; no eigenvalue beyond the largest singular value
    assert np.abs(values).prod() == pytest.approx(singular.prod(), rel=1e-6)
    assert values.sum().real == pytest.approx(np.trace(u_HH), abs=1e-5)
    assert np.square(singular).sum() == pytest.approx(np.square(u_HH).sum(), rel=1e-6)
    assert np.abs(values).max() <= singular[0] * (1 + 1e-9)
    if start == "orthogonal":
        assert singular == pytest.approx(2, rel=1e-5)
        assert np.abs(values) == pytest.approx(2, rel=1e-5)


def test_forget_gates_begin_at_the_sigmoid_of_their_bias() -> None:
    x_BTD = cures.inputs("the keys of the man are lost")
    means = [float(starts.gates(x_BTD, bias).mean()) for bias in (0.0, 1.0, 2.0, 3.0)]
    assert means == pytest.approx([1 / (1 + math.exp(-b)) for b in (0, 1, 2, 3)], abs=0.03)
    # lstm T8: set in both biases, 1 would act as 2
    cell = cures.build(Switches("lstm", forget_bias=1.0, layers=1)).layers[0]
    assert isinstance(cell, Cell)
    biases = cell.matrices()[2]
    assert sum(biases[1:], biases[0])[cures.H : 2 * cures.H].tolist() == [1.0] * cures.H
