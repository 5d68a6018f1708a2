"""What stands below the stack of tokenizers, after a moment of rest: the same text looked at in
eight ways."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from engine.lessons.tokenizers.rows import Row, cut, size_of
from engine.live.drawing import Look, Traces
from engine.live.markdown import escape
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.compare import lost
from pages.ui import closer, plate
from pages.ui.plate import Plate
from pages.ui.tokenizers import languages, marks, numbers, windowed

# characters that are measured at every size; that are compared sign by sign
LONGEST, DIFFERENCE = 5_000, 600


def below(rows: tuple[Row, ...]) -> Callable[[Traces, Look], None]:
    """A `Stage.settled`."""

    def draw(traces: Traces, look: Look) -> None:
        closer.one_of(PARTS, "tok_part", rows, traces[rows[0].id].text, size_of(look))

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
    cuttable = [row for row in rows if row.own is None and len(shipped.sizes(row.id)) > 1]
    pieces = [row for row in cuttable if row.id not in ("words", "whitespace")]
    drawn = (
        _curve(pieces, part, "tokens", "Tokens in the text", "tokens"),
        _curve(cuttable, part, "unknown", "Unknown pieces", "unknown pieces"),
    )
    plate.row(*drawn)
    if len(text) > LONGEST:
        st.caption(f"For the first {LONGEST:,} of {len(text):,} characters.")


def _curve(rows: list[Row], text: str, what: str, says: str, y: str) -> Plate:
    """What was measured, at every size."""
    sizes = shipped.SIZES[::2]
    return plate.lines(
        f"tok-{what}",
        f"{says} against vocabulary size",
        [(row.title, sizes, [getattr(cut(row, n, text)[1], what) for n in sizes]) for row in rows],
        "tokenizers",
        "Trained on Simple English Wikipedia",
        x="pieces in the vocabulary",
        y=y,
        table="sizes",
        text=text[:200],
        model="tokenizers",
        of_series="",
        log_x=True,
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
    "Windows": windowed.show,
    "A careless recipe": marks.careless,
}
