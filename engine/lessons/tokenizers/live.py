"""The live part of the Tokenizers page: one text in every tokenizer, at the vocabulary size that is
chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.lessons.tokenizers.rows import MOST, SHIPPED, Row, cut, size_of
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.reply import Reading, Sent, unread
from engine.live.request import Request
from engine.live.stage import Panel, Stage
from engine.live.window import Window
from engine.runs.store import Run
from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.reader import Cutter, part

ID = FieldSpec("id", Kind.COUNT, ("token",), "The number of each token in the vocabulary.")
SAVED = {
    "missing": "? marks a piece that is not in the vocabulary, or was not counted.",
    "means": False,
}
COLUMNS = ("reader", "token", "start", "stop", "bits", "bits_per_character")


@dataclass(frozen=True, slots=True)
class Stack:
    """Every reply is of all that is shown: a key can change how the word before it is cut."""

    rows: tuple[Row, ...] = SHIPPED

    def unread(self, text: str, characters: Window, request: Request) -> list[Reading]:
        size = size_of(request.link, request.asks)
        readings = []
        for row in self.rows:
            tokens, found = cut(row, size, text[slice(*characters)])
            tokens = tokens.moved(characters[0])
            ids = Field(ID, tokens.ids, (Axis("token", tokens.labels),))
            about = (tokens.labels, tokens.spans, found.told(), tokens.unknown, tokens.lost)
            part = unread(row.id, *about)
            readings.append(Reading(part, (Sent(ids),)))
        return readings

    def drawn(self, text: str, characters: Window) -> dict[str, Trace]:
        """The whole text once; what is drawn of it is cut again at the size that is chosen."""
        return {self.rows[0].id: Trace(text, tuple(text), (), offset=characters[0])}


def bounds(text: str, characters: Window) -> Window:
    """A part begins and ends at blanks."""
    return part(text, *characters)


def shown(trace: Trace, most: int) -> str:
    """The part of a text that the panels cut."""
    start, stop = part(trace.text, trace.offset, min(len(trace.text), trace.offset + most))
    return trace.text[start:stop]


def stacked(rows: tuple[Row, ...], most: int) -> Any:
    """A `Panel.figure`: the pieces of every tokenizer under each other, coloured by their bits per
    character."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace, size, pieces = traces[rows[0].id], size_of(look), list[tuple[Any, ...]]()
        for row in rows:
            tokens, _ = cut(row, size, shown(trace, most))
            _, bits_V = row.at(size)
            bits = np.full(len(tokens), np.nan) if bits_V is None else bits_V[tokens.ids]
            bits[list(tokens.unknown)] = np.nan
            for label, (a, b), cost in zip(tokens.labels, tokens.spans, bits.tolist(), strict=True):
                pieces.append((row.short, label, a, b, cost, cost / max(1, b - a)))
            text = shown(trace, most)
            pieces += [(row.short, text[a:b], a, b, np.nan, np.nan) for a, b in tokens.lost]
        says = "Bits of each piece, from its frequency in a counted text."
        drawn = with_entries(trace, Table.of_rows("surprisal", says, COLUMNS, pieces))
        options = SAVED | {"title": f"The text in pieces, vocabularies of at most {size:,}"}
        return Drawing(rows[0].id, "", drawn, ("surprisal",), options=options)

    return make


def counts(rows: tuple[Row, ...], most: int) -> Any:
    """A `Panel.figure`: how many tokens each tokenizer makes."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[rows[0].id]
        text, size, axes = shown(trace, most), size_of(look), {"method": [r.title for r in rows]}
        found = np.array([len(cut(row, size, text)[0]) for row in rows])
        says = "Tokens of the same text in every tokenizer."
        field = Field.of("tokens", Kind.COUNT, axes, found, says, unit="tokens")
        return Drawing(rows[0].id, "bars", with_entries(trace, field), ("tokens",))

    return make


SOURCE = Run(
    shipped.FOLDER, {"model": "tokenizer", "title": "frequencies of the pieces", "recipe": ""}
)
"The source named in a saved file."


def stage(*, stack: tuple[Row, ...]) -> Stage:
    rows = stack
    readers = tuple(
        (
            Reader(
                row.id,
                row.title,
                Cutter(row.at(shipped.FIRST)[0]),
                row.id,
                "tokens",
                top="",
                colour=n % 8,
                more={"short": row.short, "about": row.says},
            ),
            SOURCE,
        )
        for n, row in enumerate(rows)
    )
    lead = {"reader": "whitespace", "every": True}  # pointed at are words, drawn are all readers
    panels = (
        Panel(
            "pieces",
            "pieces",
            "The same text, cut in every way",
            "Each row is a tokenizer, with its number of tokens; each box is a token. Point at"
            " a box, or click it: the tokens of the same characters light up.",
            {**lead, "sizes": shipped.SIZES},
            stacked(rows, MOST),
        ),
        Panel(
            "counted",
            "counted",
            "Counted",
            "Fewer tokens mean less work for a model; a larger vocabulary means a larger"
            " table. “Comes back”: decoding the numbers gives exactly the text. Point at a"
            " heading to see what it counts.",
            {**lead, "column": "left"},
            counts(rows, MOST),
        ),
        Panel("covers", "covers", "The same characters", options={**lead, "column": "right"}),
    )
    asked = Stack(rows)
    return Stage(
        readers,
        panels,
        most=MOST,
        selection={"size": shipped.FIRST},
        columns=(7, 5),
        unread=asked.unread,
        bounds=bounds,
        drawn=asked.drawn,
    )


LIVE = stage
