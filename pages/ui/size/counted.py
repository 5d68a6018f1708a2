"""What a counted model can do without: count cut-offs and entropy pruning, every cut a model of its
own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import streamlit as st

from engine.core.registry import smoothings
from engine.ngram.backoff import size_bytes
from engine.ngram.prune import curve, prune
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.text.tokenizers.words import never_of
from pages.ui import ask
from pages.ui import rows as table
from pages.ui.counting import reach
from pages.ui.counting.context import clean
from pages.ui.counting.smoothers import discount
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate

FIRST = "Modified Kneser-Ney"
# nothing is kept for what is left out, or scores that do not sum to 1
UNFIT = ("mle", "stupid_backoff")
CUTS = (0, 1, 2, 3)
STEPS = [float(f"{x}e{e}") for e in range(-8, 0) for x in (1, 2, 5)]
THRESHOLDS = {f"{100 * t:.6f}".rstrip("0").rstrip(".") + "%": t for t in STEPS}
MOST = 200_000  # tokens of the counted text that are measured
OWN = ("the counted text", f"its first {MOST:,} tokens")
MANY = 300_000  # n-grams; with more, only the powers of ten are measured


Series = Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True)
class Base:
    """A counted text with the method of the page."""

    chosen: Chosen
    method: Smoothing

    @property
    def key(self) -> str:
        return f"{self.chosen.key} {self.method!r}"

    @property
    def model(self) -> Smoothed:
        return self.chosen.study.smoothed(self.method)

    @property
    def says(self) -> str:
        return f"{self.chosen.says}, {self.method.title}"

    def curve(self, id: str, says: str, series: Series, *more: object, **options: Any) -> Plate:
        """Named pairs of (x, y); the picture is kept until the model or one of `more` changes."""
        kept = " ".join(map(str, (self.key, id, *more)))
        made = reach.curve(self.chosen, id, says, series, **options)
        return replace(made, of=self.says, kept=kept)


# `hash_funcs` of what is kept of a model
BY_MODEL: Any = {Base: attrgetter("key")}


def choose(chosen: Chosen) -> Base:
    """The method with its settings."""
    kinds: dict[str, Any] = {
        smoothings.get(id).title: smoothings.get(id) for id in smoothings.ids() if id not in UNFIT
    }
    kind = kinds[ask.pick("Smoothing", sorted(kinds), "method", FIRST)]
    settings: dict[str, Any] = {}
    if "discount" in kind.__dataclass_fields__:
        says = "Subtracted from every count. Estimated, it is n1 / (n1 + 2 n2) of each order."
        settings["discount"] = discount(says)
    if "floor" in kind.__dataclass_fields__:
        settings["floor"] = ask.toggle("Reserve a little for unknown words", "floor", True)
    return Base(chosen, kind(**settings))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_MODEL)
def cut(base: Base, above: int) -> Smoothed:
    """Only n-grams counted more than `above` times; the method sees the counts of counts as they
    were."""
    if not above:
        return base.model
    study, least = base.chosen.study, (1,) + (above + 1,) * (base.chosen.study.order - 1)
    never = never_of(study.tokenizer)
    return Smoothed.estimate(study.tuned(base.method), study.raw, never, least)


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=BY_MODEL)
def pruned(base: Base, threshold: float) -> Smoothed:
    return prune(base.model, threshold, base.chosen.study.raw)


def ngrams(model: Smoothed) -> int:
    """Of two tokens and more: single tokens always stay."""
    return sum(map(len, model.counts.orders[1:]))


@st.cache_data(max_entries=400, show_spinner=False)
def worth(key: str, what: str, _model: Smoothed, _stream_N: np.ndarray) -> tuple[float, int]:
    """(perplexity of the tokens that got a probability, how many got none)."""
    p_N = _model.probabilities(_stream_N)
    some_N = p_N[p_N > 0]
    found = float(np.exp(-np.log(some_N).mean())) if len(some_N) else float("nan")
    return found, len(p_N) - len(some_N)


@st.cache_data(max_entries=24, show_spinner="Pruning …", hash_funcs=BY_MODEL)
def measured(base: Base) -> list[tuple[str, int, int, float, int]]:
    """(series, n-grams, bytes, perplexity, tokens of probability 0) of every cut-off and every
    threshold."""
    study, found = base.chosen.study, list[tuple[str, int, int, float, int]]()
    held = study.held_stream
    assert held is not None
    for above in CUTS:
        model = cut(base, above)
        held_out = worth(base.key, f"held c > {above}", model, held)
        found.append(("cut-offs", ngrams(model), size_bytes(model), *held_out))
    steps = STEPS if ngrams(base.model) < MANY else STEPS[::3]
    for p in curve(base.model, (0.0, *steps), held, study.raw):
        found.append(("pruning", sum(p.ngrams[1:]), p.size_bytes, p.perplexity, p.zeros))
    return found


def sizes(base: Base, by: str, threshold: float) -> Plate:
    """Size (`by` is n-grams or bytes) against perplexity, both kinds of cut, and the threshold that
    was chosen."""
    model, held = pruned(base, threshold), base.chosen.study.held_stream
    assert held is not None
    here = worth(base.key, f"held {threshold}", model, held)[0]
    chosen = "chosen", ngrams(model), size_bytes(model), here, 0
    series: dict[str, tuple[list[float], list[float]]] = {}
    for name, many, size, perplexity, _ in (*measured(base), chosen):
        if by == "bytes" or many:  # none at all has no place on a logarithmic scale
            xs, ys = series.setdefault(name, ([], []))
            xs.append(size if by == "bytes" else many)
            ys.append(perplexity)
    x = "bytes" if by == "bytes" else f"n-grams of 2 or more {base.chosen.cut}"
    scales = {"log_x": True, "log_y": True}
    says = "Size and perplexity"
    return base.curve("sizes", says, series, by, threshold, x=x, y="perplexity", **scales)


def compare(base: Base, threshold: str) -> None:
    """The cut-offs and the chosen threshold, on three texts."""
    typed = clean(ask.text("Your own sentence, measured too", "sentence", 600, "Type a sentence"))
    own = base.chosen.study.tokenizer.stream([typed.replace("\n", " ")]) if typed.strip() else None
    own_N = base.chosen.study.stream[:MOST]
    models = {f"c > {above}" if above else "c > 0: everything": cut(base, above) for above in CUTS}
    models[f"threshold {threshold}"] = pruned(base, THRESHOLDS[threshold])
    rows, zeros = [], 0
    for says, model in models.items():
        row = {"kept": says, "n-grams": ngrams(model), "bytes": size_bytes(model)}
        for name, stream in (
            ("held out", base.chosen.study.held_stream),
            (OWN[len(own_N) < len(base.chosen.study.stream)], own_N),
            ("the sentence", own),
        ):
            if stream is not None:
                what = f"{says} {name} {typed if stream is own else ''}"
                row[f"perplexity, {name}"], missed = worth(base.key, what, model, stream)
                zeros += missed
        rows.append(row)
    forms = {n: "%.7g" if n.startswith("perplexity") else table.WHOLE for n in list(rows[0])[1:]}
    table.show(rows, "compared", forms)
    zero = " Some tokens have probability 0; the perplexity covers the others." if zeros else ""
    st.caption(
        f"n-grams: those of 2 or more {base.chosen.cut}; single {base.chosen.cut} are always"
        f" kept.{zero}"
    )
