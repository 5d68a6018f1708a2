"""Two cells side by side: the shares of the shelf, the margin beside scipy and by drawing streams."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from engine.analysis.contest.results import SHIPPED
from engine.analysis.contest.train import TESTED
from engine.lessons.cells import chooser
from engine.lessons.cells.chooser import Duel
from tests.conftest import together


def test_every_training_with_both_is_there_once() -> None:
    """Against the file itself."""
    rows = json.loads(SHIPPED.read_text(encoding="utf-8"))["results"]
    for which, distance in (("disturbed", 20), ("clean", 40)):
        usual = [r for r in rows if r["entry"]["forget_bias"] == 1.0]
        keys = ("task", "noise", "shortest", "cell")
        shelf = {tuple(r["entry"][key] for key in keys): r[which] for r in usual}
        found = chooser.duels("lstm", "gru", distance, which == "disturbed")
        assert len(found) == len({(duel.first.entry.key) for duel in found}) == 9
        for duel in found:
            e = duel.first.entry
            assert abs(duel.distance - distance) <= 1
            for cell, share in zip(("lstm", "gru"), duel.shares, strict=True):
                assert shelf[e.task, e.noise, e.shortest, cell][str(duel.distance)] == share
    swapped = chooser.duels("gru", "lstm", 40, False)
    assert [d.shares for d in swapped] == [d.shares[::-1] for d in found]
    assert [{-1: -1, 0: 1, 1: 0}[d.better] for d in swapped] == [d.better for d in found]
    assert chooser.duels("lstm", "nothing", 20, True) == []


@together(("a", "b"), [(0.9, 0.9), (0.9, 0.86), (0.5, 0.6), (1.0, 1.0), (1.0, 0.98)])
def test_the_margin_is_that_of_two_proportions(a: float, b: float) -> None:
    (duel, *_) = chooser.duels("lstm", "gru", 20, True)
    duel = Duel(duel.first, duel.second, 20, (a, b))
    spread = stats.norm.ppf(0.975) * np.sqrt((a * (1 - a) + b * (1 - b)) / TESTED)
    assert duel.margin == pytest.approx(spread, rel=1e-3)
    assert (duel.better == -1) is bool(abs(a - b) <= spread)
    assert duel.better in ((-1,) if a == b else (-1, 0 if a > b else 1))
