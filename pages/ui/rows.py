"""A table of rows: how its numbers are written, and no column of row numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

WHOLE, SHARE = "localized", "percent"  # 12,345 and 12.3 %


def show(
    rows: Any,
    key: str | None = None,
    forms: Mapping[str, str] | None = None,
    where: Any = st,
    **more: Any,
) -> Any:
    """What `st.dataframe` returns.

    forms  {column: WHOLE, SHARE, or how its numbers are written, such as "%.1f"}
    more   settings of `st.dataframe`
    """
    config = {name: st.column_config.NumberColumn(format=f) for name, f in (forms or {}).items()}
    return where.dataframe(rows, hide_index=True, key=key, column_config=config or None, **more)
