"""The address bar as state: what the browser wrote there (assets/live/selection.js), read once on arrival."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.lookup import LONGEST

NUMBERS = ("token", "other", "layer", "head", "unit")
NAMES = ("field", "reader")


def selection_from_address() -> dict[str, Any]:
    """What the link chose to look at.  Anything that is not a small whole number or a plain name is left out."""
    found: dict[str, Any] = {}
    for name in NUMBERS:
        value = st.query_params.get(name, "")
        if value.isdecimal() and len(value) < 7:
            found[name] = int(value)
    for name in NAMES:
        value = st.query_params.get(name, "")
        if value.replace(".", "").replace("_", "").isalnum() and len(value) < 40:
            found[name] = value
    if word := st.query_params.get("next", "")[:LONGEST]:
        found["next"] = word
    return found
