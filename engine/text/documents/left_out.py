"""LeftOut: what was left out of marked-up texts, or changed in them, for the notes.

What      counted while a web page, an e-book or a Word document is read; one sentence each
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from engine.language.message import _
from engine.text.read import told_unseen


@dataclass(slots=True)
class LeftOut:
    """readings  of East Asian words, beside them (ruby)
    unseen       signs, see `whole_words` in engine/text/read.py"""

    hidden: int = 0
    readings: int = 0
    formulas: int = 0
    unseen: int = 0

    def told(self) -> list[str]:
        notes = []
        if n := self.hidden:
            notes.append(_("{n:,} hidden {n|part|parts} left out", n=n))
        if n := self.readings:
            notes.append(_("{n:,} {n|reading|readings} beside words (ruby) left out", n=n))
        if n := self.formulas:
            notes.append(_("{n:,} {n|formula|formulas} read as text", n=n))
        return notes + told_unseen(self.unseen)


def join_left_out(found: Iterable[LeftOut]) -> LeftOut:
    whole = LeftOut()
    for one in found:
        for field in fields(LeftOut):
            setattr(whole, field.name, getattr(whole, field.name) + getattr(one, field.name))
    return whole
