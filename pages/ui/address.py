"""The address bar as state: what a link chose, read once on arrival; the live pictures write theirs
in assets/live/selection.js."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from engine.analysis.surgery import LONGEST as MOST
from engine.course.topics.base import PANEL
from engine.live.assets import LANGUAGE
from engine.live.request import LONGEST_WORD

NUMBERS: tuple[str, ...] = ("token", "other", "layer", "head", "unit", "up", "first", "shown")
NUMBERS += ("seed", "stop", "size", "chunk", "rate", "times", "pattern")
STEP = "step"  # of the first minute, see assets/live/minute.js
OPENED = "opened"  # in the session: the page
INSPECTED = ("shows", "ways", "picks", "reads")  # lists of names with numbers: "layer:1,head:3"
PLAIN = re.compile(r"[\w.:,-]{1,900}")
NAMES = ("field", "reader", "order", "by", "with", "rules", "masks", "matrix")


def selection_from_address(first: str = "") -> dict[str, Any]:
    """What the link chose to look at; where it chose nothing, or a run alone, what `first`, written
    like an address, chooses."""
    chosen = set(st.query_params) - {"run", PANEL, STEP, LANGUAGE}
    return _selection(st.query_params if chosen else dict(parse_qsl(first)))


def _selection(params: Mapping[str, str]) -> dict[str, Any]:
    """Anything that is not a small whole number or a plain name is left out."""
    found: dict[str, Any] = {}
    for name in NUMBERS:
        value = params.get(name, "")
        if value.isdecimal() and len(value) < 7:
            found[name] = int(value)
    for name in NAMES:
        value = params.get(name, "")
        if value.replace(".", "").replace("_", "").isalnum() and len(value) < 40:
            found[name] = value
    if edits := params.get("edits", ""):
        found["edits"] = edits[:MOST]
    # of a preparation of text: names with a choice, "case.lower-porter"
    steps = params.get("steps", "")[:MOST]
    if steps.replace("-", "").replace(".", "").isalnum():
        found["steps"] = steps
    for name in INSPECTED:
        value = params.get(name, "")
        if PLAIN.fullmatch(value):
            found[name] = value
    if word := params.get("next", "")[:LONGEST_WORD]:
        found["next"] = word
    return found


def part_from_address() -> tuple[int | None, list[int] | None]:
    """Which part of a long text the link opens: start of the window, and the characters (from, to)
    that the strip zooms to; None for what makes no sense."""
    start, ends = st.query_params.get("start", ""), st.query_params.get("zoom", "").split("-")
    pair = len(ends) == 2 and all(e.isdecimal() and len(e) < 7 for e in ends)
    zoom = [int(e) for e in ends] if pair else [0, 0]
    return (
        int(start) if start.isdecimal() and len(start) < 7 else None,
        zoom if zoom[0] < zoom[1] else None,
    )


def open_page(page: str) -> None:
    """A page is drawn."""
    st.session_state[OPENED] = page
