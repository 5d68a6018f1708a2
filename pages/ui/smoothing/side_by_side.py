"""All methods on the same context: who gives what to whom, what is left for the unseen, and how
well each predicts."""

from __future__ import annotations

import streamlit as st

from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from pages.ui import place, plate
from pages.ui.counting import smoothers
from pages.ui.counting.context import Context
from pages.ui.counting.study import Chosen


def show(chosen: Chosen, models: dict[str, Smoothed], context: Context) -> None:
    rows = smoothers.rows(chosen, models, context)
    drawn = [
        chosen.plate(view, view, rows.field, context.said, seen=rows.seen)
        for view in ("compare", "masses")
    ]
    plate.row(*drawn, widths=(3, 2))
    st.caption(
        f"Left of the line: words seen after “{escape(context.said)}”. Every row sums to 1,"
        " with two exceptions: stupid back-off, whose numbers are scores, and maximum"
        " likelihood after an unseen context, which has nothing to share out."
    )
    ideas = [f"**{m.method.title}** · {m.method.idea}" for m in models.values()]
    frame = {
        "method": ideas,
        "row sum": [f"{s:.4f}" for s in rows.p_RV.sum(1)],
        "held-out perplexity": [smoothers.held_out(chosen, m) for m in models.values()],
    }
    st.markdown(
        "**Each idea in one sentence, and how well it predicts held-out lines** (lower is better)"
    )
    with place.panel("held-out"):
        st.table(frame, border="horizontal", hide_index=True)
    n = sum(len(line.split()) for line in chosen.study.held_out)
    if n < 1000:
        st.caption(
            f"Only {n:,} words are held out, too few to tell which method is better. Choose a"
            " longer text for that."
        )
    mixed = models["jelinek_mercer"].learned["lambda"]
    if len(mixed):
        weights = [f"λ{m} = {x:.3f}" for m, x in reversed([*enumerate(mixed)]) if m]
        st.caption(f"Jelinek-Mercer mixes with {', '.join(weights)}, uniform {mixed[0]:.3f}.")
