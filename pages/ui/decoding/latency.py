"""Below the Generation page: how long writing takes, with and without the KV cache, measured on
this computer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis import decode
from engine.analysis.decode.latency import seconds
from engine.lessons.decoding import work
from engine.live import cache
from engine.runs.store import Run
from pages.ui import plate

if TYPE_CHECKING:
    from engine.models.base import Model

LENGTH, PROMPT = 160, "The students opened their books because they wanted to read"
WAYS = {True: "with a cache", False: "everything read again for each token"}


def part(run: Run) -> None:
    st.subheader("How long does writing take?", anchor="latency")
    model = cache.model(run)
    if not model.carries:
        st.markdown(
            "This model stores nothing from one token to the next: it reads only the last few"
            " tokens, so each token takes the same time."
        )
    else:
        keys = "keys and values of all tokens read (the **KV cache**)"
        what = keys if "key" in model.carries else "its state"
        st.markdown(
            "A decoder writes one token after the other, and each has to wait for the one"
            f" before. If the model stores {what}, each new token is one step. If it reads"
            " everything again, token n takes n steps, and the whole text about n²/2."
        )
    if st.button("Measure here") or st.session_state.get("timed") == run.id:
        st.session_state["timed"] = run.id
        show(run, model)


def timed(model: Model[Any]) -> Iterator[tuple[bool, float]]:
    """(whether with a cache, seconds since its start) for each token; a model that carries
    nothing has one way."""
    place = decode.read(model, model.tokens(PROMPT))
    for keeps in (True, False) if model.carries else (False,):
        list(seconds(place, 3, keeps))  # the first steps of a model are slower
        for spent in seconds(place, count_of(model, place), keeps):
            yield keeps, spent


def count_of(model: Model[Any], place: decode.Place) -> int:
    """So many tokens fit behind the prompt."""
    return min(LENGTH, (model.context or 10**6) - len(place.tokens))


def measured(run: Run, model: Model[Any], tell: Callable[[int], object]) -> dict[bool, np.ndarray]:
    """Per way seconds (token,), measured once."""
    made = work.of(("latency", *run.key), lambda: timed(model)).finish(tell)
    ways = dict.fromkeys(way for way, _ in made)
    return {way: np.array([seconds for w, seconds in made if w is way]) for way in ways}


def show(run: Run, model: Model[Any]) -> None:
    bar = st.progress(0.0, "Writing…")
    whole = LENGTH * (2 if model.carries else 1)
    found = measured(run, model, lambda n: bar.progress(min(1.0, n / whole), f"{n} tokens written"))
    bar.empty()
    cached, again = found.get(True), found[False]
    if cached is not None:
        st.markdown(
            f"**{len(cached)} tokens: {cached[-1]:.2f} s with a cache, {again[-1]:.2f} s without,"
            f" {again[-1] / cached[-1]:.1f} times as long.** With a cache, the last ten tokens"
            f" took {1000 * (cached[-1] - cached[-11]) / 10:.1f} ms each and the first ten"
            f" {1000 * cached[9] / 10:.1f} ms; without one,"
            f" {1000 * (again[-1] - again[-11]) / 10:.1f} and {1000 * again[9] / 10:.1f} ms."
        )
    drawn = plate.lines(
        "latency",
        "Milliseconds until n tokens are written, measured on this computer.",
        [(WAYS[way], range(1, len(s) + 1), 1000 * s) for way, s in found.items()],
        run.id,
        f"Model: {run.title} ({run.id}); one prompt, always the likeliest token",
        x="tokens written",
        y="time so far (ms)",
        of_series="",
        whole=True,
        tight=True,
        model=run.model,
    )
    plate.show(drawn)
