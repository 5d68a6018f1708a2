"""Entries: a block of text that holds a title, a sentence and names of many things, as the topics of
a lesson do (engine/course/topics/base.py says how it is written)."""

from __future__ import annotations

import re
from collections.abc import Iterator

Entry = tuple[list[str], str, tuple[str, ...]]
"""The cells of its head, its sentence, its names."""


def entries(written: str) -> Iterator[Entry]:
    """ValueError for an entry without its lines."""
    joined = re.sub(r"(?<=[,;|])\n +", " ", written.strip())
    for entry in filter(None, re.split(r"\n(?=\S)", joined)):
        head, *says, also = (line.strip() for line in entry.split("\n"))
        names = (name.strip() for name in also.split(";" if ";" in also else ","))
        cells = [cell.strip() for cell in head.split("|")]
        yield cells, " ".join(says), tuple(name for name in names if name)
