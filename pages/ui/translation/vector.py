"""One vector between encoder and decoder: what is left of a text by its length, and each number of a
step, with the context at the start or at every step."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from engine.analysis import one_vector
from engine.analysis.one_vector import HELD_OUT, LETTERS, MARK, MOST, SIZES, Learned, Step
from engine.core.trace import Field, Kind, Table
from engine.live.markdown import sentence
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.address import begin
from pages.ui.plate import Plate

UNITS, SEEDS, TYPED, EXAMPLE, LARGEST = (8, 16, 32), 3, 12, "abcadb", 5
TASKS = {"back": "the letters backwards", "copy": "the letters in order"}
CONTEXTS = {"start": "at the start only", "every": "at every step"}
SOURCE = "one_vector"


@st.cache_resource(show_spinner="Learning …", max_entries=36)
def learned(units: int, every: bool, back: bool, seed: int) -> Learned:
    return one_vector.learned(units, every, back, seed)


def show() -> None:
    st.markdown(
        "An encoder reads letters drawn at random, a decoder writes them again. Between the two there is one"
        " vector, the encoder's last state, as wide for two letters as for ten. Plain tanh units, trained"
        f" here on texts of up to {MOST} letters, in a few seconds."
    )
    line = ask.line()
    back = ask.pick("What to write", TASKS, "vector_task", where=line, width=230) == "back"
    units = ask.pick("Numbers in the vector", UNITS, "vector_units", 16, line, width=180)
    context = ask.pick("The decoder gets it", CONTEXTS, "vector_context", where=line, width=190)
    seed = ask.slider("Seed", "vector_seed", 1, SEEDS, 1, 1, line, width=110)
    every = context == "every"
    of = f"{HELD_OUT} new texts of each length, as in use; trained on at most {MOST} letters"
    widths = [(f"{n} numbers", learned(n, every, back, seed)) for n in UNITS]
    ways = [(name, learned(units, way == "every", back, seed)) for way, name in CONTEXTS.items()]
    plate.row(
        curve("vector.width", f"Written back rightly, vector {CONTEXTS[context]}", widths, of),
        curve("vector.way", f"Written back rightly, {units} numbers", ways, of),
    )
    st.caption(
        "Guessing gives 25 %. What does not fit into the vector is lost, however good the decoder is; how"
        " much that is in the translators above, *How long a sentence it can take* measures. A vector that"
        " is given only once has to last through all steps while the state is written over."
    )
    begin(vector_text=EXAMPLE)
    typed = ask.text("Letters from a to d", "vector_text", TYPED, live="150ms")
    try:
        letters = one_vector.read(typed)
    except ValueError as problem:
        st.info(sentence(problem))
        return
    net = learned(units, every, back, seed).net
    collapse(net, letters, back)
    opened(net, letters, every)


def curve(id: str, says: str, some: list[tuple[str, Learned]], of: str) -> Plate:
    return plate.lines(
        id,
        says,
        [(name, SIZES, one.right_N) for name, one in some],
        SOURCE,
        of,
        x="letters",
        y="share right",
        whole=True,
        low=0,
        high=1,
        tight=True,
        fluid=True,
    )


def collapse(net: one_vector.Net, letters: list[int], back: bool) -> None:
    """The states of the encoder, and what can be written back from each beginning of the text."""
    with torch.inference_mode():
        state_SH = net.states(torch.tensor([[*letters, MARK]]))[0].numpy()
    words = [*(LETTERS[i] for i in letters), "end"]
    units = [str(n + 1) for n in range(state_SH.shape[1])]
    axes = {"label": [f"{n} {word}" for n, word in enumerate(words, 1)], "unit": units}
    field = Field.of("vector.states", Kind.STATE, axes, state_SH, "State after each letter")
    last = "The last row is all that the decoder gets"
    plate.show(Plate("vector.states", "heatmap", (field,), SOURCE, last, fluid=True))
    table = []
    for n in range(1, len(letters) + 1):
        right = [LETTERS[i] for i in letters[:n]][:: -1 if back else 1]
        wrote = one_vector.written(net, letters[:n])
        good = sum(a == b for a, b in zip(wrote, right, strict=True))
        table.append(
            {
                "has read": "".join(LETTERS[i] for i in letters[:n]),
                "should write": "".join(right),
                "what it writes": wrote,
                "letters right": f"{good} of {n}",
            }
        )
    rows.show(table, "vector.table")


def opened(net: one_vector.Net, letters: list[int], every: bool) -> None:
    """One number of the decoder's state, as a sum."""
    more = r" + W_{cs}\,c" if every else ""
    sum_of = rf"W_{{ys}}\,y_{{t-1}} + W_{{ss}}\,s_{{t-1}}{more} + b"
    st.latex(
        rf"s_t = \tanh({sum_of}), \qquad s_0 = c, \qquad p_t = \mathrm{{softmax}}(W_{{so}}\,s_t + b_o)"
    )
    with torch.inference_mode():
        c_H = net.states(torch.tensor([[*letters, MARK]]))[0, -1]
    made = one_vector.steps(net.decoder, c_H, len(letters) + 1)
    line = ask.line()
    t = ask.slider("Step", "vector_step", 1, len(made), 1, 1, line, width=260)
    unit = ask.slider("Number of the state", "vector_unit", 1, len(c_H), 1, 1, line, width=260) - 1
    step = made[t - 1]
    plates = added(net, step, t, unit, every), guess(step, t)
    plate.row(*plates)
    total = sum(float(part[unit]) for part in step.addends)
    st.markdown(
        f"Step {t}, number {unit + 1}: tanh({number(total)}) = **{number(float(step.state_H[unit]))}**. The step"
        f" has read {sign(step.read)} and writes {sign(int(step.p_V.argmax()))}, with"
        f" {number(float(step.p_V.max()), True)}; the next step reads that."
    )


def sign(letter: int) -> str:
    return f"“{LETTERS[letter]}”" if letter < MARK else "the mark"


def added(net: one_vector.Net, step: Step, t: int, unit: int, every: bool) -> Plate:
    product_H = net.decoder.state.weight[unit].detach().numpy() * step.before_H.numpy().astype(
        float
    )
    order = np.argsort(-np.abs(product_H), kind="stable")
    parts = [(f"it has read {sign(step.read)}", float(step.addends.letter[unit]))]
    parts += [(f"state before, number {k + 1}", product_H[k]) for k in order[:LARGEST]]
    parts.append((f"the other {len(order) - LARGEST} numbers", product_H[order[LARGEST:]].sum()))
    if every:
        parts.append(("the context", float(step.addends.context[unit])))
    parts.append(("bias", float(step.addends.bias[unit])))
    ends = np.cumsum([value for _, value in parts])
    columns = {"step": [name for name, _ in parts], "before": [0.0, *ends[:-1]], "after": ends}
    made = Table.of("vector.added", f"What number {unit + 1} is the tanh of", columns)
    options = {"axis": "sum so far", "named": True}
    return Plate(
        "vector.added", "waterfall", (made,), SOURCE, f"Step {t}", options=options, fluid=True
    )


def guess(step: Step, t: int) -> Plate:
    axes = {"next": [*LETTERS, "end"]}
    field = Field.of(
        "vector.next", Kind.PROBABILITY, axes, step.p_V.numpy(), f"Written at step {t}"
    )
    options = {"top": len(LETTERS) + 1}
    return Plate(
        "vector.next", "bars", (field,), SOURCE, "From the state", options=options, fluid=True
    )
