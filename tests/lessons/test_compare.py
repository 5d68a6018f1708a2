"""Models compared: cuts, odds, intervals and calibration by hand and by brute force, and what the page says of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from engine.analysis import calibration, measure
from engine.course.curriculum import lesson
from engine.frame import Note, Problem
from engine.frame.blocks import Link, Rows, blocks_in
from engine.frame.part import Part
from engine.lessons.compare import claims, counted, examine, intervals, parts
from engine.lessons.compare.alignment import Reading, Segments, odds, reading, segments, words
from engine.lessons.compare.shown import TWO_TEXTS
from engine.models.base import train
from engine.models.ngram import Config, Ngram
from engine.runs.store import SHIPPED, Run, RunStore
from engine.text import collection
from tests.conftest import shipped
from tests.lessons.blocks import said, tables

SENTENCE = "the cat sat on a mat"


def a_reading(begin: int, stops: Any, bits: Any, unknown: Any = None) -> Reading:
    unknown_T = np.zeros(len(stops), bool)
    unknown_T[unknown or []] = True
    return Reading(begin, np.array(stops), np.array(bits), unknown_T)


def test_two_ways_to_cut_by_hand() -> None:
    """Of "The cat" letters end at 1 to 7, pieces (The, ␣c, at) at 3, 5, 7, words at 3 and 7; all cut at 0, 3 and 7."""
    characters = a_reading(0, [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7])
    pieces = a_reading(0, [3, 5, 7], [5, 6, 2])
    whole = a_reading(0, [3, 7], [4, 9], [1])
    found = segments([characters, pieces, whole])
    assert found.start_S.tolist() == [0, 3] and found.stop_S.tolist() == [3, 7]
    assert found.labels("The cat") == ("The", " cat")
    assert found.bits_SM.tolist() == [[1 + 2 + 3, 5, 4], [4 + 5 + 6 + 7, 6 + 2, 9]]
    assert found.unknown_SM.tolist() == [[False] * 3, [False, False, True]]
    assert segments([characters, pieces]).stop_S.tolist() == [3, 5, 7]
    assert segments([characters], [0, 4, 99]).bits_SM.tolist() == [[10.0]]
    one, other = a_reading(0, [2], [1]), a_reading(0, [3], [1])
    for nothing in ([], [a_reading(0, [], [])], [one, other]):
        assert len(segments(nothing)) == 0


def test_bytes_of_a_character_and_where_words_are_cut() -> None:
    found = segments([a_reading(0, [1, 1, 1, 2], [1, 2, 4, 8]), a_reading(1, [2], [3])])
    assert found.start_S.tolist() == [1] and found.bits_SM.tolist() == [[8, 3]]
    assert segments([a_reading(0, [1, 1, 1, 2], [1, 2, 4, 8])]).bits_SM.tolist() == [[7], [8]]
    assert words("ab c\nd") == [0, 2, 4, 5, 6]
    assert words("") == [0] and words(" ") == [0, 1]


def test_segments_hold_all_bits_of_real_models(trained: Any) -> None:
    """Characters, pieces and words: what is between the first and the last common cut adds up to the whole."""
    for ids in itertools.combinations(("lstm", "transformer", "ngram"), 2):
        traces = [trained(id).trace(SENTENCE, fields=("probability",)) for id in ids]
        found = segments([reading(trace) for trace in traces])
        assert found.start_S[0] == 0 and found.stop_S[-1] == len(SENTENCE)
        for m, trace in enumerate(traces):
            assert found.bits_SM[:, m].sum() == pytest.approx(np.nansum(measure.surprisal(trace)))
        at = segments([reading(trace) for trace in traces], words(SENTENCE))
        assert "".join(at.labels(SENTENCE)) == SENTENCE
        assert at.bits_SM.sum(0) == pytest.approx(found.bits_SM.sum(0))


def test_the_bootstrap_by_brute_force() -> None:
    """Two lines, four equally likely draws: the ratio is 1, 3, or (twice) their sum over both; 95 % span 1 to 3."""
    bits_LM, size_L = np.array([[10.0, 20.0], [30.0, 40.0]]), np.array([10.0, 10.0])
    found = intervals.draws(bits_LM, size_L)
    assert set(np.round(found[:, 0], 9)) == {1.0, 2.0, 3.0}
    assert np.mean(found[:, 0] == 2.0) == pytest.approx(0.5, abs=0.05)
    (a, b), pairs = intervals.intervals(bits_LM, size_L)
    assert (a.value, a.low, a.high) == (2.0, 1.0, 3.0) and b.value == 3.0 and a.half == 1.0
    # b needs 10 bits more on either line: in every draw the difference is exactly 1, however much
    # both vary
    assert pairs[0, 1] == intervals.Interval(1.0, 1.0, 1.0) and pairs[0, 1].sure


def test_what_is_impossible_or_alone_has_no_interval() -> None:
    each, pairs = intervals.intervals(np.array([[1.0, math.inf], [2.0, 3.0]]), np.array([1.0, 1.0]))
    assert math.isfinite(each[0].low)
    assert math.isinf(each[1].value)
    assert math.isnan(each[1].low)
    assert math.isnan(pairs[0, 1].low)
    each, pairs = intervals.intervals(np.array([[4.0, 8.0]]), np.array([2.0]))
    assert [e.value for e in each] == [2.0, 4.0]
    assert math.isnan(each[0].low) and not pairs[0, 1].sure


def test_calibration_by_hand() -> None:
    """0.55 hit, 0.6 missed; 0.9 hit; 0 missed: ECE = (2 |1/2 - 0.575| + |1 - 0.9| + 0) / 4."""
    p_N, hit_N = np.array([0.55, 0.9, 0.6, 0.0]), np.array([True, True, False, False])
    bins = calibration.reliability(p_N, hit_N)
    found = [(round(b.low, 1), round(b.high, 1), b.count, b.hits) for b in bins]
    assert found == [(0.0, 0.1, 1, 0.0), (0.5, 0.6, 2, 0.5), (0.8, 0.9, 1, 1.0)]
    assert bins[1].confidence == pytest.approx(0.575)
    assert calibration.calibration_error(bins) == pytest.approx((2 * 0.075 + 0.1) / 4)
    none = calibration.reliability(np.zeros(0), np.zeros(0, bool))
    assert math.isnan(calibration.calibration_error(none))


def test_what_is_examined_is_what_is_measured(trained: Any) -> None:
    """The transformer sees 24 tokens: the longer line is read in steps, as engine/analysis/measure.py does it."""
    long = "a zyx ran to the sea and the dog sat on the log by the old tree near the old mat"
    for model in map(trained, ("lstm", "transformer", "ngram")):
        for line in ("the cat sat", long):
            (score,), found = measure.scores(model, [line]), examine.examine(model, line)
            assert found.bits == pytest.approx(score.bits, rel=1e-5)
            counts = score.tokens, score.oov, score.characters
            assert (found.tokens, found.unknown, found.characters) == counts
            assert len(found.confidence_T) == len(found.hit_T) == found.tokens
        p_TV = model.trace("the cat sat\n").field("probability").values[:-1]
        found = examine.examine(model, "the cat sat")
        assert found.confidence_T == pytest.approx(p_TV.max(-1)) and found.words == 4
        hits_T = p_TV.argmax(-1) == model.tokens("the cat sat\n").ids[1:]
        assert found.hit_T.tolist() == hits_T.tolist()


def test_bounds_are_kept_and_a_damaged_text_is_a_sentence() -> None:
    assert examine.cut_lines(["a b", "", "  ", "c"], 10, 100) == (["a b", "c"], 0)
    assert examine.cut_lines(["x" * 1200], 10, 10_000) == (["x" * 500, "x" * 500, "x" * 200], 0)
    assert examine.cut_lines(["aa", "bb", "cc"], 2, 100) == (["aa", "bb"], 1)
    assert examine.cut_lines(["aa", "b" * 50, "cc"], 9, 20) == (["aa"], 2)
    assert examine.cut_lines([], 9, 20) == ([], 0)
    stored = collection.Library().add("the ship came home\n" * 40, "A ship", source=("ship.txt",))
    (stored.folder / "text.txt").write_text("gone", encoding="utf-8")
    found = [run for run in counted.runs() if run.note["text"] == stored.id]
    with pytest.raises(ValueError, match="is damaged"):
        counted.models_of(found[:1])
    collection.Library().delete(stored.id)


def test_an_example_of_a_word_that_is_cut_short() -> None:
    """The others are those of the first minute: tests/lessons/test_first_minute.py."""
    short, model = lesson("compare").tries[3], shipped("transformer")

    def last(text: str) -> tuple[str, float]:
        trace = model.trace(text, fields=("probability",))
        found = segments([reading(trace)], words(text))
        return found.labels(text)[-1], float(found.bits_SM[-1, 0])

    word, cost = last(short.text)
    whole, less = last(f"{short.text}d")
    assert (word, whole) == (" Englan", " England")
    assert f"pays {cost:.0f} bits" in short.look and f"missing d: {less:.0f} bits" in short.look
    assert model.trace(f"{short.text}d").tokens[-1] == " England", "the whole word is one token"


def test_odds_by_hand() -> None:
    """1/4 to 1/32 is 3 bits for A; unknown to one is left out; never for A is infinitely for B."""
    unknown = np.array([[False, False], [False, True], [False, False]])
    bits_SM = np.array([[2.0, 5.0], [1.0, 9.0], [math.inf, 2.0]])
    found = Segments(np.arange(3), np.arange(1, 4), bits_SM, unknown)
    assert odds(found)[0] == 3.0 and math.isnan(odds(found)[1]) and odds(found)[2] == -math.inf


def test_odds_add_up_to_the_two_texts() -> None:
    text = "the old sand is in the island"  # no letter that one of them never saw
    lines = ("the ship sails on the sea\nthe sea is deep and the ship is old\n",)
    lines += ("the tree stands in the wood\nthe wood is dark and the tree is old\n",)
    config = Config(order=3, tokenizer="chars")
    config, fields = Config(order=3, tokenizer="chars"), ("probability",)
    traces = [train(Ngram, line * 10, config).trace(text, fields=fields) for line in lines]
    found = odds(segments([reading(trace) for trace in traces]))
    of = [t.field("probability").values[np.arange(len(text)), t.ids[1:]] for t in traces]
    p = [math.prod(p_T.astype(float)) for p_T in of]
    assert found.sum() == pytest.approx(math.log2(p[0] / p[1]), rel=1e-5)


def runs(*ids: str) -> dict[str, Run]:
    known = {run.id: run for run in [*RunStore(SHIPPED).all(None), *counted.runs()]}
    return {f"m{n}": known[id] for n, id in enumerate(ids)}


def pressed(part: Part, **given: Any) -> dict[str, Any]:
    held = {**given, **part.values(given)}
    return {**given, "measure": part.controls["measure"].pressed(held)}


def test_lines_are_measured_as_engine_measure_does() -> None:
    text = "the cat sat on the mat\na dog ran to the sea\n\nthe old bird sang"
    shown = runs("lstm", "ngram")
    blocks = parts.lines.blocks(**pressed(parts.lines, shown=shown, lines_of="own", own=text))
    (first,) = tables(blocks)
    store = RunStore(SHIPPED)
    for row, run in zip(first, shown.values(), strict=True):
        model = store.load(run)
        score = measure.score(model, text)
        assert (row["tokens"], row["not known"]) == (score.tokens, score.oov)
        assert row["bits per character"] == pytest.approx(score.bits_per_char, rel=1e-4)
        assert row["perplexity per token"] == pytest.approx(score.perplexity, rel=1e-4)
        assert row["parameters"] == examine.parameters(model) and row["characters per second"] > 0
    words_ = said(blocks)
    assert words_.count("is better than") + words_.count("differ by") == 1
    assert "Expected calibration error: LSTM" in words_
    (*_, problem) = parts.lines.blocks(**pressed(parts.lines, shown=shown, lines_of="own"))
    assert problem == Problem("There is no line to measure. Paste a text first.")
    read = runs("lstm_repeats", "ngram")  # trained on this text, split as here
    blocks = parts.lines.blocks(**pressed(parts.lines, shown=read, lines_of="repeats", most=20))
    assert any("but not on these lines" in str(b.words) for b in blocks if isinstance(b, Note))


def test_what_is_said_of_the_two_texts_is_true() -> None:
    a, b = counted.models_of(runs(*TWO_TEXTS).values())

    def of(text: str) -> dict[str, float]:
        traces = [model.trace(text, fields=("probability",)) for model in (a, b)]
        found = segments([reading(trace) for trace in traces], words(text))
        return dict(zip(found.labels(text), odds(found).tolist(), strict=True))

    half = of(lesson("compare").tries[-1].text)
    assert half[" silver"] > 10 and half[" function"] < -10 and abs(sum(half.values())) < 3
    assert of("The name of the key is a string.")[" key"] < -3


def test_each_claim_names_a_page_and_they_all_stand_in_the_table() -> None:
    for of, each in claims.CLAIMS.items():
        blocks = [*blocks_in(parts.for_and_against.blocks(of=of))]
        (rows,) = (b.rows for b in blocks if isinstance(b, Rows))
        assert [row["what is said"] for row in rows] == [said for _side, said, _seen, _id in each]
        linked = {b.lesson for b in blocks if isinstance(b, Link)}
        assert linked == {id for *_said, id in each} - {"compare"}
        assert all(lesson(id).title for id in linked)
    counts = {of: [side for side, *_rest in each] for of, each in claims.CLAIMS.items()}
    assert [counts["counts"].count(side) for side in (claims.FOR, claims.AGAINST)] == [5, 6]
    assert [counts["models"].count(side) for side in (claims.FOR, claims.AGAINST)] == [5, 6]
