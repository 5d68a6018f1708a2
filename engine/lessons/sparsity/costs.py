"""What every n-gram is worth: Stolcke's divergence for all n-grams of one order, and its formula with
the numbers of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.lessons.sparsity.small import Base, kept
from engine.ngram import backoff, sparsity
from engine.ngram.counts import sums
from engine.ngram.prune import divergence, histories
from engine.views import theme

FEW = 10  # cheapest, and dearest
WIDTHS = {"D, nats": 72, "perplexity, + %": 110, "P before": 74, "P after": 84, "γ′": 56}
FORMULA = (
    r"D = -p(h)\,\big\{\, p(w \mid h)\,[\ln P(w \mid h')",
    r"\quad +\, \ln \gamma'(h) - \ln p(w \mid h)]",
    (
        r"\quad +\, [\ln \gamma'(h) - \ln \gamma(h)]\,\big(1 - \textstyle\sum p(\cdot \mid h)\big)"
        r" \big\}"
    ),
)
GAMMA = (
    r"\gamma'(h) = \frac{1 - \sum p(\cdot \mid h) + p(w \mid h)}{1 - \sum P(\cdot \mid h') + P(w"
    r" \mid h')}"
)


@dataclass(frozen=True, eq=False)
class Costs:
    """Stolcke's formula for every n-gram of one order, and all that goes into it; `left` is 1 minus
    the sum of the listed p."""

    nats_G: np.ndarray
    p_G: np.ndarray
    lower_G: np.ndarray
    often_G: np.ndarray
    gamma_G: np.ndarray
    left_G: np.ndarray
    free_G: np.ndarray
    after_G: np.ndarray  # gamma without the n-gram
    rank_G: np.ndarray  # places, cheapest first
    ids_Gm: np.ndarray


@kept
def costs(base: Base, m: int) -> Costs:
    model, p = base.model, backoff.listed(base.model)
    first_P, lower_G = model.counts.orders[m - 1].first_P, backoff.lower(model, m, p[m - 2])
    often_P, gamma_P = histories(model, p, base.counted.study.raw)[m - 1], model.gamma[m - 1]
    nats_G = divergence(p[m - 1], lower_G, first_P, gamma_P, often_P)
    free_P = np.maximum(1 - sums(first_P, lower_G), 0)
    often_G, gamma_G, free_G = (
        np.repeat(value_P, np.diff(first_P)) for value_P in (often_P, gamma_P, free_P)
    )
    left_G = gamma_G * free_G
    with np.errstate(divide="ignore", invalid="ignore"):
        after_G = (left_G + p[m - 1]) / (free_G + lower_G)
    rank_G = np.argsort(nats_G, kind="stable")
    ids_Gm = backoff.spelled(model.counts, m, np.arange(len(nats_G)))
    numbers = nats_G, p[m - 1], lower_G, often_G, gamma_G, left_G, free_G, after_G
    return Costs(*numbers, rank_G, ids_Gm)


def ranked(base: Base, m: int, threshold: float) -> fr.Chart:
    """All n-grams of one order by what they are worth, with the line at which they are cut."""
    found = costs(base, m)
    rank = sparsity.spread(len(found.nats_G), 300)
    change = np.expm1(found.nats_G[found.rank_G[rank - 1]])
    goes, ends = change < threshold, np.array([1, len(found.nats_G)])
    series = {
        "below": (rank[goes], 100 * change[goes]),
        "above": (rank[~goes], 100 * change[~goes]),
        "threshold": (ends, np.full(2, 100 * threshold)),
    }
    title = f"What each {m}-gram is worth, cheapest first"
    scales = {"log_x": True, "log_y": True, "every": True}
    return base.curves("ranked", title, series, "rank", "growth of the perplexity (%)", **scales)


def spelled(base: Base, found: Costs, place: int) -> str:
    return ("" if base.counted.cut == "characters" else " ").join(
        _word(base, int(id), not n) for n, id in enumerate(found.ids_Gm[place])
    )


def _word(base: Base, id: int, begins: bool) -> str:
    study = base.counted.study
    if id == study.tokenizer.boundary:
        return "<s>" if begins else "</s>"
    return theme.visible(study.vocab[id])


def listing(base: Base, m: int) -> dict[str, int]:
    """The cheapest and the dearest n-grams as they are read, with their places."""
    found = costs(base, m)
    rank = found.rank_G
    if len(rank) > 2 * FEW:
        rank = np.r_[rank[:FEW], rank[-FEW:]]
    return {spelled(base, found, place): place for place in rank.tolist()}


def place_of(base: Base, m: int, text: str) -> int | None:
    """Where an n-gram stands, listed or typed."""
    if (listed := listing(base, m).get(text)) is not None:
        return listed
    study = base.counted.study
    inner = text.strip().removeprefix("<s>").removesuffix("</s>")[:400]
    if base.counted.cut == "characters":
        inner = inner.replace("·", " ")
    tokens, mark = study.tokenizer.encode(inner), [study.tokenizer.boundary]
    begins, ends = text.strip().startswith("<s>"), text.strip().endswith("</s>")
    ids = [*mark * begins, *tokens.ids.tolist(), *mark * ends]
    if len(ids) != m or tokens.unknown:
        return None
    place = int(study.raw.places(np.array(ids, np.int64))[-1, m])
    return place if 0 <= place < len(costs(base, m).nats_G) else None


def rows(base: Base, m: int, places: np.ndarray) -> fr.Rows:
    found = costs(base, m)
    columns = (
        [spelled(base, found, place) for place in places.tolist()],
        found.nats_G[places].tolist(),
        (100 * np.expm1(found.nats_G[places])).tolist(),
        found.p_G[places].tolist(),
        (found.after_G * found.lower_G)[places].tolist(),
        found.after_G[places].tolist(),
    )
    forms = dict.fromkeys(WIDTHS, "%.3g")
    heads = ("n-gram", *WIDTHS)
    return fr.table(heads, zip(*columns, strict=True), forms=forms, widths=WIDTHS)


def latex(x: float) -> str:
    if not np.isfinite(x):
        return r"\infty"
    if x and not 1e-3 <= abs(x) < 1e5:
        base, power = f"{x:.2e}".split("e")
        return rf"{base}{{\cdot}}10^{{{int(power)}}}"
    return f"{x:.4g}"


def formulas(found: Costs, place: int) -> tuple[str, str]:
    """The new weight of the context, and Stolcke's divergence, with the numbers of one n-gram."""
    n = {name: latex(value) for name, value in numbers(found, place).items()}
    gamma = (
        rf"\phantom{{\gamma'(h)}} = \frac{{{n['left']} + {n['p']}}}{{{n['free']} + {n['lower']}}} ="
        rf" {n['after']}"
    )
    filled = (
        rf"\phantom{{D}} = -{n['often']}\,\big\{{\, {n['p']}\,[\ln {n['lower']}",
        rf"\quad +\, \ln {n['after']} - \ln {n['p']}]",
        rf"\quad +\, [\ln {n['after']} - \ln {n['gamma']}] \cdot {n['left']} \big\}}",
        rf"\phantom{{D}} = {n['nats']}",
    )
    return _aligned(GAMMA, gamma), _aligned(*FORMULA, *filled)


def numbers(found: Costs, place: int) -> dict[str, float]:
    of: dict[str, Any] = {
        name: getattr(found, f"{name}_G")[place]
        for name in ("nats", "p", "lower", "often", "gamma", "left", "free", "after")
    }
    return {name: float(value) for name, value in of.items()}


def _aligned(*lines: str) -> str:
    """Short lines, so that they fit on a telephone."""
    return r"\begin{aligned} &" + r" \\ &".join(lines) + r" \end{aligned}"
