"""A table of rows: how its numbers are written, and no column of row numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui import language

ROW = 35  # pixels
WHOLE, SHARE = "localized", "percent"  # 12,345 and 12.3 %


def written(rows: Iterable[Sequence[str]], rule: str = "---", texts: bool = False) -> str:
    """Markdown of a table whose words fold: its head, then its rows, in the language of the visit.

    rule   below the head, of each column the same or with `|` between them, such as "--: | :--"
    texts  the cells are what a model wrote or read, and stay as they are
    """
    names, *cells = rows
    head = " | ".join(map(language.word, names))
    others = [
        " | ".join(language.say(cell) if " " in cell and not texts else cell for cell in row)
        for row in cells
    ]
    below = rule if "|" in rule else " | ".join([rule] * (head.count(" | ") + 1))
    return "\n".join(f"| {line} |" for line in (head, below, *others))


def bar(title: str, form: str = SHARE) -> Any:
    """A column of shares, each a number and a bar as long as it."""
    return st.column_config.ProgressColumn(title, format=form, min_value=0, max_value=1)


def show(
    rows: Any,
    key: str | None = None,
    forms: Mapping[str, Any] | None = None,
    where: Any = st,
    tallest: int = 0,
    **more: Any,
) -> Any:
    """What `st.dataframe` returns.

    forms    {column: WHOLE, SHARE, how its numbers are written, such as "%.1f", or all about it
             as a column of `st.column_config`}
    tallest  in pixels; with fewer rows it is as tall as they are
    more     settings of `st.dataframe`
    """
    config = {
        name: st.column_config.NumberColumn(format=form) if isinstance(form, str) else form
        for name, form in (forms or {}).items()
    }
    if tallest:
        count = len(next(iter(rows.values()))) if isinstance(rows, Mapping) else len(rows)
        more["height"] = min(tallest, ROW * (count + 1) + 3)
    return where.dataframe(rows, hide_index=True, key=key, column_config=config or None, **more)
