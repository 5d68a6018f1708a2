"""The same word in every kind of table: one row a word, n-grams and a row, n-grams alone."""

from __future__ import annotations

import streamlit as st

from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import Knows
from engine.runs.store import Run
from pages.ui import rows as table

KINDS = {
    "skipgram": "one row per word",
    "glove": "one row a word, from counts",
    "fasttext": "n-grams of 3 to 6 characters, and a row for each known word",
    "charngram": "n-grams of 1 to 4 characters alone",
}
NEAR = 5
GUIDE = (
    (
        "Every word of your text is in the table",
        "GloVe or skip-gram: one row a word, the smallest and the quickest",
    ),
    (
        "Names, compounds, inflected words (Finnish, Turkish), misspellings",
        "fastText: a new word gets a vector from its pieces",
    ),
    (
        "Spelling matters more than meaning, or memory is scarce",
        "CharNgram: a table of n-grams covers every possible word",
    ),
    ("Both matter", "Concatenate a word's vector and that of its n-grams into one longer vector"),
)


def show(typed: list[str]) -> None:
    runs = _chosen()
    rows = []
    for word in typed[:4]:
        for id, run in runs.items():
            model = cache.model(run, Knows)
            row, vector, has = model.space.row(word), model.compose(word), "no vector"
            if row is not None:
                vector, has = model.space.values[row], "known"
            elif vector is not None:
                has = "built from its n-grams"
            near = [] if vector is None else model.space.nearest(vector, NEAR, without=(word,))
            rows.append(
                {
                    "word": word,
                    "table": run.title,
                    "this word": has,
                    "nearest words": ", ".join(f"{w} {c:.2f}" for w, c in near) or "none",
                    "how": KINDS[id],
                }
            )
    if rows:
        wide = {"nearest words": st.column_config.TextColumn(width=360)}
        table.show(rows, "pieces_models", wide)
        st.caption(
            "Cosines from different tables cannot be compared: the tables were trained on"
            " different amounts of text, and n-grams alone make all words more alike."
        )
    missing = [id for id in KINDS if id not in runs]
    if missing:
        st.caption(
            f"Not trained here: {escape(', '.join(missing))}. `python -m engine train {missing[0]}"
            " --text FILE --out DIR` makes one."
        )
    with st.expander("Which one to choose"):
        st.table([{"when": when, "take": what} for when, what in GUIDE])


def _chosen() -> dict[str, Run]:
    """Per kind one run: the first, or the one that was picked where there are several."""
    every = {id: {run.id: run for run in found} for id in KINDS if (found := cache.runs(id))}
    if any(len(runs) > 1 for runs in every.values()):
        with st.popover("Other tables", help="Choose another run of the same kind"):
            for id, runs in every.items():
                if len(runs) > 1:
                    st.selectbox(
                        KINDS[id].capitalize(), list(runs), key=f"pieces_{id}", bind="query-params"
                    )
    return {
        id: runs.get(st.session_state.get(f"pieces_{id}", ""), next(iter(runs.values())))
        for id, runs in every.items()
    }
