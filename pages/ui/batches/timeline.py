"""Gradient checkpointing as a timeline of memory, beside what a real step holds."""

from __future__ import annotations

import math

import streamlit as st

from engine.analysis.batching import memory
from engine.analysis.batching.memory import Measured
from engine.views.base import number
from pages.ui import ask, plate, rows, train

MB = 1e6


@st.cache_data(max_entries=16, show_spinner="Measuring two steps")
def _measured(layers: int, tokens: int) -> tuple[Measured, Measured]:
    plain, again = (memory.measured(r, layers, tokens=tokens) for r in (False, True))
    return plain, again


def show() -> None:
    st.markdown(
        "The way back needs what the way forward computed, so all of it is kept. With checkpoints only what goes into"
        " each segment is kept, and on the way back one segment at a time is computed once more."
    )
    row = ask.line()
    parts = ask.slider("Parts: layers or steps", "m_parts", 2, 64, 16, 1, row, width=240)
    segments = ask.slider("Segments", "m_segments", 1, 64, 4, 1, row, width=240)
    segments = min(segments, parts)
    kept, put = memory.timeline(parts, 0), memory.timeline(parts, segments)
    again = sum(m.what == "again" for m in put)
    best = max(1, round(math.sqrt(parts)))
    plate.row(
        plate.lines(
            "timeline",
            "What is held while one step is computed, in parts",
            [
                ("all kept", range(1, len(kept) + 1), [m.size(1) for m in kept]),
                (f"{segments} segments", range(1, len(put) + 1), [m.size(1) for m in put]),
            ],
            "checkpoints",
            f"{parts} parts; on the way {again} are computed a second time",
            tight=True,
            x="parts computed",
            y="held",
            of_series="",
            low=0,
            model="checkpoints",
        ),
        plate.lines(
            "peak",
            "Most that is held, over the number of segments",
            [
                ("all kept", [1, parts], [parts, parts]),
                (
                    "with segments",
                    range(1, parts + 1),
                    [memory.peak(parts, s) for s in range(1, parts + 1)],
                ),
                ("chosen", [segments], [memory.peak(parts, segments)]),
            ],
            "checkpoints",
            f"{parts} parts",
            tight=True,
            x="segments",
            y="parts held",
            of_series="",
            low=0,
            model="checkpoints",
        ),
    )
    st.latex(
        rf"s + \frac{{N}}{{s}} = {segments} + \frac{{{parts}}}{{{segments}}} ="
        rf" {number(segments + parts / segments)}, \qquad"
        rf" \text{{least at }} s = \sqrt{{N}} = {number(math.sqrt(parts))}"
    )
    st.markdown(
        f"All kept, {parts} parts are held; with {segments} segments at most **{memory.peak(parts, segments):g}**, with"
        f" {best} segments {memory.peak(parts, best):g}."
    )
    _real()
    _formula()


def _real() -> None:
    st.markdown("**A real step** of the engine's own LSTM layers, 64 units, 16 lines")
    row = ask.line()
    layers = ask.slider("Layers", "m_layers", 1, 8, 6, 1, row, width=200)
    tokens = ask.among("Tokens", (32, 64, 128), "m_tokens", 64, row)
    plain, again = _measured(layers, int(tokens))
    plate.show(
        plate.lines(
            "measured",
            "Memory held during one step, megabytes",
            [
                (name, [1000 * t for t in one.at], [b / MB for b in one.held])
                for name, one in (("all kept", plain), ("recomputed", again))
            ],
            "LSTM layers",
            f"{layers} layers, {int(tokens)} tokens: every allocation on the processor",
            tight=True,
            x="milliseconds, with the profiler",
            y="megabytes",
            of_series="",
            low=0,
            model="lstm",
        )
    )
    rows.show(
        [
            {
                "option recompute": name,
                "most held, MB": m.peak / MB,
                "ms": 1000 * m.seconds,
                "gradient": m.gradient,
            }
            for name, m in (("off", plain), ("on", again))
        ],
        forms={"most held, MB": "%.2f", "ms": "%.1f", "gradient": "%.8f"},
    )
    st.markdown(
        f"The peak falls to **{again.peak / plain.peak:.0%}**; the step takes {number(again.seconds / plain.seconds)}"
        " times as long, and the gradient is the same."
    )
    train.link({"recompute": True, "layers": layers, "units": 64}, text="stories")


def _formula() -> None:
    st.markdown("**By formula**: 4 bytes for each number of an LSTM's way forward")
    row = ask.line()
    texts = ask.between(row.number_input, "Texts, N", "f_texts", 1, 100_000, 100)
    tokens = ask.between(row.number_input, "Tokens, T", "f_tokens", 1, 100_000, 500)
    units = ask.between(row.number_input, "Units, H", "f_units", 1, 65_536, 1_024)
    size = (int(texts), int(tokens), int(units))
    whole, notes = memory.bptt(*size), memory.bptt(*size, gates=3)
    st.latex(
        rf"4 N T H k = 4 \cdot {size[0]} \cdot {size[1]} \cdot {size[2]} \cdot 6 ="
        rf" {number(sum(whole.values()) / MB)}\ \text{{MB}}"
    )
    rows.show(
        [
            {"kept": name, "MB": whole[name] / MB, "with three gates, MB": notes[name] / MB}
            for name in whole
        ]
        + [
            {
                "kept": "all",
                "MB": sum(whole.values()) / MB,
                "with three gates, MB": sum(notes.values()) / MB,
            }
        ],
        forms={"MB": "%.1f", "with three gates, MB": "%.1f"},
    )
    st.caption("Three gates alone are often counted; the candidate is kept too, so k is 2 + 4.")
