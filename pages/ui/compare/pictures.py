"""How sure the compared models are and how often right, and what their size and speed buy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.compare.calibration import BINS, Bin, calibration_error, reliability
from engine.core.trace import Table, TableSpec
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import plate
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
    series = [
        (label, b.confidence, b.hits)
        for label, mine in zip(labels, bins, strict=True)
        for b in mine
    ]
    series += [(PERFECT, 0.0, 0.0), (PERFECT, 1.0, 1.0)]
    plate.show(
        curve(
            "calibration",
            series,
            "How often the likeliest token came, against its probability",
            runs,
            lines,
            {
                "x": "confidence: probability of the likeliest token",
                "y": "share of cases in which it came",
                "of_series": "",
                "tight": True,
            },
        )
    )
    errors = [calibration_error(mine) for mine in bins]
    st.markdown(
        "\n".join(
            f"- **{escape(label)}**: expected calibration error {number(error, True)}"
            for label, error in zip(labels, errors, strict=True)
        )
    )
    with st.expander("The bins in numbers"):
        st.dataframe(
            [
                {
                    "model": label,
                    "confidence": f"{100 * b.low:.0f} to {100 * b.high:.0f} %",
                    "places": b.count,
                    "mean confidence": number(b.confidence, True),
                    "came": number(b.hits, True),
                }
                for label, mine in zip(labels, bins, strict=True)
                for b in mine
            ],
            hide_index=True,
            key="compare.bins",
        )
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
    by = st.segmented_control(
        "Against",
        ["parameters", "bytes on disk", "characters per second"],
        default="parameters",
        required=True,
        key="compare.against",
    )
    rows = [facts(label, one) for label, one in zip(labels, found, strict=True)]
    points = [
        (str(row["model"]), float(row[str(by)]), float(row["bits per character"])) for row in rows
    ]
    wide = max(x for _, x, _ in points) > FAR * min(x for _, x, _ in points)
    plate.show(
        curve(
            "quality",
            points,
            f"Bits per character against {by}",
            runs,
            lines,
            {
                "x": str(by),
                "y": "bits per character (lower is better)",
                "of_series": "",
                "log_x": wide,
            },
        )
    )
    whole = {
        name: st.column_config.NumberColumn(name, format="localized")
        for name in ("parameters", "bytes on disk", "tokens per second", "characters per second")
    }
    st.dataframe(rows, hide_index=True, key="compare.sizes", column_config=whole)
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
    id: str,
    points: Sequence[tuple[str, float, float]],
    says: str,
    runs: Sequence[Run],
    lines: Lines,
    options: dict[str, Any],
) -> Plate:
    names, xs, values = zip(*points, strict=True)
    columns = {
        "series": np.array(names, object),
        "x": np.array(xs, float),
        "value": np.array(values, float),
    }
    table = Table(TableSpec(id, tuple(columns), says), columns)
    return Plate(
        f"compare_{id}",
        "curve",
        (table,),
        "+".join(run.id for run in runs)[:80],
        f"{len(lines.lines)} lines of {lines.title}",
        text=lines.title,
        options=options,
        model="compare",
    )
