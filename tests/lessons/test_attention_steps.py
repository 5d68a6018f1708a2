"""The parts of attention and a soft lookup by hand: the vectors of the specification (foundations T22b, T24,
T26, T37, T41, T54; language models T30, T31; lstm T19), torch, brute force and finite differences."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from engine.analysis import cures, soft_lookup
from engine.analysis.qkv.attend import attend, entropy, slope, softmax
from engine.analysis.qkv.examples import EXAMPLES
from engine.core.registry import scores
from engine.lessons.attention.counts import parts, totals
from engine.lessons.attention.saturation import of_heads, of_scores, random
from engine.lessons.masks.hide import FORMATS, WAYS, hide, naive
from engine.lessons.positions import encodings
from engine.models.pooling import weights
from engine.nn import linear, mask
from engine.nn.attention import Attention, Sight
from engine.nn.cells.rnn import RNN
from engine.nn.norm import norm
from engine.nn.positions.rope import rotate
from engine.nn.positions.sinusoidal import waves
from tests.conftest import shipped, together

BY_ID = {e.id: e for e in EXAMPLES}
NO = np.nan


def of(id: str, **more: object) -> object:
    example = BY_ID[id]
    return attend(*example.vectors(*example.given), **more)  # type: ignore[arg-type]


def later(n: int) -> np.ndarray:
    return np.triu(np.ones((n, n), bool), 1)


def near(found: np.ndarray, wanted: object, tolerance: float = 1e-4) -> None:
    np.testing.assert_allclose(found, np.array(wanted), atol=tolerance, rtol=1e-6)


def test_the_notes_two_tokens_as_they_are_and_as_they_are_printed() -> None:
    example = BY_ID["notes"]
    q, k, v = example.vectors(*example.given)
    near(q, [[5, 6], [11.4, 14]])  # 5 * 0.1 + 6 * 0.3 + 7 * 0.5 + 8 * 0.7 = 11.4
    found = attend(q, k, v)
    near(found.score_NM, [[61, 141], [141, 325.96]])
    near(found.scaled_NM, [[43.133514, 99.702056], [99.702056, 230.488526]], 1e-6)
    np.testing.assert_allclose(found.weight_NM[:, 0], [2.71e-25, 1.59e-57], rtol=5e-3)
    near(found.out_NV, [[11.4, 14], [11.4, 14]])
    theirs = attend(*[example.printed["Q"]] * 3)
    # not 0.1, from their own scores
    np.testing.assert_allclose(theirs.weight_NM[:, 0], [5.82e-30, 1.31e-75], rtol=1e-2)
    rights = {"Q": q, "S": found.score_NM, "A": found.weight_NM, "O": found.out_NV}
    for name, right in rights.items():
        assert np.abs(example.printed[name] - right).max() > 0.05, name


def test_three_tokens_and_three_matrices_every_way() -> None:
    found = of("projected")
    near(found.score_NM, [[1, 0, 1], [2, 2, 4], [3, 2, 5]])
    near(found.weight_NM[0], [0.401112, 0.197776, 0.401112], 1e-6)
    near(found.weight_NM[2], [0.178370, 0.087949, 0.733681], 1e-6)
    near(found.out_NV, [[2, -0.802224], [2.509263, -0.836421], [2.555311, -0.912051]], 1e-6)
    near(entropy(found.weight_NM), [1.053363, 0.858917, 0.748502], 1e-6)
    wrong = of("projected", divisor="d")
    near(wrong.out_NV, [[2, -0.767303], [2.364175, -0.788058], [2.397308, -0.859756]], 1e-6)
    near(entropy(wrong.weight_NM), [1.074368, 0.975328, 0.905959], 1e-6)
    near(of("projected", divisor="1").weight_NM[2], [0.114195, 0.042010, 0.843795], 1e-6)
    near(of("projected", axis=0).weight_NM.sum(1), [0.286492, 1.047467, 1.666041], 1e-6)
    masked = of("projected", hidden_NM=later(3))
    near(masked.out_NV, [[1, -1], [1.5, -0.5], [2.555311, -0.912051]], 1e-6)
    with pytest.raises(KeyError):
        of("projected", divisor="2")


def test_attention_and_its_gradient_are_torch_s() -> None:
    draw = np.random.default_rng(3)
    q, k, v = (draw.standard_normal((5, 4)) for _ in range(3))
    theirs = F.scaled_dot_product_attention(
        *(torch.tensor(x)[None] for x in (q, k, v)), is_causal=True
    )[0]
    near(attend(q, k, v, hidden_NM=later(5)).out_NV, theirs.numpy(), 1e-12)
    s, h = draw.standard_normal(6) * 2, 1e-6
    jacobian = np.array([(softmax(s + h * e) - softmax(s - h * e)) / (2 * h) for e in np.eye(6)])
    near(slope(softmax(s)), np.linalg.norm(jacobian), 1e-8)
    near(entropy(np.array([[0.25] * 4, [1, 0, 0, 0]])), [np.log(4), 0], 1e-12)


def test_undivided_scores_saturate() -> None:
    for d, *wanted in (
        (4, (0.426, 0.321)),
        (64, (0.846, 0.174), (0.245, 0.304)),
        (512, (0.948, 0.069), (0.248, 0.305)),
    ):
        for found, want in zip(random(d, queries=2_000), wanted, strict=False):
            assert (found.largest, found.slope) == pytest.approx(want, abs=0.02)


def test_heads_are_measured_over_the_same_number_of_keys() -> None:
    score = np.where(later(5), -np.inf, np.arange(25.0).reshape(5, 5) % 7)[None, None]
    ((measured,),) = of_heads(score * 2, score, keys=3)
    rows = np.array([score[0, 0, t, t - 2 : t + 1] for t in (2, 3, 4)])
    assert measured == (of_scores(rows * 2), of_scores(rows))
    assert measured[1].largest == pytest.approx(np.mean([softmax(row).max() for row in rows]))
    with pytest.raises(ValueError, match="too short"):
        of_heads(score, score, keys=6)


def test_neurons_parameters_and_multiplications() -> None:
    assert [p.numbers for p in parts(10, 64)] == [640, 640, 640, 640, 100, 100, 640, 640]
    assert totals(parts(10, 64)) == (4_040, 16_384, 176_640)
    assert totals(parts(10, 64, bias=True))[1] == 16_640
    sizes = ((3, 4), (128, 64), (512, 64))
    assert [totals(parts(n, d))[0] for n, d in sizes] == [90, 81_920, 720_896]
    theirs = sum(p.numel() for p in torch.nn.MultiheadAttention(512, 8).parameters())
    assert totals(parts(7, 512, 8, True))[1] == 1_050_624 == theirs
    with pytest.raises(ValueError, match="shared out"):
        parts(10, 10, 3)
    with pytest.raises(ValueError, match="at least 1"):
        parts(0, 64)


def test_ways_to_hide() -> None:
    for way, score, hidden, wanted in (
        ("fill −1e9", (1, 2, 3), (1, 1, 1), [1 / 3] * 3),
        ("add −1e4", (1, 2, 3), (1, 1, 1), [0.0900, 0.2447, 0.6652]),
        ("fill −∞", (1, 2, 3), (1, 1, 1), [NO] * 3),
        ("add −1e4", (0, 12_000), (0, 1), [0, 1]),
        ("add −1e4", (0, 5_000), (0, 1), [1, 0]),
        ("fill −∞", (1, 2, 3), (0, 0, 1), [0.268941, 0.731059, 0]),
    ):
        near(hide(np.array(score), np.array(hidden), way, "float32").weight_M, wanted)


def test_number_formats_and_overflow() -> None:
    assert hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "float16").weight_M is None
    assert "overflow" in hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "float16").problem
    assert hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "bfloat16").weight_M is not None
    for way, f in {*product(WAYS, FORMATS)} - {("fill −1e9", "float16")}:
        assert hide(np.array([1.0]), np.array([False]), way, f).weight_M is not None
    near(naive(np.array([1.0, 2, 3])), [0.0900, 0.2447, 0.6652])
    near(naive(np.array([1000.0, 1001, 1002])), [NO] * 3)
    near(softmax(np.array([1000.0, 1001, 1002])), [0.0900, 0.2447, 0.6652])


@together("id", scores.ids())
def test_scores_against_a_loop(id: str) -> None:
    torch.manual_seed(0)
    score, d = scores.get(id)(4), range(4)
    q, k = torch.randn(3, 4), torch.randn(5, 4)
    if id == "bilinear":
        torch.nn.init.normal_(score.between)

    def by_hand(i: int, j: int) -> Any:
        a, b = q[i], k[j]
        match id:
            case "location":  # it asks for the place of a key, not for the key
                return sum(score.places.weight[j, n] * a[n] for n in d)
            case "bilinear":
                return sum(a[n] * score.between[n, m] * b[m] for n in d for m in d)
            case "additive":
                ask, offer, read = (part.weight for part in (score.ask, score.offer, score.read))
                return sum(read[0, u] * torch.tanh(ask[u] @ a + offer[u] @ b) for u in d)
        return sum(a[n] * b[n] for n in d) / (2 if id == "scaled_dot" else 1)

    score.requires_grad_(False)
    found = score(q, k)
    assert found.shape == (3, 5)
    for i, j in np.ndindex(3, 5):
        assert float(found[i, j]) == pytest.approx(float(by_hand(i, j)), abs=1e-5)
    assert torch.equal(score.met(score.asked(q), score.offered(k)), found)
    assert score.reads_keys == (not torch.equal(score(q, torch.randn(5, 4)), found))
    learned = {"bilinear": 16, "additive": 36, "location": 200}  # 2 * 4 * 4 + 4; 50 * 4
    assert sum(p.numel() for p in score.parameters()) == learned.get(id, 0)
    work = {"dot": 4, "scaled_dot": 5, "bilinear": 20, "additive": 36, "location": 4}
    assert score.multiplications() == work[id]


def test_places_behind_the_last_that_was_learned_get_nothing() -> None:
    score = scores.get("location").drawn(4, 0)
    found = score.numbers(np.ones((1, 4)), np.zeros((53, 4)))
    assert np.isfinite(found[0, :50]).all() and np.isneginf(found[0, 50:]).all()


X = [[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]


def test_what_each_divisor_does_to_random_scores() -> None:
    """T22b: d = 64, 10 keys; undivided, by 8, and by 64 as the notes print."""
    draw = np.random.default_rng(0)
    q, k = draw.standard_normal((4000, 64)), draw.standard_normal((4000, 10, 64))
    score = np.einsum("qd,qmd->qm", q, k)
    want = {1: (0.870, 0.337, 0.155), 8: (0.317, 1.939, 0.346), 64: (0.120, 2.296, 0.301)}
    assert score.var() == pytest.approx(64.59, rel=0.03)
    assert score.std() == pytest.approx(8.04, rel=0.02)
    for divisor, (largest, spread, jacobian) in want.items():
        found = of_scores(score / divisor)
        assert found.largest == pytest.approx(largest, abs=0.015)
        assert found.entropy * np.log(10) == pytest.approx(spread, abs=0.03)
        assert found.slope == pytest.approx(jacobian, abs=0.01)


def test_weights_before_training() -> None:
    """T24: tied queries and keys: token 0 attends most to the longer token 1, random vectors to themselves.  T54:
    matrices of standard deviation .02 are nearly equal.  lstm T19: a constant changes nothing."""
    x = torch.tensor([[1.0, 0], [2, 0], [0, 1]])
    rows = "0.283995 0.575975 0.140029 0.186694 0.767918 0.045388 0.248255 0.248255 0.503490"
    want = np.array(rows.split(), float).reshape(3, 3)
    np.testing.assert_allclose(mask.soften(x @ x.T / 2**0.5), want, atol=1e-6)
    unit = x / x.norm(dim=1, keepdim=True)
    weight = mask.soften(unit @ unit.T / 2**0.5)
    np.testing.assert_allclose(weight[:2], [[0.401112, 0.401112, 0.197776]] * 2, atol=1e-6)
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(400, 10, 64, generator=draw)
    weight = mask.soften(x @ x.mT / 8)
    own = weight.diagonal(dim1=1, dim2=2)
    assert (own == weight.max(-1).values).float().mean() > 0.99
    assert own.mean().item() == pytest.approx(0.990036, abs=0.01)
    x, q, k = (torch.randn(n, 64, generator=draw) for n in (6, 64, 64))
    weight = mask.soften((x @ (0.02 * q)) @ (x @ (0.02 * k)).T / 8)
    assert (weight - 1 / 6).abs().max() < 0.02
    for b in (-30.0, 0.5, 80.0):
        torch.testing.assert_close(mask.soften(x + b), mask.soften(x), atol=1e-5, rtol=1e-4)


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
    want = [-0.544021, -0.839072, 0.841471, 0.540302, 0.099833, 0.995004, 0.01, 0.99995]
    np.testing.assert_allclose(wide[10], want, atol=1e-6)
    for place in (3, 100):
        assert wide[place] @ wide[place + 5] == pytest.approx(3.159983, abs=1e-5)
    long = encodings.waves(2, 512)[1]
    assert (long**2).sum() == pytest.approx(256, abs=1e-4)
    np.testing.assert_allclose(long[:4], [0.841471, 0.540302, 0.821856, 0.569695], atol=1e-6)
    np.testing.assert_allclose(long[-2:], [0.000104, 1], atol=1e-6)
    assert 2 * np.pi / encodings.speeds(512).min() == pytest.approx(60_611, abs=1)
    rows = """0 1 0 1
        0.841471 0.540302 0.010000 0.999950
        0.909297 -0.416147 0.019999 0.999800
        0.141120 -0.989992 0.029996 0.999550
        -0.756802 -0.653644 0.039989 0.999200"""
    want_54 = np.array(rows.split(), float).reshape(5, 4)
    np.testing.assert_allclose(encodings.waves(5, 4), want_54, atol=1e-6)
    np.testing.assert_allclose(waves(torch.arange(5), 4), want_54, atol=1e-6)


def test_a_library_is_read_line_by_line() -> None:
    found = soft_lookup.read(" pony \nmouse: 0.1\nhorse : 2.4\n\nno pair\n: 3\nkey:\na: b: c")
    assert (found.query, found.keys) == ("pony", ("mouse", "horse", "a"))
    assert found.values == ("0.1", "2.4", "b: c")
    assert found.left == ("no pair", ": 3", "key:")
    assert soft_lookup.read("") == soft_lookup.Typed("", (), ())
    many = soft_lookup.read("q\n" + "\n".join(f"k{n}: {n}" for n in range(20)))
    assert len(many.keys) == soft_lookup.MOST and len(many.left) == 8


def test_values_are_numbers_where_all_are() -> None:
    for values, want in ((("1, 0", "0,1"), [[1, 0], [0, 1]]), (("−3", "2.5"), [[-3], [2.5]])):
        np.testing.assert_array_equal(soft_lookup.numbers(values), want)
    for wrong in (("1", "1, 2"), ("1", "one"), ("nan", "inf"), ("1,2,3,4,5",), ()):
        assert soft_lookup.numbers(wrong) is None


def test_a_soft_lookup_by_hand() -> None:
    # scores 1 and 0 at T = 1: e / (e + 1) = .731059; at T = .5: e^2 / (e^2 + 1) = .880797
    for t, want in ((1, [0.731059, 0.268941]), (0.5, [0.880797, 0.119203])):
        np.testing.assert_allclose(soft_lookup.weights(np.array([1.0, 0]), t), want, atol=1e-6)
    score = np.array([0.3, 0.9, -0.2, 0.9])
    for t in (0.01, 0.3, 4.0, 100.0):
        want = torch.softmax(torch.tensor(score) / t, 0).numpy()
        np.testing.assert_allclose(soft_lookup.weights(score, t), want, atol=1e-12)
    np.testing.assert_array_equal(soft_lookup.weights(score, 0), [0, 1, 0, 0])
    found = soft_lookup.match(np.array([3.0, 4.0]), np.array([[3.0, 4.0], [4.0, -3.0], [0.0, 0.0]]))
    np.testing.assert_allclose(found.dot_M, [25, 0, 0])
    np.testing.assert_allclose(found.cosine_M, [1, 0, 0])
    assert found.query == 5
    model = shipped("skipgram")
    a, b = (model.in_VD[model.tokenizer.encode(w).ids[0]] for w in ("space", "travel"))
    found = soft_lookup.meaning(model, "Space travel!")
    np.testing.assert_allclose(found.vector_D, (a.astype(float) + b) / 2, atol=1e-6)
    assert found.known and not found.unknown
    nothing = soft_lookup.meaning(model, "zzqxv")
    assert nothing.unknown == ("zzqxv",) and not nothing.known
