"""Looking into the text that was counted: places, copies, how thin it is spread, and how much more
of it would help."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.analysis.study import Study
from engine.lessons.sparsity import curves
from engine.ngram import sparsity
from engine.ngram.concordance import Concordance
from engine.ngram.copies import find_copies
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.ngram.suffixes import Suffixes, suffix_array
from tests.conftest import TEXT
from tests.ngram.test_oracle import CORPUS, END, ID, WORDS, counted

STREAM = WORDS.stream(CORPUS)


def ids(text: str) -> list[int]:
    return [END if w == "<s>" else ID[w] for w in text.split()]


@pytest.fixture(scope="module")
def places() -> Concordance:
    return Concordance.of(STREAM, END)


streams = st.lists(st.integers(0, 3), max_size=60)


@example([0] * 300)
@example([0, 1] * 200)
@example([3, 1, 2] * 50 + [0])
@given(streams)
def test_suffixes_are_sorted(values: list[int]) -> None:
    assert suffix_array(np.array(values, np.int64)).tolist() == sorted(
        range(len(values)), key=lambda i: values[i:]
    )


@given(streams, st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_every_place_of_a_run(values: list[int], run: list[int]) -> None:
    suffixes = Suffixes(np.array(values, np.int64))
    low, high = suffixes.find(run)
    want = [i for i in range(len(values)) if values[i : i + len(run)] == run]
    assert sorted(suffixes.start_N[low:high].tolist()) == want


def test_as_many_places_as_the_count(places: Concordance) -> None:
    counts = counted(3)
    for order, grams in enumerate(counts.orders, 1):
        paths = [(i,) for i in range(counts.size)]
        for lower in counts.orders[1:order]:
            paths = [
                (*paths[c], w)
                for c, w in zip(lower.context_G.tolist(), lower.word_G.tolist(), strict=True)
            ]
        assert [places.count(path) for path in paths] == grams.count_G.tolist()
    assert places.count((ID["cat"], END, ID["the"])) == 0  # no n-gram crosses a sentence
    with pytest.raises(ValueError, match="at least one token"):
        places.places([])


def test_lines_what_stands_around_and_pages(places: Concordance) -> None:
    page = places.page(ids("the cat"))
    assert (page.total, page.number, page.pages) == (4, 0, 1)
    assert [(r.line, r.at, WORDS.decode(r.left), WORDS.decode(r.right)) for r in page.rows] == [
        (0, 0, "", "saw a dog"),
        (1, 4, "a dog sat on", ""),
        (2, 3, "the dog saw", ""),
        (3, 0, "", "sat on the mat"),
    ]
    for row in page.rows:
        assert CORPUS[row.line].split()[row.at : row.at + 2] == ["the", "cat"]
        assert STREAM[row.place] == ID["the"]
    assert places.lines(ids("<s> the")).tolist() == [0, 2, 3]
    assert [(r.at, WORDS.decode(r.right)) for r in places.page(ids("<s> a")).rows] == [
        (-1, "dog sat on the cat")
    ]
    assert places.lines(ids("cat </s>")).tolist() == [1, 2]
    assert places.lines(ids("</s>")).tolist() == [0, 1, 2, 3]
    ends = [WORDS.decode(r.left) for r in places.page(ids("</s>"), width=2).rows]
    assert ends == ["a dog", "the cat", "the cat", "the mat"]
    found = [places.page(ids("the"), n, per_page=4) for n in (0, 1, 7, -1)]
    first, second = (0, 2, 4), (1, 2, 2)
    shown = [(p.number, p.pages, len(p.rows)) for p in found]
    assert shown == [first, second, second, first]
    none = places.page(ids("mat a"))
    assert (none.total, none.pages, none.rows) == (0, 1, ())


def test_blank_lines_are_lines() -> None:
    stream = WORDS.stream(("", "a dog", ""))
    places = Concordance.of(stream, END)
    assert places.lines([END, END]).tolist() == [0, 2]
    assert places.lines(ids("dog")).tolist() == [1]
    assert places.page([END, END]).rows[0].right == ()


def test_what_a_text_copies(places: Concordance) -> None:
    found = find_copies(places.suffixes, [*ids("the dog sat on the mat"), END])
    assert found.length_T.tolist() == [2, 5 - 1, 5, 4, 3, 2, 1]
    assert [(s.start, s.stop, s.count) for s in found.spans] == [(0, 2, 1), (1, 5, 1), (2, 7, 1)]
    assert [CORPUS[line] for line in (2, 1, 3)] == [
        CORPUS[int(np.sum(STREAM[: s.place + 1] == END)) - 1] for s in found.spans
    ]
    assert (found.share(), found.share(6), found.longest) == (1, 0, 5)
    assert found.share(5) == pytest.approx(5 / 7)
    assert found.covered(5).tolist() == [False] * 2 + [True] * 5
    new = find_copies(places.suffixes, [ID["<unk>"], ID["<unk>"]])
    assert (new.spans, new.share(), new.longest) == ((), 0, 0)
    assert find_copies(places.suffixes, []).share() == 0


@settings(max_examples=60, deadline=None)
@given(streams, st.lists(st.integers(0, 4), max_size=12))
def test_copies_are_those_of_the_definition(values: list[int], text: list[int]) -> None:
    runs = {
        tuple(values[i:j])
        for i in range(len(values))
        for j in range(i + 1, min(len(values), i + 12) + 1)
    }
    found = find_copies(Suffixes(np.array(values, np.int64)), text)
    want = [
        max((k for k in range(1, len(text) - i + 1) if tuple(text[i : i + k]) in runs), default=0)
        for i in range(len(text))
    ]
    assert found.length_T.tolist() == want
    for span in found.spans:
        run = text[span.start : span.stop]
        at = [i for i in range(len(values)) if values[i : i + len(run)] == run]
        assert (span.place, span.count) == (at[0], len(at))
    assert not any(a.start <= b.start and b.stop <= a.stop for a, b in pairwise(found.spans))


def test_sizes_of_the_four_sentences() -> None:
    rows = sparsity.table(counted(6))
    assert [r.distinct for r in rows] == [9, 17, 19, 18, 14, 10]
    assert [r.once for r in rows] == [1, 11, 16, 18, 14, 10]
    assert [r.possible for r in rows] == [9, 81, 729, 6561, 59049, 531441]
    assert [r.tokens for r in rows[:3]] == [26, 26, 22]
    assert [r.bound for r in rows[:2]] == [9, 26]
    curve = sparsity.zipf(counted(2))
    assert curve.x.tolist() == list(range(1, 10))
    assert curve.y.tolist() == [6, 4, 4, 3, 2, 2, 2, 2, 1]
    slope, level = np.polyfit(np.log(curve.x), np.log(curve.y), 1)
    assert (curve.slope, curve.level) == pytest.approx((slope, level))
    assert curve.line()[0] == pytest.approx(np.exp(level))
    grown = sparsity.growth(STREAM, END)
    assert grown.x[-1] == 22 and grown.y[:5].tolist() == [1, 2, 3, 4, 5] and grown.y[-1] == 8
    assert len(sparsity.zipf(counted(2), 2, points=5).x) == 5
    assert sparsity.growth(np.array([END, END]), END).slope == 0
    words = np.array([END, ID["a"], END])
    assert sparsity.growth(words, END).y.tolist() == [1]


def test_perplexity_against_the_order() -> None:
    study = Study.of(TEXT, 3)
    assert study.held_stream is not None
    methods = {"KN": KneserNey(), "MLE": MLE(), "stupid": StupidBackoff()}
    points = list(curves.by_order(study, methods))
    assert [(p.method, p.order) for p in points] == [(m, o) for o in (1, 2, 3) for m in methods]
    for p in points:
        assert (p.share, p.lines) == (1, len(study.lines))
        assert (p.tokens, p.events) == (len(study.stream) - 1, len(study.held_stream) - 1)
        assert p.is_probability == (p.method != "stupid")
    best = next(p for p in points if p.order == 3)
    p_T = study.smoothed(KneserNey()).probabilities(study.held_stream)
    assert best.perplexity == pytest.approx(2 ** -np.log2(p_T).mean()) and best.zeros == 0


def test_zeros_are_counted_apart() -> None:
    text = "\n".join([*CORPUS, "a cat sat on the dog"])  # the last line is held out; "a cat" is new
    mle = {p.order: p for p in curves.by_order(Study.of(text, 3), {"MLE": MLE()})}
    assert (mle[2].zeros, mle[2].events) == (1, 7)
    bits = -sum(map(math.log2, (1 / 4, 1 / 4, 1, 1, 1 / 6, 1 / 3))) / 6  # without "a cat"
    assert mle[2].perplexity == pytest.approx(2**bits)
    with pytest.raises(ValueError, match="a single line"):
        list(curves.by_order(Study.of("a b", 2), {"MLE": MLE()}))


def test_perplexity_against_the_size() -> None:
    study = Study.of(TEXT, 3)
    points = list(curves.by_size(study, {"MKN": ModifiedKneserNey()}, (0.1, 0.5, 1.0)))
    assert [p.lines for p in points] == [
        max(1, round(s * len(study.lines))) for s in (0.1, 0.5, 1.0)
    ]
    assert points[0].perplexity > points[1].perplexity
    whole = next(p for p in curves.by_order(study, {"MKN": ModifiedKneserNey()}) if p.order == 3)
    assert (
        points[-1].perplexity == whole.perplexity
    )  # all lines, in whatever order, are the same counts
    assert points[-1].tokens == whole.tokens and points[-1].zeros == whole.zeros
    assert [
        p.order for p in curves.by_size(study, {"MKN": ModifiedKneserNey()}, (1.0,), order=2)
    ] == [2]
