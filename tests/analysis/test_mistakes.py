"""What was taken for what, and how surely: by hand, beside scikit-learn, and of models on texts with known labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from engine.analysis.mistakes import Judged, judged
from engine.core.registry import corpora
from tests.conftest import shipped

FOUR = Judged(
    ("a", "b", "c"),
    np.array([0, 1, 2, 0]),
    np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.8, 0.1, 0.1], [np.nan] * 3]),
)


def test_by_hand() -> None:
    assert FOUR.said_D.tolist() == [0, 0, 0, -1] and FOUR.answered_D.sum() == 3
    assert FOUR.worst() == [2, 1] and FOUR.confidence_D[[2, 1]].tolist() == [0.8, 0.6]
    assert FOUR.confusion.tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert FOUR.sure(True) == pytest.approx(0.7) and FOUR.sure(False) == pytest.approx(0.7)
    right = Judged(("a",), np.array([0]), np.array([[1.0]]))
    assert not right.worst() and np.isnan(right.sure(False))


def test_beside_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    p_DC, true_D = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    found = Judged(tuple("abcd"), true_D, p_DC)
    np.testing.assert_array_equal(found.confusion, confusion_matrix(true_D, p_DC.argmax(1)))
    worst = found.worst()
    assert len(worst) == 200 - found.confusion.trace()
    assert (np.diff(found.confidence_D[worst]) <= 0).all()


@pytest.mark.parametrize("id", ["sentiment", "textcnn"])
def test_a_shipped_classifier(id: str) -> None:
    """Its answers are those of its trace, and what its page is for: sure mistakes about a negation."""
    model: Any = shipped(id)
    pairs = corpora.get("reviews").labelled()[:80]
    found = judged(model, *zip(*pairs, strict=True))
    for d in (0, 41, 79):
        last = model.trace(pairs[d][1], fields=("label",)).field("label").values[-1]
        np.testing.assert_allclose(found.p_DC[d], last, atol=1e-5)
        assert found.classes[found.true_D[d]] == pairs[d][0]
    surest = [pairs[d][1] for d in found.worst()[:12]]
    assert any("never" in text or "without" in text or "not" in text.lower() for text in surest)
    assert 0 < len(found.worst()) < 40
    assert len(judged(model, ["positive"], [""]).worst()) <= 1  # no answer, or one to nothing
