"""Pooling an LSTM's states: each way once more in numpy; what the shipped ones look at, beside what is
known to count; the numbers that the page says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.lessons.pooling import carried, shown
from engine.live import cache
from engine.models.pooling import CONTEXT, WAYS, Config, Pooling, shares, weights
from engine.runs.store import RunStore
from engine.text.corpora.marked import KIND_OF, KINDS, LONGEST, MARK, SHORTEST, Marked, written

TEXT = "oak rose ! cat hammer bread oak"


@pytest.fixture(scope="module", params=WAYS)
def model(request: pytest.FixtureRequest) -> Pooling:
    config = Config(pool=request.param, units=6, width=5, steps=3, batch=8, buckets=16)
    *_, last = Pooling.fit(Marked(80).text(), config, seed=2)
    assert isinstance(last.model, Pooling)
    return last.model


def test_a_trace_is_the_pooling_by_hand(model: Pooling) -> None:
    trace, w = model.trace(TEXT), model.weights()
    h_TH = trace.field("hidden").values[0].astype(float)
    score_T = h_TH @ w["score.weight"][0]
    for t in range(len(h_TH)):
        seen = h_TH[: t + 1]
        e = np.exp(score_T[: t + 1] - score_T[: t + 1].max())
        share, u = {
            "attention": (e / e.sum(), (e / e.sum()) @ seen),
            "last": (np.eye(t + 1)[-1], seen[-1]),
            "mean": (np.full(t + 1, 1 / (t + 1)), seen.mean(0)),
            "max": (np.bincount(seen.argmax(0), minlength=t + 1) / 6, seen.max(0)),
        }[model.config.pool]
        found = trace.field("pool.weight").values[t]
        np.testing.assert_allclose(found[: t + 1], share, atol=1e-5)
        assert not found[t + 1 :].any(), "nothing that comes later"
        np.testing.assert_allclose(trace.field("pooled").values[t], u, atol=1e-5)
        logits = w["head.weight"] @ u + w["head.bias"]
        p = np.exp(logits - logits.max())
        np.testing.assert_allclose(trace.field("label").values[t], p / p.sum(), atol=1e-5)


def test_of_a_long_text_the_last_words_are_read(model: Pooling) -> None:
    """Each prefix has a weight for each word: a pasted text of 100,000 signs asked for 10 GB."""
    words = [*("hammer ! " * 500).split(), *("oak rose cat " * 1000).split()]
    found, last = (model.trace(" ".join(some)) for some in (words, words[-CONTEXT:]))
    assert found.total == 4000 and len(found.tokens) == CONTEXT == len(last.tokens)
    np.testing.assert_array_equal(found.field("label").values, last.field("label").values)


def test_shares_of_the_largest_are_counted() -> None:
    first_BTH = torch.tensor([[[0, 0, 0], [0, 1, 1], [2, 1, 2]]])
    torch.testing.assert_close(
        shares(first_BTH), torch.tensor([[[3, 0, 0], [1, 2, 0], [0, 1, 2]]]) / 3
    )


def test_weights_are_shares_and_a_bias_on_all_scores_changes_nothing() -> None:
    score_BT = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))
    found = weights("attention", score_BT)
    torch.testing.assert_close(found.sum(-1), torch.ones(3, 7))
    torch.testing.assert_close(weights("attention", score_BT + 4.5), found)
    torch.testing.assert_close(weights("mean", score_BT), weights("attention", 0 * score_BT))


def test_lines() -> None:
    lines = Marked(300).generate(300)
    sizes = set()
    for line in lines:
        label, text = line.split("\t")
        words = text.split()
        assert KIND_OF[words[words.index(MARK) + 1]] == label and words.count(MARK) == 1
        sizes.add(len(words) - 1)
        [fact] = Marked().facts(line)
        assert line[slice(*fact.second)] == words[words.index(MARK) + 1]
    assert sizes == set(range(SHORTEST, LONGEST + 1))
    assert Marked().facts("no mark") == Marked().facts("x\tno mark") == []


def test_the_shipped_ones_know_which_word_counts() -> None:
    found = shown.head(RunStore().all(None))
    assert [*found] == [*shown.CALLED] and set(found) == set(WAYS)
    rng = np.random.default_rng(11)
    lines = [written(rng, 12) for _ in range(60)]
    for way, run in found.items():
        model = cache.model(run, Pooling)
        assert model.judge(lines)["accuracy"] >= 0.98 and model.names == tuple(sorted(KINDS))
        share = []
        for line in lines:
            trace = model.trace(line.split("\t")[1])
            at = trace.tokens.index(MARK) + 1
            share.append(trace.field("pool.weight").values[-1, at])
        if way == "attention":
            assert np.mean(share) > 0.8, "nearly all of it comes from the marked word"
        if way == "mean":
            assert np.allclose(share, 1 / 13)


def test_layer_norm_and_a_carried_count() -> None:
    others = np.array([2.0, 2, 5])
    memory, shown = zip(*(carried.run(way, others, 30) for way in carried.WAYS), strict=True)
    plain, output, inside, normed = memory
    np.testing.assert_array_equal(plain, output)
    np.testing.assert_array_equal(plain, inside)
    assert plain[-1].tolist() == [30, 2, 2, 5]
    np.testing.assert_allclose(normed[1:].mean(1), 0, atol=1e-9)
    np.testing.assert_allclose(normed[1:].std(1), 1, atol=1e-4)
    assert abs(normed[-1, 3] - normed[-1, 1]) < 0.001, "5 and 2 can no longer be told apart"
    np.testing.assert_allclose(shown[1], [carried.normalised(row) for row in shown[0]])
    np.testing.assert_allclose(shown[2], np.tanh([carried.normalised(row) for row in plain]))
    # the vector of the notes: f = 1, i = 0
    c = np.array([2.0, 2, 2, 5])
    for _ in range(3):
        c = carried.normalised(c)
        np.testing.assert_allclose(c, [-0.5773, -0.5773, -0.5773, 1.7320], atol=1e-3)
    assert carried.told_apart(plain) == 30
    with pytest.raises(KeyError):
        carried.run("other", others, 1)
