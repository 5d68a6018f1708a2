"""What stands on a page: its readers, its panels, its text box.  Data only; live.py draws it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from engine import lookup, reading
from engine.curriculum import Try
from engine.reading import Reader, describe_field
from engine.runs import Run
from engine.trace import FieldSpec, Kind, Trace
from engine.views import theme
from pages.ui import cache
from pages.ui.drawing import Drawing

MOST_CHARACTERS = 100_000
PATIENCE = 0.05
SURPRISAL = describe_field(FieldSpec("surprisal", Kind.LOSS, ("token",), "Bits per character.", "s", "bits", (0, 8)))["scale"]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: `kind` names its drawer in assets/live/panels/, `options` are its settings there.

    figure  the same picture as a `Figure` for saving, from the traces by reader id and the selection
    """

    id: str
    kind: str
    title: str
    says: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    figure: Callable[[Mapping[str, Trace], Mapping[str, Any]], Drawing] | None = None

    def describe(self) -> dict[str, Any]:
        return {"id": self.id, "kind": self.kind, "title": self.title, "says": self.says, "save": self.figure is not None, **self.options}


@dataclass(frozen=True, slots=True)
class Opening:
    """What can be drawn before any model is open: the text box and its examples."""

    page: str
    example: str
    tries: tuple[Try, ...]
    first: str = ""  # what is chosen before anything is, written like an address
    prompt: str = "Type a sentence: everything below answers with every key"

    @property
    def examples(self) -> tuple[str, ...]:
        return self.example, *(t.text for t in self.tries)

    def layout(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt, "placeholder": "Type here", "most_characters": MOST_CHARACTERS,
            "tries": [{"text": t.text, "look": t.look, "link": t.link} for t in self.tries],
            "colours": {"light": colours(False), "dark": colours(True)},
        }  # fmt: skip


def colours(dark: bool) -> dict[str, list[str]]:
    """Data colours by what they tell apart: kinds (readers, lines) and, from weak to strong, n-gram orders."""
    kinds = theme.categories(8, dark)
    return {"reader": kinds, "line": kinds, "order": theme.orders(dark, 16)}


_turn = threading.Lock()


@contextmanager
def turn() -> Iterator[None]:
    """One answer is computed at a time: many at once take the interpreter from each other with every step of a model.

    Nobody waits behind a long text: after PATIENCE seconds it is computed beside the others.
    """
    mine = _turn.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if mine:
            _turn.release()


@dataclass(frozen=True, slots=True)
class Stage:
    """The readers of a page with their runs, and its panels."""

    readers: tuple[tuple[Reader, Run], ...]
    panels: tuple[Panel, ...]
    most: int = 512  # characters shown at once
    selection: Mapping[str, Any] = field(default_factory=dict)  # where to look before anything is chosen
    vertical: Mapping[str, Any] | None = None  # what the up and down keys move along: {"name": "unit", "size": 256}
    columns: tuple[int, int] = (7, 5)  # widths of the two columns
    settled: Callable[[Mapping[str, Trace], Mapping[str, Any]], None] | None = None  # charts below, after a moment of rest

    def layout(self) -> dict[str, Any]:
        return {
            "readers": [reader.describe() for reader, _ in self.readers], "panels": [p.describe() for p in self.panels],
            "chips": self.readers[0][0].id, "selection": dict(self.selection), "vertical": self.vertical,
            "settles": self.settled is not None, "asks": any("search" in p.options for p in self.panels), "columns": self.columns, "most": self.most,
        }  # fmt: skip

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        """Per reader its trace of the part of the text that is shown."""
        characters = reading.window(len(text), self.most, start)
        return {r.id: cache.trace(run, r.model, text, r.needs, self._cut(r, text, start)) for r, run in self.readers}, characters

    def answers(
        self, text: str, start: int | None, base: tuple[str, int | None] | None, ask: Mapping[str, Any]
    ) -> tuple[list[Any], reading.Window]:
        """Per reader its part of a reply: what `base`, the text on the screen, does not have yet, and what `ask` wants besides."""
        characters = reading.window(len(text), self.most, start)
        base_window = reading.window(len(base[0]), self.most, base[1]) if base else None
        parts = []
        for reader, run in self.readers:
            with turn():
                cut = self._cut(reader, text, start)
                shown = reading.outline(reader, text, cut)
                keep = reading.shared(reader, shown, base[0] if base else None, base_window)
                before = (base[0], self._cut(reader, *base)) if base else None
                if fresh := reading.fresh(reader, shown, keep):
                    trace = reader.model.trace(text, fields=reader.needs, window=fresh, tokens=reading.tokens(reader.model, text))
                else:
                    trace = cache.trace(run, reader.model, text, reader.needs, cut, before)
                part = reading.read(reader, trace, keep, shown)
                part[0].update(lookup.answer(reader.model, trace, shown.offset + keep, ask))
                parts.append(part)
        return parts, characters

    def _cut(self, reader: Reader, text: str, start: int | None) -> reading.Window:
        return reading.cut(reading.tokens(reader.model, text), reading.window(len(text), self.most, start))
