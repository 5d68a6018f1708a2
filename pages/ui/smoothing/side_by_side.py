"""All methods on the same context: who gives what to whom, what is left for the unseen, and how
well each predicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from pages.ui import plate
from pages.ui.counting import smoothers
from pages.ui.counting.context import Context
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate


def show(chosen: Chosen, models: dict[str, Smoothed], context: Context) -> None:
    rows = smoothers.rows(chosen, models, context)
    source, of = f"study-{chosen.id}", chosen.says
    left, right = st.columns((3, 2), gap="medium")
    with left:
        plate.show(
            Plate(
                "compare", "compare", (rows.field,), source, of, context.said, {"seen": rows.seen}
            )
        )
    with right:
        plate.show(
            Plate("masses", "masses", (rows.field,), source, of, context.said, {"seen": rows.seen})
        )
    st.caption(
        f"Left of the line: words seen after “{escape(context.said)}”. Every row sums to 1,"
        " with two exceptions: stupid back-off, whose numbers are scores, and maximum"
        " likelihood after an unseen context, which has nothing to share out."
    )
    sums = rows.p_RV.sum(1)
    found = [smoothers.held_out(chosen, m) for m in models.values()]
    frame = {
        "method": [f"**{m.method.title}** · {m.method.idea}" for m in models.values()],
        "row sum": [f"{s:.4f}" for s in sums],
        "held-out perplexity": found,
    }
    st.markdown(
        "**Each idea in one sentence, and how well it predicts held-out lines** (lower is better)"
    )
    st.table(frame, border="horizontal", hide_index=True)
    n = sum(len(line.split()) for line in chosen.study.held_out)
    if n < 1000:
        st.caption(
            f"Only {n:,} words are held out, too few to tell which method is better. Choose a"
            " longer text for that."
        )
    learned: Sequence[float] | np.ndarray = (
        models["jelinek_mercer"].learned["lambda"] if "jelinek_mercer" in models else []
    )
    if len(learned):
        weights = (
            ", ".join(f"λ{m} = {x:.3f}" for m, x in reversed(list(enumerate(learned))) if m)
            + f", uniform {learned[0]:.3f}"
        )
        st.caption(f"Jelinek-Mercer mixes with {weights}.")
