"""One word, many vectors: the states of a language model at every place where the word stands."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.cell_card import listed
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.vectors import contextual
from engine.vectors.contextual import Occurrences
from pages.ui import ask, plate
from pages.ui.address import begin

READERS = ("transformer", *listed(), "bert")
MOST_LINES, MOST_PLACES = 12, 24
EXAMPLE = "They turned to the right\nShe stood on the right\nHe was right\nThey were right"


def show() -> None:
    st.markdown(
        "A table gives a word the same vector wherever it occurs. A model that reads gives it"
        " a different one each time: its state there. Type sentences with the same word in"
        " them, one per line."
    )
    runs = {run.id: run for run in cache.runs_of(*READERS)}
    if not runs:
        st.info(
            "No language model has been trained yet. Train one with `python -m engine train"
            " transformer --text FILE --out DIR`."
        )
        return
    left, middle, right = st.columns((2, 1, 1))
    titles = {id: f"{run.title} ({id})" for id, run in runs.items()}
    run = runs[ask.pick("Model", titles, "places_run", where=left)]
    model = cache.model(run)
    states = {spec.name: spec for spec in contextual.states_of(model)}
    names = list(states)
    usual = next((name for name in ("residual", "hidden") if name in names), names[0])
    field = middle.selectbox("State", names, names.index(usual), key="places_field")
    layers = model.config.layers if "layer" in states[field].axes else 1
    layer = right.number_input("Layer", 1, layers, layers, key="places_layer") if layers > 1 else 1
    begin(places_text=EXAMPLE, places_word="right")
    text = st.text_area(
        "Sentences", key="places_text", max_chars=2000, height=130, bind="query-params"
    )
    lines = [line[:300] for line in text.split("\n")[:MOST_LINES]]
    found = contextual.read(model, lines, field, layer - 1)
    times = {w.lower(): len(found.of(w)) for w in found.words}
    repeated = sorted({w for w, n in times.items() if n > 1}, key=lambda w: -times[w])
    if not repeated:
        st.info("No word occurs twice: use the same word in at least two sentences.")
        return
    if st.session_state.get("places_word") not in repeated:
        st.session_state["places_word"] = repeated[0]
    word = st.selectbox("Word", repeated, key="places_word", bind="query-params", width=260)
    of = f"{run.title}, {field}, layer {layer} of {layers}"
    _matrix(found, word, run, of, states[field].causal)


def _matrix(found: Occurrences, word: str, run: Run, of: str, onwards: bool) -> None:
    at = found.of(word)[:MOST_PLACES]
    unit = found.values - found.values.mean(0)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    cosine = unit[at] @ unit[at].T

    def around(i: int) -> str:
        near = range(max(0, i - 2), min(len(found.words), i + 3))
        said = (found.words[j] for j in near if found.lines[j] == found.lines[i])
        return f"{found.lines[i] + 1}: {' '.join(said)}"

    says = f"Similarity of the states at “{word}”, line by line"
    axes = {"word": map(around, at), "label": [f"line {found.lines[i] + 1}" for i in at]}
    field = Field.of("places", Kind.COSINE, axes, cosine, says, "cos")
    plate.show(plate.by(run, "places", "heatmap", field, of, text=word))
    off = cosine[~np.eye(len(at), dtype=bool)]
    others = np.setdiff1d(np.arange(len(found.words)), at)
    apart = float((unit[at] @ unit[others].T).mean()) if len(others) else float("nan")
    st.caption(
        "Cosines after subtracting the mean state of all words typed here; without that, all"
        f" states of a model look alike. “{escape(word)}” with itself elsewhere:"
        f" {off.mean():.2f} on average; with the other words: {apart:.2f}. A table of word"
        " vectors would show 1 in every cell. "
        + (
            "This model reads left to right, so only the words before can tell the senses"
            " apart. Choose a lower layer: there the states are still nearly the same."
            if onwards
            else "This model reads both ways, so the words after count too."
        )
    )
