"""How alike tokens are: against pairs written out, torch's own cosine, and cases that are known."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.lessons.transformer import lens, likeness


def test_by_hand() -> None:
    stream = np.array([[[3.0, 4], [4, 3], [-3, -4]], [[1, 0], [2, 0], [5, 0]]])
    found = likeness.cosines(stream)
    np.testing.assert_allclose(found[0], [[1, 0.96, -1], [0.96, 1, -0.96], [-1, -0.96, 1]])
    np.testing.assert_allclose(likeness.mean(found), [-1 / 3, 1])
    np.testing.assert_allclose(likeness.mean(found, 1), [-0.96, 1])
    assert likeness.closest(found[0], np.array([1, 2, 3])) == (0, 1)
    assert likeness.closest(found[0], np.array([1, 1, 3])) == (1, 2)


def test_a_trained_model_pair_by_pair(trained: Any) -> None:
    trace = trained("transformer").trace("the cat sat on the mat", fields=lens.STREAM)
    stream = lens.streams(trace)
    found = likeness.cosines(stream)
    pairs = list(combinations(range(len(trace.tokens)), 2))
    for depth, x_TD in enumerate(torch.from_numpy(stream).double()):
        each = [float(F.cosine_similarity(x_TD[i], x_TD[j], dim=0)) for i, j in pairs]
        np.testing.assert_allclose([found[depth, i, j] for i, j in pairs], each, atol=1e-12)
        assert likeness.mean(found)[depth] == pytest.approx(np.mean(each))
    np.testing.assert_allclose(np.diagonal(found, axis1=1, axis2=2), 1)


def test_what_is_no_pair() -> None:
    zeros = likeness.cosines(np.zeros((1, 2, 3)))
    assert not zeros.any()
    with pytest.raises(ValueError, match="Two tokens"):
        likeness.mean(np.ones((2, 1, 1)))
    with pytest.raises(ValueError, match="different tokens"):
        likeness.closest(np.ones((2, 2)), np.array([7, 7]))
    with pytest.raises(ValueError, match="three axes"):
        likeness.cosines(np.ones((2, 2)))
