"""Models compared: cuts, odds, winners, disagreement, intervals and calibration, by hand, by brute
force, and against scipy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import measure
from engine.analysis.compare import calibration, examine, intervals
from engine.analysis.compare.alignment import Reading, Segments, reading, segments, words
from engine.analysis.compare.disagreement import (
    AFTER_BLANK,
    SIGNS,
    TOKENS,
    disagreement,
    entropy,
    jensen_shannon,
)
from engine.analysis.compare.nextsign import NextSign, signs, writes_blanks
from engine.analysis.compare.winners import NOBODY, winners
from engine.course.curriculum import lesson
from engine.runs.store import SHIPPED, RunStore

Trained = Callable[[str], Any]
SENTENCE = "the cat sat on a mat"


def a_reading(
    begin: int, stops: list[int], bits: list[float], unknown: list[int] | None = None
) -> Reading:
    unknown_T = np.zeros(len(stops), bool)
    unknown_T[unknown or []] = True
    return Reading(begin, np.array(stops), np.array(bits), unknown_T)


def test_two_ways_to_cut_by_hand() -> None:
    """ "The cat": characters end at 1 to 7, pieces (The, ␣c, at) at 3, 5, 7, words at 3 and 7; all
    cut at 0, 3 and 7."""
    characters = a_reading(0, [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7])
    pieces = a_reading(0, [3, 5, 7], [5, 6, 2])
    whole = a_reading(0, [3, 7], [4, 9], [1])
    found = segments([characters, pieces, whole])
    assert (
        found.start_S.tolist() == [0, 3]
        and found.stop_S.tolist() == [3, 7]
        and found.characters == 7
    )
    assert found.labels("The cat") == ("The", " cat")
    assert found.bits_SM.tolist() == [[1 + 2 + 3, 5, 4], [4 + 5 + 6 + 7, 6 + 2, 9]]
    assert found.unknown_SM.tolist() == [[False] * 3, [False, False, True]]
    assert segments([characters, pieces]).stop_S.tolist() == [3, 5, 7]
    assert segments([characters], [0, 4, 99]).bits_SM.tolist() == [[10.0]]


def test_bytes_of_one_character_count_together_and_a_window_begins_where_it_is_predicted() -> None:
    found = segments([a_reading(0, [1, 1, 1, 2], [1, 2, 4, 8]), a_reading(1, [2], [3])])
    assert found.start_S.tolist() == [1] and found.bits_SM.tolist() == [[8, 3]]
    assert segments([a_reading(0, [1, 1, 1, 2], [1, 2, 4, 8])]).bits_SM.tolist() == [[7], [8]]


@pytest.mark.parametrize(
    "readings", [[], [a_reading(0, [], [])], [a_reading(0, [2], [1]), a_reading(0, [3], [1])]]
)
def test_nothing_in_common_is_no_segment(readings: list[Reading]) -> None:
    found = segments(readings)
    assert len(found) == 0 and found.characters == 0
    assert winners(found).winner_S.tolist() == []


@pytest.mark.parametrize("ids", list(itertools.combinations(("lstm", "transformer", "ngram"), 2)))
def test_segments_hold_all_bits_of_real_models(trained: Trained, ids: tuple[str, str]) -> None:
    """Characters, pieces and words: what is between the first and the last common cut adds up to
    the whole."""
    models = [trained(id) for id in ids]
    traces = [model.trace(SENTENCE, fields=("probability",)) for model in models]
    found = segments([reading(trace) for trace in traces])
    assert found.start_S[0] == 0 and found.stop_S[-1] == len(SENTENCE)
    for m, trace in enumerate(traces):
        assert found.bits_SM[:, m].sum() == pytest.approx(np.nansum(measure.surprisal(trace)))
    at = segments([reading(trace) for trace in traces], words(SENTENCE))
    assert "".join(at.labels(SENTENCE)) == SENTENCE and at.bits_SM.sum(0) == pytest.approx(
        found.bits_SM.sum(0)
    )


def test_words_are_cut_before_blanks_and_after_line_ends() -> None:
    assert words("ab c\nd") == [0, 2, 4, 5, 6]
    assert words("") == [0] and words(" ") == [0, 1]


def of(bits: list[list[float]], unknown: list[tuple[int, int]] = ()) -> Segments:  # type: ignore[assignment]
    bits_SM = np.array(bits, float)
    unknown_SM = np.zeros(bits_SM.shape, bool)
    for place in unknown:
        unknown_SM[place] = True
    return Segments(np.arange(len(bits)), np.arange(1, len(bits) + 1), bits_SM, unknown_SM)


def test_who_saw_it_coming_by_hand() -> None:
    found = winners(
        of([[3, 5, 9], [4, 4, 6], [1, 2, 8], [math.inf, 7, 8], [2, 1, math.inf]], [(2, 0), (3, 2)])
    )
    # 3 before 5; a tie; the first does not know the word, so 2 before 8; impossible against 7; 1
    # before 2
    assert found.winner_S.tolist() == [0, NOBODY, 1, 1, 1]
    assert found.margin_S.tolist() == [2, 0, 6, math.inf, 1]
    assert found.spread_S.tolist() == [6, 2, 6, math.inf, math.inf]
    assert found.counts(3) == [1, 3, 0]


def test_nobody_wins_alone_or_where_all_say_never() -> None:
    found = winners(of([[3, 5], [math.inf, math.inf]], [(0, 1)]))
    assert found.winner_S.tolist() == [NOBODY, NOBODY] and np.isnan(found.margin_S).all()


def test_jensen_shannon_by_hand() -> None:
    """p = (1, 0), q = (1/2, 1/2): the mean is (3/4, 1/4), H = 2 - 3/4 log2 3; H(p) = 0, H(q) = 1;
    so 3/2 - 3/4 log2 3."""
    found = jensen_shannon(
        np.array([[1, 0], [1, 0], [0.5, 0.5]]), np.array([[0.5, 0.5], [0, 1], [0.5, 0.5]])
    )
    assert found == pytest.approx([1.5 - 0.75 * math.log2(3), 1.0, 0.0])
    assert entropy(np.array([[0.25] * 4]))[0] == pytest.approx(2.0)


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_jensen_shannon_is_that_of_scipy(size: int, seed: int) -> None:
    from scipy.spatial.distance import jensenshannon

    p, q = np.random.default_rng(seed).random((2, size)) ** 4 + 1e-12
    mine = jensen_shannon(p[None], q[None])[0]
    assert mine == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9) and 0 <= mine <= 1


def test_same_vocabulary_is_compared_over_tokens(trained: Trained) -> None:
    models = [trained("lstm"), trained("gru")]
    assert models[0].tokenizer.vocab == models[1].tokenizer.vocab
    traces = [model.trace(SENTENCE, fields=("probability",)) for model in models]
    found = disagreement(SENTENCE, models, traces, [0, 3, 20])
    assert found.over == TOKENS and found.pairs == ((0, 1),) and found.at == (0, 3, 20)
    for k, t in enumerate((0, 3, 20)):  # a start mark, then one token a character
        p, q = (trace.field("probability").values[t].astype(float) for trace in traces)
        middle = (p / p.sum() + q / q.sum()) / 2
        wanted = sum(
            0.5 * x * math.log2(x / m)
            for side in (p / p.sum(), q / q.sum())
            for x, m in zip(side, middle, strict=True)
            if x > 0
        )
        assert found.jsd_KP[k, 0] == pytest.approx(wanted, abs=1e-6)


def test_the_next_sign_of_pieces_by_brute_force(trained: Trained) -> None:
    """A reader of characters against one of pieces: the share of a letter is that of all pieces
    that begin with it."""
    models = [trained("lstm"), trained("transformer")]
    traces = [model.trace(SENTENCE, fields=("probability",)) for model in models]
    asked = NextSign(models)
    assert not asked.skip and set("the catsonm") <= set(asked.signs)
    found = disagreement(
        SENTENCE, models, traces, segments([reading(t) for t in traces]).stop_S.tolist()
    )
    assert found.over == SIGNS and len(found.at) > 3
    cut = found.at[0]
    rows = [max(t for t, (_, stop) in enumerate(trace.spans) if stop == cut) for trace in traces]
    q = []
    for model, trace, t in zip(models, traces, rows, strict=True):
        share = dict.fromkeys((*asked.signs, "else"), 0.0)
        for id, p in enumerate(trace.field("probability").values[t].tolist()):
            piece = "\n" if id == model.tokenizer.boundary else model.tokenizer.vocab[id]
            share[piece[0] if id != model.tokenizer.unknown and piece[0] in share else "else"] += p
        assert sum(share.values()) == pytest.approx(1, abs=1e-4)
        q.append(np.array(list(share.values())))
    assert found.jsd_KP[0, 0] == pytest.approx(jensen_shannon(q[0][None], q[1][None])[0], abs=1e-6)


def test_before_a_blank_by_brute_force(trained: Trained) -> None:
    """Characters and words: what comes after the blank is P(c) + P(blank) P(c | blank) for the one,
    P(words with c) for the other."""
    models = [trained("lstm"), trained("ngram")]
    assert writes_blanks(models[0].tokenizer) and not writes_blanks(models[1].tokenizer)
    traces = [model.trace(SENTENCE, fields=("probability",)) for model in models]
    cuts = segments([reading(t) for t in traces]).stop_S.tolist()
    found = disagreement(SENTENCE, models, traces, cuts)
    # the end of the text has no blank behind it
    assert found.over == AFTER_BLANK and found.at == (3, 7, 11, 14, 16)
    asked = NextSign(models)
    p_TV, vocab = traces[0].field("probability").values, models[0].tokenizer.vocab
    blank = vocab.index(" ")
    for k, cut in enumerate(found.at):
        letters = asked.at(0, traces[0], [cut])[0]
        assert letters.sum() == pytest.approx(1, abs=1e-4)
        for c, sign in enumerate(asked.signs):
            id = 0 if sign == "\n" else vocab.index(sign)
            assert letters[c] == pytest.approx(
                p_TV[cut, id] + p_TV[cut, blank] * p_TV[cut + 1, id], abs=1e-6
            )
        row = max(t for t, (_, stop) in enumerate(traces[1].spans) if stop == cut)
        q = asked.at(1, traces[1], [cut])[0]
        for c, sign in enumerate(asked.signs):
            wanted = sum(
                p
                for word, p in zip(
                    models[1].tokenizer.vocab,
                    traces[1].field("probability").values[row],
                    strict=True,
                )
                if (word[0] == sign and word not in ("<unk>", "<s>", "</s>"))
                or (sign == "\n" and word == "</s>")
            )
            assert q[c] == pytest.approx(wanted, abs=1e-6)
        assert found.jsd_KP[k, 0] == pytest.approx(
            jensen_shannon(letters[None], q[None])[0], abs=1e-6
        )


def test_marks_and_parts_of_characters_are_no_signs() -> None:
    class Pieces:
        vocab = ("\n", "<E2><80>", " cat", "  ", "<unk>", "<s>", "<", "<|end|>", "Dog")
        boundary, unknown = 0, 4

    assert signs(Pieces(), False, False) == ("\n", "", " ", " ", "", "", "<", "", "D")
    assert signs(Pieces(), True, True) == ("\n", "", "c", " ", "", "", "<", "", "d")


@pytest.mark.parametrize("text", ["", " ", "x", "👩‍🚀 שלום", "\n\n", "the\n the"])
def test_any_text_has_a_disagreement(trained: Trained, text: str) -> None:
    models = [trained(id) for id in ("lstm", "transformer", "ngram")]
    traces = [model.trace(text, fields=("probability",)) for model in models]
    found = segments([reading(t) for t in traces])
    said = disagreement(text, models, traces, found.stop_S.tolist())
    assert said.jsd_KP.shape == (len(said.at), 3) and np.isfinite(said.jsd_KP).all()
    assert winners(found).counts(3) is not None


def test_the_bootstrap_by_brute_force() -> None:
    """Two lines: four equally likely draws, so the ratio is 1, 3, or (twice) their sum over both;
    95 % of the draws span 1 to 3."""
    bits_LM, size_L = np.array([[10.0, 20.0], [30.0, 40.0]]), np.array([10.0, 10.0])
    found = intervals.draws(bits_LM, size_L)
    assert set(np.round(found[:, 0], 9)) == {1.0, 2.0, 3.0}
    assert np.mean(found[:, 0] == 2.0) == pytest.approx(0.5, abs=0.05)
    (a, b), pairs = intervals.intervals(bits_LM, size_L)
    assert (a.value, a.low, a.high) == (2.0, 1.0, 3.0) and b.value == 3.0 and a.half == 1.0
    # b needs 10 bits more on either line: in every draw the difference is exactly 1, however much
    # both vary
    assert pairs[0, 1] == intervals.Interval(1.0, 1.0, 1.0) and pairs[0, 1].sure


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    rng = np.random.default_rng(3)
    bits_LM = rng.normal(100, 15, (400, 1))
    (found,), _ = intervals.intervals(bits_LM, np.full(400, 50.0))
    error = bits_LM.std() / math.sqrt(400) / 50
    assert found.half == pytest.approx(1.96 * error, rel=0.1) and found.low < 2.0 < found.high


def test_what_is_impossible_or_alone_has_no_interval() -> None:
    each, pairs = intervals.intervals(np.array([[1.0, math.inf], [2.0, 3.0]]), np.array([1.0, 1.0]))
    assert (
        math.isfinite(each[0].low)
        and math.isinf(each[1].value)
        and math.isnan(each[1].low)
        and math.isnan(pairs[0, 1].low)
    )
    each, pairs = intervals.intervals(np.array([[4.0, 8.0]]), np.array([2.0]))
    assert (
        [e.value for e in each] == [2.0, 4.0] and math.isnan(each[0].low) and not pairs[0, 1].sure
    )


def test_calibration_by_hand() -> None:
    """Bin (0.5, 0.6]: 0.55 hit, 0.6 missed; bin (0.8, 0.9]: 0.9 hit; bin (0, 0.1]: 0 missed.  ECE =
    (2 |1/2 - 0.575| + |1 - 0.9| + 0) / 4."""
    bins = calibration.reliability(
        np.array([0.55, 0.9, 0.6, 0.0]), np.array([True, True, False, False])
    )
    assert [(round(b.low, 1), round(b.high, 1), b.count, b.hits) for b in bins] == [
        (0.0, 0.1, 1, 0.0),
        (0.5, 0.6, 2, 0.5),
        (0.8, 0.9, 1, 1.0),
    ]
    assert bins[1].confidence == pytest.approx(0.575)
    assert calibration.calibration_error(bins) == pytest.approx((2 * 0.075 + 0.1) / 4)
    assert math.isnan(
        calibration.calibration_error(calibration.reliability(np.zeros(0), np.zeros(0, bool)))
    )


def test_a_model_that_is_right_as_often_as_it_says_is_calibrated() -> None:
    rng = np.random.default_rng(0)
    sure = rng.random(200_000)
    assert (
        calibration.calibration_error(calibration.reliability(sure, rng.random(200_000) < sure))
        < 0.01
    )


@pytest.mark.parametrize("id", ["lstm", "transformer", "ngram"])
def test_what_is_examined_is_what_is_measured(trained: Trained, id: str) -> None:
    """The transformer sees 24 tokens: the longer line is read in steps, as engine/analysis/measure.py does
    it."""
    model, lines = (
        trained(id),
        [
            "the cat sat",
            "a zyx ran to the sea and the dog sat on the log by the old tree near the old mat",
        ],
    )
    for line, score in zip(lines, measure.scores(model, lines), strict=True):
        found = examine.examine(model, line)
        assert found.bits == pytest.approx(score.bits, rel=1e-5)
        assert (found.tokens, found.unknown, found.characters) == (
            score.tokens,
            score.oov,
            score.characters,
        )
        assert len(found.confidence_T) == len(found.hit_T) == found.tokens
    p_TV = model.trace("the cat sat\n").field("probability").values
    found = examine.examine(model, "the cat sat")
    assert found.confidence_T == pytest.approx(p_TV[:-1].max(-1)) and found.words == 4
    assert (
        found.hit_T.tolist()
        == (p_TV[:-1].argmax(-1) == model.tokens("the cat sat\n").ids[1:]).tolist()
    )


def test_bounds_are_kept_and_what_is_left_out_is_counted() -> None:
    assert examine.bounded(["a b", "", "  ", "c"], 10, 100) == (["a b", "c"], 0)
    assert examine.bounded(["x" * 1200], 10, 10_000) == (["x" * 500, "x" * 500, "x" * 200], 0)
    assert examine.bounded(["aa", "bb", "cc"], 2, 100) == (["aa", "bb"], 1)
    assert examine.bounded(["aa", "b" * 50, "cc"], 9, 20) == (["aa"], 2)
    assert examine.bounded([], 9, 20) == ([], 0)


def test_speed_and_size(trained: Trained) -> None:
    model = trained("lstm")
    seconds, tokens, characters = examine.seconds(model, ["the cat", "sat"], passes=2)
    assert seconds > 0 and tokens == characters == 12
    assert examine.parameters(model) == sum(p.numel() for p in model.net.parameters())
    counted = trained("ngram")
    assert (
        examine.parameters(counted)
        == sum(len(g.count_G) for g in counted.smoothed.counts.orders)
        > len(counted.tokenizer.vocab)
    )
    assert examine.seconds(model, []) == (0.0, 0, 0)


def test_what_the_examples_say_is_true_of_the_shipped_models() -> None:
    store = RunStore(SHIPPED)
    models = [store.load(store.find(id)) for id in ("lstm", "transformer", "ngram")]

    def of(text: str) -> tuple[Segments, tuple[str, ...]]:
        found = segments([reading(model.trace(text, fields=("probability",))) for model in models])
        return found, found.labels(text)

    tries = lesson("compare").tries
    sailed, unknown, twice, short = (t.text for t in tries)
    ahead, spelled, copied, cut = (t.look for t in tries)
    found, pieces = of(sailed)
    s = pieces.index(" sailed")
    assert (
        winners(found).winner_S[s] == 2 and f"{winners(found).margin_S[s]:.0f} bits ahead" in ahead
    )
    found, pieces = of(unknown)
    s = [pieces.index(" flurble"), pieces.index(" zyxgrobbed")]
    assert found.unknown_SM[s].tolist() == [[False, False, True]] * 2 and all(
        f"pays {bits:.0f} bits" in spelled for bits in found.bits_SM[s, 2]
    )
    assert (
        f"for {found.bits_SM[s, :2].min():.0f} bits and more" in spelled
        and not (winners(found).winner_S[s] == 2).any()
    )
    found, pieces = of(twice)
    first, second = (
        found.bits_SM[[at, at + 3], :2].sum(0) for at in (pieces.index(" Snark"), len(pieces) - 4)
    )
    assert pieces[-4::3] == pieces[1:5:3] == (" Snark", " Boojum")
    assert (
        f"{second[1]:.0f} bits instead of {first[1]:.0f}:" in copied
        and f"pays {first[0]:.0f} bits, then {second[0]:.0f}" in copied
    )
    found, pieces = of(short)
    assert pieces[-1] == " Englan" and f"pays {found.bits_SM[-1, 1]:.0f} bits" in cut
    assert (
        f"missing d: {of(short + 'd')[0].bits_SM[-1, 1]:.0f} bits" in cut
        and models[1].trace(short + "d").tokens[-1] == " England"
    ), "the whole word is one token"
