"""What a decoder reads while it learns: the right letters, what it made a step before too, or letters of
its own; trained on the page, tried as in use."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import coverage, decoder_inputs
from engine.analysis.decoder_inputs import KINDS, LETTERS, LONG, MOST, SIZES, Learned
from engine.core.trace import Field, Kind
from engine.live.markdown import sentence
from engine.models.seq2seq import AFTER
from engine.views.base import number
from pages.ui import ask, fold, plate, rows

EXAMPLE, MOST_TYPED, STARTS = "aabbbbcadaaaccbd", 24, 5

BACKWARDS = "back"
TASKS = {"copy": "the letters in order", BACKWARDS: "the letters backwards"}


@st.cache_resource(show_spinner="Learning …", max_entries=4 * STARTS * len(KINDS))
def learned(kind: str, looks: str, seed: int, back: bool) -> Learned:
    return decoder_inputs.learned(kind, looks, seed, back)


def show(looks: str) -> None:
    title = "Input feeding and scheduled sampling, trained here"
    fold.show(title, lambda: draw(looks), "inputs")


def draw(looks: str) -> None:
    st.markdown(
        "Three small translators copy letters, and differ only in what the decoder reads while it"
        " learns. **Teacher forcing**: the right letter. **Input feeding**: besides, what it made of"
        " state and context a step before, so that it knows where it looked."
        " **Scheduled sampling**: more and more often its own last letter, at the end at half of the"
        " steps."
    )
    st.latex(
        r"h_t = f\big([y_{t-1};\, \tilde h_{t-1}],\, h_{t-1}\big)"
        r" \qquad \tilde h_t = \tanh(W_c\, [c_t;\, h_t])"
    )
    line = ask.line()
    task = ask.pick("What to write", TASKS, "inputs_task", where=line, width=240)
    back = task == BACKWARDS
    starts = ask.slider("Starts to average", "inputs_starts", 1, STARTS, 1, 1, line, width=180)
    found = {kind: [learned(kind, looks, n + 1, back) for n in range(starts)] for kind in KINDS}
    of = (
        f"Looks after the cell; starts averaged: {starts}"
        if looks == AFTER
        else f"Looks before the cell; starts averaged: {starts}"
    )
    plate.show(
        plate.lines(
            "inputs_right",
            "Texts written without a mistake, by their length",
            [
                (KINDS[kind], SIZES, np.mean([one.whole_N for one in some], 0))
                for kind, some in found.items()
            ],
            "decoder_inputs",
            f"{of}. {decoder_inputs.HELD_OUT} new texts of each length; each step reads its own last"
            f" letter. In training no text had more than {MOST} letters.",
            x="letters",
            y="share right",
            low=0,
            high=1,
            tight=True,
            fluid=True,
        )
    )
    at = SIZES.index(LONG)
    rows.show(
        [
            {
                "reads in training": KINDS[kind],
                f"{MOST} letters": share(some, SIZES.index(MOST)),
                f"{LONG} letters": share(some, at),
                f"letters right of {LONG}": f"{100 * np.mean([one.letters_N[at] for one in some]):.1f} %",
                "mean distance of coverage from 1": number(
                    float(np.mean([one.off for one in some]))
                ),
            }
            for kind, some in found.items()
        ],
        "inputs",
    )
    st.caption(
        "The share of texts without a mistake, and its least and most over the starts. Coverage: the weights of"
        " a letter, added up over all steps; each letter needs 1.\n\nMeasured in order, over five starts: with"
        " attention after the cell, input feeding copied more of the long texts; with attention before it, the"
        " cell has the context already, and feeding it more did not help. Scheduled sampling made no larger"
        " difference than another start does."
    )
    follow({kind: some[0] for kind, some in found.items()}, back)


def share(some: list[Learned], at: int) -> str:
    each = [100 * float(one.whole_N[at]) for one in some]
    said = f"{np.mean(each):.1f} %"
    return said if len(each) == 1 else f"{said} ({min(each):.0f} to {max(each):.0f})"


def follow(found: dict[str, Learned], back: bool) -> None:
    """Where the first start of each looks while it copies the typed letters."""
    ask.begin(inputs_text=EXAMPLE)
    typed = ask.text("Letters from a to d to write", "inputs_text", MOST_TYPED, live="150ms")
    try:
        letters = decoder_inputs.read(typed)
    except ValueError as problem:
        st.info(sentence(problem))
        return
    signs = [LETTERS[i] for i in letters]
    plates, table = [], []
    for kind, one in found.items():
        wrote, look_TS = decoder_inputs.copied(one.net, letters)
        sum_S = coverage.sums(look_TS)[: len(letters)]
        steps = [*wrote, *["end"] * (len(look_TS) - len(wrote))]
        field = Field.of(
            f"inputs_{kind}",
            Kind.ATTENTION,
            {
                "token": steps,
                "source": [*signs, "end"],
            },
            look_TS,
            "Where each step looks",
        )
        plates.append(
            plate.Plate(
                f"inputs_{kind}",
                "heatmap",
                (field,),
                "decoder_inputs",
                KINDS[kind],
                typed,
                fluid=True,
            )
        )
        table.append(
            {
                "reads in training": KINDS[kind],
                "what it writes": wrote,
                "letters right": f"{sum(a == b for a, b in zip(wrote, signs[::-1] if back else signs, strict=False))}"
                f" / {len(signs)}",
                "below 0.5": " ".join(s for s, c in zip(signs, sum_S, strict=True) if c < 0.5),
                "above 1.5": " ".join(s for s, c in zip(signs, sum_S, strict=True) if c > 1.5),
            }
        )
    rows.show(table, "inputs.copy")
    st.caption(
        f"What the first start of each writes of {''.join(signs)}; the last columns name the letters whose"
        " coverage is low (left out?) or high (read twice?)."
    )
    plate.row(*plates[:2])
