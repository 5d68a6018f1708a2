"""One run read twice, as it is and with the edits that the browser sends: what both make of a text,
and how they go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np

from engine.analysis import rollout, surgery
from engine.core.cache import Cache
from engine.core.tap import Edit
from engine.core.trace import FieldSpec, Trace
from engine.language.message import _
from engine.live import cache, reply
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra, Reading
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import standard
from engine.models.abilities import able
from engine.models.base import Model

LONGEST = 5_000  # characters: an edited run takes its steps one by one
PLAIN, EDITED = "plain", "edited"  # ids of the two readers
TRACES: Cache[Any, Trace] = Cache("edited", attrgetter("size_bytes"))


Edits = tuple[Edit, ...]
Operate = Callable[[Shown, Trace, Edits, Edits], Trace]
Write = Callable[[Shown, Trace, Trace, Edits, int], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Operation:
    """How one run answers as two readers, "plain" and "edited".

    sizes    the fields that can be edited: name -> (layers, units or heads)
    operate  the edited run, from what is shown, the run as it is, the edits and those before
    write    how the text goes on, from the same, both runs, the edits and a seed
    unedited by id the reader that answers as long as nothing is edited, where it is another one:
             its run goes on from the one before.  With edits both runs read the whole text, so
             that numbers which no edit reaches are the same bit for bit
    """

    sizes: Mapping[str, tuple[int, int]]
    operate: Operate
    write: Write
    unedited: Mapping[str, Reader] = field(default_factory=dict)

    def read(self, shown: Shown, request: Request) -> Reading:
        asks, base = request.asks, request.base
        asked = str(asks["edits"] or "") if "edits" in asks else request.link.words("edits")
        edits, problems = self.edits(request.text, asked)
        old, __ = self.edits(base.text if base else "", asks.words("base_edits"))
        if self.unedited and bool(edits) != bool(old):
            shown = shown.after(None)  # the numbers on the screen are of a run made another way
        if self.unedited and not edits:
            shown = replace(shown, reader=self.unedited[shown.reader.id])
        if shown.reader.id == PLAIN:
            return standard(shown, request)
        plain = cache.trace_of(shown)
        trace = self.operate(shown, plain, edits, old) if edits else plain
        same = min(shown.same, max(0, surgery.parting(edits, old) - trace.offset))
        found = reply.read(shown, trace, int(same))
        said: dict[str, Any] = {"edits": surgery.write(edits), "problems": problems}
        if (seed := asks.whole("write")) is not None:
            said["writing"] = self.write(shown, plain, trace, edits, seed)
        return found.add(Extra(said))

    def edits(self, text: str, asked: str) -> tuple[Edits, list[str]]:
        """The edits that a text asks for, and what is wrong with it."""
        found, problems = surgery.read(asked, self.sizes)
        if found and len(text) > LONGEST:
            why = _(
                "because the text has more than {longest:,} characters. Shorten it to try them.",
                longest=LONGEST,
            )
            return (), [_("Edits are switched off {why}", why=_(why))]
        return found, problems


def change(reader: Reader) -> dict[str, Any]:
    """What the browser has to know of the difference of the two readers, which it makes itself."""
    says = "Edited minus original. Changes beyond the ends of the scale have the end colour."
    fields = {
        s.name: describe_field(replace(surgery.change(s), name=s.name, says=says))
        for s in _specs(able(reader.model, Model), reader.fields)
    }
    return {**reader.describe(), "id": "change", "of": [EDITED, PLAIN], "fields": fields}


def key(shown: Shown, edits: Edits) -> tuple[Any, ...]:
    """What an edited run depends on."""
    run, (first, stop) = shown.run, shown.window
    return *run.key, surgery.write(edits), shown.text, first, stop - first


def going_on(shown: Shown, plain: Trace, edits: Edits, old: Edits) -> Trace:
    """The edited run, kept; it goes on from the picture on the screen where that begins in the same
    way."""
    of, screen, first = key(shown, edits), shown.before, shown.window[0]
    found: Trace | None = TRACES.get(of)
    if found is None:
        before = TRACES.get(key(screen, old)) if screen and old else None
        if screen and not np.array_equal(screen.tokens.ids[:first], shown.tokens.ids[:first]):
            before = None  # what stands before the window is no longer the same
        model, parting = able(shown.reader.model, Model), surgery.parting(edits, old)
        found = surgery.operate(model, plain, edits, before, parting)
        TRACES.put(of, found)
    return found


def written_on(
    shown: Shown, plain: Trace, edited: Trace, edits: Edits, seed: int
) -> dict[str, Any]:
    """How the text goes on as it is and edited, with the same random numbers; seed 0: always the
    likeliest."""
    reader = shown.reader
    model, drawn = able(reader.model, Model), max(0, seed) or None
    if plain.offset + len(plain.tokens) < plain.total:  # the end of the text is not shown
        end, of = (plain.total - 1, plain.total), shown.tokens
        plain = model.trace(plain.text, fields=reader.needs, window=end, tokens=of)
        edited = plain
        if edits:
            edited = model.trace(plain.text, edits, fields=tuple(plain), window=end, tokens=of)
    if not plain.tokens:
        return {"seed": seed, "plain": "", "edited": ""}
    made = rollout.roll_out(model, plain, (), rollout.STEPS, drawn)
    other = rollout.roll_out(model, edited, edits, rollout.STEPS, drawn) if edits else made
    return written(model, int(plain.ids[-1]), made, other, seed)


def written(
    model: Model[Any], last: int, made: list[int], other: list[int], seed: int
) -> dict[str, Any]:
    """Both texts, for the browser."""
    return {
        "seed": seed,
        "plain": rollout.text_of(model, last, made),
        "edited": rollout.text_of(model, last, other),
    }


def _specs(model: Model[Any], names: tuple[str, ...]) -> list[FieldSpec]:
    return [spec for spec in model.spec() if isinstance(spec, FieldSpec) and spec.name in names]
