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
from pages.ui import device, language, loader, saving, typed
from pages.ui.address import part_from_address, selection_from_address
from pages.ui.files import ADDRESS
from pages.ui.fragment import fragment
from pages.ui.language import told

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
_component = loader.Component("unrolled_live", LOADER)


def show_pictures(opening: Opening, make: Callable[[], Stage], ready: bool = True) -> None:
    """Draw a page's live part.

    `make` may take seconds the first time (it opens models).  Unless `ready`, the text box is drawn
    before that.
    """
    key = f"live-{opening.page}"
    session, wished = _session(opening.page), device.read_wish()
    known = session.key
    spoken = language.current()

    def made() -> Made:
        with cache.at_once():
            return Made.of(opening, replace(make(), device=wished), spoken)

    session.begin(made)

    def note_save() -> None:
        # Streamlit keeps this as long as the visitor has a page open, of pages that were left too:
        # it must not hold the session, with all that it shows
        here = st.session_state.get("live")
        if key in st.session_state and isinstance(here, Session) and here.key == known:
            st.session_state[f"{key}.save"] = st.session_state[key].get("save")

    @fragment(key=f"{key}.live")
    def answer() -> None:
        session.hear(_message(key))
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
                st.error(
                    told("{problem}. Train it again, or choose another model.", problem=problem)
                )
                return
            header["turn"] = _turns(opening, request.text)
            save = requests.save(st.session_state.pop(f"{key}.save", None), MOST_CHARACTERS)
            data = wire.pack(reply(found, replace(request, save=save), header))
        opened = _component(
            data=data,
            key=key,
            on_msg_change=lambda: None,
            on_open_change=lambda: None,
            on_save_change=note_save,
        ).open
        cache.note_drawn()
        if opened in {item.id for item in LESSONS}:
            st.switch_page(f"pages/{lesson(opened).page}", query_params={})  # bound ones go too

    answer()


def reply(made: Made, request: Request, header: Header) -> Reply:
    """The answer to one request, with the file that is wished for."""
    found = made.reply(request, header)
    if request.save is None:
        return found
    file: dict[str, Any] = {}
    blob = saving.answer(made.stage, request.save, file)
    header["file"] = file["file"]
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
