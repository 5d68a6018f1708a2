"""Shapes of masks: what torch makes of each, against the mask that was meant, text by text."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.lessons.masks import shapes
from engine.lessons.masks.shapes import SHAPES, lay
from engine.nn.attention import Attention, Sight
from tests.conftest import sampled

IDS = [[5, 7, 2, 4], [3, 6, 0, 0], [9, 0, 0, 0], [8, 1, 2, 0]]


def test_the_mask_of_filling_of_the_spec() -> None:
    # transformers T17
    np.testing.assert_array_equal(shapes.real([[5, 7, 0], [3, 0, 0]]), [[1, 1, 0], [1, 0, 0]])


def test_the_right_shapes_hide_the_filling_of_each_text() -> None:
    real_BS = shapes.real(IDS)
    for shape, unsqueeze in (("B1S", True), ("BSS", True), ("B11S", False)):
        for heads in (1, 2, 4):
            found = lay(real_BS, heads, shape, unsqueeze)
            assert found.may_BNTS is not None and not found.wrong_BN.any()
            for b, text in enumerate(IDS):
                want = np.broadcast_to(np.array(text) != 0, (heads, 4, 4))
                np.testing.assert_array_equal(found.may_BNTS[b], want)


def test_a_flat_mask_is_refused_unless_texts_and_heads_are_as_many() -> None:
    """transformers T19, ERR10: with B = 4 = h head 1 has the mask of text 1, and so on."""
    real_BS = shapes.real(IDS)
    for heads in (2, 3):
        found = lay(real_BS, heads, "BS", True)
        assert found.may_BNTS is None and "must match" in found.problem
    found = lay(real_BS, 4, "BS", True)
    assert found.may_BNTS is not None and found.given == (4, 1, 4)
    for n in range(4):  # in every text
        assert (found.may_BNTS[:, n] == real_BS[n]).all()
    assert found.wrong_BN.sum() == 12  # all but the diagonal: no two texts are as long


def test_a_triangle_gives_each_head_a_row_of_it() -> None:
    found = lay(shapes.real(IDS), 4, "SS", True)
    assert found.may_BNTS is not None
    for n in range(4):
        assert (found.may_BNTS[:, n] == np.tri(4, dtype=bool)[n]).all()
    assert lay(shapes.real(IDS), 3, "SS", True).may_BNTS is None
    assert not lay(shapes.real(IDS), 3, "SS", False).wrong_BN.any()


@sampled("shape", SHAPES, each=3)
@pytest.mark.parametrize("unsqueeze", [True, False])
def test_every_shape_is_what_torch_makes_of_it(shape: str, unsqueeze: bool) -> None:
    real_BS = torch.from_numpy(shapes.real(IDS))
    mask = {
        "BS": real_BS,
        "SS": torch.ones(4, 4).tril().bool(),
        "B1S": real_BS[:, None],
        "BSS": real_BS[:, None].expand(4, 4, 4),
        "B11S": real_BS[:, None, None],
    }[shape]
    mask = mask.unsqueeze(1) if unsqueeze else mask
    for heads in (1, 2, 4):
        found = lay(real_BS.numpy(), heads, shape, unsqueeze)
        try:
            want = torch.broadcast_to(mask, (4, heads, 4, 4))
        except RuntimeError:
            assert found.may_BNTS is None and found.problem
        else:
            np.testing.assert_array_equal(found.may_BNTS, want)


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(KeyError):
        lay(shapes.real(IDS), 2, "XY", False)


def test_the_module_of_the_spec_is_torchs_own() -> None:
    """transformers T19: out (2, 5, 512), weights (2, 8, 5, 5), rows that add up to 1, causal."""
    torch.manual_seed(0)
    mine, theirs = Attention(512, 8), torch.nn.MultiheadAttention(512, 8, batch_first=True).eval()
    with torch.no_grad():
        mine.qkv.weight.copy_(theirs.in_proj_weight)
        mine.qkv.bias.copy_(theirs.in_proj_bias)
        mine.out.load_state_dict(theirs.out_proj.state_dict())
        x = torch.randn(2, 5, 512)
        place = torch.arange(5)
        may = torch.ones(5, 5).tril().bool()
        out = mine(x, Sight(place, place, may, True))
        want, weight = theirs(x, x, x, attn_mask=~may, average_attn_weights=False)
    assert out.shape == (2, 5, 512) and weight.shape == (2, 8, 5, 5)
    assert (out - want).abs().max() < 1e-6
    torch.testing.assert_close(weight.sum(-1), torch.ones(2, 8, 5))
    assert not weight.triu(1).any()
