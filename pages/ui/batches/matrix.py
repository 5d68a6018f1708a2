"""Lines as padded batches, sorted into buckets, or packed: the picture that opens the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.batching import padding
from engine.analysis.batching.padding import Ends, Losses
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.nn.windows import CHOICE
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, place, plate, rows, texts, train
from pages.ui.board import Board

BOARD = Board("batches/matrix.js", "batches/batches.css")
RUN, TEXT = "lstm_small", "stories"
LONGEST, MOST = 64, 32  # characters of a line; lines
BEGINNING = 40_000  # characters that are read of a text
MANY = 256  # lines for the meter
MODES = {"padded": "As they come", "sorted": "Sorted by length", "packed": "Packed"}
EXAMPLE = "ABCDE\nFGH\nIJKL"


def run() -> Run | None:
    return next((one for one in cache.runs(None) if one.id == RUN), None)


@st.cache_data(max_entries=16, show_spinner=False)
def _lines(id: str, count: int, longest: int) -> list[str]:
    return padding.lines_of(texts.beginning(id, BEGINNING), count, longest)


@kept.data(max_entries=32)
def _cut(run: Run, lines: tuple[str, ...]) -> list[tuple[np.ndarray, list[str]]]:
    """Of each line its ids, with the mark in front, and its tokens."""
    model = cache.model(run, NeuralLanguageModel)
    found = [model.tokens(line) for line in lines]
    return [(np.asarray(one.ids), list(one.labels)[1:]) for one in found]


@kept.data(max_entries=32)
def _read(run: Run, lines: tuple[str, ...]) -> tuple[Losses, list[Ends]]:
    model = cache.model(run, NeuralLanguageModel)
    return padding.read(model, [ids for ids, _ in _cut(run, lines)])


def show() -> None:
    found = run()
    if found is None:
        st.info("The shipped runs are not there.")
        return
    row = ask.line()
    mode = ask.pick("Order", MODES, "order", where=row, width=190)
    size = ask.slider("Lines in a batch", "size", 1, 16, 8, 1, row, width=170)
    pool = (
        ask.slider("Batches that are sorted together", "pool", 1, CHOICE, CHOICE, 1, row, width=210)
        if mode == "sorted"
        else 1
    )
    count = ask.slider("Lines of text", "count", 2, MOST, 16, 1, row, width=150)
    text = ask.pick("Text", texts.listed("text"), "of_text", TEXT, row, width=230)
    with row.popover("Your own lines"):
        typed = st.text_area(
            "One row of the batch for each line; empty: the lines of the text",
            key="lines",
            height=220,
            max_chars=4_000,
            **ask.BOUND,
        )
        st.button("Three lines with 20 % waste", on_click=_example)
        longest = ask.slider("Longest line, characters", "longest", 5, LONGEST, LONGEST, 1)
    lines = padding.lines_of(typed or "", MOST, longest) or _lines(text, count, longest)
    if not lines:
        st.info("This text has no lines to show. Choose another, or type your own.")
        return
    cut = [(ids, labels) for ids, labels in _cut(found, tuple(lines)) if labels]
    lengths = [len(labels) for _, labels in cut]
    order = padding.batches(lengths, size, pool)
    share = 0.0 if mode == "packed" else padding.waste(lengths, order)
    board_data = _data(mode, cut, lengths, order, share)
    BOARD.show(board_data)
    train.link({"passages": True, "batch": size}, text="stories")
    left, right = st.columns((6, 6))
    with left, place.panel("mask"):
        _mask(found, tuple(lines[i] for i in order[0]))
    with right, place.panel("meter"):
        _meter(typed or "", text, longest)


def _example() -> None:
    st.session_state["lines"] = EXAMPLE
    st.session_state["order"] = "padded"


def _data(
    mode: str,
    cut: list[tuple[np.ndarray, list[str]]],
    lengths: list[int],
    order: list[list[int]],
    share: float,
) -> dict[str, Any]:
    batches = []
    for n, some in enumerate(order, 1):
        made = padding.packed([lengths[i] for i in some])
        width = max(lengths[i] for i in some)
        cells, real = width * len(some), sum(lengths[i] for i in some)
        places = {at: k for k, at in enumerate(made.at)}
        shown = made.order if mode == "packed" else range(len(some))
        told = (
            f"{real:,} tokens and no padding; {width} steps"
            if mode == "packed"
            else f"{len(some)} × {width} = {cells:,} cells, {cells - real:,} of them padding:"
            f" {100 * (1 - real / cells):.0f} %"
        )
        batches.append(
            {
                "name": f"Batch {n}",
                "told": told,
                "width": width,
                "sizes": made.sizes,
                "rows": [
                    {
                        "line": some[r] + 1,
                        "tokens": cut[some[r]][1],
                        "places": [places[r, t] for t in range(lengths[some[r]])],
                    }
                    for r in shown
                ],
            }
        )
    real = sum(lengths)
    says = (
        f"{real:,} tokens in {len(order)} batches, packed: no cell is empty. A step reads only the lines"
        " that still go on, the longest first."
        if mode == "packed"
        else f"{share:.0%} of all cells are padding: they cost time and memory and teach nothing."
    )
    return {
        "mode": mode,
        "batches": batches,
        "says": says,
        "words": ["token", "padding", "lines at work at each step"],
    }


def _mask(found: Run, lines: tuple[str, ...]) -> None:
    losses, ends = _read(found, lines)
    st.markdown("**Without a mask** (batch 1, read by a small LSTM)")
    st.latex(
        rf"\frac{{\sum m_t L_t}}{{\sum m_t}} = \frac{{{number(losses.total)}}}{{{losses.real}}}"
        rf" = {number(losses.by_tokens)}\ \text{{nats}}"
    )
    rows.show(
        [
            {"divided by": name, "loss": value, "if each token costs 1": one}
            for name, value, one in (
                (f"{losses.real} tokens", losses.by_tokens, 1.0),
                (f"{losses.every} cells", losses.by_cells, losses.real / losses.every),
                (f"{losses.rows} lines", losses.by_lines, losses.real / losses.rows),
                ("padding taught as well", losses.taught, 1.0),
            )
        ],
        forms={"loss": "%.4f", "if each token costs 1": "%.4f"},
    )
    worst = max(range(len(ends)), key=lambda n: ends[n].away)
    st.markdown(
        "The state at the last place of the matrix is not that of the line's last token. Of"
        f" “{lines[worst][:30]}” the two differ by **{number(ends[worst].away)}** times the length of the right one."
        f" At real tokens padding behind them changes nothing: {number(max(e.same for e in ends))}."
    )
    rows.show(
        [
            {
                "line": line[:30],
                "right, unit 1": e.right[0],
                "last place": e.wrong[0],
                "apart": e.away,
            }
            for line, e in zip(lines, ends, strict=True)
        ],
        forms={
            "line": st.column_config.TextColumn(width=150),
            "right, unit 1": "%.4f",
            "last place": "%.4f",
            "apart": "%.3f",
        },
        tallest=210,
    )


def _meter(typed: str, text: str, longest: int) -> None:
    lines = padding.lines_of(typed, MOST, longest) or _lines(text, MANY, longest)
    sizes = [b for b in (1, 2, 4, 8, 16, 32, 64) if b <= len(lines)]
    plate.show(
        plate.lines(
            "meter",
            "Padding, percent of all cells, over the size of a batch",
            [
                (name, sizes, [100 * w for w in values])
                for name, values in _meters(tuple(map(len, lines)), tuple(sizes)).items()
            ],
            "batches",
            f"{len(lines)} lines",
            tight=True,
            x="lines in a batch",
            y="percent padding",
            of_series="",
            log_x=True,
            low=0,
            model="batches",
        )
    )
    st.caption(
        f"The training room draws {CHOICE} batches' worth of passages, sorts them by length and takes one"
        " batch of them: little padding, and the order stays random. Sorting all lines wastes least, but"
        " each epoch then has the same batches."
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _meters(lengths: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, list[float]]:
    rows = {b: padding.batches(lengths, b) for b in sizes}
    return {
        "all as wide as the longest": [
            padding.waste(lengths, rows[b], max(lengths)) for b in sizes
        ],
        "as they come": [padding.waste(lengths, rows[b]) for b in sizes],
        "as the training room draws": [padding.drawn([n + 1 for n in lengths], b) for b in sizes],
        "all sorted": [
            padding.waste(lengths, padding.batches(lengths, b, len(lengths))) for b in sizes
        ],
        "packed": [0.0 for _ in sizes],
    }
