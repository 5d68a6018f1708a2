"""What is scored: the reader's sentences, the method and the settings, and how surprised each
method is by them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import streamlit as st

from engine.ngram.closed import Closed
from engine.ngram.evaluate import Evaluation, Measure, evaluate
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.text.read import read
from engine.text.tokenizers.words import never_of
from pages.ui import choice
from pages.ui.ask import line, pick, toggle
from pages.ui.counting import smoothers
from pages.ui.counting.context import clean
from pages.ui.counting.study import Chosen
from pages.ui.typed import follows, own

FIRST = "the cat saw the dog\na cat sat on the dog"
LONGEST, IN_LINK = 200_000, 1_500  # characters; a longer text does not fit an address
UNITS = {"bits": 2.0, "nats": math.e, "dits": 10.0}
BASES = {"bits": "2", "nats": "e", "dits": "10"}
METHOD = "modified_kneser_ney"
FLOOR = """Off: an uncounted word is impossible, as in a plain table of counts, and V in the formulas \
does not include it. Modified
Kneser-Ney keeps its share for the unknown word either way."""


@dataclass(frozen=True)
class Scored:
    """The sentences and what every method says of them; `method` is the id of the chosen one."""

    chosen: Chosen
    lines: tuple[str, ...]
    ids: np.ndarray  # of all tokens behind the mark that each sentence begins with
    models: dict[str, Smoothed]
    found: dict[str, Evaluation]
    method: str
    unit: str
    ends: bool
    unknown: bool

    @property
    def model(self) -> Smoothed:
        return self.models[self.method]

    @property
    def mine(self) -> Evaluation:
        return self.found[self.method]

    @property
    def base(self) -> float:
        return UNITS[self.unit]

    @property
    def title(self) -> str:
        return str(self.model.method.title)

    def measure(self, found: Evaluation) -> Measure:
        """Over the tokens that the switches leave."""
        if self.unknown:
            return found.whole if self.ends else found.without_ends
        return found.without_unknown if self.ends else found.without_both


def ask(chosen: Chosen) -> Scored:
    """The controls.  Stops the run, with a sentence, where there is nothing to score."""
    row = line()
    typed, place = row.container(), row.container(width=235)
    with row.popover("Settings"):
        unit = choice.one_of("Measured in", list(UNITS), "unit", link=True)
        mark = "Count the mark `</s>` among the N tokens."
        ends = toggle("Count the sentence end", "ends", True, help=mark)
        off = "Off: they get no score but stay in the context of later words, as in KenLM."
        unknown = toggle("Count unknown words", "unknown", True, help=off)
        floor = toggle("Reserve a little for uncounted words", "floor", True, help=FLOOR)
        methods = smoothers.sliders(chosen.order)
    with typed:
        lines = sentences()
    models = {id: model_of(chosen, method, floor) for id, method in methods.items()}
    ids_of = {m.method.title: id for id, m in models.items()}
    first = models[METHOD].method.title
    method = ids_of[
        pick("Method", list(ids_of), "method", first, place, label_visibility="collapsed")
    ]
    if not lines:
        st.info("Type sentences, one per line; every number below is computed from them.")
        st.stop()
    tokens = chosen.study.tokens("\n".join(lines) + "\n")
    boundary, unknown_id = chosen.study.raw.boundary, chosen.study.tokenizer.unknown
    later = zip(tokens.ids[1:], tokens.labels[1:], strict=True)
    labels = ("<s>", *("</s>" if id == boundary else w for id, w in later))
    found = {id: evaluate(m, tokens.ids, labels, unknown_id) for id, m in models.items()}
    ids = np.concatenate([np.array([boundary], np.int64), tokens.ids[1:]])
    return Scored(chosen, lines, ids, models, found, method, unit, ends, unknown)


def sentences() -> tuple[str, ...]:
    """The lines of the text area that are not blank; a short text stands in the address."""
    if "lines" not in st.session_state:
        first = own(IN_LINK) or FIRST
        st.session_state["lines"] = st.query_params.get("lines", first)[:LONGEST]
    label, hint = "Sentences to score, one per line", "Type or paste a text, one sentence per line"
    typed = st.text_area(
        label,
        key="lines",
        height=68,
        placeholder=hint,
        on_change=follows("lines"),
        label_visibility="collapsed",
    )
    if len(typed) > LONGEST:
        st.info(f"The text has {len(typed):,} characters; the first {LONGEST:,} are scored.")
        typed = typed[:LONGEST]
    if typed == FIRST or len(typed) > IN_LINK:
        st.query_params.pop("lines", None)
        if len(typed) > IN_LINK:
            st.caption("This text is too long for the address, which holds only the other choices.")
    elif st.query_params.get("lines") != typed:
        st.query_params["lines"] = typed
    try:
        text = read(typed.encode("utf-8", "replace"))[0] if typed.strip() else ""
    except ValueError as problem:
        st.warning(f"This cannot be scored: {problem}.")
        text = ""
    return tuple(line for line in clean(text).split("\n") if line.strip())


def model_of(chosen: Chosen, method: Smoothing, floor: bool) -> Smoothed:
    """Without a floor the vocabulary is closed, where the unknown token was not counted."""
    study = chosen.study
    if floor:
        return study.smoothed(method)
    method = without_floor(method)
    counted = study.raw.orders[0].count_G[study.tokenizer.unknown] > 0
    if counted or isinstance(method, ModifiedKneserNey):
        return study.smoothed(method)
    return _closed(chosen.key, repr(method), chosen, method)


def without_floor(method: Any) -> Smoothing:
    """The method with plain shares as its unigrams."""
    has = any(f.name == "floor" for f in fields(method))
    made: Smoothing = replace(method, floor=False) if has else method
    return made


@st.cache_resource(max_entries=60, show_spinner=False)
def _closed(key: str, said: str, _chosen: Chosen, _method: Smoothing) -> Smoothed:
    study = _chosen.study
    return Closed.estimate(study.tuned(_method), study.raw, never_of(study.tokenizer))
