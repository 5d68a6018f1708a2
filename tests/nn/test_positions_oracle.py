"""Positional encodings by hand, by their definitions written out, and by the transformers library."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from engine.__main__ import main
from engine.core.registry import models, positions
from engine.lessons.positions import encodings, extrapolate
from engine.lessons.positions import orders as shuffle
from engine.models.base import train
from engine.nn.positions.alibi import slopes
from engine.nn.positions.base import Frame
from engine.nn.positions.rope import rotate
from engine.nn.positions.shaw import REACH
from engine.nn.positions.sinusoidal import waves
from engine.nn.positions.t5 import bucket
from engine.runs.store import Recipe, RunStore, digest
from engine.text.tokenizers.base import passages, split
from engine.training.fit import fit
from tests.conftest import TEXT, Capture, small, together

KINDS = positions.ids()


def made(kind: str, width: int = 16, heads: int = 2, context: int = 32) -> Any:
    torch.manual_seed(5)
    return positions.get(kind)(Frame(width, heads, width // heads, context)).eval()


# T27: PE(p, 2i) = sin(p / 10000^(2i/6)), PE(p, 2i + 1) = cos of the same; the notes' table is wrong
# in dimensions 2 and 4
SIX = [
    [0, 1, 0, 1, 0, 1],
    [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0],
    [0.9093, -0.4161, 0.0927, 0.9957, 0.0043, 1.0],
    [0.1411, -0.9900, 0.1388, 0.9903, 0.0065, 1.0],
    [-0.7568, -0.6536, 0.1846, 0.9828, 0.0086, 1.0],
    [-0.9589, 0.2837, 0.2300, 0.9732, 0.0108, 0.9999],
    [-0.2794, 0.9602, 0.2749, 0.9615, 0.0129, 0.9999],
    [0.6570, 0.7539, 0.3192, 0.9477, 0.0151, 0.9999],
    [0.9894, -0.1455, 0.3629, 0.9318, 0.0172, 0.9999],
    [0.4121, -0.9111, 0.4057, 0.9140, 0.0194, 0.9998],
]


def test_waves_are_the_table_of_six_dimensions() -> None:
    found = waves(torch.arange(10), 6)
    assert_allclose(found, SIX, atol=5.1e-5)
    of_one = [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998]
    assert_allclose(found[1], of_one, atol=5.1e-7)
    # the notes: dimension 4 of places 1 to 3, dimension 2 of place 3
    wrong = [[0.0025, 0.0050, 0.0075], [0.1389]]
    assert (np.abs(found[1:4, 4].numpy() - wrong[0]) > 3e-4).all()
    assert abs(found[3, 2].item() - wrong[1][0]) > 5e-5


def test_waves_of_512_dimensions() -> None:
    one, ten = waves(torch.tensor([1, 10]), 512)
    of_one = {0: (0.841471, 0.540302), 1: (0.821856, 0.569695)}
    of_one |= {128: (0.01, 0.99995), 255: (0.000104, 1.0)}
    of_ten = {0: (-0.544021, -0.839072), 1: (-0.220023, -0.975495)}
    for wave_D, wanted in ((one, of_one), (ten, of_ten)):
        for i, both in wanted.items():
            assert wave_D[2 * i : 2 * i + 2].tolist() == pytest.approx(both, abs=1e-6)


def test_waves_of_an_odd_width_and_of_fractions() -> None:
    assert torch.equal(waves(torch.arange(4), 5)[:, 0], torch.arange(4).double().sin().float())
    assert waves(torch.arange(4), 5).shape == (4, 5)
    wanted = [f(x) for x in (0.5, 0.005) for f in (math.sin, math.cos)]
    assert_allclose(waves(torch.tensor([0.5]), 4)[0], wanted, atol=1e-7)


def test_a_wave_s_products_depend_on_the_distance_alone() -> None:
    """T28: PE(p) . PE(p + k) = sum of cos(w_i k), and PE(p + k) = M_k PE(p)."""
    pe = waves(torch.arange(60), 6).double()
    for k, want in ((1, 2.539223), (2, 1.579538), (5, 2.256794)):
        assert_allclose((pe[: 60 - k] * pe[k:]).sum(1), want, atol=2e-6)
    speeds = [10_000 ** (-2 * i / 6) for i in range(3)]
    turn = np.zeros((6, 6))
    for i, w in enumerate(speeds):
        c, s = math.cos(3 * w), math.sin(3 * w)
        # sin(a + b) = sin a cos b + cos a sin b
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    assert_allclose(turn @ pe[7].numpy(), pe[10], atol=2e-7)


def test_rope_turns_each_pair_by_its_angle() -> None:
    """T29, with the paper's neighbouring pairs (1, 0), (1, 0): here a pair is dimension i and i +
    K/2, so q = (1, 1, 0, 0)."""
    q = rotate(torch.tensor([[1.0, 1.0, 0.0, 0.0]], dtype=torch.float64), torch.tensor([1]))[0]
    assert_allclose(q, [0.540302, 0.99995, 0.841471, 0.009999833], atol=5e-7)
    assert_allclose(q, [math.cos(1), math.cos(0.01), math.sin(1), math.sin(0.01)], atol=1e-15)


def test_rope_scores_depend_on_the_distance_alone() -> None:
    """T29: q = (1, 0), (1, 0) at 5 and k = (0, 1), (1, 1) at 3 score 1.929096; so at 12 and 10."""
    q, k = (torch.tensor(x).double() for x in ([1.0, 1, 0, 0], [0.0, 1, 1, 1]))

    def score(a: int, b: int) -> float:
        return float(rotate(q[None], torch.tensor([a]))[0] @ rotate(k[None], torch.tensor([b]))[0])

    assert score(5, 3) == pytest.approx(1.929096, abs=5e-7)
    assert score(12, 10) == pytest.approx(score(5, 3), abs=1e-12)
    assert abs(score(5, 4) - score(5, 3)) > 0.05
    rng = np.random.default_rng(0)
    q, k = (torch.from_numpy(rng.standard_normal(8)) for _ in range(2))
    assert all(score(p + 4, p) == pytest.approx(score(4, 0), abs=1e-12) for p in range(1, 200, 17))


def test_rope_keeps_lengths_and_turns_half_split_pairs() -> None:
    x = torch.randn(2, 3, 7, 10, dtype=torch.float64)
    turned = made("rope", width=20).turn(x, torch.arange(7))
    assert_allclose(turned.norm(dim=-1), x.norm(dim=-1), atol=1e-12)
    assert torch.equal(turned[:, :, 0], x[:, :, 0]), "place 0 turns nothing"
    for i in range(5):  # as complex numbers: multiplied by e^(i p theta)
        z = torch.complex(x[..., i], x[..., i + 5]) * torch.polar(
            torch.ones(7).double(), torch.arange(7).double() * 10_000 ** (-i / 5)
        )
        assert_allclose(torch.complex(turned[..., i], turned[..., i + 5]), z, atol=1e-12)


def test_alibi_by_hand() -> None:
    """T30: the slopes of eight heads are 1/2, 1/4 .. 1/256; a score loses slope x distance."""
    assert slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    place = torch.arange(5)
    bias = made("alibi", width=32, heads=8).bias(torch.zeros(1, 8, 5, 4), place, place)
    want = [[[-m * abs(i - j) for j in range(5)] for i in range(5)] for m in slopes(8).tolist()]
    assert bias.shape == (1, 8, 5, 5) and np.array_equal(bias[0], want)


def test_t5_buckets_are_the_library_s() -> None:
    from transformers.models.t5.modeling_t5 import T5Attention

    theirs, far = T5Attention._relative_position_bucket, torch.arange(-600, 601)
    for both in (False, True):
        assert torch.equal(bucket(far, both), theirs(far, both, 32, 128))
        assert torch.equal(bucket(far, both, 12, 40), theirs(far, both, 12, 40))
    # by hand, looking back only: 0 to 15 one each; 16 + floor(16 ln(d/16) / ln 8) after that; all
    # from 128 on share the last
    back = {0: 0, 1: 1, 15: 15, 16: 16, 18: 16, 19: 17, 32: 21, 64: 26}
    back |= dict.fromkeys((113, 127, 128, 5000), 31)
    assert bucket(-torch.tensor(list(back)), False).tolist() == list(back.values())
    # what stands after is not told apart
    assert bucket(torch.tensor([1, 50]), False).tolist() == [0, 0]


def test_t5_bias_is_looked_up() -> None:
    module = made("t5", heads=2)
    table = module.table.weight
    bias = module.bias(torch.zeros(1, 2, 3, 8), torch.arange(40, 43), torch.arange(43))
    assert bias.shape == (1, 2, 3, 43)
    for h in range(2):
        assert bias[0, h, 2, 42] == table[0, h]
        assert bias[0, h, 2, 10] == table[21, h]
        assert bias[0, h, 0, 1] == table[16 + int(16 * math.log(39 / 16) / math.log(8)), h]


def test_shaw_by_hand() -> None:
    module = made("shaw", width=16, heads=2)
    q = torch.randn(3, 2, 20, 8)
    bias = module.bias(q, torch.arange(20), torch.arange(20)).detach()
    table = module.table.weight.detach()
    assert table.shape == (2 * REACH + 1, 8)
    for b, h, i, j in [(0, 0, 0, 0), (1, 1, 5, 2), (2, 0, 19, 0), (0, 1, 0, 19), (1, 0, 18, 1)]:
        row_K = table[max(-REACH, min(REACH, j - i)) + REACH]
        want = sum(float(q[b, h, i, n]) * float(row_K[n]) for n in range(8)) / math.sqrt(8)
        assert float(bias[b, h, i, j]) == pytest.approx(want, abs=1e-6)
    assert torch.equal(bias[:, :, 19, 0], bias[:, :, 19, 3]), "from 16 on all distances are one"


def test_learned_rows_and_no_more() -> None:
    module = made("learned", context=32)
    assert module.rows == 32 and sum(p.numel() for p in module.parameters()) == 32 * 16
    assert torch.equal(module.embed(torch.tensor([4])), module.table.weight[4:5])
    middle = module.embed(torch.tensor([4.25, 31.0]))
    between = 0.75 * module.table.weight[4] + 0.25 * module.table.weight[5]
    assert_allclose(middle[0].detach(), between.detach(), atol=1e-7)
    assert torch.equal(middle[1], module.table.weight[31])
    with pytest.raises(IndexError):
        module.embed(torch.tensor([32]))  # there is no row: it cannot be extended


@together("kind", KINDS)
def test_each_works_where_it_says(kind: str) -> None:
    """Added to the embeddings, turned into queries and keys, or added to the scores: one of three."""
    module = made(kind)
    place, q = torch.arange(12), torch.randn(1, 2, 12, 8)
    before = module.embed(place) is not None, not torch.equal(module.turn(q, place), q)
    where = (*before, module.bias(q, place, place) is not None)
    first, second = (True, False, False), (False, True, False)
    wanted = {"none": (False,) * 3, "sinusoidal": first, "learned": first, "rope": second}
    assert where == wanted.get(kind, (False, False, True))
    if where[2]:
        assert torch.equal(module.bias(q, place, place), module.bias(q, place + 9, place + 9))
    if where[1]:
        turned = [module.turn(q.double(), at) for at in (place, place + 9)]
        assert_allclose(*(one @ one.mT for one in turned), atol=1e-12)
    if where[0]:  # a common shift is seen by the first only
        assert not torch.allclose(module.embed(place), module.embed(place + 9))


@together("kind", KINDS)
def test_places_may_be_fractions(kind: str) -> None:
    """At whole numbers a float place is the whole place; between them everything stays finite."""
    module, q = made(kind), torch.randn(1, 2, 6, 8)

    def parts(place: torch.Tensor) -> tuple[Any, Any, Any]:
        return module.embed(place), module.turn(q, place), module.bias(q, place, place)

    for a, b in zip(parts(torch.arange(6)), parts(torch.arange(6).float()), strict=True):
        assert (a is None) == (b is None) and (a is None or torch.allclose(a, b))
    for part in parts(torch.arange(6) / 4):
        assert part is None or bool(torch.isfinite(part).all())


TRAINED: dict[str, Any] = {}


def tiny(kind: str) -> Any:
    """A model of this kind after two steps; its weights are far from 0, so that they are seen."""
    if kind not in TRAINED:
        made = models.get("transformer")
        TRAINED[kind] = train(made, TEXT, small(made, steps=2, position=kind, rate=0.1), seed=0)
    return TRAINED[kind]


@pytest.mark.parametrize("kind", ["alibi", "t5", "shaw"])
def test_what_the_places_say_is_what_the_scores_have_besides(kind: str) -> None:
    """score = q . k / sqrt(K) + place, in every layer and head."""
    model = tiny(kind)
    trace = model.trace("the cat sat on the mat")
    q, k, score = (trace.field(n).values.astype(float) for n in ("query", "key", "score"))
    place = encodings.place(model, trace)
    rest = score - q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    assert place.shape[0] == (2 if kind == "shaw" else 1) and place.shape[1] == 2
    seen = np.isfinite(score)
    assert_allclose(np.broadcast_to(place, score.shape)[seen], rest[seen], atol=2e-5)
    assert np.abs(rest[seen]).max() > 1e-3
    assert np.isneginf(np.broadcast_to(place, score.shape)[~seen]).all()


def test_what_the_places_say_of_vectors_and_turns() -> None:
    trace = tiny("sinusoidal").trace("the cat sat on the mat")
    pe = trace.field("embedding.position").values.astype(float)
    place = encodings.place(tiny("sinusoidal"), trace)[0, 0]
    low = np.tril_indices(len(pe))
    assert_allclose(place[low], (pe @ pe.T / 8)[low], atol=1e-6)  # width 16: eight pairs
    trace = tiny("learned").trace("the cat sat on the mat")
    rows = tiny("learned").net.tower.position.table.weight.detach().numpy().astype(float)[: len(pe)]
    for i, j in [(0, 0), (3, 1), (5, 4)]:
        cosine = sum(rows[i] * rows[j]) / math.sqrt(sum(rows[i] ** 2) * sum(rows[j] ** 2))
        found = encodings.place(tiny("learned"), trace)[0, 0, i, j]
        assert found == pytest.approx(cosine, abs=1e-5)
    trace = tiny("rope").trace("the cat sat on the mat")
    place = encodings.place(tiny("rope"), trace)[0, 0]
    alike = torch.tensor([1.0] * 4 + [0.0] * 4)[None].double()  # four pairs (1, 0)
    score = float(rotate(alike, torch.tensor([5]))[0] @ rotate(alike, torch.tensor([2]))[0]) / 4
    assert place[5, 2] == pytest.approx(score, abs=1e-6) and place[4, 4] == 1
    place = encodings.place(tiny("none"), tiny("none").trace("the cat"))[0, 0]
    assert not place[np.tril_indices(2)].any()


def test_the_matrix_from_one_place_to_another() -> None:
    """T28: M_3 PE(7) = PE(10), and the mean of the cosines is the product per pair."""
    pe = [
        [f(p / 10_000 ** (i / 3)) for i in range(3) for f in (math.sin, math.cos)] for p in (7, 10)
    ]
    assert_allclose(encodings.shift(3, 6) @ pe[0], pe[1], atol=1e-15)
    alike = 3 * encodings.mean_cosine(np.array([1, 2, 5]), 6)
    assert_allclose(alike, [2.539223, 1.579538, 2.256794], atol=5e-7)
    assert_allclose(2 * np.pi / encodings.speeds(6), [6.2832, 135.4, 2916.4], rtol=4e-4)


def test_a_shuffle_keeps_words_whole() -> None:
    text = "the cat sat on the mat"
    tokens = tiny("none").tokens(text)
    parts = shuffle.words(tokens)
    said = ["".join(tokens.labels[part.start : part.stop]).strip() for part in parts]
    assert said == text.split()
    order = shuffle.shuffled(tokens, 3)
    assert sorted(order) == list(range(len(tokens))) and order[0] == 0
    assert (order != np.arange(len(order))).any()
    again = shuffle.reordered(tokens, order)
    kept = sorted(tuple(tokens.ids[part.start : part.stop]) for part in parts)
    starts = [t for t in range(1, len(order)) if order[t] in {part.start for part in parts}]
    moved = [tuple(again.ids[a:b]) for a, b in pairwise([*starts, len(order)])]
    assert sorted(moved) == kept
    one = tiny("none").tokens("sat")
    assert shuffle.shuffled(one, 0).tolist() == list(range(len(one))), "one word has one order"
    assert shuffle.shuffled(tiny("none").tokens(""), 0).tolist() == [0]


@pytest.mark.parametrize("kind", KINDS)
def test_without_positions_and_without_a_mask_order_is_not_seen(kind: str) -> None:
    """T12: A(P X) = P A(X); with positions it is not so, and with a mask not even without them."""
    model, text = tiny(kind), "the old cat saw the small bird"
    tokens = model.tokens(text)
    order = shuffle.shuffled(tokens, 1)
    told = shuffle.compare(model, text, tokens, order)
    assert told.masked > 1e-3 and told.next > 1e-4
    if kind == "none":
        assert np.abs(told.one - told.other).max() < 1e-5 and told.pooled < 1e-6
    else:
        assert told.moved > 1e-3
    trace, d = model.trace(text, tokens=tokens), model.config.width // model.config.heads
    q, k, v = (trace.field(n).values[0, 1].astype(float) for n in ("query", "key", "value"))
    bias = encodings.bias(model, trace.field("query").values)
    scores = [
        float(q[2] @ k[j]) / math.sqrt(d) + (0 if bias is None else float(bias[0, 1, 2, j]))
        for j in range(len(tokens))
    ]
    weights = np.exp(scores) / np.exp(scores).sum()
    read = sum(w * v[j] for j, w in enumerate(weights))
    assert_allclose(told.one[2, d : 2 * d], read, atol=1e-5)


class Table(torch.nn.Module):
    """Foretells each token from the one before alone, so that bits can be added up by hand."""

    def __init__(self, p_VV: np.ndarray) -> None:
        super().__init__()
        self.logits = torch.from_numpy(np.log(p_VV)).float()

    def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
        return self.logits[ids_BT]


def test_bits_by_place() -> None:
    p = np.array([[0.5, 0.5], [0.25, 0.75]])
    # stretches 0 1 0 0 | 1 and 1 1 1 0 | 0, of four tokens and the one after
    ids = np.array([0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0])
    found = extrapolate.by_place(Table(p), ids, 4, 4)
    by_hand = [(1 + -math.log2(0.75)) / 2, (2 + -math.log2(0.75)) / 2, (1 + 2) / 2, (1 + 1) / 2]
    assert_allclose(found, by_hand, atol=1e-6)
    assert_allclose(extrapolate.by_place(Table(p), ids, 4, 2), by_hand[:2], atol=1e-6)
    found = extrapolate.smooth(np.array([1.0, 2, 6, 3]), 3)
    assert_allclose(found, [1.5, 3, 11 / 3, 4.5])


def test_measuring_small_runs(tmp_path: Path, capsys: Capture) -> None:
    made, file = models.get("transformer"), tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    for kind in KINDS:
        config = small(made, steps=2, position=kind, span=4, context=4 if kind == "learned" else 24)
        list(
            fit(tmp_path / f"transformer_{kind}", Recipe("transformer", config, digest(TEXT)), TEXT)
        )
    rows = list(extrapolate.measure(extrapolate.runs(tmp_path), TEXT, length=8, more=2))
    curves, results = [c for c, _ in rows], rows[-1][1]
    every = [(k, 1.0, 0) for k in positions.listed()]
    every += [(k, 0.5, 0) for k in ("sinusoidal", "learned", "rope")]
    assert [(c.kind, c.stretch, c.more) for c in curves] == [*every, ("rope", 0.5, 2)]
    lengths = {(c.kind, c.stretch): len(c.bits) for c in curves}
    assert [lengths[of] for of in (("learned", 1.0), ("learned", 0.5), ("rope", 1.0))] == [4, 8, 8]
    placed = dict.fromkeys(KINDS, 0) | {"learned": 4 * 16, "t5": 32 * 2, "shaw": 33 * 8}
    assert {c.kind: c.placed for c in curves} == placed
    # beside the first places, where nothing is pressed together: the mean over held-out stretches
    # of the model's own surprisal
    store = RunStore(tmp_path)
    model = store.load(store.find("transformer_alibi"))
    ids = model.tokenizer.stream(split(passages(TEXT), 0)[1])
    bits = []
    for at in range(0, (len(ids) - 1) // 8 * 8, 8):
        p = model.net(torch.from_numpy(ids[None, at : at + 8])).softmax(-1)[0, 5].detach().numpy()
        bits.append(-math.log2(p[ids[at + 6]]))
    found = next(c for c in curves if c.kind == "alibi").bits[5]
    assert found == pytest.approx(np.mean(bits), abs=1e-3)
    with pytest.raises(ValueError, match="another text"):
        next(extrapolate.measure(extrapolate.runs(tmp_path), TEXT + "more\n", length=8))
    with pytest.raises(ValueError, match="longer text"):
        next(extrapolate.measure(extrapolate.runs(tmp_path), TEXT))
    extrapolate.write(tmp_path / "positions.json", results)
    assert extrapolate._read(tmp_path / "positions.json", 0) == results
    assert extrapolate._read(tmp_path / "nothing.json", 0) is None
    assert main(["extrapolate", "--text", str(file), "--runs", str(tmp_path)]) == 2
    assert "longer text" in capsys.readouterr().err
    assert main(["extrapolate", "--text", str(file), "--runs", str(tmp_path / "none")]) == 2
    assert "engine zoo" in capsys.readouterr().err


def test_what_is_shipped_tells_what_the_page_tells() -> None:
    found = extrapolate.shipped()
    assert found is not None and found.trained == 64
    assert {c.kind for c in found.curves} == set(KINDS)

    def beyond(kind: str, *how: bool) -> float:
        curve = found.find(kind, *how)
        assert curve is not None
        return float(np.mean(curve.bits[128:]) - np.mean(curve.bits[32:64]))

    assert len(found.find("learned").bits) == 64  # type: ignore[union-attr]
    assert beyond("alibi") < 0.1 and beyond("rope") > 0.5 and beyond("sinusoidal") > 0.5
    turned, plain = (np.mean(found.find("rope", *how).bits[128:]) for how in ((True, True), ()))
    assert turned < plain - 1
