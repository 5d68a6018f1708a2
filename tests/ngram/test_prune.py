"""Pruning and quantisation against the table of the four sentences (T15, T16) and against brute
force.

Base model of the table: bigrams, 1/2 taken from every count, back-off; c(the) = 6 and so on as in
test_ngram_oracle.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis.study import Study
from engine.models.base import train
from engine.models.ngram import METHODS, Config, Ngram, method_of
from engine.ngram.backoff import backed_off, listed, shorten, size_bytes, spelled
from engine.ngram.counts import Counts, count
from engine.ngram.prune import curve, divergence, histories, prune, thin
from engine.ngram.quantise import codebook, quantise, snapped
from engine.ngram.quantise import perplexity as quantise_perplexity
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.discounted_backoff import DiscountedBackoff
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey, discounts
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.text.corpora.stories import CORPUS as STORIES
from tests.conftest import diagonal, together
from tests.ngram.test_oracle import CORPUS, END, ID, START, WORDS, counted

HALF = DiscountedBackoff(discount=0.5, floor=False)
X1 = WORDS.stream(["the cat saw the dog"])
PROBABILITIES = [name for name in METHODS if name not in ("stupid-backoff", "mle")]

#  bigram       D in nats, change of the perplexity in %, p before, p after, gamma after
TABLE = """
saw the         0.001002  0.1003  1/4   3/16  13/16
dog </s>        0.001104  0.1105  1/6   4/33  26/33
the dog         0.003058  0.3063  1/12  1/21  26/63
dog sat         0.007102  0.7128  1/6   1/15  13/15
dog saw         0.007102  0.7128  1/6   1/15  13/15
cat sat         0.007102  0.7128  1/8   1/20  13/20
cat saw         0.007102  0.7128  1/8   1/20  13/20
saw a           0.011611  1.1679  1/4   3/40  39/40
<s> a           0.011611  1.1679  1/8   3/80  39/80
mat </s>        0.012549  1.2628  1/2   2/13  1
the mat         0.016487  1.6623  1/12  1/57  26/57
cat </s>        0.029949  3.0402  3/8   3/22  39/44
on the          0.046385  4.7478  3/4   3/13  1
<s> the         0.063826  6.5907  5/8   7/32  91/96
a dog           0.083687  8.7288  3/4   3/26  1
sat on          0.106261  11.2112 3/4   1/13  1
the cat         0.123589  13.1550 7/12  5/33  65/66
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def base(minimum: tuple[int, ...] = ()) -> Smoothed:
    return Smoothed.estimate(HALF, counted(2), START, minimum)


def bigrams(model: Smoothed) -> list[str]:
    ids_K2 = spelled(model.counts, 2, np.arange(len(model.counts.orders[1]))).tolist()
    return [f"{'<s>' if a == END else WORDS.vocab[a]} {WORDS.vocab[b]}" for a, b in ids_K2]


def perplexity(model: Smoothed, stream_N: np.ndarray) -> float:
    return float(2 ** -np.log2(model.probabilities(stream_N)).mean())


def only_without(model: Smoothed, bigram: str) -> Smoothed:
    """The model without one bigram."""
    kept_G = np.array([text != bigram for text in bigrams(model)])
    counts = model.counts.keep([np.ones(len(ID), bool), kept_G])
    p_V, p_G = listed(model)[0], listed(model)[1][kept_G]
    lower_G = p_V[counts.suffix(2)]
    rest_P = 1 - np.bincount(counts.orders[1].context_G, p_G, len(ID))
    free_P = 1 - np.bincount(counts.orders[1].context_G, lower_G, len(ID))
    gamma_P = np.divide(rest_P, free_P, out=np.zeros(len(ID)), where=free_P > 1e-6)
    kept = [(p_V, np.zeros(1)), (p_G, gamma_P)]
    return Smoothed(backed_off(model).method, counts, {}, START, kept)


def rows(model: Smoothed) -> np.ndarray:
    """(contexts, V) in double precision, of a bigram model in back-off form."""
    p_V, p_G = (alpha_G.astype(np.float64) for alpha_G in model.alpha)
    out = model.gamma[1][:, None] * p_V
    grams = model.counts.orders[1]
    out[grams.context_G, grams.word_G] = p_G
    return out


def test_count_cut_offs() -> None:
    stream_N = WORDS.stream(CORPUS)
    for least, many, x1, own in (
        (1, 17, 4.299794, 2.857970),
        (2, 6, 5.368183, 3.995158),
        (3, 2, 5.103864, 6.297424),
    ):
        model = base((1, least))
        assert len(model.counts.orders[1]) == many
        assert perplexity(model, X1) == pytest.approx(x1, abs=2e-6)
        assert perplexity(model, stream_N) == pytest.approx(own, abs=2e-6)
    twice = base((1, 2))
    assert twice.gamma[1][ID["the"]] == pytest.approx(65 / 132)
    assert twice.probabilities(WORDS.stream(["the dog"]))[1] == pytest.approx(5 / 88)


def test_each_row_of_the_table() -> None:
    model = base()
    p, first_P = listed(model), model.counts.orders[1].first_P
    less, often = shorten(model, 2, p[0]), histories(model, p)[1]
    found = divergence(p[1], less, first_P, model.gamma[1], often)
    assert len(ROWS) == 17 == len(bigrams(model))
    for context, word, nats, percent, before, after, gamma in ROWS:
        text, at = f"{context} {word}", END if context == "<s>" else ID[context]
        place, pruned = bigrams(model).index(text), only_without(model, text)
        assert found[place] == pytest.approx(float(nats), abs=5.01e-7)
        assert 100 * np.expm1(found[place]) == pytest.approx(float(percent), abs=5.01e-5)
        assert rows(model)[at, ID[word]] == pytest.approx(float(F(before)))
        assert rows(pruned)[at, ID[word]] == pytest.approx(float(F(after)))
        assert pruned.gamma[1][at] == pytest.approx(float(F(gamma)))


def test_the_formula_is_the_relative_entropy() -> None:
    """sum_w p(h) p(w|h) ln p(w|h) / p'(w|h) over all tokens, with and without each bigram, in double precision."""
    raw = counted(2)
    grams, p_V, often_P = raw.orders[1], raw.orders[0].count_G / 26, raw.orders[1].total_P / 26
    context_G, lower_G = grams.context_G, p_V[grams.word_G]
    p_G = (grams.count_G - 0.5) / grams.total_P[context_G]

    def table(listed_G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(gamma of each context, all conditional probabilities) with these bigrams only."""
        rest_P, free_P = (
            1 - np.bincount(context_G[listed_G], x[listed_G], len(p_V)) for x in (p_G, lower_G)
        )
        p_PV = (rest_P / free_P)[:, None] * p_V
        p_PV[context_G[listed_G], grams.word_G[listed_G]] = p_G[listed_G]
        return rest_P / free_P, p_PV

    everything = np.ones(len(grams), bool)
    gamma_P, whole_PV = table(everything)
    found, some = divergence(p_G, lower_G, grams.first_P, gamma_P, often_P), whole_PV > 0
    for place in range(len(grams)):
        _, once_PV = table(everything & (np.arange(len(grams)) != place))
        log_PV = np.log(np.divide(whole_PV, once_PV, out=np.ones_like(whole_PV), where=some))
        nats = (often_P[:, None] * whole_PV * log_PV).sum()
        assert found[place] == pytest.approx(nats, abs=1e-12)


@together(
    ("threshold", "left", "x1", "own", "joint"),
    [
        (0.005, 14, 5.221888, 2.989028, 0.005165),
        (0.01, 10, 5.723230, 3.339781, 0.028995),
        (0.02, 6, 5.368183, 3.995158, 0.078748),
        (0.05, 4, 5.103864, 4.576715, 0.147406),
        (0.1, 2, 6.025820, 5.767822, 0.285444),
    ],
)
def test_thresholds(threshold: float, left: int, x1: float, own: float, joint: float) -> None:
    model, stream_N = base(), WORDS.stream(CORPUS)
    pruned = prune(model, threshold)
    assert len(pruned.counts.orders[1]) == left
    assert perplexity(pruned, X1) == pytest.approx(x1, abs=2e-6)
    assert perplexity(pruned, stream_N) == pytest.approx(own, abs=2e-6)
    whole, now, often_V = rows(model), rows(pruned), counted(2).orders[1].total_P / 26
    ratio = np.divide(whole, now, out=np.ones_like(whole), where=whole > 0)
    assert (often_V * (whole * np.log(ratio)).sum(1)).sum() == pytest.approx(joint, abs=1e-6)
    if left == 6:
        assert bigrams(pruned) == bigrams(base((1, 2)))
    # the table's p(h) = c(h) / 26 is the model's own
    assert bigrams(prune(model, threshold, counted(2))) == bigrams(pruned)


def every(model: Smoothed) -> list[list[int]]:
    """Its n-grams of all orders."""
    sizes = enumerate(map(len, model.counts.orders), 1)
    return [ids for m, size in sizes for ids in spelled(model.counts, m, np.arange(size)).tolist()]


lines = st.lists(st.lists(st.integers(3, 6), max_size=7), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(
    lines,
    st.integers(2, 5),
    st.sampled_from(PROBABILITIES),
    st.sampled_from([0.0, 1e-4, 0.003, 0.03, 0.3, 9.0]),
    st.booleans(),
)
def test_what_is_left_is_a_model(
    found: list[list[int]], order: int, method: str, threshold: float, cut: bool
) -> None:
    stream_N = np.array([2, *(i for line in found for i in (*line, 2))])
    raw = Counts(list(count(stream_N, 8, order, 2)), 2)
    chosen = method_of(Config(smoothing=method, lambdas=",".join("1" * (order + 1))))
    # without some bigrams: longer n-grams that end with these have no suffix
    least = (1, 2, 1, 1, 1) if cut and chosen.interpolates else ()
    whole = Smoothed.estimate(chosen, raw, 1, least)
    pruned = prune(whole, threshold)
    place_TM = pruned.counts.places(stream_N)
    assert pruned.distributions(place_TM).sum(1) == pytest.approx(1, abs=1e-5)
    if threshold == 0:
        p_N = whole.probabilities(stream_N)
        assert pruned.probabilities(stream_N) == pytest.approx(p_N, rel=1e-5)
    here, before = ({tuple(ids) for ids in every(model)} for model in (pruned, whole))
    assert here <= before and all(ids[:-1] in here for ids in here if len(ids) > 1)
    assert all(ids[1:] in here for ids in here if ids[1:] in before and len(ids) > 1)
    if threshold == 9:  # nothing changes a perplexity tenfold
        assert [len(grams) for grams in pruned.counts.orders[1:]] == [0] * (order - 1)


@settings(max_examples=60, deadline=None)
@given(lines, st.integers(2, 5), st.sampled_from([0.0, 1e-3, 0.01, 0.1]), st.integers(1, 2))
def test_kneser_ney_of_what_is_left(
    found: list[list[int]], order: int, threshold: float, least: int
) -> None:
    """Word by word from the counts that are left: what was cut off goes to the shorter context, and
    each row sums to 1."""
    stream_N = np.array([2, *(i for line in found for i in (*line, 2))])
    raw = Counts(list(count(stream_N, 8, order, 2)), 2)
    whole = Smoothed.estimate(ModifiedKneserNey(), raw, 1, (1, 1, *[least] * 3))
    left, pruned = thin(whole, threshold, raw), prune(whole, threshold, raw)

    assert every(left) == every(pruned)
    counts = np.concatenate([grams.count_G for grams in left.counts.orders])
    count_of = {tuple(ids): c for ids, c in zip(every(left), counts)}
    totals = [np.repeat(g.total_P, np.diff(g.first_P)) for g in whole.counts.orders]
    total_of = {tuple(ids[:-1]): total for ids, total in zip(every(whole), np.concatenate(totals))}

    def p(word: int, context: tuple[int, ...]) -> float:
        lower = p(word, context[1:]) if context else 1 / 7
        if context not in total_of:
            return lower
        d_4 = discounts(left.learned["count_of_counts"][len(context)])
        kept = {w: count_of[*context, w] for w in range(8) if count_of.get((*context, w))}
        share = {w: (c - d_4[min(c, 3)]) / total_of[context] for w, c in kept.items()}
        return share.get(word, 0.0) + (1 - sum(share.values())) * lower

    place_TM = left.counts.places(stream_N)
    p_TV = left.distributions(place_TM)
    assert p_TV.sum(1) == pytest.approx(1, abs=1e-5)
    for t in range(len(stream_N)):
        sentence = stream_N[: t + 1].tolist()
        begun = len(sentence) - 1 - sentence[::-1].index(2)
        context = tuple(sentence[begun:][-(order - 1) :])
        want = [0.0 if w == 1 else p(w, context) for w in range(8)]
        assert p_TV[t] == pytest.approx(want, abs=1e-5)


def test_a_recipe_may_prune() -> None:
    text = "\n".join(STORIES.generate(100))
    whole, small = (
        train(Ngram, text, Config(order=4, vocabulary=800, min_count=2, prune=share, compact=True))
        for share in (0.0, 1e-4)
    )
    assert isinstance(whole, Ngram) and isinstance(small, Ngram)
    most, few = (sum(map(len, model.smoothed.counts.orders)) for model in (whole, small))
    assert few < most / 2
    again = Ngram.from_weights(small.config, small.weights())
    text_N = small.tokenizer.stream(["the little dog was happy", ""])
    place_TM = small.smoothed.counts.places(text_N)
    assert again.smoothed.distributions(place_TM).sum(1) == pytest.approx(1, abs=1e-5)
    assert (again.smoothed.distributions(place_TM) == small.smoothed.distributions(place_TM)).all()
    with pytest.raises(ValueError, match="probabilities; stupid-backoff gives scores"):
        train(Ngram, text, Config(smoothing="stupid-backoff", prune=1e-4))


@cache
def stories() -> Study:
    return Study.of("\n".join(STORIES.generate(300)), 4)


@pytest.mark.parametrize("method", [ModifiedKneserNey(), method_of(Config(smoothing="katz"))])
def test_the_curve(method: DiscountedBackoff) -> None:
    study = stories()
    model = study.smoothed(method)
    thresholds = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    assert study.held_stream is not None
    points = curve(model, thresholds, study.held_stream)
    assert [p.threshold for p in points] == list(thresholds)
    sizes = [p.size_bytes for p in points]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == size_bytes(model)
    assert [sum(p.ngrams) for p in points] == sorted((sum(p.ngrams) for p in points), reverse=True)
    p_N = model.probabilities(study.held_stream)
    assert points[0].zeros == (p_N == 0).sum()
    possible = float(np.exp(-np.log(p_N[p_N > 0]).mean()))
    assert points[0].perplexity == pytest.approx(possible, rel=1e-5)
    own = [perplexity(p.model, study.stream) for p in points]
    assert own == sorted(own)  # the training text is told less and less well
    assert points[0].perplexity < points[-1].perplexity


def test_sizes_histories_and_scores() -> None:
    # Eleven tokens: p, weight and start of what follows, 4 bytes each; 17 bigrams: a word of 1 byte and p.
    assert size_bytes(base()) == 11 * 12 + 17 * 5
    assert size_bytes(base(), bits=8) == 11 * 12 + 17 * 2
    assert size_bytes(Smoothed.estimate(HALF, counted(1), START)) == 11 * 4
    model = Smoothed.estimate(ModifiedKneserNey(), counted(3), START, (1, 1, 2))
    empty, first, second = histories(model, listed(model), counted(3))
    assert empty.tolist() == [1] and first[ID["the"]] == pytest.approx(6 / 26)
    of = dict(zip(bigrams(model), second.tolist(), strict=True))
    assert of["<s> the"] == pytest.approx(3 / 26) and of["the cat"] == pytest.approx(4 / 26)
    with pytest.raises(ValueError, match="plain counts lack"):
        histories(model, listed(model), base((1, 2)).counts)
    with pytest.raises(ValueError, match="scores that do not sum to 1"):
        prune(Smoothed.estimate(StupidBackoff(), counted(2), START), 0.1)


@together(("bits", "error"), [(2, 0.117650), (3, 0.058825), (4, 0.029412), (8, 0.001838)])
def test_bins_of_one_width(bits: int, error: float) -> None:
    """17 bigrams of Kneser-Ney, log10 P from -1.059467 to -0.118267; the error is half a bin."""
    log_G = np.log10(listed(Smoothed.estimate(KneserNey(floor=False), counted(2), START))[1])
    assert (log_G.min(), log_G.max()) == pytest.approx((-1.059467, -0.118267), abs=1e-6)
    near_G, largest, codes = snapped(10**log_G, bits)
    assert largest == pytest.approx(error, abs=1e-6) and codes <= 2**bits
    assert np.abs(np.log10(near_G) - log_G).max() == pytest.approx(largest)
    assert len(np.unique(near_G)) <= 2**bits


def test_bins_of_one_population() -> None:
    assert codebook(np.array([4.0, 1, 2, 9, 3, 30]), 3, "population").tolist() == [1.5, 3.5, 19.5]
    assert codebook(np.array([1.0, 1, 1, 5]), 4, "population").tolist() == [1, 5]
    with pytest.raises(ValueError, match="no binning 'x'; there are width, population"):
        codebook(np.ones(2), 2, "x")


def test_perplexity_of_rows_that_do_not_sum_to_one() -> None:
    """Every number twice as large: the rows sum to 2, and nothing else is different."""
    model = backed_off(base())
    doubled = [(2 * a, g) for a, g in zip(model.alpha, model.gamma, strict=True)]
    twice = Smoothed(model.method, model.counts, {}, START, doubled)
    for stream_N in (X1, WORDS.stream(CORPUS * 20)):
        plain, one = quantise_perplexity(model, stream_N)
        assert plain == pytest.approx(perplexity(model, stream_N)) and one == pytest.approx(1)
        assert quantise_perplexity(twice, stream_N) == pytest.approx((plain, 2))
    assert quantise_perplexity(model, WORDS.stream(["the bird"]))[0] == np.inf


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0, 1) | st.just(0.0), min_size=1, max_size=40),
    st.integers(1, 8),
    st.sampled_from(["width", "population"]),
)
def test_codes_of_any_values(values: list[float], bits: int, binning: str) -> None:
    value_G = np.array(values)
    value_G[value_G < 1e-30] = 0
    near_G, error, codes = snapped(value_G, bits, binning)
    assert codes <= 2**bits
    assert len(np.unique(near_G)) <= codes
    assert ((near_G == 0) == (value_G == 0)).all()
    some = value_G > 0
    assert np.abs(np.log10(near_G[some]) - np.log10(value_G[some])).max(initial=0) <= error + 1e-9


@diagonal("method,binning", ["modified-kneser-ney", "katz"], ["width", "population"])
def test_a_model_in_few_bits(method: str, binning: str) -> None:
    study = stories()
    model = study.smoothed(method_of(Config(smoothing=method)))
    assert study.held_stream is not None
    whole, errors = perplexity(model, study.held_stream), []
    for bits in (4, 8, 12):
        small = quantise(model, bits, binning)
        errors.append(small.error)
        assert all(len(np.unique(alpha_G)) <= 2**bits for alpha_G in small.model.alpha[1:])
        found, row_sum = quantise_perplexity(small.model, study.held_stream)
        assert found == pytest.approx(whole, rel={4: 0.2, 8: 0.02, 12: 0.002}[bits])
        assert row_sum == pytest.approx(1, abs={4: 0.2, 8: 0.02, 12: 0.002}[bits])
        assert small.size_bytes < size_bytes(model)
        for mine_G, own_G in zip(small.model.alpha, listed(model), strict=True):
            mine_G, own_G = (np.log10(np.maximum(p_G, 1e-30)) for p_G in (mine_G, own_G))
            assert np.abs(mine_G - own_G).max() <= small.error + 1e-6
    assert errors == sorted(errors, reverse=True)
    with pytest.raises(ValueError, match="from 1 to 16; 0 was given"):
        quantise(model, 0)
