"""Output feedback, a window and a state: tasks by counting, steps by hand, and what each cannot remember."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.analysis import output_feedback as of
from engine.analysis.output_feedback import Net


def test_the_right_answers_by_counting() -> None:
    for bits in itertools.product((0, 1), repeat=8):
        ones, parity, third = 0, [], []
        for bit in bits:
            ones += bit
            parity.append(ones % 2)
            third.append(int(bit == 1 and ones % 3 == 0))
        assert of.right("parity", np.array([bits]))[0].tolist() == parity
        assert of.right("third", np.array([bits]))[0].tolist() == third


@pytest.mark.parametrize("kind", of.KINDS)
@pytest.mark.parametrize("loop", [True, False])
def test_each_net_reads_as_by_hand(kind: of.Kind, loop: bool) -> None:
    rng = np.random.default_rng(3)
    inputs = {"window": of.WINDOW, "feedback": 2, "state": 4}[kind]
    w, b, v = rng.normal(size=(3, inputs)), rng.normal(size=3), rng.normal(size=3)
    bits, made = [1, 0, 0, 1, 1, 0, 1], []
    state, answer, seen = [0.0] * 3, -1.0, [0.0] * of.WINDOW
    for bit in bits:
        x = 2.0 * bit - 1
        seen = [*seen[1:], x]
        given = {"window": seen, "feedback": [x, answer], "state": [x, *state]}[kind]
        h = [np.tanh(sum(w[i, j] * g for j, g in enumerate(given)) + b[i]) for i in range(3)]
        p = 1 / (1 + np.exp(-(sum(v * h) + 0.3)))
        if loop:
            state, answer = h, 1.0 if p > 0.5 else -1.0
        made.append(p)
    net = Net(kind, w, b, v, 0.3, 0.0)
    np.testing.assert_allclose(net.read(np.array([bits]), loop)[0], made)


@pytest.fixture(scope="module")
def fed() -> dict[of.Job, Net]:
    return {job: of.learned("feedback", job, 1, steps=400) for job in of.JOBS}


def test_an_answer_fed_back_is_parity_for_ever(fed: dict[of.Job, Net]) -> None:
    net = fed["parity"]
    assert (net.table() > 0.5).tolist() == [[False, True], [True, False]], "XOR"
    assert of.judged(net, "parity").tolist() == [1.0] * of.LONGEST
    bits = of.strings(4, 500, 7)
    assert ((net.read(bits) > 0.5) == of.right("parity", bits)).all()
    cut = net.read(bits, loop=False)
    assert ((cut > 0.5) == bits).all(), "without its loop it copies the bit"


def test_two_things_that_were_answered_alike_stay_alike(fed: dict[of.Job, Net]) -> None:
    """The second and the third one: the same bit, the same last answer, another right answer."""
    net, bits = fed["third"], np.array([[1, 1, 1]])
    assert of.right("third", bits).tolist() == [[0, 0, 1]]
    p = net.read(bits)[0]
    assert p[1] == p[2] and (p[1] < 0.5)
    np.testing.assert_array_equal(
        of.judged(net, "third"), (1 - of.right("third", of.strings(of.HELD, of.LONGEST, 0))).mean(0)
    )
    # after "no" a one is the third in a third of the cases where it is not the first behind "yes"
    assert net.table()[0, 1] == pytest.approx(1 / 3, abs=0.08)


def test_a_window_is_right_as_long_as_it_sees_all() -> None:
    net = of.learned("window", "parity", 2, steps=300)
    a, b = of.strings(2, 40, 5)
    b[-of.WINDOW :] = a[-of.WINDOW :]
    p = net.read(np.stack([a, b]))
    assert p[0, -1] == p[1, -1]
    right = of.judged(net, "parity")
    assert (right[:3] == 1).all() and (right[of.WINDOW :] < 0.65).all()


def test_a_state_remembers_what_was_never_said() -> None:
    net = of.learned("state", "third", 1, steps=400)
    assert (of.judged(net, "third")[: of.LEARNED] > 0.97).all()
    p = net.read(np.array([[1, 1, 1, 0, 1, 1, 1]]))[0]
    assert (p > 0.5).tolist() == [False, False, True, False, False, False, True]


def test_the_same_start_learns_the_same() -> None:
    one, again, other = (of.learned("feedback", "parity", s, steps=3) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.in_HI, again.in_HI)
    assert not np.allclose(one.in_HI, other.in_HI)
