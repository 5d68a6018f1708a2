"""Evaluation: what is counted, what is unknown or impossible, and that no number is infinite."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.study import Study
from engine.ngram.counts import Counts, count
from engine.ngram.evaluate import Evaluation, Measure, evaluate
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.add_k import AddK
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.text.tokenizers.words import START
from tests.conftest import together

CORPUS = "the cat saw a dog\na dog sat on the cat\nthe dog saw the cat\nthe cat sat on the mat"
STUDY = Study.of(CORPUS, 3, hold_out=False)
UNKNOWN, BEGIN, END = 0, STUDY.vocab.index(START), STUDY.tokenizer.boundary


def evaluated(method: Smoothing, text: str, study: Study = STUDY) -> Evaluation:
    tokens = study.tokens(text)
    return evaluate(study.smoothed(method), tokens.ids, tokens.labels, UNKNOWN)


def test_four_ways_to_count() -> None:
    """The numbers of "the bird sat": log10 P of order 3 is -4.500366 with </s>."""
    found = evaluated(ModifiedKneserNey(), "the bird sat\n")
    assert -found.whole.bits * math.log10(2) == pytest.approx(-4.500366, abs=1e-6)
    ways = (found.whole, found.without_ends, found.without_unknown, found.without_both)
    assert [way.tokens for way in ways] == [4, 3, 3, 2]
    bits_T = found.bits_T
    assert math.isnan(bits_T[0]) and len(bits_T) == 5
    assert found.without_both.bits == pytest.approx(bits_T[1] + bits_T[3])
    known = 2 ** ((bits_T[1] + bits_T[3] + bits_T[4]) / 3)
    assert found.without_unknown.perplexity == pytest.approx(known)
    assert found.without_ends.cross_entropy() == pytest.approx(np.nanmean(bits_T[:4]))
    assert found.sentence_S.tolist() == pytest.approx([found.whole.bits])


def test_unknown_words_one_by_one() -> None:
    found = evaluated(ModifiedKneserNey(), "the bird sat\nthe cat saw a zebra bird\n")
    first, second, third = found.unknown()
    assert [(e.word, e.position, e.sentence, e.context) for e in (first, second, third)] == [
        ("bird", 2, 0, ("<s>", "the")),
        ("zebra", 9, 1, ("saw", "a")),
        ("bird", 10, 1, ("a", "zebra")),
    ]
    assert first.probability == pytest.approx(2 ** -(first.bits or 0))
    assert first.bits == pytest.approx(found.bits_T[2])
    assert "has no counts; it gets a share" in first.says
    assert found.unknown(1) == [first]
    without = evaluated(KneserNey(floor=False), "the bird sat\n")
    assert "keeps nothing" in without.unknown()[0].says and without.unknown()[0].bits is None


def test_an_unknown_token_that_was_counted() -> None:
    study = Study.of(CORPUS, 2, vocabulary=6, hold_out=False)
    found = evaluated(ModifiedKneserNey(), "the bird\n", study)
    assert "which has counts; the longest known n-gram has length 2" in found.unknown()[0].says


def test_what_is_impossible_and_why() -> None:
    found = evaluated(MLE(), "the cat saw the mat\nthe bird\na cat\n")
    whole = found.whole
    assert (whole.tokens, whole.impossible) == (12, 6)
    assert whole.cross_entropy() is None and whole.perplexity is None
    after, never = "This token never follows this context.", "This context never occurs."
    assert [(" ".join(e.context), e.word, e.says) for e in found.impossible()] == [
        ("cat saw", "the", after),
        ("saw the", "mat", after),
        ("<s> the", "bird", "This token was never counted."),
        ("the bird", "</s>", never),
        ("<s> a", "cat", after),
        ("a cat", "</s>", never),
    ]
    assert whole.rest_perplexity == pytest.approx(2 ** (whole.bits / 6))
    assert np.isnan(found.sentence_S).all()


@together(
    "method,text",
    product(
        (MLE(), KneserNey(floor=False), AddK(0.5), StupidBackoff()),
        ("", "\n", "zebra", "the cat\n\nzebra the\n", "mat mat mat"),
    ),
)
def test_json_without_infinity(method: Smoothing, text: str) -> None:
    found = evaluated(method, text)
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert told["is_probability"] == (not isinstance(method, StupidBackoff))
    assert told["whole"]["tokens"] == found.whole.tokens == len(found.labels) - 1
    assert told["whole"]["impossible"] == len(told["impossible"]) == int(found.impossible_T.sum())
    assert [e["word"] for e in told["unknown"]] == [w for w in text.split() if w == "zebra"]
    assert len(told["surprisal"]) == len(found.labels) and told["surprisal"][0] is None
    assert told["sentences"] == len(found.sentence_S)
    assert len(found.as_dict(1)["impossible"]) <= 1


def test_the_smallest_numbers() -> None:
    assert Measure(0, 0, 0.0).perplexity is None
    assert Measure(1, 0, 2000.0).perplexity is None
    assert Measure(1, 0, 2000.0).cross_entropy() == 2000
    assert Measure(2, 2, 0.0).rest_perplexity is None
    assert Measure(4, 0, 8.0).cross_entropy(4) == pytest.approx(1)


def test_sentences_and_streams_are_the_same() -> None:
    lines = ["the cat sat", "a bird", "on the mat"]
    model, tokenizer = STUDY.smoothed(ModifiedKneserNey()), STUDY.tokenizer
    stream = evaluate(model, tokenizer.stream(lines), unknown=UNKNOWN)
    apart = evaluate(model, tokenizer.ids(lines), unknown=UNKNOWN)
    typed = evaluated(ModifiedKneserNey(), "".join(f"{line}\n" for line in lines))
    for other in (apart, typed):
        assert stream.bits_T.tolist() == pytest.approx(other.bits_T.tolist(), nan_ok=True)
        assert stream.whole == other.whole and stream.without_unknown == other.without_unknown
    assert stream.unknown()[0].word == str(UNKNOWN)  # no labels were given
    assert evaluate(model, []).whole.tokens == 0
    with pytest.raises(ValueError, match="a label per token: 13 tokens and 1 labels"):
        evaluate(model, tokenizer.stream(["the cat sat on the mat", "a dog", "cat"]), ["the"])


LINES = st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=1, max_size=6)


@settings(max_examples=80, deadline=None)
@given(
    LINES,
    st.lists(st.lists(st.integers(1, 5), max_size=6), min_size=1, max_size=4),
    st.integers(1, 4),
)
def test_equal_to_one_token_at_a_time(
    lines: list[list[int]], texts: list[list[int]], order: int
) -> None:
    stream = np.array([0, *(i for line in lines for i in (*line, 0))])
    model = Smoothed.estimate(MLE(), Counts(list(count(stream, 6, order, 0)), 0))
    found = evaluate(model, [np.array(text, np.int64) for text in texts], unknown=5)
    want: list[tuple[int, int, tuple[int, ...], float]] = []
    for s, text in enumerate(texts):
        for i, word in enumerate([*text, 0]):
            before = [0, *text[:i]]
            p = model.distributions(model.counts.places(np.array(before)))[-1, word]
            want.append((s, word, tuple(before[::-1][: order - 1][::-1]), float(p)))
    assert found.p_T[1:].tolist() == pytest.approx([p for *_, p in want], abs=1e-6)
    zeros = [(s, str(w), tuple(map(str, h))) for s, w, h, p in want if p == 0]
    assert [(e.sentence, e.word, e.context) for e in found.impossible()] == zeros
    rest = [-math.log2(p) for *_, p in want if p > 0]
    assert found.whole == Measure(len(want), len(zeros), pytest.approx(sum(rest), abs=1e-5))
    assert found.without_unknown.tokens == sum(w != 5 for _, w, *_ in want)
    assert found.without_ends.tokens == len(want) - len(texts)
    assert len(found.unknown()) == sum(w == 5 for _, w, *_ in want)
    for event in found.impossible():
        if "token was never counted" in event.says:
            assert int(event.word) not in stream[1:]
        run = [int(i) for i in event.context]
        seen = any(stream[i : i + len(run)].tolist() == run for i in range(len(stream) - len(run)))
        assert seen or "never follows" not in event.says
