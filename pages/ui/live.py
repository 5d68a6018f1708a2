"""The one custom component: the text box and every picture that answers it, in one fragment.

Python sends bytes (engine/reading.py); the browser (assets/live/) draws them and does all hovering by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from engine import reading
from engine.curriculum import Try
from engine.reading import Reader, describe_field
from engine.runs import Run
from engine.trace import FieldSpec, Kind, Trace
from engine.views import theme
from pages.ui import cache, saving
from pages.ui.address import selection_from_address

ASSETS = Path(__file__).parents[2] / "assets" / "live"
MOST_CHARACTERS = 100_000


def version() -> str:
    """Changes with any of the component's files, so that a browser never runs an old one."""
    return hashlib.sha256(b"".join(p.read_bytes() for p in sorted(ASSETS.rglob("*.*s")))).hexdigest()[:12]


VERSION = version()
SURPRISAL = describe_field(FieldSpec("surprisal", Kind.LOSS, ("token",), "Bits per character.", "s", "bits", (0, 8)))["scale"]
LOADER = f"""
const ready = new Promise((done) => {{
  const style = Object.assign(document.createElement("link"), {{ rel: "stylesheet", href: "/assets/{VERSION}/live.css", onload: done, onerror: done }});
  document.head.append(style);
}});
export default async function (component) {{
  const [{{ mount }}] = await Promise.all([import(`${{location.origin}}/assets/{VERSION}/live.js`), ready]);
  return mount(component);
}}
"""
_component = st.components.v2.component("unrolled_live", js=LOADER, isolate_styles=False)


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: `kind` names its drawer in assets/live/panels/, `options` are its settings there.

    figure  the same picture as a `Figure` for saving, from the traces by reader id and the selection
    """

    id: str
    kind: str
    title: str
    says: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    figure: Callable[[Mapping[str, Trace], Mapping[str, Any]], saving.Drawing] | None = None

    def describe(self) -> dict[str, Any]:
        return {"id": self.id, "kind": self.kind, "title": self.title, "says": self.says, "save": self.figure is not None, **self.options}


@dataclass(frozen=True, slots=True)
class Opening:
    """What can be drawn before any model is open: the text box and its examples."""

    page: str
    example: str
    tries: tuple[Try, ...]
    prompt: str = "Type a sentence: everything below answers with every key"

    def layout(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt, "placeholder": "Type here", "most_characters": MOST_CHARACTERS,
            "tries": [{"text": t.text, "look": t.look} for t in self.tries],
            "colours": {"light": colours(False), "dark": colours(True)},
        }  # fmt: skip


def colours(dark: bool) -> dict[str, list[str]]:
    """Data colours by what they tell apart: kinds (readers, lines) and, from weak to strong, n-gram orders."""
    kinds = theme.categories(8, dark)
    ramp = theme.stops(FieldSpec("order", Kind.GATE, ("order",), ""), dark)
    orders = [ramp[round(1 + i * (len(ramp) - 2) / 7)] for i in range(8)]
    return {"reader": kinds, "line": kinds, "order": orders}


@dataclass(frozen=True, slots=True)
class Stage:
    """The readers of a page with their runs, and its panels."""

    readers: tuple[tuple[Reader, Run], ...]
    panels: tuple[Panel, ...]
    most: int = 512  # characters shown at once
    selection: Mapping[str, Any] = field(default_factory=dict)  # where to look before anything is chosen
    vertical: Mapping[str, Any] | None = None  # what the up and down keys move along: {"name": "unit", "size": 256}
    columns: tuple[int, int] = (7, 5)  # widths of the two columns
    settled: Callable[[Mapping[str, Trace], Mapping[str, Any]], None] | None = None  # charts below, after a moment of rest

    def layout(self) -> dict[str, Any]:
        return {
            "readers": [reader.describe() for reader, _ in self.readers], "panels": [p.describe() for p in self.panels],
            "chips": self.readers[0][0].id, "selection": dict(self.selection), "vertical": self.vertical,
            "settles": self.settled is not None, "columns": self.columns,
        }  # fmt: skip

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        """Per reader its trace of the part of the text that is shown."""
        characters = reading.window(len(text), self.most, start)
        found = {}
        for reader, run in self.readers:
            cut = reading.cut(reader.model.tokens(text), characters)
            found[reader.id] = cache.trace(run, text, reader.needs, cut)
        return found, characters


def show(opening: Opening, make: Callable[[], Stage], ready: bool = True) -> None:
    """Draw a page's live part: the live fragment, and below it what waits for a moment of rest.

    `make` may take seconds the first time (it opens models).  Unless `ready`, the text box is drawn before that.
    """
    key = f"live-{opening.page}"
    made: dict[str, Any] = {}

    def stage() -> tuple[Stage, str, str]:
        if not made:
            built = make()
            layout = json.dumps({**opening.layout(), **built.layout()}, ensure_ascii=False)
            made["stage"] = built, layout, hashlib.sha256(layout.encode()).hexdigest()[:12]
        found: tuple[Stage, str, str] = made["stage"]
        return found

    def note(name: str) -> Callable[[], None]:
        def act() -> None:
            st.session_state[f"{key}.{name}"] = st.session_state[key].get(name)
            if name == "settle" and made["stage"][0].settled:
                st.rerun(f"{key}.settled")

        return act

    @st.fragment
    def answer() -> None:
        message = (st.session_state.get(key) or {}).get("msg") or {}
        if message:
            st.session_state["text"] = str(message.get("text", ""))[:MOST_CHARACTERS]
        text = _text(opening)
        header = {"page": opening.page, "seq": message.get("seq", 0), "text": text, "notes": []}
        header["initial"] = {"text": text, "selection": selection_from_address()}
        if not message and not ready and not made:
            header["layout"] = {"hash": "opening", "readers": [], "panels": [], **opening.layout()}
            data = reading.pack(header, [])
        else:
            data = reply(stage(), header, message, st.session_state.pop(f"{key}.save", None))
        _component(
            data=data, key=key,
            on_msg_change=lambda: None, on_save_change=note("save"), on_settle_change=note("settle"),
        )  # fmt: skip

    answer()

    @st.fragment(key=f"{key}.settled")
    def rest() -> None:
        settle = st.session_state.get(f"{key}.settle")
        if settle and made and (draw := made["stage"][0].settled):
            built = made["stage"][0]
            traces, _ = built.traces(str(settle.get("text", ""))[:MOST_CHARACTERS], None)
            draw(traces, settle.get("selection") or {})

    rest()


def reply(staged: tuple[Stage, str, str], header: dict[str, Any], message: Mapping[str, Any], wish: Any) -> bytes:
    """The bytes that answer one message."""
    stage, layout, stamp = staged
    known = message.get("have") == stamp
    traces, characters = stage.traces(header["text"], message.get("start"))
    base = message.get("base") if known else None
    base_window = reading.window(len(base), stage.most, message.get("base_start")) if base is not None else None
    header |= {"start": characters[0], "stop": characters[1], "refresh": stamp}
    header["layout"] = {"hash": stamp} if known else {"hash": stamp, **json.loads(layout)}
    parts = [reading.read(r, traces[r.id], reading.shared(r, traces[r.id], base, base_window)) for r, _ in stage.readers]
    blob = saving.answer(stage, wish, header) if wish else b""
    return reading.pack(header, parts, blob)


def _text(opening: Opening) -> str:
    """What is in the box: typed in this session, else from the address, else the example."""
    if "text" not in st.session_state and "text" in st.query_params:
        st.session_state["text"] = st.query_params["text"][:MOST_CHARACTERS]
    return str(st.session_state.get("text", opening.example))
