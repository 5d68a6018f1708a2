"""What stands on a page of AppTest: each element by what a reader gets of it, without keys and places."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1.element_tree import Block, Element, Expander, Tab, Widget
from streamlit.testing.v1.element_tree import get_widget_state as state_of

from tests.pages.tables import BETWEEN
from tests.record.store import Record, Shown, leaves, short

TEXTS = "markdown caption header subheader title latex text info warning error success toast code".split()
CHANNELS = "x y color size row column opacity strokeDash shape".split()
# what no reader sees of what is sent to a board
BESIDE = "colours language seq light dark link panel covers page at sent".split()
Titles = tuple[str, ...]  # of the folds around an element
Place = tuple[Titles, int]  # and its number in the record
Name = tuple[str, str, str]  # kind, label and key: what a control is known by during a visit
MOST = 4_000  # signs of a text within the data of a picture


@dataclass
class Sight:
    """One look at a page."""

    shown: list[Place] = field(default_factory=list)
    controls: dict[Name, Any] = field(default_factory=dict)
    buttons: dict[Name, Any] = field(default_factory=dict)
    places: dict[Name, Place] = field(default_factory=dict)
    held: dict[Name, WidgetState] = field(default_factory=dict)
    folds: dict[Name, str] = field(
        default_factory=dict
    )  # the key of each that is drawn when opened
    tabs: dict[Name, str] = field(default_factory=dict)  # the key of each with a table

    @property
    def names(self) -> frozenset[Name]:
        return frozenset((*self.controls, *self.buttons, *self.folds, *self.tabs))

    def named(self, name: Name) -> Any:
        """A control, also where its label has changed with its value."""
        kind, _, key = name
        same = (n for n in self.controls if key and (n[0], n[2]) == (kind, key))
        return self.controls[name if name in self.controls else next(same, name)]


class Looks:
    """Looks at one page after the other; what was seen before is not read again."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._read: dict[bytes, int | None] = {}

    def look(self, main: Block) -> Sight:
        found = Sight()
        self._walk(main, (), found)
        return found

    def _walk(self, block: Block, folds: Titles, found: Sight) -> None:
        for child in block.children.values():
            if isinstance(child, Block):
                inner, words = folds, None
                if isinstance(child, Expander):
                    inner, words = (*folds, child.label), {"is": "fold", "label": child.label}
                    if child.key:
                        found.folds["fold", child.label, child.key] = child.key
                elif child.type == "popover":
                    words = {"is": "popover", "label": child.proto.popover.label}
                elif child.type == "tab_container" and child.key:
                    tabs = [one.label for one in child.children.values() if isinstance(one, Tab)]
                    if "Table" in tabs:
                        found.tabs["tabs", "", child.key] = child.key
                if words:
                    found.shown.append((folds, self.record.number(words)))
                self._walk(child, inner, found)
            else:
                assert isinstance(child, Element)
                if (number := self._number(child)) is not None:
                    found.shown.append((folds, number))
                    if isinstance(child, Widget):
                        name = (child.type, child.proto.label, child.key or "")
                        (found.buttons if child.type == "button" else found.controls)[name] = child
                        found.places[name], found.held[name] = found.shown[-1], held(child)

    def _number(self, node: Element) -> int | None:
        state = held(node).SerializeToString() if isinstance(node, Widget) else b""
        same = hashlib.sha1(
            node.type.encode() + node.proto.SerializeToString(deterministic=True) + state
        ).digest()
        if same not in self._read:
            thing = read(node)
            self._read[same] = None if thing is None else self.record.number(thing)
        return self._read[same]


def read(node: Element) -> Shown | None:
    """None of what is only layout, or of the live pictures, which `live` records."""
    kind, proto = node.type, node.proto
    words = {
        name: found
        for name in ("label", "help", "placeholder")
        if (found := getattr(proto, name, ""))
    }
    if kind == "markdown" and node.value.startswith("| "):
        heads, _, *lines = [_cells(line) for line in node.value.splitlines()]
        return {"is": "table", **_table(heads, zip(*lines, strict=True))}
    if kind in TEXTS:
        return {"is": kind, "says": str(node.value), **words}
    if kind in ("dataframe", "table"):
        return {"is": "table", **_frame(node.value), "forms": _forms(proto)}
    if kind == "vega_lite_chart":
        return _chart(proto)
    if kind == "plotly_chart":
        spec = json.loads(proto.spec)
        data = [_table(one, ([*_packed(one[name])] for name in one)) for one in spec["data"]]
        return {
            "is": "chart",
            "title": _title(spec["layout"]),
            "says": "",
            "axes": [],
            "data": data,
        }
    if kind == "metric":
        return {"is": kind, **words, "says": f"{proto.body} {proto.delta}"}
    if kind in ("button", "download_button", "file_uploader"):
        return {"is": kind, **words}
    if kind == "page_link":
        return {"is": "link", **words, "to": proto.query_string}
    if isinstance(node, Widget):
        return {"is": kind, **words, **_range(node), "value": _value(node)}
    if kind == "bidi_component" and proto.json:
        sent = [short(one) for one in leaves(json.loads(proto.json), BESIDE)]
        said = [one for one in sent if isinstance(one, str)]
        return {
            "is": "board",
            "words": said,
            "numbers": [n for n in sent if isinstance(n, int | float)],
        }
    if kind == "exception":
        return {"is": kind, "says": f"{proto.type}: {proto.message}"}
    return None


def held(node: Element) -> WidgetState:
    """What stands in a control, as a browser would send it."""
    try:
        return state_of(node) or WidgetState()
    except KeyError:  # the page has taken it away
        return WidgetState()


def _value(node: Widget) -> str:
    """The same in words."""
    state = held(node)
    kind = state.WhichOneof("value")
    found: Any = getattr(state, kind) if kind else ""
    many = found.data if kind and kind.endswith("_array_value") else [found]
    return ", ".join(str(short(one)) for one in many)


def _range(node: Widget) -> Shown:
    proto = node.proto
    if node.type in ("slider", "number_input"):
        return {"least": short(proto.min), "most": short(proto.max), "step": short(proto.step)}
    return {"options": [*node.options]} if "options" in vars(node) else {}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in BETWEEN.split(line.strip()[1:-1])]


def _table(names: Iterable[Any], columns: Iterable[Iterable[Any]]) -> Shown:
    cells = [[short(cell) for cell in column] for column in columns]
    return {"columns": [str(name) for name in names], "cells": cells}


def _packed(value: Any) -> Iterator[Any]:
    """What Plotly keeps under a name: numbers as bytes, or a nest of lists and names."""
    if isinstance(value, dict) and "bdata" in value:
        value = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).tolist()
    yield from leaves(value)


def _frame(frame: Any) -> Shown:
    return _table(frame.columns, (frame.iloc[:, n].tolist() for n in range(len(frame.columns))))


def _forms(proto: Any) -> Shown:
    """How numbers are written and what heads say, where that is set."""
    config = json.loads(getattr(proto, "columns", "") or "{}")
    found = {
        name: [one.get("label"), (one.get("type_config") or {}).get("format"), one.get("help")]
        for name, one in config.items()
    }
    return {name: [*filter(None, said)] for name, said in found.items() if any(said)}


def _chart(proto: Any) -> Shown:
    """Its words, and each of its tables of numbers once, the rows in order."""
    spec = json.loads(proto.spec)
    words: set[str] = set()
    data = [_frame(convert_arrow_bytes_to_pandas_df(one.data.data)) for one in proto.datasets]
    if proto.HasField("data"):
        data.append(_frame(convert_arrow_bytes_to_pandas_df(proto.data.data)))
    for part in _parts(spec):
        codes = [part.get("encoding", {}).get(channel) or {} for channel in CHANNELS]
        words |= {_title(c) for code in codes for c in (code, code.get("axis"), code.get("legend"))}
        words |= {_title(part)} - {_title(spec)}
        data += _values(part.get("data", {}).get("values", []))
    for one in data:
        rows = sorted(zip(*one["cells"], strict=True), key=str)
        one["cells"] = [[*column] for column in zip(*rows, strict=True)]
    once = {json.dumps(one): one for one in data}
    says = spec.get("description", "")
    return {
        "is": "chart",
        "title": _title(spec),
        "says": says,
        "axes": sorted(words - {""}),
        "data": [*once.values()],
    }


def _parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield spec
    for kind in ("layer", "concat", "hconcat", "vconcat"):
        for part in spec.get(kind, ()):
            yield from _parts(part)


def _title(part: Any) -> str:
    title = (part or {}).get("title")
    if isinstance(title, dict):
        title = [title.get("text"), title.get("subtitle")]
    return " ".join(str(one) for one in leaves(title) if isinstance(one, str))


def _values(values: Any) -> Iterator[Shown]:
    """Rows of a picture: CSV, rows by name, or single values."""
    rows = [*csv.DictReader(io.StringIO(values))] if isinstance(values, str) else values
    rows = [row if isinstance(row, dict) else {"": row} for row in rows]
    if names := [*dict.fromkeys(name for row in rows for name in row)]:
        yield _table(names, ([_cell(row.get(name)) for row in rows] for name in names))


def _cell(cell: Any) -> Any:
    if isinstance(cell, str):
        if len(cell) > MOST:
            return hashlib.sha1(cell.encode()).hexdigest()
        with suppress(ValueError):
            return float(cell)
    return cell
