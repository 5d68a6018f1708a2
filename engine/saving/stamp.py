"""Stamp: what a picture is of (title, description, model, run, text), written into the file itself.

PNG     text chunks
SVG     title and desc
PDF     document information
HTML    meta elements and a line below the picture
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping

# {"Title": ..., "Description": ..., "Model": ..., "Run": ..., "Text": ...}
Words = Mapping[str, str]
UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not for XML


def words(title: str, description: str, stamp: Mapping[str, str]) -> dict[str, str]:
    """The words of a file by the names that they have in it; what no file can hold is replaced."""
    given = {"title": title, "description": description, **stamp}
    return {k.capitalize(): UNFIT.sub("\ufffd", v) for k, v in given.items()}


def png(made: bytes, said: Words) -> bytes:
    from PIL import Image, PngImagePlugin

    info = PngImagePlugin.PngInfo()
    for key, value in said.items():
        info.add_text(key, value) if value.isascii() else info.add_itxt(key, value)
    out = io.BytesIO()
    with Image.open(io.BytesIO(made)) as image:
        # A picture without transparency needs no fourth channel; level 1 takes half the time of 6.
        opaque = image.mode != "RGBA" or image.getchannel("A").getextrema() == (255, 255)
        (image.convert("RGB") if opaque else image).save(out, "png", pnginfo=info, compress_level=1)
    return out.getvalue()


def svg(made: bytes, said: Words) -> bytes:
    clean = {k: html.escape(v) for k, v in said.items()}
    lines = "\n".join(f"{k}: {v}" for k, v in clean.items() if k != "Title")
    inside = f"<title>{clean['Title']}</title><desc>{lines}</desc>".encode()
    return re.sub(rb"<svg[^>]*>", lambda found: found[0] + inside, made, count=1)


def pdf(made: bytes, said: Words) -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(made))
    writer.add_metadata({f"/{k}": v for k, v in said.items()})
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def page(said: Words, body: str, *, policy: str, paper: str, ink: str, scripts: str = "") -> bytes:
    """A stand-alone page around `body`, which is markup already.  It can fetch nothing."""
    clean = {k: html.escape(v) for k, v in said.items()}
    meta = "".join(f'<meta name="unrolled:{k.lower()}" content="{v}">\n' for k, v in clean.items())
    foot = "<br>".join(f"{k}: {v}" for k, v in clean.items() if k not in ("Title", "Description"))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{clean["Title"]}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {policy}">
{meta}<style>body {{ margin: 16px; background: {paper}; color: {ink}; font: 12px sans-serif; \
overflow-wrap: anywhere }} svg {{ max-width: 100%; height: auto }}</style></head>
<body>{body}<p>{foot}</p>
{scripts}</body></html>
""".encode()
