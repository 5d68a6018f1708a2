"""Counts: how often every run of 1 to n tokens occurs, as sorted arrays.

What      an n-gram of order k is (its first k-1 tokens, its last token): a place among the n-grams
          of order k-1
          and a token.  Sorted by both, what may follow a context is a slice, and an n-gram is found
          by bisection in it.
          The positions of the text are kept in the order of the n-grams that end there; for the
          next order only those of contexts that occur more than once are sorted again.
Source    Heafield, Pouzyrevsky, Clark & Koehn, Scalable Modified Kneser-Ney Language Model
          Estimation, ACL 2013, sec. 3;
          the layout is a trie in arrays: Pauls & Klein, Faster and Smaller N-Gram Language Models,
          ACL 2011, sec. 3;
          two bits a node for its shape: Watanabe, Tsukada & Isozaki, A Succinct N-gram Language
          Model, ACL 2009
Shapes    N = tokens of the training text, G = n-grams of one order, P = n-grams of the order below
          (contexts), T = tokens of a text that is read, M = orders 0 (the empty context) to n
Differs   The marks <s> and </s> are one id, `boundary`: as the first token of an n-gram it is <s>,
          as the last one </s>.
          No n-gram has it in the middle, so none crosses a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np


class Grams:
    """All n-grams of one order, sorted by context, then by last token.

    word_G    integers, last token
    count_G   int32, occurrences, or adjusted counts
    first_P   integers, P + 1 offsets: context p is followed by the n-grams first_P[p] to first_P[p
              + 1]
    suffix_G  place of the n-gram without its first token in the order below, or None:
              `Counts.suffix` finds it
    total_P   integers, sum of the counts of all n-grams of a context, those cut off too
    key_G     int64, context * (number of token ids) + last token
    """

    def __init__(
        self,
        size: int,
        word_G: np.ndarray,
        count_G: np.ndarray,
        first_P: np.ndarray,
        suffix_G: np.ndarray | None = None,
        total_P: np.ndarray | None = None,
    ) -> None:
        self.size, self.word_G, self.count_G, self.first_P, self.suffix_G = (
            size,
            word_G,
            count_G,
            narrow(first_P),
            None if suffix_G is None else narrow(suffix_G),
        )
        if total_P is not None:
            self.__dict__["total_P"] = total_P

    def __len__(self) -> int:
        return len(self.word_G)

    @cached_property
    def total_P(self) -> np.ndarray:
        return narrow(sums(self.first_P, self.count_G))

    @property
    def key_G(self) -> np.ndarray:
        return self.context_G * self.size + self.word_G

    @property
    def context_G(self) -> np.ndarray:
        """(G,) the place of each n-gram's context."""
        return np.repeat(np.arange(len(self.first_P) - 1), np.diff(self.first_P))

    def counted(self, count_G: np.ndarray) -> Grams:
        """The same n-grams with other counts."""
        return Grams(self.size, self.word_G, count_G, self.first_P, self.suffix_G)


class Counts:
    """`orders[k - 1]` holds the n-grams of order k.  Order 1 has one entry per token id, in that
    order, counted or not."""

    def __init__(self, orders: Sequence[Grams], boundary: int) -> None:
        self.orders, self.boundary, self.size = tuple(orders), boundary, len(orders[0])

    def places(self, ids_T: np.ndarray) -> np.ndarray:
        """(T, M) int64: the place of the m-gram that ends in each token; -1 where it was not
        counted; 0 for m = 0."""
        place_TM = np.full((len(ids_T), len(self.orders) + 1), -1, np.int64)
        place_TM[:, 0], place_TM[:, 1] = 0, ids_T
        for m in range(2, len(self.orders) + 1):
            place_TM[1:, m] = self.find(m, place_TM[:-1, m - 1], ids_T[1:])
        return place_TM

    def find(self, order: int, context_Q: np.ndarray, word_Q: np.ndarray) -> np.ndarray:
        """(Q,) int64 places of the n-grams (context, word) of one order; -1 for what is not there
        or has no context (-1).

        A binary search in the slices of all contexts at a time.
        """
        grams = self.orders[order - 1]
        known_K = np.flatnonzero(context_Q >= 0) if len(grams) else np.zeros(0, np.int64)
        low_K, stop_K = (
            grams.first_P[context_Q[known_K] + side].astype(np.int64) for side in (0, 1)
        )
        high_K, word_K, last = stop_K, word_Q[known_K], len(grams) - 1
        for _ in range(int((stop_K - low_K).max(initial=0)).bit_length()):
            middle_K = (low_K + high_K) >> 1
            before_K = (low_K < high_K) & (grams.word_G[np.minimum(middle_K, last)] < word_K)
            low_K, high_K = (
                np.where(before_K, middle_K + 1, low_K),
                np.where(before_K, high_K, middle_K),
            )
        found_K = (low_K < stop_K) & (grams.word_G[np.minimum(low_K, last)] == word_K)
        at_Q = np.full(context_Q.shape, -1, np.int64)
        at_Q[known_K[found_K]] = low_K[found_K]
        return at_Q

    def suffix(self, order: int) -> np.ndarray:
        """(G,) per n-gram of this order (2 and up) the place of its last tokens, all but the first,
        in the order below."""
        grams = self.orders[order - 1]
        if grams.suffix_G is None:
            if order == 2:
                grams.suffix_G = grams.word_G
            else:
                found_G = self.find(
                    order - 1, self.suffix(order - 1)[grams.context_G], grams.word_G
                )
                grams.suffix_G = narrow(found_G)
        return grams.suffix_G

    def rooted(self, order: int) -> np.ndarray:
        """(P,) per context of this order whether it begins with <s>: nothing longer can be known at
        its place."""
        if order == 1:
            return np.zeros(1, bool)
        rooted_P = np.arange(self.size) == self.boundary
        for grams in self.orders[1 : order - 1]:
            rooted_P = np.repeat(rooted_P, np.diff(grams.first_P))
        return rooted_P

    def adjusted(self) -> Counts:
        """Kneser-Ney's counts: below the highest order, the number of distinct tokens to the left
        of an n-gram.

        Nothing stands to the left of <s>: n-grams that begin with it are the only ones with none,
        and keep their counts.
        """
        adjusted = []
        for order, own in enumerate(self.orders[:-1], 1):
            left_G = np.bincount(self.suffix(order + 1), minlength=len(own))
            adjusted.append(own.counted(np.where(left_G > 0, left_G, own.count_G).astype(np.int32)))
        return Counts([*adjusted, self.orders[-1]], self.boundary)

    def keep(self, kept: Sequence[np.ndarray]) -> Counts:
        """Only the n-grams with True in `kept` (one mask per order, all True for order 1) whose
        context is kept as well.

        Totals stay as they are.  A suffix that is cut off is -1.
        """
        orders, below_G = [self.orders[0]], kept[0]
        for wanted_G, grams in zip(kept[1:], self.orders[1:], strict=True):
            old_G = grams.context_G
            kept_G = wanted_G & below_G[old_G]
            renumber_P = np.where(below_G, np.cumsum(below_G) - 1, -1)
            first_P = offsets(np.bincount(renumber_P[old_G[kept_G]], minlength=len(orders[-1])))
            suffix_G = (
                None
                if grams.suffix_G is None
                else np.where((suffix_G := grams.suffix_G[kept_G]) < 0, -1, renumber_P[suffix_G])
            )
            orders.append(
                Grams(
                    self.size,
                    grams.word_G[kept_G],
                    grams.count_G[kept_G],
                    first_P,
                    suffix_G,
                    grams.total_P[below_G],
                )
            )
            below_G = kept_G
        return Counts(orders, self.boundary)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything but the suffixes, in few bytes: small unsigned integers, flat, named
        "order3.word"; "order3.follow" is `unary`."""
        out = squeeze("order1.count", self.orders[0].count_G)
        for k, grams in enumerate(self.orders[1:], 2):
            out[f"order{k}.word"] = grams.word_G.astype(np.min_scalar_type(self.size - 1))
            out |= squeeze(f"order{k}.count", grams.count_G) | {
                f"order{k}.follow": unary(grams.first_P)
            }
            some_P = np.diff(grams.first_P) > 0
            # else the sum tells it
            if (sums(grams.first_P, grams.count_G) != grams.total_P)[some_P].any():
                out |= squeeze(f"order{k}.total", grams.total_P[some_P])
        return out

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], boundary: int) -> Counts:
        count_G = widen(arrays, "order1.count")
        orders = [unigrams(count_G)]
        while f"order{len(orders) + 1}.word" in arrays:
            name = f"order{len(orders) + 1}"
            if f"{name}.successors" in arrays:  # as runs were stored at first
                first_P = offsets(widen(arrays, f"{name}.successors"))
            else:
                first_P = from_unary(arrays[f"{name}.follow"], len(orders[-1]))
            grams = Grams(
                len(count_G),
                arrays[f"{name}.word"].astype(np.int32),
                widen(arrays, f"{name}.count"),
                first_P,
            )
            if f"{name}.total" in arrays:
                grams.total_P[np.diff(first_P) > 0] = widen(arrays, f"{name}.total")
            orders.append(grams)
        return cls(orders, boundary)


def count(stream_N: np.ndarray, size: int, order: int, boundary: int) -> Iterator[Grams]:
    """The n-grams of orders 1 to `order`, one order at a time; `Counts` takes them all.

    stream_N  ids below `size`, with the boundary before each sentence and after the last one
              (`Tokenizer.stream`)
    """
    yield unigrams(np.bincount(stream_N[1:], minlength=size))  # the first boundary is only ever <s>
    small = np.dtype(np.int32 if len(stream_N) < 2**31 else np.int64)
    stream_N = stream_N.astype(small)
    place_N = stream_N.copy()  # place of the n-gram that ends at each position, where one does
    token_N = stream_N.astype(np.min_scalar_type(size))  # 16 bits are sorted by radix
    # where contexts end, by the token that follows, then by place
    end_N = np.argsort(token_N[1:], kind="stable").astype(small)
    end_N = end_N[np.argsort(token_N[end_N], kind="stable")]
    context_N, contexts = stream_N[end_N], size
    for k in range(2, order + 1):
        end_N += 1
        word_N, new_N = stream_N[end_N], changes(context_N)
        # a context that occurs once needs no sorting
        several_S = np.flatnonzero(~(new_N & np.append(new_N[1:], True)))
        key_S = context_N[several_S].astype(np.int64) * size + word_N[several_S]
        from_S = several_S[np.argsort(key_S, kind="stable")]  # quick where most is in order
        end_N[several_S], word_N[several_S] = end_N[from_S], word_N[from_S]
        new_N |= changes(word_N)
        start_G = np.flatnonzero(new_N)
        first_P = offsets(np.bincount(context_N[start_G], minlength=contexts))
        count_G = np.diff(start_G, append=len(end_N)).astype(np.int32)
        grams = Grams(
            size, word_N[start_G].astype(np.int32), count_G, first_P, place_N[end_N[start_G]]
        )
        contexts = len(grams)
        if k < order:
            context_N = np.cumsum(new_N, dtype=small)
            context_N -= 1
            place_N[end_N] = context_N
            goes_on_N = word_N != boundary  # nothing follows </s>
            context_N, end_N = context_N[goes_on_N], end_N[goes_on_N]
        yield grams


def sums(first_P: np.ndarray, value_G: np.ndarray) -> np.ndarray:
    """(P,) the sum of each context's slice; 0 for an empty one."""
    sum_P = np.zeros(len(first_P) - 1, np.float64 if value_G.dtype.kind == "f" else np.int64)
    some_P = first_P[1:] > first_P[:-1]
    if some_P.any():
        sum_P[some_P] = np.add.reduceat(value_G, first_P[:-1][some_P], dtype=sum_P.dtype)
    return sum_P


def narrow(whole: np.ndarray) -> np.ndarray:
    """The same whole numbers in 32 bits, where each of them and one more has room."""
    if whole.dtype != np.int64 or (len(whole) and np.abs(whole).max() >= np.iinfo(np.int32).max):
        return whole
    return whole.astype(np.int32)


def squeeze(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """Whole numbers, most of them small, as bytes; 255 stands for one listed under `name.large`."""
    large = values[values >= 255]
    out = {name: np.minimum(values, 255).astype(np.uint8)}
    return (
        out | {f"{name}.large": large.astype(np.min_scalar_type(large.max()))}
        if len(large)
        else out
    )


def copy_others(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those that are not of the counts; copies, which do not hold the file that they came from."""
    return {
        name: np.array(values) for name, values in arrays.items() if not name.startswith("order")
    }


def widen(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    values = arrays[name].astype(np.int32)
    if f"{name}.large" in arrays:
        values[values == 255] = arrays[f"{name}.large"]
    return values


def unary(first_P: np.ndarray) -> np.ndarray:
    """Bits, eight to a byte: for each context a 1 per n-gram that follows it, then a 0."""
    bits = np.ones(int(first_P[-1]) + len(first_P) - 1, bool)
    bits[first_P[1:] + np.arange(len(first_P) - 1)] = False
    return np.packbits(bits)


def from_unary(packed: np.ndarray, contexts: int) -> np.ndarray:
    """(P + 1,) int64 offsets."""
    end_P = np.flatnonzero(np.unpackbits(packed) == 0)[:contexts]
    return np.concatenate([np.zeros(1, np.int64), end_P - np.arange(len(end_P))])


def offsets(successors_P: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(1, np.int64), successors_P.cumsum(dtype=np.int64)])


def unigrams(count_V: np.ndarray) -> Grams:
    """Order 1: its one context is the empty one."""
    size = len(count_V)
    return Grams(
        size,
        np.arange(size, dtype=np.int32),
        count_V.astype(np.int32),
        np.array([0, size]),
        np.zeros(size, np.int64),
    )


def changes(value_N: np.ndarray) -> np.ndarray:
    """(N,) True where a value is not the one before."""
    return np.append(True, value_N[1:] != value_N[:-1])[: len(value_N)]
