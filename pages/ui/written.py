"""Matrices and sums in writing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from engine.frame.control import WANTED
from engine.frame.latex import matrix, number

__all__ = ["FAR", "WANTED", "edit", "matrix", "number"]

FAR = 1e6


def edit(
    values: np.ndarray, rows: Sequence[str], columns: Sequence[str], key: str, width: int
) -> np.ndarray:
    """A table of numbers to type into; an emptied cell, and one beyond FAR, is NaN."""
    shown = {"": list(rows)} | {
        name: column.tolist() for name, column in zip(columns, values.T, strict=True)
    }
    typed = st.data_editor(shown, key=key, width=width, disabled=[""], hide_index=True)
    found = np.array([typed[name] for name in columns], float).T
    return np.where(np.abs(found) <= FAR, found, np.nan)
