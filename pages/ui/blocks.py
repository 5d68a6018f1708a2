"""Blocks of a lesson, drawn with Streamlit: the one way from engine/frame to the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.course import curriculum
from engine.course.base import Lesson
from engine.frame.blocks import (
    Awaited,
    Behind,
    Beside,
    Block,
    Board,
    Chart,
    Code,
    Controls,
    Download,
    Equations,
    Formula,
    Line,
    Link,
    Marked,
    Note,
    Presets,
    Problem,
    Progress,
    Rows,
    Section,
    Stopped,
    Train,
    Warn,
    Words,
)
from engine.frame.control import Cells, Number
from engine.frame.part import Asking
from engine.language.message import Message
from engine.live.markdown import capitalise
from pages.ui import board, chart_tabs, controls, marked, onward, rows, waiting
from pages.ui.chart_tabs import ChartTabs
from pages.ui.language import formula, told
from pages.ui.place import part_id


@dataclass
class Place:
    """Where blocks stand: of which part, with what the page gives and its controls hold; `source`:
    whose numbers they are, as saved files call it."""

    lesson: Lesson
    part: Asking
    values: Mapping[str, Any]
    source: str
    again: Callable[[], None] = lambda: None

    def show(self, blocks: Iterable[Block]) -> None:
        """The first words, a line of controls, and the rest, as they are made."""
        top, line, below = (st.container() for _ in range(3))
        self.line(self.part.above, line)
        bar: DeltaGenerator | None = None
        for n, block in enumerate(blocks):
            if isinstance(block, Progress):
                bar = bar or below.empty()
                bar.progress(min(1.0, max(0.0, block.share)), told(block.words) or None)
                continue
            if bar is not None:
                bar.empty()
                bar = None
            self.draw([block], below if n or not isinstance(block, Words) else top)

    def line(self, names: Iterable[str], where: DeltaGenerator) -> None:
        names = [*names]
        tables = all(isinstance(self.part.controls[name], Cells) for name in names)
        how: Any = "top" if tables else "bottom"
        self._controls(names, where.container(horizontal=True, vertical_alignment=how, gap="small"))

    def _controls(self, names: Iterable[str], where: DeltaGenerator) -> None:
        for name in names:
            controls.draw(self.lesson.id, self.part, name, self.values, where)

    def draw(self, blocks: Sequence[Block], where: DeltaGenerator, room: int = rows.PAGE) -> None:
        """`room`: pixels that a table has."""
        for block in blocks:
            match block:
                case str():
                    where.markdown(told(block))
                case Note(words):
                    where.caption(told(words))
                case Warn(words):
                    where.warning(told(words))
                case Problem(words):
                    where.info(capitalise(told(words)))
                case Awaited(words, done, stop):
                    with where:
                        waiting.await_it(self.part.id, words, done, stop)
                case Stopped():
                    with where:
                        waiting.offer_again(self.part.id, self.again)
                case Formula(latex):
                    where.latex(formula(latex), width="content")
                case Equations(parts):
                    line = where.container(horizontal=True, gap="medium")
                    for name, value in parts:
                        line.latex(formula(f"{name} = {value}"), width="content")
                case Code(text, language, tall):
                    said = told(text) if isinstance(text, Message) else text
                    where.code(said, language=language, height=tall or "content", wrap_lines=True)
                case Marked(pieces, tall):
                    place = where.container(height=tall) if tall else where
                    place.html(marked.html(pieces, st.context.theme.type == "dark"))
                case Rows():
                    self._table(block, where, room)
                case Chart():
                    chart_tabs.show_chart(self._tabs(block), where)
                case Beside(columns, widths):
                    shares = widths or [1] * len(columns)
                    made = where.columns(shares, gap="medium")
                    for column, part, share in zip(made, columns, shares, strict=True):
                        self.draw(part, column, room * share // sum(shares))
                case Line(inner):
                    line = where.container(
                        horizontal=True, vertical_alignment="bottom", gap="small"
                    )
                    for one in inner:
                        if isinstance(one, Controls) and not one.button:
                            self._controls(one.names, line)
                        else:
                            self.draw([one], line)
                case Section(title, inner):
                    self.draw(inner, where.container(key=part_id(title)), room)
                case Behind(words, inner, help):
                    inside = where.popover(told(words), help=told(help) or None)
                    self.draw(inner, inside)
                case Controls(names, button, down, note):
                    place = where.popover(told(button)) if button else where
                    if note:
                        place.markdown(told(note))
                    if button or down:
                        self._controls(names, place)
                    else:
                        self.line(names, place)
                case Presets():
                    self._presets(block, where)
                case Board():
                    with where:
                        _board(block.script, *block.sheets).show(
                            block.data, partial(self._set, block)
                        )
                case Train(settings, model, text, words, start):
                    onward.train_with(settings, model, text, told(words), where, start)
                case Download(words, name, make):
                    key = f"{self.lesson.id}.{self.part.id}.save"
                    where.download_button(told(words), make, name, key=key, on_click="ignore")
                case Link(id, words, query):
                    page = f"pages/{curriculum.lesson(id).page}"
                    where.page_link(page, label=told(words), query_params=dict(query))

    def _table(self, table: Rows, where: DeltaGenerator, room: int) -> None:
        width: Any = {"width": table.width} if table.width else {}
        bars = {name: rows.bar(name, table.forms.get(name, rows.SHARE)) for name in table.bars}
        forms = {**table.forms, **bars}
        for name, wide in table.widths.items():
            form = table.forms.get(name)
            how: Any = bars.get(name) or (form and st.column_config.NumberColumn(format=form)) or {}
            forms[name] = how | {"width": wide}
        room = 0 if table.folds else room
        rows.show_table(table.rows, None, forms, where, tallest=table.tall, room=room, **width)

    def _tabs(self, chart: Chart) -> ChartTabs:
        return ChartTabs(
            f"{self.lesson.id}.{self.part.id}.{chart.name}",
            chart.view,
            chart.entries,
            chart.source or self.source,
            chart.note,
            chart.text,
            chart.options,
            model=self.lesson.model or "none",
            fluid=chart.fluid,
            square=chart.square,
        )

    def _presets(self, presets: Presets, where: DeltaGenerator) -> None:
        if presets.open and presets.label:
            where.caption(told(presets.label))
        wide: Any = "stretch" if presets.label else "content"
        behind = (
            where.container(horizontal=True, width=wide)
            if presets.open
            else where.popover(told(presets.label))
        )
        for words, values in presets.choices.items():
            name = f"{self.lesson.id}.{self.part.id}.preset.{words}"
            behind.button(told(words), key=name, on_click=partial(self._hold, values))

    def _set(self, of: Board, asked: Mapping[str, Any]) -> None:
        """What was drawn on a board, into the controls that it may change: no widget of theirs writes
        words into the address."""
        self._hold({name: asked[said] for said, name in of.sets.items() if said in asked}, True)

    def _hold(self, values: Mapping[str, Any], words: bool = False) -> None:
        numbers = {}
        for name, value in values.items():
            control, full = (self.part.controls[name], self.part.key(self.lesson.id, name))
            accepted = control.accept(value, self.values)
            if isinstance(control, Number) or (words and isinstance(accepted, str)):
                numbers[full] = accepted, control.first(self.values)
            else:
                controls.change(full, accepted)
        controls.change_numbers(numbers)


@cache
def _board(script: str, *sheets: str) -> board.Board:
    return board.Board(script, *sheets)
