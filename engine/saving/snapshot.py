"""Snapshot: the picture of a live panel, drawn by the browser as SVG, as a file.

What      an SVG that the browser made of what is on the screen (assets/live/drawing/snapshot.js), checked,
          stamped, and turned into PNG, PDF or a page
Trust     none: it comes over the network.  Only shapes, letters and embedded pixels pass; a file
          or an address named in it never reaches the library that draws
Source    our own; vl-convert (resvg) draws
"""

from __future__ import annotations

import base64
import html
import math
import re
import struct
from collections.abc import Mapping
from xml.etree import ElementTree

from engine.language.message import refusal
from engine.saving import stamp

FORMATS = ("png", "svg", "pdf", "html")
MOST_BYTES = 20_000_000  # the same in assets/live/panel.js
MOST_PIXELS = 24_000_000  # of a PNG; a larger drawing has fewer pixels an inch
SPACE = "{http://www.w3.org/2000/svg}"
TAGS = frozenset(
    "svg g defs clipPath rect circle ellipse line polyline polygon path text image use".split()
)
ATTRIBUTES = frozenset(
    "x y width height rx ry cx cy r x1 y1 x2 y2 points d id viewBox transform opacity fill"
    " fill-opacity stroke stroke-opacity stroke-width stroke-dasharray stroke-dashoffset"
    " stroke-linecap stroke-linejoin stroke-miterlimit clip-path font-family font-size font-weight"
    " font-style text-anchor textLength lengthAdjust direction preserveAspectRatio image-rendering"
    " style href {http://www.w3.org/XML/1998/namespace}space".split()
)
PIXELS = re.compile(r"data:image/png;base64,[A-Za-z0-9+/]*={0,2}")
NOTHING = re.compile(r"(?!)")
INSIDE = {"image": PIXELS, "use": re.compile(r"#pixels\d+")}
CLIP = re.compile(r"url\(#[a-z]+\d+\)")


def check(svg: str) -> tuple[float, float]:
    """Width and height of a drawing that holds nothing but shapes, letters and pixels.

    ValueError, in one sentence, for anything else.
    """
    if len(svg) > MOST_BYTES:
        raise refusal("A picture may have {most} megabytes at most.", most=MOST_BYTES // 1_000_000)
    if "<!" in svg or "<?" in svg:
        raise ValueError("The picture holds more than a drawing.")
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError, UnicodeError) as error:
        raise ValueError("The picture is no SVG.") from error
    for node in root.iter():
        name = str(node.tag).removeprefix(SPACE)
        if not str(node.tag).startswith(SPACE) or name not in TAGS:
            raise refusal("The picture holds {name!r}, which is not a known mark.", name=name[:40])
        for key, value in node.attrib.items():
            sound = {
                "href": INSIDE.get(name, NOTHING).fullmatch(value) is not None,
                "style": value == "image-rendering:pixelated",
                "clip-path": CLIP.fullmatch(value) is not None,
            }.get(key, key in ATTRIBUTES and "url" not in value.lower())
            if not sound:
                raise refusal(
                    "The picture names something outside itself in {key!r}.", key=key[:40]
                )
    try:
        width, height = (float(root.attrib[key]) for key in ("width", "height"))
    except (KeyError, ValueError) as error:
        raise ValueError("The picture does not say how large it is.") from error
    if root.tag != f"{SPACE}svg" or not (0 < width < 100_000 and 0 < height < 100_000):
        raise ValueError("The picture has no size that can be drawn.")
    return width, height


def write(
    svg: str, format: str, said: Mapping[str, str], paper: str = "white", ink: str = "black"
) -> bytes:
    """The drawing as a file with its words; `paper` and `ink` colour the page around it.

    ValueError for a drawing that does not pass `check` or a format not in FORMATS.
    """
    width, height = check(svg)
    words = dict(said)
    match format:
        case "svg":
            return stamp.svg(svg.encode(), words)
        case "png":
            # as many pixels an inch as a screen of twice the usual; fewer where it is very large
            scale = min(2.0, math.sqrt(MOST_PIXELS / (width * height)))
            return stamp.png(pixels(svg, scale), words)
        case "pdf":
            return stamp.pdf(vectors(svg, words), words)
        case "html":
            label = html.escape(words["Description"])
            body = f'<div id="figure" role="img" aria-label="{label}">{svg}</div>'
            policy = "style-src 'unsafe-inline'; img-src data:"
            return stamp.page(words, body, policy=policy, paper=paper, ink=ink)
    raise refusal("no picture format {format!r}; there are {FORMATS}")


def pixels(svg: str, scale: float) -> bytes:
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def vectors(svg: str, said: dict[str, str]) -> bytes:
    """A PDF of lines and letters; of pixels where a letter's font cannot be put into one (colour
    emoji), and then `said` says so."""
    import vl_convert

    try:
        return bytes(vl_convert.svg_to_pdf(svg))
    except ValueError as error:
        if "font" not in str(error):
            raise
    said["Note"] = "Drawn as pixels: the font of one of its characters cannot be put into a PDF."
    png = pixels(svg, 3.0)
    width, height = (n / 3 for n in struct.unpack(">II", png[16:24]))
    data = base64.b64encode(png).decode()
    image = f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>'
    space = 'xmlns="http://www.w3.org/2000/svg"'
    return bytes(
        vl_convert.svg_to_pdf(f'<svg {space} width="{width}" height="{height}">{image}</svg>')
    )
