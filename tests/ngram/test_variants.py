"""What is made of n-gram counts besides smoothing: texts drawn, gaps filled, caches.

The numbers are those of the four sentences of tests/ngram/test_oracle.py, worked out in fractions.
Tokens are numbered in the order in which they are listed there, </s> last, without <unk> and <s>.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.study import Study
from engine.ngram import (
    align,
    cache,
    fill,
    generate,
    orders,
    spelling,
)
from engine.ngram.counts import Counts, count
from engine.ngram.generate import Stop
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.jelinek_mercer import JelinekMercer
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.text.tokenizers.words import never_of
from tests.conftest import together

CORPUS = (
    "the cat saw a dog",
    "a dog sat on the cat",
    "the dog saw the cat",
    "the cat sat on the mat",
)
VOCAB = ("a", "cat", "dog", "mat", "on", "sat", "saw", "the", "</s>")
ID = {w: i for i, w in enumerate(VOCAB)}
END = ID["</s>"]
KN, JM_3 = KneserNey(floor=False), JelinekMercer("0.5,0.3,0.2")


def ids(text: str) -> list[int]:
    return [ID[w] for w in text.split()]


def words(found: tuple[int, ...] | list[int]) -> str:
    return " ".join(VOCAB[i] for i in found)


STREAM = np.array([END, *(i for line in CORPUS for i in (*ids(line), END))])


def counted(order: int, stream: np.ndarray = STREAM) -> Counts:
    return Counts(list(count(stream, len(VOCAB), order, END)), END)


def model(method: Smoothing, order: int) -> Smoothed:
    return Smoothed.estimate(method, counted(order))


def row(method: Smoothing, order: int, context: str) -> np.ndarray:
    smoothed = model(method, order)
    return smoothed.distributions(smoothed.counts.places(np.array(ids(context))))[-1].astype(float)


U_1 = (0.50, 0.70, 0.10, 0.50, 0.50, 0.90, 0.50)
U_2 = (0.10, 0.50, 0.40, 0.80, 0.60, 0.20, 0.99)


@together(
    ("method", "order", "u", "want"),
    [
        (MLE(), 2, U_1, "the dog sat on the mat </s>"),
        (MLE(), 3, U_1, "the dog saw the cat </s>"),
        (KN, 2, U_1, "the dog cat the cat </s>"),
        (MLE(), 2, U_2, "a dog saw the cat sat on"),
        (MLE(), 3, U_2, "a dog sat on the cat </s>"),
        (JM_3, 3, U_2, "a dog sat on the cat </s>"),
    ],
)
def test_texts_drawn_from_given_numbers(
    method: Smoothing, order: int, u: tuple[float, ...], want: str
) -> None:
    found = generate.generate(model(method, order), u=u)
    assert words(found.ids) == want
    assert found.stop == (Stop.END if want.endswith("</s>") else Stop.LENGTH)
    assert [s.u for s in found.steps] == list(u[: len(found.steps)])


def test_the_order_of_the_vocabulary_is_the_readers() -> None:
    """The same texts from a vocabulary whose ids are in another order, with <unk> and <s>."""
    study = Study.of("\n".join(CORPUS), 3, hold_out=False)
    listed = [study.vocab.index(w) for w in VOCAB]
    smoothed = orders.at_order(MLE(), study.raw, 2, never_of(study.tokenizer))
    found = generate.generate(smoothed, [study.vocab.index("<s>")], u=U_1, vocabulary=listed)
    assert " ".join(study.vocab[i] for i in found.ids) == "the dog sat on the mat </s>"


def test_every_step_says_who_spoke() -> None:
    found = generate.generate(model(JM_3, 3), u=U_2)
    p_T = model(JM_3, 3).probabilities(np.array([END, *found.ids]))
    for step, p in zip(found.steps, p_T.tolist(), strict=True):
        assert sum(step.part) == pytest.approx(step.probability, abs=1e-6)
        assert step.probability == pytest.approx(p, abs=1e-6) and step.chance == step.probability
        assert step.part[step.order] == max(step.part)
    assert [s.matched for s in found.steps] == [2, 3, 3, 3, 3, 3, 3]
    assert found.steps[1].order == 3


def test_scores_are_shares_when_drawn() -> None:
    step = generate.draw(model(StupidBackoff(), 2), ids("the"), 0.3)
    total = row(StupidBackoff(), 2, "the").sum()
    assert step is not None and total > 1
    assert step.chance == pytest.approx(step.probability / total)
    assert sum(step.part) == pytest.approx(step.probability)


def test_nothing_can_follow_an_unseen_context() -> None:
    found = generate.generate(model(MLE(), 3), ids("a cat"))
    assert found.stop == Stop.NOTHING and found.ids == ()
    assert "never occurs" in found.stop.value


def test_temperature() -> None:
    coldest = generate.generate(model(MLE(), 2), temperature=0, u=[0.99] * 9)
    assert words(coldest.ids) == "the cat </s>"
    p_K = np.array([0.5, 0.25, 0.25])
    half, flat = generate.tempered(p_K, 0.5), generate.tempered(p_K, 1e6)
    assert half is not None and half.tolist() == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    assert flat is not None and flat.tolist() == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert generate.tempered(np.zeros(3), 1) is None
    with pytest.raises(ValueError, match="-1 was given"):
        generate.tempered(p_K, -1)


def test_a_seed_is_a_text() -> None:
    kn = model(KN, 2)
    assert generate.generate(kn, seed=3) == generate.generate(kn, seed=3)
    assert generate.generate(kn, seed=3, length=2).ids == generate.generate(kn, seed=3).ids[:2]
    drawn = Counter(generate.generate(kn, ids("the"), seed=s, length=1).ids[0] for s in range(2000))
    assert drawn[ID["cat"]] / 2000 == pytest.approx(569 / 969, abs=0.04)
    assert generate.generate(kn, length=0).stop == Stop.LENGTH


def test_orders_of_given_weights_are_in_proportion() -> None:
    for method, order, want in (
        (JM_3, 2, [0, 0.4, 0.6]),
        (JM_3, 3, [0, 0.2, 0.3, 0.5]),
        (JelinekMercer("1,0,0"), 2, [1 / 3] * 3),
    ):
        lambda_M = orders.at_order(method, counted(3), order).learned["lambda"]
        assert lambda_M.tolist() == pytest.approx(want)


def test_masked_fill() -> None:
    mle = fill.fill(model(MLE(), 2), ids("the"), ids("sat"))
    both = {VOCAB[i]: p for i, p in zip(mle.ids_K.tolist(), mle.both_K.tolist()) if p}
    assert both == pytest.approx({"cat": 3 / 4, "dog": 1 / 4})
    kn = fill.fill(model(KN, 2), ids("the"), ids("sat")).ranked()
    assert words([i for i, _ in kn])[:19] == "cat dog mat saw the"
    want = [0.726129, 0.171855, 0.046977, 0.018346, 0.013760, 0.009173, 0.009173, 0.004587]
    assert [p for _, p in kn] == pytest.approx(want, abs=1e-6)


def test_a_gap_reads_as_far_as_the_model_sees() -> None:
    trigram = model(KN, 3)
    found = fill.fill(trigram, [], ids("saw the cat"))
    for id, left, right in zip(found.ids_K.tolist(), found.left_K, found.right_K, strict=True):
        p_T = trigram.probabilities(np.array([END, id, *ids("saw the")]))
        assert left == pytest.approx(p_T[0]) and right == pytest.approx(p_T[1] * p_T[2])
    far, near = (fill.fill(trigram, ids("the"), after) for after in ([END, *ids("the")], [END]))
    assert far.right_K == pytest.approx(near.right_K)
    nothing = fill.fill(model(MLE(), 2), ids("on"), ids("on"))
    assert nothing.both_K.sum() == 0
    assert fill.fill(trigram, ids("the"), candidates=[]).ranked() == []


@together(
    ("method", "context", "cat", "sat"),
    [
        (KN, "the", 0.945183, 0.054817),
        (KN, "cat", 0.140426, 0.859574),
        (MLE(), "the", 1, 0),
        (MLE(), "cat", 0, 1),
    ],
)
def test_spelling(method: Smoothing, context: str, cat: float, sat: float) -> None:
    meant = spelling.candidates("xat", VOCAB)
    assert [VOCAB[i] for i in meant] == ["cat", "mat", "sat"]
    pair = [ID["cat"], ID["sat"]]
    found = spelling.correct(model(method, 2), ids(context), pair)
    assert found.both_K.tolist() == pytest.approx([cat, sat], abs=1e-6)
    sure = spelling.correct(model(method, 2), ids(context), pair, channel_K=np.array([1.0, 0.0]))
    assert sure.both_K.tolist() == ([1, 0] if cat else [0, 0])


@given(st.text("ab", max_size=4), st.text("ab", max_size=4))
def test_one_edit_is_one_edit(a: str, b: str) -> None:
    edits = {a} | {a[:i] + a[i + 1 :] for i in range(len(a))}
    edits |= {a[:i] + c + a[i + k :] for i in range(len(a) + 1) for c in "ab" for k in (0, 1)}
    edits |= {a[:i] + a[i + 1] + a[i] + a[i + 2 :] for i in range(len(a) - 1)}
    assert spelling.is_one_edit(a, b) == (b in edits)


def test_cache() -> None:
    p_V = cache.with_cache(row(KN, 2, "the"), ids("dog saw dog"), 0.1)
    assert p_V[[ID["dog"], ID["cat"]]].tolist() == pytest.approx([0.160475, 0.528483], abs=1e-6)
    assert p_V.sum() == pytest.approx(1)
    own_V = cache.cache_distribution(ids("dog saw dog"), 9, 0.5)
    assert own_V[[ID["dog"], ID["saw"]]].tolist() == pytest.approx([5 / 7, 2 / 7])
    assert (cache.with_cache(p_V, [], 0.5) == p_V).all()
    with pytest.raises(ValueError, match="the weight is 0 to 1"):
        cache.with_cache(p_V, [1], 1.5)


def test_vocabularies_that_differ() -> None:
    source, target = ("<unk>", "cat", "dog", "bird"), ("<unk>", "<s>", "dog", "cat", "fish")
    p = np.array([[0.2, 0.5, 0.2, 0.1]])
    found = align.align(p, source, target, never=1)
    # <unk>: its half, and "bird"
    assert found[0].tolist() == pytest.approx([0.1 + 0.1, 0, 0.2, 0.5, 0.1])
    assert align.align(p, source, source) == pytest.approx(p)
    bare = align.align(p, source, ("cat", "dog"))
    assert bare[0].tolist() == pytest.approx([0.5 / 0.7, 0.2 / 0.7])
    assert align.align(p[:, 1:] / 0.8, source[1:], target)[0].sum() == pytest.approx(1)
