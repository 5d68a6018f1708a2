"""Coverage: sums by hand, and the definitions written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.lessons.translation import coverage

LOOK = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1]])


def test_by_hand() -> None:
    np.testing.assert_allclose(coverage.sums(LOOK), [1.4, 1.3, 0.3])
    assert coverage.penalty(LOOK) == pytest.approx(math.log(0.3))
    assert coverage.penalty(LOOK, 0.2) == pytest.approx(0.2 * math.log(0.3))
    # step 2: min(.6, .7) + min(.3, .2) + min(.1, .1); step 3: min(.1, 1.3) + min(.8, .5) + min(.1, .2)
    np.testing.assert_allclose(coverage.again(LOOK), [0, 0.9, 0.7])


def test_looking_at_each_once_costs_nothing() -> None:
    assert coverage.penalty(np.eye(4)) == 0 and not coverage.again(np.eye(4)).any()


def test_word_by_word() -> None:
    look_TS = np.random.default_rng(2).dirichlet(np.ones(5), 7)
    so_far, wanted = [0.0] * 5, []
    for row in look_TS:
        wanted.append(sum(min(a, c) for a, c in zip(row, so_far, strict=True)))
        so_far = [c + a for a, c in zip(row, so_far, strict=True)]
    np.testing.assert_allclose(coverage.again(look_TS), wanted)
    np.testing.assert_allclose(coverage.sums(look_TS), so_far)
    assert coverage.penalty(look_TS) == pytest.approx(sum(math.log(min(c, 1)) for c in so_far))
    assert math.isfinite(coverage.penalty(np.array([[1.0, 0.0]])))
