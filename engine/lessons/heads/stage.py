"""The live part of the Heads page: all heads as small pictures, the opened one in full, and nothing
else on the way of a key.

Up to 48 tokens every weight is sent, and a key sends only its new rows.  Beyond, the browser gets
pictures of at most 48 x 48 cells and the one opened head.  Where no later token changes a weight, a
key costs and sends the new rows of these only; of any other model, or without special tokens, what
it made of the text is pooled while it runs, and sent whole.  Pictures that would be large are sent
as bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from engine.analysis.heads import combine, growing, special, thumbnails
from engine.analysis.heads.growing import Growing
from engine.analysis.heads.thumbnails import Wall
from engine.core.cache import Cache
from engine.core.device import CPU
from engine.core.numbers import Numbers
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.heads import tags as heads_tags
from engine.live import cache, placement, reply
from engine.live.drawing import with_entries
from engine.live.reader import Reader
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.window import Window, tokens
from engine.models.abilities import Attends, able
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens

READER = "heads"
LONGEST = 512  # tokens shown
WALLS: Cache[Any, Any] = Cache("walls", attrgetter("size_bytes"), keep_last=True)
LARGE = 1_000_000  # bytes of all small pictures as float32: from here on they are sent as bytes
ROOM = 256_000_000  # bytes of all weights: of longer texts they are not kept

COMBINED = FieldSpec(
    "combined",
    Kind.GATE,
    ("layer", "head", "query", "key"),
    "Heads of a layer taken together.",
    "A",
)
THUMBNAIL = FieldSpec(
    "thumbnail",
    Kind.GATE,
    ("layer", "head", "target", "source"),
    "The largest weight under each cell.",
    "A",
)
OPENED = FieldSpec(
    "opened", Kind.GATE, ("query", "key"), "How each token's attention weight is distributed.", "A"
)
SPECIAL = FieldSpec(
    "special", Kind.GATE, ("token",), "1 where a token covers no character of the text."
)


def combined(trace: Trace) -> tuple[Field, ...]:
    weight = trace.field("attention")
    layer, _, *text = weight.axes
    axes = (layer, Axis("head", combine.NAMES), *text)
    return (Field(COMBINED, combine.combine(weight.values), axes),)


def wall(
    run: Run,
    model: Attends[Any],
    shown: Trace,
    layer: int,
    hides: bool = False,
    cut: Tokens | None = None,
) -> Wall:
    """All heads over the tokens shown, kept for a while; `cut`: the whole text as the model cuts
    it."""
    cut = tokens(model, shown.text) if cut is None else cut
    window = (shown.offset, shown.offset + len(shown.tokens))
    key = (*run.key, shown.text, window, layer, hides)
    found: Wall | None = WALLS.get(key)
    if found is None:
        hidden = special.special(cut[slice(*window)]) if hides else None
        found = placement.answered(
            run,
            model,
            window[1] - window[0],
            lambda by: thumbnails.wall(able(by, Attends), cut, window, layer, hidden=hidden),
        )
        WALLS.put(key, found)
    return found


def wall_of(shown: Shown) -> Growing:
    """All heads over the tokens shown, which go on from those on the screen where that wall is
    still here."""

    def key(of: Shown) -> tuple[Any, ...]:
        return (*of.run.key, of.text, of.window, "growing")

    def kept(of: Shown) -> Growing | None:
        here, there = WALLS.get(key(of)), placement.kept(key(of))
        found: Growing | None = there if here is None else here
        return found

    if (found := kept(shown)) is None:
        weight = cache.trace_of(shown).field("attention").growing
        same = shown.same if shown.before else 0
        found = growing.grown(weight, kept(shown.before) if shown.before and same else None, same)
        (WALLS if found.device == CPU else placement.traces()).put(key(shown), found)
    return found


def numbers(names: tuple[str, ...], values: np.ndarray | Numbers) -> tuple[Axis, ...]:
    """Axes that are numbered, for values in that order."""
    return tuple(
        Axis(name, tuple(map(str, range(n)))) for name, n in zip(names, values.shape, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Heads:
    """What is sent of one reader that has attention over its own text.

    layer, head    opened first
    layers, heads  of the model
    """

    reader: Reader
    run: Run
    layer: int
    head: int
    layers: int
    heads: int

    def read(self, shown: Shown, request: Request) -> Reading:
        layer, head, hides = self.asked(request)
        cell = thumbnails.cells(len(shown.part))
        if cell == 1:
            found, statistic = self._whole(shown)
        elif self.grows(len(shown.part)) and not hides:
            found, statistic = self._grown(shown, layer, head, request)
        else:
            found, statistic = self._pooled(shown, layer, head, hides)
        said = {
            "cell": cell,
            "open": [layer, head],
            "hides": hides,
            "statistic": np.round(statistic, 4).tolist(),
            "untagged": heads_tags.failed(self.run),
        }
        tags = None if request.asks.get("tags") else heads_tags.known(self.run, self.model)
        if tags:
            said["tags"] = {**heads_tags.described(tags), "of": heads_tags.what(self.run)}
        return found.add(Extra(said))

    @property
    def model(self) -> Attends[Any]:
        return able(self.reader.model, Attends)

    def _whole(self, shown: Shown) -> tuple[Reading, np.ndarray]:
        """Every weight; of a text that goes on from the one on the screen only the new rows."""
        if shown.before and thumbnails.cells(len(shown.before.part)) > 1:
            shown = shown.after(None)  # the screen has small pictures
        trace = cache.trace_of(shown)
        if not len(trace.tokens):
            return reply.read(shown.after(None), trace), np.zeros((3, 0, 0))
        return reply.read(shown, trace), thumbnails.statistics_of(trace.field("attention").values)

    def _pooled(
        self, shown: Shown, layer: int, head: int, hides: bool
    ) -> tuple[Reading, np.ndarray]:
        """Small pictures of all heads and the whole of one."""
        outline = shown.outline
        made = wall(self.run, self.model, outline, layer, hides, shown.tokens)
        text = tuple(Axis(name, outline.tokens) for name in OPENED.axes)
        fields = (
            Field(THUMBNAIL, made.thumbnail, numbers(THUMBNAIL.axes, made.thumbnail)),
            Field(OPENED, made.opened[head], text),
        )
        pooled = replace(self.reader, fields=("thumbnail", "opened"), derive=None)
        whole = replace(shown, reader=pooled, before=None)
        return reply.read(whole, with_entries(outline, *fields)), made.statistic

    def grows(self, count: int) -> bool:
        """Whether what is known of a text stays when it goes on, and may be kept."""
        size = 4 * self.layers * self.heads * count**2
        return self.model.causal and bool(self.model.carries) and size <= ROOM

    def _grown(
        self, shown: Shown, layer: int, head: int, request: Request
    ) -> tuple[Reading, np.ndarray]:
        """The same, of which the browser keeps what it has: of the pictures the cells before the
        first new token, of the head the rows."""
        made = wall_of(shown)
        on_screen = request.asks.numbers("on_screen")
        same = shown.same if on_screen else 0
        drawn = same // made.cell if on_screen[:2] == (made.cell, 0) else 0
        rows = same if drawn and on_screen[2:] == (layer, head) else 0
        text = tuple(Axis(name, shown.outline.tokens) for name in OPENED.axes)
        thumbnail = Field(THUMBNAIL, made.thumbnail, numbers(THUMBNAIL.axes, made.thumbnail))
        told = replace(shown, reader=replace(self.reader, fields=(), derive=None))
        found = reply.read(told if drawn else replace(told, before=None), shown.outline)
        found.part["top"] = [[] for _ in found.part["labels"]]
        sent = (
            Sent(
                thumbnail,
                skip=drawn,
                grows=("target", "source"),
                shades=self.heads * self.layers * thumbnails.MOST**2 * 4 > LARGE,
            ),
            Sent(Field(OPENED, made.opened(layer, head), text), skip=rows),
        )
        return Reading(found.part, sent), made.statistic()

    def asked(self, request: Request) -> tuple[int, int, bool]:
        """(layer, head, whether special tokens are hidden) that the browser, or the link that it
        opens, asks for."""
        link = request.link
        place = request.asks.pair("open") or (
            link.whole("layer") if "layer" in link else self.layer,
            link.whole("head") if "head" in link else self.head,
        )
        sizes = (self.layers, self.heads + len(combine.NAMES))
        layer, head = (
            n - 1 if x is None else min(max(0, x), n - 1) for x, n in zip(place, sizes, strict=True)
        )
        return layer, head, link.words("with") == "no_marks" or request.asks.true("hides")

    def drawn(self, text: str, characters: Window) -> dict[str, Trace]:
        """The tokens shown; figures below take their weights from `wall`."""
        reader = self.reader
        cut = tokens(reader.model, text)
        shown = Shown.of(reader, self.run, text, characters, cut, LONGEST)
        outline = shown.outline
        if outline.tokens:
            marks_T, axes = special.special(shown.part), (Axis("token", outline.tokens),)
            outline = with_entries(outline, Field(SPECIAL, marks_T, axes))
        return {reader.id: outline}


def tokens_of(model: Attends[Any], shown: Trace) -> Tokens:
    return tokens(model, shown.text)[shown.offset : shown.offset + len(shown.tokens)]
