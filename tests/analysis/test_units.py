"""Unit detective: every number against sklearn, scipy, brute force or a count by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from engine.analysis.units import features, measured, probe, reading
from engine.analysis.units.features import HYPOTHESES
from engine.core.registry import corpora
from engine.lessons.units import places
from engine.runs import store as runs
from tests.conftest import TEXT, together

BY_ID = {h.id: h for h in HYPOTHESES}
RULES = [
    ("quoted", 'a "b" c', "..##..."),
    ("quoted", '"a\n"b', "##.##"),
    ("quoted", "“a” b", "##..."),
    ("quoted", 'a" b', ".###"),
    ("bracket", "a(b[c]d)e", ".######.."),
    ("bracket", "a)b(c\nd", "...##.."),
    ("nested", "(a[b]c)", "..##..."),
    ("enclosed", '"a" (b) c', "##..##..."),
    ("line_start", "abcdefghijkl\nm", "##########..##"),
    ("sentence_start", "ab c! de", "##..####"),
    ("comma", "a, b. c; d\ne", ".###...###.."),
    ("space", "a b\n\tc", ".#.##."),
    ("word_start", "ab c1d é", "#..#.#.#"),
    ("word_end", "ab c1d", ".#.#.#"),
    ("vowel", "aXEy", "#.#."),
    ("capital", "aBÉ1", ".##."),
    ("name", "an Old oak Xy", "...###.....##"),
    ("digit", "a12 3", ".##.#"),
    ("punctuation", "a, «b»!", ".#.#.##"),
    ("plural", "dogs as boxes glass tree", "...###############......"),
    ("feminine", "She ran. He ran. Her", "..########.........#"),
]
COUNTS = [
    ("line_position", "ab\nc", [1, 2, 0, 1]),
    ("word_length", "ab c1d", [1, 2, 0, 1, 0, 1]),
    ("sentence_position", "a. b", [1, 0, 1, 2]),
]
HOSTILE = ["", " ", "\n\n", "👩‍🚀🏳️‍🌈", "a\ud83d b", "\x00\u202e", "(((", '"' * 9, "a" * 3000]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def slow(rows: int, n: int, seed: int, memory: float = 0.95) -> np.ndarray:
    """Noise that forgets slowly: neighbours are alike, rows know nothing of each other."""
    noise = rng(seed).normal(size=(rows, n))
    for t in range(1, n):
        noise[:, t] += memory * noise[:, t - 1]
    return noise.astype(np.float32)


@together("id,text,want", RULES)
def test_rules_by_hand(id: str, text: str, want: str) -> None:
    assert "".join("#" if v else "." for v in BY_ID[id].rule(text)) == want


@together("id,text,want", COUNTS)
def test_counts_by_hand(id: str, text: str, want: list[int]) -> None:
    assert BY_ID[id].rule(text).tolist() == want and BY_ID[id].counted


def test_every_rule_is_tried() -> None:
    assert {r[0] for r in RULES} | {c[0] for c in COUNTS} == set(BY_ID)
    assert all(h.says.endswith(".") and h.title for h in HYPOTHESES)


@together("text", [*HOSTILE, "e\u0301\u0323 ١²"])
def test_rules_take_any_text(text: str) -> None:
    spans = [(i, i + 1) for i in range(len(text))]
    for h in HYPOTHESES:
        found = features.counts(h, text, spans)
        assert found.shape == (len(text),) and np.isfinite(found).all()
        assert features.truths(h, found).dtype == bool
        assert h.counted or set(found.tolist()) <= {0, 1}


def test_tokens_have_the_number_of_their_last_character() -> None:
    text, spans = "An owl (two) 3rd", [(0, 2), (2, 6), (6, 11), (11, 12), (13, 16), (5, 5)]
    assert features.counts(BY_ID["bracket"], text, spans).tolist() == [0, 0, 1, 0, 0, 0]
    assert features.counts(BY_ID["capital"], text, spans).tolist() == [1, 0, 0, 0, 0, 0]
    assert features.counts(BY_ID["digit"], text, spans).tolist() == [0, 0, 0, 0, 1, 0]
    assert features.counts(BY_ID["word_length"], text, spans).tolist() == [2, 3, 3, 0, 2, 2]
    for id, counts, holds in (("word_length", [0, 1, 2, 3, 9], 2), ("digit", [0, 1, 1, 1], 3)):
        found = features.truths(BY_ID[id], np.array(counts, float)).tolist()
        assert found == [False] * (len(counts) - holds) + [True] * holds


def test_auc_is_that_of_sklearn_with_ties() -> None:
    state = np.round(rng().normal(size=(6, 400)), 1).astype(np.float32)
    state[4] = 2.0
    holds = rng(1).random((3, 400)) < np.array([[0.5], [0.1], [0.9]])
    holds[0] |= state[0] > 1
    got = probe.probe(state, holds).auc
    want = [[roc_auc_score(h, s) for h in holds] for s in state]
    np.testing.assert_allclose(got, want, atol=1e-12)
    assert got[4].tolist() == [0.5] * 3
    # Ties, a hypothesis that never holds, and a unit that is broken, too.
    random = np.random.default_rng(3)
    state_UN = random.normal(size=(3, 400)).round(1).astype(np.float32)
    state_UN[2, 7] = np.nan
    holds_FN = random.random((4, 400)) < 0.2
    holds_FN[1] = False
    whole = probe.probe(state_UN, holds_FN).auc
    for state_N, expected_F in zip(state_UN, whole, strict=True):
        assert probe.auc(state_N, holds_FN) == pytest.approx(expected_F, abs=1e-9, nan_ok=True)


def test_p_is_the_share_of_all_turns() -> None:
    state, holds = slow(4, 211, 2), slow(3, 211, 3) > 0.5
    got = probe.probe(state, holds).p
    for u, s in enumerate(state):
        for f, h in enumerate(holds):
            rank, middle = stats.rankdata(s), h.sum() * 106  # 106: the mean rank
            far = np.array([abs(rank[np.roll(h, k)].sum() - middle) for k in range(211)])
            # one turn may tie but for rounding
            assert got[u, f] == pytest.approx((far >= far[0]).mean(), abs=1.01 / 211)


def test_a_planted_unit_is_found_and_nothing_else() -> None:
    state, holds = slow(60, 16_384, 7), slow(4, 16_384, 8) > 0
    state[17] += 3 * holds[2] * state[17].std()
    found = probe.probe(state, holds)
    assert found.best() == (17, 2) and found.best(2) == (17, 2) and found.auc[17, 2] > 0.9
    false = int((found.q <= 0.05).sum()) - int((found.q[17] <= 0.05).sum())
    assert found.q[17, 2] <= 0.05 and false <= 1


def test_what_cannot_be_tested_is_not() -> None:
    state = slow(3, 300, 9)
    state[1, 5] = np.nan
    n = np.arange(300)
    holds = np.stack([n < 9, n >= 9, n < 150, n < 0])
    found = probe.probe(state, holds)
    assert np.isnan(found.auc[1]).all()
    assert np.isnan(found.q[:, [0, 1, 3]]).all()
    assert np.isfinite(found.auc[[0, 2], 2]).all()
    assert probe.probe(state[:, :1], holds[:, :1]).best() is None
    assert probe.probe(np.zeros((0, 0), np.float32), np.zeros((4, 0), bool)).best() is None


def test_a_reading_is_what_the_model_traces_of_any_text(trained: Callable[[str], Any]) -> None:
    model = trained("lstm")
    got = reading.read(model, TEXT, "cell", 10_000)
    want = model.trace(TEXT, fields=("cell",)).field("cell").values[:, 1:]
    assert got.text == TEXT
    assert "".join(got.labels) == TEXT
    assert got.span_N2.tolist() == [[i, i + 1] for i in range(len(TEXT))]
    np.testing.assert_array_equal(got.state_UN.reshape(2, -1, len(TEXT)), np.moveaxis(want, 1, 2))
    assert got.place(got.units + 3) == (1, 3)
    assert reading.signals(model)[:2] == ["cell", "hidden"]
    for text in ("", "\n \n", "a", "👩‍🚀\n", "a" * 9000):
        got = reading.read(trained("lstm"), text, "cell", 4000)
        assert len(got) == got.state_UN.shape[-1] == len(got.piece_N) <= 4000
        assert bool(len(got)) == bool(text.strip())


def test_a_reading_is_bounded_and_all_over_the_text(trained: Callable[[str], Any]) -> None:
    model = trained("lstm")
    text = "\n".join(f"{n} {'the cat sat on the mat ' * 4}" for n in range(2000)) + "\n"
    got = reading.read(model, text, "hidden", 5000)
    assert len(got) == 5000 == got.state_UN.shape[1] and got.piece_N[-1] >= 1
    lines = [int(part.split()[0]) for part in got.text.split("\n") if part[:1].isdigit()]
    assert lines[0] == 0 and lines == sorted(set(lines)) and lines[-1] > 1000
    bounded = reading.read(model, text, "hidden", 5000, most_bytes=4 * len(got.state_UN) * 700)
    assert len(bounded) == 700
    for n in (0, 2500, 4999):  # each position is where its span says
        assert got.text[slice(*got.span_N2[n])] == got.labels[n]


def test_places_by_hand() -> None:
    value = np.array([0, 9, 8, 1, 7, 2, 6, np.nan, 5, 3.0])
    piece = np.repeat([0, 1], [5, 5])
    found = places.strongest(value, piece, 9, 1, 1)
    assert found == [1, 4, 9, 5]  # 6 and 8 have the broken value beside them
    assert places.widen(4, 5, piece, 1, 1) == slice(3, 5)
    assert places.strongest(np.full(3, np.nan), np.zeros(3, int), 2, 1, 1) == []
    state = rng(10).normal(size=(5, 1000)).astype(np.float32)
    low, high = places.bounds(state, 0.2)
    assert ((state <= low[:, None]).sum(1) == 200).all()
    assert ((state >= high[:, None]).sum(1) == 200).all()
    on = np.array([[*map(int, row)] for row in ("11101110", "11000111", "01000110")], bool)
    piece = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    assert places.stretches(on.sum(0) >= 2, piece) == [(0, 2), (5, 6), (6, 7)]
    found = places.matches(on, piece, 2, 2)
    assert found == [(0, 2), (5, 6), (6, 7)]
    assert places.matches(on, piece, 4, 2) == []
    assert places.stretches(np.zeros(0, bool), np.zeros(0, int)) == []


def test_units_on_inside_and_off_beside_by_brute_force() -> None:
    state, (low, high) = rng(11).normal(size=(80, 9)), (np.full(80, -0.3), np.full(80, 0.3))
    for beside in ((), (-1,), (-1, 1)):
        want = []
        for u in range(80):
            for sign in (1, -1):
                on = [sign * state[u, t] >= 0.3 for t in range(9)]
                if all(on[4:6]) and not (-1 in beside and on[3]) and not (1 in beside and on[6]):
                    want.append((u, sign))
        got = places.switches(state, (4, 6), low, high, beside)
        assert [(s.row, s.sign) for s in got] == want and len(want) > 2
    # nothing stands beside a whole text
    assert places.switches(state, (0, 9), low * 9, high * 9, (-1, 1)) == []
    assert places.switches(state, (4, 4), low, high) == []


def test_chance_is_that_of_independent_units() -> None:
    """The share of positions with at least k of d on, for independent units, is a sum over all subsets."""
    on = rng(12).random((5, 6000)) < np.array([[0.5], [0.3], [0.2], [0.4], [0.1]])
    on[1] = on[0] & (on[1] | on[2])  # they do go together: chance must not know
    rates = on.mean(1)
    chance = [1.0]
    for p in rates:
        chance = np.convolve(chance, [1 - p, p]).tolist()
    for least in (1, 2, 3):
        got = places.by_chance(on, least, repeats=40)
        assert got.mean() == pytest.approx(6000 * sum(chance[least:]), rel=0.04)
    assert (on.sum(0) >= 3).sum() > 1.2 * places.by_chance(on, 3).max()


@pytest.mark.slow
def test_the_shipped_roles_are_measured_again() -> None:
    """What a unit of the shipped model is named for it tells as well as the file says, and no unit twice."""
    run = runs.RunStore(runs.SHIPPED).find("lstm")
    model = runs.RunStore(runs.SHIPPED).load(run)
    roles = measured.find(str(run.note["recipe"]))
    assert len({(role.layer, role.unit) for role in roles}) == len(roles) > 8
    assert (1, 69, "quoted") in {(r.layer, r.unit, r.about.id) for r in roles}
    text = corpora.get("stories").text()
    got = reading.read(model, text, "cell", measured.POSITIONS, measured.MOST_BYTES)
    for role in roles:
        counts = features.counts(role.about, got.text, got.span_N2)
        state_N = got.state_UN[role.layer * got.units + role.unit]
        auc = roc_auc_score(features.truths(role.about, counts), state_N)
        assert auc == pytest.approx(role.auc, abs=2e-4), role
        assert max(auc, 1 - auc) >= measured.CLEAR - 1e-3
    assert measured.find("no such recipe") == ()
