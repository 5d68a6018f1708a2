"""Saving a live picture where it stands: as the browser drew it, or the numbers it was drawn from.

Files are made in a child process.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.analysis import surgery
from engine.core.registry import models
from engine.language.message import _
from engine.live import cache
from engine.live.drawing import Drawing, with_entries
from engine.live.request import Save
from engine.runs.store import Run
from engine.saving import export, redraw, snapshot, stamp
from engine.saving.renderer import Renderer
from engine.views import theme
from pages.ui.language import told

if TYPE_CHECKING:
    from engine.live.stage import Panel, Stage

MIME = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "html": "text/html",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "npz": "application/octet-stream",
    "py": "text/x-python",
    "json": "application/json",
}


FORMATS = ("png", "svg", "pdf", "html", "csv", "parquet", "npz", "py")
PICTURES = ("png", "svg", "pdf")


def buttons(
    key: str,
    make: Callable[[str], bytes],
    name: Callable[[str], str],
    npz: str,
    unavailable: str = "",
) -> None:
    """A button for each kind of file, which is made only when it is asked for.

    npz          what the numbers are called
    unavailable  why there are no pictures of it here
    """
    labels = {"npz": _("NPZ, {npz}", npz=_(npz)), "py": "Python script"}
    with st.container(horizontal=True):
        for format in FORMATS:
            label, made = labels.get(format, format.upper()), partial(make, format)
            if unavailable and format in PICTURES:
                st.caption(f"{told(label)}: {told(unavailable)}")
                continue
            at = f"{key}.{format}"
            st.download_button(
                told(label), made, name(format), MIME[format], key=at, on_click="ignore"
            )


@st.cache_resource(show_spinner=False)
def renderer() -> Renderer:
    return Renderer()


def answer(stage: Stage, wish: Save, header: dict[str, Any]) -> bytes:
    """The bytes of the file wished for; `header["file"]` says its name, or the problem in one
    sentence.

    A picture comes with the wish, as the browser drew it; numbers are made here.
    """
    panel = next((p for p in stage.panels if p.id == wish["panel"]), None)
    format = wish["format"]
    header["file"] = {"id": wish["id"], "panel": wish["panel"]}
    try:
        if panel is not None and format in snapshot.FORMATS:
            content, name = picture(stage, panel, format, wish)
        elif panel is not None and panel.figure is not None and format in MIME:
            content, name = numbers(stage, panel, panel.figure, format, wish)
        elif panel is not None and format == "csv":
            content, name = table(stage, panel, wish)
        else:
            raise ValueError("This picture or format does not exist.")
    except (export.ExportUnavailable, ValueError, RuntimeError, TimeoutError) as problem:
        header["file"]["problem"] = told(str(problem))
        return b""
    header["file"] |= {"name": name, "mime": MIME[format]}
    return content


def find_runs(stage: Stage, panel: Panel) -> list[Run]:
    """The runs whose numbers a panel draws: of its reader, or of all readers of the page."""
    readers = {reader.id: run for reader, run in stage.readers}
    own = None if panel.options.get("every") else panel.options.get("reader")
    return [readers[own]] if own in readers else list(readers.values())


def source(stage: Stage, panel: Panel) -> str:
    """What a file's name begins with: the run, or of a page that no model reads its reader."""
    runs = find_runs(stage, panel)
    return runs[0].id if runs else str(stage.described[0]["id"])


def picture(stage: Stage, panel: Panel, format: str, wish: Save) -> tuple[bytes, str]:
    """What is on the screen, as the browser drew it, and the file's name."""
    runs, text, look = find_runs(stage, panel), wish["text"], wish["selection"]
    said = {
        "model": ", ".join(dict.fromkeys(run.model for run in runs)),
        "run": ", ".join(dict.fromkeys(run.id for run in runs)),
        "text": text,
    }
    if look.get("edits"):
        said["edits"] = str(look["edits"])
    words = stamp.words(wish["title"] or panel.title, wish["says"] or panel.says, said)
    ink = theme.ink(wish["dark"])
    made = renderer().snapshot(wish["svg"], format, words, ink.page, ink.text)
    return made, export.file_name(source(stage, panel), panel.id, text[:40], format=format)


def numbers(stage: Stage, panel: Panel, figure: Any, format: str, wish: Save) -> tuple[bytes, str]:
    """The numbers behind a picture, with every digit, and the file's name."""
    traces, __ = stage.traces(wish["text"], wish["start"])
    runs = {reader.id: run for reader, run in stage.readers}
    if not all(trace.tokens for trace in traces.values()):
        raise ValueError("Nothing to save yet: type a few words first.")
    drawing: Drawing = figure(traces, {**stage.selection, **wish["selection"]})
    run = runs[drawing.reader]
    content = write_file(drawing, run, panel.id, format, wish["dark"])
    return content, name_of(drawing, run, panel.id, format)


def table(stage: Stage, panel: Panel, wish: Save) -> tuple[bytes, str]:
    """The table twin of a panel, as it is on the screen, and the file's name."""
    given = wish["table"]
    out = io.StringIO()
    csv.writer(out).writerows([given["columns"], *given["rows"]])
    content = out.getvalue().encode("utf-8", "replace")
    if len(content) > snapshot.MOST_BYTES:
        raise ValueError("This table is too large to be saved.")
    name = export.file_name(source(stage, panel), panel.id, wish["text"][:40], format="csv")
    return content, name


def name_of(drawing: Drawing, run: Run, panel: str, format: str) -> str:
    return export.file_name(run.id, panel, drawing.trace.text[:40], format=format)


def write_file(drawing: Drawing, run: Run, panel: str, format: str, dark: bool) -> bytes:
    """One file of numbers, or of the program that reads them; of a settled figure also pictures.

    ExportUnavailable, ValueError, RuntimeError or TimeoutError with a sentence for the reader.
    """
    said = {"model": run.model, "run": run.id, "text": drawing.trace.text}
    if format == "npz":
        return export.write_trace(
            find_everything(drawing, run) if drawing.edits is None else drawing.trace, run.id
        )
    if format == "py":
        options = {**drawing.options, "of": describe_source(drawing, run), "dark": dark}
        if drawing.edits is not None:
            return redraw.script(drawing, options, said).encode()
        written = export.script(drawing.drawer, drawing.picks, drawing.names, options, **said)
        return written.replace("trace.npz", name_of(drawing, run, panel, "npz")).encode()
    if format in ("csv", "parquet"):
        return export.data(drawing.frame(), format, {"title": panel, **said})
    return renderer().render(
        drawing.figure(of=describe_source(drawing, run), dark=dark), format, said
    )


def describe_source(drawing: Drawing, run: Run) -> str:
    """Whose numbers these are, and where in the model and the text they stand."""
    said: list[str] = [_("Model: {title} ({id})", title=_(run.title), id=run.id)]
    said += [
        f"{axis} {drawing.picks[axis] + 1}" for axis in ("layer", "head") if axis in drawing.picks
    ]
    said += [_("unit {picks}", picks=drawing.picks["unit"])] if "unit" in drawing.picks else []
    said += (
        [_("after “{tokens}”", tokens=drawing.trace.tokens[drawing.picks["token"]])]
        if "token" in drawing.picks
        else []
    )
    if drawing.edits is not None:
        edits, __ = surgery.read(drawing.edits, surgery.changeable(cache.model(run)))
        said += [_("edited: {edits}", edits=surgery.words(edits))]
    return ", ".join(said)


def find_everything(drawing: Drawing, run: Run) -> Any:
    """Everything the model can say about what is shown, and the table that was drawn, if it was
    made from several."""
    shown = drawing.trace
    if run.model not in models.ids():  # a tokenizer says no more than what is drawn
        return shown
    full = cache.model(run).trace(
        shown.text, window=(shown.offset, shown.offset + len(shown.tokens))
    )
    for name in drawing.names:
        if name not in full:
            full = with_entries(full, shown[name])
    return full
