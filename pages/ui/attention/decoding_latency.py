"""Below the Generation page: how long writing takes, with and without the KV cache, measured on this computer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import streamlit as st

from engine import decode
from engine.decode.latency import seconds
from engine.runs import Run
from engine.trace import Table, TableSpec
from pages.ui import cache, plate
from pages.ui.attention import decoding_work
from pages.ui.plate import Plate

LENGTH, PROMPT = 160, "The students opened their books because they wanted to read"
WAYS = {True: "what was read is kept", False: "all is read again for each token"}


def part(run: Run) -> None:
    st.subheader("How long does writing take?", anchor=False)
    model = cache.model(run)
    if not model.carries:
        st.markdown("This model keeps nothing from one token to the next: it reads only the few last tokens that it needs, so each token takes the same time.")
    else:
        what = "keys and values of all tokens read (the **KV cache**)" if "key" in model.carries else "its state"
        st.markdown(
            f"A decoder writes one token after the other: none can begin before the last is known. If the model keeps {what}, each new token is one step. "
            f"If it reads everything again, token n takes the work of n steps, and the whole text about n²/2."
        )
    if st.button("Measure here") or st.session_state.get("timed") == run.id:
        st.session_state["timed"] = run.id
        show(run, model)


def timed(model: Any) -> Iterator[tuple[bool, float]]:
    """(whether what was read is kept, seconds since its start) for each token; a model that carries nothing has one way."""
    place = decode.read(model, model.tokens(PROMPT))
    for keeps in (True, False) if model.carries else (False,):
        list(seconds(place, 3, keeps))  # the first steps of a model are slower
        for spent in seconds(place, count_of(model, place), keeps):
            yield keeps, spent


def count_of(model: Any, place: decode.Place) -> int:
    """So many tokens fit behind the prompt."""
    return min(LENGTH, (model.context or 10**6) - len(place.tokens))


def measured(run: Run, model: Any, tell: Callable[[int], None]) -> dict[bool, np.ndarray]:
    """Per way seconds (token,), measured once."""
    made = decoding_work.of(("latency", str(run.folder), run.note.get("recipe")), lambda: timed(model)).finish(tell)
    return {keeps: np.array([s for k, s in made if k is keeps]) for keeps in dict.fromkeys(k for k, _ in made)}


def show(run: Run, model: Any) -> None:
    bar = st.progress(0.0, "Writing…")
    whole = LENGTH * (2 if model.carries else 1)
    found = measured(run, model, lambda n: bar.progress(min(1.0, n / whole), f"{n} tokens written"))
    bar.empty()
    columns = {
        "series": np.concatenate([np.full(len(s), WAYS[k], object) for k, s in found.items()]),
        "x": np.concatenate([np.arange(1.0, len(s) + 1) for s in found.values()]), "value": np.concatenate(list(found.values())) * 1000,
    }  # fmt: skip
    table = Table(TableSpec("latency", tuple(columns), "Milliseconds until so many tokens are written, measured on this computer."), columns)
    kept, again = found.get(True), found[False]
    if kept is not None:
        st.markdown(
            f"**{len(kept)} tokens: {kept[-1]:.2f} s with what was read kept, {again[-1]:.2f} s without, {again[-1] / kept[-1]:.1f} times as long.** "
            f"Kept, the last ten tokens took {1000 * (kept[-1] - kept[-11]) / 10:.1f} ms each and the first ten {1000 * kept[9] / 10:.1f} ms; read again, "
            f"{1000 * (again[-1] - again[-11]) / 10:.1f} and {1000 * again[9] / 10:.1f} ms."
        )
    options = {"x": "tokens written", "y": "time so far (ms)", "of_series": "", "whole": True, "tight": True}
    plate.show(Plate("latency", "curve", (table,), run.id, f"Model: {run.title} ({run.id}); one prompt, always the likeliest token", options=options, model=run.model))
