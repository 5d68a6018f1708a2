"""How many numbers have to be learned to read T tokens: one loop for all of them, a copy for each,
a network over a window.

Shapes: H = units, D = numbers in a token's vector, O = outputs
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.runs.store import Run
from pages.ui import plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel

LONGEST = 300
Sizes = tuple[int, int, int]  # H, D, O


def recurrent(h: int, d: int, o: int) -> int:
    """W_xh and W_hh, their bias, W_hy and its bias."""
    return h * (h + d) + h + o * h + o


def window(h: int, d: int, o: int, t: int) -> int:
    """One layer over the vectors of T tokens side by side, and the same output."""
    return h * t * d + h + o * h + o


COUNTS: dict[str, Callable[[int, int, int, int], int]] = {
    "recurrent network": lambda h, d, o, t: recurrent(h, d, o),
    "window of T tokens": window,
    "a copy for each token": lambda h, d, o, t: t * recurrent(h, d, o),
}


def show_counts(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("One set of weights for any length", anchor=False)
    st.markdown(
        "The three matrices do not depend on the length of the text. A network over a"
        " **window** concatenates the last T tokens: it, too, can use what came before, but"
        " only within the window, and every further token needs more weights. Drag the length."
    )
    here: Sizes = (model.config.units, model.config.width, len(model.tokenizer.vocab))
    choices = {"this model": here, "small example": (2, 2, 3)}
    left, right = st.columns((2, 3))
    with left:
        of = st.radio("Sizes", choices, key="sizes", horizontal=True)
        t = st.slider("Length T, in tokens", 1, LONGEST, 30, key="length")
    h, d, o = choices[of]

    with right:
        st.markdown(
            f"H = {h} units, D = {d} numbers for a token, O = {o} outputs, T = {t}:\n\n- recurrent:"
            f" H (H + D) + H + O H + O = {h} · {h + d} + {h} + {o} · {h} + {o} ="
            f" **{recurrent(h, d, o):,}**, with no T in it\n- window: H T D + H + O H + O = {h} ·"
            f" {t} · {d} + {h} + {o} · {h} + {o} = **{window(h, d, o, t):,}**\n- a copy for each"
            f" token: T times the first = {t} · {recurrent(h, d, o):,} ="
            f" **{t * recurrent(h, d, o):,}**"
        )
    plate.show(drawn(run, of, (h, d, o)))
    st.caption(
        "The count covers one layer and the output above it, without the token vectors, which"
        " every kind of network needs. A layer in torch has two biases; here they count as"
        " one. A gated cell of the same size has more of the first part: a GRU 3 times and an"
        " LSTM 4 times H (H + D) + H."
    )


def drawn(run: Run, of: str, sizes: Sizes) -> Plate:
    lengths = sorted({round(float(t)) for t in np.geomspace(1, LONGEST, 36)})
    h, d, o = sizes
    return plate.lines(
        "parameters",
        "Parameters needed to read T tokens.",
        [(name, lengths, [count(h, d, o, t) for t in lengths]) for name, count in COUNTS.items()],
        run.id,
        f"Counted for H = {h}, D = {d}, O = {o} ({of}).",
        x="length T, in tokens",
        y="parameters",
        of_series="network",
        log_x=True,
        log_y=True,
        kept=f"parameters {sizes}",
        model="rnn",
    )
