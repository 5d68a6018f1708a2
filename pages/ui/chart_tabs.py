"""A chart of a part in three tabs: its picture, its table, its files.  Only the open tab is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from engine.core.registry import views
from engine.core.trace import Field, Table, Trace
from engine.language.catalogue import THIN
from engine.language.message import speaking
from engine.live.markdown import escape
from engine.saving import export
from engine.views.figure import Figure
from pages.ui import language, rows, saving
from pages.ui.language import told
from pages.ui.saving import renderer

# marks drawn as elements of the page; more are painted on a canvas, or every key would make the
# browser go through them all
MOST_NODES = 300
# figures of a chart, in other languages than English
LOCALE = {"decimal": ".", "thousands": THIN, "grouping": [3], "currency": ["", ""]}
NARROW = 300  # pixels; what is laid out in no more keeps its size


@dataclass(frozen=True)
class ChartTabs:
    """A view over entries made on the page.  `of` says whose numbers they are, `text` of which
    words."""

    id: str
    view: str
    entries: tuple[Field | Table, ...]
    source: str
    of: str
    text: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    kept: str = ""  # what the picture depends on, where it need not be made again for every slider
    model: str = "ngram"
    fluid: bool = (
        False  # a picture laid out in pixels takes the width that there is, a narrow one too
    )

    square: bool = False  # a picture keeps its own width: where a circle has to be one

    def figure(self, dark: bool) -> Any:
        return views.get(self.view).draw(*self.entries, **self.options, of=self.of, dark=dark)

    def name(self, format: str) -> str:
        return export.file_name(self.source, self.id, self.text[:40], format=format)

    def make(self, format: str, dark: bool) -> bytes:
        """One file."""
        stamp = {"model": self.model, "run": self.source, "text": self.text}
        if format == "npz":
            return export.write_trace(
                Trace(self.text, tuple(self.text.split()), self.entries), self.source
            )
        if format == "py":
            options = {**self.options, "of": self.of, "dark": dark}
            written = export.script(
                self.view, {}, [e.spec.name for e in self.entries], options, **stamp
            )
            return written.replace("trace.npz", self.name("npz")).encode()
        return renderer().render(self.figure(dark), format, stamp)


def inline(figure: Figure) -> dict[str, Any]:
    """The chart with its data inside its layers: outside them Streamlit takes all data for tables,
    which CSV text is not."""
    spec: dict[str, Any] = figure.chart.to_dict(validate=False)
    found = spec.pop("datasets", {})

    def put(part: dict[str, Any], above: dict[str, Any]) -> None:
        data = part.pop("data", above)
        if data.get("name") in found:
            data = {**{k: v for k, v in data.items() if k != "name"}, "values": found[data["name"]]}
        inner = [p for kind in ("layer", "concat") for p in part.get(kind, ())]
        for p in inner:
            put(p, data)
        if not inner:
            part["data"] = data

    put(spec, {})
    return spec


def drawn(tabs: ChartTabs, dark: bool) -> tuple[str, dict[str, Any]]:
    """In the language of the visit: the title, and the chart; of a picture in space that of Plotly."""
    with speaking(told):
        figure = tabs.figure(dark)
    if figure.is_plotly:
        return figure.title, {"plotly": figure.chart}
    spec = inline(figure) | {"description": figure.alt_text}
    if language.current() != language.ENGLISH:
        spec["config"]["locale"] = {"number": LOCALE}
        # Vega describes these in English only; the chart's own words stay
        for guide in ("axis", "legend"):
            spec["config"][guide] = {**spec["config"].get(guide, {}), "aria": False}
    layers = spec.get("layer", ())
    fixed = any(layer["mark"]["type"] == "image" for layer in layers)  # an image keeps its pixels
    for layer in layers:
        code = layer.get("encoding", {})
        x = code.get("x", {})
        scale = x.get("scale") or {}
        if "range" in scale and (tabs.fluid or (scale["range"][-1] > NARROW and not fixed)):
            del scale["range"]
            if x.get("axis"):
                x["axis"]["labelOverlap"] = True
        elif "range" in scale and (legend := code.get("color", {}).get("legend")):
            legend.setdefault("orient", "none")  # beside the picture, not at the edge of the page
            legend |= {"legendX": scale["range"][-1] + 18, "legendY": 0}
    return figure.title, spec


def _rows(part: Mapping[str, Any]) -> int:
    """How many marks a chart has, about."""
    values = part.get("data", {}).get("values", ())
    own = values.count("\n") if isinstance(values, str) else len(values)
    return own + sum(
        _rows(p) for kind in ("layer", "concat", "hconcat", "vconcat") for p in part.get(kind, ())
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _kept(key: str, _tabs: ChartTabs, _dark: bool) -> tuple[str, dict[str, Any]]:
    return drawn(_tabs, _dark)


def show_chart(tabs: ChartTabs, where: Any = st) -> None:
    """One card: the title, and beside it which of picture, table and files is open."""
    dark = st.context.theme.type == "dark"
    picture, table, save = where.tabs(
        [told("Picture"), told("Table"), told("Save")], key=f"{tabs.id}.tabs", on_change="rerun"
    )
    title, spec = (
        _kept(f"{tabs.kept} {dark} {language.current()}", tabs, dark)
        if tabs.kept
        else drawn(tabs, dark)
    )
    for tab in (picture, table, save):
        if tab.open:
            tab.markdown(f"**{escape(title)}**")
    if picture.open and "plotly" in spec:
        picture.plotly_chart(spec["plotly"], key=f"{tabs.id}.space", theme=None)
        picture.caption(escape(told(tabs.of)))
    elif picture.open:
        parts = spec.pop("concat", None)
        with picture:
            for n, (column, part) in enumerate(
                zip(
                    st.columns(len(parts)) if parts else [st.container()],
                    parts or [spec],
                    strict=True,
                )
            ):
                if _rows(part) > MOST_NODES:
                    part["usermeta"] = {"embedOptions": {"renderer": "canvas"}}
                part = {
                    "description": str(part.get("title") or spec["description"]),
                    **part,
                    "config": {
                        **spec["config"],
                        "padding": 4,
                        "background": "transparent",
                        # one sentence is read aloud; the numbers are in the table
                        "mark": {**spec["config"].get("mark", {}), "aria": False},
                    },
                    "autosize": {"type": "pad" if tabs.square else "fit-x", "contains": "padding"},
                }
                if not parts:
                    part.pop("title", None)  # it stands above, where it can fold
                column.vega_lite_chart(
                    spec=part,
                    width="content" if tabs.square else "stretch",
                    key=f"{tabs.id}.chart{n}",
                    theme=None,
                )
            st.caption(escape(told(tabs.of)))
    if table.open:
        frame = tabs.figure(dark).frame
        table.dataframe(frame.rename(columns=rows.name_columns(frame.columns)), hide_index=True)
    if save.open:
        with save:
            saving.buttons(tabs.id, partial(tabs.make, dark=dark), tabs.name, "the numbers")
