"""The race on a real net: a small recurrent language model, and the loop of the training room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import starts
from engine.analysis.optimising import small_net
from engine.analysis.optimising.race import racers
from engine.analysis.optimising.small_net import Training
from engine.live.markdown import escape
from engine.text import collection
from engine.views.base import number
from pages.ui import ask, plate, rows, train

TEXT = "stories"
STEPS = 120
RATES: Mapping[str, float] = {
    "plain": 0.1,
    "sgd": 0.1,
    "rmsprop": 0.002,
    "adam": 0.01,
    "adamw": 0.01,
    "muon": 0.02,
}
FIRST = ("plain", "sgd", "adam", "muon")
SMOOTH = 10  # steps whose mean is drawn
SIZES = (4, 8, 16, 32, 64, 128)  # units


def settings_of(more: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the small network, with others beside."""
    return {**small_net.SIZES, **more}


@st.cache_resource(max_entries=64, show_spinner=False)
def _done() -> dict[str, Training]:
    return {}


def trained(settings: dict[str, Any], told: str = "Training a small LSTM") -> Training:
    """Once for the same settings; a bar shows how far it is."""
    known, key = _done(), repr(sorted(settings.items()))
    if key not in known:
        bar = st.progress(0.0, told)
        found = Training()
        for found in small_net.train(collection.find(TEXT).text(), settings):
            bar.progress(min(1.0, len(found.loss) / settings["steps"]), told)
        bar.empty()
        known[key] = found
    return known[key]


def overlay(
    held: tuple[str, dict[str, Any], Training] | None, kind: str, values: Mapping[str, Any]
) -> list[tuple[int, float]]:
    """(step, loss) of what was trained with just this schedule."""
    if held is None or (held[0], held[1]) != (kind, dict(values)):
        return []
    return [(step, round(loss, 4)) for step, loss in enumerate(smooth(held[2].loss), 1)]


def smooth(losses: list[float]) -> list[float]:
    """Mean of the last SMOOTH steps."""
    sums = np.cumsum([0.0, *losses])
    return [
        float((sums[n] - sums[max(0, n - SMOOTH)]) / min(n, SMOOTH)) for n in range(1, len(sums))
    ]


def show() -> None:
    known = racers()
    st.markdown(
        "A surface of two weights is a picture; a network has many weights, and each step sees another"
        f" batch. Here an LSTM of {small_net.SIZES['units']} units learns to predict the next letter of"
        " stories for children. All begin with the same weights and read the same batches. Let the weights begin in"
        " another way, or silence units of the state between steps: the held-out loss says what it did."
    )
    chosen = st.multiselect(
        "Optimisers",
        list(known),
        list(FIRST),
        format_func=lambda i: known[i].title,
        key="net_racers",
        width=640,
    )
    row = ask.line()
    power = ask.slider("All rates times 2ⁿ", "net_times", -4, 4, 0, 1, row, width=220)
    units = ask.among("Units", (16, 32, 64), "net_units", 32, row)
    begin = ask.pick(
        "How weights begin", starts.KINDS, "net_begin", starts.KINDS[0], row, width=150
    )
    silent = ask.slider("Recurrent dropout", "net_silent", 0.0, 0.6, 0.0, 0.1, row, width=180)
    every = {
        i: {
            "optimiser": known[i].optimiser,
            "momentum": known[i].momentum,
            "rate": min(0.1, RATES.get(i, 0.01) * 2.0**power),
            "units": units,
            "steps": STEPS,
            "start": begin,
            "recurrent_dropout": silent,
        }
        for i in chosen
    }
    if not chosen:
        st.info("Choose at least one optimiser.")
        return
    started = st.session_state.setdefault("net_started", False)
    if row.button("Start the race", key="net_start") or started:
        st.session_state["net_started"] = True
        found = {
            i: trained(settings_of(every[i]), f"Training with {known[i].title}") for i in chosen
        }
        _curves({known[i].title: found[i] for i in chosen})
        rows.show(
            [
                {
                    "optimiser": known[i].title,
                    "parameters": one.parameters or None,
                    "rate": every[i]["rate"],
                    "loss, last tenth": one.ends,
                    "held-out loss": one.held,
                    "clipped steps": sum(a > b for a, b in zip(one.norm, one.clipped, strict=True)),
                    "ended": one.lost or "after all steps",
                }
                for i, one in found.items()
            ],
            forms={
                "parameters": rows.WHOLE,
                "rate": "%.4g",
                "loss, last tenth": "%.3f",
                "held-out loss": "%.3f",
            },
        )
        for i, one in found.items():
            if one.lost:
                st.warning(f"{known[i].title}: {escape(one.lost)}.")
        best = min(
            chosen, key=lambda i: found[i].ends if found[i].loss and not found[i].lost else 99
        )
        st.markdown(
            f"**{known[best].title}** is lowest, at {number(found[best].ends)} nats. Another text,"
            " another size or more steps can change the order: that an adaptive optimiser is better is"
            " a rule of thumb, not a law."
        )
        train.link(settings_of(every[best]), small_net.MODEL, TEXT)
        _sizes(known[best].title, every[best])
    else:
        st.caption(
            f"{STEPS} steps each; some seconds for each optimiser. Rates end at 0.1, as in the training"
            " room."
        )


def _sizes(title: str, settings: Mapping[str, Any]) -> None:
    """Loss over the number of units, once somebody asks for it."""
    st.markdown(f"**The same net with more and fewer units** ({title})")
    if not st.button("Train every size", key="net_sizes") and "net_sized" not in st.session_state:
        return
    st.session_state["net_sized"] = True
    found = {
        units: trained(settings_of({**settings, "units": units}), f"Training {units} units")
        for units in SIZES
    }
    plate.show(
        plate.lines(
            "sizes",
            "Loss by the number of units",
            [
                ("training, last tenth", found, [one.ends for one in found.values()]),
                ("held out", found, [one.held for one in found.values()]),
            ],
            "small network",
            f"{title}, {STEPS} steps",
            x="units",
            y="nats a letter",
            of_series="",
            log_x=True,
            model="lstm",
        )
    )
    sound = {units: one for units, one in found.items() if np.isfinite(one.held)}
    if sound:
        best = min(sound, key=lambda units: sound[units].held)
        gap = sound[best].held - sound[best].ends
        st.caption(
            f"{min(one.parameters for one in sound.values()):,} to"
            f" {max(one.parameters for one in sound.values()):,} parameters, on the same batches. Lowest on"
            f" held-out text: {best} units, {number(sound[best].held)} nats; held out minus training is"
            f" {number(gap)} there. A net that is too small cannot follow the text; one that is too large"
            " follows the training text only, which takes more steps than these."
        )


def _curves(found: Mapping[str, Training]) -> None:
    of = f"LSTM, mean of the last {SMOOTH} steps"
    plate.row(
        plate.lines(
            "net",
            "Loss in training",
            [(name, range(1, len(one.loss) + 1), smooth(one.loss)) for name, one in found.items()],
            "small network",
            of,
            tight=True,
            x="step",
            y="nats a letter",
            of_series="",
            model="lstm",
        ),
        plate.lines(
            "norms",
            "Length of the gradient, before clipping at 1",
            [(name, range(1, len(one.norm) + 1), one.norm) for name, one in found.items()],
            "small network",
            "LSTM, each step",
            tight=True,
            x="step",
            y="length",
            of_series="",
            log_y=True,
            model="lstm",
        ),
    )
