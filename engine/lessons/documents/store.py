"""Store: what `python -m engine.lessons.documents.build` has learned and measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine.language.message import refusal
from engine.storage import quantised

ARRAYS, RESULTS = (ROOT / "assets" / f"documents.{end}" for end in ("safetensors", "json"))


@dataclass(frozen=True)
class Store:
    arrays: Mapping[str, np.ndarray]
    results: Mapping[str, Any]


@lru_cache(1)
def shipped() -> Store:
    """ValueError where a file is missing or damaged."""
    try:
        return Store(quantised.read(ARRAYS), json.loads(RESULTS.read_text(encoding="utf-8")))
    except (OSError, KeyError, ValueError) as problem:
        raise refusal("the shipped heads are damaged: {problem}", problem=str(problem)) from None
