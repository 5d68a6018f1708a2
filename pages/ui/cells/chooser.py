"""LSTM or GRU: every training of the contest with both, at the distance that matters to somebody; their costs."""

from __future__ import annotations

import streamlit as st

from engine.analysis.contest import chooser
from engine.analysis.contest.parameters import parameters
from engine.core import cell_card
from engine.core.registry import tasks
from engine.live import cache
from pages.ui import ask, rows
from pages.ui.cells import together

FIRST, SECOND = "lstm", "gru"
FARTHEST, WIDTH = 40, (100, 256)


def show() -> None:
    st.markdown(
        "How far back does a fact lie, and is something like it in between? Each row is a training of both cells with"
        " about as many parameters."
    )
    line = ask.line()
    names = {id: cell_card.get(id).name for id in cell_card.listed()}
    one = ask.pick("This cell", names, "one", FIRST, line, width=190)
    other = ask.pick("Or this one", names, "other", SECOND, line, width=190)
    distance = ask.slider("Distance", "back", 2, FARTHEST, 20, 1, line, width=220)
    disturbed = ask.toggle("With distractors in between", "between", True, line)
    pair, found = (names[one], names[other]), chooser.duels(one, other, distance, disturbed)
    if one == other or not found:
        st.info("Choose two different cells that were both trained.")
        return
    better = [duel.better for duel in found]
    st.markdown(
        f"**{pair[0]} is better in {better.count(0)} of {len(found)} trainings, {pair[1]} in {better.count(1)}**; in"
        f" {better.count(-1)} they are alike, within what {chooser.TESTED} test"
        " streams can tell. Bold: the better one."
    )
    cells = []
    for duel in found:
        entry = duel.first.entry
        how = "half distractors" if entry.noise else "no distractors"
        if entry.shortest > 1:
            how = "long distances only"
        shares = [f"{100 * share:.3g}\u00a0%" for share in duel.shares]
        if duel.better >= 0:
            shares[duel.better] = f"**{shares[duel.better]}**"
        cells.append((tasks.get(entry.task).title.partition(":")[0], how, *shares))
    head = ("task", "trained with", *pair)
    st.markdown(rows.written([head, *sorted(cells)], ":-- | :-- | --: | --:"))
    took = [sum(d.first.seconds for d in found), sum(d.second.seconds for d in found)]
    count = [parameters(cell, *WIDTH) for cell in (one, other)]
    st.markdown(
        f"**Cost.** With {WIDTH[0]} input numbers and {WIDTH[1]} units {pair[0]} has {count[0]:,} parameters, {pair[1]}"
        f" {count[1]:,}. These trainings took {took[0]:.0f} s and {took[1]:.0f} s of a processor."
    )
    held = [_bits(cell) for cell in (one, other)]
    if all(held):
        st.markdown(
            f"**Text.** Trained alike on the same text, they need {held[0]:.3f} and {held[1]:.3f} bits per character of"
            " held-out lines."
        )
    st.caption(
        "Alike means: take the cheaper one. Each cell was trained once; with another seed a few rows may turn, so a"
        " lead of one or two rows is no reason."
    )


def _bits(cell: str) -> float:
    """Of the shipped run of a cell that was trained as the most of them were; 0 where there is none."""
    runs = {run.id: run for run in cache.runs_of(*cell_card.listed())}
    held = [
        runs[id].note.get("held_out", {}) for id in together.alike(runs) if runs[id].model == cell
    ]
    return float(held[0].get("bits_per_char", 0.0)) if held else 0.0
