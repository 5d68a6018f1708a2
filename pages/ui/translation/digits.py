"""Numbers backwards: two short programs of sequence to sequence, trained on the page."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from engine.analysis import digit_programs
from engine.analysis.digit_programs import (
    DIGITS,
    END,
    EVERY,
    HELD_OUT,
    KINDS,
    Learned,
    Looking,
    States,
)
from engine.core.trace import Field, Kind
from engine.live.markdown import sentence
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.address import begin

NUMBER, MOST_TYPED, LEAST, MOST, SEEDS, MOST_LAYERS = "31415", 12, 2, 8, 5, 3
TASKS = {"back": "the digits backwards", "copy": "the digits in order"}
PARTS = {
    "encoder": "encoder",
    "decoder": "decoder",
    "output": "output layer",
    "feed": "scores back into the decoder",
    "begin": "first input, fed with zeros",
}


@st.cache_resource(show_spinner="Learning …", max_entries=48)
def learned(kind: str, digits: int, seed: int, back: bool, steps: int, layers: int) -> Learned:
    return digit_programs.learned(kind, digits, seed, back, steps, layers)


def show() -> None:
    st.markdown(
        "A number is read digit by digit and written backwards. **One state, as written**: LSTMs;"
        " the decoder gets the encoder's last state and reads its own scores (the program whose"
        " mistakes are at the foot of this page). **Repaired**: a vector for each digit, a start"
        " mark and an end mark, the right digit read in training, a forget bias of 1."
        " **Attention**: GRUs, and each step looks at all digits."
    )
    line = ask.line()
    task = ask.pick("What to write", TASKS, "digits_task", where=line, width=240)
    digits = ask.slider("Digits", "digits_count", LEAST, MOST, 5, 1, line, width=150)
    steps = ask.slider("Training steps", "digits_steps", 100, 600, 300, 100, line, width=150)
    seed = ask.slider("Seed", "digits_start", 1, SEEDS, 1, 1, line, width=150)
    layers = ask.slider("Layers", "digits_layers", 1, MOST_LAYERS, 1, 1, line, width=150)
    found = {kind: learned(kind, digits, seed, task == "back", steps, layers) for kind in KINDS}
    plate.show(
        plate.lines(
            "digits_right",
            f"Numbers of {digits} digits written without a mistake",
            [(KINDS[kind], one.step_N, one.whole_N) for kind, one in found.items()],
            "digit_programs",
            f"{HELD_OUT} numbers drawn anew, every {EVERY} steps of 64 numbers; as in use",
            x="steps",
            y="share right",
            low=0,
            high=1,
            tight=True,
            fluid=True,
        )
    )
    rows.show(
        [
            {
                "program": KINDS[kind],
                "parameters": f"{sum(p.numel() for p in one.net.parameters()):,}",
                "digits right": f"{100 * one.digits_N[-1]:.1f} %",
                "numbers right": f"{100 * one.whole_N[-1]:.1f} %",
                "first without a mistake": first(one),
                "trained in": f"{one.seconds:.1f} s",
            }
            for kind, one in found.items()
        ],
        "digits",
    )
    st.caption(
        "Guessing gives 10 % of the digits. The first program is told how many digits to write; the"
        " other two have to write an end mark at the right place, which counts as a digit."
        "\n\nMeasured in order with one layer, the mean of five seeds after 300 steps: of numbers of 3"
        " digits each program wrote at least 99.8 % without a mistake; of 5 digits 46 %, 94 % and 100 %; of 8"
        " digits 1 %, 11 % and 99 %. One state has to hold the whole number; attention looks it up again."
    )
    follow(found)
    mistakes(found["states"], steps)


def first(one: Learned) -> str:
    at = np.flatnonzero(one.whole_N == 1)
    return f"step {one.step_N[at[0]]}" if len(at) else "not yet"


def follow(found: dict[str, Learned]) -> None:
    begin(digits_text=NUMBER)
    typed = ask.text("A number to write", "digits_text", MOST_TYPED, live="150ms")
    try:
        read = digit_programs.read(typed)
    except ValueError as problem:
        st.info(sentence(problem))
        return
    table, look = [], None
    for kind, one in found.items():
        wrote, look_TS = digit_programs.written(one.net, read)
        table.append({"program": KINDS[kind], "what it writes": wrote})
        if look_TS is not None:
            steps = [*wrote, "end"] if len(wrote) < len(look_TS) else [*wrote]
            look = Field.of(
                "digits_look",
                Kind.ATTENTION,
                {"token": steps, "source": [str(digit) for digit in read]},
                look_TS,
                "Where each step looks",
            )
    rows.show(table, "digits.written")
    lanes(found, read)
    if look is not None:
        of = KINDS["attention"]
        plate.show(
            plate.Plate("digits_look", "heatmap", (look,), "digit_programs", of, typed, fluid=True)
        )


def lanes(found: dict[str, Learned], read: list[int]) -> None:
    """Encoder and decoder unrolled, a lane for each layer."""
    kind = ask.pick(
        "Unrolled", {k: KINDS[k] for k in ("states", "mended")}, "digits_lanes", width=240
    )
    net = found[kind].net
    assert isinstance(net, States)
    read_LSH, wrote_LTH, wrote = digit_programs.lanes(net, read)
    layers, _, units = read_LSH.shape
    parts = []
    for id, says, value_LTH, tokens in (
        ("digits_encoder", "Encoder: each digit read", read_LSH, read),
        ("digits_decoder", "Decoder: each digit written", wrote_LTH, wrote),
    ):
        names = [str(d) if d < DIGITS else "end" if d == END else "?" for d in tokens]
        axes = {"layer": range(layers, 0, -1), "token": names, "unit": range(units)}
        field = Field.of(id, Kind.STATE, axes, value_LTH[::-1], says, "h")
        options = {"columns": 1, "domain": (-1.0, 1.0), "wide": 500}
        parts.append(
            plate.Plate(id, "multiples", (field,), "digit_programs", KINDS[kind], options=options)
        )
    plate.row(*parts)
    st.latex(r"h_j^{(l)} = f^{(l)}\big(h_j^{(l-1)},\; h_{j-1}^{(l)}\big)")
    had, given = 2 * layers * units, 2 * units * (layers if kind == "mended" else 1)
    ends = (
        f"At the seam the encoder has {had} numbers (h and c of each layer), and all of them go on."
    )
    if layers > 1 and kind == "mended":
        ends = f"At the seam each lane goes on in its own: all {had} numbers (h and c of each layer) do."
    elif layers > 1:
        ends = (
            f"At the seam the encoder has {had} numbers (h and c of each layer), and {given} of them go on:"
            " each lane of the decoder starts in the highest, and the lower ones are dropped."
        )
    st.caption(
        "A lane is a layer, the highest above; time runs from left to right, through the encoder and on into"
        f" the decoder. A state is made of the one below it and of the one to its left. {ends}"
    )


def mistakes(one: Learned, steps: int) -> None:
    """Two of its faults in numbers: what has no gradient, and what isn't handed on."""
    example = States(units=32, layers=2)
    with torch.device("meta"):
        large = Looking(512, 256, 2, 5000)
    sizes, second = digit_programs.sizes(example), digit_programs.sizes(large)
    had, given = digit_programs.handed_on(example)
    st.markdown(
        f"**What the mistakes cost the first program.** The weights that are fed with zeros had a"
        f" gradient of {number(one.slope['begin.weight'])} at each of the {steps} steps; only their bias"
        f" learns. With two layers of 32 units the encoder ends with {had} numbers, and {given} of them"
        f" reach the decoder."
    )
    rows.show(
        [
            {
                "part": PARTS[name],
                f"parameters, of {sum(sizes.values()):,}": f"{count:,}",
                "largest gradient of its weights, trained above": number(
                    max(v for at, v in one.slope.items() if at.startswith(name) and "weight" in at)
                ),
            }
            for name, count in sizes.items()
        ],
        "digits.parts",
    )
    st.caption(
        f"The second program, with 5,000 words a side, vectors of 256 and two layers of 512 units, has"
        f" {sum(second.values()):,} parameters, {second['output']:,} of them in the output layer."
    )
