"""Test vectors of the specification on attention (foundations T22b, T24, T26, T37, T41, T54; language models
T30, T31; lstm T19) through this project's own parts."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis import cures
from engine.analysis.qkv.attend import attend
from engine.lessons.attention.saturation import of_scores
from engine.lessons.positions import encodings
from engine.models.pooling import weights
from engine.nn import linear, mask
from engine.nn.attention import Attention, Sight
from engine.nn.cells.rnn import RNN
from engine.nn.norm import norm
from engine.nn.positions.rope import rotate
from engine.nn.positions.sinusoidal import waves

X = [[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]


def test_what_each_divisor_does_to_random_scores() -> None:
    """T22b: d = 64, 10 keys; undivided, by 8, and by 64 as the notes print."""
    draw = np.random.default_rng(0)
    q, k = draw.standard_normal((4000, 64)), draw.standard_normal((4000, 10, 64))
    score = np.einsum("qd,qmd->qm", q, k)
    want = {1: (0.870, 0.337, 0.155), 8: (0.317, 1.939, 0.346), 64: (0.120, 2.296, 0.301)}
    assert score.var() == pytest.approx(64.59, rel=0.03)
    assert score.std() == pytest.approx(8.04, rel=0.02)
    for divisor, (largest, entropy, jacobian) in want.items():
        found = of_scores(score / divisor)
        assert found.largest == pytest.approx(largest, abs=0.015)
        assert found.entropy * np.log(10) == pytest.approx(entropy, abs=0.03)
        assert found.slope == pytest.approx(jacobian, abs=0.01)


def test_tied_queries_and_keys_do_not_look_at_themselves_most() -> None:
    """T24: token 0 attends most to the longer token 1."""
    x = torch.tensor([[1.0, 0], [2, 0], [0, 1]])
    weight = mask.soften(x @ x.T / 2**0.5)
    want = [
        [0.283995, 0.575975, 0.140029],
        [0.186694, 0.767918, 0.045388],
        [0.248255, 0.248255, 0.503490],
    ]
    np.testing.assert_allclose(weight, want, atol=1e-6)
    unit = x / x.norm(dim=1, keepdim=True)
    np.testing.assert_allclose(
        mask.soften(unit @ unit.T / 2**0.5)[:2], [[0.401112, 0.401112, 0.197776]] * 2, atol=1e-6
    )


def test_tied_queries_and_keys_of_random_vectors_look_at_themselves() -> None:
    """T24: Gaussian, d = 64: the own weight is the largest always, .990036 in the mean."""
    x = torch.randn(400, 10, 64, generator=torch.Generator().manual_seed(0))
    weight = mask.soften(x @ x.mT / 8)
    own = weight.diagonal(dim1=1, dim2=2)
    assert (own == weight.max(-1).values).float().mean() > 0.99
    assert own.mean().item() == pytest.approx(0.990036, abs=0.01)


def test_nearly_equal_weights_before_training() -> None:
    """T54: matrices of standard deviation .02: six tokens get between .1649 and .1693 each."""
    draw = torch.Generator().manual_seed(0)
    x, q, k = (torch.randn(n, 64, generator=draw) for n in (6, 64, 64))
    weight = mask.soften((x @ (0.02 * q)) @ (x @ (0.02 * k)).T / 8)
    assert (weight - 1 / 6).abs().max() < 0.02


def test_no_mask_two_heads_and_an_output_matrix() -> None:
    """language_models T30, beside torch's own module: rows of X, two heads of two columns."""
    x = np.array(X)
    found = attend(x, x, x)
    want = [[0.506480, 0.186324, 0.307196], [0.186324, 0.506480, 0.307196]]
    np.testing.assert_allclose(found.weight_NM[:2], want, atol=1e-6)
    np.testing.assert_allclose(found.out_NV[0], [0.813676, 0.493520, 0.506480, 0.186324], atol=1e-6)
    order = [2, 0, 1]  # without positions the rows only change places
    np.testing.assert_allclose(attend(*[x[order]] * 3).out_NV, found.out_NV[order])
    part, theirs = Attention(4, 2).eval(), nn.MultiheadAttention(4, 2, batch_first=True).eval()
    out = torch.eye(4)
    out[3, 0], out[3, 3] = 1, -1
    with torch.no_grad():
        for weight, bias in ((part.qkv.weight, part.qkv.bias), (part.out.weight, part.out.bias)):
            weight.copy_(torch.eye(4).repeat(len(weight) // 4, 1))
            bias.zero_()
        place_T = torch.arange(3)
        sight = Sight(place_T, place_T, None, False)
        row = part(torch.tensor([X]), sight)[0, 0]
        np.testing.assert_allclose(row, [0.802224, 0.598888, 0.503490, 0.248255], atol=1e-6)
        part.out.weight.copy_(out.T)
        row = part(torch.tensor([X]), sight)[0]
        np.testing.assert_allclose(row[0], [1.050479, 0.598888, 0.503490, -0.248255], atol=1e-5)
        theirs.in_proj_weight.copy_(part.qkv.weight)
        theirs.out_proj.weight.copy_(part.out.weight)
        for bias in (theirs.in_proj_bias, theirs.out_proj.bias):
            bias.zero_()
        torch.testing.assert_close(theirs(*[torch.tensor([X])] * 3)[0][0], row)


def test_words_in_sentences_in_a_document() -> None:
    """language_models T31: the pooling of the model, first over words, then over sentences."""
    word_2, sentence_2 = torch.tensor([1.0, 1]), torch.tensor([2.0, -1])
    read, all_weights = [], []
    for text in ([[0.2, 0.4], [1, 0]], [[0, 0.5], [0.5, 0.5], [-1, 1]]):
        x_TD = torch.tensor(text)
        a_T = weights("attention", (x_TD @ word_2)[None])[0, -1]
        read.append(a_T @ x_TD)
        all_weights += a_T.tolist()
    want = [0.401312, 0.598688, 0.307196, 0.506480, 0.186324]
    np.testing.assert_allclose(all_weights, want, atol=1e-6)
    text_2D = torch.stack(read)
    np.testing.assert_allclose(text_2D, [[0.678950, 0.160525], [0.066916, 0.593162]], atol=1e-6)
    a_2 = weights("attention", (text_2D @ sentence_2)[None])[0, -1]
    np.testing.assert_allclose(a_2, [0.839795, 0.160205], atol=1e-6)
    np.testing.assert_allclose(a_2 @ text_2D, [0.580899, 0.229835], atol=1e-6)


def test_neighbours_of_a_graph_features_in_place_of_a_softmax_and_rotations() -> None:
    """language_models T31."""
    x = torch.tensor(X)
    may = torch.tensor([True, True, False])
    near = mask.soften(mask.forbid(x[:1] @ x.T / 2, may))
    np.testing.assert_allclose(near[0], [0.731059, 0.268941, 0], atol=1e-6)
    q, k, v = x[:, :2], x[:, 2:], x[:, 1:3]
    want = [[0.583333, 0.416667], [0.666667, 0.333333], [0.625, 0.375]]
    np.testing.assert_allclose(
        linear.read(*(a[None, None] for a in (q, k, v)), False)[0, 0], want, atol=1e-6
    )
    like = linear.likeness(q, k, None)
    np.testing.assert_allclose(like / like.sum(-1, keepdim=True) @ v, want, atol=1e-6)
    ask, offer = torch.tensor([[1.0, 0]]), torch.tensor([[0.6, 0.8]])

    def score(m: int, n: int) -> float:
        at = [torch.tensor([0.5 * place]) for place in (m, n)]  # theta is .5
        return float((rotate(ask, at[0]) * rotate(offer, at[1])).sum())

    assert score(0, 0) == pytest.approx(0.6)
    assert (
        score(3, 1) == pytest.approx(score(12, 10), abs=1e-6) == pytest.approx(0.997358, abs=1e-6)
    )
    assert score(1, 3) == pytest.approx(-0.348995, abs=1e-6)
    np.testing.assert_allclose(rotate(ask, torch.tensor([1.0]))[0], [0.540302, 0.841471], atol=1e-6)


def test_the_same_added_to_all_scores_changes_nothing() -> None:
    """lstm T19."""
    score = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    weight = mask.soften(score)
    torch.testing.assert_close(weight.sum(-1), torch.ones(5))
    for b in (-30.0, 0.5, 80.0):
        torch.testing.assert_close(mask.soften(score + b), weight, atol=1e-5, rtol=1e-4)


def test_one_step_of_learning_queries_keys_and_values() -> None:
    """T24: gradients of all three matrices and the loss after a step; with W_K = 0 that of W_Q is 0."""
    x = torch.tensor([[1.0, 0], [0, 1], [1, 1]])
    target = torch.tensor([[1.0, 1], [0, 1], [1, 0]])

    def loss(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        weight = mask.soften((x @ q) @ (x @ k).T / 2**0.5)
        return ((weight @ (x @ v) - target) ** 2).mean()

    parts = [torch.eye(2, requires_grad=True) for _ in range(3)]
    found = loss(*parts)
    assert found.item() == pytest.approx(0.204090, abs=1e-6)
    gq, gk, gv = torch.autograd.grad(found, parts)
    np.testing.assert_allclose(gq, [[-0.021736, 0.017661], [0.015767, 0.018080]], atol=1e-6)
    np.testing.assert_allclose(gk, gq.T, atol=1e-6)
    np.testing.assert_allclose(gv, [[0.004461, 0.041631], [0.058457, 0.055413]], atol=1e-6)
    with torch.no_grad():
        after = loss(*(p - 0.5 * g for p, g in zip(parts, (gq, gk, gv), strict=True)))
    assert after.item() == pytest.approx(0.199566, abs=1e-6)
    nothing = [torch.eye(2), torch.zeros(2, 2), torch.eye(2)]
    for p in nothing:
        p.requires_grad_()
    gq, gk, _ = torch.autograd.grad(loss(*nothing), nothing)
    assert not gq.any()
    np.testing.assert_allclose(gk, [[-0.043649, 0.008730], [0.034919, 0.008730]], atol=1e-6)


def test_residual_and_layer_norm() -> None:
    """T26, and the notes' ReLU before the sum."""
    x = torch.tensor([[1.0, 2, 3, 4], [2, 0, -2, 0]])
    out = torch.tensor([[0.5, -0.5, 1, -1], [1, -1, 1, -1]])
    part = norm("layer", 4, 1e-5)
    want = [[-0.942805, -0.942805, 1.414207, 0.471402], [1.732048, -0.577349, -0.577349, -0.577349]]
    clipped = [
        [-1.207402, -0.768347, 0.987875, 0.987875],
        [1.666663, -0.333333, -0.999998, -0.333333],
    ]
    with torch.no_grad():
        np.testing.assert_allclose(part(x + out), want, atol=2e-6)
        np.testing.assert_allclose(part(x + out.relu()), clipped, atol=2e-6)
        part.weight.fill_(2)
        part.bias.fill_(0.5)
        scaled = [-1.385610, -1.385610, 3.328415, 1.442805]
        np.testing.assert_allclose(part(x + out)[0], scaled, atol=4e-6)
    over_texts = cures.Walk(RNN(2, 2), cures.Switches(norm="batch")).normed(x + out)
    first = [-0.999991, 0.999997, 0.999999, 0.999999]
    np.testing.assert_allclose(over_texts, [first, [-a for a in first]], atol=2e-6)


def test_positions_that_nearly_collide() -> None:
    """T37: d = 2 repeats to 6e-5 after 710 places, and in float16 places 5 and 715 are one."""
    wave = encodings.waves(1000, 2)
    assert np.linalg.norm(wave[0] - wave[710]) == pytest.approx(6.0289e-5, rel=1e-2)
    half = wave.astype(np.float16)
    assert (half[5] == half[715]).all() and not (half[0] == half[710]).all()
    wide = encodings.waves(110, 8)
    np.testing.assert_allclose(
        wide[10],
        [-0.544021, -0.839072, 0.841471, 0.540302, 0.099833, 0.995004, 0.01, 0.99995],
        atol=1e-6,
    )
    for place in (3, 100):
        assert wide[place] @ wide[place + 5] == pytest.approx(3.159983, abs=1e-5)
    long = encodings.waves(2, 512)[1]
    assert (long**2).sum() == pytest.approx(256, abs=1e-4)
    np.testing.assert_allclose(long[:4], [0.841471, 0.540302, 0.821856, 0.569695], atol=1e-6)
    np.testing.assert_allclose(long[-2:], [0.000104, 1], atol=1e-6)
    assert 2 * np.pi / encodings.speeds(512).min() == pytest.approx(60_611, abs=1)
    rows = [
        [0, 1, 0, 1],
        [0.841471, 0.540302, 0.010000, 0.999950],
        [0.909297, -0.416147, 0.019999, 0.999800],
        [0.141120, -0.989992, 0.029996, 0.999550],
        [-0.756802, -0.653644, 0.039989, 0.999200],
    ]
    np.testing.assert_allclose(encodings.waves(5, 4), rows, atol=1e-6)
    np.testing.assert_allclose(waves(torch.arange(5), 4), rows, atol=1e-6)
