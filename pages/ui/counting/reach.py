"""How far counting reaches: the pictures of the lesson on sparsity, made from a counted text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from engine.analysis import curves
from engine.core.registry import smoothings
from engine.core.trace import Table
from engine.language.numbers import figures
from engine.live.markdown import sentence
from engine.ngram import sparsity, trie
from engine.views import theme
from pages.ui import plate
from pages.ui.counting.context import Context, escape
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate

DRAWN = 8  # children of a node of the tree
AT_ONCE = (
    600_000  # tokens; a longer text is measured when asked for, as it takes more than two seconds
)


def curve(
    chosen: Chosen,
    id: str,
    says: str,
    series: Mapping[str, tuple[Iterable[float], Iterable[float]]],
    of_series: str = "",
    **options: Any,
) -> Plate:
    """Named pairs of (x, y) as one picture; `options` are those of `plate.lines`."""
    return plate.lines(
        id,
        says,
        [(name, x, y) for name, (x, y) in series.items()],
        chosen.id,
        chosen.says,
        of_series=of_series,
        kept=f"{chosen.key} {id}",
        **options,
    )


def possible(chosen: Chosen, rows: list[sparsity.Row]) -> Plate:
    orders = range(1, len(rows) + 1)
    series: dict[str, tuple[Iterable[float], Iterable[float]]] = {
        "possible, V^n": (orders, [float(row.possible) for row in rows]),
        "in the text": (orders, [row.distinct for row in rows]),
    }
    says, x = "Possible n-grams and n-grams that occur", f"n, {chosen.cut} in a row"
    return curve(
        chosen, "possible", says, series, x=x, y="different n-grams", log_y=True, whole=True
    )


def distinct(chosen: Chosen, rows: list[sparsity.Row]) -> Plate:
    orders = [row.order for row in rows]
    series = {
        "all": (orders, [row.tokens for row in rows]),
        "different": (orders, [row.distinct for row in rows]),
        "seen once": (orders, [row.once for row in rows]),
    }
    says = "All n-grams, different ones, and those seen once"
    x = f"n, {chosen.cut} in a row"
    return curve(chosen, "distinct", says, series, x=x, y="n-grams", whole=True)


def zipf(chosen: Chosen) -> tuple[Plate, float]:
    """The picture and the exponent s of f ~ rank^-s."""
    found = sparsity.zipf(chosen.study.raw)
    says, x = "Zipf's law: count against rank", "rank, most frequent first"
    return _law(chosen, "zipf", says, "counts", found, x, "count"), -found.slope


def growth(chosen: Chosen) -> tuple[Plate, float]:
    """The picture and the exponent b of V ~ N^b."""
    found = sparsity.growth(chosen.study.stream, chosen.study.tokenizer.boundary)
    says, y = f"Heaps' law: new {chosen.cut} keep coming", f"different {chosen.cut}"
    return _law(chosen, "growth", says, y, found, f"{chosen.cut} read", y), found.slope


def _law(
    chosen: Chosen, id: str, says: str, name: str, found: sparsity.Curve, x: str, y: str
) -> Plate:
    """What was counted, and the straight line through it where both scales are logarithmic."""
    fitted = f"line, slope {found.slope:.2f}"
    series = {name: (found.x, found.y), fitted: (found.x, found.line())}
    return curve(chosen, id, says, series, x=x, y=y, log_x=True, log_y=True)


def tree(chosen: Chosen, context: Context, deep: int) -> tuple[Plate, list[str]]:
    """What followed the longest ending of the context that was counted, and the words to go deeper
    with."""
    study, ids, labels = chosen.study, context.ids, context.labels
    keep = min(len(ids), chosen.order - 1)
    while keep and study.raw.places(ids)[-1, keep] < 0:
        keep -= 1
    if keep and not trie.following(study.raw, ids[-keep:].tolist(), 1, 1).nodes[0].count:
        keep = 0
    found = trie.following(study.raw, ids[len(ids) - keep :].tolist() if keep else (), deep, DRAWN)
    said = " ".join(labels[len(labels) - keep :]) if keep else ""
    words = [said or "whole text"] + [_word(study.vocab, node) for node in found.nodes[1:]]
    columns = {
        "node": range(len(found.nodes)),
        "parent": [node.parent for node in found.nodes],
        "word": words,
        "count": [node.count for node in found.nodes],
        "share": [found.share(i) for i in range(len(found.nodes))],
    }
    if said and keep < len(labels):
        unit, were = (chosen.cut, "were") if keep > 1 else (chosen.cut[:-1], "was")
        st.caption(
            f"“{escape(context.said)}” is never followed by anything in this text; its last {keep}"
            f" {unit}, “{escape(said)}”, {were}."
        )
    elif not said:
        st.caption(
            "No part of this was ever followed by anything, so the frequencies of the"
            " whole text are shown."
        )
    says = f"What followed “{said}”" if said else "Frequencies in the whole text"
    follow = [
        w
        for w, node in zip(words, found.nodes, strict=True)
        if node.depth == 1 and not node.is_rest and node.id != study.tokenizer.boundary
    ]
    table = Table.of("tree", says, columns, ("node", "parent"))
    return Plate("tree", "tree", (table,), chosen.id, chosen.says, said), follow


def shown(word: str) -> str:
    """A word as Markdown shows it; a space is a sign too."""
    return escape(theme.visible(word))


def _word(vocab: tuple[str, ...], node: trie.Node) -> str:
    return f"{node.kinds:,} more" if node.is_rest else vocab[node.id]


@st.cache_resource(max_entries=8, show_spinner=False)
def _kept(key: str) -> list[curves.Point]:
    """Filled once by whoever measures first."""
    return []


def measured(chosen: Chosen) -> list[curves.Point]:
    """Every method at every order, then on growing parts of the text.  Empty until somebody asks
    for it."""
    study = chosen.study
    points = _kept(chosen.key)
    if points or (
        len(study.stream) > AT_ONCE
        and not st.button(f"Measure all {len(smoothings.ids())} methods", key="measure")
    ):
        return points
    methods = {smoothings.get(id).title: smoothings.get(id)() for id in smoothings.ids()}
    total, found = len(methods) * (chosen.order + len(curves.SHARES)), list[curves.Point]()
    bar = st.progress(0.0, "Measuring on the held-out lines …")
    try:
        for walk in (curves.by_order(study, methods), curves.by_size(study, methods)):
            for point in walk:
                found.append(point)
                bar.progress(
                    min(1.0, len(found) / total),
                    f"{point.method}, order {point.order}, {point.tokens:,} tokens counted",
                )
    except ValueError as problem:
        st.info(sentence(problem))
        return []
    finally:
        bar.empty()
    points[:] = found
    return points


def perplexity(chosen: Chosen, points: list[curves.Point], by: str) -> Plate:
    """`by` is "order" or "tokens".  Methods that called something impossible, or have scores, are
    not drawn."""
    at_order = len({p.method for p in points}) * chosen.order
    mine = points[:at_order] if by == "order" else points[at_order:]
    bad = {p.method for p in mine if p.zeros or not p.is_probability}
    of: dict[str, list[curves.Point]] = {}
    for p in mine:
        if p.method not in bad:
            of.setdefault(p.method, []).append(p)
    best = sorted(of.items(), key=lambda item: item[1][-1].perplexity)
    series = {m: ([getattr(p, by) for p in ps], [p.perplexity for p in ps]) for m, ps in best}
    says, x = "Perplexity against the order", "order"
    if by == "tokens":
        says = f"Perplexity against the size of the text, order {chosen.order}"
        x = "tokens counted"
    return curve(
        chosen,
        f"perplexity-{by}",
        says,
        series,
        "method, best first",
        x=x,
        y="perplexity",
        log_x=by == "tokens",
        log_y=True,
        every=True,
        whole=by == "order",
    )


def impossible(chosen: Chosen, points: list[curves.Point]) -> list[dict[str, Any]]:
    """Per model that is not drawn: what it called impossible, and the perplexity of the rest."""
    orders = len({p.method for p in points}) * chosen.order
    bad = {p.method for p in points[:orders] if p.zeros or not p.is_probability}
    left_out = [
        p
        for i, p in enumerate(points)
        if (p.method in bad) == (i < orders) and (p.zeros or not p.is_probability)
    ]
    zero, scores = "gives probability 0 to a token that occurs", "scores do not sum to 1"
    return [
        {
            "method": p.method,
            "order": p.order,
            "tokens counted": p.tokens,
            "probability 0": f"{p.zeros:,} of {p.events:,}",
            "perplexity of the rest": (
                figures(p.perplexity) if p.zeros < p.events else "nothing is left"
            ),
            "reason": zero if p.is_probability else scores,
        }
        for p in sorted(left_out, key=lambda p: p.method)
    ]
