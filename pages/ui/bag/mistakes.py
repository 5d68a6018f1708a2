"""What a classifier took for what, and the mistakes that it was surest of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from engine.analysis import mistakes
from engine.analysis.mistakes import Judged
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import Labels
from engine.runs.store import Run
from engine.views import theme
from pages.ui import ask, kept, plate, rows
from pages.ui import texts as all_texts

LISTED, WIDE, LONGEST = 12, 200, 1_000_000  # mistakes; characters of each; characters of the texts
ALL = "all"


def of_run(run: Run) -> None:
    """Of a trained classifier, on labelled texts that have its labels."""
    names = set(cache.model(run, Labels).names)
    known = {
        id: label
        for id, label in all_texts.listed("labelled").items()
        if names >= {name for name, _ in all_texts.rows(id, LONGEST)}
    }
    if not known:
        listed = ", ".join(sorted(names))
        st.info(
            f"There is no labelled text with the labels of this run ({listed}). Add one on *Your texts*."
        )
        return
    id = ask.pick("Labelled texts", known, "judged_on", width=260)
    pairs = all_texts.rows(id, LONGEST)
    show(
        _judged(run, id),
        [text for _, text in pairs],
        f"{run.title}, {known[id]}",
        run.id,
        run.model,
    )


@kept.data(max_entries=8, show_spinner="Reading the texts")
def _judged(run: Run, id: str) -> Judged:
    pairs = all_texts.rows(id, LONGEST)
    return mistakes.judged(
        cache.model(run, Labels), [name for name, _ in pairs], [text for _, text in pairs]
    )


def show(
    found: Judged, texts: Sequence[str], of: str, source: str, model: str, matrix: bool = True
) -> None:
    worst, total = found.worst(), int(found.answered_D.sum())
    if not worst:
        st.markdown(f"All {total:,} answers are right: there is no mistake to look at.")
        return
    right, wrong = (100 * found.sure(which) for which in (True, False))
    st.markdown(
        f"**{len(worst):,} of {total:,}** answers are wrong. Where it is right, it is {right:.0f} % sure on average;"
        f" where it is wrong, {wrong:.0f} %."
        if len(worst) < total
        else f"All {total:,} answers are wrong, {wrong:.0f} % sure on average."
    )
    classes = [theme.shorten(name, 24) for name in found.classes]
    pairs = {
        (t, c): f"{classes[t]} → {classes[c]}"
        for t, c in zip(found.true_D[worst].tolist(), found.said_D[worst].tolist(), strict=True)
    }
    left, beside = st.columns((2, 3), gap="medium") if matrix else (None, st.container())
    if left:
        with np.errstate(invalid="ignore"):
            share = found.confusion / found.confusion.sum(1, keepdims=True)
        says = "True (rows) and predicted (columns)"
        field = Field.of(
            "confusion", Kind.PROBABILITY, {"label": classes, "tag": classes}, share, says
        )
        plate.show(plate.Plate("confusion", "heatmap", (field,), source, of, model=model), left)
    with beside:
        names = [ALL, *dict.fromkeys(pairs.values())]
        chosen = st.selectbox("True → predicted", names, key="mistakes.pair", width=320)
        some = [
            d for d in worst if chosen in (ALL, pairs[int(found.true_D[d]), int(found.said_D[d])])
        ]
        cells = [
            (
                f"{100 * found.confidence_D[d]:.1f}\u00a0%",
                escape(pairs[int(found.true_D[d]), int(found.said_D[d])]),
                escape(theme.shorten(texts[d], WIDE)),
            )
            for d in some[:LISTED]
        ]
        head = ("sure", "true → predicted", "text")
        st.markdown(rows.written([head, *cells], "--: | :-- | :--", texts=True))
        if len(some) > LISTED:
            st.caption(f"The first {LISTED} of {len(some):,}.")
