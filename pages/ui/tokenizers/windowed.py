"""A long text in windows: the tiles, how often each token is read, and a last window that reads nothing new."""

from __future__ import annotations

import streamlit as st

from engine.core.trace import Table
from engine.lessons.tokenizers.rows import Row, cut
from engine.text import windows
from engine.views.theme import visible
from pages.ui import ask, plate
from pages.ui import rows as table
from pages.ui.plate import Plate
from pages.ui.tokenizers.numbers import chosen

LONGEST, MOST = 20_000, 100  # characters that are cut; windows that are listed
MARKS = 2  # of a window: [CLS] and [SEP]
LENGTHS = (6, 8, 12, 16, 24, 32, 64, 128, 256, 512)
NAMED = 32  # tokens that are written along the axis
KINDS = ("reads something new", "reads nothing new")


def show(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "BERT reads 512 tokens at once, two of them marks. A longer text is read in **windows**, each a **stride**"
        " behind the one before, so that what stands at the edge of one stands inside another."
    )
    row = chosen(rows, "tok_windows", "wordpiece")
    tokens, _ = cut(row, size, text[:LONGEST])
    total = len(tokens)
    line = ask.line()
    length = ask.among("Tokens of a window", LENGTHS, "window", 8, line)
    body = length - MARKS
    stride = ask.between(line.slider, "Stride", "stride", 1, length, body - body // 2, width=240)
    full = ask.toggle("Begin a window as long as text is left", "to_the_end", True, line)
    found = windows.windows(total, body, stride, full)
    if not found:
        st.info("Type a text.")
        return
    idle, read_T = windows.inside(found), windows.coverage(found, total)
    shared = f"an overlap of {body - stride}" if stride < body else "no overlap"
    st.markdown(
        f"**{total:,} tokens, {len(found):,} windows** of {body} tokens and two marks, {shared}. A token is read"
        f" {read_T.min()} to {read_T.max()} times."
    )
    if any(idle):
        which = (
            "The **last window lies inside the one before**"
            if sum(idle) == 1
            else f"The **last {sum(idle):,} windows lie inside the one before each**"
        )
        st.markdown(
            f"{which}: nothing new is read, at the cost of any other, and some tokens count once more in a mean over"
            " windows. Switch the toggle off, and reading ends where the text does."
        )
    if not read_T.min():
        st.markdown(
            f"The stride is longer than a window takes: **{int((read_T == 0).sum()):,} tokens** are never read."
        )
    tiles = Table.of(
        "windows",
        "Which tokens each window reads",
        {
            "word": [*map(str, range(1, len(found) + 1))],
            "start": [start for start, _ in found],
            "stop": [stop - 1 for _, stop in found],
            "value": [int(nothing) for nothing in idle],
        },
    )
    names = [visible(label) for label in tokens.labels] if total <= NAMED else []
    of = f"{row.title}, windows of {length}, stride {stride}"
    options = {"words": names, "what": "", "kinds": KINDS, "x": "token", "y": "window"}
    drawn = Plate(
        "tok-tiles", "spans", (tiles,), "tokenizers", of, text[:200], options, model="tokenizers"
    )
    plate.row(
        drawn,
        plate.lines(
            "tok-coverage",
            "Windows that read each token",
            [("windows", range(total), read_T)],
            "tokenizers",
            of,
            x="token",
            y="windows",
            low=0.0,
            high=float(read_T.max() + 1),
            counts=True,
            tight=True,
            fluid=True,
            text=text[:200],
            model="tokenizers",
        ),
        widths=(3, 2),
    )
    listed = []
    for n, (start, stop) in enumerate(found[:MOST]):
        part = text[tokens.spans[start][0] : tokens.spans[stop - 1][1]]
        new = stop - max(start, found[n - 1][1] if n else 0)
        listed.append({"window": n + 1, "first": start, "last": stop - 1, "new": new, "text": part})
    table.show(listed, "tok_tiles")
    if len(text) > LONGEST:
        st.caption(f"For the first {LONGEST:,} of {len(text):,} characters.")
    tiles_1000 = ", ".join(f"{a} to {b - 1}" for a, b in windows.windows(1000, 510, 256, True))
    st.caption(
        "Tokens are counted from 0. Of 1,000 tokens, windows of 512 with a stride of 256 read"
        f" {tiles_1000}: the last for nothing."
    )
