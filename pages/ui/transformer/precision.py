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
from pages.ui import ask

PREFIX = "precision"


HALVED: Cache[tuple[str, str], Any] = Cache("halved", lambda model: 1, most=2)


def show(run: Run, example: str) -> None:
    """`example`: the text to begin with."""
    st.subheader("What does half precision cost?", anchor=False)
    st.markdown(
        "A weight is kept in 32 bits, about seven decimal digits. In **bfloat16** it has 16"
        " bits and two to three digits, for the same range. The products then move half the"
        " bytes. What does that save here, and how much accuracy does it cost?"
    )
    text = ask.text("Text", f"{PREFIX}_text", 2_000, value=example)
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
    key = (*run.key, text)
    if key not in kept:
        kept.clear()
        with st.spinner("Computing with both …"):
            half = HALVED.made(run.key, lambda: precision.halved(model))
            kept[key] = precision.compare(model, half, text)
    found: precision.Comparison = kept[key]
    return found


def _told(run: Run, model: Attends[Any], text: str, found: precision.Comparison) -> None:
    quicker, least = found.faster >= 1, int(found.cosines.argmin())
    times = f"{number(found.faster if quicker else 1 / found.faster)} times"
    how = f"{times} {'faster' if quicker else 'slower'}; {number(found.full_ms)} ms in float32"
    off, mean = number(found.off), f"{number(found.mean)} on average"
    cosine = f"{float(found.cosines[least]):.5f}"
    for box, (label, value, beside) in zip(
        st.columns(3),
        (
            ("Time for all layers", f"{number(found.half_ms)} ms", how),
            ("Largest error of an attention weight", off, mean),
            ("Cosine of the outputs, worst token", cosine, "1 is the same direction"),
        ),
        strict=True,
    ):
        box.metric(label, value, beside, delta_color="off", delta_arrow="off")
    tokens = model.tokens(text)[-found.tokens :]
    layer, head, query, key = found.at
    said = [theme.visible(tokens.labels[i]) for i in (query, key, least)]
    slower = "**No gain here:** for matrices of this size, this machine is not faster in bfloat16. "
    st.markdown(
        f"The largest error is in layer {layer + 1}, head {head + 1}, where “{said[0]}” looks at"
        f" “{said[1]}”. The output that turns most is that of “{said[2]}”. "
        f"{'' if quicker else slower}{run.title}, {found.tokens} tokens; both computed in turn, the"
        " middle of the times is shown."
    )
