"""Sinusoidal positions as pictures: the waves, what they have in common at a distance, and the
rotation from one place to another."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.positions import encodings
from engine.core.trace import Field, Kind
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate
from pages.ui.positions.figures import curves, grid

BASES = (10, 100, 1_000, 10_000, 100_000)
# what the course notes print there
NOTES = {(1, 4): "0.0025", (2, 4): "0.0050", (3, 4): "0.0075", (3, 2): "0.1389"}


def show() -> None:
    row = st.columns(4)
    width = row[0].slider(
        "Width D",
        2,
        128,
        32,
        2,
        key="wave_width",
        bind="query-params",
        help="Numbers in a vector: half of them sines, half cosines.",
    )
    width += width % 2  # a link may ask for an odd one
    base = row[1].select_slider(
        "Base",
        BASES,
        10_000,
        key="base",
        bind="query-params",
        format_func=lambda b: f"{b:,}",
        help="The slowest wave takes nearly 2π times this many places.",
    )
    count = row[2].slider("Places", 8, 256, 64, 8, key="length", bind="query-params")
    k = row[3].slider("k, from one place to another", 1, 64, 3, key="k", bind="query-params")
    st.latex(
        r"\mathrm{PE}(p,\,2i)=\sin\!\left(p / \text{base}^{2i/D}\right)\qquad"
        r" \mathrm{PE}(p,\,2i{+}1)=\cos\!\left(p / \text{base}^{2i/D}\right)"
    )
    of = f"Sinusoidal, D = {width}, base {base:,}"
    plate.row(table_of(count, width, base, of), courses(count, width, base, of))
    plate.row(products(count, width, base, of), by_distance(count, width, base, of))
    st.markdown(said(count, width, base, k))
    rows.show(pairs(width, base, k), "pairs", height=250)
    with st.expander("A printed table of six dimensions, corrected"):
        six()


def table_of(count: int, width: int, base: float, of: str) -> Plate:
    field = Field.of(
        "waves",
        Kind.STATE,
        {"dim": range(width), "token": range(count)},
        encodings.waves(count, width, base).T,
        "The encoding: one column per position, one row per dimension",
        "PE",
    )
    return grid(field, f"waves-{width}-{base}", of, options={"domain": (-1.0, 1.0)})


def courses(count: int, width: int, base: float, of: str) -> Plate:
    speed_I, places = encodings.speeds(width, base), np.linspace(0, count - 1, 400)
    some = sorted({round(i) for i in np.linspace(0, len(speed_I) - 1, 4)})
    names = {i: f"pair {i}: {2 * np.pi / speed_I[i]:,.4g} places a turn" for i in some}
    return curves(
        "courses",
        "Sines of some pairs: each slower than the one before",
        [(name, places, np.sin(places * speed_I[i])) for i, name in names.items()],
        f"waves-{width}-{base}",
        of,
        x="place",
        y="sine",
        of_series="pair",
    )


def products(count: int, width: int, base: float, of: str) -> Plate:
    count = min(count, 64)
    pe_TD = encodings.waves(count, width, base).astype(float)
    field = Field.of(
        "products",
        Kind.SCORE,
        {"query": range(count), "key": range(count)},
        pe_TD @ pe_TD.T,
        "Dot product of every two positions: constant along each diagonal",
        "PE · PE",
        domain=(-width / 2, width / 2),
    )
    return grid(field, f"waves-{width}-{base}", of)


def by_distance(count: int, width: int, base: float, of: str) -> Plate:
    far = np.arange(-count + 1, count)
    return curves(
        "distance",
        "The same against the distance: the sum of cos(ω k) over the pairs",
        [("PE(p) · PE(p + k)", far, width / 2 * encodings.alike(far, width, base))],
        f"waves-{width}-{base}",
        of,
        x="k",
        y="dot product",
    )


def said(count: int, width: int, base: float, k: int) -> str:
    pe_TD = np.array(
        [
            [f(p * w) for w in encodings.speeds(width, base) for f in (np.sin, np.cos)]
            for p in range(count + k)
        ]
    )
    off = np.abs(pe_TD[:count] @ encodings.shift(k, width, base).T - pe_TD[k:]).max()
    product = width / 2 * float(encodings.alike(np.array(k), width, base))
    return (
        f"**From place p to p + {k}** the same matrix works for every p: PE(p + k) = M_k PE(p),"
        f" where M_k rotates pair i by the angle k ω_i. Over these {count} positions both sides"
        f" differ by at most {number(float(off))}. So PE(p) · PE(p + {k}) = **{product:.6g}** for any p. So"
        " PE(p + k) is a linear function of PE(p), for each fixed k."
    )


def pairs(width: int, base: float, k: int) -> list[dict[str, object]]:
    return [
        {
            "pair i": i,
            "dimensions": f"{2 * i}, {2 * i + 1}",
            "radians a place": f"{w:.4g}",
            "places a turn": f"{2 * np.pi / w:,.1f}",
            f"turn for k = {k}": f"{np.degrees(k * w):.4g}°",
        }
        for i, w in enumerate(encodings.speeds(width, base))
    ]


def six() -> None:
    pe_TD = encodings.waves(10, 6)
    table: dict[str, list[object]] = {"place": [*range(10)]}
    for d, column in enumerate(pe_TD.T):
        table[str(d)] = [
            f"{value:.4f}" + (f"   (printed: {NOTES[p, d]})" if (p, d) in NOTES else "")
            for p, value in enumerate(column)
        ]
    rows.show(table, "six")
    st.caption(
        "Dimension 4 was printed with the place divided by 400; the formula divides by 10,000^(4/6)"
        " = 464.16. Places 0 to 9 were announced and four printed. i was called the dimension; it"
        " counts pairs of dimensions."
    )
