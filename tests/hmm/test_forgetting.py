"""Forgetting against powers of the matrix, and against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hmm import forgetting, recursions

A = np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
ONE, OTHER = np.array([1.0, 0.0]), np.array([0.0, 1.0])


def apart(
    one_S: np.ndarray, other_S: np.ndarray, a_SS: np.ndarray, like_TS: np.ndarray
) -> np.ndarray:
    """Distance of two beliefs after each token (T,), begun with before the first is read."""
    p_2S, found = np.array([one_S, other_S]), []
    for like_S in like_TS:
        distance, p_2S = forgetting.read(p_2S, a_SS, like_S)
        found.append(distance)
    return np.array(found)


def test_a_chain_that_mixes() -> None:
    assert forgetting.second(A) == pytest.approx(0.3)
    np.testing.assert_allclose(forgetting.stationary(A), [4 / 7, 3 / 7])
    nothing = np.ones((6, 2))
    wanted = [1, 0.3, 0.09, 0.027, 0.0081, 0.00243]
    np.testing.assert_allclose(apart(ONE, OTHER, A, nothing), wanted)
    read = np.tile(B[:, 1], (7, 1))
    wanted = [0.286169, 0.080210, 0.022337, 0.006209, 0.001725, 0.000479]
    np.testing.assert_allclose(apart(ONE, OTHER, A, read)[1:], wanted, atol=2e-6)


@pytest.mark.parametrize("kept", [np.eye(2), np.eye(2)[::-1]])
def test_chains_that_never_forget(kept: np.ndarray) -> None:
    assert forgetting.second(kept) == pytest.approx(1)
    one, other = np.array([0.9, 0.1]), np.array([0.1, 0.9])
    np.testing.assert_allclose(apart(one, other, kept, np.ones((9, 2))), 0.8)


@pytest.mark.parametrize("seed", range(3))
def test_the_second_eigenvalue_is_the_rate_in_the_long_run(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = recursions.rows(rng.gamma(1.0, size=(5, 5)))
    p = forgetting.stationary(a)
    np.testing.assert_allclose(p @ a, p, atol=1e-12)
    np.testing.assert_allclose(np.linalg.matrix_power(a, 200)[0], p, atol=1e-9)
    start = np.eye(5)
    found = apart(start[0], start[1], a, np.ones((24, 5)))
    assert (np.diff(found) <= 1e-12).all()
    for n in range(24):
        power = np.linalg.matrix_power(a, n)
        assert found[n] == pytest.approx(np.abs(power[0] - power[1]).sum() / 2)
    rate = (found[20] / found[4]) ** (1 / 16)
    assert rate == pytest.approx(forgetting.second(a), rel=0.15)


def test_one_state_has_nothing_to_forget() -> None:
    assert forgetting.second(np.ones((1, 1))) == 0


def test_both_at_once_as_one_after_the_other() -> None:
    """A long text, and tokens that are impossible for one beginning or for both."""
    rng = np.random.default_rng(4)
    a_SS = recursions.rows(rng.gamma(0.3, size=(6, 6)))
    like_TS = rng.gamma(0.2, size=(90, 6)) * 1e-9
    barred_SS = np.kron(np.eye(2), np.full((3, 3), 1 / 3))  # two halves that never meet
    half_TS = np.ones((9, 6))
    half_TS[2, :3] = 0
    half_TS[4] = 0
    for chain_SS, read_TS in ((a_SS, like_TS), (barred_SS, half_TS)):
        one_S, other_S = chain_SS[0], chain_SS[4]
        ends = [recursions.forwards(s, chain_SS, read_TS)[1] for s in (one_S, other_S)]
        found = apart(one_S, other_S, chain_SS, read_TS)
        np.testing.assert_allclose(found, np.abs(ends[0] - ends[1]).sum(1) / 2, atol=1e-12)
        steps = forgetting.unread(chain_SS, 0, 4, 5)
        for n, power in enumerate(np.linalg.matrix_power(chain_SS, n) for n in range(6)):
            assert steps[n] == pytest.approx(np.abs(power[0] - power[4]).sum() / 2)
