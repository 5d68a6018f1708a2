"""Half the digits: the same model in bfloat16, timed on this machine beside itself, and how far its
numbers are off."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.analysis import precision
from engine.core.cache import Cache
from engine.live import cache
from engine.models.abilities import Attends
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number

PREFIX = "precision"


HALVED: Cache[tuple[str, str], Any] = Cache("halved", lambda model: 1, most=2)


def _half(folder: str, recipe: str, model: Attends[Any]) -> Any:
    return HALVED.made((folder, recipe), lambda: precision.halved(model))


def show(run: Run, example: str) -> None:
    """`example`: the text to begin with."""
    st.subheader("What does half precision cost?", anchor=False)
    st.markdown(
        "A weight is kept in 32 bits, about seven decimal digits. In **bfloat16** it has 16"
        " bits and two to three digits, for the same range. The products then move half the"
        " bytes. What does that save here, and how much accuracy does it cost?"
    )
    text = st.text_input(
        "Text", example, max_chars=2_000, key=f"{PREFIX}_text", bind="query-params"
    )
    if st.button("Compute with both and compare", key=f"{PREFIX}.go"):
        st.session_state[f"{PREFIX}.of"] = (run.id, text)
    if st.session_state.get(f"{PREFIX}.of") != (run.id, text):
        st.caption(
            "Nothing is measured yet. It takes about two seconds and slows down other users"
            " meanwhile."
        )
        return
    try:
        model = cache.model(run, Attends)
        found = _compared(run, model, text)
    except ValueError as problem:
        st.info(str(problem))
        return
    _told(run, model, text, found)


def _compared(run: Run, model: Attends[Any], text: str) -> precision.Comparison:
    """Measured once per text; the times are those of that moment."""
    kept = st.session_state.setdefault(f"{PREFIX}.found", {})
    key = (str(run.folder), str(run.note.get("recipe")), text)
    if key not in kept:
        kept.clear()
        with st.spinner("Computing with both …"):
            kept[key] = precision.compare(
                model, _half(str(run.folder), str(run.note.get("recipe")), model), text
            )
    found: precision.Comparison = kept[key]
    return found


def _told(run: Run, model: Attends[Any], text: str, found: precision.Comparison) -> None:
    time, weight, vector = st.columns(3)
    quicker = found.faster >= 1
    how = (
        f"{number(found.faster if quicker else 1 / found.faster)} times"
        f" {'faster' if quicker else 'slower'}"
    )
    time.metric(
        "Time for all layers",
        f"{number(found.half_ms)} ms",
        f"{how}; {number(found.full_ms)} ms in float32",
        delta_color="off",
        delta_arrow="off",
    )
    weight.metric(
        "Largest error of an attention weight",
        number(found.off),
        f"{number(found.mean)} on average",
        delta_color="off",
        delta_arrow="off",
    )
    cosine = float(found.cosines.min())
    least = int(found.cosines.argmin())
    vector.metric(
        "Cosine of the outputs, worst token",
        f"{cosine:.5f}",
        "1 is the same direction",
        delta_color="off",
        delta_arrow="off",
    )
    tokens = model.tokens(text)[-found.tokens :]
    layer, head, query, key = found.at
    said = [theme.visible(tokens.labels[i]) for i in (query, key, least)]
    st.markdown(
        f"The largest error is in layer {layer + 1}, head {head + 1}, where “{said[0]}” looks at"
        f" “{said[1]}”. The output that turns most is that of “{said[2]}”. "
        + (
            ""
            if quicker
            else (
                "**No gain here:** for matrices of this size, this machine is not faster in"
                " bfloat16. "
            )
        )
        + f"{run.title}, {found.tokens} tokens; both computed in turn, the middle of the times is"
        " shown."
    )
