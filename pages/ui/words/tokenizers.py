"""The live part of the Tokenizers page: one text in every tokenizer, at the vocabulary size that is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import reading
from engine.cutting import shelf
from engine.cutting.reader import Cutter, moved, part
from engine.reading import Reader
from engine.runs import Run
from engine.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace
from pages.ui.drawing import Drawing, Look, Traces, with_entries
from pages.ui.stage import Panel, Stage, turn
from pages.ui.words.tokenizers_rows import MOST, SHIPPED, Row, cut, size_of

ID = FieldSpec("id", Kind.COUNT, ("token",), "The number of each token in the vocabulary.")
SAVED = {"missing": "? marks a piece that is not in the vocabulary, or was not counted.", "means": False}
COLUMNS = ("reader", "token", "start", "stop", "bits", "bits_per_character")
Base = tuple[str, int | None] | None


@dataclass(frozen=True, slots=True)
class Stack(Stage):
    """Every reply is of all that is shown: a key can change how the word before it is cut."""

    rows: tuple[Row, ...] = SHIPPED

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        characters = part(text, *reading.window(len(text), self.most, start))
        size = size_of(ask.get("selection") or {}, ask)
        parts = []
        with turn():
            for row in self.rows:
                tokens, found = cut(row, size, text[slice(*characters)])
                tokens = moved(tokens, characters[0])
                header = {
                    "id": row.id, "keep": 0, "offset": 0, "total": len(tokens), "labels": tokens.labels, "spans": tokens.spans,
                    "unknown": tokens.unknown, "bits": [None] * len(tokens), "top": [], "said": found.told(),
                }  # fmt: skip
                parts.append((header, [(Field(ID, tokens.ids.astype(np.float32), (Axis("token", tokens.labels),)), 0)]))
        return parts, characters

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        """The whole text once; what is drawn of it is cut again at the size that is chosen."""
        characters = part(text, *reading.window(len(text), self.most, start))
        whole = Trace(text, tuple(text), (), offset=characters[0])
        return {self.rows[0].id: whole}, characters


def stacked(rows: tuple[Row, ...], most: int) -> Any:
    """A `Panel.figure`: the pieces of every tokenizer under each other, coloured by their bits per character."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[rows[0].id]
        start, stop = part(trace.text, trace.offset, min(len(trace.text), trace.offset + most))
        size = size_of(look)
        columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for row in rows:
            tokens, _ = cut(row, size, trace.text[start:stop])
            _, bits_V = row.at(size)
            bits = np.full(len(tokens), np.nan) if bits_V is None else bits_V[tokens.ids]
            bits[list(tokens.unknown)] = np.nan
            for label, (a, b), cost in zip(tokens.labels, tokens.spans, bits.tolist(), strict=True):
                for name, value in zip(COLUMNS, (row.short, label, a, b, cost, cost / max(1, b - a)), strict=True):
                    columns[name].append(value)
        arrays = {k: np.array(v, object if k in ("reader", "token") else float) for k, v in columns.items()}
        table = Table(TableSpec("surprisal", COLUMNS, "Bits of each piece, by how often it came up in a counted text."), arrays)
        return Drawing(rows[0].id, "ribbon", with_entries(trace, table), ("surprisal",), options=SAVED | {"title": f"The text in pieces, vocabularies of at most {size:,}"})

    return make


def counts(rows: tuple[Row, ...], most: int) -> Any:
    """A `Panel.figure`: how many tokens each tokenizer makes."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[rows[0].id]
        start, stop = part(trace.text, trace.offset, min(len(trace.text), trace.offset + most))
        found = np.array([len(cut(row, size_of(look), trace.text[start:stop])[0]) for row in rows], np.float32)
        spec = FieldSpec("tokens", Kind.COUNT, ("method",), "Tokens of the same text in every tokenizer.", unit="tokens")
        return Drawing(rows[0].id, "bars", with_entries(trace, Field(spec, found, (Axis("method", tuple(r.title for r in rows)),))), ("tokens",))

    return make


SOURCE = Run(shelf.FOLDER, {"model": "tokenizer", "title": "frequencies of the pieces", "recipe": ""})
"""What a saved file names as its source."""


def stage(rows: tuple[Row, ...], settled: Any) -> Stack:
    readers = tuple(
        (Reader(row.id, row.title, Cutter(row.at(shelf.FIRST)[0]), row.id, "tokens", top="", colour=n % 8, more={"short": row.short, "about": row.says}), SOURCE)
        for n, row in enumerate(rows)
    )
    lead = {"reader": "whitespace"}
    panels = (
        Panel(
            "pieces", "pieces", "The same text, cut in every way",
            "Each row is a tokenizer, with its number of tokens; each box is a token. Point at a box, or click it: what covers the same characters lights up.",
            {**lead, "sizes": shelf.SIZES}, stacked(rows, MOST),
        ),
        Panel(
            "counted", "counted", "Counted",
            "Fewer tokens are less work for a model; a larger vocabulary is a larger table. “Comes back”: the numbers, decoded, give exactly the text. Point at a heading to read what it counts.",
            {**lead, "column": "left"}, counts(rows, MOST),
        ),
        Panel("covers", "covers", "The same characters", options={**lead, "column": "right"}),
    )  # fmt: skip
    return Stack(readers, panels, most=MOST, selection={"size": shelf.FIRST}, columns=(7, 5), settled=settled, rows=rows)
