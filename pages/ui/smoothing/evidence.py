"""What followed the context and how often, and the lines behind a count: the evidence that all
methods start from."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram.concordance import Concordance
from engine.views import theme
from pages.ui import rows as table
from pages.ui.counting.context import Context
from pages.ui.counting.smoothers import followers
from pages.ui.counting.study import BY_TEXT, Chosen

LISTED, LINES, WIDTH = 200, 12, 8


def show(chosen: Chosen, context: Context, word: int) -> None:
    """`word` is whose lines are shown before a row is clicked."""
    asked = context if chosen.order > 1 else Context(context.ids[:0], ())
    ids, counts = followers(chosen, asked)
    while not len(ids) and len(asked.ids) > 1:
        asked = Context(asked.ids[1:], asked.labels[1:])
        ids, counts = followers(chosen, asked)
    if chosen.order > 1 and asked is not context:
        st.info(
            f"“{escape(context.said)}” never occurs. The table shows what followed"
            f" “{escape(asked.said)}”."
        )
    if not len(ids):
        asked = Context(asked.ids[:0], ())
        ids, counts = followers(chosen, asked)
        st.info("This context never occurs. The table shows all tokens of the text.")
    best = np.argsort(-counts, kind="stable")
    vocab, total = chosen.study.vocab, int(counts.sum())
    names = [theme.visible(vocab[i]) for i in ids[best].tolist()]
    listed = counts[best][:LISTED]
    frame = {"next": names[:LISTED], "count": listed.astype(int), "share": listed / max(1, total)}
    left, right = st.columns((4, 7), gap="medium")
    with left:
        after = f"After “{escape(asked.said)}”" if len(asked.ids) else "In the whole text"
        st.markdown(f"**{after}: {total:,} times, {len(ids):,} different tokens**")
        event = table.show(
            frame,
            "evidence",
            {"share": table.bar("c(hw) / c(h)")},
            on_select="rerun",
            selection_mode="single-row",
            tallest=420,
        )
        if len(ids) > LISTED:
            st.caption(f"The first {LISTED} of {len(ids):,}.")
    with right:
        picked = list(event["selection"]["rows"]) if event else []
        row = (
            picked[0]
            if picked and picked[0] < len(listed)
            else next((i for i, at in enumerate(best) if ids[at] == word), 0)
        )
        if len(listed):
            lines(chosen, asked, int(ids[best[row]]))


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_TEXT)
def _concordance(chosen: Chosen) -> Concordance:
    return Concordance.of(chosen.study.stream, chosen.study.raw.boundary)


def lines(chosen: Chosen, context: Context, word: int) -> None:
    """The counted lines with the n-gram, the n-gram itself in the middle."""
    study = chosen.study
    gram = (*context.ids.tolist(), word)
    page = _concordance(chosen).page(gram, 0, LINES, WIDTH)

    def text(ids: tuple[int, ...], first: bool = False) -> str:
        marks = ["</s>" if i == study.raw.boundary else study.vocab[i] for i in ids]
        if first and ids[0] == study.raw.boundary:
            marks[0] = "<s>"
        if chosen.cut == "words":
            return theme.plain(" ".join(marks))
        return "".join(m if m.startswith("<") else theme.visible(m) for m in marks)

    shown = theme.visible(study.vocab[word])
    st.markdown(
        f"**The lines with this n-gram**, “{escape(shown)}” · {page.total:,}"
        f" place{'s' * (page.total != 1)}" + (f", the first {LINES}" if page.total > LINES else "")
    )
    rows = [
        {
            "line": r.line + 1,
            "before": text(r.left),
            "counted": text(r.gram, len(gram) > 1),
            "after": text(r.right),
        }
        for r in page.rows
    ]
    column = st.column_config.Column
    forms = {"line": column(width="small"), "before": column(alignment="right")}
    table.show(rows, "lines", forms)
    st.caption("Click a row in the table of counts to read its lines.")
