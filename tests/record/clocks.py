"""What is measured while a page is shown, and where it runs: no two records have the same, so they keep a sign in
its place."""

from __future__ import annotations

import json
import os
import re
from typing import Any

SIGN = "#"
# numbers in sentences
TIMES = re.compile(
    r"[\d.,]+(?= (?:µs|million pairs a second|GB is free|times(?:\*\*)? as fast, measured))"
    r"|(?<=the step takes )[*\d.]+|(?<=the step takes \*\*)[\d.]+"
)
SPENT = re.compile(r"(?:micro|milli)seconds(?: over|,|$)")  # a picture whose numbers are all times
COLUMNS = ("ms", "trained in")  # of tables
TITLES = ("One look-up and one whole row", "Time forwards and back", "Memory held during one step")
NUMBER = re.compile(r"\d[\d.,]*")


def masked(thing: dict[str, Any]) -> dict[str, Any]:
    """A thing that is shown, without what a clock or a folder made of it."""
    titles = str(thing.get("title", "")).replace("\\", "").startswith(TITLES)
    if thing["is"] == "chart" and (
        titles or any(map(SPENT.search, (thing["says"], *thing["axes"])))
    ):
        thing = {**thing, "data": [], "says": NUMBER.sub(SIGN, thing["says"])}
    if thing["is"] == "table":
        named = zip(thing["columns"], thing["cells"], strict=False)
        cells = [[SIGN] * len(c) if titles or name in COLUMNS else c for name, c in named]
        thing = {**thing, "cells": cells}
    written = json.dumps(thing, ensure_ascii=False)
    hidden = TIMES.sub(SIGN, written).replace(os.environ.get("UNROLLED_HOME") or "\0", "HOME")
    found: dict[str, Any] = json.loads(hidden) if hidden != written else thing
    return found
