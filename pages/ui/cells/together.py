"""The same text through all trained recurrent models: the hidden states of each, and the surprisal
of every token."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.measure import surprisal
from engine.core.cell_card import listed
from engine.core.trace import Field, Kind, Trace
from engine.live import cache
from engine.runs.store import Run
from pages.ui import ask, plate, rows
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
        format_func=names(runs).__getitem__,
        selection_mode="multi",
        key="models",
        bind="query-params",
    )
    text = ask.text("Your text", "text", MOST, value=EXAMPLE)
    if not text or not picked:
        st.info("Choose a model above." if text else "Type a few words.")
        return
    traces: dict[str, Trace] = {}
    for id in picked:
        if run := runs.get(id):
            try:
                model = cache.model(run)
                whole = (0, len(model.tokens(text)))
                traces[id] = cache.trace(run, model, text, ("hidden", "probability"), whole)
            except ValueError as problem:
                st.warning(f"{run.title}: {problem}")
    if not traces:
        return
    titles = names({id: runs[id] for id in traces})
    alone, others = same_pieces(traces)
    says = ", ".join(titles[id] for id in alone)
    figure = partial(
        Plate, source="contest", of=says, text=text, model=", ".join(alone), fluid=True
    )
    plate.show(figure("surprisals", "heatmap", (bits(alone, titles),)))
    plate.show(figure("states", "multiples", (states(alone, titles),)))
    if others:
        st.caption(
            "Not shown in these pictures, because they cut the text differently:"
            f" {', '.join(titles[id] for id in others)}."
        )
    rows.show([row(runs[id], trace) for id, trace in traces.items()], "texts")
    st.caption(
        "Compare cells only between models of the same size that cut the text alike, and bits"
        " on held-out text only between models trained on the same text."
    )


def alike(runs: dict[str, Run]) -> list[str]:
    """The ids of the largest group of runs with the same layers, units and pieces, trained on the
    same text."""
    shape = {
        id: (
            *(run.note["config"].get(name) for name in ("layers", "units", "tokenizer")),
            run.note.get("corpus", {}).get("digest"),
        )
        for id, run in runs.items()
    }
    shapes = list(shape.values())
    most = max(shapes, key=shapes.count)
    return [id for id in runs if shape[id] == most]


def names(runs: dict[str, Run]) -> dict[str, str]:
    """Titles as far as the first comma; the whole title where two would have the same, with the id
    where that is not enough."""
    short = {id: run.title.split(",")[0] for id, run in runs.items()}
    often, whole = Counter(short.values()), Counter(run.title for run in runs.values())
    return {
        id: name
        if often[name] == 1
        else runs[id].title
        if whole[runs[id].title] == 1
        else f"{runs[id].title} ({id})"
        for id, name in short.items()
    }


def same_pieces(traces: dict[str, Trace]) -> tuple[dict[str, Trace], list[str]]:
    """The largest group of traces with the same tokens, and the others."""
    cuts = [trace.tokens for trace in traces.values()]
    most = max(cuts, key=cuts.count)
    alike = {id: t for id, t in traces.items() if t.tokens == most}
    return alike, [id for id in traces if id not in alike]


def bits(traces: dict[str, Trace], titles: dict[str, str]) -> Field:
    """(label, token): the surprisal of each token, from the first behind the mark at the start."""
    tokens = next(iter(traces.values())).tokens[1:]
    return Field.of(
        "surprisal",
        Kind.LOSS,
        {"label": [titles[id] for id in traces], "token": tokens},
        np.stack([surprisal(trace)[1:] for trace in traces.values()]),
        "How surprising each token was for each model",
        unit="bits",
        domain=(0.0, 8.0),
    )


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
    says = f"Hidden states of the {count} units that vary most, in descending order"
    labels = [titles[id] for id in traces]
    axes = {"label": labels, "unit": range(1, count + 1), "token": tokens}
    return Field.of("hidden", Kind.STATE, axes, np.stack(grids), says, "h_t")


def row(run: Run, trace: Trace) -> dict[str, Any]:
    bits = surprisal(trace)
    known = bits[np.isfinite(bits)]
    held = run.note.get("held_out", {}).get("bits_per_char")
    config = run.note["config"]
    return {
        "model": run.title,
        "layers": config.get("layers"),
        "units": config.get("units"),
        "trained on": run.note.get("corpus", {}).get("name") or "a text of yours",
        "bits per token, this text": round(float(known.mean()), 2) if len(known) else None,
        "bits per character, held-out text": round(float(held), 3) if held is not None else None,
    }
