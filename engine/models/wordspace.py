"""Word space: one vector a word.  All that is the same however the vectors were learned.

What      vector of a word = its row of the table, or what a model composes for a word that has no
          row;
          alike(a, b) = a . b / (|a| |b|), the cosine
Source    Salton, Wong & Yang, A Vector Space Model for Automatic Indexing, 1975 (the cosine as
          likeness)
Shapes    V = vocabulary with its three marks, D = width, T = typed words, U = typed words without
          repetition
Differs   Words of the text are lower-cased unless the tokenizer says otherwise.  Such a model says
          which words are alike, not which comes next: `probability` is a prediction made from
          likeness alone (nn/wordmean.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol, Self, TypeVar

import numpy as np
import torch

from engine.core.cache import once
from engine.core.numbers import tensor
from engine.core.registry import tokenizers
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind, TableSpec
from engine.language.message import _, refusal
from engine.models.abilities import Knows
from engine.models.base import Weights
from engine.models.cost import Cut
from engine.nn import packed, wordmean
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.words import START, Words
from engine.vectors.base import Vectors

MARKS = 3  # <unk>, <s>, </s>: they have a row and never a vector
NEIGHBOURS = 12
REMEMBERED = 4096  # words whose neighbours are kept, about 2 MB
ROWS = 128  # words compared with the vocabulary at a time: 10 MB at 20,000 words


class SpaceConfig(Protocol):
    """What the shared part reads from a config; read-only, as configs are frozen."""

    @property
    def tokenizer(self) -> str: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def min_count(self) -> int: ...


C = TypeVar("C", bound=SpaceConfig)


class WordSpace(Knows[C]):
    """A subclass says how the vectors are learned (`fit`) and, where it can, what an unknown word's
    vector is (`compose`)."""

    foretells, by_id = True, True
    tokenizer: Words

    def __init__(
        self, config: C, tokenizer: Words, in_VD: np.ndarray, count_V: np.ndarray, beta: float
    ) -> None:
        """`in_VD` float32, the vectors as trained; `count_V` how often each word and mark stood in
        the training text."""
        self.config, self.tokenizer, self.in_VD, self.counts, self.beta = (
            config,
            tokenizer,
            in_VD,
            count_V,
            beta,
        )
        self._labels = {"word": tokenizer.vocab, "next": tokenizer.vocab}
        self._share_V = _shares(count_V)
        self._log_share_V = wordmean.log_shares(self._share_V)

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        tokenizer, stream_N = learn(list(lines), config)
        return Cut(len(stream_N), len(tokenizer.vocab))

    @classmethod
    def finished(
        cls,
        config: C,
        tokenizer: Words,
        in_VD: np.ndarray,
        count_V: np.ndarray,
        held_out: list[str],
    ) -> Self:
        """The model at the end of training; `beta` is found on the held-out lines."""
        beta = wordmean.find_beta(_unit(in_VD), _shares(count_V), tokenizer.ids(held_out))
        return cls(config, tokenizer, in_VD, count_V, beta)

    @property
    def vocab(self) -> tuple[str, ...]:
        """V words; the first three are marks without a vector."""
        return self.tokenizer.vocab

    @cached_property
    def vectors(self) -> np.ndarray:
        """(V, D) float32, each of length 1; zeros for the marks.  Read-only."""
        unit_VD = self._unit_VD.view()
        unit_VD.setflags(write=False)
        return unit_VD

    @cached_property
    def _unit_VD(self) -> np.ndarray:
        return _unit(self.in_VD)

    @cached_property
    def space(self) -> Vectors:
        """The words with their vectors as trained and their counts, without the marks; commonest
        first."""
        return Vectors(self.vocab[MARKS:], self.in_VD[MARKS:], self.counts[MARKS:])

    def compose(self, word: str) -> np.ndarray | None:
        """A vector (D,) for a word that has no row, or None where this model can't make one."""
        return None

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text).after(1, START)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels, "query": tokens.labels, "key": tokens.labels}

    @once
    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        return (
            FieldSpec(
                "vector",
                Kind.STATE,
                ("token", "dim"),
                "The vector of each word; zeros where it is not known.",
                "h",
                domain=(-1, 1),
            ),
            FieldSpec(
                "cosine",
                Kind.COSINE,
                ("query", "key"),
                "Cosine of two words of the text: 1 same direction, 0 unrelated.",
                "cos",
                causal=False,
            ),
            FieldSpec(
                "nearness",
                Kind.COSINE,
                ("token", "word"),
                "Cosine of each word with every word of the vocabulary.",
                "cos",
            ),
            FieldSpec(
                "context", Kind.STATE, ("token", "dim"), "Mean direction of the last words.", "m"
            ),
            FieldSpec(
                "probability",
                Kind.PROBABILITY,
                ("token", "next"),
                "Next-word probabilities from similarity alone.",
                "P",
            ),
            TableSpec(
                "neighbours",
                ("position", "rank", "word", "cosine"),
                _(
                    "The {neighbours} nearest words of each word, without the word itself.",
                    neighbours=NEIGHBOURS,
                ),
            ),
        )

    def lead(self, start: int) -> int:
        return max(0, start - wordmean.MEMORY + 1)

    def run(self, tokens: Tokens, tap: Tap) -> None:
        read_TD, key_T = self._rows(tokens)
        vector_TD = tap("vector", read_TD, ("token", "dim"))
        if tap.edits("vector", "nearness"):
            first_U = row_T = np.arange(len(tokens))
        else:  # a long text repeats its words: each is compared once
            __, first_U, row_T = np.unique(key_T, return_index=True, return_inverse=True)
        unit_UD = _unit(vector_TD[first_U])
        if tap.wants("cosine"):
            tap("cosine", _cosine(unit_UD, unit_UD)[row_T][:, row_T], ("query", "key"))
        else:
            tap(
                "cosine",
                np.broadcast_to(np.float32(0), (len(tokens), len(tokens))),
                ("query", "key"),
            )
        context_TD = tap(
            "context",
            wordmean.contexts(_unit(vector_TD), self._share_V[tokens.ids]),
            ("token", "dim"),
        )
        nearness_TV = np.broadcast_to(np.float32(0), (len(tokens), len(self.vocab)))
        expected_TV = nearness_TV
        # no other row is looked at, so none is made
        first, stop = (0, len(tokens)) if tap.edits("probability") else tap.window(len(tokens))
        whole = tap.wants("nearness") or tap.edits("nearness")
        start, end = tap.window(len(tokens))
        kept_U, row_W = np.unique(row_T[start:end], return_inverse=True)
        near_UV = None
        if tap.wants("probability"):
            asked_TD, kept_UD = context_TD[first:stop], unit_UD[kept_U]
            both = tap.wants("neighbours") and len(asked_TD) + len(kept_UD) <= packed.MOST_ROWS
            if both and not whole:  # the table of all words is read once for both
                cosine_RV = self._cosines(np.concatenate((asked_TD, kept_UD)))
                cosine_TV, near_UV = cosine_RV[: len(asked_TD)], cosine_RV[len(asked_TD) :]
            else:
                cosine_TV = self._cosines(asked_TD)
            expected_TV = np.empty(nearness_TV.shape, np.float32)
            expected_TV[first:stop] = wordmean.weighed(cosine_TV, self._log_share_V, self.beta)
        tap("probability", expected_TV, ("token", "next"))
        if whole:
            nearness_TV = self._cosines(unit_UD)[row_T]
        nearness_TV = tap("nearness", nearness_TV, ("token", "word"))
        if whole:
            unit_UD, first_U, row_T = unit_UD[row_T], np.arange(len(tokens)), np.arange(len(tokens))
            tap.table(
                "neighbours",
                lambda: self._neighbours(tokens.ids[first_U], row_T, unit_UD, nearness_TV, 0),
            )
        else:
            id_U, key_U = tokens.ids[first_U[kept_U]], key_T[first_U[kept_U]]
            own_U = key_U < (0 if tap.edits("vector") else len(self.vocab))  # not composed
            tap.table(
                "neighbours",
                lambda: self._neighbours(id_U, row_W, unit_UD[kept_U], near_UV, start, own_U),
            )

    @cached_property
    def _table(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors as trained (V, D), and what a product with one is multiplied by to become a
        cosine (V,)."""
        in_VD = tensor(self.in_VD)
        packed.offer_table(in_VD)
        length_V = in_VD.norm(dim=-1)
        return in_VD, torch.where(length_V > 0, 1 / length_V, 1.0)

    @torch.no_grad()
    def _cosines(self, unit_UD: np.ndarray) -> np.ndarray:
        """The cosines (U, V) of vectors of length 1 with every word."""
        if len(unit_UD) > packed.MOST_ROWS:
            return _cosine(unit_UD, self._unit_VD)
        in_VD, by_V = self._table
        product_UV = packed.product(torch.from_numpy(unit_UD), in_VD).mul_(by_V)
        found: np.ndarray = product_UV.clamp_(-1, 1).numpy()
        return found

    def _rows(self, tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
        """Per word of the text its vector (T, D), and a number (T,) that is the same where the word
        is."""
        vector_TD, key_T = self.in_VD[tokens.ids], tokens.ids.copy()
        made: dict[str, tuple[int, np.ndarray | None]] = {}
        for t in tokens.unknown if type(self).compose is not WordSpace.compose else ():
            word = tokens.labels[t]
            if word not in made:
                made[word] = len(self.vocab) + len(made), self.compose(word)
            key, vector_D = made[word]
            if vector_D is not None:
                vector_TD[t], key_T[t] = vector_D, key
        return vector_TD, key_T

    def _neighbours(
        self,
        id_U: np.ndarray,
        row_T: np.ndarray,
        unit_UD: np.ndarray,
        nearness_UV: np.ndarray | None,
        first: int,
        own_U: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Per word of the text its nearest ones.  `nearness_UV` is computed here, a few rows at a
        time, when it is None.  `first`: the position of the first word.  `own_U`: which words have
        the vector of their row, so that their neighbours are worth remembering."""
        most = max(0, min(NEIGHBOURS, len(self.vocab) - MARKS - 1))
        near_UK, cosine_UK = (
            np.zeros((len(id_U), most), np.int64),
            np.zeros((len(id_U), most), np.float32),
        )
        own = {} if own_U is None else {int(u): int(id_U[u]) for u in np.flatnonzero(own_U)}
        known = {u: near for u, id in own.items() if (near := self._near.get(id)) is not None}
        for u, near in known.items():
            near_UK[u], cosine_UK[u] = near
        new_N = np.array([u for u in range(len(id_U) if most else 0) if u not in known], int)
        for rows in (new_N[i : i + ROWS] for i in range(0, len(new_N), ROWS)):
            near_UV = (
                self._cosines(unit_UD[rows]) if nearness_UV is None else np.array(nearness_UV[rows])
            )
            near_UV[:, :MARKS] = -np.inf
            near_UV[np.arange(len(near_UV)), id_U[rows]] = -np.inf
            value_UK, top_UK = (
                part.numpy() for part in torch.topk(torch.from_numpy(near_UV), most)
            )
            order_UK = np.lexsort((top_UK, -value_UK))  # equal cosines: the commoner word first
            near_UK[rows], cosine_UK[rows] = (
                np.take_along_axis(top_UK, order_UK, 1),
                np.take_along_axis(value_UK, order_UK, 1),
            )
        if len(self._near) > REMEMBERED:
            self._near.clear()
        self._near |= {own[u]: (near_UK[u].copy(), cosine_UK[u].copy()) for u in own.keys() - known}
        # words without a vector have no neighbours
        position_P = np.flatnonzero(np.any(unit_UD != 0, axis=1)[row_T])
        row_P = row_T[position_P]
        return {
            "position": np.repeat(first + position_P, most),
            "rank": np.tile(np.arange(1, most + 1), len(position_P)),
            "word": self._word_V[near_UK[row_P].ravel()],
            "cosine": cosine_UK[row_P].ravel(),
        }

    @cached_property
    def _near(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """By the id of a word its neighbours and their cosines: a text says its words with every key
        (0.9 ms of 2 without this)."""
        return {}

    @cached_property
    def _word_V(self) -> np.ndarray:
        return np.array(self.vocab, dtype=object)

    def nearest(
        self, vector_D: np.ndarray, most: int = NEIGHBOURS, without: tuple[str, ...] = ()
    ) -> list[tuple[str, float]]:
        """The words nearest to any vector, with their cosine; for word sums: king - man + woman."""
        cosine_V = self.vectors @ _unit(np.asarray(vector_D, np.float32)[None])[0]
        cosine_V[:MARKS] = -np.inf
        ids = self.tokenizer.encode(" ".join(without)).ids
        cosine_V[ids] = -np.inf
        best = np.lexsort((np.arange(len(cosine_V)), -cosine_V))[:most]
        return [(self.vocab[i], float(cosine_V[i])) for i in best if np.isfinite(cosine_V[i])]

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        """The vectors as trained and how often each word occurs; of n-grams, where there are such,
        a row for each bucket."""
        return (
            FieldSpec(
                "vectors", Kind.STATE, ("word", "dim"), "The vector of each word as trained.", "v"
            ),
            FieldSpec(
                "counts",
                Kind.COUNT,
                ("word",),
                "How often each word occurs in the training text.",
                "c",
                "occurrences",
            ),
            *(spec for spec in super().parameters_spec() if spec.name not in ("vectors", "beta")),
        )

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"word": self.tokenizer.vocab}

    def weights(self) -> dict[str, np.ndarray]:
        state = np.frombuffer(self.tokenizer.state(), np.uint8)
        count_V = self.counts.astype(np.min_scalar_type(int(self.counts.max(initial=0))))
        return {
            "vectors": self.in_VD,
            "counts": count_V,
            "beta": np.array([self.beta], np.float64),
            "tokenizer": state,
        }

    @classmethod
    def from_weights(cls, config: C, weights: Weights) -> Self:
        tokenizer = words_of(config).from_state(np.asarray(weights["tokenizer"]).tobytes())
        vectors_VD, count_V = (
            np.asarray(weights["vectors"], np.float32),
            np.asarray(weights["counts"], np.int64),
        )
        return cls(config, tokenizer, vectors_VD, count_V, float(weights["beta"][0]))


def _unit(vector_VD: np.ndarray) -> np.ndarray:
    length_V1 = np.linalg.norm(vector_VD, axis=-1, keepdims=True)
    unit_VD: np.ndarray = vector_VD / np.where(length_V1 > 0, length_V1, 1)
    return unit_VD


def _cosine(unit_UD: np.ndarray, unit_VD: np.ndarray) -> np.ndarray:
    """Products (U, V), by torch: on one thread it is several times faster here than numpy, which
    wakes its own."""
    product_UV: np.ndarray = (
        (torch.from_numpy(unit_UD) @ torch.from_numpy(unit_VD).T).clamp_(-1, 1).numpy()
    )
    return product_UV


def _shares(count_V: np.ndarray) -> np.ndarray:
    """Share of each word and mark in the text, float32, one occurrence added to each; the start
    mark never comes next."""
    share_V = count_V + 1.0
    share_V[1] = 0
    found: np.ndarray = (share_V / share_V.sum()).astype(np.float32)
    return found


def words_of(config: SpaceConfig) -> type[Words]:
    found = tokenizers.get(config.tokenizer)
    if not issubclass(found, Words):
        raise refusal(
            "word vectors are of words: set tokenizer to words or whitespace, not"
            " {config.tokenizer}"
        )
    return found


def learn(lines: list[str], config: SpaceConfig) -> tuple[Words, np.ndarray]:
    """The vocabulary of a text and the text as ids (N,), int32."""
    kind = words_of(config)
    tokenizer = kind.fit(lines, config.vocabulary, lowercase=True)
    stream_N = tokenizer.stream(lines).astype(np.int32)
    if config.min_count > 1:  # commonest first, so the rare words are the last ones
        kept = int((_counts(stream_N, len(tokenizer.vocab)) >= config.min_count).sum())
        tokenizer = kind(tokenizer.vocab[MARKS : MARKS + kept], lowercase=True)
        stream_N[stream_N >= MARKS + kept] = 0
    return tokenizer, stream_N


def _counts(stream_N: np.ndarray, v: int) -> np.ndarray:
    count_V = np.bincount(stream_N, minlength=v)
    count_V[:MARKS] = 0
    return count_V
