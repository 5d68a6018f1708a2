"""Several fields one below the other, each as its wall of small grids: all gates and states of a recurrent net."""

from __future__ import annotations

from engine.figure import Figure
from engine.trace import Field
from engine.views import base, multiples
from engine.views.base import Need, View


def draw(*fields: Field, dark: bool = False, of: str = "") -> Figure:
    """Fields with axes (layer, token, unit), in the order given; each has a colour scale of its own kind."""
    import altair as alt
    import pandas as pd

    figures = [multiples.draw(field, dark=dark) for field in fields]
    parts = [figure.chart.to_dict() for figure in figures]
    top = {name: parts[0][name] for name in ("$schema", "config", "background", "datasets", "usermeta") if name in parts[0]}
    top["datasets"] = {k: v for part in parts for k, v in part.get("datasets", {}).items()}
    inner = [{k: v for k, v in part.items() if k not in ("$schema", "config", "datasets", "usermeta", "background")} for part in parts]
    words = " ".join(figure.alt_text for figure in figures)
    title = base.heading("All gates and states", (of,), 1060)
    spec = {**top, "title": title, "description": words, "vconcat": inner, "spacing": 28, "resolve": {"scale": {"color": "independent"}}}
    frames = [figure.frame.assign(field=field.spec.name) for figure, field in zip(figures, fields, strict=True)]
    frame = pd.concat(frames, ignore_index=True)
    return Figure("All gates and states", alt.VConcatChart.from_dict(spec), frame, words)


VIEW = View("Gates and states", "What does each gate do, unit by unit?", (Need(("layer", "token", "unit"), many=True),), draw, canvas="multiples")
