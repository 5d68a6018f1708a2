"""The address bar as state: what a link chose, read once on arrival; the live pictures write theirs
in assets/live/selection.js."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from engine.analysis.surgery import LONGEST as MOST
from engine.course.topics.base import PANEL
from engine.live.assets import LANGUAGE
from engine.live.request import LONGEST_WORD

NUMBERS = (
    "token",
    "other",
    "layer",
    "head",
    "unit",
    "up",
    "first",
    "shown",
    "seed",
    "stop",
    "size",
    "chunk",
    "rate",
    "times",
)
STEP = "step"  # of the first minute, see assets/live/minute.js
OPENED, LEFT = "opened", "address."  # in the session: the page, and what the address said of names
INSPECTED = ("shows", "ways", "picks", "reads")  # lists of names with numbers: "layer:1,head:3"
PLAIN = re.compile(r"[\w.:,-]{1,900}")
# under these, each page keeps something else
OWN = (
    "clip",
    "distance",
    "epsilon",
    "forget",
    "h",
    "k",
    "keep",
    "layers",
    "least",
    "n",
    "noise",
    "of",
    "part",
    "s",
    "seed",
    "side",
    "size",
    "times",
    "unit",
)
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


def begin(**first: object) -> None:
    """What a page begins with, where neither this session nor the address says otherwise."""
    for name, value in first.items():
        if name in st.session_state:  # set anew, so that what comes from another page stays
            st.session_state[name] = st.session_state[name]
        elif name not in st.query_params:
            st.session_state[name] = value


def recall(name: str, first: float, among: Sequence[float]) -> None:
    """For a widget that begins with `first`: the number in the address, as far as it lies between
    the ends of `among`.

    A bound widget leaves its own default out of the address, and that is not where these begin.
    """
    kept = st.session_state.get(name)
    if kept is not None and not isinstance(kept, str | tuple | list):  # those are of another page
        return
    try:
        asked = type(first)(st.query_params.get(name, first))
    except ValueError:
        asked = first
    st.session_state[name] = asked if min(among) <= asked <= max(among) else first


def remember(name: str, first: float | None = None) -> None:
    """Put a widget's number into the address, where it is not `first`: an address that is written as
    a page opens would be written again whenever somebody goes back, who then never leaves."""
    value = st.session_state[name]
    write(name, str(value), str(value) if value == first else None)


def write(name: str, value: str, usual: str | None) -> None:
    """Put a value into the address; the usual one, where there is one, stays out of it."""
    write_all({name: (value, usual)})


def write_all(values: Mapping[str, tuple[str, str | None]]) -> None:
    """Put values into the address, {name: (value, the usual one)}: one step of the browser's history
    for all that one drag has changed."""
    wanted = {name: None if v in (usual, "") else v for name, (v, usual) in values.items()}
    changed = {name: v for name, v in wanted.items() if v != _get(name)}
    if changed:
        st.query_params.update({name: [] if v is None else v for name, v in changed.items()})


def follow(*names: str) -> bool:
    """The reader has gone back or forth in the browser: what the address says counts again, no longer the
    session; whether that is so.  Before the names are read; `leave` comes after they are written."""
    before = st.session_state.get(_of(names))
    if before is None or before == _said(names):
        return False
    for name in names:
        st.session_state.pop(name, None)
    return True


def leave(*names: str) -> None:
    """What the address says now is what the session holds."""
    st.session_state[_of(names)] = _said(names)


def choosing(*names: str) -> None:
    """Something is chosen in the session: it counts, whatever the address says."""
    st.session_state.pop(_of(names), None)


def opened(page: str) -> None:
    """A page is drawn: what the session holds counts where another was drawn before, and its address
    said nothing of it; but not where it means something else here."""
    if (before := st.session_state.get(OPENED)) != page:
        foreign = [] if before is None else OWN
        for key in [k for k in st.session_state if k in foreign or str(k).startswith(LEFT)]:
            del st.session_state[key]
        st.session_state[OPENED] = page


def _of(names: Sequence[str]) -> str:
    return f"{LEFT}{names[0]}"


def _said(names: Sequence[str]) -> dict[str, str | None]:
    return {name: _get(name) for name in names}


def _get(name: str) -> str | None:
    """What the address says; one that `write_all` has taken out of it stays as an empty one until the
    next run."""
    return st.query_params.get(name) or None
