"""How sure the compared models are and how often right, and what their size and speed buy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.compare.calibration import BINS, Bin, calibration_error, reliability
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.choice import one_of
from pages.ui.compare.lines import Lines
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from pages.ui.compare.table import Measured

FAR = 100  # times as much, from which on an axis is logarithmic
PERFECT = "perfectly calibrated"


def bins_of(one: Measured) -> list[Bin]:
    return reliability(
        np.concatenate([line.confidence_T for line in one.lines]),
        np.concatenate([line.hit_T for line in one.lines]),
    )


def calibration(
    labels: Sequence[str], runs: Sequence[Run], found: Sequence[Measured], lines: Lines
) -> None:
    st.subheader("Is each model as often right as it is confident? (calibration)", anchor=False)
    bins = [bins_of(one) for one in found]
    by_label = dict(zip(labels, bins, strict=True))
    series = [(m, [b.confidence for b in of], [b.hits for b in of]) for m, of in by_label.items()]
    drawn = curve(
        "calibration",
        [*series, (PERFECT, [0, 1], [0, 1])],
        "How often the likeliest token came, against its probability",
        runs,
        lines,
        x="confidence: probability of the likeliest token",
        y="share of cases in which it came",
        tight=True,
    )
    plate.show(drawn)
    errors = [calibration_error(mine) for mine in bins]
    st.markdown(
        "\n".join(
            f"- **{escape(label)}**: expected calibration error {number(error, True)}"
            for label, error in zip(labels, errors, strict=True)
        )
    )
    with st.expander("The bins in numbers"):
        table = [
            {
                "model": label,
                "confidence": f"{100 * b.low:.0f} to {100 * b.high:.0f} %",
                "places": b.count,
                "mean confidence": number(b.confidence, True),
                "came": number(b.hits, True),
            }
            for label, mine in by_label.items()
            for b in mine
        ]
        rows.show(table, "compare.bins")
    st.caption(
        f"{BINS} bins of equal width over the probability of each model's likeliest next token;"
        " a point is a bin that holds something. Above the straight line a model is"
        " underconfident, below it overconfident. The error is the mean distance from that"
        " line, weighted by the number of positions in each bin. Tokens differ: a letter is"
        " easier to predict than a word."
    )


def quality(
    labels: Sequence[str], runs: Sequence[Run], found: Sequence[Measured], lines: Lines
) -> None:
    st.subheader("What do size and speed bring?", anchor=False)
    ways = ["parameters", "bytes on disk", "characters per second"]
    by = one_of("Against", ways, "compare.against")
    table = [facts(label, one) for label, one in zip(labels, found, strict=True)]
    xs = [float(row[by]) for row in table]
    drawn = curve(
        "quality",
        [
            (row["model"], [x], [row["bits per character"]])
            for row, x in zip(table, xs, strict=True)
        ],
        f"Bits per character against {by}",
        runs,
        lines,
        x=by,
        y="bits per character (lower is better)",
        log_x=max(xs) > FAR * min(xs),
    )
    plate.show(drawn)
    whole = dict.fromkeys((*ways, "tokens per second"), rows.WHOLE)
    rows.show(table, "compare.sizes", whole)
    st.caption(
        "Speed was measured here, just now: the median of five passes over the first lines,"
        " each read as a whole, with the probabilities of all next tokens. It depends on this"
        " computer and its other users. For an n-gram model, parameters are the n-grams"
        " counted; only a few are used for each token."
    )


def facts(label: str, one: Measured) -> dict[str, Any]:
    took = max(one.seconds, 1e-9)
    return {
        "model": label,
        "bits per character": round(one.total("bits") / one.total("characters"), 4),
        "parameters": one.parameters,
        "bytes on disk": one.size_bytes,
        "tokens per second": round(one.tokens / took),
        "characters per second": round(one.characters / took),
    }


def curve(
    id: str, series: Any, says: str, runs: Sequence[Run], lines: Lines, **options: Any
) -> Plate:
    return plate.lines(
        f"compare_{id}",
        says,
        series,
        "+".join(run.id for run in runs)[:80],
        f"{len(lines.lines)} lines of {lines.title}",
        of_series="",
        every=True,
        table=id,
        text=lines.title,
        model="compare",
        **options,
    )
