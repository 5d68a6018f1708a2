"""Theme: every colour, font and letter-shape decision.  No other file of the project writes a
colour.

Scales     11 stops, equally spaced from `low` to `high`, to be mixed in sRGB.  Made in OKLab so
           that lightness runs evenly: sequential ones from the page's background to their
           strongest, diverging ones alike on both sides of the background.  No scale needs red told
           from green: hue is blue, teal, amber or violet, never two of them
           at one lightness, and the diverging pair is blue and orange.
Source     B. Ottosson, A perceptual color space for image processing, 2020; M. Okabe & K. Ito,
           Color Universal Design, 2008
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind
from engine.language.message import spoken
from engine.text.segmentation import clusters

FONT = "Inter, 'Source Sans 3', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
MONO = "'Source Code Pro', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


@dataclass(frozen=True, slots=True)
class Ink:
    """What is not data: page, words, rules, and the one accent."""

    page: str
    text: str  # titles; contrast with `page` at least 12
    quiet: str  # axis words, subtitles; at least 4.5
    rule: str  # axis lines and grids
    accent: str  # single-series marks; at least 3
    faint: str  # marks in the background


LIGHT = Ink("#ffffff", "#1f2430", "#5a6372", "#e3e6eb", "#1969bc", "#c3cad4")
DARK = Ink("#0e1117", "#f0f2f6", "#a3acba", "#2a303c", "#51abf4", "#465063")

CATEGORIES_LIGHT = tuple("#0072b2 #d55e00 #009e73 #cc79a7 #b8860b #4aa3d9 #6a51a3 #5f6773".split())
CATEGORIES_DARK = tuple("#56b4e9 #f28e4b #2fc79b #e59cc4 #f0c75e #a6d8f5 #b59af0 #b4bcc8".split())


def _stops(light: str, dark: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(light.split()), tuple(dark.split())


_BLUE = _stops(
    "#f8fbfc #cde9fc #a1d6fc #77c1fa #51abf4 #3195e9 #1b7ed7 #1969bc #1654a2 #114088 #0c2d6f",
    "#0e131b #14243b #13375e #034d81 #01649b #077cb3 #1395cb #2cafe0 #50c8f1 #7be0fe #c0f2fe",
)
_TEAL = _stops(
    "#f7fbfb #c8eeec #93e0dc #55d2cb #0bbfb6 #10a99e #069387 #007e72 #03695d #02554a #024238",
    "#091514 #002b28 #00403a #01564d #066e60 #048773 #0ea086 #26ba98 #59d0ac #7fe7c1 #a2ffd7",
)
_AMBER = _stops(
    "#fcfaf7 #f6e2ca #f3c89b #efae6e #e79344 #db791a #c66508 #af5307 #984105 #823102 #6b2100",
    "#1a100c #361c0d #552903 #6f3b02 #874f07 #a06409 #b97b0b #cc9533 #ddb055 #efcb75 #ffe79d",
)
_VIOLET = _stops(
    "#faf9fc #e8e0fc #d6c5fc #c3acf9 #b093f2 #9c7ce6 #8868d3 #7457b9 #6046a0 #4d3687 #3b276f",
    "#13111a #251f39 #3a2d5b #503b7d #674b9d #7f5eb9 #9775cf #ae8ce3 #c6a5f8 #dbc2fe #eee2fe",
)
_SIGNED = _stops(
    "#0c4196 #2266bb #408cdc #71b2f0 #afd6f8 #f6f7f8 #efc9a6 #e19a62 #ca6d26 #a54802 #7a2a00",
    "#9ee3ff #31baf5 #148bca #1e5f94 #1f3857 #13161c #512c17 #87490f #b86f0b #e29c35 #ffcf7e",
)

_SEQUENTIAL = {
    Kind.PROBABILITY: _BLUE,
    Kind.ATTENTION: _BLUE,
    Kind.GATE: _TEAL,
    Kind.LOSS: _AMBER,
    Kind.COUNT: _VIOLET,
}
_SPAN = {Kind.STATE: 1.0, Kind.COSINE: 1.0, Kind.SCORE: 8.0, Kind.GRADIENT: 1.0, Kind.LOSS: 16.0}


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from `low` to `high` become the stops, evenly; what lies outside takes the last stop
    on its side."""

    low: float
    high: float
    stops_light: tuple[str, ...]
    stops_dark: tuple[str, ...]
    diverging: bool

    def stops(self, dark: bool) -> tuple[str, ...]:
        return self.stops_dark if dark else self.stops_light


def scale(spec: FieldSpec, most: float | None = None) -> Scale:
    """The colour scale of a field: by its kind, over `spec.domain` where it has one.

    most  the largest count or absolute gradient that is drawn; only kinds without a range of their
          own use it
    """
    stops = _SEQUENTIAL.get(spec.kind)
    top = max(float(most or 0.0), 0.0)
    if stops is None:
        bound = _SPAN[spec.kind]
        if spec.domain is not None:
            bound = max(abs(spec.domain[0]), abs(spec.domain[1])) or bound
        elif spec.kind is Kind.GRADIENT and top:
            bound = top
        return Scale(-bound, bound, *_SIGNED, diverging=True)
    low, high = 0.0, _SPAN.get(spec.kind, 1.0)
    if spec.domain is not None and spec.domain[0] < spec.domain[1]:
        low, high = spec.domain
    elif spec.kind is Kind.COUNT and top:
        high = top
    elif spec.kind is Kind.LOSS and spec.unit == "nats":
        high *= math.log(2)
    return Scale(float(low), float(high), *stops, diverging=False)


def stops(spec: FieldSpec, dark: bool) -> tuple[str, ...]:
    """The colours of a field from low to high, for whoever paints it elsewhere."""
    return scale(spec).stops(dark)


def ink(dark: bool) -> Ink:
    return DARK if dark else LIGHT


def categories(count: int, dark: bool) -> list[str]:
    """`count` colours for series that have no order; beyond eight they begin again, so draw
    fewer."""
    palette = CATEGORIES_DARK if dark else CATEGORIES_LIGHT
    return [palette[i % len(palette)] for i in range(count)]


def orders(dark: bool, many: int = 8) -> list[str]:
    """Colours of n-gram orders 0 (uniform) to 7, from weak to strong; or so many, as far apart as
    each other."""
    ramp = stops(FieldSpec("order", Kind.GATE, ("order",), ""), dark)
    return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in palette(tuple(ramp[1:]), many).tolist()]


def written_on(colours: Sequence[str]) -> list[str]:
    """Per colour whichever of black and white reads better on it."""
    light = luminance(
        np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours], float).reshape(
            -1, 3
        )
    )
    return ["#000000" if (x + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff" for x in light]


def palette(colours: tuple[str, ...], count: int) -> np.ndarray:
    """(count, 3) uint8: the stops mixed in sRGB at `count` equally spaced places."""
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours], float)
    at = np.linspace(0, len(colours) - 1, count)
    return (
        np.stack([np.interp(at, np.arange(len(colours)), rgb[:, i]) for i in range(3)], 1)
        .round()
        .astype(np.uint8)
    )


def indices(values: np.ndarray, over: Scale, count: int) -> np.ndarray:
    """Place of each finite number among `count` colours, clipped to the ends; 0 where it is not
    finite."""
    where = (np.where(np.isfinite(values), values, over.low).astype(float) - over.low) / (
        over.high - over.low
    )
    return np.clip(np.rint(where * (count - 1)), 0, count - 1).astype(int)


def luminance(rgb: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2.1) of sRGB bytes (..., 3)."""
    part = rgb / 255.0
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(values: np.ndarray, over: Scale, dark: bool) -> list[str]:
    """Per number the colour of words written on its cell: whichever of black and white reads
    better."""
    light = luminance(palette(over.stops(dark), 255)[indices(values.ravel(), over, 255)])
    page = luminance(palette((ink(dark).page, ink(dark).page), 1))
    light = np.where(np.isfinite(values.ravel()), light, page)
    return ["#000000" if (x + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff" for x in light]


MARKED = 24  # code points of one character that are shown
_SHOWN = {" ": "·", "\n": "⏎", "\t": "⇥"}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})


def visible(label: str, most: int = 24) -> str:
    """A label as it can be drawn: white space gets a sign, other invisible characters their number,
    long ones an ellipsis.

    What joins two characters outside ASCII stays, or family emoji and Persian words would fall
    apart; so do the tags behind a flag.
    """
    out = []
    for i, c in enumerate(label):
        joins = (
            c in "\u200c\u200d"
            and 0 < i < len(label) - 1
            and min(label[i - 1], label[i + 1]) > "\x7f"
        ) or (i and "\U000e0020" <= c <= "\U000e007f" and label[i - 1] > "\U0001f000")
        if c in _SHOWN:
            out.append(_SHOWN[c])
        elif unicodedata.category(c) in _HIDDEN and not joins:
            out.append(f"U+{ord(c):04X}")
        else:
            out.append(c)
    return shorten("".join(out), most) if out else "∅"


def shorten(text: str, most: int) -> str:
    """At most `most` characters, the last an ellipsis; none of them is cut, but where one has
    more than MARKED marks."""
    if len(text) <= most:
        return text
    some = [character[:MARKED] for character in clusters(text[: MARKED * most])]
    if len(some) <= most and "".join(some) == text:
        return text
    return "".join(some[: max(1, min(most, len(some)) - 1)]) + "…"


def plain(text: str, most: int = 400) -> str:
    """A sentence as it can be drawn: spaces stay, every other invisible character is shown."""
    lines = (line.split() for line in spoken(text).split("\u00a0"))  # where none is broken
    said = "\u00a0".join(" ".join(visible(word, most) for word in line) for line in lines)
    return shorten(said.strip(), most)


def series(names: Sequence[str], most: int = 40) -> list[str]:
    """Names of series, of which small words are said where all of them are known."""
    said = [spoken(name, label=True) for name in names]
    known = len(said) > 1 and all(a != b for a, b in zip(names, said, strict=True))
    return [plain(name, most) or "∅" for name in (said if known else names)]


def altair_theme(dark: bool = False) -> dict[str, Any]:
    """The `config` of every Vega-Lite chart."""
    i = ink(dark)
    words = {
        "labelColor": i.quiet,
        "titleColor": i.text,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": 500,
    }
    return {
        "background": i.page,
        "font": FONT,
        "padding": 16,
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "frame": "group",
            "offset": 14,
            "fontSize": 15,
            "fontWeight": 600,
            "color": i.text,
            "subtitleColor": i.quiet,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "lineHeight": 19,
            "subtitleLineHeight": 16,
        },
        "axis": {
            **words,
            "domainColor": i.rule,
            "tickColor": i.rule,
            "gridColor": i.rule,
            "titlePadding": 10,
            "labelPadding": 5,
            "labelLimit": 220,
        },
        "legend": {
            **words,
            "titleLimit": 260,
            "labelLimit": 180,
            "gradientStrokeColor": i.rule,
            "gradientStrokeWidth": 1,
            "gradientThickness": 12,
            "symbolOpacity": 1,
            "rowPadding": 4,
            "offset": 18,
        },
        "text": {"font": FONT, "fontSize": 11, "color": i.text},
    }
