"""The dual memory of the notes: what it is, what it is not, and what was measured of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine.analysis.contest import results
from engine.analysis.contest.entry import SHIPPED
from engine.analysis.contest.parameters import concatenated, parameters
from engine.core.registry import tasks
from pages.ui import rows

SIZES = ((2, 2), (10, 16), (32, 64))


def show() -> None:
    st.subheader("The dual memory", anchor="dual")
    st.markdown(
        "- No publication describes this cell, which teaching material calls STLM. The"
        " published ST-LSTM (Wang et al., PredRNN, 2017) is a different cell, whose second"
        " memory runs through the layers.\n"
        "- Nothing in its equations is about space: no convolution, no neighbours.\n"
        "- Both memories receive the **same** candidate. With equal gates they stay equal for"
        " ever; only different gates separate them. Here the short one begins with a forget"
        " bias of −1, the long one with +3.\n"
        "- The description lists two output gates and uses one. So does this cell.\n"
        "- After 50 steps, a short-term forget gate of 0.258 leaves 3.8 · 10⁻³⁰, a long-term"
        " one of 0.9543 leaves 9.6 %. How long a memory lasts depends on its gate, as in any"
        " LSTM."
    )
    sizes = [
        {
            "d": d,
            "h": h,
            "LSTM": f"{parameters('lstm', d, h):,}",
            "sum or mix: 6 blocks": f"{parameters('dual_memory', d, h):,}",
            "concatenated: 7 blocks that read 2 h": f"{concatenated(d, h):,}",
            "two output gates: 7 blocks": f"{7 * h * (d + h + 1):,}",
        }
        for d, h in SIZES
    ]
    rows.show(sizes, "dual")
    st.markdown(verdict())


def verdict() -> str:
    """Dual memory against LSTM on every shipped task, equal parameters."""
    kept, lines = results.shipped(), []
    for entry in SHIPPED:
        ours = kept.get(replace(entry, cell="dual_memory", forget_bias=1.0))
        theirs = kept.get(entry)
        if entry.cell == "lstm" and ours and theirs:
            mean = [sum(result.clean.values()) / len(result.clean) for result in (ours, theirs)]
            how = ", half distractors in training" if entry.noise else ""
            how += ", long distances only" if entry.shortest > 1 else ""
            bias = f" with a forget bias of {entry.forget_bias:g}" if entry.forget_bias != 1 else ""
            lines.append(
                f"- {tasks.get(entry.task).title.split(':')[0]}{how}: dual memory"
                f" {100 * mean[0]:.1f} %, LSTM{bias} {100 * mean[1]:.1f} %."
            )
    if not lines:
        return ""
    return (
        "This cell is said to be better, without a measurement. Measured here: equal numbers"
        " of parameters, one training each, accuracy over all distances. The LSTM's forget"
        " bias begins at 1 unless stated otherwise.\n"
        "\n" + "\n".join(lines)
    )
