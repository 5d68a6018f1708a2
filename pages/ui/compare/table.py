"""Held-out lines on the Compare page: bits, perplexities and unknown words of every model with
their intervals; then how sure, how large, how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.compare.examine import Line, examine, parameters, seconds
from engine.analysis.compare.intervals import Interval, intervals
from engine.live.markdown import escape
from engine.live.stage import turn
from engine.runs.store import Run
from engine.storage.run_folder import WEIGHTS
from engine.views.base import number
from pages.ui import rows
from pages.ui.compare import lines as compare_lines
from pages.ui.compare import pictures
from pages.ui.compare.lines import Lines
from pages.ui.several import names, opened

KEPT = 40  # measured models that a session keeps


@dataclass(frozen=True)
class Measured:
    """One model on these lines: line by line, seconds for so many tokens and characters, numbers
    stored, bytes on disk."""

    lines: tuple[Line, ...]
    seconds: float
    tokens: int
    characters: int
    parameters: int
    size_bytes: int

    def total(self, name: str) -> float:
        return float(sum(getattr(line, name) for line in self.lines))


def show(runs: Sequence[Run]) -> None:
    st.subheader("Measured on held-out lines", anchor="lines")
    st.markdown(
        "One sentence says little. Every model reads the same lines, one by one, and you see"
        " which differences are likely to hold for other lines."
    )
    id, most, typed = compare_lines.choose()
    wish = (tuple(run.id for run in runs), id, most, typed)
    if st.button("Measure", key="lines_go"):
        st.session_state["compare.measured"] = None
        try:
            lines = compare_lines.take(id, most, typed)
            found = [measured(run, lines) for run in runs]
            st.session_state["compare.measured"] = wish, lines, found
        except (LookupError, ValueError, MemoryError) as problem:
            why = str(problem) or "There are too many lines to measure here; choose fewer"
            st.error(f"{escape(why)}.")
    done = st.session_state.get("compare.measured")
    if not done or done[0] != wish:
        st.caption(
            "Press Measure: a few seconds for each model, more for large ones. Results are kept"
            " while this page is open."
        )
        return
    _, lines, found = done
    scores = {run.id for run in runs if not opened(run).normalised}
    labels = names(runs)
    st.caption(escape(lines.says))
    for sentence in compare_lines.seen(lines, runs):
        st.caption(sentence)
    table(labels, runs, found)
    if scores:
        named = " and ".join(escape(run.title) for run in runs if run.id in scores)
        st.caption(
            f"{named} gives scores that do not sum to 1, so its bits and perplexity cannot be"
            " compared with the others’."
        )
    pictures.calibration(labels, runs, found, lines)
    pictures.quality(labels, runs, found, lines)


def measured(run: Run, lines: Lines) -> Measured:
    """Kept for the session, so that a model is read once; typing goes on in between."""
    kept = st.session_state.setdefault("compare.kept", {})
    key = (*run.key, lines.key)
    if key in kept:
        found: Measured = kept[key]
        return found
    bar = st.progress(0.0, f"{escape(run.title)} is being opened")
    model, read = opened(run), []
    for n, line in enumerate(lines.lines, 1):
        with turn():
            read.append(examine(model, line))
        bar.progress(n / len(lines.lines), f"{escape(run.title)}: line {n} of {len(lines.lines)}")
    with turn():
        took, tokens, characters = seconds(model, list(lines.lines))
    weights = [w] if (w := run.folder / WEIGHTS).is_file() else run.folder.glob("*.safetensors")
    size = sum(file.stat().st_size for file in weights)
    bar.empty()
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = Measured(tuple(read), took, tokens, characters, parameters(model), size)
    return kept[key]


def table(labels: Sequence[str], runs: Sequence[Run], found: Sequence[Measured]) -> None:
    bits_LM = np.array([[line.bits for line in one.lines] for one in found]).T
    size_L = np.array([line.characters for line in found[0].lines], float)
    each, pairs = intervals(bits_LM, size_L)
    measures: list[dict[str, Any]] = []
    for label, run, one, bits in zip(labels, runs, found, each, strict=True):
        total, tokens, words = one.total("bits"), one.total("tokens"), one.total("words")
        interval = f"{number(bits.low)} to {number(bits.high)}"
        measures.append(
            {
                "model": label,
                "bits per character": number(bits.value),
                "95 % interval": interval if np.isfinite(bits.low) else "n/a",
                "perplexity per token": number(_power(total / tokens)),
                "perplexity per word": number(_power(total / words)),
                "tokens": int(tokens),
                "not known": int(one.total("unknown")),
                "cut into": str(run.note.get("config", {}).get("tokenizer", "its own tokens")),
            }
        )
    rows.show(measures, "compare.table")
    said = (f"- {_said(labels[a], labels[b], apart)}" for (a, b), apart in pairs.items())
    st.markdown("\n".join(said))
    st.caption(
        "Interval: 2,000 bootstrap draws of as many lines, with repetition; a difference is"
        " taken over the same lines in each draw. Perplexity per token depends on how a text is"
        " cut, so it compares only models with the same tokens. Per word: white-space words and"
        " the line end count as one each, the same for all. An unknown word costs a word model"
        " only the surprisal of “some unknown word”, and spaces are free. So a word model looks"
        " better than it is."
    )


def _power(bits: float) -> float:
    return float(2.0**bits) if bits < 1024 else float("inf")


def _said(a: str, b: str, difference: Interval) -> str:
    a, b = f"**{escape(a)}**", f"**{escape(b)}**"
    if not np.isfinite(difference.value):
        return (
            f"{a} and {b}: one of them gives something in these lines probability 0, so its bits"
            " are infinite."
        )
    better, worse = (a, b) if difference.value >= 0 else (b, a)
    size = f"{abs(difference.value):.3f}"
    if not np.isfinite(difference.half):
        return (
            f"{better} needs {size} bits per character less than {worse} on this one line; one"
            " line says nothing about others."
        )
    size += f" ± {difference.half:.3f}"
    if not difference.sure:
        return f"{a} and {b} differ by {size} bits per character; other lines could reverse this."
    return f"{better} is better than {worse} by {size} bits per character."
