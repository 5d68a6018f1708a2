"""Beam search: several texts are kept at once, so that a poor first token can still win.

What      at each step every kept text is continued by every token; the `width` likeliest of all
          these are kept.
          score(Y) = log P(Y) / |Y|^alpha, |Y| in tokens, the end included
Source    Graves, Sequence Transduction with Recurrent Neural Networks, 2012, sec. 3; Sutskever et
          al., 2014, sec. 3.2;
          length penalty as in `transformers` (generation/beam_search): alpha 0 compares log P, 1
          the mean per token.
          Wu et al., Google's Neural Machine Translation System, 2016, eq. 14 divide by ((5 + |Y|) /
          6)^alpha instead
Shapes    V = vocabulary
Differs   The search never stops early: it goes on until `steps`, so alpha changes only the order of
          what was found.
          A text that ends among the `width` likeliest is put aside, as in `transformers`, and frees
          its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.analysis.decode.choice import ranked
from engine.analysis.decode.place import Place, take_step
from engine.analysis.decode.rules import Rules, choose
from engine.language.message import refusal

PLAIN = Rules()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A text that was considered: the kept text before it (its position in the step before), its
    last id, ln P of that and of all.

    fate  "kept", "ended" or "dropped"
    """

    parent: int
    ids: tuple[int, ...]
    last: float
    total: float
    fate: str


@dataclass(frozen=True, slots=True)
class Beam:
    """One step: all that was considered, likeliest first; at most `most` of those dropped."""

    seen: tuple[Hypothesis, ...]

    @property
    def kept(self) -> tuple[Hypothesis, ...]:
        return tuple(h for h in self.seen if h.fate == "kept")

    @property
    def ended(self) -> tuple[Hypothesis, ...]:
        return tuple(h for h in self.seen if h.fate == "ended")


def score(total: float, length: int, alpha: float) -> float:
    """ln P of a text over its length in tokens to the power of alpha."""
    return total / length**alpha


def best(steps: Iterable[Beam], alpha: float) -> list[Hypothesis]:
    """All that ended and all that was kept last, highest score first."""
    steps = list(steps)
    found = [h for step in steps for h in step.ended] + list(steps[-1].kept if steps else ())
    return sorted(found, key=lambda h: (-score(h.total, len(h.ids), alpha), h.ids))


def beams(
    place: Place,
    width: int,
    steps: int,
    ends: Collection[int] = (),
    rules: Rules = PLAIN,
    most: int = 0,
) -> Iterator[Beam]:
    """Step after step of the search, until `steps` or until nothing is left to continue.

    ends   ids that end a text
    rules  what may come at all, and with which probability
    most   dropped ones to tell of at each step
    """
    if width < 1:
        raise refusal("a beam keeps at least 1 text, not {width}")
    kept: list[tuple[tuple[int, ...], float, Place]] = [((), 0.0, place)]
    for step in range(steps):
        if step:
            kept = [(ids, total, take_step(behind, ids[-1])) for ids, total, behind in kept]
        offers = list[tuple[float, int, tuple[int, ...]]]()
        for parent, (ids, total, here) in enumerate(kept):
            p_V = choose(here.logit_V, rules, here.seen).p_V
            likely = (id for id in ranked(p_V)[: 2 * width + most].tolist() if p_V[id] > 0)
            offers.extend((total + float(np.log(p_V[id])), parent, (*ids, id)) for id in likely)
        offers.sort(key=lambda offer: (-offer[0], offer[2]))
        seen, dropped = list[Hypothesis](), 0
        onward: list[tuple[tuple[int, ...], float, Place]] = []
        for rank, (total, parent, ids) in enumerate(offers):
            if ids[-1] in ends:
                fate = "ended" if rank < width else "dropped"
            else:
                fate = "kept" if len(onward) < width else "dropped"
            dropped += fate == "dropped"
            if fate == "kept":
                onward.append((ids, total, kept[parent][2]))
            if fate != "dropped" or dropped <= most:
                seen.append(Hypothesis(parent, ids, total - kept[parent][1], total, fate))
        kept = onward
        yield Beam(tuple(seen))
        if not kept:
            return
