"""Intervals and paired tests beside sacrebleu's, and on what is known by heart."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from engine.analysis.measures import resampling
from engine.analysis.measures.base import Measure
from engine.analysis.measures.table import BY_ID

SOME = [BY_ID[id] for id in ("bleu", "chrf", "ter")]


def lines(lost: float, seed: int) -> list[str]:
    rng = random.Random(seed)
    right = random.Random(7)
    return [
        " ".join(w for w in (right.choice("abcdefgh") for _ in range(12)) if rng.random() > lost)
        for _ in range(60)
    ]


RIGHT, ONE, OTHER = lines(0, 1), lines(0.2, 2), lines(0.22, 3)


def counted(said: list[str]) -> np.ndarray:
    pairs = zip(said, RIGHT, strict=True)
    return np.array([[x for m in SOME for x in m.row(a, (b,))] for a, b in pairs], float)


def compare(
    measures: Sequence[Measure], one: np.ndarray, other: np.ndarray, draws: int
) -> list[resampling.Paired]:
    drawn = [resampling.bootstrap(measures, of, draws) for of in (one, other)]
    return resampling.compare(measures, one, other, drawn)


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_p_is_that_of_sacrebleu(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "ROOM", 700)  # so that draws come in several lots
    metrics = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER()}
    systems = [("one", ONE), ("other", OTHER)]
    _, theirs = PairedTest(systems, metrics, [RIGHT], kind, 400)()
    if kind == "ar":
        monkeypatch.setattr(resampling, "ROOM", 10**6)  # coins are tossed in one go
    mine = compare(SOME, counted(ONE), counted(OTHER), 400)
    for found, (name, (baseline, result)) in zip(
        mine, [item for item in theirs.items() if item[0] != "System"], strict=True
    ):
        assert found.difference == pytest.approx(result.score - baseline.score), name
        assert (found.bootstrap if kind == "bs" else found.randomisation) == pytest.approx(
            result.p_value, abs=1e-9
        ), name


def test_drawn_scores_are_those_of_sacrebleu() -> None:
    from sacrebleu.significance import _bootstrap_resample

    metric = TER()
    stats = metric._extract_corpus_statistics(ONE, [RIGHT])
    _, theirs = _bootstrap_resample(stats, metric, 50)
    mine = resampling.bootstrap(SOME, counted(ONE), 50)[:, 2]
    np.testing.assert_allclose(mine, [one.score for one in theirs], rtol=1e-6)


def test_the_interval_of_a_mean_is_that_of_its_standard_error() -> None:
    rng = np.random.default_rng(0)
    row_L2 = np.stack([rng.normal(50, 10, 400), np.ones(400)], 1)
    low, high = resampling.interval(resampling.bootstrap([BY_ID["f1"]], row_L2, 4000)[:, 0])
    half = 1.96 * row_L2[:, 0].std() / 20
    assert high - low == pytest.approx(2 * half, rel=0.08)
    assert low < row_L2[:, 0].mean() < high


def test_a_system_against_itself_and_against_a_far_better_one() -> None:
    (same,) = compare([BY_ID["bleu"]], counted(ONE)[:, :10], counted(ONE)[:, :10], 200)
    assert same.difference == 0 and same.bootstrap == same.randomisation == pytest.approx(1 / 201)
    far = compare(SOME, counted(lines(0.6, 4)), counted(RIGHT), 200)
    assert all(max(one.bootstrap, one.randomisation) < 0.01 for one in far)
