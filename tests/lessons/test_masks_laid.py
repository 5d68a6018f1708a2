"""Masks: patterns and shapes against their definitions pair by pair, a model under a mask against torch and
its own run, and what a cache of keys and values takes."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.measure import surprisal
from engine.lessons.masks import imposed, shapes, shared
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.kvcache import Shape
from engine.lessons.masks.patterns import PATTERNS, SPARSE, may, reach
from engine.lessons.masks.shapes import SHAPES, lay_mask
from engine.models.transformer import Config, Net
from tests.conftest import diagonal, shipped, together

TEXT = "The girl looked at the old man and shook her head"


def test_counts_of_the_spec() -> None:
    # language_models T31, n = 16: full 256, causal 136, causal local of width 3 45, strided 73
    assert may("none", 16, 1).sum() == 256
    assert may("causal", 16, 1).sum() == 136
    assert may("window", 16, 3).sum() == 45
    assert may("strided", 16, 4).sum() == 73
    t, s = np.arange(16)[:, None], np.arange(16)[None]
    assert (abs(t - s) <= 2).sum() == 74  # local, 2 on each side
    # foundations T49: 36 of 64 cells
    assert may("causal", 8, 1).sum() == 36


@together("pattern,size", product(PATTERNS, (1, 2, 3, 5)))
def test_patterns_pair_by_pair(pattern: str, size: int) -> None:
    def allowed(t: int, s: int) -> bool:
        if pattern == "none":
            return True
        if s > t or (pattern == "below" and s == t):
            return False
        match pattern:
            case "padding":
                return s >= size
            case "window":
                return t - s < size
            case "dilated":
                return t - s in [0, size, 2 * size, 3 * size]
            case "sink":
                return s == 0 or t - s < size
            case "strided":
                return t - s < size or (s + 1) % size == 0
            case "blocks":
                return all(k % size for k in range(s + 1, t + 1))
            case "random":
                drawn = [(t * 7919 + n * 104_729 + 13) % t for n in range(1, size)] if t else []
                return s in (t, *drawn)
        return True

    want = [[allowed(t, s) for s in range(13)] for t in range(13)]
    np.testing.assert_array_equal(may(pattern, 13, size), want)


def test_reach_is_the_shortest_way_through_the_mask() -> None:
    for pattern in SPARSE:
        open_TS = may(pattern, 17, 3)
        far = [[0] * 17 for _ in range(17)]
        for start in range(17):  # breadth first
            seen, edge = {start: 0}, [start]
            while edge:
                at = edge.pop(0)
                for s in np.flatnonzero(open_TS[at]).tolist():
                    if s not in seen:
                        seen[s] = seen[at] + 1
                        edge.append(s)
            for s, steps in seen.items():
                far[start][s] = max(1, steps) if steps <= 4 else 0
        np.testing.assert_array_equal(reach(open_TS, 4), far, pattern)
    # a window of w tokens reaches (w - 1) further back with every layer
    far = [int((reach(may("window", 30, 4), layers)[29] > 0).sum()) for layers in (1, 2, 5)]
    assert far == [4, 7, 16]


@pytest.mark.parametrize("run", ["transformer", "transformer_t5"])
def test_the_causal_mask_is_the_model_itself(run: str) -> None:
    model = shipped(run)
    trace = model.trace(TEXT, fields=("attention", "probability"))
    for way in ("zero", "inf", "e9"):
        found = imposed.run(model, trace.ids, Mask("causal", way=way))
        np.testing.assert_allclose(found.attention_LNTS, trace.field("attention").values, atol=1e-5)
        np.testing.assert_allclose(found.bits_T[1:], surprisal(trace)[1:], atol=1e-3)
        assert found.leak < 1e-5


def test_one_head_under_a_mask_is_torchs_own_attention() -> None:
    """Layer 1 alone: later layers read what the mask has changed."""
    model = shipped("transformer")
    trace = model.trace(TEXT, fields=("query", "key"))
    q, k = (torch.tensor(trace.field(name).values[0]) for name in ("query", "key"))
    eye = torch.eye(q.shape[1]).expand(len(q), -1, -1)
    for mask in (Mask("window", 3), Mask("none"), Mask("strided", 2), Mask("sink", 2)):
        open_TS = torch.from_numpy(mask.may(q.shape[1]))
        want = torch.nn.functional.scaled_dot_product_attention(q, k, eye, attn_mask=open_TS)
        found = imposed.run(model, trace.ids, mask).attention_LNTS[0]
        np.testing.assert_allclose(found, want.numpy(), atol=1e-5)
        assert (found[:, ~mask.may(q.shape[1])] == 0).all()


def test_only_the_best_scores_are_kept() -> None:
    model = shipped("transformer")
    trace = model.trace(TEXT, fields=("attention",))
    own = trace.field("attention").values[0]
    found = imposed.run(model, trace.ids, Mask("top", 2)).attention_LNTS[0]
    best = np.sort(own, -1)[..., -2:]
    np.testing.assert_allclose(
        np.sort(found, -1)[..., -2:], best / best.sum(-1, keepdims=True), atol=1e-5
    )
    assert ((found > 0).sum(-1) <= 2).all()
    # language_models T31: of the weights of T29 the best two, positions 4 and 6
    score = np.array([0.1, 0.4, 0.2, 1.0, 0.3, 0.5, 0.0])
    kept = np.where(score >= np.sort(score)[-2], np.exp(score), 0)
    np.testing.assert_allclose((kept / kept.sum())[[3, 5]], [0.622459, 0.377541], atol=1e-6)


def test_what_a_row_that_sees_nothing_breaks() -> None:
    model = shipped("transformer")
    ids = model.tokens(TEXT).ids
    found = {way: imposed.run(model, ids, Mask("below", way=way)) for way in imposed.WAYS}
    # -inf: the first row has no numbers, and from layer 2 on nobody who looks at it has any
    assert np.isnan(found["inf"].attention_LNTS[0, :, 0]).all()
    assert np.isnan(found["inf"].bits_T[1:]).all()
    # a large number: equal weights for all, also for what comes later; so the future is seen
    np.testing.assert_allclose(found["e9"].attention_LNTS[:, :, 0], 1 / len(ids), atol=1e-6)
    assert found["e9"].leak > 1e-4
    assert (found["zero"].attention_LNTS[:, :, 0] == 0).all() and found["zero"].leak < 1e-5
    assert not np.isnan(found["zero"].bits_T[1:]).any()
    spoiled, sound = (imposed.run(model, ids, Mask("padding", 3, way)) for way in ("inf", "zero"))
    assert np.isnan(spoiled.bits_T[1:]).all()  # 0 times no number is no number
    assert not np.isnan(sound.bits_T[1:]).any() and (sound.attention_LNTS[..., :3] == 0).all()


TYPED = [
    Mask(),
    Mask("window", 3, "e9"),
    Mask("top", 2),
    Mask("below", way="inf"),
    Mask("padding", 2),
    Mask("none"),  # the future is seen: all is read again
]


@diagonal("mask,run", TYPED, ["transformer", "transformer_alibi", "transformer_t5"])
def test_a_text_typed_on_has_the_numbers_of_one_read_at_once(mask: Mask, run: str) -> None:
    model, before = shipped(run), None
    bits: list[list[float]] = []
    for text in (TEXT, TEXT + " w", TEXT + " when he", TEXT + " when", TEXT[:20], TEXT):
        ids = model.tokens(text).ids
        before = imposed.run(model, ids, mask, beside=True, before=before)
        whole = imposed.run(model, ids, mask)
        np.testing.assert_allclose(before.attention_LNTS, whole.attention_LNTS, atol=2e-5)
        np.testing.assert_allclose(before.bits_T, whole.bits_T, atol=2e-4)
        np.testing.assert_allclose(before.p_V, whole.p_V, atol=2e-5)
        np.testing.assert_allclose(before.leak, whole.leak, atol=1e-5)
        own = surprisal(model.trace(text, fields=("probability",)))
        assert before.own_T is not None and whole.own_T is None
        np.testing.assert_allclose(before.own_T[1:], own[1:], atol=2e-4)
        bits.append(before.bits_T.tolist())
    if before is not None and before.state is not None:  # what was known is not computed anew
        np.testing.assert_array_equal(bits[1][: len(bits[0]) - 1], bits[0][:-1])


def test_what_makes_no_sense_is_refused() -> None:
    model: Any = shipped("transformer")
    ids = model.tokens(TEXT).ids
    with pytest.raises(KeyError):
        imposed.run(model, ids, Mask("nowhere"))
    with pytest.raises(KeyError):
        imposed.run(model, ids, Mask(way="nothing"))
    assert math.isnan(imposed.run(model, ids[:1], Mask()).leak)
    assert imposed.pairs(Mask("top", 2), 5) == 9 and imposed.pairs(Mask(), 5) == 15


IDS = [[5, 7, 2, 4], [3, 6, 0, 0], [9, 0, 0, 0], [8, 1, 2, 0]]


def test_the_right_shapes_hide_the_filling_of_each_text() -> None:
    # transformers T17
    np.testing.assert_array_equal(shapes.find_real([[5, 7, 0], [3, 0, 0]]), [[1, 1, 0], [1, 0, 0]])
    real_BS = shapes.find_real(IDS)
    for shape, unsqueeze in (("B1S", True), ("BSS", True), ("B11S", False)):
        for heads in (1, 2, 4):
            found = lay_mask(real_BS, heads, shape, unsqueeze)
            assert found.may_BNTS is not None and not found.wrong_BN.any()
            for b, text in enumerate(IDS):
                want = np.broadcast_to(np.array(text) != 0, (heads, 4, 4))
                np.testing.assert_array_equal(found.may_BNTS[b], want)


def test_a_flat_mask_is_refused_unless_texts_and_heads_are_as_many() -> None:
    """transformers T19, ERR10: with B = 4 = h head 1 has the mask of text 1, and so on."""
    real_BS = shapes.find_real(IDS)
    for heads in (2, 3):
        found = lay_mask(real_BS, heads, "BS", True)
        assert found.may_BNTS is None and "must match" in found.problem
    found = lay_mask(real_BS, 4, "BS", True)
    assert found.may_BNTS is not None and found.given == (4, 1, 4)
    for n in range(4):  # in every text
        assert (found.may_BNTS[:, n] == real_BS[n]).all()
    assert found.wrong_BN.sum() == 12  # all but the diagonal: no two texts are as long


@together("shape,unsqueeze", product(SHAPES, (True, False)))
def test_every_shape_is_what_torch_makes_of_it(shape: str, unsqueeze: bool) -> None:
    real_BS = torch.from_numpy(shapes.find_real(IDS))
    mask = {
        "BS": real_BS,
        "SS": torch.ones(4, 4).tril().bool(),
        "B1S": real_BS[:, None],
        "BSS": real_BS[:, None].expand(4, 4, 4),
        "B11S": real_BS[:, None, None],
    }[shape]
    mask = mask.unsqueeze(1) if unsqueeze else mask
    for heads in (1, 2, 4):
        found = lay_mask(real_BS.numpy(), heads, shape, unsqueeze)
        try:
            want = torch.broadcast_to(mask, (4, heads, 4, 4))
        except RuntimeError:
            assert found.may_BNTS is None and found.problem
        else:
            np.testing.assert_array_equal(found.may_BNTS, want)


def test_bytes_of_the_spec() -> None:
    # language_models T31: 32 layers, 32 heads of 128, 4096 tokens, fp16
    shape = Shape("", 32, 32, 32, 128)
    assert 2 * shape.numbers(4096) == 2_147_483_648
    assert 2 * shape.numbers(4096, 8) == 512 * 2**20
    assert 2 * shape.numbers(4096, 1) == 67_108_864


@together("groups", [1, 2, 4])
def test_the_formula_is_what_a_model_keeps(groups: int) -> None:
    config = Config(width=32, heads=4, layers=3, context=16, span=8, groups=groups)
    net = Net(11, config)
    kept: dict[str, torch.Tensor] = {}

    def keep(name: str, value: torch.Tensor) -> None:
        kept[f"{name}{len(kept)}"] = value

    for block in net.tower.blocks:  # what each layer's projection makes of keys and values
        narrow = groups * 8
        block.attention.qkv.register_forward_hook(
            lambda m, i, out, n=narrow: keep("kv", out[..., -2 * n :])
        )
    net(torch.zeros(1, 7, dtype=torch.long))
    size = sum(t.numel() * t.element_size() for t in kept.values())
    assert size == 4 * Shape("", 3, 4, groups, 8).numbers(7)


def test_shared_heads_are_a_model_with_mean_weights() -> None:
    model: Any = shipped("transformer")
    ids = model.tokens(TEXT).ids
    own = surprisal(model.trace(TEXT, fields=("probability",)))[1:].mean()
    heads, d, k = model.config.heads, model.config.width, model.config.width // model.config.heads
    assert shared.bits(model, ids, heads) == pytest.approx(own, abs=1e-4)
    for groups in (1, 2, 3):
        net = Net(len(model.tokenizer.vocab), model.config)
        net.load_state_dict(model.net.state_dict())
        with torch.no_grad():
            for block in net.tower.blocks:
                for part in (block.attention.qkv.weight, block.attention.qkv.bias):
                    for first in (d, 2 * d):  # keys, values
                        rows = part[first : first + d].reshape(groups, heads // groups, k, -1)
                        rows[:] = rows.mean(1, keepdim=True).clone()
            log_TV = net.eval()(torch.from_numpy(ids)[None])[0].log_softmax(-1)
        want = -log_TV[:-1].gather(1, torch.from_numpy(ids)[1:, None]).mean().item() / np.log(2)
        assert shared.bits(model, ids, groups) == pytest.approx(want, abs=1e-3)
        assert want > own
    with pytest.raises(ValueError, match="shared out"):
        shared.bits(model, ids, 4)
