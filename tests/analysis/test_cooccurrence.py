"""Co-occurrence counts, PPMI and its factorisation: by hand, by brute force, against dense numpy;
the vectors of the spec."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from engine.models.base import train
from engine.models.ppmi import Config, Ppmi
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence, ppmi, probes

CITIES = [
    "paris is a capital city",
    "london is a capital city",
    "rome is a capital city",
    "orange is a sweet fruit",
    "apple is a sweet fruit",
]


def counted(lines: list[str], window: int, **more: str) -> tuple[dict[str, int], np.ndarray]:
    words = [w for line in lines for w in line.split()]
    row = {w: i for i, w in enumerate(dict.fromkeys(words))}
    line_M = np.repeat(np.arange(len(lines)), [len(line.split()) for line in lines])
    ids = np.array([row[w] for w in words])
    return row, cooccurrence.count(ids, line_M, len(row), window, **more).toarray()  # type: ignore[arg-type]


def test_counts_by_hand() -> None:
    # Five neighbouring pairs, each once in both directions; "the" is one word.
    row, x = counted(["the cat sat on the mat"], 1)
    want = np.zeros((5, 5))
    for a, b in (("the", "cat"), ("cat", "sat"), ("sat", "on"), ("on", "the"), ("the", "mat")):
        want[row[a], row[b]] = want[row[b], row[a]] = 1
    np.testing.assert_array_equal(x, want)
    word_M, line_M = cooccurrence.lines_of(np.array([2, 5, 0, 6, 2, 7, 2]), boundary=2, left_out=0)
    assert word_M.tolist() == [5, 6, 7] and line_M.tolist() == [1, 1, 2]
    assert cooccurrence.count(np.zeros(0, int), np.zeros(0, int), 3, 2).nnz == 0
    with pytest.raises(ValueError, match="one word at least"):
        cooccurrence.count(np.zeros(2, int), np.zeros(2, int), 1, 0)


@pytest.mark.parametrize("window", [1, 3, 40])
def test_counts_are_those_of_two_loops(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cooccurrence, "CHUNK", 13)  # windows reach over the ends of chunks
    rng = np.random.default_rng(window)
    word_M, line_M = rng.integers(0, 7, 100), np.sort(rng.integers(0, 9, 100))
    for sides, weighting in itertools.product(cooccurrence.SIDES, cooccurrence.WEIGHTINGS):
        want = np.zeros((7, 7))
        for m, o in itertools.product(range(100), repeat=2):
            d = o - m
            side = d > 0 if sides == "right" else d < 0 if sides == "left" else d != 0
            if side and abs(d) <= window and line_M[m] == line_M[o]:
                want[word_M[m], word_M[o]] += 1 / abs(d) if weighting == "distance" else 1
        found = cooccurrence.count(word_M, line_M, 7, window, sides, weighting).toarray()  # type: ignore[arg-type]
        np.testing.assert_allclose(found, want, rtol=1e-12)
        if sides == "both":
            np.testing.assert_array_equal(found, found.T)


def test_probes_are_counted_in_the_learned_lines_alone() -> None:
    lines = ["the king and his crown", "the queen met the king", "the old queen and her crown"]
    text = "\n".join([*lines, "a dog saw the moon at night"] * 10)
    learned, held_out = split(passages(text), 3)
    assert held_out
    tokenizer = Words.fit(learned, 50, lowercase=True)
    model = SimpleNamespace(tokenizer=tokenizer, config=SimpleNamespace(window=3))
    found = probes.count_probes(model, text, 3)
    assert found["words"] == ["king", "queen", "moon", "dog"]
    assert {"crown", "the", "her", "his", "night"} <= set(found["probes"])
    assert "steam" not in found["words"]
    for w, word in enumerate(found["words"]):
        near: dict[str, float] = {}
        for cut in (line.split() for line in learned):
            for i, j in itertools.product(range(len(cut)), repeat=2):
                if cut[i] == word and 0 < abs(i - j) <= 3:
                    near[cut[j]] = near.get(cut[j], 0) + 1 / abs(i - j)
        assert found["totals"][w] == pytest.approx(sum(near.values()), abs=0.01)
        counts = [near.get(probe, 0) for probe in found["probes"]]
        assert found["counts"][w] == pytest.approx(counts, abs=0.001)


def test_ppmi_by_hand() -> None:
    # X = [[0, 3], [1, 0], [1, 1]]: rows 3, 1, 2, columns 2, 4, all 6.
    # PMI(0,1) = ln(3/6 / (3/6 * 4/6)) = ln 1.5; PMI(1,0) = ln(1/6 / (1/6 * 2/6)) = ln 3
    # PMI(2,0) = ln(1/6 / (2/6 * 2/6)) = ln 1.5; PMI(2,1) = ln(1/6 / (2/6 * 4/6)) = ln .75 < 0
    x = sparse.csr_array(np.array([[0, 3.0], [1, 0], [1, 1]]))
    want = [[0, math.log(1.5)], [math.log(3), 0], [math.log(1.5), 0]]
    np.testing.assert_allclose(ppmi.ppmi(x).toarray(), want)
    shifted = ppmi.ppmi(x, shift=2).toarray()
    np.testing.assert_allclose(shifted, [[0, 0], [math.log(1.5), 0], [0, 0]])
    # contexts to the power .5: sqrt 2 and 2, shares .414214 and .585786; PMI(0,1) = ln(.5 / (.5 *
    # .585786)) = .534800
    smooth = ppmi.ppmi(x, alpha=0.5).toarray()
    assert smooth[0, 1] == pytest.approx(0.534800, abs=1e-6)
    assert smooth[1, 0] == pytest.approx(-math.log(0.41421356), abs=1e-6)
    assert ppmi.ppmi(sparse.csr_array((3, 3))).nnz == 0


def test_large_tables_are_factorised_like_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """ARPACK finds the directions that the dense decomposition has first."""
    rng = np.random.default_rng(0)
    some = rng.random((60, 60)) < 0.4
    table = sparse.csr_array(np.maximum(rng.normal(size=(60, 60)), 0) * some)
    dense = ppmi.svd(table, 8)
    want_VV, want_V, _ = np.linalg.svd(table.toarray())
    np.testing.assert_allclose(dense[1], want_V[:8])
    np.testing.assert_allclose(np.abs((want_VV[:, :8] * dense[0]).sum(0)), 1)
    monkeypatch.setattr(ppmi, "DENSE", 10)
    for one, other in zip(dense, ppmi.svd(table, 8), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)
    u, s, v = ppmi.svd(table, 60)
    np.testing.assert_allclose((u * s) @ v.T, table.toarray(), atol=1e-10)
    np.testing.assert_allclose(ppmi.vectors(u, s, 0.5), u * np.sqrt(s), rtol=1e-5)


def test_the_model_holds_words_of_the_same_company_for_alike() -> None:
    model = train(Ppmi, "\n".join(CITIES * 2), Config(width=4, window=4), seed=0)
    assert isinstance(model, Ppmi)
    of = {word: model.vectors[i] for i, word in enumerate(model.vocab)}
    paris, london, orange = of["paris"], of["london"], of["orange"]
    assert paris @ london > 0.99 > 0.6 > paris @ orange
