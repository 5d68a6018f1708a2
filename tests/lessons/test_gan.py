"""Adversarial nets: the smallest ones by hand and by autograd, and what the page says.  That the browser takes the
steps of torch: tests/js/adversarial.test.js."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.frame.blocks import Board, Chart, Problem, Rows, blocks_in
from engine.lessons.convolution import images
from engine.lessons.gan import digits, parts, small, text
from engine.lessons.gan.small import Pair

X, Z = np.array([1.0, 3]), np.array([-1.0, 1])


def test_a_known_example() -> None:
    first = Pair(0.2, -0.1, 0.5, 0.0)
    assert first.value(X, Z) == pytest.approx(-1.204880, abs=1e-6)
    assert first.slopes_of_d(X, Z) == pytest.approx((0.791363, -0.048802), abs=1e-6)
    then = Pair(0.279136, -0.104880, 0.5, 0.0)
    assert then.value(X, Z) == pytest.approx(-1.145667, abs=1e-6)
    assert then.slopes_of_g(Z, True) == pytest.approx((-0.009697, -0.132291), abs=1e-6)
    assert then.slopes_of_g(Z, False) == pytest.approx((-0.009697, 0.146845), abs=1e-6)


def test_slopes_are_those_of_autograd() -> None:
    of = Pair(0.7, -0.4, 1.3, 0.2)
    w, b, a, c = (torch.tensor(v, requires_grad=True) for v in (of.w, of.b, of.a, of.c))
    x, z = torch.tensor(X), torch.tensor(Z)
    made = torch.sigmoid(w * (a * z + c) + b)
    value = torch.sigmoid(w * x + b).log().mean() + (1 - made).log().mean()
    found = [g.item() for g in torch.autograd.grad(value, (w, b, a, c), retain_graph=True)]
    assert of.value(X, Z) == pytest.approx(value.item())
    assert of.slopes_of_d(X, Z) == pytest.approx(found[:2], abs=1e-6)
    assert of.slopes_of_g(Z, True) == pytest.approx(found[2:], abs=1e-6)
    up = [g.item() for g in torch.autograd.grad(made.log().mean(), (a, c))]
    assert of.slopes_of_g(Z, False) == pytest.approx(up, abs=1e-6)


def test_the_best_discriminator_is_worth_most() -> None:
    p_K, q_K = np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5])
    np.testing.assert_allclose(small.best_discriminator(p_K, q_K), [1, 0.5, 0])
    assert small.divergence(p_K, q_K) == pytest.approx(0.346574, abs=1e-6)
    rng = np.random.default_rng(1)
    p_K, q_K = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))

    def worth(d_K: np.ndarray) -> float:
        return float(p_K @ np.log(d_K) + q_K @ np.log(1 - d_K))

    best = small.best_discriminator(p_K, q_K)
    assert worth(best) == pytest.approx(-np.log(4) + 2 * small.divergence(p_K, q_K))
    for _trial in range(50):
        assert worth(np.clip(best + rng.normal(0, 0.05, 5), 0.01, 0.99)) <= worth(best)


def test_steps_at_once_spiral_and_steps_in_turn_circle() -> None:
    at_once = np.hypot(*small.circling(0.1, 100, "simultaneous").T)
    assert at_once[-1] == pytest.approx(1.644632, abs=1e-6) and (np.diff(at_once) > 0).all()
    in_turn = np.hypot(*small.circling(0.1, 3000, "alternating").T)
    assert in_turn.min() > 0.9 and in_turn.max() < 1.1


def test_what_the_parts_say() -> None:
    (board,) = (
        b for b in blocks_in(parts.board.blocks(asked="gan_steps=9")) if isinstance(b, Board)
    )
    assert board.data["asked"] == {"gan_steps": "9"}
    (steps,) = (b for b in blocks_in(parts.by_hand.blocks()) if isinstance(b, Rows))
    saturating, other = steps.rows
    assert saturating["new a"] == pytest.approx(0.500970, abs=1e-6)
    assert saturating["mean D(G(z)) then"] == pytest.approx(0.474848, abs=1e-6)
    assert other["new c"] == pytest.approx(0.014685, abs=1e-6)
    (slopes,) = (b for b in blocks_in(parts.losses.blocks(d=0.01)) if isinstance(b, Rows))
    assert [row["slope along the logit"] for row in slopes.rows] == pytest.approx([-0.01, -0.99])
    for typed in ("", "one", "1,,2", "1e9", ",".join("1" * 9)):
        (told,) = (b for b in parts.by_hand.blocks(real=typed) if isinstance(b, Problem))
        assert told.words.startswith("Type one to eight numbers")
    (told,) = (
        b for b in parts.best.blocks(shares=((0, 0, 0), (1, 1, 1))) if isinstance(b, Problem)
    )
    assert "not negative" in told.words
    assert not [b for b in parts.drawn.blocks() if isinstance(b, Chart)]


def test_a_penalty_is_that_of_a_slope_by_differences() -> None:
    torch.manual_seed(3)
    net = digits.layers(64, 1).double()
    real, made = torch.rand(1, 64).double(), torch.rand(1, 64).double()
    torch.manual_seed(5)
    share = torch.rand(1, 1)
    torch.manual_seed(5)
    found = digits.penalty(net, real, made).item()
    between, slope = share * real + (1 - share) * made, []
    for k in range(64):
        far = torch.zeros(1, 64).double()
        far[0, k] = 1e-6
        slope.append((net(between + far) - net(between - far)).item() / 2e-6)
    assert found == pytest.approx((float(np.linalg.norm(slope)) - 1) ** 2, rel=1e-4)


def test_digits_are_made_and_nobody_elses_numbers_change() -> None:
    torch.manual_seed(7)
    wanted = torch.rand(3).tolist()
    torch.manual_seed(7)
    *_others, (share, found) = digits.train("plain", 20, 1)
    assert share == 1 and torch.rand(3).tolist() == wanted
    assert found.made_N88.shape[1:] == (8, 8) and found.between_K88.shape == (10, 8, 8)
    assert found.share_K.sum() == pytest.approx(1) and found.real_K.sum() == pytest.approx(1)
    _learned, held = images.split()
    read = digits.classifier()(torch.tensor(held.ink.reshape(-1, 64)).float()).argmax(1).numpy()
    assert (read == held.digit).mean() > 0.95


def test_probabilities_of_sentences_are_exact_and_words_are_drawn_by_them() -> None:
    """Of the first two words: each pair is drawn as often as it is probable."""
    assert len(set(text.SENTENCES)) == 288 and len(text.WORDS) == 13
    assert ("the", "dogs", "see", "a", "cat") in text.SENTENCES
    assert ("the", "dogs", "sees", "a", "cat") not in text.SENTENCES
    torch.manual_seed(2)
    net = text.Generator()
    every = torch.cartesian_prod(torch.arange(13), torch.arange(13))
    with torch.no_grad():
        net.out.weight *= 4
        drawn = net.drawn(20_000, 1.0).argmax(2)[:, :2]
        first = torch.nn.functional.one_hot(every, 13).float()
        h = net.cell(torch.zeros(1, text.WIDTH), torch.zeros(1, text.WIDTH))
        p_1 = net.out(h).softmax(1)[0]
        p_2 = net.out(net.cell(net.embed(first[::13, 0]), h.expand(13, -1))).softmax(1)
        tail = net.spoken(torch.cat([first, first, first[:, :1]], 1))
    counts = torch.zeros(13, 13)
    counts.index_put_((drawn[:, 0], drawn[:, 1]), torch.ones(len(drawn)), accumulate=True)
    assert (counts / len(drawn) - p_1[:, None] * p_2).abs().max() < 0.01
    assert tail.shape == (169,) and bool((tail < 0).all())


def test_likelihood_learns_the_grammar_and_leaves_other_draws_alone() -> None:
    torch.manual_seed(7)
    wanted = torch.rand(3).tolist()
    torch.manual_seed(7)
    *_others, (_share, found) = text.train("likelihood", 250, 1.0, 1)
    assert torch.rand(3).tolist() == wanted
    assert found.right[0] < 0.01 and found.right[-1] > 0.8 and found.kinds[-1] > 270
    assert all(len(said.split()) == text.LENGTH for said in found.says)


@pytest.mark.slow
def test_the_adversary_says_fewer_kinds_of_sentences() -> None:
    *_others, (_share, found) = text.train("adversary", 2000, 1.0, 1)
    assert found.right[-1] > 0.9 and found.kinds[-1] < 200


@pytest.mark.slow
def test_a_gradient_penalty_makes_more_kinds_of_digits() -> None:
    apart = {}
    for loss in ("plain", "wasserstein"):
        *_others, (_share, found) = digits.train(loss, 1000, 1)
        apart[loss] = small.divergence(found.real_K, found.share_K)
    assert apart["wasserstein"] < 0.03 < apart["plain"]
