"""Under- or overfitted: made curves of each kind, each number by hand, and real trainings that were made so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.analysis.optimising.fitting import fitting
from engine.core.registry import corpora, models
from engine.lessons.optimisers import early
from engine.runs.store import Recipe, digest
from engine.storage.run_folder import HISTORY
from engine.training import history
from engine.training.fit import fit
from tests.conftest import together

N = np.arange(1, 101)
FALL = 4 * np.exp(-N / 15) + 1  # from 4.74 to 1.005
CURVES = {
    "fitted": (FALL, FALL + 0.1),
    "underfitted": (5 - 0.02 * N, 5 - 0.018 * N),  # both still fall
    "both high": (5 - 0.002 * N, 5 - 0.001 * N),
    "overfitted": (FALL, FALL + 0.0002 * N**2),
    "by heart": (FALL, np.maximum(FALL, 2.2)),
    "unstable": (FALL + 0.0003 * N**2, FALL + 0.0003 * N**2 + 0.1),
}


@together("kind", CURVES)
def test_made_curves(kind: str) -> None:
    train, held = CURVES[kind]
    every = N[9::10]
    found = fitting((N, train), (every, held[9::10]))
    assert found is not None
    wanted = {"both high": "underfitted", "by heart": "overfitted"}.get(kind, kind)
    assert found.verdict == wanted and found.both_high is (kind == "both high")
    for factor in (0.01, 100.0):  # bits or nats, pennies or pounds
        again = fitting((N, factor * train), (every, factor * held[9::10]))
        assert again is not None and again.verdict == wanted


def test_each_number_by_hand() -> None:
    at = np.array([10, 20, 30, 40, 50])
    found = fitting((at, np.array([4.0, 2, 1, 0.5, 0.25])), (at, np.array([3.0, 2, 1.5, 1.6, 1.7])))
    assert found is not None and found.verdict == "overfitted" and found.late_rise and found.falls
    assert (found.best, found.start, found.whole) == (30, 4, 2.5)
    assert found.rise == pytest.approx(0.2) and found.gap == pytest.approx(1.45)
    assert found.late == pytest.approx(-0.1)  # the last fifth begins at step 40


def test_too_little_to_judge() -> None:
    one, none = (N[:1], FALL[:1]), (N[:0], FALL[:0])
    assert fitting((N, FALL), one) is fitting((N, FALL), none) is fitting(none, (N, FALL)) is None
    lost = (N, np.where(N > 60, np.nan, FALL + 0.1))
    assert fitting((N, FALL), lost) == fitting((N, FALL), (N[:60], FALL[:60] + 0.1))


def test_real_trainings(tmp_path: Path) -> None:
    """Few lines and many steps are learned by heart; one step too small to move is not learned at all; and the net of
    the page on early stopping is what its page says."""
    text = corpora.get("reviews").text()[:3000]
    verdicts = []
    for name, more in (("long", {}), ("slow", {"rate": 1e-5})):
        config = models.get("gru").config_type(
            tokenizer="words", vocabulary=300, units=32, layers=1, width=16, dropout=0.0, decay=0.0, steps=48, batch=8,
            span=24, held_out_every=6, **{"rate": 0.02, **more},
        )  # fmt: skip
        list(fit(tmp_path / name, Recipe("gru", config, digest(text), 0), text))
        curves = history.read(tmp_path / name / HISTORY)
        found = fitting(curves["loss_nats"], curves["held_out_nats"])
        assert found is not None
        verdicts.append((found.verdict, found.both_high))
    assert verdicts == [("overfitted", False), ("underfitted", True)]
    whole = early.overfit(0, most=30)
    at = np.arange(1, 31)
    found = fitting((at, whole.train), (at, whole.held))
    assert found is not None and found.verdict == "overfitted" and found.best == whole.stop.best
