"""Skip-gram: training that finds planted structure, neighbours by brute force.  The arithmetic:
test_word2vec.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.tap import Edit
from engine.core.trace import Field, Table
from engine.models.base import Progress, train
from engine.models.skipgram import Skipgram
from engine.models.word2vec import Config
from engine.models.wordspace import MARKS


def planted(lines: int = 3000) -> str:
    """Six animals in one kind of sentence, six tools in another: nothing else tells them apart."""
    rng = np.random.default_rng(1)
    animals, tools = "cat dog fox owl hen pig".split(), "saw axe hoe pin jig awl".split()
    rows = []
    for _ in range(lines):
        if rng.random() < 0.5:
            rows.append(
                f"the {rng.choice(animals)} eats and sleeps in a warm"
                f" {rng.choice(['barn', 'nest'])}"
            )
        else:
            rows.append(
                f"the {rng.choice(tools)} cuts or bends of some hard {rng.choice(['wood', 'tin'])}"
            )
    return "\n".join(rows)


SMALL = Config(width=16, vocabulary=100, epochs=8, sample=0.0)


@pytest.fixture(scope="module")
def model() -> Skipgram:
    found = train(Skipgram, planted(), SMALL)
    assert isinstance(found, Skipgram)
    return found


def test_finds_what_was_planted(model: Skipgram) -> None:
    table = model.trace("cat saw")["neighbours"]
    assert isinstance(table, Table)
    frame = table.frame()
    assert set(frame[(frame.position == 1) & (frame["rank"] <= 5)].word) == set(
        "dog fox owl hen pig".split()
    )
    assert set(frame[(frame.position == 2) & (frame["rank"] <= 5)].word) == set(
        "axe hoe pin jig awl".split()
    )


def last(events: Any) -> Progress:
    *_, found = events
    assert isinstance(found, Progress)
    return found


def test_training_reports_falls_and_goes_on_where_it_stopped() -> None:
    text = planted(1000)
    config = Config(width=8, vocabulary=100, steps=40, batch=256)
    events = list(Skipgram.fit(text, config, seed=3))
    assert [e.step for e in events] == list(range(1, 41)) and {e.total for e in events} == {40}
    assert {"loss_nats", "words_per_second", "rate"} <= set(events[0].metrics)
    # Before the first step every output vector is zero, so every score is: loss (1 + k) ln 2
    assert events[0].metrics["loss_nats"] == pytest.approx(6 * np.log(2), abs=1e-4)
    assert events[-1].metrics["loss_nats"] < events[0].metrics["loss_nats"]
    reports = Skipgram.fit(text, config, seed=3)
    stopped = next(e for e in reports if e.step == 20)
    assert stopped.checkpoint is not None
    rest = list(Skipgram.fit(text, config, seed=3, resume=stopped.checkpoint()))
    assert [e.step for e in rest] == list(range(stopped.step + 1, 41))
    one, two = events[-1].model, rest[-1].model
    assert one is not None and two is not None
    for name, values in one.weights().items():
        assert np.array_equal(values, two.weights()[name]), name


def test_epochs_give_the_steps() -> None:
    assert (
        last(Skipgram.fit(planted(100), Config(width=4, epochs=2, batch=100_000), seed=0)).total
        == 2 * 31
    )  # 95 lines are left to train on, 3 of them a step


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


def test_a_window_is_a_cut_of_the_whole(model: Skipgram) -> None:
    text = "the cat eats and sleeps"
    whole, part = model.trace(text), model.trace(text, window=(1, 4))
    assert part.tokens == whole.tokens[1:4] and part.offset == 1
    assert np.allclose(
        part.field("cosine").values, whole.field("cosine").values[1:4, 1:4], atol=1e-6
    )
    # counted from the window's first token, like `unknown`
    assert part["neighbours"].frame().position.max() == 2


def test_saved_is_loaded(model: Skipgram) -> None:
    again = Skipgram.from_weights(SMALL, model.weights())
    assert np.array_equal(
        again.trace("cat").field("nearness").values, model.trace("cat").field("nearness").values
    )
    assert again.vocab == model.vocab and np.array_equal(again.counts, model.counts)
    assert np.allclose(np.linalg.norm(model.vectors[MARKS:], axis=1), 1, atol=1e-5)
    assert not model.vectors[:MARKS].any()


def test_nearest_leaves_out_the_words_of_the_question(model: Skipgram) -> None:
    cat = model.in_VD[model.vocab.index("cat")]
    assert model.nearest(cat, 1)[0][0] == "cat"
    assert model.nearest(cat, 1, without=("Cat",))[0][0] in set("dog fox owl hen pig".split())


def test_rare_words_can_be_left_out() -> None:
    model = train(Skipgram, "a b a b c\na b a b\nheld out", Config(width=2, min_count=2, epochs=1))
    assert isinstance(model, Skipgram)
    assert model.vocab[MARKS:] == ("a", "b") and model.counts[MARKS:].tolist() == [4, 4]


@pytest.mark.parametrize("text", ["", "\n \n", "word"])
def test_too_little_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="nothing to learn from"):
        train(Skipgram, text, SMALL)


def test_other_tokenizers_are_refused() -> None:
    with pytest.raises(ValueError, match="words or whitespace"):
        train(Skipgram, "a b c", Config(tokenizer="chars"))


@pytest.mark.parametrize("text", ["", "zebra", "\n\n", "\N{GRINNING FACE} ", "cat"])
def test_any_text_is_borne(model: Skipgram, text: str) -> None:
    for field in model.trace(text).values():
        assert not isinstance(field, Field) or not field.problems()
