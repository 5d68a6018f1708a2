"""Skip-gram: training that finds planted structure, neighbours by brute force.  The arithmetic:
test_word2vec.py."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.tap import Edit
from engine.core.trace import Field, Table
from engine.models.base import train
from engine.models.skipgram import Skipgram
from engine.models.word2vec import Config
from engine.models.wordspace import MARKS
from tests.models.test_word2vec import planted

SMALL = Config(width=16, vocabulary=100, epochs=8, sample=0.0)


@pytest.fixture(scope="module")
def model() -> Skipgram:
    found = train(Skipgram, planted(1500), SMALL)
    assert isinstance(found, Skipgram)
    return found


def test_training_reports_and_its_loss_falls() -> None:
    text = planted(1000)
    config = Config(width=8, vocabulary=100, steps=40, batch=256)
    events = list(Skipgram.fit(text, config, seed=3))
    assert [e.step for e in events] == list(range(1, 41)) and {e.total for e in events} == {40}
    assert {"loss_nats", "words_per_second", "rate"} <= set(events[0].metrics)
    # Before the first step every output vector is zero, so every score is: loss (1 + k) ln 2
    assert events[0].metrics["loss_nats"] == pytest.approx(6 * np.log(2), abs=1e-4)
    assert events[-1].metrics["loss_nats"] < events[0].metrics["loss_nats"]
    few = list(Skipgram.fit(planted(100), Config(width=4, epochs=2, batch=100_000), seed=0))
    assert few[-1].total == 2 * 31  # 95 lines are left to train on, 3 of them a step


def test_fields_by_brute_force(model: Skipgram) -> None:
    text = "The cat, the CAT\nand zebra"
    trace = model.trace(text)
    assert trace.tokens == ("<s>", "The", "cat", ",", "the", "CAT", "</s>", "and", "zebra")
    assert trace.unknown == (3, 8)
    vector_TD, cosine_TT, near_TV = (
        trace.field(n).values for n in ("vector", "cosine", "nearness")
    )
    assert not vector_TD[[0, 3, 6, 8]].any()
    assert np.array_equal(vector_TD[2], vector_TD[5])
    for t in (1, 2, 7):
        for v in range(MARKS, len(model.vocab)):
            a, b = vector_TD[t].astype(float), model.in_VD[v].astype(float)
            assert near_TV[t, v] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)), abs=1e-5)
        best = [v for v in np.argsort(-near_TV[t]) if v >= MARKS and v != trace.ids[t]][:12]
        table = trace["neighbours"]
        assert isinstance(table, Table)
        frame = table.frame().query(f"position == {t}")
        assert list(frame.word) == [model.vocab[v] for v in best]
        assert list(frame["rank"]) == list(range(1, 13))
        assert frame.cosine.to_numpy() == pytest.approx(near_TV[t][best], abs=1e-6)
    assert cosine_TT[2, 5] == pytest.approx(1, abs=1e-5)
    assert not cosine_TT[3].any()
    for field in trace.values():
        assert not isinstance(field, Field) or not field.problems()
    # Asked for alone, a table is the same.
    assert (
        model.trace(text, fields=("neighbours",))["neighbours"]
        .frame()
        .equals(trace["neighbours"].frame())
    )


def test_the_next_word_from_likeness_by_hand(model: Skipgram) -> None:
    """P(w) ~ share(w) exp(beta cos(w, m)), m from the last ten words, 0.9 a step back, rare words
    weighing more."""
    trace = model.trace("the cat, saw the dog and the cat and the hen and the fox")
    share_V = model.counts + 1.0
    share_V[1] = 0
    share_V /= share_V.sum()
    assert model.beta > 0
    for t in (0, 1, 3, 12):
        m = np.zeros(model.config.width)
        for age in range(min(10, t + 1)):
            v = model.in_VD[trace.ids[t - age]].astype(float)
            if v.any():
                m += 0.9**age * 1e-3 / (1e-3 + share_V[trace.ids[t - age]]) * v / np.linalg.norm(v)
        want = np.zeros(len(model.vocab))
        for w in range(len(model.vocab)):
            v = model.in_VD[w].astype(float)
            cosine = v @ m / np.linalg.norm(v) / np.linalg.norm(m) if v.any() and m.any() else 0.0
            want[w] = share_V[w] * np.exp(model.beta * cosine)
        assert trace.field("probability").values[t] == pytest.approx(want / want.sum(), abs=1e-5)


def test_an_edit_changes_what_follows(model: Skipgram) -> None:
    plain, changed = (
        model.trace("cat saw cat"),
        model.trace("cat saw cat", (Edit("vector", {"token": 0}, 0.5),)),
    )
    assert (changed.field("vector").values[0] == 0.5).all()
    for name in ("cosine", "nearness"):
        assert not np.allclose(plain.field(name).values[0], changed.field(name).values[0])
        assert np.allclose(
            plain.field(name).values[1:, 1:], changed.field(name).values[1:, 1:], atol=1e-6
        )
    frames = [
        t["neighbours"].frame().query("position == 0").word.tolist() for t in (plain, changed)
    ]
    assert frames[0] != frames[1]
    one = MARKS + 4
    pushed = model.trace("cat saw", (Edit("nearness", {"token": 1, "word": one}, 1.0),))[
        "neighbours"
    ].frame()
    assert pushed.query("position == 1").word.iloc[0] == model.vocab[one]


def test_nearest_leaves_out_the_words_of_the_question(model: Skipgram) -> None:
    cat = model.in_VD[model.vocab.index("cat")]
    assert model.nearest(cat, 1)[0][0] == "cat"
    assert model.nearest(cat, 1, without=("Cat",))[0][0] in set("dog fox owl hen pig".split())
    assert np.allclose(np.linalg.norm(model.vectors[MARKS:], axis=1), 1, atol=1e-5)
    assert not model.vectors[:MARKS].any()


def test_rare_words_can_be_left_out() -> None:
    model = train(Skipgram, "a b a b c\na b a b\nheld out", Config(width=2, min_count=2, epochs=1))
    assert isinstance(model, Skipgram)
    assert model.vocab[MARKS:] == ("a", "b") and model.counts[MARKS:].tolist() == [4, 4]


def test_other_tokenizers_are_refused() -> None:
    with pytest.raises(ValueError, match="words or whitespace"):
        train(Skipgram, "a b c", Config(tokenizer="chars"))
