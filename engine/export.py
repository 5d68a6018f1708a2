"""Export: figures as files, traces as files, and the short script that makes a figure again.

`render` works in this process; `engine.renderer` does the same in a child.  No file fetches anything when it is opened.

trace.npz   one float32 array per field under its name, and under `trace` a JSON text: text, tokens, run, ids, spans,
            unknown, offset, total; `fields`: per name axes, labels (one list per axis), kind, symbol, says, unit, domain;
            `tables`: per name says, columns, types, values.  A long list of labels is written once: the other fields that
            have it say {"same_as": [field, axis number]}.  Read it with numpy.load(..., allow_pickle=False).
"""

from __future__ import annotations

import ast
import base64
import html
import io
import json
import os
import re
import shutil
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engine.figure import Figure
from engine.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace

PICTURES, DATA = ("png", "svg", "pdf", "html"), ("csv", "parquet", "json")
FORMATS = (*PICTURES, *DATA)
TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html", "csv": "text/csv",
         "parquet": "application/vnd.apache.parquet", "json": "application/json"}  # fmt: skip
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
LONG = 256  # labels; shorter lists are written with every field


class ExportUnavailable(RuntimeError):
    """This format cannot be made here; the message says what can."""


def render(figure: Figure, format: str, stamp: Mapping[str, str] | None = None) -> bytes:
    """The figure as a file.  `stamp` (model, run, text ...) is written into it wherever the format has a place.

    PNG has twice the pixels.  CSV stays bare: its stamp is the file name.
    ValueError for a format not in FORMATS; ExportUnavailable for a picture of a 3-D figure without Chromium.
    """
    stamp = dict(stamp or {})
    return _data(figure, format, stamp) if format in DATA else paint(*job(figure, format, stamp))


def _data(figure: Figure, format: str, stamp: dict[str, str]) -> bytes:
    if format == "json":
        spec = json.loads(figure.chart.to_json())
        meta = {"unrolled": {"title": figure.title, **stamp}}
        return json.dumps({**spec, "layout": {**spec["layout"], "meta": meta}} if figure.is_plotly else {**spec, "usermeta": meta}).encode()
    frame = figure.frame.copy()
    for name in frame.columns:
        if frame[name].dtype.kind not in "biuf":  # half a surrogate pair cannot be written as UTF-8
            frame[name] = [str(v).encode("utf-8", "replace").decode() for v in frame[name]]
    if format == "csv":
        return bytes(frame.to_csv(index=False).encode())
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    said = {f"unrolled.{k}".encode(): v.encode("utf-8", "replace") for k, v in {"title": figure.title, **stamp}.items()}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), **said}), out)
    return out.getvalue()


def job(figure: Figure, format: str, stamp: Mapping[str, str]) -> tuple[str, str, bool, dict[str, str]]:
    """What `paint` needs, as plain text: specification, format, whether it is Plotly's, and the words to write into the file."""
    if format not in FORMATS:
        raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")
    said = {k.capitalize(): str(v) for k, v in {"title": figure.title, "description": figure.alt_text, **stamp}.items()}
    if figure.is_plotly and format != "html" and not _browser():
        raise ExportUnavailable(f"A 3-D figure becomes {format.upper()} only where Chromium or Chrome is installed. Save it as HTML: "
                                "that file turns in any browser, and its camera button saves a picture.")  # fmt: skip
    return figure.chart.to_json(), format, figure.is_plotly, said


def _browser() -> str | None:
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, CHROMIUM)), None)


def paint(spec: str, format: str, plotly: bool, said: dict[str, str]) -> bytes:
    """A specification (JSON) as a picture.  Needs neither altair nor pandas, so the child starts fast."""
    if format == "html":
        return _page(spec, plotly, said).encode()
    if plotly:
        import kaleido  # type: ignore[import-untyped]

        os.environ.setdefault("BROWSER_PATH", _browser() or "")
        kaleido.start_sync_server(n=1, mathjax=False, silence_warnings=True)
        figure = json.loads(spec)
        size = {k: figure["layout"].get(k) for k in ("width", "height")}
        made = bytes(kaleido.calc_fig_sync(figure, opts={"format": format, "scale": 2 if format == "png" else 1, **size}))
    else:
        import vl_convert

        # No address is allowed: a chart carries its data, and a label must not be able to fetch.
        options: dict[str, Any] = {"allowed_base_urls": []}
        if format == "svg":
            made = vl_convert.vegalite_to_svg(spec, **options).encode()
        else:
            made = vl_convert.vegalite_to_png(spec, scale=2, **options) if format == "png" else _vector(spec, options, said)
    return {"png": _png, "svg": _svg, "pdf": _pdf}[format](made, said)


def _vector(spec: str, options: dict[str, Any], said: dict[str, str]) -> bytes:
    """A PDF of lines and letters; of pixels where a letter's font cannot be put into one (colour emoji), and then it says so."""
    import vl_convert

    try:
        return bytes(vl_convert.vegalite_to_pdf(spec, **options))
    except ValueError as error:
        if "font" not in str(error):
            raise
    said["Note"] = "Drawn as pixels: the font of one of its characters cannot be put into a PDF."
    png = vl_convert.vegalite_to_png(spec, scale=3, **options)
    w, h = struct.unpack(">II", png[16:24])
    image = f'<image width="{w / 3}" height="{h / 3}" href="data:image/png;base64,{base64.b64encode(png).decode()}"/>'
    return bytes(vl_convert.svg_to_pdf(f'<svg xmlns="http://www.w3.org/2000/svg" width="{w / 3}" height="{h / 3}">{image}</svg>'))


def _png(made: bytes, said: dict[str, str]) -> bytes:
    chunks = b""
    for key, value in said.items():
        try:
            name, body = b"tEXt", key.encode("latin-1") + b"\0" + value.replace("\0", "").encode("latin-1")
        except UnicodeEncodeError:
            name, body = b"iTXt", key.encode() + b"\0\0\0\0\0" + value.encode("utf-8", "replace")
        chunks += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return made[:33] + chunks + made[33:]  # after the signature and the header


def _svg(made: bytes, said: dict[str, str]) -> bytes:
    clean = {k: html.escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", v)) for k, v in said.items()}
    lines = "\n".join(f"{k}: {v}" for k, v in clean.items() if k != "Title")
    words = f"<title>{clean['Title']}</title><desc>{lines}</desc>".encode()
    # The library counts its clips and gradients from one picture to the next; here each file counts from 0.
    order = {name: b"%d" % i for i, name in enumerate(dict.fromkeys(re.findall(rb"<[^<>]* id=\"((?:clip|gradient_)\d+)\"", made)))}
    made = re.sub(rb"<[^<>]*>", lambda tag: re.sub(rb"(?:clip|gradient_)\d+", lambda n: b"u" + order[n[0]] if n[0] in order else n[0], tag[0]), made)
    return re.sub(rb"<svg[^>]*>", lambda found: found[0] + words, made, count=1)


def _pdf(made: bytes, said: dict[str, str]) -> bytes:
    """An appended update that gives the file its Info; unchanged where its index is of the compressed sort."""
    end = re.search(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*$", made, re.S)
    size, root = (re.search(p, end[1]) if end else None for p in (rb"/Size (\d+)", rb"/Root (\d+ \d+ R)"))
    if not (end and size and root):
        return made
    number, start = int(size[1]), len(made) + 1
    info = b"".join(b"/%s <FEFF%s> " % (k.encode(), v.encode("utf-16-be", "replace").hex().encode()) for k, v in said.items())
    body = b"\n%d 0 obj\n<< %s>>\nendobj\n" % (number, info)
    index = b"xref\n0 0\n%d 1\n%010d 00000 n \n" % (number, start)
    tail = b"trailer\n<< /Size %d /Root %s /Info %d 0 R /Prev %s >>\n" % (number + 1, root[1], number, end[2])
    return made + body + index + tail + b"startxref\n%d\n%%%%EOF\n" % (len(made) + len(body))


@cache
def _library(plotly: bool) -> str:
    if plotly:
        from plotly.offline import get_plotlyjs

        return str(get_plotlyjs())
    import vl_convert

    return str(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # the stub forgets the default


def _page(spec: str, plotly: bool, said: dict[str, str]) -> str:
    chart = json.loads(spec)
    inside = json.dumps(chart).replace("<", "\\u003c")  # so that no label can close the script
    paper = chart["layout"].get("paper_bgcolor") if plotly else chart.get("config", {}).get("background")
    # The page's colours are the chart's own: this file names none.
    ink = (chart["layout"].get("font", {}) if plotly else {"color": chart.get("config", {}).get("title", {}).get("subtitleColor")}).get("color")
    clean = {k: html.escape(v.encode("utf-8", "replace").decode()) for k, v in said.items()}
    draw = ('Plotly.newPlot("figure", spec.data, spec.layout, {displaylogo: false})' if plotly else
            'vegaEmbed("#figure", spec, {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}})')  # fmt: skip
    meta = "".join(f'<meta name="unrolled:{k.lower()}" content="{v}">\n' for k, v in clean.items())
    foot = "<br>".join(f"{k}: {v}" for k, v in clean.items() if k not in ("Title", "Description"))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{clean["Title"]}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src
 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:">
{meta}<style>body {{ margin: 16px; background: {paper}; color: {ink}; font: 12px sans-serif; overflow-wrap: anywhere }}</style></head>
<body><div id="figure" role="img" aria-label="{clean["Description"]}"></div><p>{foot}</p>
<script>{_library(plotly)}</script>
<script>(() => {{ const spec = {inside}; {draw}; }})();</script></body></html>
"""


def write_trace(trace: Trace, run: str = "") -> bytes:
    """The bytes of trace.npz; the same trace gives the same bytes.  ValueError for a field named `trace`."""
    if "trace" in trace:
        raise ValueError("a field may not be named 'trace': that name holds the words of the file")
    fields = {str(n): f for n, f in trace.items() if isinstance(f, Field)}
    first: dict[tuple[str, ...], list[Any]] = {}
    written: dict[str, list[Any]] = {}
    for name in sorted(fields, key=lambda n: n != "probability"):  # the field most read has its labels in full
        written[name] = []
        for k, axis in enumerate(fields[name].axes):
            known = first.setdefault(axis.labels, [name, k]) if len(axis) >= LONG else [name, k]
            written[name].append(list(axis.labels) if known == [name, k] else {"same_as": known})
    head = {
        "text": trace.text, "tokens": trace.tokens, "run": run, "ids": trace.ids.tolist(), "spans": trace.spans,
        "unknown": [int(u) for u in trace.unknown], "offset": trace.offset, "total": trace.total,
        "order": list(trace),
        "fields": {n: {"axes": f.spec.axes, "labels": written[n], "kind": str(f.spec.kind), "symbol": f.spec.symbol,
                       "says": f.spec.says, "unit": f.spec.unit, "domain": f.spec.domain} for n, f in fields.items()},
        "tables": {n: {"says": t.spec.says, "columns": t.spec.columns, "types": [np.asarray(c).dtype.str for c in t.columns.values()],
                       "values": [_listed(np.asarray(c)) for c in t.columns.values()]}
                   for n, t in trace.items() if isinstance(t, Table)},
    }  # fmt: skip
    out = io.BytesIO()
    arrays = {"trace": np.array(json.dumps(head)), **{n: f.values for n, f in fields.items()}}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, array in arrays.items():  # numpy.savez would write the time of day
            body = io.BytesIO()
            np.lib.format.write_array(body, np.ascontiguousarray(array) if array.ndim else array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(name + ".npy"), body.getvalue(), zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def _listed(column: np.ndarray) -> list[Any]:
    """A column as JSON can hold it: numbers that are not finite as their names."""
    values: list[Any] = column.tolist()
    return [str(v) if isinstance(v, float) and not np.isfinite(v) else v for v in values]


def read_trace(path: str | Path) -> Trace:
    """A trace.npz again.  ValueError, in one sentence, where the file is not one."""
    try:
        with Path(path).open("rb") as body, np.load(body, allow_pickle=False) as file:
            head = json.loads(str(file["trace"]))
            found: dict[str, Field | Table] = {}
            for name, note in head["fields"].items():
                lists = [head["fields"][v["same_as"][0]]["labels"][v["same_as"][1]] if isinstance(v, dict) else v for v in note["labels"]]
                axes = tuple(Axis(a, tuple(labels)) for a, labels in zip(note["axes"], lists, strict=True))
                domain = tuple(note["domain"]) if note["domain"] else None
                spec = FieldSpec(name, Kind(note["kind"]), tuple(note["axes"]), note["says"], note["symbol"], note["unit"], domain)
                found[name] = Field(spec, file[name], axes)
    except (OSError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile, zlib.error, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{Path(path).name} is not a trace file of Unrolled, or it is damaged ({type(error).__name__})") from error
    for name, note in head["tables"].items():
        types = [np.dtype(object if t == "|O" else t) for t in note["types"]]
        columns = {c: np.array(v, t) for c, v, t in zip(note["columns"], note["values"], types, strict=True)}
        found[name] = Table(TableSpec(name, tuple(note["columns"]), note["says"]), columns)
    return Trace(
        head["text"], tuple(head["tokens"]), tuple(found[n] for n in head["order"]), ids=np.array(head["ids"], np.int64),
        spans=tuple((int(a), int(b)) for a, b in head["spans"]), unknown=tuple(head["unknown"]), offset=head["offset"], total=head["total"],
    )  # fmt: skip


def script(view_id: str, picks: Mapping[str, int], names: Sequence[str], options: Mapping[str, Any], run: str, model: str, text: str) -> str:
    """A short program that draws the same figure from `trace.npz` beside it.  ValueError for an option that is no literal."""
    for name, value in options.items():
        if not name.isidentifier() or ast.literal_eval(ascii(value)) != value:
            raise ValueError(f"option {name!r} cannot be written into a program")
    said = {"model": model, "run": run, "text": text}
    return f'''"""Draws a figure of Unrolled again, from trace.npz in this folder.  Python finds `engine` in Unrolled's own folder."""

from pathlib import Path

from engine.export import read_trace, render
from engine.registry import views

HERE = Path(__file__).parent
STAMP = {said!a}
PICKS = {dict(picks)!a}
OPTIONS = {dict(options)!a}

trace = read_trace(HERE / "trace.npz")
inputs = []
for name in {list(names)!a}:
    found = trace[name]
    axes = getattr(found, "axis_names", ())
    inputs.append(found.pick(**{{a: p for a, p in PICKS.items() if a in axes}}) if axes else found)
figure = views.get({view_id!a}).draw(*inputs, **OPTIONS)
for format in ("html", "svg"):
    (HERE / f"figure.{{format}}").write_bytes(render(figure, format, STAMP))
'''


def file_name(*parts: str, format: str) -> str:
    """A short name that every file system takes: letters, digits and hyphens of the parts, 80 bytes at most."""
    words = unicodedata.normalize("NFC", "-".join(("unrolled", *parts))).encode("utf-8", "ignore").decode()
    name = re.sub(r"[^\w]+|_+", "-", words).strip("-").lower()
    return f"{name.encode()[:80].decode('utf-8', 'ignore').strip('-')}.{re.sub('[^a-z0-9]', '', format.lower())}"
