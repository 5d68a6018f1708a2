"""A net that reads its own last answer, beside a window and a state: what each can remember, trained on the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import output_feedback
from engine.analysis.output_feedback import KINDS, LEARNED, LONGEST, WINDOW, Job, Kind, Net
from pages.ui import ask, choice, plate, rows

JOBS: dict[Job, str] = {"parity": "Count of ones odd?", "third": "Every third one?"}
MOMENTS = (WINDOW, LEARNED, LONGEST)
NAMES: dict[Kind, str] = {
    "window": "window of 5 bits",
    "feedback": "output fed back",
    "state": "hidden state",
}
WHY: dict[Job, dict[Kind, str]] = {
    "parity": {
        "window": "**Window**: beyond it each bit could have turned the answer round, so what it still sees says"
        " nothing.",
        "feedback": "**Output fed back**: the last answer *is* the count of ones so far, odd or even: what has to"
        " be remembered is just"
        " what was said. The net has learned XOR of two inputs, and no length is too long.",
        "state": "**State**: it had to find by itself, through time, that two groups of states are enough. Where"
        " these drift with"
        " every step, long strings go wrong; look at other starts.",
    },
    "third": {
        "window": "**Window**: the ones that it should count have left it.",
        "feedback": "**Output fed back**: after the first one and after the second one it has said “no” both"
        " times. Its input is the"
        " same, but the right answers differ, so no weights can be right; it does best to say “no” always.",
        "state": "**State**: its states may differ where its answers are the same. That is the whole gain: it can"
        " remember what it"
        " has not said.",
    },
}


@st.cache_data(show_spinner="Learning …", max_entries=16)
def trained(job: Job, seed: int) -> dict[Kind, tuple[Net, np.ndarray]]:
    nets = {kind: output_feedback.learned(kind, job, seed) for kind in KINDS}
    return {kind: (net, output_feedback.judged(net, job)) for kind, net in nets.items()}


def show() -> None:
    st.markdown(
        "A feed-forward net can be given a loop without a hidden state: beside the input it reads its own last answer,"
        f" $y_t = f([x_t, y_{{t-1}}])$. Here it stands beside a window, $y_t = f([x_{{t-{WINDOW - 1}}}, …, x_t])$, and"
        " a state, $h_t = f([x_t, h_{t-1}])$, $y_t = g(h_t)$. All three have 16 tanh units and are trained here, now,"
        f" on strings of at most {LEARNED} bits; then they read {LONGEST}."
    )
    line = ask.line()
    job = choice.one_of("Task", JOBS, "loop_task", where=line, link=True)
    seed = ask.slider("Starting weights", "loop_seed", 1, 5, 2, 1, where=line, width=160)
    found = trained(job, seed)
    many = range(1, LONGEST + 1)
    series = [(NAMES[kind], many, 100 * share_T) for kind, (_, share_T) in found.items()]
    common = ("always the commoner answer", many, 100 * output_feedback.commoner(job))
    plate.show(
        plate.lines(
            "loop",
            "Percent of right answers, by how many bits were read",
            [*series, common],
            f"{job}-{seed}",
            f"{output_feedback.HELD} strings by chance; {output_feedback.STEPS} steps of {output_feedback.BATCH}, Adam,"
            f" rate {output_feedback.RATE}, start {seed}",
            x="bits read",
            y="percent right",
            of_series="net",
            low=40.0,
            high=100.0,
            model="output feedback",
        )
    )
    written: list[tuple[str, ...]] = [("net", *(f"bit {n}" for n in MOMENTS))]
    written += [
        (NAMES[kind], *(f"{100 * share_T[n - 1]:.1f}\u00a0%" for n in MOMENTS))
        for kind, (_, share_T) in found.items()
    ]
    st.markdown(rows.written(written, "--- | --: | --: | --:"))
    for kind in KINDS:
        st.markdown(WHY[job][kind])
    p_YX = found["feedback"][0].table()
    st.markdown(
        "The net whose output is fed back has two inputs, so this is **all** that it computes, the probability"
        " of “yes”:"
    )
    table: list[tuple[str, ...]] = [("last answer", "bit 0", "bit 1")]
    table += [(("said no", "said yes")[y], *(f"{p:.3f}" for p in p_YX[y])) for y in (0, 1)]
    st.markdown(rows.written(table, "--- | --: | --:"))
    _typed(job, {kind: net for kind, (net, _) in found.items()})


def _typed(job: Job, nets: dict[Kind, Net]) -> None:
    line = ask.line()
    typed = ask.text("Zeros and ones", "loop_bits", LONGEST, where=line, value="1010011011000001")
    loop = ask.toggle("Loop", "loop_closed", True, line)
    bits = np.array([[int(c) for c in typed if c in "01"]], int)
    if not bits.size:
        st.info("Type zeros and ones.")
        return
    if not loop:
        st.markdown("The loop is cut: at every bit, the last answer is “no” and the last state 0.")
    right_T = output_feedback.right(job, bits)[0]
    made = {"bit": bits[0].tolist(), "right answer": right_T.tolist()}
    p_KT = {kind: net.read(bits, loop)[0] for kind, net in nets.items()}
    made |= {NAMES[kind]: p_T.tolist() for kind, p_T in p_KT.items()}
    rows.show(made, "loop.rows", dict.fromkeys(NAMES.values(), "%.3f"), tallest=420)
    window, fed, state = (int(((p_T > 0.5) != right_T).sum()) for p_T in p_KT.values())
    st.markdown(
        f"Wrong answers in {bits.size} bits: {window} by the window, {fed} by the output fed back, {state} by the"
        " state."
    )
