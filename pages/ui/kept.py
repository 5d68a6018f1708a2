"""What is computed of a run is kept as long as the run is the same."""

from __future__ import annotations

from typing import Any

from engine.runs.store import Run


def key(run: Run) -> tuple[str, str]:
    """What tells runs apart, a run at one of its steps from the finished one too."""
    return str(run.folder), str(run.note.get("recipe"))


# `hash_funcs` for `st.cache_data` and `st.cache_resource`: a function of a run may take it as it is
BY_RUN: dict[Any, Any] = {Run: key}
