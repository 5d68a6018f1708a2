"""Reading: what one model makes of one text, cut down to what a page draws, and packed for the browser.

A reply holds what the new text does not share with the text on the screen: `keep` leading tokens are the same, and
a causal model never changes their numbers, so the browser copies them.  That makes a reply as small for the hundredth
character as for the first.

Wire format   [u32 length][JSON header][padding to 4][float32 numbers], little-endian; `at` and `count` in numbers
Shapes        T = tokens in the window, V = vocabulary
"""

from __future__ import annotations

import json
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from engine import pieces
from engine.measure import surprisal
from engine.models.base import Model
from engine.text.base import Tokens
from engine.trace import ALONG_TEXT, Field, FieldSpec, Kind, Table, Trace
from engine.views import theme

Window = tuple[int, int]  # characters (start, stop)
SHORT, KEPT = 2_000, 256  # characters of a text that is cut in one go, and of how many the tokens are kept


@dataclass(frozen=True, slots=True)
class Reader:
    """One model on a page: what to ask of it and how to call it.

    fields   names to send to the browser
    top      "probability": likeliest next tokens; "ladder": the same with the n-gram orders they come from;
             "neighbours": nearest words; another name: the largest of that field (token, ...); "": none
    derive   more fields, computed from the trace (a place on a map)
    colour   number of its colour on a page of several readers
    """

    id: str
    title: str
    model: Any
    run: str
    unit: str
    fields: tuple[str, ...] = ()
    top: str = "probability"
    most: int = 12
    colour: int = 0
    derive: Callable[[Trace], tuple[Field, ...]] | None = None
    derived: tuple[FieldSpec, ...] = ()
    place_of: Callable[[str], list[float]] | None = None  # where a vocabulary word lies on the map
    more: Mapping[str, Any] | None = None  # sent to the browser once

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields to ask the model for."""
        besides = {"probability": ("probability",), "ladder": ("probability", "ladder"), "neighbours": ("vector", "neighbours")}
        top = besides.get(self.top, (self.top,) if self.top else ())
        return tuple(dict.fromkeys((*self.fields, *top, *self.model.carries)))

    def describe(self) -> dict[str, Any]:
        """What the browser has to know once: names, units, colours."""
        specs = [s for s in self.model.spec() if isinstance(s, FieldSpec) and s.name in self.fields]
        mark = self.model.tokens("")
        labels = dict(self.model.labels(mark))
        orders = [f"order {o}" if o.isdigit() else o for o in labels.get("order", ())]
        return {
            "id": self.id, "title": self.title, "run": self.run, "unit": self.unit, "colour": self.colour,
            "marks": len(mark), "vocabulary": len(self.model.tokenizer.vocab), "orders": orders or None,
            "labels": {"order": orders} if orders else {},
            "fields": {s.name: describe_field(s) for s in (*specs, *self.derived)}, **(self.more or {}),
        }  # fmt: skip


def describe_field(spec: FieldSpec) -> dict[str, Any]:
    scale = theme.scale(spec)
    return {
        "kind": spec.kind.value, "says": spec.says, "symbol": spec.symbol, "unit": spec.unit, "short": spec.name.removeprefix("gate."),
        "scale": {"low": scale.low, "high": scale.high, "light": theme.stops(spec, False), "dark": theme.stops(spec, True)},
    }  # fmt: skip


def window(characters: int, most: int, start: int | None = None) -> Window:
    """The characters to show: all, or `most` of them from a start that moves in steps, so that typing seldom moves it."""
    if characters <= most:
        return 0, characters
    step = max(1, most // 4)
    if start is None:
        start = -(-(characters - most) // step) * step
    start = max(0, min(start, characters - 1) // step * step)
    return start, min(characters, start + most)


def tokens(model: Model[Any], text: str) -> Tokens:
    """The text as this model reads it, cut once, though every step of a reply asks for it; a long one piece by piece."""
    return _tokens(model, text) if len(text) <= SHORT else pieces.tokens(model, text)


@lru_cache(KEPT)
def _tokens(model: Model[Any], text: str) -> Tokens:
    return model.tokens(text)


def cut(tokens: Tokens, characters: Window) -> Window:
    """The tokens (first, stop) that lie in these characters, with the start mark when the text's start is shown."""
    start, stop = characters
    first = bisect_right(tokens.spans, start, key=itemgetter(1)) if start > 0 else 0
    return first, max(first, bisect_left(tokens.spans, stop, key=itemgetter(0)))


def shared(reader: Reader, trace: Trace, base: str | None, base_window: Window | None) -> int:
    """How many leading tokens of the trace the browser already has from the text `base`."""
    if base is None or base_window is None or not reader.model.card.causal:
        return 0
    old = tokens(reader.model, base)
    first, stop = cut(old, base_window)
    if reader.model.context is not None:
        first = max(first, stop - reader.model.context)
        begun, begins = (max(0, end - reader.model.context) for end in (stop, trace.offset + len(trace.ids)))
        if begun != begins:  # the run begins elsewhere: every place has another number
            return 0
    if first != trace.offset:
        return 0
    count = min(stop - first, len(trace.ids))
    before = old.ids[first : first + count]
    same = (before == trace.ids[:count]) & np.array([old.labels[first + i] == trace.tokens[i] for i in range(count)], bool)
    return int(count if same.all() else same.argmin())


def outline(reader: Reader, text: str, part: Window) -> Trace:
    """The tokens shown, as a trace without numbers: enough to see what the browser has already."""
    cut, model = tokens(reader.model, text), reader.model
    start, stop = part
    if model.context is not None:
        start = max(start, stop - model.context)
    kept = cut[start:stop]
    return Trace(text, kept.labels, (), ids=kept.ids, spans=kept.spans, unknown=kept.unknown, offset=start, total=len(cut))


def fresh(reader: Reader, shown: Trace, keep: int) -> Window | None:
    """The tokens that a reply needs numbers of; None where the model has to say all of them."""
    if keep < 2 or not reader.model.forgets:
        return None
    return shown.offset + keep - 1, shown.offset + len(shown.tokens)  # the one before the first new one foretells it


def read(reader: Reader, trace: Trace, keep: int, shown: Trace | None = None) -> tuple[dict[str, Any], list[tuple[Field, int]]]:
    """The JSON part of one reader's reply, and its fields with the position they are cut at.

    shown  all tokens on the screen, where `trace` has only the last of them
    """
    whole, same = trace if shown is None else shown, keep
    keep -= trace.offset - whole.offset  # from here on counted in the trace
    bits = surprisal(trace)[keep:] if "probability" in trace else np.full(len(trace.tokens) - keep, np.nan)
    fields = [trace.field(name) for name in reader.fields] if len(trace) else []
    fields += reader.derive(trace) if reader.derive and len(trace) else ()
    header = {
        "id": reader.id, "keep": same, "offset": whole.offset, "total": whole.total,
        "labels": trace.tokens[keep:], "spans": trace.spans[keep:], "unknown": whole.unknown,
        "bits": [None if np.isnan(b) else round(float(b), 5) + 0.0 if np.isfinite(b) else 1e9 for b in bits],
        "top": _top(reader, trace, keep) if len(trace) else [],
    }  # fmt: skip
    if (source := tokens(reader.model, trace.text).source) is not None:
        header["source"] = {"labels": source.labels, "unknown": source.unknown}
    return header, [(field, keep) for field in fields]


def _top(reader: Reader, trace: Trace, keep: int) -> list[list[Any]]:
    match reader.top:
        case "probability":
            p_TV = trace.field("probability")
            return best(p_TV.values[keep:], p_TV.axes[-1].labels, reader.most)
        case "ladder":
            return _ladder(trace, keep, reader.most)
        case "neighbours":
            return _neighbours(trace, reader.place_of)[keep:]
        case name if name:
            field = trace.field(name)
            return best(field.values[keep:], field.axes[-1].labels, reader.most)
    return [[] for _ in trace.tokens[keep:]]


def best(p_TV: np.ndarray, labels: tuple[str, ...], most: int) -> list[list[Any]]:
    """Per row its `most` largest: [[label, p], ...], largest first."""
    most = min(most, p_TV.shape[-1])
    some_Tk = np.argpartition(p_TV, -most, axis=-1)[:, -most:]
    order_Tk = np.take_along_axis(some_Tk, np.argsort(-np.take_along_axis(p_TV, some_Tk, -1), -1, kind="stable"), -1)
    return [[[labels[i], float(f"{row[i]:.6g}")] for i in ids.tolist()] for row, ids in zip(p_TV, order_Tk, strict=True)]


def _ladder(trace: Trace, keep: int, most: int) -> list[list[Any]]:
    table = trace["ladder"]
    assert isinstance(table, Table)
    c = table.columns
    orders = sum(name.startswith("part_") for name in c)
    wanted = np.flatnonzero((c["position"] >= keep) & (c["rank"] <= most))
    parts = np.stack([c[f"part_{m}"][wanted] for m in range(orders)], 1)
    counted = {name: np.stack([c[f"{name}_{m}"][wanted] for m in range(1, orders)], 1) for name in ("count", "total", "discount")}
    rows: list[list[Any]] = [[] for _ in trace.tokens[keep:]]
    for i, step in zip(wanted.tolist(), steps(parts, **counted), strict=True):
        rows[int(c["position"][i]) - keep].append([str(c["next"][i]), float(f"{c['probability'][i]:.6g}"), step])
    return rows


def steps(part_KM: np.ndarray, count: np.ndarray, total: np.ndarray, discount: np.ndarray) -> list[list[list[float]]]:
    """Per word, from the shortest order (uniform) up: [what it adds to the probability, count, of how many, discount]."""
    uniform = np.zeros((len(part_KM), 1))
    columns = (part_KM, *(np.hstack([uniform, x_KN]) for x_KN in (count, total, discount)))
    return [
        [[float(f"{p:.5g}"), int(n), int(a), float(f"{d:.5g}")] for p, n, a, d in zip(*rows, strict=True)]
        for rows in zip(*(x.tolist() for x in columns), strict=True)
    ]


def _neighbours(trace: Trace, place_of: Callable[[str], list[float]] | None) -> list[list[Any]]:
    table = trace["neighbours"]
    assert isinstance(table, Table)
    c, place = table.columns, place_of or (lambda word: [])
    rows: list[list[Any]] = [[] for _ in trace.tokens]
    for position, word, cosine in zip(c["position"].tolist(), c["word"].tolist(), c["cosine"].tolist(), strict=True):
        rows[int(position)].append([word, round(cosine, 4), *place(word)])
    return rows


def pack(header: dict[str, Any], parts: list[tuple[dict[str, Any], list[tuple[Field, int]]]], blob: bytes = b"") -> bytes:
    """The bytes of a reply.  `blob` (a file to save) stands behind the numbers; header["file"] says where."""
    numbers: list[np.ndarray] = []
    at = 0
    for reading, fields in parts:
        reading["fields"] = []
        for field, keep in fields:
            values, before = _from(field, keep), reading["keep"] - keep  # tokens shown before those of the trace
            shape = [n + (before if a in ALONG_TEXT else 0) for a, n in zip(field.axis_names, field.values.shape, strict=True)]
            masked = field.spec.kind is Kind.SCORE
            reading["fields"].append({
                "name": field.spec.name, "axes": field.axis_names, "shape": shape,
                "at": at, "count": values.size, "fill": None if masked else 0,
            })  # fmt: skip
            numbers.append(values)
            at += values.size
    if blob:
        header["file"] |= {"at": at, "size": len(blob)}
        blob += b"\0" * (-len(blob) % 4)
    head_text = json.dumps({**header, "readings": [reading for reading, _ in parts]}, ensure_ascii=False, separators=(",", ":"))
    head = head_text.encode(errors="backslashreplace")  # half of an emoji has no bytes; written \\ud83d it is sound JSON
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + b"".join(n.tobytes() for n in numbers) + blob


def _from(field: Field, keep: int) -> np.ndarray:
    """The values from position `keep` on along the text, in one piece."""
    axis = next((i for i, name in enumerate(field.axis_names) if name in ALONG_TEXT), None)
    if not keep or axis is None:
        return np.ascontiguousarray(field.values, "<f4")
    return np.ascontiguousarray(field.values[(slice(None),) * axis + (slice(keep, None),)], "<f4")
