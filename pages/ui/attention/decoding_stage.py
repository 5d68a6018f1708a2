"""The stage of the Generation page: the logits after one token of the text go to the browser, and what is asked for is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine import decode, reading
from engine.decode import Place
from engine.reading import Reader
from engine.runs import Run
from engine.trace import Axis, Field, FieldSpec, Kind, Trace
from pages.ui import cache
from pages.ui.attention import decoding_work, decoding_written
from pages.ui.stage import Stage, turn

LOGITS = FieldSpec("logits", Kind.SCORE, ("next",), "One number for every token that may come next, before softmax.", "z")
ID = FieldSpec("id", Kind.COUNT, ("token",), "The number of each token in the vocabulary.")
Base = tuple[str, int | None] | None


def source(model: Any) -> str:
    return "logits" if any(spec.name == "logits" for spec in model.spec()) else "probability"


class Generation(Stage):
    """One language model; every reply carries the logits after the token looked at, of the whole vocabulary."""

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        reader, run = self.readers[0]
        characters = reading.window(len(text), self.most, start)
        base_window = reading.window(len(base[0]), self.most, base[1]) if base else None
        with turn():
            cut = self._cut(reader, text, start)
            shown = reading.outline(reader, text, cut)
            keep = reading.shared(reader, shown, base[0] if base else None, base_window)
            header, fields = reading.read(reader, shown, keep)
            at = behind(ask, shown)
            header["said"] = {"after": at}
            if len(shown.ids):
                before = (base[0], self._cut(reader, *base)) if base else None
                logit_V = logits(run, reader, text, cut, before, at)
                axes = Axis("next", reader.model.tokenizer.vocab), Axis("token", shown.tokens)
                fields = [(Field(LOGITS, logit_V, axes[:1]), keep), (Field(ID, shown.ids.astype(np.float32), axes[1:]), keep)]
            if len(shown.ids):
                header["said"] |= {kind: self.written(kind, text, shown, at, ask[kind]) for kind in decoding_written.KINDS if isinstance(ask.get(kind), dict)}
        return [(header, fields)], characters

    def written(self, kind: str, text: str, shown: Trace, at: int, wish: Mapping[str, Any]) -> dict[str, Any]:
        """One of KINDS as far as it has come; what is asked for begins or goes on."""
        (reader, run), of = self.readers[0], wish.get("of")
        order = decoding_written.order(kind, wish)
        tokens = reading.tokens(reader.model, text)[: at + 1]
        place = lambda: replace(decode.read(reader.model, tokens), since=shown.offset)  # noqa: E731
        found = work(kind, run, place, tokens.ids, shown.offset, order).go()
        return {"of": of if isinstance(of, int) else 0, "done": found.done, "problem": found.problem,
                **decoding_written.told(kind, reader.model, int(tokens.ids[-1]), order, found.made)}  # fmt: skip


def work(kind: str, run: Run, place: Callable[[], Place], ids_T: np.ndarray, since: int, order: Any) -> decoding_work.Work:
    def begin() -> Iterator[Any]:
        yield from decoding_written.KINDS[kind](place(), order)

    return decoding_work.of((kind, str(run.folder), run.note.get("recipe"), ids_T.tobytes(), since, order), begin)


def behind(ask: Mapping[str, Any], shown: Trace) -> int:
    """The token of the text behind which is looked: the one asked for, or the last that is shown."""
    asked = ask.get("after", (ask.get("selection") or {}).get("token"))
    last = shown.offset + len(shown.ids) - 1
    return asked if isinstance(asked, int) and shown.offset <= asked <= last else last


def logits(run: Run, reader: Reader, text: str, cut: reading.Window, before: cache.Place | None, at: int) -> np.ndarray:
    """Logits (V,) float32 after token `at`; log-probabilities where the model gives no logits."""
    model, name = reader.model, source(reader.model)
    if model.forgets:
        return decode.read(model, reading.tokens(model, text)[: at + 1], keeps=False).logit_V.astype(np.float32)
    trace = cache.trace(run, model, text, reader.needs, cut, before)
    values: np.ndarray = trace.field(name).values[at - trace.offset]
    with np.errstate(divide="ignore"):
        return values if name == "logits" else np.log(values)
