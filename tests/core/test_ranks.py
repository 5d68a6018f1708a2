"""Ranks and what is made of them, against scipy's own; and that no page has to load it for them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from engine.analysis.units.probe import discoveries
from engine.core.numbers import ranks, spearman
from engine.lessons.convolution import images
from engine.text.preparation import stopwords

# what would take 45 and 31 MB of a server
LARGE = ("sklearn", "scipy.stats")
WITHOUT = f"""
import sys
import numpy as np
from engine.lessons.convolution.images import split
from engine.analysis.units.probe import probe
from engine.core.numbers import spearman
from engine.text.preparation import lancaster, porter, snowball
from engine.text.preparation.effect import Judge
from engine.text.preparation.pipeline import Pipeline
from engine.text.preparation.stopwords import stop_words
split(), stop_words("sklearn"), spearman(np.arange(9.0), np.arange(9.0) ** 2)
assert [of.stem("running") for of in (porter, snowball, lancaster)] == ["run", "run", "run"]
states = np.random.default_rng(0).normal(size=(2, 60))
probe(states, states > 0.5)
Judge.trained([("a", "yes"), ("b", "no")] * 9, Pipeline()).probability(["yes"], "a")
there = [name for name in {LARGE} if name in sys.modules]
sys.exit(", ".join(there) or 0)
"""


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_ranks_and_their_correlation(kind: type) -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 300):
        x, y = (rng.integers(0, 40, n).astype(kind) / kind(1) for _ in range(2))
        assert (ranks(x) == stats.rankdata(x)).all()
        if n > 2:
            assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))


def test_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    rng = np.random.default_rng(1)
    p = np.append(rng.random((20, 7)) ** 3, [[0.5] * 7, [0.0] * 7, [1.0] * 7], axis=0)
    p[3] = np.nan
    q = discoveries(p)
    known = np.isfinite(p)
    assert np.isnan(q[~known]).all()
    np.testing.assert_allclose(q[known], stats.false_discovery_control(p[known]), rtol=1e-12)
    assert np.isnan(discoveries(np.full((2, 2), np.nan))).all()


def test_what_is_read_from_scikit_learn_s_files_is_what_it_gives() -> None:
    from sklearn.datasets import load_digits
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stopwords.stop_words("sklearn") == ENGLISH_STOP_WORDS
    found, both = load_digits(), images.split()
    cells = np.concatenate([part.cells for part in both])
    assert len(cells) == len(found.images) and cells.dtype == np.int64
    rows = {row.tobytes() for row in found.images.astype(np.int64)}
    assert {row.tobytes() for row in cells} == rows
    assert (
        np.bincount(np.concatenate([part.digit for part in both])) == np.bincount(found.target)
    ).all()


def test_what_takes_most_memory_is_not_loaded_for_it() -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
