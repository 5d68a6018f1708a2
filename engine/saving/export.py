"""Export: figures as files, traces as files, and the short script that makes a figure again.

`render` works in this process; `engine.saving.renderer` does the same in a child.  No file fetches
anything when it is opened.

trace.npz   one float32 array per field under its name, and under `trace` a JSON text: text, tokens,
            run, ids, spans, unknown, offset, total; `fields`: per name axes, labels (one list per
            axis), kind, symbol, says, unit, domain;
            `tables`: per name says, columns, types, values.  A long list of labels is written once:
            the other fields that have it say {"same_as": [field, axis number]}.  Read it with
            numpy.load(..., allow_pickle=False).
"""

from __future__ import annotations

import ast
import html
import io
import json
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace
from engine.language.message import _, refusal
from engine.saving.snapshot import vectors
from engine.saving.stamp import page as stamp_page
from engine.saving.stamp import pdf as stamp_pdf
from engine.saving.stamp import png as stamp_png
from engine.saving.stamp import svg as stamp_svg
from engine.saving.stamp import words
from engine.text.segmentation import in_word
from engine.views.figure import Figure

if TYPE_CHECKING:
    import pandas as pd

PICTURES, DATA = ("png", "svg", "pdf", "html"), ("csv", "parquet", "json")
FORMATS = (*PICTURES, *DATA)
MOST_READ = 4_000_000_000  # bytes of a trace.npz, unpacked; more is for numpy itself
LONG = 256  # labels; shorter lists are written with every field


class ExportUnavailable(RuntimeError):
    """This format cannot be made here; the message says what can."""


def render(figure: Figure, format: str, stamp: Mapping[str, str] | None = None) -> bytes:
    """The figure as a file.  `stamp` (model, run, text ...) is written into it wherever the format
    has a place.

    PNG has twice the pixels.  CSV stays bare: its stamp is the file name.
    ValueError for a format not in FORMATS; ExportUnavailable for a picture of a 3-D figure.
    """
    stamp = dict(stamp or {})
    return _data(figure, format, stamp) if format in DATA else paint(*job(figure, format, stamp))


def _data(figure: Figure, format: str, stamp: dict[str, str]) -> bytes:
    if format == "json":
        spec = json.loads(figure.chart.to_json())
        meta = {"unrolled": {"title": figure.title, **stamp}}
        return json.dumps(
            {**spec, "layout": {**spec["layout"], "meta": meta}}
            if figure.is_plotly
            else {**spec, "usermeta": meta}
        ).encode()
    return data(figure.frame, format, {"title": figure.title, **stamp})


def data(frame: pd.DataFrame, format: str, said: Mapping[str, str]) -> bytes:
    """A table as CSV, or as Parquet with the words of `said`."""
    frame = frame.copy(deep=False)
    for name in frame.columns:
        if frame[name].dtype.kind not in "biuf":  # half a surrogate pair cannot be written as UTF-8
            frame[name] = _writable(frame[name])
    if format == "csv":
        out = io.BytesIO()
        frame.to_csv(out, index=False)
        return out.getvalue()
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    noted = {f"unrolled.{k}".encode(): v.encode("utf-8", "replace") for k, v in said.items()}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), **noted}), out)
    return out.getvalue()


def _writable(column: pd.Series[Any]) -> Any:
    """As texts that can be written.  Of texts each one once: a matrix in long form has a million
    labels, few of which differ."""
    if isinstance(column.dtype, np.dtype):  # of anything, where equal things may read differently
        return [_written(v) for v in column]
    which_N, known = column.factorize(use_na_sentinel=False)
    return np.array([_written(v) for v in known], object)[which_N] if len(known) else column


def _written(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode()


def frame(entries: Sequence[Field | Table]) -> pd.DataFrame:
    """Fields and tables as one table in long form.

    Fields over the same axes become columns beside each other; what differs stands one below the
    other, with its name in the column `entry`.
    """
    import pandas as pd

    fields = [e for e in entries if isinstance(e, Field)]
    if len(entries) == 1:
        return entries[0].frame()
    if len(fields) == len(entries) and all(f.axes == fields[0].axes for f in fields):
        places = fields[0].frame().drop(columns="value")
        return places.assign(**{f.spec.name: f.values.ravel() for f in fields})
    parts = [e.frame().assign(entry=e.spec.name) for e in entries]
    found = pd.concat(parts, ignore_index=True)
    return found[["entry", *(c for c in found.columns if c != "entry")]]


def job(
    figure: Figure, format: str, stamp: Mapping[str, str]
) -> tuple[str, str, bool, dict[str, str]]:
    """What `paint` needs, as plain text: specification, format, whether it is Plotly's, and the
    words to write into the file."""
    if format not in FORMATS:
        raise refusal("no format {format}; there are {FORMATS}", format=repr(format))
    said = words(figure.title, figure.alt_text, stamp)
    if figure.is_plotly and format != "html":
        raise ExportUnavailable(
            _(
                "A picture in space is not saved as {upper} here: the camera button above it"
                " saves it as it is turned, and as HTML it goes on turning in any browser.",
                upper=format.upper(),
            )
        )
    return figure.chart.to_json(), format, figure.is_plotly, said


def paint(spec: str, format: str, plotly: bool, said: dict[str, str]) -> bytes:
    """A specification (JSON) as a picture.  Needs neither altair nor pandas, so the child starts
    fast."""
    if format == "html":
        return _page(spec, plotly, said)
    import vl_convert

    # No address is allowed: a chart carries its data, and a label must not be able to fetch.
    options: dict[str, Any] = {"allowed_base_urls": []}
    if format == "png":
        return stamp_png(vl_convert.vegalite_to_png(spec, scale=2, **options), said)
    svg = vl_convert.vegalite_to_svg(spec, **options)
    if format == "svg":
        return stamp_svg(_counted(svg.encode()), said)
    return stamp_pdf(vectors(svg, said), said)


def _counted(made: bytes) -> bytes:
    """The library counts its clips and gradients from one picture to the next; here each file
    counts from 0."""
    order = {
        name: b"%d" % i
        for i, name in enumerate(
            dict.fromkeys(re.findall(rb"<[^<>]* id=\"((?:clip|gradient_)\d+)\"", made))
        )
    }
    return re.sub(
        rb"<[^<>]*>",
        lambda tag: re.sub(
            rb"(?:clip|gradient_)\d+",
            lambda n: b"u" + order[n[0]] if n[0] in order else n[0],
            tag[0],
        ),
        made,
    )


@cache
def _library(plotly: bool) -> str:
    if plotly:
        from plotly.offline import get_plotlyjs

        return str(get_plotlyjs())
    import vl_convert

    return str(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # the stub forgets the default


def _page(spec: str, plotly: bool, said: dict[str, str]) -> bytes:
    chart = json.loads(spec)
    inside = json.dumps(chart).replace("<", "\\u003c")  # so that no label can close the script
    # The page's colours are the chart's own: this file names none.
    if plotly:
        layout = chart["layout"]
        paper, ink = layout.get("paper_bgcolor"), layout.get("font", {}).get("color")
        draw = 'Plotly.newPlot("figure", spec.data, spec.layout, {displaylogo: false})'
    else:
        config = chart.get("config", {})
        paper, ink = config.get("background"), config.get("title", {}).get("subtitleColor")
        draw = (
            'vegaEmbed("#figure", spec, {renderer: "svg", actions: {export: true, source: false,'
            " compiled: false, editor: false}})"
        )
    return stamp_page(
        said,
        f'<div id="figure" role="img" aria-label="{html.escape(said["Description"])}"></div>',
        policy="script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src 'unsafe-inline';"
        " img-src data: blob:; font-src data:; worker-src blob:",
        paper=paper,
        ink=ink,
        scripts=f"<script>{_library(plotly)}</script>\n"
        f"<script>(() => {{ const spec = {inside}; {draw}; }})();</script>",
    )


def write_trace(trace: Trace, run: str = "") -> bytes:
    """The bytes of trace.npz; the same trace gives the same bytes.  ValueError for a field named
    `trace`."""
    if "trace" in trace:
        raise ValueError("a field may not be named 'trace': that name holds the words of the file")
    fields = {str(n): f for n, f in trace.items() if isinstance(f, Field)}
    first: dict[Sequence[str], list[Any]] = {}
    written: dict[str, list[Any]] = {}
    # the field most read has its labels in full
    for name in sorted(fields, key=lambda n: n != "probability"):
        written[name] = []
        for k, axis in enumerate(fields[name].axes):
            known = first.setdefault(axis.labels, [name, k]) if len(axis) >= LONG else [name, k]
            written[name].append(list(axis.labels) if known == [name, k] else {"same_as": known})
    head = {
        "text": trace.text,
        "tokens": trace.tokens,
        "run": run,
        "ids": trace.ids.tolist(),
        "spans": trace.spans,
        "unknown": [int(u) for u in trace.unknown],
        "offset": trace.offset,
        "total": trace.total,
        "order": list(trace),
        "fields": {
            n: {
                "axes": f.spec.axes,
                "labels": written[n],
                "kind": str(f.spec.kind),
                "symbol": f.spec.symbol,
                "says": f.spec.says,
                "unit": f.spec.unit,
                "domain": f.spec.domain,
            }
            for n, f in fields.items()
        },
        "tables": {
            n: {
                "says": t.spec.says,
                "columns": t.spec.columns,
                "types": [np.asarray(c).dtype.str for c in t.columns.values()],
                "values": [_listed(np.asarray(c)) for c in t.columns.values()],
            }
            for n, t in trace.items()
            if isinstance(t, Table)
        },
    }
    out = io.BytesIO()
    arrays = {"trace": np.array(json.dumps(head)), **{n: f.values for n, f in fields.items()}}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, array in arrays.items():  # numpy.savez would write the time of day
            body = io.BytesIO()
            np.lib.format.write_array(
                body, np.ascontiguousarray(array) if array.ndim else array, allow_pickle=False
            )
            file.writestr(zipfile.ZipInfo(name + ".npy"), body.getvalue(), zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def _listed(column: np.ndarray) -> list[Any]:
    """A column as JSON can hold it: numbers that are not finite as their names."""
    values: list[Any] = column.tolist()
    return [str(v) if isinstance(v, float) and not np.isfinite(v) else v for v in values]


def read_trace(path: str | Path) -> Trace:
    """A trace.npz again.  ValueError, in one sentence, where the file is not one."""
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_READ:
                raise MemoryError
        with Path(path).open("rb") as body, np.load(body, allow_pickle=False) as file:
            return _read_trace(json.loads(str(file["trace"])), file)
    except FileNotFoundError:
        raise
    except (
        OSError,
        LookupError,
        TypeError,
        AttributeError,
        EOFError,
        RecursionError,
        MemoryError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
    ) as error:
        raise refusal(
            "{name} is not a trace file of Unrolled, or it is damaged ({name_2})",
            name=Path(path).name,
            name_2=type(error).__name__,
        ) from error


def _read_trace(head: Mapping[str, Any], file: Mapping[str, np.ndarray]) -> Trace:
    """From its JSON text and its arrays by name."""
    found: dict[str, Field | Table] = {}
    for name, note in head["fields"].items():
        lists = [
            head["fields"][v["same_as"][0]]["labels"][v["same_as"][1]] if isinstance(v, dict) else v
            for v in note["labels"]
        ]
        axes = tuple(Axis(a, tuple(labels)) for a, labels in zip(note["axes"], lists, strict=True))
        domain = tuple(note["domain"]) if note["domain"] else None
        spec = FieldSpec(
            name,
            Kind(note["kind"]),
            tuple(note["axes"]),
            note["says"],
            note["symbol"],
            note["unit"],
            domain,
        )
        found[name] = Field(spec, file[name], axes)
    for name, note in head["tables"].items():
        types = [np.dtype(object if t == "|O" else t) for t in note["types"]]
        columns = {
            c: np.array(v, t)
            for c, v, t in zip(note["columns"], note["values"], types, strict=True)
        }
        found[name] = Table(TableSpec(name, tuple(note["columns"]), note["says"]), columns)
    return Trace(
        head["text"],
        tuple(head["tokens"]),
        tuple(found[n] for n in head["order"]),
        ids=np.array(head["ids"], np.int64),
        spans=tuple((int(a), int(b)) for a, b in head["spans"]),
        unknown=tuple(head["unknown"]),
        offset=head["offset"],
        total=head["total"],
    )


def script(
    view_id: str,
    picks: Mapping[str, int],
    names: Sequence[str],
    options: Mapping[str, Any],
    run: str,
    model: str,
    text: str,
) -> str:
    """A short program that takes the same numbers out of `trace.npz` beside it, writes them as a
    table, and draws them with a view of engine/views where `view_id` names one.

    ValueError for an option that is no literal.
    """
    for name, value in options.items():
        if not name.isidentifier() or ast.literal_eval(ascii(value)) != value:
            raise refusal("option {name} cannot be written into a program", name=repr(name))
    said = {"model": model, "run": run, "text": text}
    return f'''"""The numbers of a figure of Unrolled again, from trace.npz in this folder.  \
Python finds `engine` in Unrolled's own folder."""

from pathlib import Path

from engine.saving.export import frame, read_trace, render
from engine.core.registry import views

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
frame(inputs).to_csv(HERE / "figure.csv", index=False)
{drawn(view_id)}'''


def drawn(view_id: str) -> str:
    """The last lines of a program: the inputs drawn by a view, where `view_id` names one."""
    return (
        view_id
        and f"""figure = views.get({view_id!a}).draw(*inputs, **OPTIONS)
for format in ("html", "svg"):
    (HERE / f"figure.{{format}}").write_bytes(render(figure, format, STAMP))
"""
    )


def file_name(*parts: str, format: str) -> str:
    """A short name that every file system takes: letters, digits and hyphens of the parts, 80 bytes
    at most."""
    words = (
        unicodedata.normalize("NFC", "-".join(("unrolled", *parts)))
        .encode("utf-8", "ignore")
        .decode()
    )
    name = re.sub("-+", "-", "".join(c if in_word(c) else "-" for c in words)).strip("-").lower()
    return f"{name.encode()[:80].decode('utf-8', 'ignore').strip('-')}.{re.sub('[^a-z0-9]', '', format.lower())}"
