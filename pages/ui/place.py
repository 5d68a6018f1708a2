"""One place on a page, named in its address: `?panel=ID` opens the part that holds it and scrolls
there.

ID is the id of a live panel, the anchor of a heading, the id of a chart of a part (`ChartTabs`), or the
key of a container or fold: assets/live/place.js looks for them in this order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager

import streamlit as st

from engine.course.topics.base import PANEL
from pages.ui import loader
from pages.ui.files import ADDRESS

LONGEST = 90
LOADER = f"""
const ready = import(`${{location.origin}}{ADDRESS}/place.js`);
export default async function (component) {{
  return (await ready).mount(component);
}}
"""
_component = loader.Component("unrolled_place", LOADER)
# the component takes no room; the place it leads to is framed for a moment
STYLE = """<style>
.st-key-unrolled_place { position: absolute; }
.un-arrived { animation: un-arrived 2.5s ease-out; }
.stMain [tabindex="-1"]:focus { outline: none; }
@keyframes un-arrived { 0%, 60% { box-shadow: 0 0 0 3px var(--st-primary-color, #0b6e99); } 100% { box-shadow: none; } }
@media (prefers-reduced-motion: reduce) { .un-arrived { animation-timing-function: step-end; } }
</style>"""


def find_asked() -> str:
    """The id in the address, or nothing."""
    return str(st.query_params.get(PANEL, ""))[:LONGEST]


def part_id(name: str) -> str:
    """The id of a part that is chosen by this name: "part-norm-and-depth"."""
    return "part-" + "-".join(re.findall(r"[a-z0-9]+", name.casefold()))


def part(names: Iterable[str]) -> str | None:
    """Which of the parts of a page the address asks for."""
    here = find_asked()
    return next((name for name in names if part_id(name) == here), None)


def panel(name: str) -> AbstractContextManager[object]:
    """What a part is drawn in, so that a link can name it."""
    return st.container(key=part_id(name))


def scroll_to(lesson: str) -> None:
    """Scroll to the place in the address, where it names one.

    lesson  the id of the page, which is also its name in the address
    """
    if here := find_asked():
        st.html(STYLE)
        _component(data={"panel": here, "page": lesson}, key="unrolled_place")
