"""The live part of the lesson on positions: what the places of the typed tokens say, and where the heads look."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.positions import encodings
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.transformer import Transformer
from engine.runs.store import Run

READER = "transformer"


def stage(shown: Mapping[str, Run], positions: str = "") -> Stage:
    """`positions`: the id of the run, as it was chosen."""
    run = shown[READER]
    model = cache.model(run, Transformer)
    told = model.tower.position
    needs = ("embedding.position",) * told.adds() + ("query",) * told.asks
    about = {
        "about": told.about,
        "context": model.context,
        "stretch": model.tower.stretch,
        "speeds": told.speeds().tolist() if told.turning else None,
    }
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        ("attention", *needs),
        most=8,
        derived=(encodings.place_spec(model),),
        derive=lambda trace: (encodings.place(model, trace),),
        more={"place": about},
    )

    def saved(traces: Traces, look: Look) -> Drawing:
        """What the places say, from the token looked at, one line a head."""
        trace = traces[READER]
        field = encodings.place(model, trace)
        at = max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))
        layer = min(int(look.get("layer", 0)), field.values.shape[0] - 1)
        picks = {"layer": layer, "query": at}
        return Drawing(READER, "lines", with_entries(trace, field), ("place",), picks)

    grid = {"x": "key", "y": "query", "reader": READER, "fields": ("attention",)}
    grid |= {"column": "right"}
    hint = {"hint": "Point at a head to read a weight; click to open it."}
    places = {"column": "left", "reader": READER}
    panels = (
        Panel("places", "places", "The positions alone", options=places, figure=saved),
        Panel(
            "wall",
            "multiples",
            "Where the heads look, with these positions",
            "A row is a token that looks, a column a token looked at. Compare the kinds of"
            " positions: which heads look nearby, which look far?",
            {**grid, "column": "left", **hint},
            picked(READER, "multiples", ["attention"]),
        ),
        Panel(
            "open",
            "matrix",
            "Opened",
            options=grid,
            figure=picked(READER, "heatmap", ["attention"], ["layer", "head"]),
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=400,
        selection={"layer": 0, "head": 0, "field": "attention"},
        vertical={"name": "head", "size": model.config.heads},
        columns=(1, 1),
    )


LIVE = stage
