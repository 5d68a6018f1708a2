"""Places whose codes nearly coincide: at which width and base, in which number format; and how alike
the rows of a learned table are."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.positions import encodings
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.models.abilities import Attends
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows
from pages.ui.positions.figures import curves, grid

BASES = (2, 10, 100, 1_000, 10_000, 100_000)
FORMATS = ("float32", "float16", "bfloat16")
FEW = 8  # rows of the table
LEARNED = ("transformer_learned", "bert")


def show() -> None:
    st.subheader("Do two places ever get the same code?", anchor=False)
    st.markdown(
        "A code of few numbers has few waves, and after some places all of them stand nearly as"
        " before. Two places *collide* here if their codes are nearer to each other than those of"
        " neighbours: whoever reads them takes a far place for one next door."
    )
    row = st.columns(4)
    width = ask.slider("Numbers in a code, D", "collide_width", 2, 64, 4, 2, row[0])
    width += width % 2  # a link may ask for an odd one
    base = row[1].select_slider(
        "Base",
        BASES,
        10_000,
        key="collide_base",
        bind="query-params",
        format_func=lambda b: f"{b:,}",
    )
    count = ask.slider("Places", "collide_places", 64, 2_048, 1_024, 64, row[2])
    kind = ask.pick("Number format", FORMATS, "collide_format", "float32", row[3])
    of = f"Sinusoidal, D = {width}, base {base:,}"
    found = encodings.collisions(count, width, base)
    st.markdown(said(found, count, width, base))
    far = np.arange(1, count)
    one = float(encodings.apart(np.array(1), width, base))
    codes_TD = encodings.waves(64, width, base).astype(float)
    cosine = Field.of(
        "collide",
        Kind.COSINE,
        {"query": range(64), "key": range(64)},
        np.clip(codes_TD @ codes_TD.T / (width / 2), -1, 1),
        "Cosine of the codes of every two of the first 64 places",
    )
    plate.row(
        curves(
            "apart",
            "How far apart the codes of two places are, by how far apart the places are",
            [
                ("two places", far, encodings.apart(far, width, base)),
                ("neighbours", [1, count - 1], [one, one]),
            ],
            f"waves-{width}-{base}",
            of,
            x="places apart",
            y="distance of the codes",
            of_series="",
            low=0.0,
            high=2 * float(np.sqrt(width / 2)),
        ),
        grid(cosine, f"waves-{width}-{base}", of),
    )
    if len(found):
        rows.show(table(found, width, base), "collide.pairs")
    st.markdown(formats(count, width, base, kind))
    learned(width, base)


def said(found: np.ndarray, count: int, width: int, base: float) -> str:
    if not len(found):
        return (
            f"With {width} numbers and base {base:,} **no two of the {count:,} places collide**: the"
            " nearest codes are those of neighbours."
        )
    k = int(found[0])
    ratio = float(
        encodings.apart(found[0], width, base) / encodings.apart(np.array(1), width, base)
    )
    return (
        f"With {width} numbers and base {base:,} places collide at **{len(found):,}** of"
        f" {count - 2:,} distances. The worst is {k}: places 0 and {k}, 1 and {k + 1} and so on have"
        f" codes only **{number(ratio)}** times as far apart as those of neighbours."
    )


def table(found: np.ndarray, width: int, base: float) -> list[dict[str, object]]:
    """The worst distances, with one pair each."""
    return [
        {
            "places apart": int(k),
            "a pair": f"{5}, {5 + int(k)}",
            "distance of the codes": number(float(encodings.apart(k, width, base))),
            "dot product": number(width / 2 * float(encodings.alike(k, width, base))),
            "with itself": number(width / 2),
        }
        for k in found[:FEW]
    ]


def formats(count: int, width: int, base: float, kind: str) -> str:
    different, first = _distinct(count, width, base, kind)
    if first is None:
        return (
            f"In {kind} all {count:,} codes differ. In exact numbers they always do, however many"
            " places there are: the first wave turns by 1 radian a place, and as π is irrational"
            " no number of places makes whole turns. One pair of numbers is enough for that."
        )
    return (
        f"In {kind} only **{different:,}** of the {count:,} codes differ: places {first[0]} and"
        f" {first[1]} have the very same one. In exact numbers no two are the same, because π is"
        " irrational."
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _distinct(count: int, width: int, base: float, kind: str) -> tuple[int, tuple[int, int] | None]:
    return encodings.distinct(count, width, base, kind)


@kept.data(max_entries=4)
def _cosines(run: Run) -> np.ndarray | None:
    """(T, T) of the rows of a learned table."""
    found = encodings.added(cache.model(run, Attends), 10**6)
    if found is None:
        return None
    unit_TD = found / np.linalg.norm(found, axis=1, keepdims=True)
    return np.clip(unit_TD @ unit_TD.T, -1, 1)


def learned(width: int, base: float) -> None:
    tables = [
        (run, found)
        for run in cache.runs_of("transformer", "bert")
        if run.id in LEARNED and (found := _cosines(run)) is not None
    ]
    if not tables:
        return
    st.markdown("##### Beside it: the learned tables of the shipped models")
    made = [
        grid(
            Field.of(
                "learned",
                Kind.COSINE,
                {"query": range(len(found)), "key": range(len(found))},
                found,
                "Cosine of every two rows of the learned table",
            ),
            run.id,
            run.title,
            f"learned_{run.id}",
        )
        for run, found in tables
    ]
    plate.row(*made)
    far = np.arange(1, min(len(found) for _, found in tables) - 4)
    series = [
        (run.title, far, [float(np.diagonal(found, k).mean()) for k in far])
        for run, found in tables
    ]
    plate.show(
        curves(
            "learned_by",
            "Mean cosine of two places, by how far apart they are",
            [*series, ("Sinusoidal", far, encodings.alike(far, width, base))],
            f"waves-{width}-{base}",
            f"Learned tables, and sinusoidal codes with D = {width}, base {base:,}",
            x="places apart",
            y="cosine",
            of_series="",
        )
    )
    for run, found in tables:
        upper = np.where(np.triu(np.ones_like(found), 2) > 0, found, -2)
        i, j = (int(n) for n in np.unravel_index(upper.argmax(), upper.shape))
        beside = float(np.diagonal(found, 1).mean())
        st.markdown(
            f"{run.title}: neighbours have a cosine of {beside:.2f} on average, and of the other"
            f" pairs {int((upper > beside).sum())} of {int((upper > -2).sum()):,} are more alike than"
            f" that, most of all {i} and {j} ({found[i, j]:.2f}). A learned table is not the same"
            " along a diagonal: it knows single places, and distances only as far as the text"
            " taught them."
        )
