"""Contract of learning: seeded, counted, honest about a text that teaches nothing; for every model
in the folder."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.core.registry import models
from engine.core.trace import Field
from tests.conftest import diagonal, small, text_of

IDS = models.ids()


@pytest.mark.parametrize("id", IDS)
def test_progress_counts_up_and_ends_with_the_model_of_its_seed(id: str) -> None:
    model = models.get(id)
    reports, others = (list(model.fit(text_of(model), small(model), seed=3)) for _ in range(2))
    one, two = (found[-1].model.weights() for found in (reports, others))
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    assert all(a.step < b.step for a, b in pairwise(reports))
    assert [r.model is not None for r in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[-1].step == reports[-1].total
    assert all(np.isfinite(v) for r in reports for v in r.metrics.values())
    assert model.stepwise == all(report.now is not None for report in reports)


@pytest.mark.parametrize("id", IDS)
def test_nothing_to_learn_from_is_said(id: str) -> None:
    model = models.get(id)
    for text in ("", "\n \n", "\t"):
        with pytest.raises(ValueError, match="nothing to learn from"):
            list(model.fit(text, small(model), seed=0))


@diagonal("id,text", IDS, ["ab", "a b", "the cat", "x\ny\n"])
def test_very_small_texts_train_or_say_why_not(id: str, text: str) -> None:
    model = models.get(id)
    try:
        last = list(model.fit(text, small(model), seed=0))[-1]
    except ValueError as error:
        assert len(str(error)) > 20
    else:
        assert last.model is not None
        assert not [
            p
            for f in last.model.trace("a b").values()
            if isinstance(f, Field)
            for p in f.problems()
        ]
