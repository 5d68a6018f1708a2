"""Saving a live picture where it stands: the figure is made from the same numbers, in a child process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine import export, redraw, surgery
from engine.registry import models
from engine.renderer import Renderer
from engine.runs import Run
from pages.ui import cache
from pages.ui.drawing import Drawing, with_entries

MIME = {
    "png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html", "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet", "npz": "application/octet-stream", "py": "text/x-python", "json": "application/json",
}  # fmt: skip


@st.cache_resource(show_spinner=False)
def renderer() -> Renderer:
    return Renderer()


def answer(stage: Any, wish: Mapping[str, Any], header: dict[str, Any]) -> bytes:
    """The bytes of the file wished for; `header["file"]` says its name, or the problem in one sentence."""
    panel = next((p for p in stage.panels if p.id == wish.get("panel")), None)
    format = str(wish.get("format"))
    header["file"] = {"id": wish.get("id"), "panel": wish.get("panel")}
    if panel is None or panel.figure is None or format not in MIME:
        header["file"]["problem"] = "There is no such picture or format."
        return b""
    traces, _ = stage.traces(str(wish.get("text", "")), wish.get("start"))
    runs = {reader.id: run for reader, run in stage.readers}
    if not all(trace.tokens for trace in traces.values()):
        header["file"]["problem"] = "There is nothing to save yet: type a few words first."
        return b""
    try:
        drawing: Drawing = panel.figure(traces, {**stage.selection, **(wish.get("selection") or {})})
        content = make(drawing, runs[drawing.reader], panel.id, format, bool(wish.get("dark")))
    except (export.ExportUnavailable, ValueError, RuntimeError, TimeoutError) as problem:
        header["file"]["problem"] = str(problem)
        return b""
    header["file"] |= {"name": name_of(drawing, runs[drawing.reader], panel.id, format), "mime": MIME[format]}
    return content


def name_of(drawing: Drawing, run: Run, panel: str, format: str) -> str:
    return export.file_name(run.id, panel, drawing.trace.text[:40], format=format)


def make(drawing: Drawing, run: Run, panel: str, format: str, dark: bool) -> bytes:
    """One file.  ExportUnavailable, ValueError, RuntimeError or TimeoutError with a sentence for the reader."""
    stamp = {"model": run.model, "run": run.id, "text": drawing.trace.text}
    if format == "npz":
        return export.write_trace(whole(drawing, run) if drawing.edits is None else drawing.trace, run.id)
    if format == "py" and drawing.edits is not None:
        return redraw.script(drawing, {**drawing.options, "of": of(drawing, run), "dark": dark}, stamp).encode()
    if format == "py":
        options = {**drawing.options, "of": of(drawing, run), "dark": dark}
        said = {"run": run.id, "model": run.model, "text": drawing.trace.text}
        written = export.script(drawing.view, drawing.picks, drawing.names, options, **said)
        return written.replace("trace.npz", name_of(drawing, run, panel, "npz")).encode()
    return renderer().render(drawing.figure(of=of(drawing, run), dark=dark), format, stamp)


def of(drawing: Drawing, run: Run) -> str:
    """Whose numbers these are, and where in the model and the text they stand."""
    said = [f"Model: {run.title} ({run.id})"]
    said += [f"{axis} {drawing.picks[axis] + 1}" for axis in ("layer", "head") if axis in drawing.picks]
    said += [f"unit {drawing.picks['unit']}"] if "unit" in drawing.picks else []
    said += [f"after “{drawing.trace.tokens[drawing.picks['token']]}”"] if "token" in drawing.picks else []
    if drawing.edits is not None:
        edits, _ = surgery.read(drawing.edits, surgery.operable(cache.model(run)))
        said += [f"edited: {surgery.words(edits)}"]
    return ", ".join(said)


def whole(drawing: Drawing, run: Run) -> Any:
    """Everything the model can say about what is shown, and the table that was drawn, if it was made from several."""
    shown = drawing.trace
    if run.model not in models.ids():  # a tokenizer says no more than what is drawn
        return shown
    full = cache.model(run).trace(shown.text, window=(shown.offset, shown.offset + len(shown.tokens)))
    for name in drawing.names:
        if name not in full:
            full = with_entries(full, shown[name])
    return full
