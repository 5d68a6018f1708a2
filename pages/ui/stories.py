"""Stories that are told about the memory of a network, beside what the shipped models do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.analysis import told
from engine.lessons.stories import LEFTOVERS, OPINIONS, READOUTS, REMINDERS, VALVES, Reminder
from engine.live import cache
from engine.models.abilities import Labels
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui import rows

LEFT = 1.0  # bits: half the probability
MOVED, SURE = 0.1, 0.05  # of a gate between 0 and 1, and of a probability: less is next to nothing
HALF = 0.5
CLEARLY = 0.05  # of two cosines
READERS = {
    "lstm": "LSTM",
    "rnn": "Elman RNN",
    "transformer": "Transformer",
    "ngram": "n-gram",
}


def _shipped(ids: Iterable[str]) -> dict[str, Run]:
    runs = {run.id: run for run in cache.runs(None)}
    return {id: runs[id] for id in ids if id in runs}


@st.cache_data(show_spinner="Reading the sentences")
def _reminded(ids: tuple[str, ...]) -> Sequence[Mapping[str, object]]:
    models: dict[str, Model[Any]] = {id: cache.model(run) for id, run in _shipped(ids).items()}
    found = []
    for story in REMINDERS:
        row: dict[str, object] = {"Text": f"{story.text} …", "Told": story.told}
        row |= {"Then": story.word.strip(), "Instead": story.change or _changed(story)}
        for id, model in models.items():
            cost, left = told.reminded(model, story)
            mark = "✓" if left >= LEFT else "–"
            row[READERS[id]] = f"{mark} {left:+.1f} bits (of {cost:.1f})"
        found.append(row)
    return found


def _changed(story: Reminder) -> str:
    pairs = zip(story.text.split(), story.other.split(), strict=True)
    a, b = next((a, b) for a, b in pairs if a != b)
    return f"{a.strip('.,')} → {b.strip('.,')}"


def memory() -> None:
    """Below the LSTM's gates."""
    st.markdown(
        "These sentences are often used to explain what a memory is for. Here the early "
        "word is replaced, and we measure how many more bits the later word then costs. "
        f"**✓**: at least {LEFT:.0f} bit, so the early word was remembered. **–**: it made "
        "less difference, or the wrong one. The models were trained on novels, and they "
        "are small."
    )
    ids = tuple(_shipped(READERS))
    rows.show(_reminded(ids))
    st.markdown(
        "What is said about single gates: the mean over all units of the LSTM at the "
        "letters of the word, beside the mean at all other letters of the text. **✓**: "
        f"{MOVED} apart or more, in the direction claimed. A single word moves the mean of "
        "a gate by very little; what a gate does shows in single units, above."
    )
    run = _shipped(["lstm"]).get("lstm")
    if run:
        rows.show(_valves(run.id))
    st.markdown(
        "What is said about how much stays. Of what a word wrote, the product of the "
        "forget gates since then is left: the mean over all units of the LSTM at the end "
        "of the text, and how many units still hold half of it. **✓**: more than half is "
        "left, or less, as claimed."
    )
    if run:
        rows.show(_leftovers(run.id))
    st.markdown(
        "What is said about one memory read out in two ways: how alike the cell and the "
        "hidden state are at the end of two texts, as cosines over all units of the LSTM. "
        f"Of the units whose cells differ by {100 * told.NEAR:.0f} % at most, the one that "
        "is read out most differently is shown, with its cell, output gate and hidden "
        f"state. **✓**: the cells are more alike by {CLEARLY} or more."
    )
    if run:
        rows.show(_readouts(run.id))


@st.cache_data(show_spinner=False)
def _valves(id: str) -> Sequence[Mapping[str, object]]:
    model, found = cache.model(_shipped([id])[id]), []
    for story in VALVES:
        here, elsewhere = told.opened(model, story)
        true = (here - elsewhere if story.high else elsewhere - here) >= MOVED
        found.append(
            {
                "Text": story.text,
                "Told": story.told,
                "Word": story.word,
                "Gate": story.gate.removeprefix("gate."),
                "There": f"{here:.3f}",
                "Elsewhere": f"{elsewhere:.3f}",
                "So?": f"{'✓' if true else '–'} {here - elsewhere:+.3f}",
            }
        )
    return found


@st.cache_data(show_spinner=False)
def _leftovers(id: str) -> Sequence[Mapping[str, object]]:
    model, found = cache.model(_shipped([id])[id]), []
    for story in LEFTOVERS:
        share, holding, units = told.left(model, story)
        found.append(
            {
                "Text": story.text,
                "Told": story.told,
                "Word": story.word,
                "Left at the end": f"{100 * share:.1f} %",
                "Units that hold half": f"{holding} of {units}",
                "So?": "✓" if (share > HALF) == story.most else "–",
            }
        )
    return found


@st.cache_data(show_spinner=False)
def _readouts(id: str) -> Sequence[Mapping[str, object]]:
    model, found = cache.model(_shipped([id])[id]), []

    def pair(values: tuple[float, float]) -> str:
        return " / ".join(f"{value:.2f}" for value in values)

    for story in READOUTS:
        one = told.read_out(model, story)
        more = one.cell_alike - one.hidden_alike
        found.append(
            {
                "Text": story.text,
                "Against": story.other,
                "Told": story.told,
                "Cells alike": f"{one.cell_alike:.3f}",
                "Hidden states alike": f"{one.hidden_alike:.3f}",
                "Unit": f"layer {one.layer + 1}, unit {one.unit}",
                "Its cell": pair(one.cell),
                "Its output gate": pair(one.gate),
                "Its hidden state": pair(one.hidden),
                "So?": f"{'✓' if more >= CLEARLY else '–'} {more:+.3f}",
            }
        )
    return found


def opinions(run: Run) -> None:
    """Below the film reviews."""
    st.markdown(
        "These pairs are often used to show what a bag of words cannot see. Is the first text of a"
        " pair more positive than the second for this model?"
        f" **✓**: by {100 * SURE:.0f} points or more."
    )
    rows.show(_opinions(run.id))


@st.cache_data(show_spinner=False)
def _opinions(id: str) -> Sequence[Mapping[str, object]]:
    model, found = cache.model(_shipped([id])[id], Labels), []
    for story in OPINIONS:
        a, b = told.preferred(model, story)
        found.append(
            {
                "Text": story.text,
                "Against": story.other,
                "Told": story.told,
                "P(positive)": f"{100 * a:.1f} %",
                "against": f"{100 * b:.1f} %",
                "So?": f"{'✓' if a - b >= SURE else '–'} {100 * (a - b):+.1f} %",
            }
        )
    return found
