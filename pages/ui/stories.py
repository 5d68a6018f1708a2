"""Stories that are told about the memory of a network, beside what the shipped models do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.analysis import told
from engine.course.stories import LEFTOVERS, READOUTS, REMINDERS, VALVES, Reminder
from engine.live import cache
from engine.live.markdown import capital
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui import language, rows

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
GATES = {
    "gate.input": "input gate",
    "gate.forget": "forget gate",
    "gate.output": "output gate",
    "candidate": "candidate content",
}


def _shipped(ids: Iterable[str]) -> dict[str, Run]:
    runs = {run.id: run for run in cache.runs(None)}
    return {id: runs[id] for id in ids if id in runs}


@st.cache_data(show_spinner="Reading the sentences")
def _reminded(ids: tuple[str, ...]) -> Mapping[str, Sequence[tuple[float, float]]]:
    """By reader, of each story: the bits of its word, and how many more after the other text."""
    models: dict[str, Model[Any]] = {id: cache.model(run) for id, run in _shipped(ids).items()}
    return {id: [told.reminded(model, s) for s in REMINDERS] for id, model in models.items()}


@st.cache_data(show_spinner=False)
def _measured(id: str) -> tuple[Sequence[tuple[float, float]], Sequence[tuple[float, int, int]]]:
    """Of each valve the gate at its word and elsewhere, of each leftover what `told.left` finds."""
    model = cache.model(_shipped([id])[id])
    return [told.opened(model, s) for s in VALVES], [told.left(model, s) for s in LEFTOVERS]


@st.cache_data(show_spinner=False)
def _readouts(id: str) -> Sequence[told.Told]:
    model = cache.model(_shipped([id])[id])
    return [told.read_out(model, story) for story in READOUTS]


def _changed(story: Reminder) -> str:
    pairs = zip(story.text.split(), story.other.split(), strict=True)
    a, b = next((a, b) for a, b in pairs if a != b)
    return f"{a.strip('.,')} → {b.strip('.,')}"


def _mark(true: bool) -> str:
    return "✓" if true else "–"


def _signed(value: float, places: int = 1, plus: str = "+") -> str:
    return f"{round(value, places) + 0.0:{plus}.{places}f}".replace("-", "−")


def _by_verdict(found: Sequence[tuple[str, float, float]]) -> str:
    """Those that remembered first; of each the bits more, and those it took before."""
    sides = []
    for right in (True, False):
        said = [
            f"{READERS[id]} " + language.say(f"{_signed(more)} of {cost:.1f}")
            for id, cost, more in found
            if (more >= LEFT) is right
        ]
        if said:
            sides.append(f"{_mark(right)} {', '.join(said)}")
    return "; ".join(sides)


def _true(marks: Iterable[bool]) -> str:
    """How many are."""
    found = [*marks]
    return f"{sum(found)} of {len(found)}"


def memory() -> None:
    """Below the LSTM's gates."""
    st.markdown(
        "These sentences are often used to explain what a memory is for. Here the early "
        "word is replaced, and we measure how many more bits the later word then costs. "
        f"**✓**: at least {LEFT:.0f} bit, so the early word was remembered. **–**: it made "
        "less difference, or the wrong one. The models were trained on novels, and they "
        "are small."
    )
    bits = _reminded(tuple(_shipped(READERS)))
    right = (
        f"{READERS[id]}\u00a0" + language.say(_true(more >= LEFT for _, more in found))
        for id, found in bits.items()
    )
    st.markdown(f"So often the early word was remembered: {', '.join(right)}.")
    rows.show(
        [
            {
                "Text": f"{story.text} … {story.word.strip()} ({story.change or _changed(story)})",
                "What is told": story.told,
                "What is measured": _by_verdict([(id, *found[n]) for id, found in bits.items()]),
            }
            for n, story in enumerate(REMINDERS)
        ]
    )
    if run := _shipped(["lstm"]).get("lstm"):
        valves, leftovers = _measured(run.id)
        _gates(valves)
        _left(leftovers)
        _read_out(_readouts(run.id))


def _gates(found: Sequence[tuple[float, float]]) -> None:
    apart = [
        (here - elsewhere) * (1 if story.high else -1) >= MOVED
        for story, (here, elsewhere) in zip(VALVES, found, strict=True)
    ]
    st.markdown(
        "What is said about single gates: the mean over all units of the LSTM at the "
        "letters of the word, beside the mean at all other letters of the text. **✓**: "
        f"{MOVED} apart or more, in the direction claimed. A single word moves the mean of "
        "a gate by very little; what a gate does shows in single units, above."
    )
    st.markdown(f"So many are as claimed: {_true(apart)}.")
    rows.show(
        [
            {
                "Text": story.text,
                "What is told": story.told,
                "What is measured": f"{_mark(true)} {GATES[story.gate]} at “{story.word}” {_signed(here, 3, '')},"
                f" elsewhere in the text {_signed(elsewhere, 3, '')}: {_signed(here - elsewhere, 3)}",
            }
            for story, true, (here, elsewhere) in zip(VALVES, apart, found, strict=True)
        ]
    )


def _left(found: Sequence[tuple[float, int, int]]) -> None:
    kept = [
        (share > HALF) == story.most for story, (share, _, _) in zip(LEFTOVERS, found, strict=True)
    ]
    st.markdown(
        "What is said about how much stays. Of what a word wrote, the product of the "
        "forget gates since then is left: the mean over all units of the LSTM at the end "
        "of the text, and how many units still hold half of it. **✓**: more than half is "
        "left, or less, as claimed."
    )
    most = [true for story, true in zip(LEFTOVERS, kept, strict=True) if story.most]
    st.markdown(
        f"So many are as claimed: {_true(kept)}; of those that say that most is left, {_true(most)}."
    )
    rows.show(
        [
            {
                "Text": story.text,
                "What is told": story.told,
                "What is measured": f"{_mark(true)} {100 * share:.1f} % of “{story.word}” is left; {holding} of {units}"
                " units hold half",
            }
            for story, true, (share, holding, units) in zip(LEFTOVERS, kept, found, strict=True)
        ]
    )


def _read_out(found: Sequence[told.Told]) -> None:
    st.markdown(
        "What is said about one memory read out in two ways: how alike the cell and the "
        "hidden state are at the end of two texts, as cosines over all units of the LSTM. "
        f"Of the units whose cells differ by {100 * told.NEAR:.0f} % at most, the one that "
        "is read out most differently is shown, with its cell, output gate and hidden "
        f"state. **✓**: the cells are more alike by {CLEARLY} or more."
    )

    more_alike = [one.cell_alike - one.hidden_alike for one in found]

    def pair(values: tuple[float, float]) -> str:
        return " / ".join(_signed(value, 2, "") for value in values)

    rows.show(
        [
            {
                "Text": f"“{story.text.strip()}” / “{story.other.strip()}”",
                "What is told": capital(story.told),
                "What is measured": f"{_mark(more >= CLEARLY)} cells {one.cell_alike:.3f}, hidden states"
                f" {one.hidden_alike:.3f} alike; unit {one.unit} of layer {one.layer + 1}: cell"
                f" {pair(one.cell)}, output gate {pair(one.gate)}, hidden state {pair(one.hidden)}",
            }
            for story, one, more in zip(READOUTS, found, more_alike, strict=True)
        ]
    )
