"""The live part of the positions page: what the places of the typed tokens say, and where the heads
look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.analysis.positions import encodings
from engine.core.registry import positions
from engine.core.trace import FieldSpec, Kind
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run
from pages.ui import timeline
from pages.ui.positions import shuffle

if TYPE_CHECKING:
    from engine.models.transformer import Transformer

READER = "transformer"
FIRST = "sinusoidal"


def choose(runs: list[Run]) -> Run:
    """The run to show, named by its kind of position; where one is missing, what there is."""
    titles = [run.title for run in runs]
    alike = {f"transformer_{kind}": positions.get(kind).title for kind in positions.listed()}
    named = {
        alike.get(run.id)
        or f"{run.title if titles.count(run.title) == 1 else run.id} ({positions.get(kind(run)).title.lower()})": (
            run
        )
        for run in runs
    }
    names = [
        *(title for title in alike.values() if title in named),
        *(name for name in named if name not in alike.values()),
    ]
    if len(names) == 1:
        return timeline.at(named[names[0]], "positions")
    asked, _ = timeline.split(st.query_params.get("run", ""), {run.id: run for run in runs})
    first = next(
        (name for name, run in named.items() if run.id == asked), alike[f"transformer_{FIRST}"]
    )
    begin = first if first in names else names[0]
    picked = st.pills(
        "Kind of position the model was trained with",
        names,
        key="positions",
        bind="query-params",
        default=begin,
        required=True,
        label_visibility="collapsed",
    )
    return timeline.at(named.get(picked or "", named[names[0]]), "positions")


def kind(run: Run) -> str:
    found = str(run.note["config"].get("position", "learned"))
    return found if found in positions.ids() else "learned"


def small(runs: list[Run]) -> dict[str, Run]:
    """The runs that were trained alike, by their kind of position."""
    by_id = {run.id: run for run in runs}
    return {
        kind: by_id[f"transformer_{kind}"]
        for kind in positions.listed()
        if f"transformer_{kind}" in by_id
    }


def stage(run: Run, model: Transformer, others: Mapping[str, Run]) -> Stage:
    told = model.tower.position
    added = told.adds()
    fields = (
        "attention",
        *(("embedding.token", "embedding.position") if added else ()),
        *(("query",) if told.asks else ()),
    )
    about = {
        "about": told.about,
        "context": model.context,
        "stretch": model.tower.stretch,
        "waves": added and told.turning > 0,
        "speeds": told.speeds().tolist() if told.turning else None,
        "scale": describe_field(
            FieldSpec(
                "added", Kind.STATE, ("token", "unit"), "", domain=encodings.added_scale(model)
            )
        )["scale"],
    }
    spec = encodings.place_spec(model)
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        fields,
        most=8,
        derived=(spec,),
        derive=lambda trace: (encodings.place(model, trace),),
        more={"place": about},
    )
    grid = {"x": "key", "y": "query", "reader": READER, "fields": ("attention",)}
    panels = (
        Panel(
            "places",
            "places",
            "The positions alone",
            options={"column": "left", "reader": READER},
            figure=saved(model),
        ),
        Panel(
            "wall",
            "multiples",
            "Where the heads look, with these positions",
            "A row is a token that looks, a column a token looked at. Compare the kinds of"
            " positions: which heads look nearby, which look far?",
            {
                **grid,
                "column": "right" if added else "left",
                "hint": "Point at a head to read a weight; click to open it.",
            },
            picked(READER, "multiples", ["attention"]),
        ),
        Panel(
            "open",
            "matrix",
            "Opened",
            options={**grid, "column": "right"},
            figure=picked(READER, "heatmap", ["attention"], ["layer", "head"]),
        ),
    )

    def settled(traces: Traces, look: Look) -> None:
        shuffle.show(traces[READER].text, run, others)

    return Stage(
        ((reader, run),),
        panels,
        most=400,
        selection={"layer": 0, "head": 0, "field": "attention"},
        vertical={"name": "head", "size": model.config.heads},
        columns=(1, 1),
        settled=settled,
    )


def saved(model: Transformer) -> Any:
    """A `Panel.figure`: what the places say, from the token looked at, one line a head."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        field = encodings.place(model, trace)
        at = max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))
        layer = min(int(look.get("layer", 0)), field.values.shape[0] - 1)
        return Drawing(
            READER, "lines", with_entries(trace, field), ("place",), {"layer": layer, "query": at}
        )

    return make


def opened(run: Run, others: Mapping[str, Run]) -> Stage:
    from engine.models.transformer import Transformer

    return stage(run, cache.model(run, Transformer), others)
