"""Fewer bits, fewer weights: how small a run can be made, how far its answers drift, and what a batch brings in use."""

from __future__ import annotations

import streamlit as st

from engine.analysis import lighter
from engine.analysis.lighter import Drift
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows, train
from pages.ui.address import begin
from pages.ui.batches import round_trip

RUN, EXAMPLE = "gru", "The girl looked at the old man and shook"
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
LARGEST = 250_000  # layers times units squared
BATCHES, SPAN = (1, 2, 4, 8, 16, 32, 64), 32


def runs() -> dict[str, Run]:
    """Recurrent language models that are small: some twenty copies of one are compared at every key."""
    found = {run.id: run for run in cache.runs(None) if run.model in ("lstm", "gru", "rnn")}
    quick = {id: run for id, run in found.items() if _squares(run) <= LARGEST}
    return dict(sorted(quick.items(), key=lambda item: item[0] != RUN))


def _squares(run: Run) -> int:
    config = run.note.get("config", {})
    return int(config.get("layers", 1)) * int(config.get("units", 0)) ** 2


@kept.resource(max_entries=20)
def _made(run: Run, numbers: str, share: float) -> lighter.Lighter:
    return lighter.lighter(cache.model(run, NeuralLanguageModel), numbers, share)


@kept.data(max_entries=256)
def _drift(run: Run, numbers: str, share: float, text: str) -> Drift:
    p_TV, next_T = lighter.answers(cache.model(run, NeuralLanguageModel), text)
    return lighter.drift(p_TV, lighter.answers(_made(run, numbers, share).model, text)[0], next_T)


def show() -> None:
    known = runs()
    if not known:
        st.info("The shipped runs are not there.")
        return
    st.markdown(
        "A trained model can be made lighter afterwards: **quantised**, its weights in fewer bits, or **pruned**, the"
        " smallest of them set to 0. In int8 it is about a quarter of its size in float32. What that costs is how far"
        " its answers move."
    )
    row = ask.line()
    begin(l_text=EXAMPLE)
    text = ask.text("A text", "l_text", 400, where=row, live="150ms")
    id = ask.pick("Run", {i: run.title for i, run in known.items()}, "l_run", where=row, width=280)
    row = ask.line()
    numbers = ask.pick("Weights as", lighter.NUMBERS, "l_numbers", "int4", row, width=160)
    share = ask.slider("Share that is pruned", "l_share", 0.0, 0.9, 0.0, 0.1, row, width=220)
    run = known[id]
    try:
        found = {kind: _drift(run, kind, share, text) for kind in lighter.NUMBERS}
    except ValueError as problem:
        st.warning(str(problem))
        return
    plain = _drift(run, "float32", 0.0, text)
    whole = _made(run, "float32", 0.0).size
    rows.show(
        [
            {
                "weights as": kind,
                "size, MB": _made(run, kind, share).size / 1e6,
                "of float32": f"{100 * _made(run, kind, share).size / whole:.1f} %",
                "size without the zeros, MB": _made(run, kind, share).sparse / 1e6,
                "bits per token": one.bits,
                "KL in bits": one.apart,
                "another likeliest token": f"{100 * one.changed:.0f} %",
            }
            for kind, one in found.items()
        ],
        forms={
            "size, MB": "%.2f",
            "size without the zeros, MB": "%.2f",
            "bits per token": "%.3f",
            "KL in bits": "%.4f",
        },
    )
    now, made = found[numbers], _made(run, numbers, share)
    st.markdown(
        f"As {numbers} with {100 * share:.0f} % pruned, {100 * made.zeros:.1f} % of the weights are 0. A token of"
        f" your text costs **{number(now.bits)} bits** in place of {number(plain.bits)}."
    )
    curves = [
        (kind, SHARES, [_drift(run, kind, s, text) for s in SHARES])
        for kind in dict.fromkeys(("float32", numbers))
    ]
    of = f"{run.title}, {len(text)} characters"
    pictures = (
        ("drift", "How far the answers move", "KL in bits", "apart"),
        ("light-bits", "What a token costs", "bits per token", "bits"),
    )
    plate.row(
        *(
            plate.lines(
                name,
                title,
                [(kind, at, [getattr(one, part) for one in each]) for kind, at, each in curves],
                id,
                of,
                tight=True,
                x="share pruned",
                y=y,
                of_series="",
                model=run.model,
            )
            for name, title, y, part in pictures
        )
    )
    st.caption(
        "Some shipped runs lie in few bits already, and learned with that in view: those bits cost them nothing more. A"
        " lighter model computes in float32 here, so it takes less room, not less time. Only small runs are offered, so"
        " that each change is quick."
    )
    _times(run)
    round_trip.show(run)
    train.link({"bits": 4}, text="stories")


def _times(run: Run) -> None:
    if st.button("Measure latency and throughput on this machine"):
        with st.spinner("Measuring …"):
            model = cache.model(run, NeuralLanguageModel)
            st.session_state["l_times"] = run.id, [*lighter.times(model, BATCHES, SPAN)]
    if (held := st.session_state.get("l_times")) and held[0] == run.id:
        rows.show(
            [
                {
                    "texts at once": f"{size:,}",
                    "latency, ms": 1000 * seconds,
                    "throughput, tokens per second": f"{size * SPAN / seconds:,.0f}",
                }
                for size, seconds in held[1]
            ],
            forms={"latency, ms": "%.2f"},
        )
        st.caption(
            f"{SPAN} tokens of each text. **Latency** is how long one waits, **throughput** how much is done: with more"
            " texts at once each of them waits longer, and all together are done sooner, until the processor is fully"
            " used."
        )
