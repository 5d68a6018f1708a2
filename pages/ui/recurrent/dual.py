"""The dual memory of the notes: what it is, what it is not, and what was measured of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine.contest import shelf
from engine.contest.entry import SHIPPED
from engine.contest.parameters import concatenated, parameters
from engine.registry import tasks

SIZES = ((2, 2), (10, 16), (32, 64))


def show() -> None:
    st.subheader("The dual memory, as described in the notes", anchor=False)
    st.markdown(
        "- No publication describes this cell. The notes call it STLM; the published ST-LSTM (Wang et al., PredRNN, 2017) is another cell, whose second memory runs through the layers.\n"
        "- Nothing in its equations is about space: no convolution, no neighbours.\n"
        "- Both memories are given the **same** candidate. With equal gates they stay equal for ever; only gates that differ set them apart. "
        "Here the short one begins with a forget bias of −1, the long one with +3.\n"
        "- The notes list two output gates and use one. Here one.\n"
        "- With a short-term forget gate of 0.258 after 50 steps 3.8 · 10⁻³⁰ is left, with a long-term one of 0.9543 9.6 %: how long a memory lasts is a matter of its gate, in any LSTM too."
    )
    st.dataframe(
        [
            {
                "d": d, "h": h, "LSTM": f"{parameters('lstm', d, h):,}", "sum or mix: 6 blocks": f"{parameters('dual_memory', d, h):,}",
                "concatenated: 7 blocks that read 2 h": f"{concatenated(d, h):,}", "two output gates: 7 blocks": f"{7 * h * (d + h + 1):,}",
            }
            for d, h in SIZES
        ],
        hide_index=True, key="dual",
    )  # fmt: skip
    st.markdown(verdict())


def verdict() -> str:
    """Dual memory against LSTM on every shipped task, equal parameters."""
    kept, lines = shelf.shipped(), []
    for entry in SHIPPED:
        ours, theirs = kept.get(replace(entry, cell="dual_memory", forget_bias=1.0)), kept.get(entry)
        if entry.cell == "lstm" and ours and theirs:
            mean = [sum(result.clean.values()) / len(result.clean) for result in (ours, theirs)]
            how = (", half distractors in training" if entry.noise else "") + (", long distances only" if entry.shortest > 1 else "")
            bias = f" with a forget bias of {entry.forget_bias:g}" if entry.forget_bias != 1 else ""
            lines.append(f"- {tasks.get(entry.task).title.split(':')[0]}{how}: dual memory {100 * mean[0]:.1f} %, LSTM{bias} {100 * mean[1]:.1f} %.")
    if not lines:
        return ""
    return (
        "The notes claim that it is better, and measure nothing. Measured here, with as many parameters, one training each, share of right answers over all distances; "
        "the forget bias of the LSTM begins at 1 where nothing else is said:\n\n" + "\n".join(lines)
    )
