"""What its own words cost a translator: new sentences, read with fewer and fewer of the right words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.analysis import mixed_reading
from engine.analysis.mixed_reading import Measured
from engine.live import cache
from engine.models.seq2seq import Seq2seq
from engine.runs.store import Run
from pages.ui import fold, kept, plate, rows
from pages.ui.translation.lengths import sentences

SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
SENTENCES = 400
SHOWN = {
    "score_bilinear_after": "right words alone",
    "scope_own": "its own words too",
    "seq2seq": "right words alone, no attention",
}


@kept.data(max_entries=8, show_spinner="Reading new sentences…")
def measured(run: Run, _model: Seq2seq) -> list[Measured]:
    pairs = _model.numbered(sentences()[1][:SENTENCES])
    return [mixed_reading.measured(_model, pairs, share) for share in SHARES]


def show(runs: Sequence[Run]) -> None:
    found = {SHOWN[run.id]: run for run in runs if run.id in SHOWN}
    if found:
        title = "What its own words cost it: new sentences, with fewer and fewer right words"
        fold.show(title, lambda: draw(found), "exposure")


def draw(found: dict[str, Run]) -> None:
    every = {name: measured(run, cache.model(run, Seq2seq)) for name, run in found.items()}
    st.markdown(
        f"{SENTENCES} sentences that no model here learned from. At every step a coin decides"
        " whether the translator reads the right word or its own likeliest one. A mistake is read"
        " on, and the words behind it suffer: that is **exposure bias**. One of them went on from"
        " the first for 300 steps of training in which it read its own words too, 35 % at first"
        " and half of them at the end (scheduled sampling)."
    )
    first = next(iter(found.values()))
    plate.show(
        plate.lines(
            "exposure",
            "Loss per right word, by how many right words are read",
            [
                (name, [100 * m.share for m in some], [m.nats for m in some])
                for name, some in every.items()
            ],
            first.id,
            f"{SENTENCES} new sentences",
            x="right words that are read, %",
            y="nats per right word",
            tight=True,
        )
    )
    rows.show(
        [
            {
                "learned from": name,
                "nats, forced": f"{some[0].nats:.4f}",
                "nats, free": f"{some[-1].nats:.4f}",
                "words right, forced": f"{100 * some[0].right:.2f} %",
                "words right, free": f"{100 * some[-1].right:.2f} %",
                "sentences right": f"{100 * some[-1].whole:.1f} %",
            }
            for name, some in every.items()
        ],
        "exposure.table",
    )
    st.caption(
        "A word is right where it is the right one at its place. A sentence without a mistake is"
        " the same under every coin, so that few mistakes make small differences."
    )
