"""What is chosen on the neuron: in the session, and in the address where it is not the usual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.analysis.activations import ACTIVATIONS
from engine.analysis.one_neuron import FARTHEST, TASKS, Neuron
from pages.ui import address

REACH = 2.0  # of the inputs, on both sides, as in assets/live/neuron/neuron.js
# by its name on the board: the key, how far it goes, and what it begins with
NUMBERS: Mapping[str, tuple[str, float, float]] = {
    "w1": ("n_w1", FARTHEST, 1.5),
    "w2": ("n_w2", FARTHEST, -1.0),
    "b": ("n_b", FARTHEST, 0.5),
    "x1": ("n_x1", REACH, 1.0),
    "x2": ("n_x2", REACH, 0.5),
}
WORDS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "f": ("n_f", tuple(ACTIVATIONS), "sigmoid"),
    "task": ("n_task", ("none", *TASKS), "none"),
}
KEYS = tuple(key for key, *_ in (*NUMBERS.values(), *WORDS.values()))


@dataclass(frozen=True, slots=True)
class Chosen:
    neuron: Neuron
    x: tuple[float, float]
    task: str

    @property
    def state(self) -> dict[str, Any]:
        """As the board holds it."""
        (w1, w2), b = self.neuron.w, self.neuron.b
        x1, x2 = self.x
        f = self.neuron.activation
        return {"w1": w1, "w2": w2, "b": b, "x1": x1, "x2": x2, "f": f, "task": self.task}


def now() -> Chosen:
    address.follow(*KEYS)
    found: dict[str, Any] = {}
    said: dict[str, tuple[str, str | None]] = {}
    for name, (key, most, first) in NUMBERS.items():
        address.recall(key, first, (-most, most))
        found[name] = float(min(most, max(-most, st.session_state[key])))
        said[key] = f"{found[name]:g}", f"{first:g}"
    for name, (key, known, usual) in WORDS.items():
        asked = st.session_state.get(key) or st.query_params.get(key, usual)
        found[name] = st.session_state[key] = asked if asked in known else usual
        said[key] = found[name], usual
    address.write_all(said)
    address.leave(*KEYS)
    w = (found["w1"], found["w2"])
    return Chosen(Neuron(w, found["b"], found["f"]), (found["x1"], found["x2"]), found["task"])


def wished(asked: Mapping[str, Any]) -> None:
    """Something was dragged or pressed on the board; what is no number, or unknown, is left out."""
    address.choosing(*KEYS)
    for name, (key, most, _) in NUMBERS.items():
        value = asked.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
            st.session_state[key] = float(min(most, max(-most, value)))
    for name, (key, known, _) in WORDS.items():
        if asked.get(name) in known:
            st.session_state[key] = asked[name]
