"""What stands on a page: its readers, its panels, its text box, and what answers a request.

A page that answers in a way of its own gives its stage functions, and does not subclass it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from engine.core.device import Choice
from engine.core.trace import FieldSpec, Kind, Trace
from engine.course.base import Step, Try
from engine.live import cache, lookup, placement, reply
from engine.live.drawing import Drawing, Picked
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra, Reading
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.window import Window, tokens, window
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens
from engine.views import theme

MOST_CHARACTERS = 100_000
PATIENCE = 0.05
SURPRISAL = describe_field(
    FieldSpec("surprisal", Kind.LOSS, ("token",), "Bits of a word.", "s", "bits", (0, 20))
)["scale"]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: `kind` names its drawer in assets/live/panels/, `options` are its settings
    there.

    figure  the numbers behind the picture, for saving, from the traces by reader id and the
            selection; without it the table is saved as it is on the screen
    """

    id: str
    kind: str
    title: str
    says: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    figure: Callable[[Mapping[str, Trace], Mapping[str, Any]], Drawing] | None = None

    def describe(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "says": self.says,
            "numbers": self.figure is not None,
            "at": list(self.figure.axes) if isinstance(self.figure, Picked) else [],
            **self.options,
        }


@dataclass(frozen=True, slots=True)
class Opening:
    """What can be drawn before any model is open: the text box and its examples.

    kinds  of the panels, where they are known: their drawers are loaded while models are opened
    """

    page: str
    example: str
    tries: tuple[Try, ...]
    first: str = ""  # what is chosen before anything is, written like an address
    prompt: str = "Type a sentence; everything below updates as you type"
    kinds: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()  # the first minute

    @property
    def examples(self) -> tuple[str, ...]:
        return self.example, *(t.text for t in self.tries)

    def layout(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt,
            "placeholder": "Type here",
            "most_characters": MOST_CHARACTERS,
            "tries": [asdict(t) for t in self.tries],
            "steps": [asdict(s) for s in self.steps],
            "colours": {"light": colours(False), "dark": colours(True)},
        }


def colours(dark: bool) -> dict[str, list[str]]:
    """Data colours by what they tell apart: kinds (readers, lines) and, from weak to strong, n-gram
    orders."""
    kinds = theme.categories(8, dark)
    return {"reader": kinds, "line": kinds, "order": theme.orders(dark, 16)}


_turn = threading.Lock()


@contextmanager
def take_turn() -> Iterator[None]:
    """One answer is computed at a time: many at once take the interpreter from each other with
    every step of a model.

    Nobody waits behind a long text: after PATIENCE seconds it is computed beside the others.
    """
    mine = _turn.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if mine:
            _turn.release()


def standard(shown: Shown, request: Request) -> Reading:
    """What a reader's model makes of what is shown: all that the browser does not have yet, and
    what the request looks up."""
    return of_trace(shown, request, cache.newest_of(shown), not shown.unmoved)


def of_trace(shown: Shown, request: Request, trace: Trace, fields: bool) -> Reading:
    """The same of the trace of all that is shown, or of as much as a reply needs; `fields`: with them."""
    model = able(shown.reader.model, Model)
    found = reply.read(shown, trace, fields=fields)
    first = shown.window[0] + shown.keep
    looked = lookup.answer(model, trace, first, request.next, request.whole, shown.tokens)
    found.part.update(looked)
    return found


@dataclass(frozen=True, slots=True)
class Stage:
    """The readers of a page with their runs, its panels, and how it answers.

    most       characters shown at once
    longest    tokens shown at once, where a page can show no more
    selection  where to look before anything is chosen
    vertical   what the up and down keys move along: {"name": "unit", "size": 256}
    columns    widths of the two columns
    read       what one reader's part of a reply is made by
    extras     what the page adds to it
    unread     of a page whose text no model reads, in place of `read` and `extras`: the readings
               of the whole text and the characters shown
    bounds     moves the ends of the part shown to better ones
    drawn      what saved pictures are made from, of the whole text and the characters shown, where
               it is not the traces of the readers
    described  more readers, made by the browser itself or by no model, as `Reader.describe` has
               them
    device     where somebody wants the models to run; None: as `UNROLLED_DEVICE` says
    """

    readers: tuple[tuple[Reader, Run], ...]
    panels: tuple[Panel, ...]
    most: int = 512
    selection: Mapping[str, Any] = field(default_factory=dict)
    vertical: Mapping[str, Any] | None = None
    columns: tuple[int, int] = (7, 5)
    longest: int | None = None
    read: Callable[[Shown, Request], Reading] = standard
    extras: Callable[[Shown, Request], Extra] | None = None
    unread: Callable[[str, Window, Request], list[Reading]] | None = None
    bounds: Callable[[str, Window], Window] | None = None
    drawn: Callable[[str, Window], dict[str, Trace]] | None = None
    described: tuple[Mapping[str, Any], ...] = ()
    device: Choice | None = None

    def layout(self) -> dict[str, Any]:
        readers = [*(reader.describe() for reader, _ in self.readers), *map(dict, self.described)]
        return {
            "readers": readers,
            "panels": [p.describe() for p in self.panels],
            "chips": readers[0]["id"],
            "selection": dict(self.selection),
            "vertical": self.vertical,
            "asks": any({"search", "late"} & {*p.options} for p in self.panels),
            "columns": self.columns,
            "most": self.most,
        }

    def part(self, text: str, start: int | None) -> Window:
        """The characters to show."""
        found = window(len(text), self.most, start)
        return self.bounds(text, found) if self.bounds else found

    def shown(self, request: Request) -> tuple[Shown, ...]:
        """Per reader what of the text is shown, and what the browser has on its screen: each text
        is cut once for each model."""
        old = request.base and self._shown(request.base.text, request.base.start)
        new = self._shown(request.text, request.start)
        return tuple(s.after(b) for s, b in zip(new, old, strict=True)) if old else new

    def _shown(self, text: str, start: int | None) -> tuple[Shown, ...]:
        characters, cut = self.part(text, start), dict[int, Tokens]()
        found = []
        for reader, run in self.readers:
            if id(reader.model) not in cut:
                cut[id(reader.model)] = tokens(reader.model, text)
            of = cut[id(reader.model)]
            found.append(Shown.of(reader, run, text, characters, of, self.longest))
        return tuple(found)

    def readings(self, every: tuple[Shown, ...], request: Request) -> list[Reading]:
        """Per reader its part of a reply."""
        found = []
        for shown in every:
            count = shown.window[1] - shown.window[0]
            with take_turn(), placement.ask_for(self.device):
                found.append(
                    placement.with_room(shown.run, count, partial(self._reading, shown, request))
                )
        return found

    def _reading(self, shown: Shown, request: Request) -> Reading:
        made = self.read(shown, request)
        return made.add(self.extras(shown, request)) if self.extras else made

    def notes(self, every: tuple[Shown, ...]) -> list[str]:
        """How the text is read; where the models run that answered, and what a key costs there,
        where that is worth a sentence."""
        with placement.ask_for(self.device):
            said = [
                placement.notes(s.run, s.reader.model, s.window[1] - s.window[0], s.reader.title)
                for s in every
            ]
        said.insert(0, [s.reader.model.tokenizer.note(s.text) for s in every])
        return [note for note in dict.fromkeys(note for notes in said for note in notes) if note]

    def answer(self, request: Request) -> tuple[list[Reading], Window]:
        """(readings, characters shown) for a request whose window can be shown at once."""
        if self.unread is None:
            every = self.shown(request)
            return self.readings(every, request), every[0].characters
        characters = self.part(request.text, request.start)
        with take_turn():
            return self.unread(request.text, characters, request), characters

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], Window]:
        """Per reader its trace of the part of the text that is shown, and that part."""
        characters = self.part(text, start)
        if self.drawn:
            return self.drawn(text, characters), characters
        every = self._shown(text, start)
        with placement.ask_for(self.device):
            traces = {
                s.reader.id: placement.with_room(
                    s.run, s.window[1] - s.window[0], partial(cache.trace_of, s)
                )
                for s in every
            }
        return traces, characters
