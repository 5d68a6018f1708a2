"""LeftOut: what was left out of marked-up texts, or changed in them, for the notes.

What      counted while a web page, an e-book or a Word document is read; one sentence each
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

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
            notes.append(f"{n:,} hidden part{'s' * (n > 1)} left out")
        if n := self.readings:
            notes.append(f"{n:,} reading{'s' * (n > 1)} beside words (ruby) left out")
        if n := self.formulas:
            notes.append(f"{n:,} formula{'s' * (n > 1)} read as text")
        return notes + told_unseen(self.unseen)


def together(found: Iterable[LeftOut]) -> LeftOut:
    whole = LeftOut()
    for one in found:
        for field in fields(LeftOut):
            setattr(whole, field.name, getattr(whole, field.name) + getattr(one, field.name))
    return whole
