"""Four updates to look at, one click each, and what to look for."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.nn.word2vec import toy
from pages.ui import address

MODELS = ("Skip-gram", "CBOW")
OUTPUTS = {"Softmax": "softmax", "Negative sampling": "negative", "Tree": "hierarchical"}
FIRST = {
    "w2v_model": MODELS[0],
    "w2v_output": "Softmax",
    "w2v_window": 2,
    "w2v_width": 2,
    "w2v_rate": 0.1,
    "w2v_noise": 2,
    "w2v_seed": 0,
    "w2v_first": 3,
    "w2v_worked": False,
    "w2v_done": 0,
}
AMONG: dict[str, tuple[float, float]] = {  # the least and the most of each number
    "w2v_window": (1, 5),
    "w2v_width": (2, 8),
    "w2v_rate": (0.01, 1.0),
    "w2v_noise": (1, 5),
    "w2v_seed": (0, 999),
    "w2v_first": (1, 40),
    "w2v_done": (0, toy.MOST),
}
FOUR = FIRST | {"w2v_window": 1, "w2v_worked": True}
TRIES: dict[str, tuple[dict[str, Any], str]] = {
    "Skip-gram by hand": (
        FOUR | {"w2v_text": "dog cat sat mat", "w2v_first": 2},
        (
            "The centre is “cat”, its window “dog” and “sat”. One softmax serves both targets;"
            " the losses are 1.4674 and 1.3574. One input row moves, but all four output rows"
            " do."
        ),
    ),
    "Negative sampling by hand": (
        FOUR
        | {
            "w2v_text": "cat dog sat mat",
            "w2v_output": "Negative sampling",
            "w2v_first": 1,
            "w2v_seed": 1,
        },
        (
            "“cat” has to predict “dog” against the noise words “sat” and “mat”: loss 2.2266,"
            " and 2.1753 after the step. The output row of “cat” does not change."
        ),
    ),
    "CBOW by hand": (
        FOUR | {"w2v_text": "cat sat mat | dog", "w2v_model": MODELS[1], "w2v_first": 2},
        (
            "The mean of “cat” and “mat” has to predict “sat”: loss 1.3571, and 1.3303 after"
            " the step. Both input rows move by the same arrow, half of the gradient each."
        ),
    ),
    "A tree of questions": (
        FIRST
        | {
            "w2v_text": "the cat sat on the mat and the dog sat on the log",
            "w2v_output": "Tree",
            "w2v_first": 2,
        },
        (
            "“the” is the most frequent word and only two questions away from the root. Only"
            " the questions on the path are asked, and only their rows move."
        ),
    ),
}


def show() -> None:
    for title, (state, _) in TRIES.items():
        st.button(title, on_click=lambda state=state: st.session_state.update(state))


def look() -> None:
    """What to look for, where an example is shown."""
    for state, look in TRIES.values():
        if all(st.session_state.get(key) == value for key, value in state.items()):
            st.info(look)


def arrive(example: str) -> None:
    """What a link chose, else what the page begins with."""
    address.follow(*FIRST)
    for key, first in {"w2v_text": example, **FIRST}.items():
        if key in st.session_state or (key == "w2v_text" and key in st.query_params):
            continue
        st.session_state[key] = _sound(key, st.query_params.get(key, ""), first)


def _sound(key: str, asked: str, first: Any) -> Any:
    """What the address asks for, where it makes sense."""
    if key in AMONG:
        low, high = AMONG[key]
        try:
            found = type(first)(asked)
        except ValueError:
            return first
        return found if low <= found <= high else first
    if isinstance(first, bool):
        return asked == "True"
    return (
        asked if asked in (*MODELS, *OUTPUTS) and (asked in MODELS) == (first in MODELS) else first
    )


def remember() -> None:
    """Put into the address what differs from the beginning.  A bound widget would leave out its
    least number instead."""
    address.write_all(
        {key: (str(st.session_state.get(key, first)), str(first)) for key, first in FIRST.items()}
    )
    address.leave(*FIRST)
