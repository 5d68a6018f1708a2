"""The decoding rules as the address and the browser write them: "t0.8_p0.9" is temperature 0.8,
top-p 0.9."""

from __future__ import annotations

import math
from typing import Any

from engine.analysis.decode import Rules

RANGES = {
    "t": (0.0, 2.0),
    "k": (0, 1e6),
    "p": (0.01, 1.0),
    "m": (0.0, 1.0),
    "y": (0.01, 1.0),
    "r": (0.5, 2.0),
}  # as in assets/live/sums/decode.js
OFF = {"t": 1.0, "k": 0.0, "p": 1.0, "m": 0.0, "y": 1.0, "r": 1.0}
LONGEST = 80


def read(asked: Any) -> Rules:
    """What makes no sense is left out, what lies outside is moved to the end of its range."""
    found = dict(OFF)
    for part in str(asked or "")[:LONGEST].split("_"):
        try:
            name, value = part[:1], float(part[1:])
        except ValueError:
            continue
        if name in OFF and math.isfinite(value):
            low, high = RANGES[name]
            found[name] = min(high, max(low, value))
    on = {name: value for name, value in found.items() if value != OFF[name]}
    return Rules(
        temperature=found["t"],
        top_k=max(1, math.floor(found["k"] + 0.5)) if "k" in on else None,
        top_p=on.get("p"),
        min_p=on.get("m"),
        typical=on.get("y"),
        repetition_penalty=found["r"],
    )
