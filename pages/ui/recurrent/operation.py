"""One run read twice, as it is and with the edits that the browser sends: what both make of a text, and how they go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st

from engine import reading, rollout, surgery
from engine.reading import describe_field
from engine.runs import Run
from engine.tap import Edit
from engine.trace import FieldSpec, Trace
from pages.ui import cache
from pages.ui.stage import Stage, turn

LONGEST = 5_000  # characters: an edited run takes its steps one by one
MOVES = 10
EDITED = cache.Traces(24_000_000)  # a drag makes many: they don't push out the traces of other pages

Base = tuple[str, int | None] | None


@dataclass(frozen=True, slots=True)
class Operation(Stage):
    """A stage of two readers of one run, "plain" and "edited"."""

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    expects: str = "probability"  # the field with the words that the model expects

    def layout(self) -> dict[str, Any]:
        reader, _ = self.readers[0]
        says = "Edited minus as it is. A change beyond the ends of the scale takes its last colour."
        changes = {s.name: describe_field(replace(surgery.change(s), name=s.name, says=says)) for s in _specs(reader.model, reader.fields)}
        found = Stage.layout(self)
        found["readers"].append({**found["readers"][0], "id": "change", "of": ["edited", "plain"], "fields": changes})
        return found

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        (reader, run), (edited, _) = self.readers
        parts, characters = Stage(self.readers[:1], (), self.most).answers(text, start, base, {})
        edits, problems = self.edits(text, ask["edits"] if "edits" in ask else st.query_params.get("edits", ""))
        old, _ = self.edits(base[0] if base else "", ask.get("base_edits"))
        with turn():
            plain = cache.trace(run, reader.model, text, reader.needs, self._cut(reader, text, start))
            trace = self.edited(run, plain, edits, old, (base[0], self._cut(reader, *base)) if base else None)
            keep = min(parts[0][0]["keep"], max(0, surgery.parting(edits, old) - trace.offset))
            part = reading.read(edited, trace, int(keep))
            if len(trace) and self.expects:
                p_TV = trace.field(self.expects)
                both = (t.field(self.expects).values[int(keep) :] for t in (plain, trace))
                part[0]["moves"] = surgery.moves(*both, p_TV.axes[-1].labels, MOVES)
            part[0]["said"] = {"edits": surgery.write(edits), "problems": problems}
            if isinstance(ask.get("write"), int):
                part[0]["said"]["writing"] = self.writing(plain, trace, edits, ask["write"])
        return [*parts, part], characters

    def edits(self, text: str, asked: Any) -> tuple[tuple[Edit, ...], list[str]]:
        found, problems = surgery.read(str(asked or ""), self.sizes)
        if found and len(text) > LONGEST:
            return (), [f"Edits are left out: the text has more than {LONGEST:,} characters. Shorten it to try them."]
        return found, problems

    def edited(self, run: Run, plain: Trace, edits: tuple[Edit, ...], old: tuple[Edit, ...], base: cache.Place | None) -> Trace:
        """The edited run, kept; it goes on from the picture on the screen where that begins in the same way."""
        model, of = self.readers[0][0].model, (str(run.folder), run.note.get("recipe"))
        key = (*of, surgery.write(edits), plain.text, plain.offset, len(plain.tokens))
        found = EDITED.get(key) if edits else plain
        if found is None:
            first, last = base[1] if base else (0, 0)
            before = EDITED.get((*of, surgery.write(old), base[0], first, last - first)) if base and old else None
            if before and not np.array_equal(*(reading.tokens(model, x).ids[: plain.offset] for x in (before.text, plain.text))):
                before = None  # what stands before the window is no longer the same
            found = surgery.operate(model, plain, edits, before, surgery.parting(edits, old))
            EDITED.put(key, found)
        return found

    def writing(self, plain: Trace, edited: Trace, edits: tuple[Edit, ...], seed: int) -> dict[str, Any]:
        """How the text goes on as it is and edited, with the same random numbers; seed 0: always the likeliest."""
        model = self.readers[0][0].model
        drawn = max(0, seed) or None
        if plain.offset + len(plain.tokens) < plain.total:  # the end of the text is not shown
            end = (plain.total - 1, plain.total)
            plain = model.trace(plain.text, fields=self.readers[0][0].needs, window=end)
            edited = model.trace(plain.text, edits, fields=tuple(plain), window=end) if edits else plain
        if not plain.tokens:
            return {"seed": seed, "plain": "", "edited": ""}
        made = rollout.ahead(model, plain, (), rollout.STEPS, drawn)
        other = rollout.ahead(model, edited, edits, rollout.STEPS, drawn) if edits else made
        last = int(plain.ids[-1])
        return {"seed": seed, "plain": rollout.text_of(model, last, made), "edited": rollout.text_of(model, last, other)}


def _specs(model: Any, names: tuple[str, ...]) -> list[FieldSpec]:
    return [spec for spec in model.spec() if isinstance(spec, FieldSpec) and spec.name in names]
