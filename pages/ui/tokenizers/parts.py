"""What stands below the stack of tokenizers, after a moment of rest: the same text looked at in
seven ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from engine.core.trace import Table, TableSpec
from engine.live.drawing import Look, Traces
from engine.live.markdown import escape
from engine.stages.tokenizers.rows import Row, cut, size_of
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.compare import lost
from pages.ui import place, plate
from pages.ui.plate import Plate
from pages.ui.tokenizers import languages, marks, numbers

# characters that are measured at every size; that are compared sign by sign
LONGEST, DIFFERENCE = 5_000, 600


def below(rows: tuple[Row, ...]) -> Callable[[Traces, Look], None]:
    """A `Stage.settled`."""

    def draw(traces: Traces, look: Look) -> None:
        text, size = traces[rows[0].id].text, size_of(look)
        part = st.segmented_control(
            "Look closer",
            list(PARTS),
            key="tok_part",
            bind="query-params",
            default=place.part(PARTS) or next(iter(PARTS)),
            required=True,
        )
        with place.panel(part):
            PARTS[part](rows, text, size)

    return draw


def vocabularies(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "A larger vocabulary makes a text shorter, but ever more slowly: the first merges join"
        " pairs that occur everywhere, the last ones parts of rare words. BPE begins with"
        " single characters and stops at a size fixed in advance; the slider above goes back"
        " through its saved merges, so **nothing is retrained**. A smaller Unigram keeps its"
        " likeliest pieces and every single character."
    )
    part = text[:LONGEST]
    if not part.split():
        st.info("Type a word.")
        return
    left, right = st.columns(2, gap="medium")
    cuttable = [row for row in rows if row.own is None and len(shipped.sizes(row.id)) > 1]
    pieces = [row for row in cuttable if row.id not in ("words", "whitespace")]
    with left:
        plate.show(
            _curve(
                "tok-tokens",
                pieces,
                part,
                "tokens",
                "Tokens in the text against vocabulary size",
            )
        )
    with right:
        plate.show(
            _curve(
                "tok-unknown",
                cuttable,
                part,
                "unknown",
                "Unknown pieces against vocabulary size",
            )
        )
    if len(text) > LONGEST:
        st.caption(f"For the first {LONGEST:,} of {len(text):,} characters.")


def _curve(id: str, rows: list[Row], text: str, what: str, says: str) -> Plate:
    found = [
        (row.title, size, getattr(cut(row, size, text)[1], what))
        for row in rows
        for size in shipped.SIZES[::2]
    ]
    columns = {
        "series": np.array([f[0] for f in found], object),
        "x": np.array([f[1] for f in found], float),
        "value": np.array([f[2] for f in found], float),
    }
    table = Table(TableSpec("sizes", tuple(columns), says), columns)
    options = {
        "x": "pieces in the vocabulary",
        "y": what if what == "tokens" else "unknown pieces",
        "of_series": "",
        "log_x": True,
    }
    return Plate(
        id,
        "curve",
        (table,),
        "tokenizers",
        "Trained on Simple English Wikipedia",
        text[:200],
        options,
        model="tokenizers",
    )


def came_back(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "Decoding turns numbers back into text. What a tokenizer dropped before it numbered"
        " the pieces cannot come back: spaces, capitals, unknown words. :red-background[Struck"
        " out] is lost, :green-background[green] is new."
    )
    part, seen = text[:DIFFERENCE], []
    for row in rows:
        tokens, found = cut(row, size, part)
        if found.same:
            seen.append(row.title)
            continue
        back = row.at(size)[0].decode(tokens.ids.tolist())
        st.markdown(f"**{escape(row.title)}**  \n{_marked(lost(part, back))}")
    if seen:
        st.markdown(f"***Restored exactly by** {escape(', '.join(seen))}.")
    if len(text) > DIFFERENCE:
        st.caption(f"For the first {DIFFERENCE} of {len(text):,} characters.")


def _marked(steps: list[tuple[str, str, str]]) -> str:
    def sign(part: str) -> str:
        return escape(part.replace(" ", "·").replace("\n", "⏎"))

    said = ""
    for what, old, new in steps:
        if what == "same":
            said += escape(old.replace("\n", " ⏎ "))
            continue
        said += f":red-background[~~{sign(old)}~~]" if old else ""
        said += f":green-background[{sign(new)}]" if new else ""
    return said


PARTS: dict[str, Callable[[tuple[Row, ...], str, int], None]] = {
    "Languages": languages.show,
    "Vocabulary size": vocabularies,
    "What comes back": came_back,
    "Numbers": numbers.numbers,
    "Marks": marks.show,
    "In a model": numbers.model,
    "A careless recipe": marks.careless,
}
