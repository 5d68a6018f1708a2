"""A counted model made smaller: by count cut-offs and entropy pruning, every cut a model of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import smoothings
from engine.language.message import _
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import Counted
from engine.ngram.backoff import size_bytes
from engine.ngram.prune import curve, prune
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.text.tokenizers.words import never_of

kept = lru_cache(maxsize=24)  # models and what is measured of them
# of these two nothing is kept for what is left out, or scores do not sum to 1
UNFIT = ("mle", "stupid_backoff")
METHODS = {id: smoothings.get(id).title for id in smoothings.ids() if id not in UNFIT}
CUTS = (0, 1, 2, 3)
STEPS = [float(f"{x}e{e}") for e in range(-8, 0) for x in (1, 2, 5)]
THRESHOLDS = {f"{100 * t:.6f}".rstrip("0").rstrip(".") + "%": t for t in STEPS}
MANY = 300_000  # n-grams; with more, only the powers of ten are measured


@dataclass(frozen=True)
class Base:
    """A counted text with a method."""

    counted: Counted
    method: Smoothing

    @property
    def model(self) -> Smoothed:
        return self.counted.study.smoothed(self.method)

    @property
    def says(self) -> fr.Words:
        return _("{study}, {method}", study=says(self.counted), method=_(self.method.title))

    def curves(
        self, name: str, title: fr.Words, series: fr.Series, x: str, y: str, **more: Any
    ) -> fr.Chart:
        made = {"note": self.says, "source": self.counted.id, "tight": False, **more}
        return fr.curves(name, title, series, x, y, **made)


def takes(method: str, setting: str) -> bool:
    kind: Any = smoothings.get(method)
    return setting in {f.name for f in fields(kind)}


def base(counted: Counted, method: str, d: float, floor: bool) -> Base:
    """`d`: what is subtracted from every count, where the method has a discount; 0: estimated."""
    of: Any = smoothings.get(method)
    settings = {"discount": d, "floor": floor}
    return Base(counted, of(**{n: value for n, value in settings.items() if takes(method, n)}))


@kept
def cut(base: Base, above: int) -> Smoothed:
    """Only n-grams counted more than `above` times; the method sees the counts of counts as they
    were."""
    if not above:
        return base.model
    study = base.counted.study
    least = (1,) + (above + 1,) * (study.order - 1)
    never = never_of(study.tokenizer)
    return Smoothed.estimate(study.tuned(base.method), study.raw, never, least)


@kept
def pruned(base: Base, threshold: float) -> Smoothed:
    return prune(base.model, threshold, base.counted.study.raw)


def ngrams(model: Smoothed) -> int:
    """Of two tokens and more: single tokens always stay."""
    return sum(map(len, model.counts.orders[1:]))


def worth(model: Smoothed, stream_N: np.ndarray) -> tuple[float, int]:
    """(perplexity of the tokens that got a probability, how many got none)."""
    p_N = model.probabilities(stream_N)
    some_N = p_N[p_N > 0]
    found = float(np.exp(-np.log(some_N).mean())) if len(some_N) else float("nan")
    return found, len(p_N) - len(some_N)


@kept
def measured(base: Base) -> list[tuple[str, int, int, float]]:
    """(series, n-grams, bytes, perplexity of what is held out) of every cut-off and every
    threshold."""
    study, found = base.counted.study, list[tuple[str, int, int, float]]()
    held = study.held_stream
    assert held is not None
    for above in CUTS:
        model = cut(base, above)
        found.append(("cut-offs", ngrams(model), size_bytes(model), worth(model, held)[0]))
    steps = STEPS if ngrams(base.model) < MANY else STEPS[::3]
    for p in curve(base.model, (0.0, *steps), held, study.raw):
        found.append(("pruning", sum(p.ngrams[1:]), p.size_bytes, p.perplexity))
    return found


def sizes(base: Base, by: str, threshold: float) -> fr.Chart:
    """Size, `by` n-grams or bytes, against perplexity: both kinds of cut, and the threshold that was
    chosen."""
    model, held = pruned(base, threshold), base.counted.study.held_stream
    assert held is not None
    here = ("chosen", ngrams(model), size_bytes(model), worth(model, held)[0])
    series: dict[str, tuple[list[float], list[float]]] = {}
    for name, many, size, perplexity in (*measured(base), here):
        if by == "bytes" or many:  # none at all has no place on a logarithmic scale
            xs, ys = series.setdefault(name, ([], []))
            xs.append(size if by == "bytes" else many)
            ys.append(perplexity)
    x = "bytes" if by == "bytes" else _("n-grams of 2 or more {cut}", cut=base.counted.cut)
    scales = {"log_x": True, "log_y": True}
    return base.curves("sizes", "Size and perplexity", series, x, "perplexity", **scales)


def compare(
    base: Base, threshold: str, streams: dict[str, np.ndarray]
) -> tuple[list[dict[str, Any]], int]:
    """Every cut-off and the threshold on some texts, and how many tokens got no probability."""
    models = {f"c > {above}" if above else "c > 0: everything": cut(base, above) for above in CUTS}
    models[_("threshold {threshold}", threshold=threshold)] = pruned(base, THRESHOLDS[threshold])
    rows, zeros = [], 0
    for kept_, model in models.items():
        row: dict[str, Any] = {"kept": kept_, "n-grams": ngrams(model), "bytes": size_bytes(model)}
        for name, stream in streams.items():
            row[f"perplexity, {name}"], missed = worth(model, stream)
            zeros += missed
        rows.append(row)
    return rows, zeros
