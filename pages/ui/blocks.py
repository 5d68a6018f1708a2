"""Blocks of a lesson, drawn with Streamlit: the one way from engine/frame to the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.frame.blocks import (
    Beside,
    Block,
    Chart,
    Controls,
    Formula,
    Link,
    Note,
    Rows,
    Words,
)
from engine.frame.part import Part, Problem
from engine.language.message import Message
from engine.lessons.base import Lesson
from engine.lessons.curriculum import lesson
from pages.ui import controls, plate, rows
from pages.ui.language import told
from pages.ui.plate import Plate


@dataclass(frozen=True)
class Place:
    """Where blocks stand: of which part, with what its controls hold; `source`: whose numbers they
    are, as saved files call it."""

    lesson: Lesson
    part: Part
    values: Mapping[str, Any]
    source: str

    def show(self, blocks: Sequence[Block | Problem]) -> None:
        """The first words, a line of controls, and the rest."""
        placed = {
            name for block in _all(blocks) if isinstance(block, Controls) for name in block.names
        }
        above = [name for name in self.part.controls if name not in placed]
        top = int(bool(blocks) and isinstance(blocks[0], Words))
        self.draw(blocks[:top], st.container())
        if above:
            self.line(above, st.container())
        self.draw(blocks[top:], st.container())

    def line(self, names: Iterable[str], where: DeltaGenerator) -> None:
        line = where.container(horizontal=True, vertical_alignment="bottom", gap="small")
        for name in names:
            controls.draw(self.lesson.id, self.part, name, self.values, line)

    def draw(
        self, blocks: Sequence[Block | Problem], where: DeltaGenerator, room: int = rows.PAGE
    ) -> None:
        """`room`: pixels that a table has."""
        for block in blocks:
            match block:
                case str() | Message():
                    where.markdown(told(block))
                case Note(words):
                    where.caption(told(words))
                case Problem(words):
                    where.info(words)
                case Formula(latex):
                    where.latex(latex, width="content")
                case Rows():
                    self._table(block, where, room)
                case Chart():
                    with where:
                        plate.show(self._plate(block), where)
                case Beside(columns, widths):
                    shares = widths or [1] * len(columns)
                    for column, part, share in zip(
                        where.columns(shares), columns, shares, strict=True
                    ):
                        self.draw(part, column, room * share // sum(shares))
                case Controls(names):
                    if len(names) > 1 and room < rows.PAGE:
                        for name in names:
                            controls.draw(self.lesson.id, self.part, name, self.values, where)
                    else:
                        self.line(names, where)
                case Link(id, words, query):
                    page = f"pages/{lesson(id).page}"
                    where.page_link(page, label=told(words), query_params=dict(query))

    def _table(self, table: Rows, where: DeltaGenerator, room: int) -> None:
        cells = [
            {name: told(cell) if isinstance(cell, Message) else cell for name, cell in row.items()}
            for row in table.rows
        ]
        width: Any = {"width": table.width} if table.width else {}
        rows.show(cells, None, table.forms, where, room=room, **width)

    def _plate(self, chart: Chart) -> Plate:
        return Plate(
            f"{self.lesson.id}.{self.part.id}.{chart.name}",
            chart.view,
            chart.entries,
            self.source,
            told(chart.note),
            chart.text,
            chart.options,
            model=self.lesson.model or "none",
            square=chart.square,
        )


def _all(blocks: Iterable[Any]) -> Iterable[Any]:
    for block in blocks:
        yield block
        if isinstance(block, Beside):
            for column in block.columns:
                yield from _all(column)
