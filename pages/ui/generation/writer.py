"""Who writes: a text counted here with a smoothing method, or a trained model; at every order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.live import cache
from engine.live.markdown import escape
from engine.models.ngram import Ngram
from engine.ngram.counts import Counts
from engine.ngram.smoothed import Smoothed
from engine.ngram.suffixes import Suffixes
from engine.text.tokenizers.base import Tokenizer
from pages.ui import ask, shell
from pages.ui.counting import study

FIRST = "Modified Kneser-Ney"
SMALL, TRAINED = "a small text", "the trained model"


@dataclass(frozen=True)
class Writer:
    """`models` of orders 1 to n; `unit` is what they write, word or character.  `study` where the
    text that was counted is at hand."""

    id: str
    says: str
    tokenizer: Tokenizer
    models: tuple[Smoothed, ...]
    study: Study | None
    unit: str = "word"
    key: str = ""  # of the counted text

    def label(self, id: int) -> str:
        return self.tokenizer.vocab[id]


def choose(page: str) -> Writer:
    """The controls of what is counted, and how, in the head of the page."""
    runs = cache.runs("ngram")
    # titles as they are: a bound picker puts what it shows into the address
    titles = [run.title for run in runs]
    by_title = {
        run.title if titles.count(run.title) == 1 else f"{run.title} ({run.id})": run
        for run in runs
    }
    if len(runs) == 1:
        by_title = {TRAINED: runs[0]}
    head = shell.bar()
    source = ask.pick(
        "Counts of",
        [SMALL, *by_title],
        "from",
        where=head,
        width=150,
        label_visibility="collapsed",
    )
    if run := by_title.get(source):
        model = cache.model(run, Ngram)
        st.caption(
            f"Trained on {escape(str(run.note['corpus'].get('name', 'a text')))}:"
            f" {model.config.smoothing}, orders 1 to {model.config.order}."
        )
        of = f"Model: {run.title} ({run.id})"
        return Writer(run.id, of, model.tokenizer, lower(model.smoothed), None)
    methods = {smoothings.get(id).title: smoothings.get(id) for id in smoothings.ids()}
    chosen = study.choose(page, "Little stories", 5)
    with head.popover("Smoothing"):
        title = ask.pick("Smoothing", sorted(methods), "method", FIRST)
    models = _models(chosen.key, title, chosen.study, methods[title]())
    of, tokenizer = f"{chosen.says}, {title}", chosen.study.tokenizer
    return Writer(chosen.id, of, tokenizer, models, chosen.study, chosen.cut[:-1], chosen.key)


def lower(model: Smoothed) -> tuple[Smoothed, ...]:
    """A trained model that looks at fewer and fewer words: its own lower orders."""
    levels = list(zip(model.alpha, model.gamma, strict=True))
    cut = [Counts(model.counts.orders[:m], model.counts.boundary) for m in range(1, model.order)]
    shorter = [
        Smoothed(model.method, counts, model.learned, model.never, levels[: len(counts.orders)])
        for counts in cut
    ]
    return (*shorter, model)


@st.cache_resource(max_entries=12, show_spinner=False)
def _models(key: str, title: str, _study: Study, _method: Any) -> tuple[Smoothed, ...]:
    return tuple(_study.at_order(_method, m) for m in range(1, _study.order + 1))


@st.cache_resource(max_entries=6, show_spinner=False)
def suffixes(key: str, _study: Study) -> Any:
    return Suffixes(_study.stream)
