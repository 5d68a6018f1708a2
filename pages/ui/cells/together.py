"""The same text through all trained recurrent models: the hidden states of each, and the surprisal
of every token."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.measure import surprisal
from engine.core.cell_card import listed
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.live import cache
from engine.runs.store import Run
from pages.ui import plate
from pages.ui.plate import Plate

UNITS, CELLS_DRAWN, MOST = 16, 9_600, 200
EXAMPLE = 'She asked "who is there?" and opened the door.'


def show() -> None:
    runs = {run.id: run for run in cache.runs_of(*listed())}
    if not runs:
        st.info(
            "No recurrent model has been trained yet. Train all with `make zoo`, or one with"
            " `python -m engine train gru --text FILE --out DIR`."
        )
        return
    picked = st.pills(
        "Models",
        list(runs),
        default=alike(runs),
        selection_mode="multi",
        key="models",
        bind="query-params",
    )
    text = str(
        st.text_input("Your text", EXAMPLE, key="text", bind="query-params", max_chars=MOST) or ""
    )
    if not text or not picked:
        st.info("Choose a model above." if text else "Type a few words.")
        return
    traces: dict[str, Trace] = {}
    for id in picked:
        if id in runs:
            try:
                model = cache.model(runs[id])
                traces[id] = cache.trace(
                    runs[id], model, text, ("hidden", "probability"), (0, len(model.tokens(text)))
                )
            except ValueError as problem:
                st.warning(f"{runs[id].title}: {problem}")
    if not traces:
        return
    titles = names({id: runs[id] for id in traces})
    alone, others = same_pieces(traces)
    says = ", ".join(titles[id] for id in alone)
    for id, view, field in (
        ("surprisals", "heatmap", bits(alone, titles)),
        ("states", "multiples", states(alone, titles)),
    ):
        plate.show(
            Plate(id, view, (field,), "contest", says, text, model=", ".join(alone), fluid=True)
        )
    if others:
        st.caption(
            "Not shown in these pictures, because they cut the text differently:"
            f" {', '.join(titles[id] for id in others)}."
        )
    st.dataframe(
        [row(runs[id], trace) for id, trace in traces.items()], hide_index=True, key="texts"
    )
    st.caption(
        "Cells can be compared only between models with equal numbers of layers and units that"
        " cut the text alike."
    )


def alike(runs: dict[str, Run]) -> list[str]:
    """The ids of the largest group of runs with the same layers, units and pieces."""
    shape = {
        id: tuple(run.note["config"].get(name) for name in ("layers", "units", "tokenizer"))
        for id, run in runs.items()
    }
    shapes = list(shape.values())
    most = max(shapes, key=shapes.count)
    return [id for id in runs if shape[id] == most]


def names(runs: dict[str, Run]) -> dict[str, str]:
    """Titles as far as the first comma; the id where two would have the same."""
    short = {id: run.title.split(",")[0] for id, run in runs.items()}
    return {
        id: title if list(short.values()).count(title) == 1 else id for id, title in short.items()
    }


def same_pieces(traces: dict[str, Trace]) -> tuple[dict[str, Trace], list[str]]:
    """The largest group of traces with the same tokens, and the others."""
    cuts = [trace.tokens for trace in traces.values()]
    most = max(cuts, key=cuts.count)
    return {id: t for id, t in traces.items() if t.tokens == most}, [
        id for id, t in traces.items() if t.tokens != most
    ]


def bits(traces: dict[str, Trace], titles: dict[str, str]) -> Field:
    """(label, token): the surprisal of each token, from the first behind the mark at the start."""
    tokens = next(iter(traces.values())).tokens[1:]
    spec = FieldSpec(
        "surprisal",
        Kind.LOSS,
        ("label", "token"),
        "How surprising each token was for each model",
        "",
        "bits",
        domain=(0.0, 8.0),
    )
    axes = (Axis("label", tuple(titles[id] for id in traces)), Axis("token", tokens))
    return Field(spec, np.stack([surprisal(trace)[1:] for trace in traces.values()]), axes)


def states(traces: dict[str, Trace], titles: dict[str, str]) -> Field:
    """(label, unit, token): of each model's last layer the units that move most, most first."""
    tokens = next(iter(traces.values())).tokens
    room = max(1, CELLS_DRAWN // (len(traces) * len(tokens)))
    count = min(UNITS, room, *(len(t.field("hidden").axis("unit")) for t in traces.values()))
    grids = []
    for trace in traces.values():
        h_TH = trace.field("hidden").values[-1]
        moving = np.argsort(-h_TH.std(0), kind="stable")[:count]
        grids.append(h_TH[:, moving].T)
    spec = FieldSpec(
        "hidden",
        Kind.STATE,
        ("label", "unit", "token"),
        f"Hidden states of the {count} units that vary most, in descending order",
        "h_t",
    )
    axes = (
        Axis("label", tuple(titles[id] for id in traces)),
        Axis("unit", tuple(str(n + 1) for n in range(count))),
        Axis("token", tokens),
    )
    return Field(spec, np.stack(grids), axes)


def row(run: Run, trace: Trace) -> dict[str, Any]:
    bits = surprisal(trace)
    known = bits[np.isfinite(bits)]
    held = run.note.get("held_out", {}).get("bits_per_char")
    config = run.note["config"]
    return {
        "model": run.title,
        "layers": config.get("layers"),
        "units": config.get("units"),
        "bits per token, this text": round(float(known.mean()), 2) if len(known) else None,
        "bits per character, held-out text": round(float(held), 3) if held is not None else None,
    }
