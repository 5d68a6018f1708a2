"""One unit in three ways: against the figures of the specification, differences and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine.analysis import one_unit


def test_fixed_points_as_specified() -> None:
    found = one_unit.fixed_points(5, -2.5)
    assert [h for h, _ in found] == pytest.approx([0.14479, 0.5, 0.85520], abs=1e-5)
    assert [s for _, s in found] == pytest.approx([0.619, 1.25, 0.619], abs=1e-3)
    assert [b for _, b in one_unit.folds(5)] == pytest.approx([-2.34439, -2.65561], abs=1e-5)
    assert [h for h, _ in one_unit.folds(5)] == pytest.approx([0.27639, 0.72361], abs=1e-5)
    assert one_unit.folds(4) == []


@pytest.mark.parametrize("w", [-3.0, 0.0, 3.0, 5.0, 9.0])
def test_fixed_points_are_all_of_them(w: float) -> None:
    h = np.linspace(0, 1, 20_001)
    for b in np.linspace(-6, 3, 37):
        off = one_unit.squash(w * h + b) - h
        crossings = int((np.sign(off[:-1]) * np.sign(off[1:]) < 0).sum() + (off == 0).sum())
        found = one_unit.fixed_points(w, float(b))
        assert len(found) == crossings
        for h_, _ in found:
            assert float(one_unit.squash(w * h_ + b)) == pytest.approx(h_, abs=1e-9)


def test_loss_as_specified() -> None:
    for b, end in ((-2.499, 0.85552), (-2.501, 0.14448)):
        assert one_unit.system(5, b, 0.5)[-1] == pytest.approx(end, abs=1e-5)
    for b, loss in ((-2.501, 0.50484), (-2.4, 0.00071), (-2.3, 0.00207), (-2, 0.00652)):
        assert one_unit.loss(5, b, 0.5) == pytest.approx(loss, abs=1e-5)
    for b, loss in ((-2.7, 0.57071), (-3, 0.62531)):
        assert one_unit.loss(5, b, 0.5) == pytest.approx(loss, abs=1e-5)


@pytest.mark.parametrize(("w", "b", "start"), [(5, -2.3, 0.5), (5, -2.6, 0.2), (2, 0.5, 0.9)])
def test_slopes_by_differences(w: float, b: float, start: float) -> None:
    step = 1e-5
    up, down = (one_unit.loss(w, b + by, start) for by in (step, -step))
    assert one_unit.slope(w, b, start) == pytest.approx((up - down) / 2 / step, rel=1e-4, abs=1e-8)
    ends = [one_unit.network(w, b, start + by, 12)[0][-1] for by in (step, -step)]
    got = one_unit.network(w, b, start, 12)[1][-1]
    assert got == pytest.approx(abs(ends[0] - ends[1]) / 2 / step, rel=1e-5, abs=1e-10)


@pytest.mark.parametrize("first", [0.0, 0.4, 0.6, 1.0])
def test_a_way_in_time_is_that_of_the_equation(first: float) -> None:
    """Against an integrator of steps that it chooses itself."""
    found = one_unit.system(5, -2.5, first, 12)
    time = one_unit.DT * np.arange(len(found))
    wanted = solve_ivp(
        lambda _, h: -h + 1 / (1 + np.exp(-(5 * h - 2.5))), (0, 12), [first], t_eval=time, rtol=1e-9
    ).y[0]
    assert np.abs(found - wanted).max() < 0.01
    assert found[-1] == pytest.approx(0.85520 if first > 0.5 else 0.14479, abs=0.02)


def test_branches_are_fixed_points() -> None:
    for w in (-2.0, 3.0, 5.0, 8.0):
        for b_N, h_N in one_unit.branches(w).values():
            assert one_unit.squash(w * h_N + b_N) == pytest.approx(h_N)
            assert (np.diff(b_N) >= -1e-9).all() or (np.diff(b_N) <= 1e-9).all()


def test_clipping_keeps_the_ball_from_jumping_off_the_cliff() -> None:
    plain, clipped = (one_unit.descend(5, -2.50001, 0.5, 0.05, c) for c in (0.0, 0.1))
    assert abs(plain[0][1] - plain[0][0]) > 50 and plain[1][-1] > 0.02  # thrown far away, for good
    assert np.abs(np.diff(clipped[0])).max() <= 0.005 + 1e-9 and clipped[1][-1] < 1e-5


def test_a_norm_grows_though_every_eigenvalue_is_below_one() -> None:
    norms = one_unit.powers(np.array([[0.9, 5], [0, 0.9]]), 120)
    assert norms.max() == pytest.approx(19.38, abs=0.01) and int(norms.argmax()) == 9
    assert norms[-1] < 0.01


def test_a_unit_of_a_network_is_a_unit_with_a_bias_that_moves() -> None:
    rng = np.random.default_rng(0)
    u, x = rng.normal(size=(3, 3)), rng.normal(size=(8, 3))
    h, sums, states = np.zeros(3), [], []
    for x_H in x:
        sums.append(u @ h + x_H)
        h = np.tanh(sums[-1])
        states.append(h)
    w, b_T, g_T = one_unit.of_unit(u[1, 1], np.array(sums)[:, 1], np.array(states)[:, 1])
    before_T = np.r_[0.5, g_T[:-1]]
    assert g_T == pytest.approx(one_unit.squash(w * before_T + b_T), abs=1e-12)


def test_the_surface_is_the_loss_everywhere() -> None:
    w_N, b_M = np.array([2.0, 5.0]), np.array([-2.501, -2.4, 1.0])
    found = one_unit.surface(w_N, b_M, 0.5)
    for n, w in enumerate(w_N):
        for m, b in enumerate(b_M):
            assert found[n, m] == pytest.approx(one_unit.loss(w, float(b), 0.5), abs=1e-12)


def test_a_tanh_unit_as_specified() -> None:
    """rnn B5 and B3; ten steps, and the slope by differences."""
    for w, b, start, want in ((1.5, 0, 0, 57.665), (1.5, 0, 0.1, 0.1233), (0.5, 0, 0, 9.765625e-4)):
        assert one_unit.network(w, b, start, 10, tanh=True)[1][-1] == pytest.approx(want, rel=1e-3)
    assert one_unit.network(1.5, 3, 0, 10, tanh=True)[1][-1] == pytest.approx(1.0e-30, rel=0.05)
    ends = [one_unit.network(1.3, 0.2, 0.4 + by, 7, tanh=True)[0][-1] for by in (1e-6, -1e-6)]
    got = one_unit.network(1.3, 0.2, 0.4, 7, tanh=True)[1][-1]
    assert got == pytest.approx(abs(ends[0] - ends[1]) / 2e-6, rel=1e-5)
