"""A head that learns to look up: its numbers by loops, its gradients by finite differences, and what
is known of each start."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.lessons.attention import learning
from engine.lessons.attention.learning import DIGITS, LETTERS, STEPS, WIDTH


def test_a_lookup_is_learned() -> None:
    course = learning.learned(1)
    assert len(course.heads) == len(STEPS) and course.right_S[0] < 0.45
    assert course.right_S[-1] == 1 and course.loss_S[-1] < 0.05
    last = course.heads[-1]
    assert (last.matches().argmax(1) == np.arange(8)).all()
    assert (last.answers().argmax(1) == np.arange(8)).all()
    weight, p = last.read([0, 2, 5], [3, 1, 7], [2, 5])
    assert weight.argmax(1).tolist() == [1, 2] and p.argmax(1).tolist() == [1, 7]
    assert (weight.max(1) > 0.9).all()


def test_the_role_is_the_mean_weight_on_the_pair_that_is_asked_for() -> None:
    course = learning.learned(1)
    ask, pair, _ = learning.drawn(learning.HELD_OUT, np.random.default_rng(10_000))
    head, found = course.heads[5], []
    for ask_D, pair_MD in zip(ask[:200].numpy(), pair[:200].numpy(), strict=True):
        score_M = [
            float((ask_D @ head.query) @ (row @ head.key)) / math.sqrt(WIDTH) for row in pair_MD
        ]
        weight_M = np.exp(score_M) / np.exp(score_M).sum()
        found.append(weight_M[[bool(row @ ask_D) for row in pair_MD].index(True)])
    assert np.mean(found) == pytest.approx(course.role_S[5], abs=0.05)
    assert course.role_S[0] == pytest.approx(1 / learning.PAIRS, abs=0.05)
    assert course.role_S[-1] > 0.9
    # with queries and keys of 0 no role ever comes
    np.testing.assert_allclose(learning.learned(1, "both").role_S, 1 / learning.PAIRS, atol=1e-6)


def test_the_reading_by_loops() -> None:
    head = learning.learned(2).heads[3]
    letters, digits, asked = [1, 4, 6], [0, 5, 5], 4
    rows = [head.key[a] + head.key[8 + b] for a, b in zip(letters, digits, strict=True)]
    exps = [math.exp(sum(head.query[asked] * row) / math.sqrt(WIDTH)) for row in rows]
    weight = [e / sum(exps) for e in exps]
    out = sum(
        w * (head.value[a] + head.value[8 + b])
        for w, a, b in zip(weight, letters, digits, strict=True)
    )
    logits = np.asarray(out @ head.out, float)
    found, p = head.read(letters, digits, [asked])
    np.testing.assert_allclose(found[0], weight, atol=1e-6)
    np.testing.assert_allclose(p[0], np.exp(logits) / np.exp(logits).sum(), atol=1e-6)
    np.testing.assert_allclose(
        head.matches()[2, 3] * math.sqrt(8), head.query[2] @ head.key[3], rtol=1e-5
    )


def test_gradients_by_finite_differences() -> None:
    head = learning.learned(1).heads[2]
    ask, pair, answer = learning.drawn(50, np.random.default_rng(3))
    parts = [torch.from_numpy(getattr(head, n)).double().requires_grad_() for n in learning.NAMES]

    def loss() -> torch.Tensor:
        return F.cross_entropy(learning.forward(parts, ask.double(), pair.double())[1], answer)

    for part, g in zip(parts, torch.autograd.grad(loss(), parts), strict=True):
        for at in ((0, 0), (5, 3), (7, 7)):
            with torch.no_grad():
                part[at] += 1e-6
                up = float(loss())
                part[at] -= 2e-6
                down = float(loss())
                part[at] += 1e-6
            assert float(g[at]) == pytest.approx((up - down) / 2e-6, abs=1e-7)


def test_what_starts_at_nothing() -> None:
    keys, both = (learning.learned(1, start) for start in ("keys", "both"))
    # dL/dW_Q has W_K as a factor, and dL/dW_K has W_Q
    assert keys.gradient_S4[0, 0] == 0 and keys.gradient_S4[0, 1] > 0 and keys.right_S[-1] == 1
    assert not both.gradient_S4[:, :2].any() and both.right_S[-1] < 0.6
    assert not both.heads[-1].matches().any()
    np.testing.assert_allclose(both.heads[-1].read([0, 1], [2, 3], [0])[0], [[0.5, 0.5]])
    with pytest.raises(KeyError):
        learning.learned(1, "other")


def test_what_is_typed() -> None:
    assert learning.read("A3, c 1 zz f7 a5 ?") == ([0, 2, 5], [5, 1, 7])
    for text in ("", "a", "a9 z3", "👩‍🚀"):
        with pytest.raises(ValueError, match="Type pairs"):
            learning.read(text)
    assert len(LETTERS) == len(DIGITS) == 8
