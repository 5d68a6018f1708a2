"""The one custom component: the text box and every picture that answers it, in one fragment.

The browser (assets/live/) sends a message, Python reads it as a request and sends a reply in bytes:
engine/live/reply.py describes both.  All hovering stays in the browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from engine.course.curriculum import LESSONS, lesson
from engine.language.catalogue import tell
from engine.live import assets, cache, wire
from engine.live import request as requests
from engine.live.reply import Header, Initial, Reply
from engine.live.request import Asks, Request
from engine.live.session import Made, Session
from engine.live.stage import MOST_CHARACTERS, Opening, Stage
from pages.ui import device, language, saving, typed
from pages.ui.address import part_from_address, selection_from_address
from pages.ui.files import ADDRESS
from pages.ui.fragment import fragment

# asked for in one go, where following one import after the other takes eight rounds; a browser that
# has read the header `Link` has them already
LOADER = f"""
for (const name of {json.dumps(assets.MODULES)})
  document.head.append(
    Object.assign(document.createElement("link"), {{ rel: "modulepreload", href: `{ADDRESS}/${{name}}` }}),
  );
const ready = new Promise((done) => {{
  const href = "{ADDRESS}/live.css", link = document.createElement("link");
  document.head.append(Object.assign(link, {{ rel: "stylesheet", href, onload: done, onerror: done }}));
}});
export default async function (component) {{
  const [{{ mount }}] = await Promise.all([import(`${{location.origin}}{ADDRESS}/live.js`), ready]);
  return mount(component);
}}
"""
OPENING = "opening"  # names a layout that has no pictures yet
_component = st.components.v2.component("unrolled_live", js=LOADER, isolate_styles=False)


def show(opening: Opening, make: Callable[[], Stage], ready: bool = True) -> None:
    """Draw a page's live part: the live fragment, and below it what waits for a moment of rest.

    `make` may take seconds the first time (it opens models).  Unless `ready`, the text box is drawn
    before that.
    """
    key = f"live-{opening.page}"
    session, wished = _session(opening.page), device.wished()
    known = session.key
    spoken = language.current()

    def made() -> Made:
        with cache.at_once():
            return Made.of(opening, replace(make(), device=wished), spoken)

    session.begin(made)

    def note(name: str) -> Callable[[], None]:
        # Streamlit keeps this as long as the visitor has a page open, of pages that were left too:
        # it must not hold the session, with all that it shows
        def act() -> None:
            here = st.session_state.get("live")
            if key not in st.session_state or not isinstance(here, Session) or here.key != known:
                return  # the page was left while its wish was on the way
            st.session_state[f"{key}.{name}"] = st.session_state[key].get(name)
            if name == "settle" and here.is_made and here.made.stage.settled:
                wish, message = st.session_state[key].get("save"), _message(key)
                if wish:
                    st.session_state[f"{key}.save"] = wish
                if wish or _seq(message) != st.session_state.get(f"{key}.answered"):
                    # both came in one go, and naming one fragment would leave the other's wish, or
                    # a key, unanswered
                    st.rerun([f"{key}.live", f"{key}.settled"])
                st.rerun(f"{key}.settled")

        return act

    @fragment(key=f"{key}.live")
    def answer() -> None:
        session.hear(message := _message(key))
        request = Request.read(session.message, MOST_CHARACTERS)
        request = replace(request, text=typed.text(opening.example))
        header: Header = {
            "page": opening.page,
            "seq": request.seq,
            "text": request.text,
            "notes": [],
            "socket": session.key,
        }
        if request.have in (None, OPENING):  # that of a message sent again while models open
            # read only for a browser that has nothing yet: not on the way of a key
            header["initial"] = initial = _initial(opening, request.text)
            request = replace(request, link=Asks(initial["selection"]))
            if not session.message:
                request = replace(request, start=initial.get("start"))
        if not session.message and not ready and not session.is_made:
            empty = {"hash": OPENING, "readers": [], "panels": [], "kinds": opening.kinds}
            header["layout"] = tell({**empty, **opening.layout()}, spoken)
            data = wire.pack(Reply(header))
        else:
            try:
                found = session.made
            except ValueError as problem:  # a damaged or outdated run
                st.error(f"{problem}. Train it again, or choose another model.")
                return
            header["turn"] = _turns(opening, request.text)
            save = requests.save(st.session_state.pop(f"{key}.save", None), MOST_CHARACTERS)
            data = wire.pack(reply(found, replace(request, save=save), header))
            st.session_state[f"{key}.answered"] = _seq(message)
        opened = _component(
            data=data,
            key=key,
            on_msg_change=lambda: None,
            on_open_change=lambda: None,
            on_save_change=note("save"),
            on_settle_change=note("settle"),
        ).open
        cache.drawn()
        if opened in {item.id for item in LESSONS}:
            st.switch_page(f"pages/{lesson(opened).page}")

    answer()

    @fragment(key=f"{key}.settled")
    def rest() -> None:
        settle = st.session_state.get(f"{key}.settle")
        stage = session.made.stage if session.is_made else None
        if isinstance(settle, Mapping) and stage and (draw := stage.settled):
            asked = Asks(settle)
            traces, _ = stage.traces(asked.words("text")[:MOST_CHARACTERS], None)
            draw(traces, asked.part("selection") or {})

    rest()


def reply(made: Made, request: Request, header: Header) -> Reply:
    """The answer to one request, with the file that is wished for."""
    found = made.reply(request, header)
    if request.save is None:
        return found
    told: dict[str, Any] = {}
    blob = saving.answer(made.stage, request.save, told)
    header["file"] = told["file"]
    return replace(found, blob=blob)


def leave(page: str) -> None:
    """What this visitor looked at on another page is let go, with all that it held."""
    found = st.session_state.get("live")
    if isinstance(found, Session) and found.page != page:
        del st.session_state["live"]


def _session(page: str) -> Session:
    """That of this visitor's page."""
    leave(page)
    if "live" not in st.session_state:
        st.session_state["live"] = Session(page, typed.typed())
    found = st.session_state["live"]
    assert isinstance(found, Session)
    return found


def _message(key: str) -> Mapping[str, Any]:
    """What the browser sent last; empty where it sent nothing."""
    found = (st.session_state.get(key) or {}).get("msg")
    return found if isinstance(found, Mapping) else {}


def _seq(message: Mapping[str, Any]) -> int | None:
    return Request.read(message, MOST_CHARACTERS).seq if message else None


def _initial(opening: Opening, text: str) -> Initial:
    """What a browser that has nothing yet begins with."""
    first = opening.first if text == opening.example else ""
    found: Initial = {"text": text, "selection": selection_from_address(first)}
    start, zoom = part_from_address()
    if start is not None:
        found["start"] = start
    if zoom is not None:
        found["zoom"] = zoom
    return found


def _turns(opening: Opening, text: str) -> bool:
    """Whether this text is an example of the model shown before, and that of now has others."""
    before = st.session_state.get(f"live-{opening.page}.offered", opening.examples)
    st.session_state[f"live-{opening.page}.offered"] = opening.examples
    return bool(opening.tries) and text in before and text not in opening.examples
