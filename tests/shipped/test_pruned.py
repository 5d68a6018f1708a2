"""What the ladder says of the shipped n-gram model: the mass it hands down is more than what its
discounts take off."""

from __future__ import annotations

import pytest

from engine.lessons.ngrams import figures
from engine.live import cache
from engine.models.ngram import Ngram


def test_what_is_handed_down_is_taken_off_or_not_stored() -> None:
    run = next(run for run in cache.runs(None) if run.id == "ngram")
    model = cache.model(run, Ngram)
    text = "one of the most"
    gamma = float(model.trace(text, fields=("backoff",)).field("backoff").values[-1, 5])
    grams = model.smoothed.counts.orders[4]
    place = int(model._places(model.tokens(text).ids)[-1, 4])
    a, b = grams.first_P[place : place + 2].tolist()
    total = float(grams.total_P[place])
    stored = float(grams.count_G[a:b].sum()) / total
    taken_off = stored - float(model.smoothed.alpha[4][a:b].sum())
    assert gamma == pytest.approx(taken_off + 1 - stored, abs=1e-4)
    assert taken_off == pytest.approx(0.048, abs=1e-3)
    assert 1 - stored == pytest.approx(0.877, abs=1e-3)
    assert "are not stored" in figures.handed_down(model)
