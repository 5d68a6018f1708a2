"""Every smoothing method against numbers worked out in fractions, and against slow models made of
dictionaries.

The corpus of four sentences is that of test_ngram_oracle.py.  The fractions are exact: nine tokens
can come next, </s> among them, and <s> is no token of its own.  Those of modified Kneser-Ney count
<unk> as a tenth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.registry import smoothings
from engine.ngram.counts import Counts, Grams, count
from engine.ngram.evaluate import evaluate
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.absolute import Absolute
from engine.ngram.smoothing.add_k import AddK
from engine.ngram.smoothing.base import Level, Smoothing, count_of_counts, one_discount
from engine.ngram.smoothing.discounted_backoff import DiscountedBackoff
from engine.ngram.smoothing.jelinek_mercer import JelinekMercer, em, shares
from engine.ngram.smoothing.katz import MOST, Katz, ratios
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.ngram.smoothing.laplace import Laplace
from engine.ngram.smoothing.mle import MLE
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey, discounts
from engine.ngram.smoothing.stupid_backoff import StupidBackoff
from engine.ngram.smoothing.witten_bell import WittenBell
from tests.conftest import sampled, together

CORPUS = (
    "the cat saw a dog",
    "a dog sat on the cat",
    "the dog saw the cat",
    "the cat sat on the mat",
)
NAMES = ("</s>", "a", "cat", "dog", "mat", "on", "sat", "saw", "the", "<unk>")
ID = {w: i for i, w in enumerate(NAMES)}
X1, X2 = "the cat saw the dog", "a cat sat on the dog"


def stream(*lines: str) -> np.ndarray:
    """0 is <s> as a context and </s> as what comes next."""
    return np.array([0, *(i for line in lines for i in (*(ID[w] for w in line.split()), 0))])


def smoothed(method: Smoothing, order: int, size: int = 9, minimum: Sequence[int] = ()) -> Smoothed:
    counts = Counts(list(count(stream(*CORPUS), size, order, 0)), 0)
    return Smoothed.estimate(method, counts, None, minimum)


def after(model: Smoothed, context: str) -> dict[str, float]:
    ids_T = np.array([0 if w == "<s>" else ID[w] for w in context.split()])
    return dict(
        zip(NAMES, model.distributions(model.counts.places(ids_T))[-1].tolist(), strict=False)
    )


def row(text: str, size: int = 9) -> dict[str, float]:
    """ "a 1/15, cat 1/3": tokens that are not named have 0, or what is said for "others"."""
    named = {word: float(F(number)) for word, number in (part.split() for part in text.split(", "))}
    rest = named.pop("others", 0.0)
    return {word: named.get(word, rest) for word in NAMES[:size]}


def backoffs(model: Smoothed, order: int) -> dict[str, float]:
    """gamma of each context of `order` - 1 tokens that something followed."""
    texts = ["<s>", *NAMES[1:]]
    for k in range(2, order):
        grams = model.counts.orders[k - 1]
        texts = [
            f"{texts[key // grams.size]} {NAMES[key % grams.size]}" for key in grams.key_G.tolist()
        ]
    seen_P = np.diff(model.counts.orders[order - 1].first_P) > 0
    return {
        text: g
        for text, g, s in zip(texts, model.gamma[order - 1].tolist(), seen_P.tolist(), strict=False)
        if s
    }


def close(found: dict[str, float], want: dict[str, float]) -> bool:
    return found == pytest.approx(want, abs=1e-6)


# --- rows
# -------------------------------------------------------------------------------------------------------------

WITTEN_BELL_1 = (
    "a 3/35, cat 1/7, dog 4/35, mat 2/35, on 3/35, sat 3/35, saw 3/35, the 1/5, </s> 1/7"
)
CONTINUATION = (
    "a 2/17, cat 1/17, dog 2/17, mat 1/17, on 1/17, sat 2/17, saw 2/17, the 3/17, </s> 3/17"
)
HALF = DiscountedBackoff(discount=0.5, floor=False)
MIXED_2, MIXED_3 = JelinekMercer(lambdas=".7,.3"), JelinekMercer(lambdas="0.5, 0.3, 0.2")
ROWS: list[tuple[Smoothing, int, str, str]] = [
    (MLE(), 2, "<s>", "a 1/4, the 3/4"),
    (MLE(), 2, "the", "cat 2/3, dog 1/6, mat 1/6"),
    (MLE(), 2, "cat", "sat 1/4, saw 1/4, </s> 1/2"),
    (MLE(), 2, "dog", "sat 1/3, saw 1/3, </s> 1/3"),
    (MLE(), 2, "saw", "a 1/2, the 1/2"),
    (MLE(), 2, "on", "the 1"),
    (MLE(), 2, "a", "dog 1"),
    (MLE(), 2, "sat", "on 1"),
    (MLE(), 2, "mat", "</s> 1"),
    (MLE(), 3, "the cat", "sat 1/4, saw 1/4, </s> 1/2"),
    (MLE(), 3, "on the", "cat 1/2, mat 1/2"),
    (MLE(), 3, "<s> the", "cat 2/3, dog 1/3"),
    (MLE(), 3, "a cat", "others 0"),  # a context never seen has no distribution
    (Laplace(), 2, "the", "cat 1/3, dog 2/15, mat 2/15, others 1/15"),
    (Laplace(), 2, "on", "the 3/11, others 1/11"),
    (Laplace(), 2, "cat", "sat 2/13, saw 2/13, </s> 3/13, others 1/13"),
    (Laplace(), 3, "a cat", "others 1/9"),
    (AddK(0.1), 2, "the", "cat 41/69, dog 11/69, mat 11/69, others 1/69"),
    (AddK(0.1), 2, "on", "the 21/29, others 1/29"),
    (AddK(0.1), 3, "a cat", "others 1/9"),
    (AddK(7.0), 3, "a cat", "others 1/9"),
    (
        MIXED_3,
        3,
        "the cat",
        (
            "a 1/65, cat 2/65, dog 3/130, mat 1/130, on 1/65, sat 14/65, saw 14/65, the 3/65, </s>"
            " 28/65"
        ),
    ),
    (
        MIXED_2,
        2,
        "the",
        (
            "a 3/130, cat 20/39, dog 59/390, mat 5/39, on 3/130, sat 3/130, saw 3/130, the 9/130,"
            " </s> 3/65"
        ),
    ),
    (
        Katz(2, False),
        2,
        "the",
        "a 1/72, cat 2/3, dog 5/48, mat 5/48, on 1/72, sat 1/72, saw 1/72, the 1/24, </s> 1/36",
    ),
    (
        Katz(2, False),
        2,
        "on",
        (
            "a 11/128, cat 11/64, dog 33/256, mat 11/256, on 11/128, sat 11/128, saw 11/128, the"
            " 9/64, </s> 11/64"
        ),
    ),
    (
        Katz(2, False),
        2,
        "cat",
        (
            "a 79/1152, cat 79/576, dog 79/768, mat 79/2304, on 79/1152, sat 5/32, saw 5/32, the"
            " 79/384, </s> 9/128"
        ),
    ),
    (
        HALF,
        2,
        "the",
        "a 1/36, cat 7/12, dog 1/12, mat 1/12, on 1/36, sat 1/36, saw 1/36, the 1/12, </s> 1/18",
    ),
    (
        HALF,
        2,
        "on",
        "a 1/40, cat 1/20, dog 3/80, mat 1/80, on 1/40, sat 1/40, saw 1/40, the 3/4, </s> 1/20",
    ),
    (
        HALF,
        3,
        "the cat",
        "a 1/24, cat 1/12, dog 1/16, mat 1/48, on 1/24, sat 1/8, saw 1/8, the 1/8, </s> 3/8",
    ),
    (StupidBackoff(), 2, "the", "cat 2/3, dog 1/6, mat 1/6, the 6/65, </s> 4/65, others 2/65"),
    (
        Absolute(floor=False),
        2,
        "the",
        "cat 911/1482, dog 307/2964, mat 241/2964, the 33/494, </s> 11/247, others 11/494",
    ),
    (
        Absolute(floor=False),
        2,
        "on",
        "cat 11/247, dog 33/988, mat 11/988, the 192/247, </s> 11/247, others 11/494",
    ),
    (
        Absolute(0.75, False),
        2,
        "the",
        "cat 187/312, dog 53/624, mat 35/624, the 9/104, </s> 3/52, others 3/104",
    ),
    (WittenBell(), 1, "the", WITTEN_BELL_1),
    (WittenBell(), 2, "the", "cat 31/63, dog 47/315, mat 41/315, the 1/15, </s> 1/21, others 1/35"),
    (WittenBell(), 2, "on", "cat 1/21, dog 4/105, mat 2/105, the 11/15, </s> 1/21, others 1/35"),
    (
        WittenBell(),
        3,
        "the cat",
        (
            "a 27/1715, cat 9/343, dog 36/1715, mat 18/1715, on 27/1715, sat 377/1715, saw"
            " 377/1715, the 9/245, </s> 149/343"
        ),
    ),
    (
        KneserNey(floor=False),
        2,
        "the",
        (
            "a 11/323, cat 569/969, dog 101/969, mat 169/1938, on 11/646, sat 11/323, saw 11/323,"
            " the 33/646, </s> 33/646"
        ),
    ),
    (
        KneserNey(floor=False),
        2,
        "on",
        (
            "a 11/323, cat 11/646, dog 11/323, mat 11/646, on 11/646, sat 11/323, saw 11/323, the"
            " 246/323, </s> 33/646"
        ),
    ),
    (
        KneserNey(floor=False),
        2,
        "cat",
        (
            "a 33/646, cat 33/1292, dog 33/646, mat 33/1292, on 33/1292, sat 101/646, saw 101/646, "
            "the 99/1292, </s> 279/646"
        ),
    ),
    (
        KneserNey(0.75, False),
        2,
        "the",
        (
            "a 3/68, cat 115/204, dog 35/408, mat 13/204, on 3/136, sat 3/68, saw 3/68, the 9/136,"
            " </s> 9/136"
        ),
    ),
    (
        KneserNey(floor=False),
        3,
        "cat the",
        (
            "a 78/1445, cat 137/289, dog 146/1445, mat 107/1445, on 39/1445, sat 78/1445, "
            "saw 78/1445, the 117/1445, </s> 117/1445"
        ),
    ),  # "cat the" was never seen: the row of "the"
    (
        KneserNey(floor=False),
        3,
        "the cat",
        (
            "a 156/3179, cat 78/3179, dog 156/3179, mat 78/3179, on 78/3179, sat 185/1156, "
            "saw 185/1156, the 234/3179, </s> 2763/6358"
        ),
    ),
]


@sampled(
    ("method", "order", "context", "want"),
    ROWS,
    ids=[f"{type(m).__name__}{o}-{c}-{i}" for i, (m, o, c, _) in enumerate(ROWS)],
)
def test_rows(method: Smoothing, order: int, context: str, want: str) -> None:
    found = after(smoothed(method, order), context)
    assert close(found, row(want))
    if method.is_probability and any(found.values()):
        assert sum(found.values()) == pytest.approx(1, abs=1e-6)


def test_single_probabilities() -> None:
    mixed = smoothed(MIXED_3, 3)
    assert after(mixed, "the cat")["saw"] == pytest.approx(0.215385, abs=1e-6)
    assert after(mixed, "cat saw")["the"] == pytest.approx(51 / 260, abs=1e-6)
    assert after(mixed, "cat saw")["a"] == pytest.approx(173 / 260, abs=1e-6)
    # (.3 / 4 + .2 / 13) / .5
    assert after(mixed, "a cat")["sat"] == pytest.approx(47 / 260, abs=1e-6)
    kneser_ney = after(smoothed(KneserNey(floor=False), 3), "dog sat")
    assert (kneser_ney["on"], kneser_ney["the"]) == pytest.approx(
        (2347 / 3179, 156 / 3179), abs=1e-6
    )


def test_an_unseen_context_is_skipped() -> None:
    """<unk> was never counted, so nothing is known to follow it."""
    want = row(CONTINUATION, 10)
    assert want["<unk>"] == 0  # an unknown word is impossible without a floor
    assert close(after(smoothed(KneserNey(floor=False), 2, 10), "<unk>"), want)
    assert close(after(smoothed(HALF, 3), "a cat"), after(smoothed(HALF, 2), "cat"))


# --- maximum likelihood
# -----------------------------------------------------------------------------------------------


def test_lengths_of_sentences() -> None:
    """With </s> among what comes next, a bigram model gives every sentence its probability: lengths
    have one too."""
    model = smoothed(MLE(), 2)
    p_VV = model.distributions(model.counts.places(np.arange(9)))  # row 0 is after <s>
    words_VV, end_V = np.where(np.arange(9) > 0, p_VV, 0), p_VV[:, 0]
    now_V, found = np.eye(9)[0], []
    for _ in range(6):
        now_V = now_V @ words_VV
        found.append(now_V @ end_V)
    assert found == pytest.approx([0, 0.5, 0, 0, 0.111111, 0.138889], abs=1e-6)
    visits_V = np.linalg.inv(np.eye(9) - words_VV)[0]
    assert visits_V[1:].sum() == pytest.approx(22 / 4, abs=1e-5)  # the mean of the corpus


def test_without_the_end_mark_rows_leak() -> None:
    model = smoothed(MLE(), 2)
    sums = {w: sum(p for v, p in after(model, w).items() if v != "</s>") for w in NAMES[1:9]}
    assert close(
        sums,
        {"cat": 1 / 2, "dog": 2 / 3, "mat": 0} | dict.fromkeys(("a", "on", "sat", "saw", "the"), 1),
    )


@pytest.mark.parametrize(("order", "perplexity"), [(1, 7.988655), (2, 1.871535), (3, 1.531966)])
def test_perplexity_of_what_was_counted(order: int, perplexity: float) -> None:
    found = evaluate(smoothed(MLE(), order), stream(*CORPUS))
    assert (found.whole.tokens, found.whole.perplexity) == (26, pytest.approx(perplexity, abs=1e-6))
    if order == 2:
        assert found.whole.bits * math.log(2) == pytest.approx(16.295734, abs=1e-5)
        assert found.whole.cross_entropy(math.e) == pytest.approx(0.626759, abs=1e-6)


def test_the_likeliest_sentence() -> None:
    model, text = smoothed(MLE(), 2), ["<s>"]
    while text[-1] != "</s>":
        found = after(model, text[-1])
        text.append(min(found, key=lambda w: (-found[w], w)))
    assert text == ["<s>", "the", "cat", "</s>"]


# --- settings and what is learned
# ---------------------------------------------------------------------------------------


def test_a_vocabulary_without_the_end_mark_leaks() -> None:
    """(6 + 9) / (6 + 8): nine tokens are predicted, eight are counted."""
    model = smoothed(Laplace(), 2)
    level = replace(model.level(2, model.counts.orders[1]), predicted=8)
    alpha_G = model.method.kept(level)
    left_P = model.method.left(level, alpha_G, None)
    at = model.counts.orders[1].first_P[ID["the"] : ID["the"] + 2]
    assert alpha_G[at[0] : at[1]].sum() + 9 * left_P[ID["the"]] / 8 == pytest.approx(15 / 14)


def test_expectation_maximisation() -> None:
    counts = Counts(list(count(stream(*CORPUS), 9, 3, 0)), 0)
    share_NM = shares(counts, stream("the dog sat on the mat"), counts.size)
    start_M = np.array([0, 0.2, 0.3, 0.5])  # uniform, 1, 2, 3
    for steps, want, log2 in (
        (0, (0.5, 0.3, 0.2), -8.309339),
        (1, (0.556288, 0.381360, 0.062353), -7.139477),
        (2, (0.553623, 0.428978, 0.017399), -6.762365),
        (3000, (0.434259, 0.565741, 0), -6.569511),
    ):
        lambda_M = em(share_NM, start_M, steps)
        assert lambda_M[::-1].tolist() == pytest.approx([*want, 0], abs=2e-6)
        assert np.log2(share_NM @ lambda_M).sum() == pytest.approx(log2, abs=1e-6)


def test_weights_from_held_out_text_leave_something_for_the_unseen() -> None:
    counts = Counts(list(count(stream(*CORPUS), 10, 3, 0)), 0)
    model = Smoothed.estimate(JelinekMercer(), counts, held_out=stream(*CORPUS))
    lambda_M = model.learned["lambda"]
    assert lambda_M.sum() == pytest.approx(1) and lambda_M.argmax() == 3
    assert after(model, "the cat")["<unk>"] > 1e-6


def test_good_turing() -> None:
    n = count_of_counts(smoothed(Katz(), 2).counts.orders[1].count_G, 5)
    assert n[1:].tolist() == [11, 4, 1, 1, 0]
    assert [(c + 1) * n[c + 1] / n[c] for c in (1, 2, 3, 4)] == pytest.approx([8 / 11, 3 / 4, 4, 0])
    assert n[1] / 26 == pytest.approx(0.423077, abs=1e-6)
    d = ratios(n, 2)
    assert d[1:].tolist() == pytest.approx([5 / 8, 9 / 64] + [1] * (MOST - 1))
    assert sum(n[c] * (1 - d[c]) * c for c in (1, 2)) == pytest.approx(n[1])
    assert ratios(n, 3).tolist() == d.tolist()  # 3* is 4: k = 3 cannot be, 2 is taken
    assert ratios(n, 1)[0] == -1  # d_1 would be 0


def test_a_context_where_nothing_is_corrected_counts_as_seen_once_more() -> None:
    """3 and 4 are above k = 2, so that nothing would be left to the unseen."""
    learned = {"ratio": np.tile(ratios(np.array([0, 11, 4, 1]), 2), (2, 1))}
    level = Level(
        2,
        2,
        np.array([3, 4, 3, 1]),
        np.array([0, 2, 4]),
        np.array([7, 4]),
        np.zeros(2, bool),
        9,
        learned,
    )
    assert Katz(2).kept(level).tolist() == pytest.approx([3 / 8, 4 / 8, 3 / 4, 5 / 32])


def test_backoff_weights() -> None:
    assert close(
        backoffs(smoothed(Katz(2, False), 2), 2),
        {
            "<s>": 13 / 96,
            "the": 13 / 72,
            "cat": 1027 / 1152,
            "saw": 13 / 24,
            "a": 715 / 736,
            "dog": 13 / 24,
            "sat": 715 / 768,
            "on": 143 / 128,
            "mat": 39 / 88,
        },
    )
    half = {
        "<s>": 13 / 36,
        "the": 13 / 36,
        "cat": 13 / 24,
        "saw": 13 / 18,
        "a": 13 / 46,
        "dog": 13 / 18,
        "sat": 13 / 48,
        "on": 13 / 40,
        "mat": 13 / 22,
    }
    assert close(backoffs(smoothed(HALF, 2), 2), half)
    assert close(backoffs(smoothed(HALF, 3), 2), half)
    assert close(
        backoffs(smoothed(HALF, 3), 3),
        {
            "<s> the": 1,
            "the cat": 1,
            "cat saw": 2 / 3,
            "saw a": 2,
            "a dog": 3 / 4,
            "<s> a": 2,
            "dog sat": 2,
            "sat on": 1,
            "on the": 3 / 2,
            "the dog": 3 / 5,
            "dog saw": 2 / 3,
            "saw the": 6 / 5,
            "cat sat": 2,
            "the mat": 1,
        },
    )


def test_stupid_backoff_gives_scores() -> None:
    bigram, trigram = smoothed(StupidBackoff(), 2), smoothed(StupidBackoff(), 3)
    assert not StupidBackoff.is_probability
    for model, context, total in (
        (bigram, "the", 83 / 65),
        (bigram, "on", 17 / 13),
        (trigram, "the cat", 361 / 325),
    ):
        assert sum(after(model, context).values()) == pytest.approx(total, abs=1e-6)
    assert sum(after(smoothed(StupidBackoff(1.0), 2), "the").values()) == pytest.approx(
        22 / 13, abs=1e-6
    )
    # nothing is left to the unseen
    assert sum(after(smoothed(StupidBackoff(0.0), 2), "the").values()) == pytest.approx(1)


def test_one_discount_of_each_order() -> None:
    bigram, trigram = smoothed(KneserNey(floor=False), 2), smoothed(KneserNey(floor=False), 3)
    assert bigram.learned["discount"][1] == pytest.approx(11 / 19)
    assert smoothed(Absolute(floor=False), 2).learned["discount"][1] == pytest.approx(11 / 19)
    assert trigram.learned["discount"][1:].tolist() == pytest.approx([13 / 17, 8 / 11])
    lambdas = {
        "<s>": F(11, 38),
        "the": F(11, 38),
        "cat": F(33, 76),
        "saw": F(11, 19),
        "a": F(11, 38),
        "dog": F(11, 19),
        "sat": F(11, 38),
        "on": F(11, 38),
        "mat": F(11, 19),
    }
    assert close(backoffs(bigram, 2), {w: float(x) for w, x in lambdas.items()})
    assert backoffs(smoothed(KneserNey(0.75, False), 2), 2)["the"] == pytest.approx(3 / 8)
    found = backoffs(trigram, 3)
    assert [found[h] for h in ("the cat", "cat saw", "sat on")] == pytest.approx(
        [6 / 11, 8 / 11, 4 / 11]
    )
    assert discounts((100, 40, 20, 10))[1:].tolist() == pytest.approx(
        [0.555556, 1.166667, 1.888889], abs=1e-6
    )


def test_francisco() -> None:
    """Francisco is as frequent as glasses, but stands behind one word only."""
    words = ("san", "my", "his", "her", "francisco", "glasses")
    bigram = Counter(
        {
            ("san", "francisco"): 3,
            ("my", "glasses"): 1,
            ("his", "glasses"): 1,
            ("her", "glasses"): 1,
        }
    )
    pairs = [(words.index(a), words.index(b), c) for (a, b), c in bigram.items()]
    first_P = np.concatenate([[0], np.cumsum([sum(a == w for a, _, _ in pairs) for w in range(6)])])
    one = Grams(
        6, np.arange(6, dtype=np.int32), np.array([0, 0, 0, 0, 3, 3], np.int32), np.array([0, 6])
    )
    two = Grams(
        6,
        np.array([b for _, b, _ in pairs], np.int32),
        np.array([c for *_, c in pairs], np.int32),
        first_P,
    )
    counts = Counts([one, two], 0)
    plain, continuing = (
        Smoothed.estimate(m, counts).alpha[0].tolist()
        for m in (Absolute(floor=False), KneserNey(floor=False))
    )
    assert plain == pytest.approx([0, 0, 0, 0, 1 / 2, 1 / 2])
    assert continuing == pytest.approx([0, 0, 0, 0, 1 / 4, 3 / 4])


@pytest.mark.parametrize(
    ("least", "kept", "x1", "training", "alpha", "dog"),
    [
        (1, 17, 4.299794, 2.857970, 13 / 36, 1 / 12),
        (2, 6, 5.368183, 3.995158, 65 / 132, 5 / 88),
        (3, 2, 5.103864, 6.297424, None, None),
    ],
)
def test_cut_off(
    least: int, kept: int, x1: float, training: float, alpha: float | None, dog: float | None
) -> None:
    model = smoothed(HALF, 2, minimum=(1, least))
    assert len(model.counts.orders[1]) == kept
    assert evaluate(model, stream(X1)).whole.perplexity == pytest.approx(x1, abs=2e-6)
    assert evaluate(model, stream(*CORPUS)).whole.perplexity == pytest.approx(training, abs=2e-6)
    if alpha is not None:
        assert (model.gamma[1][ID["the"]], after(model, "the")["dog"]) == pytest.approx(
            (alpha, dog)
        )


# --- cross-entropy and perplexity
# -----------------------------------------------------------------------------------------

NONE = (None,) * 5
TABLE: list[tuple[Smoothing, int, tuple[float | None, ...], tuple[float | None, ...]]] = [
    # log2 P, H, perplexity; H and perplexity without </s>; of X1 and X2
    (MLE(), 2, (-8.169925, 1.361654, 2.569797, 1.316993, 2.491462), NONE),
    (
        Laplace(),
        2,
        (-13.937127, 2.322854, 5.003212, 2.270433, 4.824679),
        (-18.101102, 2.585872, 6.003783, 2.586023, 6.004413),
    ),
    (
        AddK(0.1),
        2,
        (-9.440377, 1.573396, 2.976045, 1.522881, 2.873644),
        (-14.574928, 2.082133, 4.234327, 2.124826, 4.361506),
    ),
    (
        MIXED_2,
        2,
        (-9.868263, 1.644710, 3.126851, 1.605823, 3.043694),
        (-14.519264, 2.074181, 4.211052, 2.113353, 4.326958),
    ),
    (
        Katz(2, False),
        2,
        (-10.882213, 1.813702, 3.515432, 1.723836, 3.303134),
        (-19.284565, 2.754938, 6.750236, 2.836922, 7.144939),
    ),
    (
        HALF,
        2,
        (-12.625604, 2.104267, 4.299794, 2.008128, 4.022600),
        (-17.523562, 2.503366, 5.670068, 2.489767, 5.616871),
    ),
    (
        StupidBackoff(),
        2,
        (-8.169925, 1.361654, 2.569797, 1.316993, 2.491462),
        (-12.192293, 1.741756, 3.344420, 1.767888, 3.405551),
    ),
    (
        Absolute(floor=False),
        2,
        (-11.059835, 1.843306, 3.588313, 1.787179, 3.451394),
        (-16.517458, 2.359637, 5.132411, 2.398920, 5.274081),
    ),
    (
        WittenBell(),
        2,
        (-10.649299, 1.774883, 3.422103, 1.715782, 3.284746),
        (-15.013106, 2.144729, 4.422093, 2.157119, 4.460234),
    ),
    (
        KneserNey(floor=False),
        2,
        (-11.035873, 1.839312, 3.578394, 1.798407, 3.478360),
        (-17.554401, 2.507772, 5.687409, 2.585094, 6.000548),
    ),
    (
        ModifiedKneserNey(),
        2,
        (-11.714008, 1.952335, 3.870003, 1.856299, 3.620776),
        (-18.057613, 2.579659, 5.977984, 2.604183, 6.080472),
    ),
    (MLE(), 3, NONE, NONE),
    (
        MIXED_3,
        3,
        (-12.730322, 2.121720, 4.352126, 1.959083, 3.888149),
        (-16.949960, 2.421423, 5.356991, 2.335843, 5.048457),
    ),
    (
        HALF,
        3,
        (-13.906891, 2.317815, 4.985766, 2.116993, 4.337887),
        (-17.260528, 2.465790, 5.524292, 2.323100, 5.004063),
    ),
    (
        StupidBackoff(),
        3,
        (-12.135709, 2.022618, 4.063205, 1.845764, 3.594432),
        (-17.480005, 2.497144, 5.645665, 2.428852, 5.384649),
    ),
    (
        WittenBell(),
        3,
        (-12.797430, 2.132905, 4.385997, 1.945408, 3.851467),
        (-17.166729, 2.452390, 5.473220, 2.349390, 5.096087),
    ),
    (
        KneserNey(floor=False),
        3,
        (-12.830008, 2.138335, 4.402536, 2.028414, 4.079561),
        (-19.039373, 2.719910, 6.588319, 2.725239, 6.612699),
    ),
    (
        ModifiedKneserNey(),
        3,
        (-14.136476, 2.356079, 5.119771, 2.170648, 4.502257),
        (-17.513170, 2.501881, 5.664236, 2.371656, 5.175348),
    ),
]


@sampled(
    ("method", "order", "x1", "x2"), TABLE, ids=[f"{type(m).__name__}{o}" for m, o, *_ in TABLE]
)
def test_cross_entropy_and_perplexity(
    method: Smoothing, order: int, x1: tuple[float, ...], x2: tuple[float, ...]
) -> None:
    model = smoothed(method, order, 10 if isinstance(method, ModifiedKneserNey) else 9)
    for line, want in ((X1, x1), (X2, x2)):
        found = evaluate(model, stream(line))
        whole, words = found.whole, found.without_ends
        assert (whole.tokens, words.tokens) == (len(line.split()) + 1, len(line.split()))
        numbers = (whole.cross_entropy(), whole.perplexity, words.cross_entropy(), words.perplexity)
        if want is NONE:
            assert whole.impossible and numbers == (None,) * 4
            # "the cat saw a" came after all
            assert math.isfinite(whole.rest_perplexity or math.nan)
        else:
            assert (-whole.bits, *numbers) == pytest.approx(want, abs=3e-6)
            assert found.is_probability == (not isinstance(method, StupidBackoff))


def test_factors_of_a_sentence() -> None:
    for method, order, factors in (
        (MLE(), 2, "3/4 2/3 1/4 1/2 1/6 1/3"),
        (MIXED_3, 3, "42/65 22/39 14/65 51/260 19/260 17/130"),
        (StupidBackoff(), 3, "3/4 2/3 1/4 1/5 1/15 2/15"),
    ):
        found = smoothed(method, order).probabilities(stream(X1))
        assert found.tolist() == pytest.approx([float(F(f)) for f in factors.split()], abs=1e-7)
    assert found.prod() == pytest.approx(1 / 4500)


def test_bases() -> None:
    whole = evaluate(smoothed(MLE(), 2), stream(X1)).whole
    bits, nats, dits = (whole.cross_entropy(base) for base in (2, math.e, 10))
    assert bits is not None and nats is not None and dits is not None
    assert (bits, nats, dits) == pytest.approx((1.361654, 0.943827, 0.409899), abs=1e-6)
    assert (2**bits, math.e**nats, 10**dits, 288 ** (1 / 6)) == pytest.approx(
        (whole.perplexity,) * 4, abs=1e-6
    )
    # the wrong base
    assert (2**nats, math.e**bits) == pytest.approx((1.923624, 3.902644), abs=1e-6)
    # uniform over nine
    assert evaluate(smoothed(AddK(1e9), 2), stream(X1)).whole.perplexity == pytest.approx(9)


def test_per_sentence_is_not_per_token() -> None:
    found = evaluate(smoothed(KneserNey(floor=False), 2), stream(*CORPUS))
    nats_S = found.sentence_S * math.log(2)
    assert nats_S.tolist() == pytest.approx([5.798583, 5.796278, 6.784711, 6.486783], abs=1e-6)
    assert (nats_S.mean(), math.exp(nats_S.mean())) == pytest.approx((6.216589, 500.9914), abs=1e-3)
    assert found.whole.cross_entropy(math.e) == pytest.approx(0.956398, abs=1e-6)
    assert found.whole.perplexity == pytest.approx(2.602307, abs=1e-6)


def test_cross_entropy_is_entropy_and_divergence() -> None:
    p_V, q_V = (
        np.array(list(after(smoothed(method, 2), "the").values()), np.float64)
        for method in (MLE(), KneserNey(floor=False))
    )
    some_V = p_V > 0
    entropy = -(p_V[some_V] * np.log2(p_V[some_V])).sum()
    divergence = (p_V[some_V] * np.log2(p_V[some_V] / q_V[some_V])).sum()
    assert (entropy, divergence) == pytest.approx((1.251629, 0.390685), abs=1e-6)
    assert -(p_V[some_V] * np.log2(q_V[some_V])).sum() == pytest.approx(1.642314, abs=1e-6)


# --- against dictionaries
# ---------------------------------------------------------------------------------------------------

SIZE = 6  # 0 is both <s> and </s>, 5 never occurs
START = -1  # <s>, here a token of its own
# n - 1 times <s>; the others once
MORE_MARKS = ("mle", "laplace", "add_k", "jelinek_mercer", "witten_bell", "stupid_backoff")


class Slow:
    """Every method from its definition, a row at a time; rows are lists of `SIZE` numbers."""

    def __init__(
        self,
        id: str,
        method: Any,
        lines: list[list[int]],
        order: int,
        held: list[int],
        least: int = 1,
    ) -> None:
        self.id, self.method, self.order = id, method, order
        self.marks = [START] * (order - 1 if id in MORE_MARKS else min(1, order - 1))
        raw: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
        for line in lines:
            text = [*self.marks, *line, 0]
            for i in range(len(self.marks), len(text)):
                for k in range(1, min(order, i + 1) + 1):
                    raw[k][tuple(text[i + 1 - k : i + 1])] += 1
        counts = [Counter(c) for c in raw]
        if method.adjusted:
            for k in range(1, order):
                for gram in raw[k]:
                    if gram[0] != START:
                        counts[k][gram] = len(
                            {longer[0] for longer in raw[k + 1] if longer[1:] == gram}
                        )
        self.n = [Counter(c.values()) for c in counts]  # counts of counts
        self.total: Counter[tuple[int, ...]] = Counter()
        self.after: dict[tuple[int, ...], dict[int, int]] = {}
        for k in range(1, order + 1):
            for gram, c in counts[k].items():
                self.total[gram[:-1]] += c
                if k < 3 or raw[k][gram] >= least:
                    self.after.setdefault(gram[:-1], {})[gram[-1]] = c
        if id == "jelinek_mercer":
            self.lambdas = self.weights(held)

    def context(self, text: list[int]) -> tuple[int, ...]:
        return tuple([*self.marks, *text][-(self.order - 1) :]) if self.order > 1 else ()

    def row(self, h: tuple[int, ...]) -> list[float]:
        method, c, total, words = self.method, self.after.get(h, {}), self.total[h], range(SIZE)
        if self.id == "mle":
            return [c.get(w, 0) / total if total else 0.0 for w in words]
        if self.id in ("laplace", "add_k"):
            return [(c.get(w, 0) + method.k) / (total + method.k * SIZE) for w in words]
        if self.id == "jelinek_mercer":
            share = self.shares(h)
            known = sum(x for x, s in zip(self.lambdas, share, strict=True) if s)
            return [
                sum(x * s[w] for x, s in zip(self.lambdas, share, strict=True) if s) / known
                for w in words
            ]
        lower = self.row(h[1:]) if h else [float(method.uniform) / SIZE] * SIZE
        if self.id == "stupid_backoff":
            return [
                c[w] / total if w in c else method.alpha * lower[w] if h else 0.0 for w in words
            ]
        if not total:
            return lower
        if self.id == "witten_bell":
            return [(c.get(w, 0) + len(c) * lower[w]) / (total + len(c)) for w in words]
        kept = {w: self.kept(len(h) + 1, x) / total for w, x in c.items()}
        if self.id == "katz" and h and sum(kept.values()) > 1 - 1e-9:
            kept = {w: x * total / (total + 1) for w, x in kept.items()}
        left = 1 - sum(kept.values())
        if method.interpolates:
            return [kept.get(w, 0.0) + left * lower[w] for w in words]
        room = sum(lower[w] for w in words if w not in kept)
        if room > 1e-9:
            return [kept[w] if w in kept else left * lower[w] / room for w in words]
        most = sum(kept.values())  # everything was seen: nothing to back off to
        return [kept.get(w, 0.0) / most for w in words] if most > 0 else lower

    def one_discount(self, k: int) -> float:
        n1, n2 = self.n[k][1], self.n[k][2]
        return n1 / (n1 + 2 * n2) if n1 and n2 else 0.5

    def kept(self, k: int, c: int) -> float:
        """What stays of a count of order k."""
        n = self.n[k]
        if self.id == "modified_kneser_ney":
            d = [0.0, 0.5, 1.0, 1.5]
            if n[1] and n[2] and n[3]:
                y = n[1] / (n[1] + 2 * n[2])
                exact = [0.0, *(j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3))]
                d = exact if min(exact) >= 0 else d
            return c - d[min(c, 3)]
        if k == 1:
            return c - self.one_discount(1) if self.method.floor else c
        if self.id != "katz":
            return max(0.0, c - (self.method.discount or self.one_discount(k)))
        for most in range(self.method.katz_k, 0, -1):
            if all(n[j] for j in range(1, most + 1)) and (x := (most + 1) * n[most + 1] / n[1]) < 1:
                d = [((j + 1) * n[j + 1] / n[j] / j - x) / (1 - x) for j in range(1, most + 1)]
                if all(0 < r < 1 for r in d):
                    return c * d[c - 1] if c <= most else c
        return c - 0.5

    def shares(self, h: tuple[int, ...]) -> list[list[float]]:
        """Of every order, uniform first; an empty one where the context was not seen."""
        found = [[1 / SIZE] * SIZE]
        for m in range(1, self.order + 1):
            ending = h[len(h) + 1 - m :]
            total = self.total[ending]
            found.append(
                [self.after[ending].get(w, 0) / total for w in range(SIZE)] if total else []
            )
        return found

    def weights(self, held: list[int]) -> list[float]:
        if self.method.lambdas:
            given = [float(x) for x in self.method.lambdas.split(",")][: self.order][::-1]
            return [0.0, *(x / sum(given) for x in given)]
        weights = [1 / (self.order + 1)] * (self.order + 1)
        for _ in range(30):
            sums = [0.0] * len(weights)
            for i, w in enumerate([*held, 0]):
                joint = [
                    x * (s[w] if s else 0)
                    for x, s in zip(weights, self.shares(self.context(held[:i])), strict=True)
                ]
                sums = [a + j / sum(joint) for a, j in zip(sums, joint, strict=True)]
            weights = [a / (len(held) + 1) for a in sums]
        weights[0] = max(weights[0], 1e-4)
        return [x / sum(weights) for x in weights]


KINDS: dict[str, list[Any]] = {
    "mle": [MLE()],
    "laplace": [Laplace()],
    "add_k": [AddK(), AddK(2.5)],
    "jelinek_mercer": [JelinekMercer(), JelinekMercer(lambdas="0.4,0.3,0.2,0.1")],
    "katz": [Katz(k, floor) for k in (1, 2, 5) for floor in (True, False)],
    "stupid_backoff": [StupidBackoff(), StupidBackoff(1.0)],
    "witten_bell": [WittenBell()],
    "modified_kneser_ney": [ModifiedKneserNey()],
} | {
    id: [kind(discount, floor) for discount in (0.0, 0.75, 1.0) for floor in (True, False)]
    for id, kind in (
        ("absolute", Absolute),
        ("kneser_ney", KneserNey),
        ("discounted_backoff", DiscountedBackoff),
    )
}
LINES = st.lists(st.lists(st.integers(1, 4), max_size=7), min_size=1, max_size=8)
TEXT = st.lists(st.integers(1, 5), max_size=6)
ALL = [
    pytest.param(id, method, id=f"{id}-{i}")
    for id, methods in KINDS.items()
    for i, method in enumerate(methods)
]


def ids_of(lines: list[list[int]]) -> np.ndarray:
    return np.array([0, *(i for line in lines for i in (*line, 0))])


def fitted(
    method: Any,
    lines: list[list[int]],
    order: int,
    held: list[int],
    least: int = 1,
    size: int = SIZE,
    never: int | None = None,
) -> Smoothed:
    if isinstance(method, JelinekMercer) and method.lambdas:
        method = replace(method, lambdas=",".join(method.lambdas.split(",")[:order]))
    counts = Counts(list(count(ids_of(lines), size, order, 0)), 0)
    return Smoothed.estimate(method, counts, never, (1, 1, *[least] * 5), ids_of([held]))


def test_every_method_is_here() -> None:
    assert sorted(KINDS) == smoothings.ids()
    for id, methods in KINDS.items():
        assert all(type(method) is smoothings.get(id) for method in methods)


@sampled(("id", "method"), ALL)
@settings(max_examples=40, deadline=None)
@given(LINES, TEXT, st.integers(1, 4), st.sampled_from([1, 1, 2, 3]), st.booleans())
def test_equal_to_dictionaries(
    id: str,
    method: Any,
    lines: list[list[int]],
    text: list[int],
    order: int,
    least: int,
    mark: bool,
) -> None:
    # a cut of "<s> <s> the" has no meaning where there is one <s>
    least = 1 if id in MORE_MARKS else least
    mark = mark and id != "jelinek_mercer"
    held = [w for w in text if w < 5]
    # `mark` is never predicted
    model = fitted(method, lines, order, held, least, *((SIZE + 1, SIZE) if mark else (SIZE, None)))
    slow = Slow(id, method, lines, order, held, least)
    place_TM = model.counts.places(np.array([0, *text]))
    p_TV = model.distributions(place_TM)
    assert not mark or (p_TV[:, SIZE] == 0).all()
    for t in range(len(text) + 1):
        assert p_TV[t, :SIZE].tolist() == pytest.approx(slow.row(slow.context(text[:t])), abs=2e-6)
    if method.is_probability and id != "mle":
        assert p_TV.sum(1) == pytest.approx(1, abs=1e-5)


@sampled(("id", "method"), ALL)
@settings(max_examples=25, deadline=None)
@given(LINES, TEXT, st.integers(1, 5), st.integers(1, 3))
def test_parts_and_masses_add_up(
    id: str, method: Any, lines: list[list[int]], text: list[int], order: int, least: int
) -> None:
    order = min(order, 4) if getattr(method, "lambdas", "") else order
    model = fitted(method, lines, order, lines[0], least)
    ids_T = np.array([0, *text])
    place_TM = model.counts.places(ids_T)
    p_TV, gamma_TM, weight_TM = (
        model.distributions(place_TM),
        model.backoff(place_TM),
        model.weights(place_TM),
    )
    if method.is_probability and id != "mle":
        assert p_TV.sum(1) == pytest.approx(1, abs=1e-5)
    own_TM = model.mass(place_TM, gamma_TM)
    assert own_TM.min() >= -1e-9
    assert own_TM.sum(1) == pytest.approx(p_TV.sum(1), abs=1e-5)
    assert model.distributions(
        place_TM, model.reweigh(place_TM, gamma_TM, own_TM, own_TM)
    ) == pytest.approx(p_TV, abs=2e-6)
    part_TKM = model.ladder(place_TM, weight_TM, np.tile(np.arange(SIZE), (len(ids_T), 1)))["part"]
    assert part_TKM.sum(2) == pytest.approx(p_TV, abs=1e-6)
    next_T = p_TV[np.arange(len(text)), text]
    assert model.parts(place_TM[1:], weight_TM[:-1]).sum(1) == pytest.approx(next_T, abs=1e-6)
    assert model.probabilities(ids_T) == pytest.approx(next_T, abs=1e-6)


@sampled(("id", "method"), ALL)
@settings(max_examples=10, deadline=None)
@given(LINES, TEXT, st.integers(1, 4), st.integers(1, 3), st.booleans(), st.booleans())
def test_stored_and_read_again(
    id: str,
    method: Any,
    lines: list[list[int]],
    text: list[int],
    order: int,
    least: int,
    compact: bool,
    mark: bool,
) -> None:
    model = fitted(
        method, lines, order, lines[0], least, *((SIZE + 1, SIZE) if mark else (SIZE, None))
    )
    again = Smoothed.from_arrays(model.method, model.arrays(compact), 0, model.never)
    mine_TM, same_TM = (m.counts.places(np.array([0, *text, 0, *text])) for m in (model, again))
    assert (mine_TM == same_TM).all()
    assert (model.distributions(mine_TM) == again.distributions(same_TM)).all()
    assert again.probabilities(ids_of([text])) == pytest.approx(
        model.probabilities(ids_of([text])), abs=1e-12
    )


def test_what_a_cut_off_leaves_of_maximum_likelihood() -> None:
    """After "the cat" came </s> twice, and sat and saw once each, which are cut off."""
    model = smoothed(MLE(), 3, minimum=(1, 1, 2))
    assert close(after(model, "the cat"), row("</s> 1"))
    assert close(after(model, "cat saw"), row("others 0"))


@pytest.mark.parametrize("order", [1, 3, 6])
def test_a_text_shorter_than_the_order(order: int) -> None:
    for methods in KINDS.values():
        for method in methods:
            if not getattr(method, "lambdas", ""):
                model = fitted(method, [[]], order, [])
                p_TV = model.distributions(model.counts.places(np.array([0])))
                assert p_TV.min() >= 0 and p_TV.sum() == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(LINES, TEXT, st.integers(1, 4), st.integers(0, 5))
def test_no_step_makes_the_held_out_text_less_likely(
    lines: list[list[int]], text: list[int], order: int, steps: int
) -> None:
    share_NM = shares(Counts(list(count(ids_of(lines), SIZE, order, 0)), 0), ids_of([text]), SIZE)
    start_M = np.full(order + 1, 1 / (order + 1))
    before, later = (np.log(share_NM @ em(share_NM, start_M, k)).sum() for k in (steps, steps + 1))
    assert later >= before - 1e-9


@together("text", ["a,b", "0.5", "-1,2", "nan,1", "0,0", "1,2,3,4"])
def test_weights_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match="lambdas are"):
        smoothed(JelinekMercer(lambdas=text), 2)


def test_weight_on_one_order_alone() -> None:
    """Where it does not know the context, the longest order that does is all there is."""
    model = smoothed(JelinekMercer(lambdas="1,0,0"), 3)
    assert close(after(model, "the cat"), row("sat 1/4, saw 1/4, </s> 1/2"))
    assert close(after(model, "a cat"), row("sat 1/4, saw 1/4, </s> 1/2"))
    assert after(smoothed(JelinekMercer(lambdas="0,0,1,0"), 3), "the cat")["the"] == pytest.approx(
        6 / 26
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 6), max_size=20))
def test_one_discount_is_a_share(counts: list[int]) -> None:
    assert 0 < one_discount(np.array(counts, np.int64)) < 1
