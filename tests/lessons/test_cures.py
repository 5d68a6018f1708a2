"""Why gradients vanish: one unit against the figures of the specification, differences and brute force; what the
parts say of nets and clipping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from engine.analysis import cures
from engine.analysis.cures import Switches
from engine.frame.blocks import Code, blocks_in
from engine.language.numbers import number
from engine.lessons.cures import clipped, one_unit, parts
from tests.conftest import together
from tests.lessons import blocks


def test_fixed_points_as_specified() -> None:
    found = one_unit.fixed_points(5, -2.5)
    assert [h for h, _ in found] == pytest.approx([0.14479, 0.5, 0.85520], abs=1e-5)
    assert [s for _, s in found] == pytest.approx([0.619, 1.25, 0.619], abs=1e-3)
    assert [b for _, b in one_unit.folds(5)] == pytest.approx([-2.34439, -2.65561], abs=1e-5)
    assert [h for h, _ in one_unit.folds(5)] == pytest.approx([0.27639, 0.72361], abs=1e-5)
    assert one_unit.folds(4) == []


@together("w", [-3.0, 0.0, 3.0, 5.0, 9.0])
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
        assert one_unit.system(5, b, 0.5) == pytest.approx(end, abs=1e-5)
    for b, loss in ((-2.501, 0.50484), (-2.4, 0.00071), (-2.3, 0.00207), (-2, 0.00652)):
        assert cost(5, b, 0.5) == pytest.approx(loss, abs=1e-5)
    for b, loss in ((-2.7, 0.57071), (-3, 0.62531)):
        assert cost(5, b, 0.5) == pytest.approx(loss, abs=1e-5)


@together(("w", "b", "start"), [(5, -2.3, 0.5), (5, -2.6, 0.2), (2, 0.5, 0.9)])
def test_slopes_by_differences(w: float, b: float, start: float) -> None:
    step = 1e-5
    up, down = (cost(w, b + by, start) for by in (step, -step))
    by_w = [cost(w + by, b, start) for by in (step, -step)]
    height, *slopes = one_unit.slopes(w, b, start)
    assert height == pytest.approx(cost(w, b, start))
    assert slopes[0] == pytest.approx((by_w[0] - by_w[1]) / 2 / step, rel=1e-4, abs=1e-8)
    assert slopes[1] == pytest.approx((up - down) / 2 / step, rel=1e-4, abs=1e-8)
    ends = [one_unit.network(w, b, start + by, 12)[0][-1] for by in (step, -step)]
    got = one_unit.network(w, b, start, 12)[1][-1]
    assert got == pytest.approx(abs(ends[0] - ends[1]) / 2 / step, rel=1e-5, abs=1e-10)


@together("first", [0.0, 0.4, 0.6, 1.0])
def test_a_way_in_time_is_that_of_the_equation(first: float) -> None:
    """Against an integrator of steps that it chooses itself."""
    found = one_unit.system(5, -2.5, first, 12)
    wanted = solve_ivp(
        lambda _, h: -h + 1 / (1 + np.exp(-(5 * h - 2.5))), (0, 12), [first], rtol=1e-9
    ).y[0, -1]
    assert found == pytest.approx(wanted, abs=0.01)
    assert found == pytest.approx(0.85520 if first > 0.5 else 0.14479, abs=0.02)


def test_branches_are_fixed_points() -> None:
    for w in (-2.0, 3.0, 5.0, 8.0):
        for b_N, h_N in one_unit.branches(w).values():
            assert one_unit.squash(w * h_N + b_N) == pytest.approx(h_N)
            assert (np.diff(b_N) >= -1e-9).all() or (np.diff(b_N) <= 1e-9).all()


def test_clipping_keeps_the_ball_from_being_thrown_off() -> None:
    wide = ((-20.0, 20.0), (-20.0, 20.0))
    plain, held = (one_unit.descend(6, -2.8, 0.4, 10, c, 30, wide) for c in (0.0, 0.1))
    assert np.hypot(np.diff(plain[0]), np.diff(plain[1])).max() > 8
    assert np.hypot(np.diff(held[0]), np.diff(held[1])).max() <= 1 + 1e-9
    assert held[2][-1] < 1e-3 < plain[2][-1]


def cost(w: float, b: float, start: float) -> float:
    return float(one_unit.losses(w, np.array([b]), start)[0])


def said(part: Any, **chosen: Any) -> str:
    return blocks.said(part.blocks(**chosen))


def test_an_overflow_is_a_lesson() -> None:
    text = "a text that is long enough for the numbers to end"
    more: dict[str, Any] = {"activation": "relu", "cell": "rnn", "begin": "he"}
    found = said(parts.flow, text=text, scale=4.0, layers=20, **more)
    assert "the signal overflows: at character" in found and "**it overflows**" in found


def test_each_cure_by_itself_is_what_the_switches_show() -> None:
    (rows,) = blocks.tables(parts.alone.blocks())
    assert len(rows) == 9
    for row in rows:
        plain = Switches()
        one = {"no cure": plain, **cures.flipped(plain)}[row["cure"]]
        share = cures.on_text(one, parts.KEYS).share_LT[0, 0]
        assert row["first character"] == number(float(share))
        assert row["gradient"] == parts.VERDICTS[cures.verdict(share)]


def test_residual_connections_hold_what_a_negative_weight_takes() -> None:
    """1 + w σ′, with its sign: nothing is left at w = −4, z = 0."""
    assert "with residual connections by 0;" in said(parts.factor, fw=-4.0)
    assert "10 layers by 9.54 × 10⁻⁷, with residual connections by 9.31" in said(
        parts.factor, fw=1.0
    )


@together("value", [False, True])
def test_the_program_under_the_arrow_clips_as_the_arrow(value: bool) -> None:
    """As torch runs it: with the other of the two calls where it is by value."""
    (code,) = (b.text for b in blocks_in(parts.clipping.blocks()) if isinstance(b, Code))
    lines = [line for line in code.split("\n") if "utils.clip_grad" in line]
    model = torch.nn.Linear(2, 1, bias=False)
    model.weight.grad = torch.tensor([[0.5, 10.0]])
    exec(lines[value].removeprefix("# "), {"torch": torch, "model": model})  # noqa: S102
    want = clipped.arrow((0.5, 10.0), "value" if value else "norm", 5.0)
    np.testing.assert_allclose(model.weight.grad[0], want, rtol=1e-5)


def test_what_clipping_cures_and_what_not() -> None:
    found = said(parts.cannot)
    assert "The two runs are equal, number by number" in found
    assert "no finite number from update 3 on" in found and "it recalls 100 %" in found
    assert "by value by **2.85°**" in said(parts.clipping)
    assert "0.69 (1)" in said(parts.weights_begin)
