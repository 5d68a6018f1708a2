"""The one custom component: the text box and every picture that answers it, in one fragment.

Python sends bytes (engine/reading.py); the browser (assets/live/) draws them and does all hovering by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from engine import reading
from pages.ui import cache, long, saving
from pages.ui.address import part_from_address, selection_from_address
from pages.ui.stage import MOST_CHARACTERS, Opening, Stage

ASSETS = Path(__file__).parents[2] / "assets" / "live"


def version() -> str:
    """Changes with any of the component's files, so that a browser never runs an old one."""
    return hashlib.sha256(b"".join(p.read_bytes() for p in sorted(ASSETS.rglob("*.*s")))).hexdigest()[:12]


VERSION = version()
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


def show(opening: Opening, make: Callable[[], Stage], ready: bool = True) -> None:
    """Draw a page's live part: the live fragment, and below it what waits for a moment of rest.

    `make` may take seconds the first time (it opens models).  Unless `ready`, the text box is drawn before that.
    """
    key = f"live-{opening.page}"
    made: dict[str, Any] = {}

    def stage() -> tuple[Stage, dict[str, Any], str]:
        if not made:
            with cache.at_once():
                built = make()
            layout = {**opening.layout(), **built.layout()}
            made["stage"] = built, layout, hashlib.sha256(json.dumps(layout).encode()).hexdigest()[:12]
        found: tuple[Stage, dict[str, Any], str] = made["stage"]
        return found

    def note(name: str) -> Callable[[], None]:
        def act() -> None:
            st.session_state[f"{key}.{name}"] = st.session_state[key].get(name)
            if name == "settle" and made["stage"][0].settled:
                wish, message = st.session_state[key].get("save"), st.session_state[key].get("msg") or {}
                if wish:
                    st.session_state[f"{key}.save"] = wish
                if wish or message.get("seq") != st.session_state.get(f"{key}.answered"):
                    # both came in one go, and naming one fragment would leave the other's wish, or a key, unanswered
                    st.rerun([f"{key}.live", f"{key}.settled"])
                st.rerun(f"{key}.settled")

        return act

    @st.fragment(key=f"{key}.live")
    def answer() -> None:
        message = (st.session_state.get(key) or {}).get("msg") or {}
        if message:
            st.session_state["text"] = str(message.get("text", ""))[:MOST_CHARACTERS]
        text = _text(opening)
        header = {"page": opening.page, "seq": message.get("seq", 0), "text": text, "notes": []}
        if not message.get("have"):  # read only for a browser that has nothing yet: not on the way of a key
            first = opening.first if text == opening.example else ""
            header["initial"] = {"text": text, "selection": selection_from_address(first), **part_from_address()}
        if not message and not ready and not made:
            header["layout"] = {"hash": "opening", "readers": [], "panels": [], **opening.layout()}
            data = reading.pack(header, [])
        else:
            try:
                staged = stage()
            except ValueError as problem:  # a damaged or outdated run
                st.error(f"{problem}. Train it again, or choose another model.")
                return
            header["turn"] = _turns(opening, text)
            data = reply(staged, header, message or header["initial"], st.session_state.pop(f"{key}.save", None))
            st.session_state[f"{key}.answered"] = message.get("seq")
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


def reply(staged: tuple[Stage, dict[str, Any], str], header: dict[str, Any], message: Mapping[str, Any], wish: Any) -> bytes:
    """The bytes that answer one message."""
    stage, layout, stamp = staged
    known = message.get("have") == stamp
    base = message.get("base") if known else None
    shown = (base, message.get("base_start")) if base is not None else None
    start, waits = long.reach(stage, header["text"], message.get("start"), shown)
    parts, characters = stage.answers(header["text"], start, shown, message)
    header |= {"start": characters[0], "stop": characters[1], "refresh": stamp, "waits": waits}
    if message.get("strip") and (strip := long.strip(stage, header["text"], message["strip"])):
        header["strip"] = strip
    header["layout"] = {"hash": stamp} if known else {"hash": stamp, **layout}
    blob = saving.answer(stage, wish, header) if wish else b""
    return reading.pack(header, parts, blob)


def _turns(opening: Opening, text: str) -> bool:
    """Whether this text is an example of the model shown before, and that of now has others."""
    before = st.session_state.get(f"live-{opening.page}.offered", opening.examples)
    st.session_state[f"live-{opening.page}.offered"] = opening.examples
    return bool(opening.tries) and text in before and text not in opening.examples


def _text(opening: Opening) -> str:
    """What is in the box: typed in this session, else from the address, else the example."""
    if "text" not in st.session_state and "text" in st.query_params:
        st.session_state["text"] = st.query_params["text"][:MOST_CHARACTERS]
    return str(st.session_state.get("text", opening.example))
