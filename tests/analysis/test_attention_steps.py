"""The parts of attention by hand: the vectors of the spec, torch, brute force and finite
differences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.qkv.attend import attend, entropy, slope, softmax
from engine.analysis.qkv.examples import EXAMPLES
from engine.core.registry import scores
from engine.lessons.attention.counts import parts, totals
from engine.lessons.attention.saturation import of_heads, of_scores, random
from engine.lessons.masks.hide import FORMATS, WAYS, hide, naive
from engine.lessons.positions import encodings
from tests.conftest import together

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


@together(
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
    sizes = ((3, 4), (128, 64), (512, 64))
    assert [totals(parts(n, d))[0] for n, d in sizes] == [90, 81_920, 720_896]
    theirs = sum(p.numel() for p in torch.nn.MultiheadAttention(512, 8).parameters())
    assert totals(parts(7, 512, 8, True))[1] == 1_050_624 == theirs
    with pytest.raises(ValueError, match="shared out"):
        parts(10, 10, 3)
    with pytest.raises(ValueError, match="at least 1"):
        parts(0, 64)


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
    for way, f in {*product(WAYS, FORMATS)} - {("fill −1e9", "float16")}:
        assert hide(np.array([1.0]), np.array([False]), way, f).weight_M is not None
    near(naive(np.array([1.0, 2, 3])), [0.0900, 0.2447, 0.6652])
    near(naive(np.array([1000.0, 1001, 1002])), [NO] * 3)
    near(softmax(np.array([1000.0, 1001, 1002])), [0.0900, 0.2447, 0.6652])


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
    learned = {"bilinear": 16, "additive": 36, "location": 200}  # 2 * 4 * 4 + 4; 50 * 4
    assert sum(p.numel() for p in score.parameters()) == learned.get(id, 0)
    work = {"dot": 4, "scaled_dot": 5, "bilinear": 20, "additive": 36, "location": 4}
    assert score.multiplications() == work[id]


def test_places_behind_the_last_that_was_learned_get_nothing() -> None:
    score = scores.get("location").drawn(4, 0)
    found = score.numbers(np.ones((1, 4)), np.zeros((53, 4)))
    assert np.isfinite(found[0, :50]).all() and np.isneginf(found[0, 50:]).all()


def test_positions_that_nearly_collide() -> None:
    """T37: d = 2 repeats to 6e-5 after 710 places, and in float16 places 5 and 715 are one."""
    wave = encodings.waves(1000, 2)
    assert np.linalg.norm(wave[0] - wave[710]) == pytest.approx(6.0289e-5, rel=1e-2)
    half = wave.astype(np.float16)
    assert (half[5] == half[715]).all() and not (half[0] == half[710]).all()
    wide = encodings.waves(110, 8)
    for place in (3, 100):
        assert wide[place] @ wide[place + 5] == pytest.approx(3.159983, abs=1e-5)
    assert 2 * np.pi / encodings.speeds(512).min() == pytest.approx(60_611, abs=1)
