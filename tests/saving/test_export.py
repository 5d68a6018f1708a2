"""Files: what is saved can be opened, says where it comes from, and makes the same figure again."""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from pypdf import PdfReader

from engine.core.registry import views
from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace
from engine.saving.export import (
    DATA,
    FORMATS,
    ExportUnavailable,
    data,
    file_name,
    read_trace,
    render,
    script,
    write_trace,
)
from engine.saving.renderer import Renderer
from engine.views.figure import Figure
from tests.conftest import ROOT, sampled, together
from tests.views.test_contract import HOSTILE, ONE_KIND, inputs

STAMP = {
    "model": "lstm",
    "run": "lstm-0123456789ab",
    "text": 'the <b>cat</b> -- "sat" </script><script>alert(1)</script> 日本 (ü)',
}
WORDS = ("the", " cat", "\n", "日本語", "👩‍👩‍👧", "<script>alert(1)</script>", "$x$", "the")


def grid(queries: tuple[str, ...] = WORDS, keys: tuple[str, ...] = WORDS) -> Figure:
    spec = FieldSpec("attention", Kind.ATTENTION, ("query", "key"), "Where it looks.", "A")
    values = np.full((len(queries), len(keys)), 1 / len(keys), np.float32)
    axes = (Axis("query", queries), Axis("key", keys))
    return views.get("heatmap").draw(Field(spec, values, axes))


def space() -> Figure:
    """As a view of a reader's own may draw."""
    places = pd.DataFrame({"x": [0, 1], "y": [1, 0], "z": [2, 2]})
    return Figure("A space", go.Figure(go.Scatter3d(**places)), places, "Two points.")


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    made = Renderer(timeout_seconds=90)
    yield made
    made.close()


def chunks(png: bytes) -> dict[str, str]:
    """The words in a PNG, read by the format's own rules."""
    found, at = {}, 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"tEXt":
            key, value = body.split(b"\0", 1)
            found[key.decode()] = value.decode("latin-1")
        if kind == b"iTXt":
            key, value = body.split(b"\0", 1)
            found[key.decode()] = value[4:].decode()
        at += 12 + size
    return found


def test_png(renderer: Renderer) -> None:
    png = renderer.render(grid(), "png", STAMP)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert chunks(png)["Text"] == STAMP["text"] and chunks(png)["Run"] == STAMP["run"]
    one = struct.unpack(">II", png[16:24])
    svg = renderer.render(grid(), "svg", STAMP).decode()
    width = int(svg.split('width="')[1].split('"')[0])
    assert one[0] == 2 * width
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        image.load()
        assert image.info["Model"] == "lstm"


def test_svg_says_where_it_comes_from_and_holds_no_script(renderer: Renderer) -> None:
    from xml.etree import ElementTree

    svg = renderer.render(grid(), "svg", {**STAMP, "text": STAMP["text"] + "\x00\ud800"}).decode()
    tree = ElementTree.fromstring(svg)
    names = {element.tag.rsplit("}")[-1] for element in tree.iter()}
    assert "script" not in names and "title" in names
    said = next(e.text for e in tree.iter() if e.tag.endswith("desc"))
    assert said is not None and STAMP["text"] in said and STAMP["run"] in said
    assert "日本語" in svg and "·cat" in svg


def information(pdf: bytes) -> dict[str, str]:
    """What a PDF says of itself, read by a library of its own."""
    reader = PdfReader(io.BytesIO(pdf), strict=True)
    assert len(reader.pages) == 1 and reader.metadata is not None
    return {k.removeprefix("/"): str(v) for k, v in reader.metadata.items()}


def test_pdf(renderer: Renderer) -> None:
    said = information(renderer.render(grid(), "pdf", STAMP))
    assert {k: said[k.capitalize()] for k in STAMP} == STAMP


def test_pdf_of_letters_and_of_pixels() -> None:
    """Letters stay letters; a page with a character that no PDF can hold becomes pixels, and says so."""
    letters = render(grid(("the", "日本"), ("a", "b")), "pdf")
    assert b"/Font" in letters and "Note" not in information(letters)
    assert render(grid(), "pdf").startswith(b"%PDF")


@pytest.mark.browser
@pytest.mark.parametrize("make", [grid, pytest.param(space, marks=pytest.mark.slow)])
def test_html_opens_offline(
    make: Callable[[], Figure], chromium: str | None, tmp_path: Path
) -> None:
    """In a real browser: the figure appears, hovering over hostile words runs nothing, no error,
    nothing is asked for."""
    from playwright.sync_api import sync_playwright

    path = tmp_path / "figure.html"
    path.write_bytes(render(make(), "html", STAMP))
    errors: list[str] = []
    asked: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("dialog", lambda d: errors.append("a script of a label ran"))
        page.on("request", lambda r: asked.append(r.url.partition(":")[0]))
        page.goto(path.as_uri())
        page.wait_for_selector("#figure svg", state="attached", timeout=60_000)
        box = page.locator("#figure").bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 200
        for k in range(6):
            across, down = box["width"] * (0.3 + 0.05 * k), box["height"] * (0.3 + 0.07 * k)
            page.mouse.move(box["x"] + across, box["y"] + down)
            page.wait_for_timeout(60)
        assert page.evaluate("document.querySelectorAll('script').length") == 2
        browser.close()
    assert not errors and set(asked) <= {"file", "data", "blob"}


@pytest.mark.parametrize("make", [grid, pytest.param(space, marks=pytest.mark.slow)])
def test_html_stands_alone(renderer: Renderer, make: Callable[[], Figure]) -> None:
    page = renderer.render(make(), "html", STAMP).decode()
    assert "<script src" not in page and "<link" not in page and "default-src 'none'" in page
    assert "</script><script>alert" not in page
    assert 'name="unrolled:run" content="lstm-0123456789ab"' in page
    assert page == render(make(), "html", STAMP).decode()


@sampled("id,n,kind", ONE_KIND)
def test_data_of_every_view(id: str, n: int, kind: Kind | None) -> None:
    view = views.get(id)
    figure = view.draw(*inputs(view, n, kind))
    csv = pd.read_csv(io.BytesIO(render(figure, "csv", STAMP)), keep_default_na=False)
    parquet = render(figure, "parquet", STAMP)
    back = pd.read_parquet(io.BytesIO(parquet))
    assert len(csv) == len(back) == len(figure.frame)
    assert list(back.columns) == list(figure.frame.columns)
    for name in figure.frame.columns:
        np.testing.assert_array_equal(back[name].to_numpy(), figure.frame[name].to_numpy())
    import pyarrow.parquet as pq

    assert pq.read_schema(io.BytesIO(parquet)).metadata[b"unrolled.text"].decode() == STAMP["text"]
    spec = json.loads(render(figure, "json", STAMP))
    said = spec["layout"]["meta"] if figure.is_plotly else spec["usermeta"]
    assert said["unrolled"]["run"] == STAMP["run"]


def test_what_cannot_be_saved_is_said() -> None:
    with pytest.raises(ValueError, match="no format 'bmp'; there are png"):
        render(grid(), "bmp")
    assert {"png", "svg", "pdf", "html", "csv", "parquet", "json"} == set(FORMATS)
    with pytest.raises(ExportUnavailable, match="camera button"):
        render(space(), "png")
    assert render(space(), "html").startswith(b"<!doctype html>")


def test_renderer_outlives_its_child_and_serves_several_threads(renderer: Renderer) -> None:
    first = renderer.render(grid(), "svg")
    child = renderer.process
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    killed: list[int] = []

    def kill_the_next() -> None:
        while (one := renderer.process) in (None, child):
            time.sleep(0.01)
        assert one is not None
        killed.append(one.pid)
        one.kill()  # in the middle of the work

    killer = threading.Thread(target=kill_the_next)
    killer.start()
    assert renderer.render(grid(), "svg") == first
    killer.join()
    assert renderer.process is not None and renderer.process.pid not in (child.pid, *killed)
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: renderer.render(grid(), "svg"), range(6)))
    assert len(made) == 6 and len(set(made)) == 1


def test_renderer_gives_up_in_time() -> None:
    hasty = Renderer(timeout_seconds=0.05)
    try:
        with pytest.raises(TimeoutError, match=r"longer than 0.05 seconds"):
            hasty.render(grid(), "pdf")
    finally:
        hasty.close()


def test_renderer_says_what_is_wrong(renderer: Renderer) -> None:
    import altair as alt

    odd = Figure(
        "odd", alt.LayerChart.from_dict({"layer": [{"mark": "point"}]}), pd.DataFrame(), "Odd."
    )
    odd.chart.layer[0].transform = [{"calculate": "this is no expression", "as": "x"}]
    with pytest.raises(RuntimeError, match="could not be drawn"):
        renderer.render(odd, "svg")
    assert renderer.render(grid(), "svg")


def test_the_child_knows_neither_torch_nor_streamlit() -> None:
    code = (
        "import sys, engine.saving.renderer, vl_convert; bad = {'torch', 'streamlit', 'altair', 'pandas'}"
        " & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def trace() -> Trace:
    rng = np.random.default_rng(0)
    labels = (*(f"word{i}" for i in range(997)), "\x00", "日本", "\ud800")
    token, following = Axis("token", HOSTILE[:5]), Axis("next", labels)
    p, axes = rng.random((5, 1000)), ("token", "next")
    score = FieldSpec("logits", Kind.SCORE, axes, "Before.", "z", "nats", (-5.0, 5.0))
    chance = FieldSpec("probability", Kind.PROBABILITY, axes, "After.")
    share_TV = (p / p.sum(-1, keepdims=True)).astype(np.float32)
    fields = (
        Field(score, np.where(p > 0.5, -np.inf, p).astype(np.float32), (token, following)),
        Field(chance, share_TV, (token, following)),
        Table(
            TableSpec("merges", ("left", "count", "share", "sure"), "Merges."),
            {
                "left": np.array(["a\x00", '"', "\ud800"], object),
                "count": np.array([1, 2, 3], np.int32),
                "share": np.array([np.nan, np.inf, 0.1]),
                "sure": np.array([True, False, True]),
            },
        ),
        Field(
            FieldSpec("gate.forget", Kind.GATE, ("layer", "token", "unit"), "Keeps.", "f_t"),
            rng.random((1, 5, 4), np.float32),
            (Axis("layer", ("0",)), token, Axis("unit", tuple("abcd"))),
        ),
    )
    return Trace(
        "the the the\n\t",
        HOSTILE[:5],
        fields,
        ids=np.array([5, 5, 6, 7, 8]),
        spans=((0, 3), (3, 6), (6, 10), (10, 11), (11, 12)),
        unknown=(2,),
        offset=3,
        total=8,
    )


def test_trace_round_trip_is_exact(tmp_path: Path) -> None:
    a = trace()
    body = write_trace(a, "run-1")
    (tmp_path / "trace.npz").write_bytes(body)
    assert body == write_trace(a, "run-1")
    b = read_trace(tmp_path / "trace.npz")
    for name in ("text", "tokens", "spans", "unknown", "offset", "total"):
        assert getattr(b, name) == getattr(a, name), name
    np.testing.assert_array_equal(a.ids, b.ids)
    assert b.ids.dtype == np.int64 and list(a) == list(b)
    for name in a:
        one, two = a[name], b[name]
        assert one.spec == two.spec
        if isinstance(one, Field):
            assert (
                isinstance(two, Field) and one.axes == two.axes and two.values.dtype == np.float32
            )
            np.testing.assert_array_equal(one.values, two.values)
        else:
            assert isinstance(two, Table)
            for column, values in one.columns.items():
                np.testing.assert_array_equal(values, two.columns[column])
                assert values.dtype == two.columns[column].dtype


def test_trace_file_as_promised(tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    path.write_bytes(write_trace(trace(), "run-1"))
    with np.load(path, allow_pickle=False) as file:
        head = json.loads(str(file["trace"]))
        assert set(file.files) == {"trace", "logits", "probability", "gate.forget"}
        assert file["gate.forget"].shape == (1, 5, 4) and file["gate.forget"].dtype == np.float32
    assert (head["text"], head["run"], len(head["tokens"])) == ("the the the\n\t", "run-1", 5)
    assert len(head["fields"]["probability"]["labels"][1]) == 1000
    # 1,000 labels are written once
    assert head["fields"]["logits"]["labels"][1] == {"same_as": ["probability", 1]}
    told = {key: of for key, of in head["fields"]["gate.forget"].items() if key != "labels"}
    words = {"kind": "gate", "symbol": "f_t", "says": "Keeps.", "unit": "", "domain": None}
    assert told == {"axes": ["layer", "token", "unit"], **words}


def saved(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def test_what_is_no_trace_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, good = tmp_path / "bad.npz", write_trace(trace())

    def refused(body: bytes) -> None:
        path.write_bytes(body)
        with pytest.raises(ValueError, match=r"bad.npz is not a trace file"):
            read_trace(path)

    for body in (
        b"",
        b"PK\x03\x04 not a zip",
        b"\x80\x04N.",
        good[: len(good) // 2],
        good[:300] + bytes(b ^ 255 for b in good[300:320]) + good[320:],
        saved(trace=np.array([{"a": 1}], object)),
        saved(x=np.zeros(3)),
        saved(trace=np.array("[" * 100_000 + "]" * 100_000)),
        saved(trace=np.array('{"fields": {}}')),
    ):
        refused(body)
    monkeypatch.setattr("engine.saving.export.MOST_READ", len(good))
    refused(good)


def test_the_script_draws_the_same_figure(tmp_path: Path) -> None:
    a = trace()
    text = 'a"""b\\\'{PICKS}\n#'
    code = script(
        "heatmap",
        {"layer": 0, "head": 9},
        ["gate.forget"],
        {"dark": True, "of": "LSTM', layer 1"},
        "run-1",
        "lstm",
        text,
    )
    assert len(code.splitlines()) < 30
    (tmp_path / "trace.npz").write_bytes(write_trace(a, "run-1"))
    (tmp_path / "figure.py").write_text(code)
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    subprocess.run(
        [sys.executable, "-W", "error", tmp_path / "figure.py"],
        cwd=tmp_path,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    figure = views.get("heatmap").draw(
        a.field("gate.forget").pick(layer=0), dark=True, of="LSTM', layer 1"
    )
    stamp = {"model": "lstm", "run": "run-1", "text": text}
    assert (tmp_path / "figure.html").read_bytes() == render(figure, "html", stamp)
    assert (tmp_path / "figure.svg").read_bytes() == render(figure, "svg", stamp)


def test_the_script_takes_only_literals_and_a_trace_no_field_of_its_name() -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        script("heatmap", {}, ["x"], {"of=1); import os; (": 1}, "r", "m", "t")
    with pytest.raises(ValueError, match=r"malformed|cannot be written"):
        script("heatmap", {}, ["x"], {"of": Path("/")}, "r", "m", "t")
    spec, axis = FieldSpec("trace", Kind.GATE, ("unit",), ""), Axis("unit", ("a",))
    with pytest.raises(ValueError, match="named 'trace'"):
        write_trace(Trace("", (), (Field(spec, np.zeros(1, np.float32), (axis,)),)))


@together(
    "part",
    ["../../etc/passwd", "a/b\\c:d*?", "\x00\n", "x" * 500, "", "日本語 " * 60, "\ud800", "CON"],
)
def test_file_names_are_safe(part: str) -> None:
    name = file_name("lstm", part, format="svg")
    assert name.startswith("unrolled-lstm") and name.endswith(".svg") and len(name.encode()) <= 84
    assert not set(name) & set('/\\:*?"<>|\x00\n ') and ".." not in name


def test_data_needs_no_child() -> None:
    idle = Renderer()
    started = time.monotonic()
    for format in DATA:
        assert idle.render(grid(), format)
    assert idle.process is None and time.monotonic() > started


def test_a_label_that_stands_in_many_rows_is_written_once() -> None:
    """And the file is that of each row by itself."""
    n = 30_000
    label_N = np.array([f"word{i}, of a “row”" for i in range(500)], object)[np.arange(n) // 60]
    made = pd.DataFrame({"row_label": label_N, "value": np.arange(n, dtype=np.float32)})
    made.loc[3, "row_label"] = None
    odd = pd.DataFrame({"a": pd.Series([1, True, 1.0, None, "\ud83d"], dtype=object)})
    for frame in (made, odd):
        plain = frame.assign(
            **{
                name: [str(v).encode("utf-8", "replace").decode() for v in frame[name]]
                for name in frame
                if frame[name].dtype.kind not in "biuf"
            }
        )
        written = data(frame, "parquet", {})  # what that imports is not counted
        tracemalloc.start()
        try:
            assert data(frame, "parquet", {}) == written
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert pd.read_parquet(io.BytesIO(written)).equals(plain)
        assert data(frame, "csv", {}) == plain.to_csv(index=False).encode()
        assert most < 100 * n  # each row with a text of its own: 200
