"""Half precision bit by bit, and which gradients of a real run become 0 in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.batching import halves
from engine.analysis.batching.halves import FORMATS, Shares
from engine.analysis.optimising import noise_scale
from engine.live import cache
from engine.models.neural import NeuralLanguageModel, apart
from engine.runs.store import Run
from engine.text import collection
from pages.ui import ask, kept, plate, train
from pages.ui.address import begin
from pages.ui.batches import matrix
from pages.ui.board import Board

BOARD = Board("batches/bits.js", "batches/batches.css")
POWERS = range(0, 41, 2)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WORDS = ["sign", "exponent", "digits"]


@kept.data(max_entries=4)
def _gradient(run: Run) -> np.ndarray:
    """Of the mean loss of a batch, as float32."""
    model = apart(cache.model(run, NeuralLanguageModel))
    text = collection.find(matrix.TEXT).text()[: matrix.BEGINNING]
    ids = noise_scale.windows(model, text, 32, noise_scale.SPAN, 0)
    return np.asarray(noise_scale.gradient(model, ids)[0].numpy())


@kept.data(max_entries=8)
def _shares(run: Run, id: str) -> list[Shares]:
    return [halves.shares(_gradient(run), 2.0**k, FORMATS[id]) for k in POWERS]


@kept.data(max_entries=4)
def _best(run: Run) -> int:
    return halves.best(_gradient(run), FORMATS["float16"])


@kept.data(max_entries=64)
def _at(run: Run, id: str, power: int) -> Shares:
    return halves.shares(_gradient(run), 2.0**power, FORMATS[id])


def show() -> None:
    row = ask.line()
    begin(number="0.1")
    typed = ask.text("A number", "number", 40, where=row, width=200)
    for name, value in (("1/3", "0.3333333333"), ("2e-8", "2e-8"), ("70,000", "70000")):
        row.button(name, key=f"h_try.{name}", on_click=_set, args=(value,))
    try:
        x = float((typed or "0.1").replace(",", "."))
    except ValueError:
        st.info("A number only, such as 0.1 or 2e-8.")
        return
    BOARD.show(_data(x), _flipped)
    found = matrix.run()
    if found is None:
        st.info("The shipped runs are not there.")
        return
    st.markdown(
        "**Loss scale.** A small gradient becomes 0 in float16. The loss is multiplied by a number first, and so"
        " are all its gradients; before the step they are divided by it again."
    )
    power = ask.slider("Loss scale, 2 to the power of", "h_power", 0, 40, 0, 1)
    half = _at(found, "float16", power)
    brain = _at(found, "bfloat16", power)
    st.markdown(
        f"With a loss scale of {2**power:,}, **{half.zero:.2%}** of the gradients of a shipped LSTM become 0 in"
        f" float16, {half.short:.2%} lose digits, and {half.over:.2%} overflow. In bfloat16, which has the range of"
        f" float32, {brain.zero:.2%} become 0. The best scale for float16 is 2 to the power of {_best(found)}."
    )
    _plates(found, power)
    st.caption(
        "One gradient that overflows spoils the step: it is left out, and the scale is halved. Before gradients are"
        " clipped, the scale has to be taken out of them."
    )
    train.link({"mixed": True}, text="stories")


def _plates(found: Run, power: int) -> None:
    powers, counts = halves.exponents(_gradient(found))
    height = [0, float(100 * counts.max() / counts.sum())]
    half = FORMATS["float16"]
    ends = [
        (name, [np.log2(x)] * 2, height)
        for name, x in (
            ("smallest of float16", half.smallest),
            ("all digits from here", half.normal),
            ("largest of float16", half.largest),
        )
    ]
    plate.row(
        plate.lines(
            "exponents",
            "Gradients of a real run by their power of two, times the loss scale",
            [("gradients, percent", powers + power, 100 * counts / counts.sum()), *ends],
            found.id,
            f"{found.title}, {counts.sum():,} gradients that are not 0",
            tight=True,
            x="power of two",
            y="percent",
            of_series="",
            model=found.model,
        ),
        plate.lines(
            "underflow",
            "Gradients that become 0 or overflow, percent",
            [
                (name, POWERS, [100 * getattr(s, part) for s in _shares(found, id)])
                for name, id, part in (
                    ("0 in float16", "float16", "zero"),
                    ("short in float16", "float16", "short"),
                    ("too large for float16", "float16", "over"),
                    ("0 in bfloat16", "bfloat16", "zero"),
                )
            ],
            found.id,
            found.title,
            tight=True,
            x="loss scale, power of two",
            y="percent",
            of_series="",
            model=found.model,
        ),
    )


def _set(value: str) -> None:
    st.session_state["number"] = value


def _data(x: float) -> dict[str, Any]:
    told = []
    for of in FORMATS.values():
        bits = halves.pattern(x, of)
        made = halves.value(bits, of)
        told.append(
            {
                "id": of.id,
                "exponent": of.exponent,
                "bits": [bits >> n & 1 for n in reversed(range(of.bits))],
                "value": f"{made:.10g}",
                "told": _told(x, bits, made, of),
            }
        )
    return {
        "rows": told,
        "words": WORDS,
        "says": "Click a bit to turn it over; the number in all three formats follows.",
    }


def _told(x: float, bits: int, made: float, of: halves.Format) -> str:
    if np.isinf(made) and np.isfinite(x):
        return f"too large: the largest number is {of.largest:.6g}"
    if not np.isfinite(made):
        return "all bits of the exponent are 1: infinite, or no number"
    if made == 0 and x:
        return f"too small: the smallest number is {of.smallest:.3g}"
    e = bits >> of.digits & 2**of.exponent - 1
    m = bits & 2**of.digits - 1
    power = max(e, 1) - of.bias
    off = f"{made - x:.2g} off" if made != x else "exact"
    sign = "−" if made < 0 else ""
    return (
        f"{sign}2{str(power).translate(RAISED)} · ({int(e > 0)} + {m:,} / {2**of.digits:,}); {off}"
    )


def _flipped(asked: Mapping[str, Any]) -> None:
    of, at = FORMATS.get(str(asked.get("format"))), asked.get("place")
    if of is None or not isinstance(at, int | float) or not 0 <= int(at) < of.bits:
        return
    try:
        x = float((st.session_state.get("number") or "0.1").replace(",", "."))
    except ValueError:
        return
    st.session_state["number"] = repr(halves.flipped(x, of, int(at)))
