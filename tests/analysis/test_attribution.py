"""Attribution against Captum on the same nets, against brute force, differences and sums by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import captum.attr as captum  # type: ignore[import-untyped]
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine.analysis.attribution import curves, gradient, ledger, lime, occlusion, shapley
from engine.analysis.attribution.counted import CountGame
from engine.analysis.attribution.game import BASELINES, Game, Target, choose
from engine.analysis.attribution.net import NetGame
from engine.analysis.attribution.states import StateGame
from engine.models.abilities import able
from engine.models.hmm import HiddenMarkov
from engine.models.ngram import Ngram
from engine.models.recurrent import RecurrentModel
from engine.text.tokenizers.base import Tokens
from tests.conftest import shipped

TEXTS = {
    "transformer_agreement": "The keys to the old cabinet",
    "lstm_agreement": "The keys to the old cabinet",
    "gru": "The old king",
    "convolution": "The old king",
    "feedforward": "he went out of the house",
    "textcnn": "a great film, but boring",
    "sentiment": "a great film, but boring",
    "pooling_attention": "cat ! oak bread",
}


def opened(run: str, baseline: str = "mean", against: bool = True) -> NetGame:
    model = shipped(run)
    return NetGame(model, model.tokens(TEXTS[run]), baseline, None, against)


def asked(game: NetGame) -> Callable[[Tensor], Tensor]:
    """f as Captum calls it: of vectors (B, T, D)."""
    return game.worth


@pytest.mark.parametrize("run", TEXTS)
def test_gradients_are_captums(run: str) -> None:
    game = opened(run)
    x_1TD, base_1TD = game.x_TD[None].clone().requires_grad_(), game.base_TD[None]
    noise_NTD = gradient.noise(game, samples=3, seed=5)
    found = gradient.slopes(game, 16, noise_NTD)
    saliency = captum.Saliency(asked(game)).attribute(x_1TD, abs=False)
    near = torch.stack(
        [captum.Saliency(asked(game)).attribute(x_1TD + e, abs=False)[0] for e in noise_NTD]
    )
    times = captum.InputXGradient(asked(game)).attribute(x_1TD)
    path = captum.IntegratedGradients(asked(game)).attribute(
        x_1TD, base_1TD, n_steps=16, method="gausslegendre"
    )
    close = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(found.gradient, saliency[0].norm(dim=-1).detach(), **close)
    np.testing.assert_allclose(found.smooth, near.mean(0).norm(dim=-1).detach(), **close)
    np.testing.assert_allclose(found.integrated, path[0].sum(-1).detach(), **close)
    of_base = (saliency[0] * base_1TD[0]).sum(-1).detach()
    np.testing.assert_allclose(found.times_input, times[0].sum(-1).detach() - of_base, **close)
    np.testing.assert_allclose(gradient.own(game), [found.gradient, found.times_input], **close)
    np.testing.assert_allclose(gradient.integrated(game, 16), found.integrated, **close)


def test_smoothgrad_is_captums_with_the_same_noise() -> None:
    game = opened("lstm_agreement")
    torch.manual_seed(3)
    tunnel = captum.NoiseTunnel(captum.Saliency(asked(game)))
    x_1TD = game.x_TD[None].clone().requires_grad_()
    theirs = tunnel.attribute(
        x_1TD, nt_type="smoothgrad", nt_samples=4, stdevs=0.2, abs=False
    ).detach()
    torch.manual_seed(3)
    wide_NTD = torch.full((4, *game.x_TD.shape), 0.2)
    drawn_NTD = torch.normal(torch.zeros_like(wide_NTD), wide_NTD)
    ours = gradient.slopes(game, 2, drawn_NTD).smooth
    np.testing.assert_allclose(ours, theirs[0].norm(dim=-1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("run", TEXTS)
def test_sets_are_captums(run: str) -> None:
    model = shipped(run)
    game = NetGame(model, model.tokens(TEXTS[run])[:5], "zero", None, True)  # theirs asks 5! orders
    x_1TD, base_1TD = game.x_TD[None], game.base_TD[None]
    mask_1TD = torch.arange(len(game.x_TD))[None, :, None].expand_as(x_1TD).contiguous()
    given = {"baselines": base_1TD, "feature_mask": mask_1TD}
    players = game.players
    with torch.no_grad():
        ablation = captum.FeatureAblation(asked(game)).attribute(x_1TD, **given)[0, players, 0]
        shap = captum.ShapleyValues(asked(game)).attribute(x_1TD, **given)[0, players, 0]
    np.testing.assert_allclose(occlusion.occlusion(game), ablation, atol=1e-4)
    np.testing.assert_allclose(shapley.exact(game), shap, atol=2e-4)


def test_sampled_orders_are_captums() -> None:
    game = opened("lstm_agreement")
    drawn = [np.random.default_rng(7).permutation(game.count) for _ in range(2)]
    drawn[1] = drawn[1][::-1].copy()
    start = int(game.players[0])
    waiting = iter([[0, *(order + start).tolist()] for order in drawn])
    sampling = captum.ShapleyValueSampling(asked(game))
    sampling.permutation_generator = lambda count, samples: waiting
    mask_1TD = torch.arange(len(game.x_TD))[None, :, None].expand_as(game.x_TD[None]).contiguous()
    with torch.no_grad():
        theirs = sampling.attribute(
            game.x_TD[None], game.base_TD[None], feature_mask=mask_1TD, n_samples=2
        )[0, start:, 0]
    ours = np.mean([shapley.added(game, order) for order in drawn], 0)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_lime_is_captums_on_the_same_samples() -> None:
    from captum._utils.models.linear_model import (  # type: ignore[import-untyped]
        SkLearnLinearRegression,
    )

    game = opened("lstm_agreement")
    here_NP = lime.draw(game.count, 40, seed=1)
    waiting = iter(here_NP)

    def near(_x: Tensor, **_more: Any) -> Tensor:
        return torch.tensor(next(waiting)[None], dtype=torch.float32)

    def like(_x: Tensor, _near: Tensor, row: Tensor, **_more: Any) -> Tensor:
        return torch.tensor(float(lime.kernel(row.numpy() > 0)[0]))

    def back(row: Tensor, _x: Tensor, **_more: Any) -> Tensor:
        return game.mixed(row.numpy() > 0)

    theirs = captum.LimeBase(
        asked(game),
        SkLearnLinearRegression(),
        like,
        near,
        True,
        back,
        lambda *_given, **_more: torch.zeros(1, game.count),
    )
    with torch.no_grad():
        weight = theirs.attribute(game.x_TD[None], n_samples=40)
    ours = lime.fit(here_NP, game.value(here_NP), lime.kernel(here_NP))
    np.testing.assert_allclose(ours.weight, weight.flatten(), atol=1e-4)
    assert 0 < ours.r2 <= 1


@pytest.mark.parametrize("run", ["transformer_agreement", "lstm_agreement", "textcnn"])
def test_slopes_are_those_of_differences(run: str) -> None:
    """Of the same net with numbers of 64 bits, which a difference needs."""
    game = opened(run, against=False)
    rng = np.random.default_rng(0)
    _, g_1TD = game.slope(game.x_TD[None])
    for _ in range(4):
        way_TD = torch.from_numpy(rng.normal(size=game.x_TD.shape)).float()
        way_TD /= way_TD.norm()
        step = 2e-3
        ends = torch.stack([game.x_TD + step * way_TD, game.x_TD - step * way_TD])
        with torch.no_grad():
            up, down = game.worth(ends).double()
        slope = float((g_1TD[0] * way_TD).sum())
        assert float(up - down) / (2 * step) == pytest.approx(slope, abs=2e-2, rel=2e-2)


@pytest.mark.parametrize("baseline", BASELINES)
def test_integrated_gradients_add_up(baseline: str) -> None:
    for run in ("lstm_agreement", "gru", "textcnn"):
        game = opened(run, baseline)
        whole, none = game.ends()
        assert gradient.integrated(game, 128).sum() == pytest.approx(whole - none, abs=0.02)


# ------------------------------------------------------------------ games without a net


class Table(Game):
    """f by hand, of any function of sets."""

    def __init__(self, count: int, f: Callable[[frozenset[int]], float]) -> None:
        self.players, self.f = np.arange(count), f
        self.tokens = Tokens(np.arange(count), tuple("abcdefgh"[:count]), ((0, 1),) * count)
        self.target, self.p_V = Target(0), np.ones(1)

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        rows = np.asarray(here_BP, bool)
        return np.array([self.f(frozenset(np.flatnonzero(row).tolist())) for row in rows])


def drawn(count: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    known = dict[frozenset[int], float]()
    return Table(count, lambda s: known.setdefault(s, float(rng.normal())))


def test_shapley_is_the_mean_over_all_orders() -> None:
    game = drawn(5)
    by_hand = np.mean([shapley.added(game, np.array(o)) for o in permutations(range(5))], 0)
    np.testing.assert_allclose(shapley.exact(game), by_hand)


def test_shapleys_axioms() -> None:
    one, other = drawn(6, 1), drawn(6, 2)
    phi = shapley.exact(one)
    whole, none = one.ends()
    assert phi.sum() == pytest.approx(whole - none)  # efficiency
    null = Table(6, lambda s: one.f(s - {3}))
    assert shapley.exact(null)[3] == pytest.approx(0, abs=1e-12)

    def swapped(s: frozenset[int]) -> frozenset[int]:
        return frozenset({0: 1, 1: 0}.get(i, i) for i in s)

    even = Table(6, lambda s: one.f(s) + one.f(swapped(s)))
    of_even = shapley.exact(even)
    assert of_even[0] == pytest.approx(of_even[1])  # symmetry
    both = Table(6, lambda s: 2 * one.f(s) + other.f(s))
    np.testing.assert_allclose(shapley.exact(both), 2 * phi + shapley.exact(other))  # linearity


def test_intervals_of_sampled_orders_hold_what_they_promise() -> None:
    game = drawn(6, 3)
    exact = shapley.exact(game)
    inside = []
    for seed in range(40):
        *_before, found = shapley.sampled(game, 60, seed)
        assert found.orders == 60
        inside.append(np.abs(found.value - exact) <= 1.96 * found.error)
    assert 0.9 < float(np.mean(inside)) < 0.99


def test_lime_with_shapleys_weights_is_shapley() -> None:
    from math import comb

    game = drawn(5, 4)
    here_NP = (np.arange(2**5)[:, None] >> np.arange(5)) & 1 > 0
    size_N = here_NP.sum(1)
    weight_N = np.array([1e7 if s in (0, 5) else 4 / (comb(5, s) * s * (5 - s)) for s in size_N])
    found = lime.fit(here_NP, game.value(here_NP), weight_N)
    np.testing.assert_allclose(found.weight, shapley.exact(game), atol=1e-4)


def test_a_sum_is_found_by_all_that_leave_out() -> None:
    w = np.array([0.5, -1.0, 2.0, 0.0])
    game = Table(4, lambda s: 3 + float(w[[*s]].sum()))
    *_before, some = shapley.sampled(game, 3)
    fitted = lime.lime(game, 64)
    for found in (occlusion.occlusion(game), shapley.exact(game), some.value, fitted.weight):
        np.testing.assert_allclose(found, w, atol=1e-9)
    assert fitted.r2 == pytest.approx(1) and fitted.start == pytest.approx(3)


def test_curves_by_hand() -> None:
    game = Table(2, lambda s: -2.0 + (0 in s) * 1.5 + (1 in s) * 0.5)
    found = curves.curves(game, np.array([[2.0, 1.0], [1.0, 2.0]]))
    both, first, second, none = 1.0, 2**-0.5, 2**-1.5, 0.25
    np.testing.assert_allclose(found.deletion, [[both, second, none], [both, first, none]])
    np.testing.assert_allclose(found.insertion, [[none, first, both], [none, second, both]])
    assert found.gain[0] == pytest.approx((first - second) / 2) == -found.gain[1]
    found = curves.curves(game, np.zeros((1, 2)))  # the later of equal ones goes first
    np.testing.assert_allclose(found.deletion, [[both, first, none]])


def test_the_target() -> None:
    p_V = np.array([0.1, 0.6, 0.3])
    assert choose(p_V) == Target(1) and choose(p_V, 0) == Target(0)
    assert choose(p_V, None, True) == Target(1, 2) == choose(p_V, 1, True)
    assert choose(p_V, 0, True) == Target(1, 0)


# ------------------------------------------------------------------ exact ones


def test_counts_leave_out_what_stands_before() -> None:
    model = able(shipped("ngram"), Ngram)
    text = "He went out of the"
    game = CountGame(model, model.tokens(text))
    row = model.trace(text, fields=("probability",)).field("probability").values[-1]
    np.testing.assert_allclose(game.p_V, row, rtol=1e-5)
    word = game.target.word
    assert game.parts(word).sum() == pytest.approx(row[word], rel=1e-5)
    shorter = model.tokens("the")[1:]  # behind no start mark
    alone = CountGame(model, shorter, word)
    last = np.zeros((1, game.count), bool)
    last[0, -1] = True
    assert game.value(last)[0] == pytest.approx(alone.ends()[0])
    assert game.ends()[1] == pytest.approx(float(np.log2(game.unseen[word])))


@pytest.mark.parametrize("run", ["lstm_agreement", "gru", "sentiment", "lstm_lag"])
def test_the_ledger_adds_up_to_the_logit(run: str) -> None:
    model = shipped(run)
    text = TEXTS.get(run, "abacdbabac")
    tokens = model.tokens(text)
    net: Any = model.net
    hidden_U = model.trace(text, fields=("hidden",)).field("hidden").values[-1, -1]
    logit_V = net.head.weight.detach().numpy() @ hidden_U
    one, other = int(logit_V.argmax()), int(logit_V.argmin())
    rather = ledger.adds(model, tokens, Target(one, other)).sum()
    assert rather == pytest.approx(float(logit_V[one] - logit_V[other]), abs=1e-3)
    above = ledger.adds(model, tokens, Target(one)).sum()
    assert above == pytest.approx(float(logit_V[one] - logit_V.mean()), abs=1e-3)


def test_no_ledger_where_the_state_is_no_one_sum() -> None:
    for run in ("rnn", "dual_memory", "transformer_agreement", "pooling_mean"):
        assert not ledger.has_ledger(shipped(run))
    with pytest.raises(ValueError, match="no single memory"):
        ledger.adds(able(shipped("rnn"), RecurrentModel), shipped("rnn").tokens("a"), Target(0))


def test_a_game_leaves_the_model_as_it_is() -> None:
    model = shipped("transformer_agreement")
    before = {name: p.clone() for name, p in model.net.named_parameters()}
    p_V = model.trace(TEXTS["transformer_agreement"]).field("probability").values[-1]
    game = opened("transformer_agreement", against=False)
    np.testing.assert_allclose(game.p_V, p_V, atol=1e-5)
    gradient.slopes(game)
    assert all(p.grad is None and p.equal(before[n]) for n, p in model.net.named_parameters())
    assert isinstance(model.net.embed, nn.Embedding)


# ------------------------------------------------------------------ hidden states


def test_a_hidden_markov_model_sums_over_what_was_left_out() -> None:
    """Against the sum over every token that may stand there (brute force), of a small model."""
    rng = np.random.default_rng(3)
    tokenizer = shipped("hmm").tokenizer
    size = len(tokenizer.vocab)
    a_SS, b_SV = rng.dirichlet(np.ones(3), 3), rng.dirichlet(np.full(size, 0.02), 3)
    config = HiddenMarkov.config_type(states=2)
    model = HiddenMarkov._of_counts(config, tokenizer, a_SS, b_SV + 1e-9)
    tokens = model.tokens("he t")
    game = StateGame(model, tokens)
    _mark, *players = tokens.ids.tolist()

    def joint(read: list[int]) -> np.ndarray:
        """P (V,) of what follows, times that of what is read."""
        state = model.start_S
        for id in read:
            state = (state @ model.a_SS) * model.b_VS[id]
        return state @ model.a_SS @ model.b_SV

    for out in (1, 3, (0, 2)):
        here = np.ones(len(players), bool)
        here[[*np.atleast_1d(out)]] = False
        total = np.zeros(size)
        likely = np.argsort(-model.b_SV.max(0))[: size if np.size(out) == 1 else 60]
        some = model.b_SV[:, likely].sum(1).min()
        for others in product(likely.tolist(), repeat=np.size(out)):
            read = [*players]
            for place, id in zip(np.atleast_1d(out), others, strict=True):
                read[place] = id
            total += joint(read)
        wanted = np.log2(total / total.sum())[game.target.word]
        near = 1e-9 if np.size(out) == 1 else 4 * (1 - some) + 1e-9
        assert game.value(here[None])[0] == pytest.approx(wanted, abs=near)
    np.testing.assert_allclose(
        game.p_V, model.trace("he t").field("probability").values[-1], atol=1e-6
    )
    *_before, sampled = shapley.sampled(game, 8)
    whole, none = game.ends()
    assert sampled.value.sum() == pytest.approx(whole - none)
