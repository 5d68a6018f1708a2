"""What stands on a page of AppTest: each element by what a reader gets of it, without keys and places."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from streamlit import dataframe_util
from streamlit.testing.v1.element_tree import Block, Element, Expander, Tab, Widget
from streamlit.testing.v1.element_tree import get_widget_state as state_of

from tests.pages.tables import BETWEEN
from tests.record.store import Record, Shown, leaves, short

TEXTS = "markdown caption header subheader title latex text info warning error success toast code".split()
WORDS = ("label", "placeholder", "help", "least", "most", "step", "options")
COLOURS = {
    "colours",
    "language",
    "seq",
    "light",
    "dark",
}  # of what is sent to a board, no numbers of it
CHANNELS = ("x", "y", "color", "size", "row", "column", "opacity", "strokeDash", "shape")
Name = tuple[str, str, str]  # kind, label and key: what a control is known by during a visit
MOST = 4_000  # signs of a text within the data of a picture


@dataclass
class Sight:
    """One look at a page.  A place: the titles of the folds around an element, and its number."""

    shown: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    places: dict[Name, tuple[tuple[str, ...], int]] = field(default_factory=dict)
    controls: dict[Name, Any] = field(default_factory=dict)
    buttons: dict[Name, Any] = field(default_factory=dict)
    folds: dict[Name, str] = field(
        default_factory=dict
    )  # the key of each that is drawn when opened
    tabs: dict[Name, str] = field(default_factory=dict)  # the key of each with a table

    @property
    def names(self) -> frozenset[Name]:
        return frozenset((*self.controls, *self.buttons, *self.folds, *self.tabs))


class Looks:
    """Looks at one page after the other; what was seen before is not read again."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._read: dict[bytes, int | None] = {}

    def look(self, main: Block) -> Sight:
        found = Sight()
        self._walk(main, (), found)
        return found

    def _walk(self, block: Block, folds: tuple[str, ...], found: Sight) -> None:
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
                        found.places[name] = folds, number
                        (found.buttons if child.type == "button" else found.controls)[name] = child

    def _number(self, node: Element) -> int | None:
        state = b"" if not isinstance(node, Widget) else state_of(node).SerializeToString()  # type: ignore[union-attr]
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
    if kind in TEXTS:
        if kind == "markdown" and str(node.value).startswith("| "):
            heads, _, *cells = [_cells(line) for line in node.value.splitlines()]
            return {"is": "table", "columns": heads, "cells": [list(c) for c in zip(*cells)]}
        said: Shown = {"is": kind, "says": str(node.value)}
        return said | ({"help": proto.help} if getattr(proto, "help", "") else {})
    if kind in ("dataframe", "table"):
        config = json.loads(getattr(proto, "columns", "") or "{}")
        return {"is": "table", **_frame(node.value), "forms": _forms(config)}
    if kind == "vega_lite_chart":
        return _chart(proto)
    if kind == "plotly_chart":
        spec = json.loads(proto.spec)
        data = [{"columns": [*d], "cells": [_numbers(d[k]) for k in d]} for d in spec["data"]]
        return {"is": "chart", "title": _title(spec.get("layout", {})), "says": "", "data": data}
    if kind == "metric":
        return {"is": "metric", "label": proto.label, "says": f"{proto.body} {proto.delta}".strip()}
    if kind in ("button", "download_button", "file_uploader"):
        return {"is": kind, "label": proto.label, "help": proto.help}
    if kind == "page_link":
        return {"is": "link", "label": proto.label, "help": proto.help, "to": proto.query_string}
    if isinstance(node, Widget):
        return control(node) | {"value": value(node)}
    if kind == "bidi_component" and not proto.bytes:
        return _board(proto)
    if kind == "exception":
        return {"is": "exception", "says": f"{proto.type}: {proto.message}"}
    if kind == "progress":
        return {"is": "progress", "says": proto.text}
    if kind == "imgs":
        return {"is": "image", "says": " ".join(image.caption for image in proto.imgs)}
    return None


def control(node: Widget) -> Shown:
    """A control by its words and its range."""
    proto = node.proto
    found: Shown = {"is": node.type, "label": proto.label}
    for name in ("help", "placeholder"):
        if words := getattr(proto, name, ""):
            found[name] = words
    if node.type in ("slider", "number_input"):
        found["least"], found["most"], found["step"] = (
            short(proto.min),
            short(proto.max),
            short(proto.step),
        )
    elif hasattr(node, "options"):
        found["options"] = list(node.options)
    return found


def value(node: Widget) -> str:
    """What stands in a control, in words."""
    state = state_of(node)
    assert state is not None
    kind = state.WhichOneof("value")
    held = getattr(state, kind) if kind else ""
    return ", ".join(str(short(one)) for one in (held.data if hasattr(held, "data") else [held]))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in BETWEEN.split(line.strip()[1:-1])]


def _frame(frame: Any) -> Shown:
    cells = [[short(cell) for cell in frame[name].tolist()] for name in frame.columns]
    return {"columns": [str(name) for name in frame.columns], "cells": cells}


def _forms(config: dict[str, Any]) -> Shown:
    """How numbers are written and what heads say, where that is set."""
    found: Shown = {}
    for name, one in config.items():
        form = (one.get("type_config") or {}).get("format")
        if said := [words for words in (one.get("label"), form, one.get("help")) if words]:
            found[name] = said
    return found


def _chart(proto: Any) -> Shown:
    spec = json.loads(proto.spec)
    titles: list[str] = []
    data: list[Shown] = []
    for part in _parts(spec):
        if part is not spec and (title := _title(part)):
            titles.append(title)
        for channel in CHANNELS:
            code = part.get("encoding", {}).get(channel, {})
            for named in (code, code.get("axis") or {}, code.get("legend") or {}):
                if title := _title(named):
                    titles.append(title)
        if "values" in part.get("data", {}):
            data.append(_values(part["data"]["values"]))
    sets = [named.data.data for named in proto.datasets]
    if proto.HasField("data"):
        sets.append(proto.data.data)
    data += [_frame(dataframe_util.convert_arrow_bytes_to_pandas_df(one)) for one in sets]
    alone = {json.dumps(one, sort_keys=True): one for one in map(_sorted, data) if one["columns"]}
    says = spec.get("description", "")
    return {
        "is": "chart",
        "title": _title(spec),
        "says": says,
        "axes": sorted({*titles}),
        "data": [*alone.values()],
    }


def _parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield spec
    for kind in ("layer", "concat", "hconcat", "vconcat"):
        for part in spec.get(kind, ()):
            yield from _parts(part)
    if "spec" in spec:
        yield from _parts(spec["spec"])


def _title(part: dict[str, Any]) -> str:
    title = part.get("title") or ""
    if isinstance(title, dict):
        title = [title.get("text", ""), title.get("subtitle", "")]
    return " ".join(
        " ".join(one) if isinstance(one, list) else str(one)
        for one in ([title] if isinstance(title, str) else title)
    ).strip()


def _values(values: Any) -> Shown:
    if isinstance(values, str):
        values = [*csv.DictReader(io.StringIO(values))]
    rows = values if isinstance(values, list) else [values]
    rows = [row if isinstance(row, dict) else {"": row} for row in rows]
    names = [*dict.fromkeys(name for row in rows for name in row)]
    return {
        "columns": names,
        "cells": [_numbers([row.get(name) for row in rows]) for name in names],
    }


def _numbers(cells: Any) -> list[Any]:
    return [_cell(cell) for cell in leaves(cells if isinstance(cells, list) else [cells])]


def _cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return short(cell)
    if len(cell) > MOST or cell.startswith("data:"):
        return hashlib.sha1(cell.encode()).hexdigest()
    try:
        return short(float(cell))
    except ValueError:
        return cell


def _sorted(data: Shown) -> Shown:
    rows = (
        sorted(zip(*data["cells"], strict=True), key=str)
        if len({*map(len, data["cells"])}) == 1
        else []
    )
    return {
        "columns": data["columns"],
        "cells": [list(c) for c in zip(*rows)] if rows else data["cells"],
    }


def _board(proto: Any) -> Shown | None:
    """What is sent to a picture that the browser computes: its words and numbers, in order."""
    if not proto.json:
        return None
    sent = json.loads(proto.json)
    if isinstance(sent, dict):
        sent = {name: sent[name] for name in sent if name not in COLOURS}
    cells = [short(one) for one in leaves(sent)]
    return {
        "is": "board",
        "words": [c for c in cells if isinstance(c, str)],
        "numbers": [c for c in cells if isinstance(c, int | float)],
    }
