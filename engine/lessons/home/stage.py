"""The first page's live part: one sentence as four kinds of model read it, and a picture of what each
of them works by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.course.curriculum import lesson
from engine.language.message import _
from engine.lessons.home.arcs import PICTURE, READS, SPEC, Arcs
from engine.lessons.home.units import Units
from engine.lessons.home.words import Near
from engine.live import cache, declared
from engine.live.drawing import picked, ribbon, shortlists
from engine.live.reader import Reader
from engine.live.reply import Reading
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import SURPRISAL, Panel, Stage, standard
from engine.models.abilities import Attends, Remembers
from engine.models.wordspace import WordSpace
from engine.runs.store import Run

NEXT = {"chars": "letter", "words": "word"}  # what a tokenizer's models foretell; else a piece
NEXT_TITLES = {"letter": "Next letter", "word": "Next word", "piece": "Next token"}
MOST = 8  # words of a list
BARS = 10  # of the n-gram's picture, where there is room


class Adds(Protocol):
    """What a reader's part of a reply holds besides what any reader's holds."""

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading: ...


@dataclass(frozen=True)
class Chosen:
    """One reader of the page: its kind (ngram, lstm, transformer, skipgram), what it is called
    here, what its tokens are called, and its run."""

    kind: str
    title: str
    unit: str
    run: Run

    @property
    def next(self) -> str:
        """What it foretells."""
        return NEXT.get(self.run.note["config"].get("tokenizer", "words"), "piece")


def stage(chosen: tuple[Chosen, ...]) -> Stage:
    """The readers and their pictures."""
    made: list[tuple[Reader, Run]] = []
    cards: list[Panel] = []
    adds: dict[str, Adds] = {}
    for colour, one in enumerate(chosen):
        more, panel, add = PICTURES[one.kind](one)
        about = {"next": one.next, **more.pop("more", {})}
        settings = {"top": "probability", "most": MOST, **more, "more": about, "colour": colour}
        model = cache.model(one.run)
        reader = Reader(one.kind, one.title, model, one.run.id, one.unit, **settings)
        made.append((reader, one.run))
        cards.append(panel)
        if add:
            adds[one.kind] = add

    def read(shown: Shown, request: Request) -> Reading:
        found = standard(shown, request)
        add = adds.get(shown.reader.id)
        return add.read(found, shown, request) if add else found

    titles = {one.kind: one.title for one in chosen}
    surprise = Panel(
        "surprise",
        "ribbon",
        "How surprised each model was, word by word",
        options={
            "scale": SURPRISAL,
            "compact": True,
            "empty": "Type a sentence above, or begin with one of these:",
        },
        figure=ribbon(titles),
    )
    tops = Panel(
        "tops",
        "tops",
        "What each model expects next",
        "Point at a word above to see what was expected after it. A dot · is a space.",
        {"most": MOST},
        shortlists(titles, MOST),
    )
    return Stage(tuple(made), (surprise, *cards, tops), most=800, columns=(1, 1), read=read)


Picture = tuple[dict[str, Any], Panel, Adds | None]
"""Settings of the reader besides those of all, its picture, and what its replies hold besides."""


def counts(one: Chosen) -> Picture:
    """Of an n-gram model with the order that each count is of; of one with hidden states without."""
    ladder = one.run.model == "ngram"
    options = card("left", one, "ngrams" if ladder else "hmm") | {"most": BARS, "words": ladder}
    figure = picked(one.kind, "bars", ["probability"], ["token"], top=BARS)
    title = _("{title}: counts", title=_(one.title)) if ladder else NEXT_TITLES[one.next]
    panel = Panel("counts", "bars", title, options=options, figure=figure)
    return {"top": "ladder" if ladder else "probability", "most": BARS}, panel, None


def gates(one: Chosen) -> Picture:
    made = Units(cache.model(one.run, Remembers), one.run)
    options = card("right", one, "lstm") | {
        "keeps": made.keep.removeprefix("gate."),
        "complement": made.complement,
    }
    title = (
        _("{title}: gates", title=_(one.title))
        if made.keep
        else _("{title}: states", title=_(one.title))
    )
    panel = Panel("units", "units", title, options=options, figure=made.figure(one.kind))
    return {"also": made.also, "derived": made.specs}, panel, made


def attention(one: Chosen) -> Picture:
    model = cache.model(one.run, Attends)
    made = Arcs(model)
    panel = declared.panel(
        replace(PICTURE, blank=_("{title}: attention", title=_(one.title))), one.kind, model
    )
    options = {**panel.options, **card("left", one, "heads")}
    panel = replace(panel, options=options, figure=made.figure(one.kind))
    return {"also": ("attention", "value"), "derived": (SPEC, READS)}, panel, made


def vectors(one: Chosen) -> Picture:
    model = cache.model(one.run, WordSpace)
    options = card("right", one, "vectors") | {"notes": True}
    panel = Panel("near", "neighbours", _("{title}: near", title=_(one.title)), options=options)
    more = {"vocabulary": len(model.space), "dims": model.vectors.shape[1]}
    return {"also": ("neighbours",), "more": more}, panel, Near()


def card(column: str, one: Chosen, id: str) -> dict[str, Any]:
    """The options of a picture: where it stands, whose it is, and the lesson that it opens."""
    return {"column": column, "reader": one.kind, "lesson": {"page": id, "title": lesson(id).title}}


PICTURES: Mapping[str, Callable[[Chosen], Picture]] = {
    "ngram": counts,
    "lstm": gates,
    "transformer": attention,
    "skipgram": vectors,
}
