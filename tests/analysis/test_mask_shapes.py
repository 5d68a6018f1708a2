"""Shapes of masks: what torch makes of each, against the mask that was meant, text by text."""

from __future__ import annotations

from itertools import product

import numpy as np
import torch

from engine.lessons.masks import shapes
from engine.lessons.masks.shapes import SHAPES, lay
from tests.conftest import together

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


@together("shape,unsqueeze", product(SHAPES, (True, False)))
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
