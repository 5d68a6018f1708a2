"""There and back: tokens are drawn as the temperature says, and each way is that of its translator; intervals
against scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import t

from engine.analysis import interval
from engine.analysis.back_translation import drawing, there_and_back
from engine.models.translating import TranslatingModel
from tests.conftest import shipped


def test_drawn_as_often_as_the_temperature_says() -> None:
    p_V = np.array([0.5, 0.3, 0.2])
    logit_BV = torch.from_numpy(np.log(p_V)).expand(40_000, -1)
    for heat, wanted in ((1.0, p_V), (0.5, p_V**2 / (p_V**2).sum())):
        share = np.bincount(drawing(heat, 3)(logit_BV).numpy(), minlength=3) / 40_000
        np.testing.assert_allclose(share, wanted, atol=0.01)
    assert (drawing(0.0, 3)(logit_BV) == 0).all()
    again = [drawing(1.0, 7)(logit_BV[:50]).tolist() for _time in range(2)]
    assert again[0] == again[1] != drawing(1.0, 8)(logit_BV[:50]).tolist()


def test_each_way_is_that_of_its_translator() -> None:
    there, back = shipped("translator_spanish"), shipped("translator_english")
    assert isinstance(there, TranslatingModel) and isinstance(back, TranslatingModel)
    lines = ["God said to him,", "", "The children of Israel did so."]
    found = there_and_back(there, back, lines)
    for line, (abroad, again) in zip(lines, found, strict=True):
        assert [abroad] == there.translations([line]) and [again] == back.translations([abroad])
    assert found[1] == ("", "")
    drawn = there_and_back(there, back, lines, 0.8, 1)
    assert drawn == there_and_back(there, back, lines, 0.8, 1) != found


def test_the_interval_of_a_mean() -> None:
    measured = [1.0, 2.5, 0.5, 3.0]
    mean, low, high = interval.of_mean(measured)
    s = math.sqrt(sum((x - 1.75) ** 2 for x in measured) / 3)
    assert mean == 1.75
    assert (low, high) == pytest.approx(t.interval(0.95, 3, loc=1.75, scale=s / 2))
    assert interval.of_mean([2.0])[0] == 2.0 and math.isnan(interval.of_mean([2.0])[1])
