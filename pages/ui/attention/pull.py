"""Words in a plane pulled towards each other: queries, keys and values are the words themselves."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from engine.analysis.qkv.attend import attend
from engine.core.trace import Table
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views import theme
from pages.ui import plate
from pages.ui.plate import Plate
from pages.ui.written import WANTED, edit, equations, matrix

PLACES = {"apple": (1.0, 1.0), "orange": (2.0, 0.0), "phone": (0.0, 2.0)}
SENTENCES = ("apple orange", "apple phone", "apple orange phone", "apple orange orange")
MOST = 12


def show(run: Run) -> None:
    st.markdown(
        "Let the first number of a vector mean *fruit* and the second *device*. “Apple” could be"
        " either, so it stands between. Attention moves it: it becomes the average of the words"
        " around it, itself included, each weighted by how well it matches."
    )
    left, right = st.columns((5, 6), gap="medium")
    with left:
        text = st.text_input(
            "The words, in any order; a word may stand twice",
            SENTENCES[0],
            key="pull.words",
            max_chars=120,
        )
        st.caption("Try: " + ", ".join(f"`{s}`" for s in SENTENCES))
        words = text.split()[:MOST]
        if not words:
            st.info("Type a word or two.")
            return
        kinds = list(dict.fromkeys(words))
        st.caption("The vector of each word: double-click a number to change it.")
        first = np.array([PLACES.get(w.lower(), (0.5, 0.5)) for w in kinds])
        names = [theme.plain(w, 20) for w in kinds]
        placed = edit(first, names, ("fruit", "device"), f"pull.{' '.join(kinds)}", 340)
        rounds = st.slider(
            "Rounds of attention", 1, 8, 1, key="pull.rounds", help="Repeat with the moved words."
        )
    start = placed[[kinds.index(w) for w in words]]
    if not np.isfinite(start).all():
        left.info(WANTED)
        return
    x = start
    for _ in range(rounds):
        found = attend(x, x, x)
        x = found.out_NV
    once = attend(start, start, start)
    says = f"Where attention moves each word in {rounds} round{'s' * (rounds > 1)}"
    from_to = {"x": start[:, 0], "y": start[:, 1], "to_x": x[:, 0], "to_y": x[:, 1]}
    moved = Table.of("plane", says, {"word": words, **from_to})
    axes, of = {"x": "fruit", "y": "device"}, "Made-up vectors, Q = K = V"
    plate.show(Plate("plane", "plane", (moved,), "toy", of, text, axes), right)
    equations(
        (
            (r"\text{weights of " + _tex(words[0]) + "}", matrix(once.weight_NM[:1])),
            (r"\text{it becomes}", matrix(once.out_NV[:1])),
        )
    )
    st.markdown(_said(words, start, x, rounds))


def _said(words: list[str], start: np.ndarray, x: np.ndarray, rounds: int) -> str:
    fruit, device = x[0] - start[0]
    where = (
        "stays where it is"
        if np.abs(x[0] - start[0]).max() < 1e-9
        else "moves towards "
        + ("fruit" if fruit > device else "device" if device > fruit else "both equally")
    )
    lines = [
        f"“{escape(words[0])}” {where}. Unlike gravity, distance does not matter: a far word"
        " that matches well counts as much as a near one."
    ]
    if len(words) > 1:
        a, b = start[0], start[1]
        lengths = math.hypot(*a) * math.hypot(*b)
        cosine = f"{a @ b / lengths:.4g}" if lengths else "undefined, since one has no length"
        lines.append(
            f"How well the first two match: dot product {a @ b:.4g}, divided by $\\sqrt 2$"
            f" {a @ b / math.sqrt(2):.6g}, cosine of their angle {cosine}. Ten times the length"
            " gives ten times the dot product; the cosine stays the same."
        )
    if rounds > 1:
        spread = [float(np.linalg.norm(part - part.mean(0), axis=1).mean()) for part in (start, x)]
        lines.append(
            f"After {rounds} rounds the words lie {spread[1]:.3g} from their mean on average; at"
            f" first it was {spread[0]:.3g}. Averaging alone pulls everything together. Real"
            " layers have matrices, residual connections and feed-forward blocks in between."
        )
    return " ".join(lines)


def _tex(word: str) -> str:
    """A typed word inside a formula: letters and digits only."""
    return "".join(c for c in word if c.isalnum() and c.isascii())[:20] or "the first word"
