"""What the page on decoding writes: futures, beams, and texts side by side; how each is asked for,
made and told to the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from engine.analysis import decode
from engine.analysis.decode import Beam, Place, Rules
from engine.analysis.decode.beam import best
from engine.analysis.decode.sample import pieces, written
from engine.analysis.decode.temperature import softmax
from engine.analysis.rollout import text_of
from engine.lessons.decoding import rules as decoding_rules

if TYPE_CHECKING:
    from engine.models.base import Model

TEXT = 60  # tokens of each of the texts side by side
LIMITS = {"count": (2, 16, 10), "steps": (2, 12, 8), "seed": (0, 999_999, 1), "width": (1, 8, 3)}


@dataclass(frozen=True, slots=True)
class Order:
    rules: Rules
    count: int
    steps: int
    seed: int
    width: int


def order(kind: str, wish: Mapping[str, Any]) -> Order:
    """What was asked for, within limits; a number that a kind does not need is always the same."""

    def number(name: str) -> int:
        low, high, usual = LIMITS[name]
        value = wish.get(name, usual)
        return min(high, max(low, value)) if isinstance(value, int) else usual

    rules = Rules() if kind == "beams" else decoding_rules.read(wish.get("rules"))
    seed = 0 if kind == "beams" else number("seed")
    return Order(rules, number("count"), number("steps"), seed, number("width"))


def ends(model: Model[Any]) -> frozenset[int]:
    """Ids that end a sentence: the line end, and full stop, exclamation and question mark."""
    marks = (i for i, word in enumerate(model.tokenizer.vocab) if word.strip() in (".", "!", "?"))
    return frozenset((model.tokenizer.boundary, *marks))


def futures(place: Place, order: Order) -> Iterator[Any]:
    yield from decode.futures(place, order.rules, order.count, order.steps, order.seed)


def beams(place: Place, order: Order) -> Iterator[Any]:
    """First the greedy text: (ids, ln P); then step after step of the search."""
    closing, ids, total, here = ends(place.model), list[int](), 0.0, place
    for step in range(order.steps):
        p_V = softmax(here.logit_V)
        ids.append(int(p_V.argmax()))
        total += math.log(p_V[ids[-1]])
        if ids[-1] in closing:
            break
        if step < order.steps - 1:
            here = decode.then(here, ids[-1])
    yield ids, total
    yield from decode.beams(place, order.width, order.steps, closing, most=order.width)


def texts(place: Place, order: Order) -> Iterator[Any]:
    """(which of the two, id) one after the other."""
    for name, rules in (("greedy", Rules(temperature=0.0)), ("drawn", order.rules)):
        for id in islice(written(place, rules, order.seed), TEXT):
            yield name, id


KINDS: dict[str, Callable[[Place, Order], Iterator[Any]]] = {
    "futures": futures,
    "beams": beams,
    "texts": texts,
}


def told(kind: str, model: Model[Any], last: int, order: Order, made: list[Any]) -> dict[str, Any]:
    """What the browser draws of the work done so far."""
    if kind == "beams":
        return _told_beams(model, last, order, made)
    if kind == "futures":
        vocab = model.tokenizer.vocab
        nodes = [
            [n.parent, vocab[n.id], _short(n.chance), _short(n.p), n.count]
            for n in decode.tree(made)
        ]
        return {"made": len(made), "of_all": order.count, "nodes": nodes}
    sides = {}
    for name in ("greedy", "drawn"):
        ids = [id for which, id in made if which == name]
        share, again_T = decode.repeated(ids)
        written_T = zip(pieces(last, ids, model.tokenizer), again_T, strict=True)
        sides[name] = {
            "pieces": [[piece, bool(again)] for piece, again in written_T],
            "share": None if math.isnan(share) else share,
        }
    return {"made": len(made), "of_all": 2 * TEXT, **sides}


def _told_beams(model: Model[Any], last: int, order: Order, made: list[Any]) -> dict[str, Any]:
    vocab, steps = model.tokenizer.vocab, made[1:]
    rows = [
        [[h.parent, vocab[h.ids[-1]], _short(h.last), _short(h.total), h.fate] for h in step.seen]
        for step in steps
    ]
    found = [
        [*_text(model, last, list(h.ids), h.total), h.fate == "ended", _path(h.ids, steps)]
        for h in best(steps, 0.0)
    ]
    greedy = _text(model, last, *made[0]) if made else None
    counts = {"made": len(steps), "of_all": order.steps}
    return {**counts, "rows": rows, "found": found, "greedy": greedy}


def _text(model: Model[Any], last: int, ids: list[int], total: float) -> list[Any]:
    return [text_of(model, last, ids), _short(total), len(ids)]


def _short(x: float) -> float:
    return float(f"{x:.6g}")


def _path(ids: tuple[int, ...], steps: list[Beam]) -> list[int]:
    """Per step the row in which this text stands."""
    return [
        next(i for i, h in enumerate(step.seen) if h.ids == ids[:n])
        for n, step in enumerate(steps[: len(ids)], 1)
    ]
