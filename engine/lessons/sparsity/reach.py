"""How far counting reaches: n-grams that occur, what followed some words, and held-out perplexity at
every order and size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine import frame as fr
from engine.core.registry import smoothings
from engine.language.message import _
from engine.language.numbers import figures
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import Counted
from engine.lessons.sparsity import curves
from engine.ngram import sparsity

Points = Sequence[curves.Point]


def law(
    counted: Counted, name: str, title: fr.Words, found: sparsity.Curve, of: str, x: str, y: str
) -> fr.Chart:
    """What was counted, and the straight line through it where both scales are logarithmic."""
    fitted = _("line, slope {slope:.2f}", slope=found.slope)
    series = {of: (found.x, found.y), fitted: (found.x, found.line())}
    return curve(counted, name, title, series, x, y, log_x=True, log_y=True)


def curve(
    counted: Counted, name: str, title: fr.Words, series: fr.Series, x: str, y: str, **more: Any
) -> fr.Chart:
    made = {"note": says(counted), "source": counted.id, "tight": False, **more}
    return fr.curves(name, title, series, x, y, **made)


@fr.once_told
def measured(*, counted: Counted) -> fr.Taking[Points]:
    """Every method at every order, then on growing parts of the text."""
    study, found = counted.study, list[curves.Point]()
    methods = {smoothings.get(id).title: smoothings.get(id)() for id in smoothings.ids()}
    total = len(methods) * (counted.order + len(curves.SHARES))
    yield fr.Progress(0.0, "Measuring on the held-out lines …")
    for walk in (curves.by_order(study, methods), curves.by_size(study, methods)):
        for point in walk:
            found.append(point)
            yield fr.Progress(
                len(found) / total,
                _(
                    "{method}, order {order}, {tokens:,} tokens counted",
                    method=_(point.method),
                    order=point.order,
                    tokens=point.tokens,
                ),
            )
    return found


def split(counted: Counted, points: Points) -> tuple[Points, Points]:
    """Those of each order, and those of each size."""
    at = len({p.method for p in points}) * counted.order
    return points[:at], points[at:]


def perplexities(counted: Counted, points: Points, by: str, again: bool = False) -> fr.Chart:
    """`by` is "order" or "tokens".  Methods that called something impossible, or have scores, are
    not drawn; of the lines that were counted (`again`) all that have no scores are."""
    mine = split(counted, points)[by == "tokens"]
    y = "counted" if again else "perplexity"
    bad = {p.method for p in mine if (p.zeros and not again) or not p.is_probability}
    of: dict[str, list[curves.Point]] = {}
    for p in mine:
        if p.method not in bad:
            of.setdefault(p.method, []).append(p)
    best = sorted(of.items(), key=lambda item: (item[1][-1].zeros > 0, item[1][-1].perplexity))
    series = {m: ([getattr(p, by) for p in ps], [getattr(p, y) for p in ps]) for m, ps in best}
    title = "Perplexity of new lines against the order"
    if again:
        title = "The same of lines that were counted"
    if by == "tokens":
        title = _("Perplexity against the size of the text, order {order}", order=counted.order)
    return curve(
        counted,
        "perplexity-counted" if again else f"perplexity-{by}",
        title,
        series,
        "order" if by == "order" else "tokens counted",
        "perplexity",
        of_series="method" if again else "method, best first",
        log_x=by == "tokens",
        log_y=True,
        every=True,
        whole=by == "order",
    )


def impossible(counted: Counted, points: Points) -> list[dict[str, Any]]:
    """Per model that is not drawn: what it called impossible, and the perplexity of the rest."""
    at_order, at_size = split(counted, points)
    bad = {p.method for p in at_order if p.zeros or not p.is_probability}
    left_out = [
        p
        for some, listed in ((at_order, True), (at_size, False))
        for p in some
        if (p.method in bad) == listed and (p.zeros or not p.is_probability)
    ]
    zero, scores = "gives probability 0 to a token that occurs", "scores do not sum to 1"
    return [
        {
            "method": p.method,
            "order": p.order,
            "tokens counted": p.tokens,
            "probability 0": _("{zeros:,} of {events:,}", zeros=p.zeros, events=p.events),
            "perplexity of the rest": (
                figures(p.perplexity) if p.zeros < p.events else "nothing is left"
            ),
            "reason": zero if p.is_probability else scores,
        }
        for p in sorted(left_out, key=lambda p: p.method)
    ]
