"""What hard attention learns from one word: slopes against autograd, means and scatters against
sums over every draw, and the worked numbers of the notes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.lessons.scores import hard_choice
from engine.nn import hard
from tests.conftest import together
from tests.lessons.test_scores_decoder_step import TEXT, WORDS, model

HARD: dict[str, Any] = {"attention": "bilinear", "scope": "hard"}


def test_the_worked_example() -> None:
    look_S, value_S = np.array([0.2, 0.5, 0.3]), np.array([1.0, 3.0, -2.0])
    assert look_S @ value_S == pytest.approx(1.1)
    assert look_S @ value_S**2 - 1.1**2 == pytest.approx(4.69)
    want_S = [-0.02, 0.95, -0.93]
    np.testing.assert_allclose(hard_choice.expected(look_S, value_S), want_S, atol=1e-12)
    for baseline in (0.0, 1.1, -3.0):  # none moves the mean
        mean_S = sum(
            a * hard_choice.reinforced(look_S, value_S, np.eye(3)[z], baseline)
            for z, a in enumerate(look_S)
        )
        np.testing.assert_allclose(mean_S, want_S, atol=1e-12)
    picks = np.searchsorted(np.cumsum(look_S), [0.1, 0.25, 0.65, 0.7, 0.95], side="right") + 1
    assert picks.tolist() == [1, 2, 2, 3, 3]


@together("seed", range(4))
def test_slopes_are_those_of_autograd(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score_S = torch.tensor(rng.normal(0, 2, 6), requires_grad=True)
    reward_S = rng.normal(-3, 2, 6)
    look_S = score_S.softmax(0)
    (slope_S,) = torch.autograd.grad(look_S @ torch.tensor(reward_S), score_S, retain_graph=True)
    a_S = look_S.detach().numpy()
    np.testing.assert_allclose(hard_choice.expected(a_S, reward_S), slope_S, atol=1e-12)
    total = (look_S.log() + torch.tensor(reward_S)).logsumexp(0)
    (slope_S,) = torch.autograd.grad(total, score_S)
    np.testing.assert_allclose(hard_choice.marginal(a_S, reward_S), slope_S, atol=1e-12)


@together("seed", range(4))
def test_the_scatter_is_that_of_every_draw_and_least_at_the_best_baseline(seed: int) -> None:
    rng = np.random.default_rng(seed)
    look_S, reward_S = rng.dirichlet(np.ones(5)), rng.normal(-3, 2, 5)
    best = hard_choice.best_baseline(look_S, reward_S)

    def slow(b: float) -> float:
        g_ZS = np.stack(
            [hard_choice.reinforced(look_S, reward_S, np.eye(5)[z], b) for z in range(5)]
        )
        mean_S = look_S @ g_ZS
        return float(look_S @ ((g_ZS - mean_S) ** 2).sum(1))

    for b in (0.0, best, float(look_S @ reward_S)):
        assert hard_choice.scatter(look_S, reward_S, b) == pytest.approx(slow(b), rel=1e-9)
    assert slow(best) <= min(slow(best + d) for d in (-0.5, -1e-3, 1e-3, 0.5))


def test_the_choices_of_a_model_one_by_one() -> None:
    """Rewards: the model again with all weight on one token.  The straight-through slope: autograd
    through one drawn token after the other."""
    made = model(std=0.6, **HARD)
    tokens = made.tokens(TEXT)
    right = tokens.ids[1:].tolist()
    trace = made.trace(TEXT)
    found = hard_choice.choices(made, trace, right)
    look_TS = trace.field("cross.attention").values[0, 0]
    net = made.net.eval()
    read = net.read(torch.from_numpy(tokens.source.ids)[None])
    h_TH = torch.tensor(trace.field("hidden").values[-1])
    e_SH = read.states_BSH[0].detach()
    assert found.word_T[: len(right)].tolist() == right
    for t in range(len(tokens)):
        word = int(found.word_T[t])
        slopes, whole_V = [], np.zeros(len(WORDS.vocab))
        for z in range(len(e_SH)):
            score_S = net.score(h_TH[t : t + 1], e_SH)[0].detach().requires_grad_()
            weight_S = hard.through(score_S.softmax(0)[None], torch.tensor([z]))[0]
            logit_V = net.output(net._mixed(weight_S @ e_SH, h_TH[t]))
            whole_V += look_TS[t, z] * logit_V.softmax(-1).detach().numpy()
            reward = logit_V.log_softmax(-1)[word]
            assert found.reward_TS[t, z] == pytest.approx(reward.item(), abs=1e-4)
            slopes.append(torch.autograd.grad(reward, score_S)[0].numpy())
        mean_S, scatter = hard_choice.straight(look_TS[t], found.pull_TZS[t])
        want_S = look_TS[t] @ np.stack(slopes)
        np.testing.assert_allclose(mean_S, want_S, atol=1e-5)
        want = look_TS[t] @ ((np.stack(slopes) - want_S) ** 2).sum(1)
        assert scatter == pytest.approx(want, abs=1e-5)
        if t == len(right):
            assert word == whole_V.argmax()


def test_only_where_a_step_is_alone() -> None:
    made = model(**HARD | {"scope": "global", "looks": "before"})
    with pytest.raises(ValueError, match="that step alone"):
        hard_choice.choices(made, made.trace(TEXT), [])
