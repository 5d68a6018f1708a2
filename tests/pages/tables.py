"""The tables that a page shows, those whose words fold among them: of these every cell is a text."""

from __future__ import annotations

import re

import pandas as pd
from streamlit.testing.v1 import AppTest

from engine.language.markdown import ESCAPED

BETWEEN = re.compile(r"(?<!\\)\|")


def tables(at: AppTest) -> list[pd.DataFrame]:
    written = [found.value.splitlines() for found in at.markdown if found.value.startswith("| ")]
    folded = [[_cells(line) for line in (lines[0], *lines[2:])] for lines in written]
    frames = [pd.DataFrame(cells, columns=heads) for heads, *cells in folded]
    return [*(found.value for found in at.dataframe), *frames]


def _cells(line: str) -> list[str]:
    return [ESCAPED.sub(r"\1", cell).strip() for cell in BETWEEN.split(line)[1:-1]]
