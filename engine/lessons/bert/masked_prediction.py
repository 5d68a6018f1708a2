"""Filling: what an encoder thinks stands at masked places, and how much of that it owes to the
words behind them.

What      P(word | all other words) beside P(word | the words before it), the same model asked
          twice: the second time the text
          ends with the mask
Source    Devlin et al., BERT, 2019, sec. 1 and 3.1 (both sides against left to right)
Shapes    T = tokens, V = vocabulary
Differs   A text longer than the model is cut at its end, and the mark that closes a text is put
          back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from engine.models.abilities import Fills

TOP = 15


@dataclass(frozen=True, slots=True)
class Guess:
    """What one place may hold.  `true`: (label, probability, place among all) of what stood there,
    where that is known."""

    at: int
    p_V: np.ndarray
    true: tuple[str, float, int] | None = None

    def top(self, labels: Sequence[str], most: int = TOP) -> list[tuple[str, float]]:
        """The likeliest, best first."""
        most = min(most, len(self.p_V))
        some = np.argpartition(self.p_V, -most)[-most:]
        return [
            (labels[i], float(self.p_V[i]))
            for i in some[np.argsort(-self.p_V[some], kind="stable")]
        ]


@dataclass(frozen=True, slots=True)
class Sides:
    """The same place seen from both sides and from the left alone."""

    both: Guess
    left: Guess


def fit(model: Model[Any], tokens: Tokens) -> Tokens:
    """As many tokens as the model takes, the closing mark last."""
    if model.context is None or len(tokens) <= model.context:
        return tokens
    kept = tokens[: model.context - 1]
    end = model.tokenizer.end
    labels, spans = (*kept.labels, model.tokenizer.vocab[end]), (*kept.spans, (0, 0))
    return Tokens(np.append(kept.ids, end), labels, spans, kept.unknown, lost=kept.lost)


def words(model: Fills[Any], tokens: Tokens) -> list[int]:
    """The places that hold a word or a piece of one: no mark, nothing masked already."""
    return [
        t
        for t, (_, stop) in enumerate(tokens.spans)
        if stop and tokens.ids[t] != model.tokenizer.mask
    ]


def masked(model: Fills[Any], tokens: Tokens, at: Collection[int]) -> Tokens:
    """The tokens with these words masked."""
    ids, mask = tokens.ids.copy(), model.tokenizer.mask
    ids[list(at)] = mask
    labels = tuple(
        model.tokenizer.vocab[mask] if t in at else label for t, label in enumerate(tokens.labels)
    )
    unknown = tuple(t for t in tokens.unknown if t not in at)
    return Tokens(ids, labels, tokens.spans, unknown, lost=tokens.lost)


@dataclass(frozen=True, slots=True)
class Found:
    """What an encoder makes of a text with masks.

    guesses  what may stand at each of them
    pair     (2,) whether the second sentence follows; None without such a head
    sides    one place, masked beside the others; None without a place or such a head
    """

    guesses: list[Guess]
    pair: np.ndarray | None
    sides: Sides | None = None


def found(model: Fills[Any], tokens: Tokens, at: Collection[int], t: int | None = None) -> Found:
    """The text once the words at `at` are masked too; and place `t`, masked beside them: from both
    sides, and from what stands before it."""
    read = masked(model, tokens, at).ids
    places = np.flatnonzero(read == model.tokenizer.mask).tolist()
    texts: list[tuple[np.ndarray, list[int]]] = [(read, places)]
    if t is not None:
        whole = masked(model, tokens, {*at, t} if t in words(model, tokens) else at).ids
        texts += [(whole, [t]), (np.append(whole[: t + 1], model.tokenizer.end), [t])]
    (p_NV, pair), *more = model.look(texts)

    def guess(place: int, p_V: np.ndarray) -> Guess:
        return Guess(place, p_V, find_masked(model, tokens, place, p_V))

    if p_NV is None:
        return Found([], pair)
    guesses = [guess(place, p_V) for place, p_V in zip(places, p_NV, strict=True)]
    both_left = [guess(t, p_1V[0]) for p_1V, _ in more if t is not None and p_1V is not None]
    return Found(guesses, pair, Sides(*both_left) if both_left else None)


def find_masked(
    model: Fills[Any], tokens: Tokens, t: int, p_V: np.ndarray
) -> tuple[str, float, int] | None:
    """What stood at a place before it was masked; None for a mask that was typed, and for an
    unknown word."""
    id = int(tokens.ids[t])
    if id in (model.tokenizer.mask, model.tokenizer.unknown):
        return None
    return tokens.labels[t], float(p_V[id]), int((p_V > p_V[id]).sum()) + 1


def segments(model: Fills[Any], tokens: Tokens) -> np.ndarray:
    """(T,) 0 for the first sentence and its marks, 1 for what follows the first closing mark."""
    closed = tokens.ids == model.tokenizer.end
    found: np.ndarray = np.minimum(closed.cumsum() - closed, 1)
    return found
