"""The parts of attention by hand: the vectors of the spec, torch, brute force and finite
differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.qkv.attend import DIVISORS, attend, entropy, slope, softmax
from engine.analysis.qkv.counts import parts, totals
from engine.analysis.qkv.examples import EXAMPLES
from engine.analysis.qkv.hide import FORMATS, WAYS, hide, naive
from engine.analysis.qkv.saturation import of_heads, of_scores, random
from engine.core.registry import scores
from tests.analysis.head_matrices import projection
from tests.conftest import together

Trained = Callable[[str], Any]
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
    for name, right in (
        ("Q", q),
        ("S", found.score_NM),
        ("A", found.weight_NM),
        ("O", found.out_NV),
    ):
        assert np.abs(example.printed[name] - right).max() > 0.05, name


def test_three_tokens_and_three_matrices_every_way() -> None:
    found = of("projected")
    near(found.score_NM, [[1, 0, 1], [2, 2, 4], [3, 2, 5]])
    near(
        found.weight_NM,
        [
            [0.401112, 0.197776, 0.401112],
            [0.163579, 0.163579, 0.672842],
            [0.178370, 0.087949, 0.733681],
        ],
        1e-6,
    )
    near(found.out_NV, [[2, -0.802224], [2.509263, -0.836421], [2.555311, -0.912051]], 1e-6)
    near(entropy(found.weight_NM), [1.053363, 0.858917, 0.748502], 1e-6)
    wrong = of("projected", divisor="d")
    near(wrong.out_NV, [[2, -0.767303], [2.364175, -0.788058], [2.397308, -0.859756]], 1e-6)
    near(entropy(wrong.weight_NM), [1.074368, 0.975328, 0.905959], 1e-6)
    near(of("projected", divisor="1").weight_NM[2], [0.114195, 0.042010, 0.843795], 1e-6)
    near(of("projected", axis=0).weight_NM.sum(1), [0.286492, 1.047467, 1.666041], 1e-6)
    near(
        of("projected", hidden_NM=later(3)).out_NV,
        [[1, -1], [1.5, -0.5], [2.555311, -0.912051]],
        1e-6,
    )
    with pytest.raises(KeyError):
        of("projected", divisor="2")


def test_corners_their_causal_mask_and_a_mask_without_the_diagonal() -> None:
    near(
        of("corners").weight_NM,
        [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]],
    )
    near(of("corners").out_NV, [[1.2033, 1.0], [1.0, 1.2033], [1.2552, 1.2552]])
    masked = of("causal", hidden_NM=later(3))
    near(masked.weight_NM, [[1, 0, 0], [0.3302, 0.6698, 0], [0.2483, 0.2483, 0.5035]])
    near(masked.out_NV, [[1, 0], [0.3302, 0.6698], [1.2552, 1.2552]])
    zero = np.zeros((3, 2))
    near(
        attend(zero, zero, zero, hidden_NM=~np.tri(3, k=-1, dtype=bool)).weight_NM,
        [[NO, NO, NO], [1, 0, 0], [0.5, 0.5, 0]],
    )


def test_apple_is_pulled_and_it_finds_its_noun() -> None:
    apple, orange, phone = [1, 1], [2, 0], [0, 2]
    for words, wanted in (
        ([apple, orange], [1.5, 0.5]),
        ([apple, phone], [0.5, 1.5]),
        ([apple, orange, phone], [1, 1]),
        ([apple, orange, orange], [1.666667, 0.333333]),
    ):
        x = np.array(words, float)
        near(attend(x, x, x).out_NV[0], wanted, 1e-6)
    near(of("pronoun").weight_NM, [[0.804430, 0.195570], [0.195570, 0.804430]], 1e-6)


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


@pytest.mark.parametrize("d", [4, 16, 64, 256])
def test_the_variance_of_a_product_is_its_width(d: int) -> None:
    raw, scaled = random(d, keys=2, queries=20_000)
    assert raw.variance == pytest.approx(d, rel=0.05) and scaled.variance == pytest.approx(
        1, rel=0.05
    )


@pytest.mark.parametrize(
    "d,raw,scaled",
    [
        (4, (0.426, 0.321), None),
        (64, (0.846, 0.174), (0.245, 0.304)),
        (512, (0.948, 0.069), (0.248, 0.305)),
    ],
)
def test_undivided_scores_saturate(
    d: int, raw: tuple[float, float], scaled: tuple[float, float] | None
) -> None:
    found = random(d, queries=2_000)
    assert (found[0].largest, found[0].slope) == pytest.approx(raw, abs=0.02)
    if scaled:
        assert (found[1].largest, found[1].slope) == pytest.approx(scaled, abs=0.02)


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
    assert [totals(parts(n, d))[0] for n, d in ((3, 4), (128, 64), (512, 64), (10, 512))] == [
        90,
        81_920,
        720_896,
        30_920,
    ]
    theirs = torch.nn.MultiheadAttention(512, 8)
    assert (
        totals(parts(7, 512, 8, True))[1]
        == 1_050_624
        == sum(p.numel() for p in theirs.parameters())
    )
    with pytest.raises(ValueError, match="shared out"):
        parts(10, 10, 3)
    with pytest.raises(ValueError, match="at least 1"):
        parts(0, 64)


def test_queries_of_one_text_and_keys_of_another() -> None:
    q, k, v = (
        np.eye(2),
        np.array([[1.0, 0], [0, 1], [1, 1]]),
        np.array([[10.0, 0], [0, 10], [5, 5]]),
    )
    near(attend(q, k, v).out_NV, [[6.016681, 3.983319], [3.983319, 6.016681]], 1e-6)


@together(
    "way,score,hidden,wanted",
    [
        ("fill −1e9", (1, 2, 3), (1, 1, 1), [1 / 3] * 3),
        ("add −1e4", (1, 2, 3), (1, 1, 1), [0.0900, 0.2447, 0.6652]),
        ("fill −∞", (1, 2, 3), (1, 1, 1), [NO] * 3),
        ("add −1e4", (0, 12_000), (0, 1), [0, 1]),
        ("add −1e4", (0, 5_000), (0, 1), [1, 0]),
        ("fill −∞", (1, 2, 3), (0, 0, 1), [0.268941, 0.731059, 0]),
    ],
)
def test_ways_to_hide(
    way: str, score: tuple[float, ...], hidden: tuple[int, ...], wanted: list[float]
) -> None:
    near(hide(np.array(score), np.array(hidden), way, "float32").weight_M, wanted)


def test_number_formats_and_overflow() -> None:
    assert hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "float16").weight_M is None
    assert "overflow" in hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "float16").problem
    assert hide(np.array([1.0, 2]), np.array([0, 1]), "fill −1e9", "bfloat16").weight_M is not None
    assert all(
        hide(np.array([1.0]), np.array([False]), way, f).weight_M is not None
        for way in WAYS
        for f in FORMATS
        if (way, f) != ("fill −1e9", "float16")
    )
    near(naive(np.array([1.0, 2, 3])), [0.0900, 0.2447, 0.6652])
    near(naive(np.array([1000.0, 1001, 1002])), [NO] * 3)
    near(softmax(np.array([1000.0, 1001, 1002])), [0.0900, 0.2447, 0.6652])


def test_queries_equal_to_keys() -> None:
    x = np.array([[1.0, 0], [2, 0], [0, 1]])
    found = attend(x, x, x)
    near(found.score_NM, found.score_NM.T)
    near(
        found.weight_NM,
        [
            [0.283995, 0.575975, 0.140029],
            [0.186694, 0.767918, 0.045388],
            [0.248255, 0.248255, 0.503490],
        ],
        1e-6,
    )
    assert set(DIVISORS) == {"√d", "1", "d"}


def test_a_head_s_matrices_make_its_queries_and_keys(trained: Trained) -> None:
    model = trained("transformer")
    trace = model.trace("the king spoke")
    block = model.net.tower.blocks[1]
    found = projection(model, 1, 1)
    assert found is not None
    x_TD = torch.tensor(trace.field("residual.before").values[1])
    n_TD = block.norm_1(x_TD).detach().numpy()
    for name, matrix_KD, bias_K in zip(
        ("query", "key", "value"), found.parts()[:3], found.bias_3K, strict=True
    ):
        near(n_TD @ matrix_KD.T + bias_K, trace.field(name).values[1, 1], 1e-4)
    assert projection(object(), 0, 0) is None


@together("id", scores.ids())
def test_scores_against_a_loop(id: str) -> None:
    torch.manual_seed(0)
    score = scores.get(id)(4)
    q, k = torch.randn(3, 4), torch.randn(5, 4)
    if id == "bilinear":
        torch.nn.init.normal_(score.between)
    wanted = {
        "dot": lambda a, b: sum(a[i] * b[i] for i in range(4)),
        "scaled_dot": lambda a, b: sum(a[i] * b[i] for i in range(4)) / 2,
        "bilinear": lambda a, b: sum(
            a[i] * score.between[i, j] * b[j] for i in range(4) for j in range(4)
        ),
        "additive": lambda a, b: sum(
            score.read.weight[0, u]
            * torch.tanh(score.ask.weight[u] @ a + score.offer.weight[u] @ b)
            for u in range(4)
        ),
        "location": None,  # it asks for the place of a key, not for the key
    }[id]
    score.requires_grad_(False)
    found = score(q, k)
    assert found.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            if wanted is None:
                by_hand = sum(score.places.weight[j, d] * q[i, d] for d in range(4))
            else:
                by_hand = wanted(q[i], k[j])
            assert float(found[i, j]) == pytest.approx(float(by_hand), abs=1e-5)
    assert torch.equal(score.met(score.asked(q), score.offered(k)), found)
    assert score.reads_keys == (not torch.equal(score(q, torch.randn(5, 4)), found))
    assert (
        sum(p.numel() for p in score.parameters())
        == {"dot": 0, "scaled_dot": 0, "bilinear": 16, "additive": 36, "location": 200}[id]
    )  # 2 * 4 * 4 + 4; 50 * 4
    assert (
        score.multiplications()
        == {"dot": 4, "scaled_dot": 5, "bilinear": 20, "additive": 36, "location": 4}[id]
    )
    assert score.title and score.formula


def test_places_behind_the_last_that_was_learned_get_nothing() -> None:
    score = scores.get("location").drawn(4, 0)
    found = score.numbers(np.ones((1, 4)), np.zeros((53, 4)))
    assert np.isfinite(found[0, :50]).all() and np.isneginf(found[0, 50:]).all()


def test_an_attention_step_of_an_encoder_decoder_by_hand() -> None:
    """Three states of the encoder, one of the decoder: score, weight and context of each kind."""
    h, s = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([[0.5, 1.0]])
    wanted = {
        "dot": ([0.5, 1, 1.5], [0.692804, 0.813676]),
        "scaled_dot": ([0.353553, 0.707107, 1.060660], [0.680134, 0.775394]),
        "bilinear": ([1, 1.75, 2.75], [0.761373, 0.887281]),
        "additive": ([0.231064, -0.448470, -0.030781], [0.777353, 0.560726]),
    }
    for id, (e, c) in wanted.items():
        score = scores.get(id)(2).requires_grad_(False)
        if id == "bilinear":
            score.put(np.array([[1, -0.5], [0.5, 2]]))
        if id == "additive":
            score.ask.weight.data = torch.tensor([[0.2, -0.1], [0.5, 0.1]])
            score.offer.weight.data = torch.tensor([[0.4, 0.3], [-0.2, 0.6]])
            score.read.weight.data = torch.tensor([[1.0, -1]])
        found = score.numbers(s, h)[0]
        near(found, e, 1e-5)
        near(softmax(found) @ h, c, 1e-5)
