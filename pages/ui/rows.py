"""A table of rows: how its numbers are written, no column of row numbers, and none out of sight: where
the columns do not fit side by side, their words fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any

import streamlit as st

from engine.language.markdown import escaped
from engine.views import theme
from engine.views.base import number
from pages.ui.language import cell, told

ROW = 35  # pixels
WHOLE, SHARE = "localized", "percent"  # 12,345 and 12.3 %
PAGE, HALF = 940, 420  # what a table has at 1,280 pixels, alone and beside something else
SIGN, EDGE, WIDEST = 7, 17, 500  # of a sign, around a cell, and of a column that Streamlit lays out
MOST = 12  # columns; more, such as the tokens of a text, are moved through
FEW, MEASURED = 60, 200  # rows that are drawn whole, and those whose words are counted
LONGEST = 2_000  # signs of a cell
LINE, LINES = 20, 3  # pixels of a line in a row of folded words, and how many lines it has
NEEDED = 4  # lines at most, where the width of a column is given


def written(rows: Iterable[Sequence[str]], rule: str = "---", texts: bool = False) -> str:
    """Markdown of a table whose words fold: its head, then its rows, in the language of the visit.

    rule   below the head, of each column the same or with `|` between them, such as "--: | :--"
    texts  the cells are what a model wrote or read, and stay as they are
    """
    names, *cells = rows
    head = " | ".join(map(told, names))
    others = [" | ".join(row if texts else map(cell, row)) for row in cells]
    below = rule if "|" in rule else " | ".join([rule] * (head.count(" | ") + 1))
    return "\n".join(f"| {line} |" for line in (head, below, *others))


def bar(title: str, form: str = SHARE) -> Any:
    """A column of shares, each a number and a bar as long as it."""
    return st.column_config.ProgressColumn(title, format=form, min_value=0, max_value=1)


def show_table(
    rows: Any,
    key: str | None = None,
    forms: Mapping[str, Any] | None = None,
    where: Any = st,
    tallest: int = 0,
    room: int = PAGE,
    **more: Any,
) -> Any:
    """What `st.dataframe` returns; nothing where words fold.

    forms    {column: WHOLE, SHARE, how its numbers are written, such as "%.1f", or all about it
             as a column of `st.column_config`}
    tallest  in pixels; with fewer rows it is as tall as they are
    room     pixels for all columns: PAGE, HALF or what there is
    more     settings of `st.dataframe`
    """
    rows, heads = _said(rows)
    config = {
        heads.get(name, name): st.column_config.NumberColumn(format=form)
        if isinstance(form, str)
        else _labelled(form)
        for name, form in (forms or {}).items()
    }
    if order := more.get("column_order"):
        more["column_order"] = [heads.get(name, name) for name in order]
    columns = _columns(rows)
    count = len(next(iter(rows.values()), ())) if isinstance(rows, Mapping) else len(rows)
    wide = {name: _width(name, cells, config.get(name)) for name, cells in columns.items()}
    if sum(wide.values()) > room and len(wide) <= MOST and "on_select" not in more:
        if count <= FEW:
            tall = tallest or more.get("height")
            box = (
                where.container(height=tall, border=False)
                if isinstance(tall, int) and tall
                else where
            )
            box.markdown(fold(columns, config))
            return None
        more["row_height"] = ROW + LINE * (LINES - 1)
        config |= _narrowed(wide, config, room)
    elif (lines := _lines(columns, config)) > 1 and "row_height" not in more:
        more["row_height"] = ROW + LINE * (lines - 1)
    if tallest:
        more["height"] = min(tallest, more.get("row_height", ROW) * count + ROW + 3)
    return where.dataframe(rows, hide_index=True, key=key, column_config=config or None, **more)


def name_columns(names: Iterable[Any]) -> dict[Any, str]:
    """What columns are called in the language of the visit, unless two were called the same."""
    found = {name: told(str(name)) for name in names}
    return found if len({*found.values()}) == len(found) else {name: name for name in found}


def _said(rows: Any) -> tuple[Any, dict[Any, str]]:
    """Columns or rows in the language of the visit, and what their heads are called in it."""
    if isinstance(rows, Mapping):
        heads = name_columns(rows)
        return {heads[name]: [*map(cell, cells)] for name, cells in rows.items()}, heads
    heads = name_columns(dict.fromkeys(k for row in rows for k in row))
    return [{heads[k]: cell(v) for k, v in row.items()} for row in rows], heads


def _labelled(config: Any) -> Any:
    said = {k: told(config[k]) for k in ("label", "help") if (config or {}).get(k)}
    return config and {**config, **said}


def fold(columns: Mapping[str, Sequence[Any]], config: Mapping[str, Any]) -> str:
    """Markdown of the columns, their cells as the settings of `st.column_config` say."""
    names = ((config.get(name) or {}).get("label") or name for name in columns)
    heads = [escaped(str(name)) for name in names]
    cells = [[_cell(cell, config.get(name)) for cell in cells] for name, cells in columns.items()]
    words = (any(map(str.isalpha, "".join(column))) for column in cells)
    rule = " | ".join(":--" if any_word else "--:" for any_word in words)
    return written([heads, *zip(*cells, strict=True)], rule, texts=True)


def _cell(value: Any, config: Mapping[str, Any] | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return escaped(theme.plain(value, LONGEST))
    form = ((config or {}).get("type_config") or {}).get("format")
    if form == SHARE:
        return f"{100 * value:.3g} %"
    if form == WHOLE:
        return f"{value:,}"
    if form:
        return str(form % value).replace("-", "−")
    return str(value) if isinstance(value, Integral) else number(float(value))


def _columns(rows: Any) -> dict[str, list[Any]]:
    """The first cells by the column's name; of what is neither columns nor rows none."""
    if isinstance(rows, Mapping):
        return {name: list(islice(cells, MEASURED)) for name, cells in rows.items()}
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows[:MEASURED]):
        return {}
    first = rows[:MEASURED]
    return {
        k: [row.get(k) for row in first] for k in dict.fromkeys(k for row in first for k in row)
    }


def _width(name: str, cells: Iterable[Any], config: Mapping[str, Any] | None) -> int:
    """About what Streamlit gives a column, in pixels."""
    if isinstance(asked := (config or {}).get("width"), int):
        return asked
    head = str((config or {}).get("label") or name)
    said = (len(c if isinstance(c, str) else _cell(c, config)) for c in cells)
    return min(WIDEST, EDGE + SIGN * max(len(head), 5, *said))


def _lines(columns: Mapping[str, Sequence[Any]], config: Mapping[str, Any]) -> int:
    """How many lines the longest words take in a column whose width is given; no more than NEEDED."""
    needed = [
        -(-SIGN * len(cell) // ((config.get(name) or {})["width"] - EDGE))
        for name, cells in columns.items()
        if isinstance((config.get(name) or {}).get("width"), int)
        for cell in cells
        if isinstance(cell, str)
    ]
    return min(NEEDED, max(needed, default=1))


def _narrowed(wide: Mapping[str, int], config: Mapping[str, Any], room: int) -> dict[str, Any]:
    """The widest columns as wide as the others leave room for."""
    equal = room // len(wide)
    broad = [name for name, width in wide.items() if width > equal]
    left = room - sum(width for name, width in wide.items() if name not in broad)
    return {
        name: (config.get(name) or st.column_config.Column()) | {"width": left // len(broad)}
        for name in broad
    }
