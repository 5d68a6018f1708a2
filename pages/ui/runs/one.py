"""One run, or two: where it came from, its settings, its curves, what was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from engine.core.registry import models
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import rows
from pages.ui.runs import curves as runs_curves
from pages.ui.runs import lessons
from pages.ui.runs.curves import config

ABSENT = "–"
MOST_NAMES = 12  # of weights that are not used
SIZES = ("layers", "heads", "numbers")
WORDS = {
    "oov": "unknown tokens",
    "bits_per_char": "bits per character",
    "perplexity_without_oov": "perplexity without unknown tokens",
}


def about(run: Run, row: Mapping[str, Any]) -> None:
    """What it is, in words, and the pages that can show it."""
    note = run.note
    told = [
        f"Model **{escape(run.model)}**",
        f"trained on {escape(row['corpus'])}"
        + (f", {row['characters']:,.0f} characters" if row["characters"] else ""),
    ]
    if row["steps"]:
        long = f" in {duration(60 * row['minutes'])}" if row["minutes"] else ""
        device = escape(row["device"].upper() or "an unknown device")
        told += [f"{row['steps']:,.0f} steps{long} on {device}"]
    told += [f"seed {note['seed']}"] if isinstance(note.get("seed"), int) else []
    told += [f"{row['MB']:.1f} MB on disk"] if row["MB"] is not None else []
    told += [f"{row['snapshots']} snapshots"] if row["snapshots"] else []
    st.markdown("; ".join(told) + ".")
    if isinstance(licence := stated(run, "corpus.licence"), str):
        st.caption(f"Licence of the text: {escape(licence)}.")
    if all(isinstance(stated(run, f"checkpoint.{of}"), int) for of in SIZES):
        kind, layers, heads, numbers = (stated(run, f"checkpoint.{of}") for of in ("kind", *SIZES))
        st.caption(
            f"Imported checkpoint: {escape(str(kind))}, {layers} layers, {heads} heads,"
            f" {numbers:,} weights."
        )
    notes = stated(run, "checkpoint.notes")
    for said in notes if isinstance(notes, list) else ():
        st.caption(escape(str(said)))
    left = stated(run, "checkpoint.left_out")
    if isinstance(left, list) and left:
        named = escape(", ".join(map(str, left[:MOST_NAMES])))
        if len(left) > MOST_NAMES:
            more = len(left) - MOST_NAMES
            st.caption(
                f"Weights of the checkpoint that are not used here: {named} and {more} more."
            )
        else:
            st.caption(f"Weights of the checkpoint that are not used here: {named}.")
    found = lessons.lessons(run)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown("Open it in" if found else "No lesson offers a choice of runs of this model.")
        for lesson in found:
            st.page_link(
                f"pages/{lesson.page}",
                label=lesson.title,
                icon=":material/arrow_forward:",
                query_params={"run": run.id},
            )


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def settings(run: Run) -> None:
    """The config, what differs from the defaults first."""
    given, usual = config(run), _usual(run.model)
    table = [
        {
            "setting": k,
            "value": said(v),
            "default": said(usual.get(k)),
            "": "changed" if k in usual and usual[k] != v else "",
        }
        for k, v in given.items()
    ]
    table.sort(key=lambda r: r[""] != "changed")
    changed = sum(r[""] == "changed" for r in table)
    st.markdown("**Settings**")
    rows.show(table, "runs_settings", height=min(400, 36 * len(table) + 40))
    st.caption(
        f"{changed} of {len(table)} settings differ from the defaults of this model; these are"
        " listed first."
    )


def measured(runs: Sequence[Run]) -> None:
    """What was measured on held-out text."""
    found: list[Mapping[str, Any]] = [
        held_out if isinstance(held_out := run.note.get("held_out"), dict) else {} for run in runs
    ]
    names = list(dict.fromkeys(name for numbers in found for name in numbers))
    st.markdown("**On held-out text**")
    if not names:
        st.caption("Nothing was measured on held-out text.")
        return
    heads = ["value"] if len(runs) == 1 else [run.id for run in runs]
    table = {"measure": [WORDS.get(name, name.replace("_", " ")) for name in names]}
    for head, numbers in zip(heads, found, strict=True):
        values = [numbers.get(name) for name in names]
        table[head] = [number(float(v)) if isinstance(v, int | float) else ABSENT for v in values]
    rows.show(table, "runs_measured", {"measure": st.column_config.TextColumn(width=220)})
    st.caption(
        "Measured at the end, line by line. During training the held-out text is read as one"
        " stream, so the training room shows a slightly different number."
    )

    def differ(place: str) -> bool:
        return len(runs) > 1 and stated(runs[0], place) != stated(runs[1], place)

    if differ("corpus.digest"):
        st.caption(
            "The two were trained on different texts, and each was measured on held-out lines"
            " of its own text. So these numbers do not show which is better. The page Compare"
            " measures both on one text."
        )
    elif differ("config.tokenizer"):
        st.caption(
            "Their tokens differ, so compare bits per character, not numbers per token. Unknown"
            " tokens cost a model little, so many of them make it look too good."
        )


def curves(runs: Sequence[Run]) -> None:
    st.markdown("**During training**")
    runs_curves.show(runs)


def _usual(model: str) -> Mapping[str, Any]:
    try:
        return asdict(models.get(model).config_type())
    except KeyError:
        return {}


def stated(run: Run, place: str) -> Any:
    found: Any = run.note
    for name in place.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def said(value: Any) -> str:
    """Numbers as they are; yes and no in words."""
    if value is None or value == "":
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
