"""Numbers that somebody types into a line."""

from __future__ import annotations

import re

import numpy as np

MOST, LARGEST = 60, 1e6
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read(typed: str) -> np.ndarray:
    """(T): at most MOST, each between -LARGEST and LARGEST."""
    found = [float(n) for n in NUMBER.findall(typed.replace("−", "-"))[:MOST]]
    return np.clip(np.array(found, float), -LARGEST, LARGEST)
