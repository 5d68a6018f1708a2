"""The pictures of the Merges page as figures to save, and what both need to know of a choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.trace import Field, Kind
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.text.subword import study
from engine.text.subword.bpe import TIES
from engine.text.subword.words import SPACE, readable

READER, MOST = "merges", 600
LONGEST_WORD, SIZES = 24, (20, 30, 40, 60, 90, 130)


def rules(*asked: Mapping[str, Any]) -> tuple[str, str]:
    """(kind, tie rule) that are chosen; what makes no sense is left out."""
    said = next((str(place["rules"]) for place in reversed(asked) if place.get("rules")), "")
    kind, _, ties = said.partition("_")
    return kind if kind in study.KINDS else "chars", ties if ties in TIES else "letters"


def cuts(text: str, word: Any, size: Any) -> dict[str, Any]:
    """The lattice of one word: the one asked for, else the longest of the text."""
    asked = str(word or "").replace(" ", SPACE)[:LONGEST_WORD]
    typed = max(text.split(), key=len, default="")[:LONGEST_WORD]
    return study.lattice(
        text,
        asked or (SPACE + typed if f" {typed}" in text else typed),
        size if size in SIZES else SIZES[1],
    )


def pairs(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the best pairs before the next merge."""
    trace, (kind, ties) = traces[READER], rules(look)
    found = study.study(trace.text[trace.offset : trace.offset + MOST], kind, ties)
    step = min(int(look.get("stop", len(found.steps))), len(found.steps))
    rows = found.steps[step].rows if step < len(found.steps) else found.after
    if not rows:
        raise ValueError("No pairs to draw: type a few words first.")
    score = kind == "wordpiece"
    says = f"The best pairs after {step} merges."
    unit = "count(ab) / (count(a) count(b))" if score else "times in the text"
    write = readable if kind == "bytes" else str
    shown = {"next": [f"{write(a)} + {write(b)}" for a, b, *_ in rows]}
    values = np.array([row[3] if score else row[2] for row in rows])
    measure = Kind.SCORE if score else Kind.COUNT
    field = Field.of("pairs", measure, shown, values, says, unit=unit)
    return Drawing(READER, "bars", with_entries(trace, field), ("pairs",))


def growth(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: tokens in the vocabulary and in the text, merge by merge."""
    trace = traces[READER]
    found = study.study(trace.text[trace.offset : trace.offset + MOST], *rules(look))
    axes = {"step": range(len(found.sizes))}
    fields = [
        Field.of(name, Kind.COUNT, axes, np.array(values), says, unit="tokens")
        for name, values, says in (
            ("vocabulary", found.sizes, "Tokens in the vocabulary."),
            ("text", found.lengths, "Tokens in the text."),
        )
    ]
    return Drawing(READER, "lines", with_entries(trace, *fields), ("vocabulary", "text"))


def lattice(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: how much of the longest word's probability goes through each piece."""
    trace = traces[READER]
    found = cuts(trace.text[trace.offset : trace.offset + MOST], look.get("next"), look.get("size"))
    if not found["edges"]:
        raise ValueError("No word to cut: type a few words first.")
    says = (
        f"All cuts of “{found['word']}”: the share of its probability that passes through each"
        " piece."
    )
    axes = {"next": [f"{piece} ({a + 1}–{b})" for a, b, piece, *_ in found["edges"]]}
    shares = np.array([100 * edge[4] for edge in found["edges"]])
    unit = "share of the probability (%)"
    field = Field.of("share", Kind.SCORE, axes, shares, says, unit=unit)
    return Drawing(READER, "bars", with_entries(trace, field), ("share",))
