"""Pictures that come from a browser: what passes, what does not, and what is made of them."""

from __future__ import annotations

import base64
import io
import re
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import vl_convert
from PIL import Image
from pypdf import PdfReader

from engine.saving import snapshot, stamp
from engine.saving.renderer import Renderer
from tests.conftest import ROOT, sampled

SPACE = 'xmlns="http://www.w3.org/2000/svg"'
SAID = stamp.words(
    "Bars & <b>lines</b>",
    "Three bars, the last is the highest.",
    {"model": "lstm", "run": "lstm-0", "text": "the </desc><script>x</script> 日本 \ud800 שלום"},
)


def pixel(colour: str = "red") -> str:
    out = io.BytesIO()
    Image.new("RGB", (2, 1), colour).save(out, "png")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"


def drawing(inside: str = "", width: str = "200", height: str = "100", more: str = "") -> str:
    return (
        f'<svg {SPACE} width="{width}" height="{height}" {more}>'
        '<rect width="200" height="100" fill="#ffffff"/>'
        '<defs><clipPath id="clip0"><rect x="0" y="0" width="50" height="100"/></clipPath></defs>'
        '<g clip-path="url(#clip0)" opacity="0.5"><rect width="90" height="60" fill="#ff0000"/></g>'
        '<text x="60" y="90" font-family="sans-serif" font-size="12" textLength="50"'
        ' lengthAdjust="spacingAndGlyphs">a &lt;b&gt; letter</text>'
        f"{inside}</svg>"
    )


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    found = Renderer()
    found.start()
    yield found
    found.close()


def test_every_format_says_what_it_is_of(renderer: Renderer) -> None:
    made = {f: renderer.snapshot(drawing(), f, SAID, "#fff", "#000") for f in snapshot.FORMATS}
    with Image.open(io.BytesIO(made["png"])) as image:
        image.load()
        assert image.size == (400, 200) and image.getpixel((20, 20)) == (255, 128, 128)
        assert image.getpixel((120, 20)) == (255, 255, 255), "the clip ends there"
        assert {k: image.info[k] for k in SAID} == SAID
    tree = ElementTree.fromstring(made["svg"])
    assert tree[0].text == SAID["Title"]
    assert all(SAID[k] in str(tree[1].text) for k in ("Description", "Model", "Run", "Text"))
    assert not [e for e in tree.iter() if "script" in str(e.tag)]
    reader = PdfReader(io.BytesIO(made["pdf"]), strict=True)
    assert len(reader.pages) == 1 and reader.metadata is not None
    assert {k: reader.metadata[f"/{k}"] for k in SAID} == SAID
    page = made["html"].decode()
    assert "default-src 'none'" in page and "<script" not in page and "<link" not in page
    assert "a &lt;b&gt; letter" in page and 'name="unrolled:run" content="lstm-0"' in page
    assert made == {f: snapshot.write(drawing(), f, SAID, "#fff", "#000") for f in made}


def test_letters_stay_letters_and_pixels_crisp() -> None:
    picture = (
        '<image x="0" y="0" width="200" height="100" preserveAspectRatio="none"'
        f' style="image-rendering:pixelated" image-rendering="optimizeSpeed" href="{pixel()}"/>'
    )
    with Image.open(io.BytesIO(snapshot.write(drawing(picture), "png", SAID))) as image:
        assert set(np.asarray(image.convert("RGB")).reshape(-1, 3)[:, 1].tolist()) == {0}
    pdf = PdfReader(io.BytesIO(snapshot.write(drawing(), "pdf", SAID)))
    assert re.sub(r"\s", "", pdf.pages[0].extract_text()) == "a<b>letter"


def test_a_letter_that_no_pdf_can_hold_becomes_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a computer has such a font is chance: here the library refuses every letter."""
    real = vl_convert.svg_to_pdf

    def refuse(svg: str) -> bytes:
        if "<text" in svg:
            raise ValueError("a font cannot be embedded")
        return real(svg)

    monkeypatch.setattr(vl_convert, "svg_to_pdf", refuse)
    reader = PdfReader(io.BytesIO(snapshot.write(drawing(), "pdf", SAID)))
    assert reader.metadata is not None and "Drawn as pixels" in reader.metadata["/Note"]
    assert len(reader.pages[0].images) == 1 and not reader.pages[0].extract_text().strip()


@sampled(
    "svg",
    [
        "",
        "no picture",
        "<svg/>",
        drawing("<script>alert(1)</script>"),
        drawing('<image href="file:///etc/passwd" width="9" height="9"/>'),
        drawing('<image href="/etc/passwd" width="9" height="9"/>'),
        drawing('<image href="http://127.0.0.1/x.png" width="9" height="9"/>'),
        drawing('<image href="data:image/svg+xml;base64,AAAA" width="9" height="9"/>'),
        drawing(
            '<image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="/etc/passwd" width="9"/>'
        ),
        drawing('<use href="other.svg#pixels0"/>'),
        drawing('<rect width="9" height="9" fill="url(http://127.0.0.1/)"/>'),
        drawing('<rect width="9" height="9" style="fill:url(/etc/passwd)"/>'),
        drawing('<rect width="9" height="9" clip-path="url(x.svg#clip0)"/>'),
        drawing('<rect width="9" height="9" onclick="alert(1)"/>'),
        drawing("<foreignObject><p>x</p></foreignObject>"),
        drawing("<style>@import url(x)</style>"),
        drawing('<text xmlns="http://example.org/">x</text>'),
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + drawing(),
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + drawing("<text>&a;</text>"),
        "<?xml-stylesheet href='x'?>" + drawing(),
        drawing("<![CDATA[x]]>"),
        drawing(width="1e9"),
        drawing(width="0"),
        drawing(height="many"),
        drawing("\ud800"),
        drawing("<g>" * 30),
        drawing("x" * (snapshot.MOST_BYTES + 1)),
    ],
    ids=lambda svg: svg[-40:],
)
def test_nothing_but_a_drawing_passes(svg: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="picture") as refused:
        snapshot.check(svg)
    assert str(refused.value).endswith(".")
    with pytest.raises(ValueError, match="picture"):
        snapshot.write(svg, "svg", SAID)


def test_a_refusal_comes_through_the_child(renderer: Renderer) -> None:
    with pytest.raises(RuntimeError, match="names something outside itself"):
        renderer.snapshot(drawing('<image href="/etc/passwd"/>'), "png", SAID, "#fff", "#000")
    assert renderer.snapshot(drawing(), "svg", SAID, "#fff", "#000").startswith(b"<svg")
    with pytest.raises(ValueError, match="no picture format 'bmp'"):
        snapshot.write(drawing(), "bmp", SAID)


# What a canvas context has, but for the pixels of pictures that are drawn later.
CANVAS = frozenset(
    "arc arcTo beginPath bezierCurveTo clearRect clip closePath createConicGradient"
    " createLinearGradient createPattern createRadialGradient direction drawFocusIfNeeded drawImage"
    " ellipse fill fillRect fillStyle fillText filter font fontKerning fontStretch fontVariantCaps"
    " getLineDash getTransform globalAlpha globalCompositeOperation imageSmoothingEnabled"
    " imageSmoothingQuality isPointInPath isPointInStroke letterSpacing lineCap lineDashOffset"
    " lineJoin lineTo lineWidth measureText miterLimit moveTo quadraticCurveTo rect reset"
    " resetTransform restore rotate roundRect save scale setLineDash setTransform shadowBlur"
    " shadowColor shadowOffsetX shadowOffsetY stroke strokeRect strokeStyle strokeText textAlign"
    " textBaseline textRendering transform translate wordSpacing".split()
)


def test_a_drawing_for_a_file_can_do_what_the_panels_do() -> None:
    """Every member of a canvas context that is used on one that `begin` gives."""
    pens = {"g"}
    sources = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "assets/live").rglob("*.js"))]
    for source in sources:
        pens |= set(re.findall(r"(?:const|let) (\w+) = this\.\w+\.begin\(", source))
    used = {
        name
        for source in sources
        for name in re.findall(rf"(?<![\w.])(?:{'|'.join(pens)})\.([a-zA-Z]+)", source)
    }
    svg = (ROOT / "assets/live/drawing/svg.js").read_text(encoding="utf-8")
    context = svg[svg.index("export class SvgContext") :]
    made = set(re.findall(r"^  (?:get )?([a-zA-Z]+)(?: =|\()", context, re.MULTILINE))
    assert {"fillText", "drawImage", "setLineDash", "bezierCurveTo", "arc"} <= used
    assert used & CANVAS <= made


@pytest.mark.slow
def test_a_very_large_picture_has_fewer_pixels() -> None:
    svg = drawing(width="30000", height="20000")
    with Image.open(io.BytesIO(snapshot.write(svg, "png", SAID))) as image:
        assert image.size[0] * image.size[1] < 1.01 * snapshot.MOST_PIXELS


@pytest.mark.slow
def test_a_picture_takes_little_time(renderer: Renderer) -> None:
    """A card of 800 x 600 with 2,000 marks: what a person waits for after a click."""
    marks = "".join(
        f'<rect x="{n % 50 * 16}" y="{n // 50 * 15}" width="15" height="14" fill="#0b6e99"/>'
        f'<text x="{n % 50 * 16}" y="{n // 50 * 15 + 10}" font-size="9">{n % 100}</text>'
        for n in range(1000)
    )
    svg = drawing(marks, "800", "600")
    for format, most in (("svg", 0.5), ("png", 2.0), ("pdf", 2.0), ("html", 0.5)):
        took = []
        for _ in range(3):
            started = time.perf_counter()
            renderer.snapshot(svg, format, SAID, "#fff", "#000")
            took.append(time.perf_counter() - started)
        assert min(took) < most, (format, took)
