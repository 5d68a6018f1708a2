"""Sample: let a model write on, one token drawn after the other.

What      w_t drawn from what the rules leave of P(w | w_1 ... w_(t-1)); temperature 0 takes the
          likeliest (greedy)
Source    Shannon, A Mathematical Theory of Communication, 1948, sec. 3
Shapes    T = tokens
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from engine.analysis.decode.choice import draw
from engine.analysis.decode.place import Place, read, take_step
from engine.analysis.decode.rules import Rules, choose
from engine.models.base import Model

LONGEST_CHARACTER = (
    4  # bytes of one character in UTF-8: so many byte tokens may have to come before it can be read
)


def written(place: Place, rules: Rules, seed: int = 0) -> Iterator[int]:
    """Ids drawn one after the other, without end."""
    rng = np.random.default_rng(seed)
    while True:
        id = draw(choose(place.logit_V, rules, place.seen).p_V, rng)
        yield id
        place = take_step(place, id)


def sample(
    model: Model[Any], prompt: str, *, steps: int, seed: int = 0, **rules: Any
) -> Iterator[str]:
    """`steps` tokens as the pieces of text that they add to the prompt; `rules` are the fields of
    `Rules`.

    The ids drawn are kept and never cut anew from the text, so every draw comes from what the model
    says about
    exactly these tokens.  A piece is empty while a character is still incomplete (byte-level
    tokens).
    """
    tokens = model.tokens(prompt)
    if steps:
        source = islice(written(read(model, tokens), Rules(**rules), seed), steps)
        yield from pieces(int(tokens.ids[-1]), source, model.tokenizer, steps)  # type: ignore[attr-defined]


def pieces(
    last: int, ids: Iterable[int], tokenizer: Any, count: int | None = None
) -> Iterator[str]:
    """The text that each of the ids adds behind the token `last`; of `count`, the last one also
    where it is no whole character."""
    so_far, told = [last], 0  # the last token whose text is out
    for id in ids:
        so_far.append(id)
        piece = _piece(np.array(so_far), told, tokenizer)
        waiting = (
            piece.endswith("\N{REPLACEMENT CHARACTER}")
            and len(so_far) - 1 - told < LONGEST_CHARACTER
        )
        if waiting and len(so_far) - 1 != count:
            yield ""
        else:
            told = len(so_far) - 1
            yield piece


def _piece(ids_T: np.ndarray, told: int, tokenizer: Any) -> str:
    """The text that the tokens after `told` add: decoding is local, so one token before them is
    enough."""
    before = ids_T[max(0, told) : told + 1].tolist()
    text: str = tokenizer.decode(before + ids_T[told + 1 :].tolist())
    return text[len(tokenizer.decode(before)) :]
