"""Contract of learning: seeded, counted, honest about a text that teaches nothing; for every model
in the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.core.trace import Field
from engine.models.base import Model, Progress, Weights
from tests.conftest import small, text_of, together

IDS = models.ids()


def brief(kind: type[Model[Any]]) -> Any:
    """A small config of ten steps, where it counts steps."""
    counts = "steps" in {f.name for f in fields(kind.config_type)}
    return small(kind, **({"steps": 10} if counts else {}))


@pytest.mark.parametrize("id", IDS)
def test_progress_counts_up_and_a_training_goes_on_to_the_model_of_its_seed(id: str) -> None:
    """Stopped half-way and gone on from its checkpoint, it ends with the same weights, bit for bit."""
    kind = models.get(id)
    config = brief(kind)

    def fit(resume: Weights | None = None) -> Iterator[Progress]:
        return kind.fit(text_of(kind), config, seed=3, resume=resume)

    reports = list(fit())
    assert all(a.step < b.step for a, b in pairwise(reports))
    assert [r.model is not None for r in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[-1].step == reports[-1].total
    assert all(np.isfinite(v) for r in reports for v in r.metrics.values())
    assert kind.stepwise == all(report.now is not None for report in reports)
    kept, then = None, None
    for stopped in half(fit(), reports):
        if stopped.checkpoint is not None:
            kept, then = stopped.checkpoint(), stopped.now and stopped.now().weights()
            break
    rest = list(fit(kept))
    assert kept is not None or not kind.stepwise, "there is nothing to go on from"
    if kept is not None:
        assert [r.step for r in rest] == [r.step for r in reports][-len(rest) :]
        assert len(rest) < len(reports)
    one, two = (found[-1].model for found in (reports, rest))
    assert one is not None and two is not None
    same(one.weights(), two.weights())
    if now := reports[-1].now:
        same(one.weights(), now().weights())
    if then:  # a snapshot stays what it was at its step
        assert any(not np.array_equal(then[name], values) for name, values in one.weights().items())


def half(again: Iterator[Progress], reports: list[Progress]) -> Iterator[Progress]:
    """Reports from the middle of a training on."""
    middle = reports[len(reports) // 2 - 1].step
    return (report for report in again if middle <= report.step < reports[-1].step)


def same(one: Weights, two: Weights) -> None:
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)


@together("id", IDS)
def test_nothing_to_learn_from_is_said(id: str) -> None:
    model = models.get(id)
    for text in ("", "\n \n", "\t"):
        with pytest.raises(ValueError, match="nothing to learn from"):
            list(model.fit(text, small(model), seed=0))


TINY = ["ab", "a b", "the cat", "x\ny\n"]


@pytest.mark.parametrize("text", TINY)
def test_very_small_texts_train_or_say_why_not(text: str) -> None:
    """Each kind of model with one of the texts."""
    for id in IDS[TINY.index(text) :: len(TINY)]:
        trains_or_says_why_not(id, text)


@pytest.mark.slow
def test_every_very_small_text_trains_or_says_why_not() -> None:
    for id, text in product(IDS, TINY):
        trains_or_says_why_not(id, text)


def trains_or_says_why_not(id: str, text: str) -> None:
    model = models.get(id)
    try:
        last = list(model.fit(text, brief(model), seed=0))[-1]
    except ValueError as error:
        assert len(str(error)) > 20, id
    else:
        assert last.model is not None
        trace = last.model.trace("a b")
        assert not [p for f in trace.values() if isinstance(f, Field) for p in f.problems()], id
