"""The live part of the Heads page: all heads as small pictures, the opened one in full, and nothing else on the way of a key.

Up to 48 tokens every weight is sent, and a key sends only its new rows.  Beyond, the browser gets pictures of 48 x 48 cells
and the one opened head; what the model made of the text is pooled while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine import reading
from engine.heads import combine, special, thumbnails
from engine.heads.thumbnails import Wall
from engine.reading import Reader
from engine.runs import Run
from engine.text.base import Tokens
from engine.trace import Axis, Field, FieldSpec, Kind, Trace
from pages.ui import cache
from pages.ui.attention import heads_tags
from pages.ui.stage import Stage, turn

READER = "heads"
LONGEST = 512  # tokens shown
WALLS = cache.Traces(64_000_000)

COMBINED = FieldSpec("combined", Kind.GATE, ("layer", "head", "query", "key"), "Heads of a layer taken together.", "A")
THUMBNAIL = FieldSpec("thumbnail", Kind.GATE, ("layer", "head", "target", "source"), "The largest weight under each cell.", "A")
OPENED = FieldSpec("opened", Kind.GATE, ("query", "key"), "How much of each token's reading comes from where.", "A")
SPECIAL = FieldSpec("special", Kind.GATE, ("token",), "1 where a token covers no character of the text.")

Base = tuple[str, int | None] | None


def combined(trace: Trace) -> tuple[Field, ...]:
    weight = trace.field("attention")
    layer, _, *text = weight.axes
    return (Field(COMBINED, combine.combine(weight.values), (layer, Axis("head", combine.NAMES), *text)),)


def wall(run: Run, model: Any, shown: Trace, layer: int, hides: bool = False) -> Wall:
    """All heads over the tokens shown, kept for a while."""
    tokens = reading.tokens(model, shown.text)
    window = (shown.offset, shown.offset + len(shown.tokens))
    key = (str(run.folder), run.note.get("recipe"), shown.text, window, layer, hides)
    found: Wall | None = WALLS.get(key)
    if found is None:
        hidden = special.special(tokens[slice(*window)]) if hides else None
        found = thumbnails.wall(model, tokens, window, layer, hidden=hidden)
        WALLS.put(key, found)
    return found


def numbers(names: tuple[str, ...], values: np.ndarray) -> tuple[Axis, ...]:
    """Axes that are numbered, for values in that order."""
    return tuple(Axis(name, tuple(map(str, range(n)))) for name, n in zip(names, values.shape, strict=True))


@dataclass(frozen=True, slots=True)
class Heads(Stage):
    """A stage of one reader that has attention over its own text."""

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        reader, run = self.readers[0]
        with turn():
            shown = self.outline(text, start)
            layer, head, hides = self.asked(ask)
            said = {"cell": thumbnails.cells(len(shown.tokens)), "open": [layer, head], "hides": hides}
            part, statistic = self._whole(shown, start, base, text) if said["cell"] == 1 else self._pooled(shown, layer, head, hides)
            said["statistic"] = np.round(statistic, 4).tolist()
            if not ask.get("tags") and (tags := heads_tags.known(run, reader.model)):
                said["tags"] = {**heads_tags.described(tags), "of": heads_tags.what(run)}
            said["untagged"] = heads_tags.failed(run)
            part[0]["said"] = said
        return [part], reading.window(len(text), self.most, start)

    def _whole(self, shown: Trace, start: int | None, base: Base, text: str) -> tuple[Any, np.ndarray]:
        """Every weight; of a text that goes on from the one on the screen only the new rows."""
        reader, run = self.readers[0]
        near = base is not None and thumbnails.cells(len(self.outline(*base).tokens)) == 1
        keep = reading.shared(reader, shown, base[0], reading.window(len(base[0]), self.most, base[1])) if base and near else 0
        before = (base[0], self._cut(reader, *base)) if base and near else None
        trace = cache.trace(run, reader.model, text, reader.needs, self._cut(reader, text, start), before)
        if not len(trace.tokens):
            return reading.read(reader, trace, 0, shown), np.zeros((3, 0, 0))
        return reading.read(reader, trace, keep, shown), thumbnails.statistics_of(trace.field("attention").values)

    def _pooled(self, shown: Trace, layer: int, head: int, hides: bool) -> tuple[Any, np.ndarray]:
        """Small pictures of all heads and the whole of one."""
        reader, run = self.readers[0]
        made = wall(run, reader.model, shown, layer, hides)
        opened = made.opened[head]
        text = tuple(Axis(name, shown.tokens) for name in OPENED.axes)
        fields = (Field(THUMBNAIL, made.thumbnail, numbers(THUMBNAIL.axes, made.thumbnail)), Field(OPENED, opened, text))
        pooled = replace(reader, fields=("thumbnail", "opened"), derive=None)
        return reading.read(pooled, with_fields(shown, fields), 0, shown), made.statistic

    def asked(self, ask: Mapping[str, Any]) -> tuple[int, int, bool]:
        """(layer, head, whether special tokens are hidden) that the browser, or the link that it opens, asks for."""
        look = {**self.selection, **(ask.get("selection") or {}), **(ask if "open" in ask else {})}
        place = look["open"] if isinstance(look.get("open"), list) else [look.get("layer"), look.get("head")]
        sizes = (self.selection["layers"], self.selection["heads"] + len(combine.NAMES))
        layer, head = (min(max(0, x), n - 1) if isinstance(x, int) else n - 1 for x, n in zip(place, sizes, strict=False))
        return layer, head, look.get("with") == "no_marks" or look.get("hides") is True

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        """The tokens shown; figures below take their weights from `wall`."""
        reader, _ = self.readers[0]
        shown = self.outline(text, start)
        if shown.tokens:
            found = special.special(tokens_of(reader.model, shown)).astype(np.float32)
            shown = with_fields(shown, (Field(SPECIAL, found, (Axis("token", shown.tokens),)),))
        return {reader.id: shown}, reading.window(len(text), self.most, start)

    def outline(self, text: str, start: int | None) -> Trace:
        reader, _ = self.readers[0]
        return reading.outline(reader, text, self._cut(reader, text, start))

    def _cut(self, reader: Reader, text: str, start: int | None) -> reading.Window:
        first, stop = reading.cut(reading.tokens(reader.model, text), reading.window(len(text), self.most, start))
        return max(first, stop - LONGEST), stop


def with_fields(shown: Trace, fields: tuple[Field, ...]) -> Trace:
    return Trace(
        shown.text, shown.tokens, fields, ids=shown.ids, spans=shown.spans, unknown=shown.unknown, offset=shown.offset, total=shown.total
    )  # fmt: skip


def tokens_of(model: Any, shown: Trace) -> Tokens:
    return reading.tokens(model, shown.text)[shown.offset : shown.offset + len(shown.tokens)]
