"""Every smoothing method against numbers worked out in fractions, and against slow models made of
dictionaries.

The corpus of four sentences is that of test_ngram_oracle.py.  The fractions are exact: nine tokens
can come next, </s> among them, and <s> is no token of its own.  Those of modified Kneser-Ney count
<unk> as a tenth.
"""

from __future__ import annotations

import math
import re
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
from engine.ngram.counts import Counts, count
from engine.ngram.evaluate import evaluate
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.absolute import Absolute
from engine.ngram.smoothing.add_k import AddK
from engine.ngram.smoothing.base import Smoothing, count_of_counts, one_discount
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


def close(found: dict[str, float], want: dict[str, float]) -> bool:
    return found == pytest.approx(want, abs=1e-6)


# --- rows

HALF = DiscountedBackoff(discount=0.5, floor=False)
MIXED_2, MIXED_3 = JelinekMercer(lambdas=".7,.3"), JelinekMercer(lambdas="0.5, 0.3, 0.2")
NAMED: dict[str, Smoothing] = {
    "mle": MLE(),
    "laplace": Laplace(),
    "add .1": AddK(0.1),
    "mixed": MIXED_3,
    "katz": Katz(2, False),
    "half": HALF,
    "stupid": StupidBackoff(),
    "absolute": Absolute(floor=False),
    "absolute .75": Absolute(0.75, False),
    "witten-bell": WittenBell(),
    "kneser-ney": KneserNey(floor=False),
    "modified": ModifiedKneserNey(),
}
# "a cat" and "cat the" were never seen: maximum likelihood has no row, back-off that of the last word
ROWS = """
mle 2 the: cat 2/3, dog 1/6, mat 1/6
mle 3 the cat: sat 1/4, saw 1/4, </s> 1/2
mle 3 a cat: others 0
laplace 2 the: cat 1/3, dog 2/15, mat 2/15, others 1/15
add .1 2 on: the 21/29, others 1/29
add .1 3 a cat: others 1/9
mixed 3 the cat: a 1/65, cat 2/65, dog 3/130, mat 1/130, on 1/65, sat 14/65, saw 14/65, the 3/65, </s> 28/65
katz 2 the: a 1/72, cat 2/3, dog 5/48, mat 5/48, on 1/72, sat 1/72, saw 1/72, the 1/24, </s> 1/36
katz 2 on: a 11/128, cat 11/64, dog 33/256, mat 11/256, on 11/128, sat 11/128, saw 11/128, the 9/64, </s> 11/64
half 2 the: a 1/36, cat 7/12, dog 1/12, mat 1/12, on 1/36, sat 1/36, saw 1/36, the 1/12, </s> 1/18
half 3 the cat: a 1/24, cat 1/12, dog 1/16, mat 1/48, on 1/24, sat 1/8, saw 1/8, the 1/8, </s> 3/8
stupid 2 the: cat 2/3, dog 1/6, mat 1/6, the 6/65, </s> 4/65, others 2/65
absolute 2 the: cat 911/1482, dog 307/2964, mat 241/2964, the 33/494, </s> 11/247, others 11/494
absolute .75 2 the: cat 187/312, dog 53/624, mat 35/624, the 9/104, </s> 3/52, others 3/104
witten-bell 2 on: cat 1/21, dog 4/105, mat 2/105, the 11/15, </s> 1/21, others 1/35
kneser-ney 2 on: cat 11/646, mat 11/646, on 11/646, the 246/323, </s> 33/646, others 11/323
kneser-ney 3 cat the: cat 137/289, dog 146/1445, mat 107/1445, on 39/1445, the 117/1445, </s> 117/1445, others 78/1445
kneser-ney 3 the cat: sat 185/1156, saw 185/1156, the 234/3179, </s> 2763/6358, a 156/3179, dog 156/3179, others 78/3179
"""


def test_rows() -> None:
    for line in ROWS.strip().splitlines():
        head, want = line.split(": ")
        name, order, context = re.fullmatch(r"(.+) (\d) (.+)", head).groups()  # type: ignore[union-attr]
        found = after(smoothed(NAMED[name], int(order)), context)
        assert close(found, row(want)), line
        if NAMED[name].is_probability and any(found.values()):
            assert sum(found.values()) == pytest.approx(1, abs=1e-6)


# --- settings and what is learned


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
    assert discounts((100, 40, 20, 10))[1:].tolist() == pytest.approx(
        [0.555556, 1.166667, 1.888889], abs=1e-6
    )


# --- cross-entropy and perplexity

# of X1 and of X2: log2 P, and the perplexity without </s>
TABLE = """
laplace 2: -13.937127 4.824679 -18.101102 6.004413
add .1 2: -9.440377 2.873644 -14.574928 4.361506
katz 2: -10.882213 3.303134 -19.284565 7.144939
half 2: -12.625604 4.022600 -17.523562 5.616871
stupid 2: -8.169925 2.491462 -12.192293 3.405551
absolute 2: -11.059835 3.451394 -16.517458 5.274081
witten-bell 2: -10.649299 3.284746 -15.013106 4.460234
kneser-ney 2: -11.035873 3.478360 -17.554401 6.000548
modified 2: -11.714008 3.620776 -18.057613 6.080472
mixed 3: -12.730322 3.888149 -16.949960 5.048457
half 3: -13.906891 4.337887 -17.260528 5.004063
stupid 3: -12.135709 3.594432 -17.480005 5.384649
witten-bell 3: -12.797430 3.851467 -17.166729 5.096087
kneser-ney 3: -12.830008 4.079561 -19.039373 6.612699
modified 3: -14.136476 4.502257 -17.513170 5.175348
"""


def test_cross_entropy_and_perplexity() -> None:
    for line in TABLE.strip().splitlines():
        (name, order), numbers = line.split(": ")[0].rsplit(" ", 1), line.split(": ")[1].split()
        model = smoothed(NAMED[name], int(order), 10 if name == "modified" else 9)
        for text, log2, perplexity in zip((X1, X2), numbers[::2], numbers[1::2], strict=True):
            found = evaluate(model, stream(text))
            whole, words = found.whole, found.without_ends
            assert (whole.tokens, words.tokens) == (len(text.split()) + 1, len(text.split()))
            assert -whole.bits == pytest.approx(float(log2), abs=3e-6), line
            assert words.perplexity == pytest.approx(float(perplexity), abs=3e-6), line
            assert whole.cross_entropy() == pytest.approx(whole.bits / whole.tokens)
            assert whole.perplexity == pytest.approx(2 ** (whole.bits / whole.tokens))
            assert found.is_probability == (name != "stupid")


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


# --- against dictionaries

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
    "katz": [Katz(1), Katz(2, False), Katz(5)],
    "stupid_backoff": [StupidBackoff(), StupidBackoff(1.0)],
    "witten_bell": [WittenBell()],
    "modified_kneser_ney": [ModifiedKneserNey()],
} | {
    id: [kind(0.0), kind(0.75, False), kind(1.0)]
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
    p_TV, gamma_TM = model.distributions(place_TM), model.backoff(place_TM)
    weight_TM = model.weights(place_TM)
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


def test_a_text_shorter_than_the_order() -> None:
    for method, *_ in KINDS.values():
        for order in (1, 3, 6):
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
