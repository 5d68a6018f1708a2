"""What every view must do, on inputs made from its own needs: no model runs here."""

from __future__ import annotations

import inspect
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import plotly.graph_objects as go
import pytest
import vl_convert

from engine.core.registry import views
from engine.core.trace import AXES, Axis, Field, FieldSpec, Kind, Table, TableSpec
from engine.saving.export import render
from engine.views import theme
from engine.views.base import Need
from engine.views.figure import Figure
from tests.conftest import sampled, together

HOSTILE = (
    *("the", "the", " the", "\n", "\t", "", "<b>", "</script><script>alert(1)</script>", "$x^2$"),
    *("**bold**", "datum.value + ']'", 'say "hi"', "back\\slash", "'; drop", "日本語", "👩‍👩‍👧"),
    *("שלום", "\u202eevil", "a\x00b", "x" * 300, "{{ x }}", "%{x}", "&amp;"),
)
SIGNED = {Kind.STATE, Kind.SCORE, Kind.GRADIENT, Kind.COSINE}


def most(id: str) -> int | None:
    """As many as are drawn unless more are asked for; None where all are."""
    top = inspect.signature(views.get(id).draw).parameters.get("top")
    return top.default if top else None


def field(kind: Kind, names: Any, labels: Any = HOSTILE, seed: int = 0, spoil: bool = False) -> Any:
    sizes = [len(labels), 5, 4, 3] if len(names) < 3 else [3, 2, len(labels), 5]
    if set(names[-2:]) == {"query", "key"}:
        sizes = [2, 3, len(labels), len(labels)][-len(names) :]
    shown = [labels if s == len(labels) else tuple(map(str, range(s))) for s in sizes]
    axes = tuple(Axis(*one) for one in zip(names, shown, strict=False))
    v = np.random.default_rng(seed).random([len(a) for a in axes])
    if kind in (Kind.PROBABILITY, Kind.ATTENTION):
        v /= v.sum(-1, keepdims=True)
    if kind in SIGNED:
        v = 2 * v - 1
    if kind is Kind.COUNT:
        v = np.floor(50 * v)
    if spoil:
        v.flat[0], v.flat[1], v.flat[2] = np.nan, np.inf, -np.inf
    spec = FieldSpec("made.up", kind, names, "A made-up quantity.", "x_t")
    return Field(spec, v.astype(np.float32), axes)


def table(columns: tuple[str, ...], words: tuple[str, ...] = HOSTILE, spoil: bool = False) -> Table:
    n = len(words)
    rng = np.random.default_rng(1)
    stop = np.array([len(w) for w in words]).cumsum()
    at = np.arange(n)
    said = np.array(words, object)
    made = dict.fromkeys("word token rung series from relation step".split(), said)
    made |= {"neighbour": said[::-1], "to": said[::-1], "text": said[:3][at % 3]}
    made |= {"reader": np.array(["<i>one</i>"] * n, object), "node": at, "parent": (at - 1) // 3}
    made |= {name: rng.normal(size=n) for name in "x y z to_x to_y".split()}
    most = {"bits": 9, "bits_per_character": 5, "part": 0.1, "discount": 0.5, "value": 1e4}
    most |= dict.fromkeys("weight share probability q score".split(), 1) | {"frequency": 1e4}
    made |= {name: size * rng.random(n) for name, size in most.items()}
    made |= {"cosine": 2 * rng.random(n) - 1, "neighbours": np.floor(9 * rng.random(n))}
    made |= {"rank": at + 1, "group": at % 3, "count": at % 4, "total": at % 7 + 4}
    made |= {"start": np.r_[0, stop[:-1]], "stop": stop, "order": at % 7 * 1.0}
    made |= {"before": stop / 9.0, "after": stop / 9.0 + rng.random(n), "copied": at % 5 < 2}
    made |= {"marked": at % 5 < 2, "centre": at == 4, "near": abs(at - 4) < 4}
    own = [name for name in columns if name not in made]
    made |= {name: rng.random(n) for name in own}  # numbers, for a column that no other view has
    if spoil:
        numbers = "cosine bits bits_per_character x frequency part value share probability after"
        for name in (*own, *numbers.split(), "score"):
            made[name][:3] = np.nan, np.inf, -np.inf
    return Table(TableSpec("made.up", columns, "A made-up list."), {c: made[c] for c in columns})


def axes_of(need: Need, kind: Kind) -> tuple[str, ...]:
    if isinstance(need.axes, tuple):
        return need.axes
    names = "query key" if kind is Kind.ATTENTION else "token unit"
    return ("layer", "head", *names.split())[-need.axes :]


def inputs(view: Any, n: int, kind: Kind | None, **more: Any) -> list[Field | Table]:
    need = view.needs[n]
    copies = 2 if need.many else 1
    if need.columns:
        return [table(need.columns, **more)] * copies
    return [field(kind, axes_of(need, kind), seed=i, **more) for i in range(copies)]


NEEDS = [(id, n, need) for id in views.ids() for n, need in enumerate(views.get(id).needs)]
CASES = [(i, n, k) for i, n, of in NEEDS for k in ([None] if of.columns else sorted(of.kinds))]
ONE_KIND = list({(id, n): (id, n, kind) for id, n, kind in CASES}.values())


def text_of(figure: Figure) -> str:
    return str(figure.chart.to_json())


@pytest.mark.parametrize(
    "id,n,kind",  # a field of one kind here, of the others with `make bench`
    [pytest.param(*c, marks=() if c in ONE_KIND else pytest.mark.slow) for c in CASES],
)
def test_draws_a_valid_chart_with_its_table_and_words(id: str, n: int, kind: Kind | None) -> None:
    view = views.get(id)
    given = inputs(view, n, kind)
    assert view.keeps(given[0].spec) is not None
    figure = view.draw(*given, of="Model <b>, layer $1$")
    assert figure.title and figure.alt_text.endswith((".", "”")) and len(figure.alt_text) > 20
    if figure.is_plotly:
        drawn = json.loads(text_of(figure))
        assert json.loads(go.Figure(drawn).to_json()) == drawn
    else:
        spec = figure.chart.to_dict()
        assert alt.Chart.from_dict(spec).to_dict() == spec
        assert spec["description"] == figure.alt_text and spec["title"]["text"]


@sampled("id,n,kind", ONE_KIND)
def test_same_input_same_chart_and_every_number(id: str, n: int, kind: Kind | None) -> None:
    """As many rows as numbers drawn: a repeated label is no repeated place; what can't be seen is written out."""
    view = views.get(id)
    given = inputs(view, n, kind)
    figure = view.draw(*given)
    views_of = (view.draw(*inputs(view, n, kind), dark=dark) for dark in (False, True, True))
    light, dark, again = map(text_of, views_of)
    assert light != dark == again
    frame, top = figure.frame, most(id)
    sizes = [len(one.frame()) if isinstance(one, Table) else one.values.size for one in given]
    cut = top is not None and not isinstance(given[0], Table)
    assert len(frame) == sum(min(size, top) if cut and top else size for size in sizes)
    if isinstance(given[0], Field) and {"token", "token_label"} <= set(frame.columns):
        the, blank_the = ((frame["token_label"] == label).sum() for label in ("the", " the"))
        assert the == 2 * blank_the
    assert "\\u202e" not in light and "\u202e" not in light + figure.alt_text + figure.title
    assert not [s for s in strings(json.loads(text_of(figure))) if "\x00" in s]
    if figure.is_plotly:
        words = [s for t in figure.chart.data for s in [*(t.text or ()), *t.hovertext]]
        assert not [s for s in words if "<script" in s or "$" in s.replace("&#36;", "")]


def strings(node: Any) -> list[str]:
    if isinstance(node, dict):
        return [s for v in node.values() for s in strings(v)]
    if isinstance(node, list):
        return [s for v in node for s in strings(v)]
    return [node] if isinstance(node, str) else []


@sampled("id,n,kind", ONE_KIND, each=2)
@pytest.mark.parametrize("spoil", [pytest.param(False, marks=pytest.mark.slow), True])
def test_renders(id: str, n: int, kind: Kind | None, spoil: bool) -> None:
    """Every chart becomes SVG, with hostile labels, and with numbers that are not finite shown as signs."""
    view = views.get(id)
    figure = view.draw(*inputs(view, n, kind, spoil=spoil), **({"top": 50} if most(id) else {}))
    if figure.is_plotly:
        return
    svg = vl_convert.vegalite_to_svg(text_of(figure), allowed_base_urls=[])
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert "NaN" not in svg
    assert "undefined" not in svg
    if spoil and not id.startswith("scatter"):
        assert ">?<" in svg or ">? " in svg
    if spoil:
        assert "not finite" in text_of(figure).lower() or "is not predicted" in text_of(figure)


@sampled("id,n,kind", ONE_KIND)
def test_a_legend_and_axis_titles(id: str, n: int, kind: Kind | None) -> None:
    view = views.get(id)
    figure = view.draw(*inputs(view, n, kind))
    if figure.is_plotly:
        assert figure.chart.layout.showlegend and figure.chart.layout.scene.xaxis.title.text
        return
    compiled = vl_convert.vegalite_to_vega(text_of(figure))
    if id not in ONE_SERIES:
        assert named(compiled, "legends")
    drawn = [a for a in named(compiled, "axes") if a.get("labels") is not False]
    lines = [a for a in drawn if not a.get("grid") and a["scale"] not in NAMES.get(id, "")]
    assert all(a["title"] for a in lines)


# their axis, or a name beside a circle or a place, says what it is
ONE_SERIES = ("bars", "waterfall")
NAMES = {"compare": "y"}  # an axis whose labels say what they are


def named(node: Any, key: str) -> list[Any]:
    """Every entry of every list with this name, however deep."""
    if isinstance(node, list):
        return [found for part in node for found in named(part, key)]
    if not isinstance(node, dict):
        return []
    return [*node.get(key, []), *(found for part in node.values() for found in named(part, key))]


@together(
    ("id", "size"),
    product((id for id in views.ids() if not views.get(id).needs[0].columns), (0, 1)),
)
def test_hardly_anything(id: str, size: int) -> None:
    view = views.get(id)
    need = view.needs[0]
    names = axes_of(need, Kind.GATE)
    kind = Kind.COUNT if Kind.COUNT in need.kinds else Kind.GATE
    axes = tuple(Axis(a, ("a",) * size) for a in names)
    made = Field(FieldSpec("x", kind, names, ""), np.zeros([size] * len(names), np.float32), axes)
    figure = view.draw(made)
    assert vl_convert.vegalite_to_svg(text_of(figure)).startswith("<svg")
    assert len(figure.frame) == size


def test_many_cells_are_one_picture_and_what_is_left_out_is_said() -> None:
    names = ("token", "unit")
    axes = (Axis("token", tuple("ab" * 100)), Axis("unit", tuple(map(str, range(101)))))
    values = np.linspace(0, 1, 200 * 101, dtype=np.float32).reshape(200, 101)
    gate = Field(FieldSpec("g", Kind.GATE, names, "A gate."), values, axes)
    figure = views.get("heatmap").draw(gate)
    spec = figure.chart.to_dict()
    assert spec["layer"][0]["mark"]["url"].startswith("data:image/png;base64,")
    assert len(figure.frame) == 200 * 101
    assert "<image" in vl_convert.vegalite_to_svg(spec)
    p = np.full(1000, 0.5 / 999, np.float32)
    p[7] = 0.5
    axes = Axis("token", ("a",)), Axis("next", tuple(map(str, range(1000))))
    spec = FieldSpec("p", Kind.PROBABILITY, ("next",), "A bet.")
    figure = views.get("bars").draw(Field(spec, p, axes[1:]), top=1)
    assert "top 1 of 1,000; 50.0 % not shown" in figure.title
    assert figure.frame["next_label"].tolist() == ["7"]
    wide = FieldSpec("p", Kind.PROBABILITY, ("token", "next"), "A bet.")
    figure = views.get("heatmap").draw(Field(wide, p[None].copy(), axes))
    assert "40 of 1,000" in text_of(figure) and 7 in figure.frame["next"].tolist()


LINEAR = [(id, dark) for id in sorted(Kind) for dark in (False, True)]


def luminance(colour: str) -> float:
    return float(theme.luminance(np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])))


@together("kind,dark", LINEAR)
def test_scales_are_ordered_by_lightness(kind: Kind, dark: bool) -> None:
    spec = FieldSpec("x", kind, ("token",), "")
    over = theme.scale(spec)
    stops = theme.stops(spec, dark)
    lightness = np.cbrt([luminance(colour) for colour in stops])  # close to CIE L*
    assert len(stops) >= 9 and over.low < over.high
    page = np.cbrt(luminance(theme.ink(dark).page))
    if over.diverging:
        middle = len(stops) // 2
        assert over.low == -over.high and abs(lightness[middle] - page) < 0.1
        np.testing.assert_allclose(lightness, lightness[::-1], atol=0.08)
        halves = [lightness[middle:], lightness[middle::-1]]
    else:
        halves = [lightness]
        assert abs(lightness[0] - page) < 0.1
    for half in halves:
        assert (np.diff(half) > 0.01).all() if dark else (np.diff(half) < -0.01).all()


def test_scale_follows_the_domain() -> None:
    spec = FieldSpec("c", Kind.STATE, ("unit",), "", domain=(-4.0, 4.0))
    assert (theme.scale(spec).low, theme.scale(spec).high) == (-4, 4)
    assert theme.scale(FieldSpec("n", Kind.COUNT, ("next",), ""), 250).high == 250
    assert theme.scale(FieldSpec("g", Kind.GRADIENT, ("next",), ""), 0.01).low == -0.01
    assert theme.scale(FieldSpec("b", Kind.LOSS, ("token",), "")).high == 16


def test_words_on_cells_and_page_can_be_read() -> None:
    """Contrast of at least 4.5 (WCAG AA) on every colour of every scale, and of the page's own words."""
    for kind, dark in LINEAR:
        over = theme.scale(FieldSpec("x", kind, ("token",), ""))
        values = np.linspace(over.low, over.high, 101)
        cells = theme.luminance(theme.palette(over.stops(dark), 101))
        words = np.array([luminance(colour) for colour in theme.inks(values, over, dark)])
        high, low = np.maximum(cells, words), np.minimum(cells, words)
        assert ((high + 0.05) / (low + 0.05)).min() >= 4.5, kind
    for dark in (False, True):
        ink = theme.ink(dark)
        for one in (ink.text, ink.quiet):
            low, high = sorted((luminance(ink.page), luminance(one)))
            assert (high + 0.05) / (low + 0.05) >= 4.5


def test_labels_are_visible_and_long_ones_end_in_an_ellipsis() -> None:
    as_they_are = ("日本", "👩\u200d👧", "e\u0301")
    signs = {" the": "·the", "\n": "⏎", "\t": "⇥", "": "∅"}
    codes = {label: f"U+{ord(label):04X}" for label in "\x00\u00a0\u202e\u200d\ud800"}
    for label, shown in (signs | codes | {one: one for one in as_they_are}).items():
        assert theme.visible(label) == shown
    assert theme.visible("x" * 100, 10) == "x" * 9 + "…"
    assert theme.visible("abcde\u0301fgh", 6) == "abcde\u0301…"  # é is one character


def test_colours_are_the_theme_s_and_needs_name_known_axes() -> None:
    folder = Path(theme.__file__).parent
    for path in [*folder.glob("*.py"), *(folder.parent / "saving").glob("*.py")]:
        if path.name != "theme.py":
            assert not re.search(r"[\"']#[0-9a-fA-F]{3,8}[\"']", path.read_text()), path.name
    for id in views.ids():
        for need in views.get(id).needs:
            assert isinstance(need.axes, int) or set(need.axes) <= AXES
        assert views.get(id).title and views.get(id).question.endswith("?")


def test_words_that_mean_something_to_vega_are_only_words() -> None:
    """Vega takes the string "if" in an array of an expression for a call of its function."""
    words = ("if", "toString", "__proto__", "data", "scale", "datum")
    spec = FieldSpec("probability", Kind.PROBABILITY, ("next",), "P.")
    next_ = Field(spec, np.full(6, 1 / 6), (Axis("next", words),))
    pair = FieldSpec("attention", Kind.ATTENTION, ("query", "key"), "A.")
    square = Field(pair, np.eye(6), (Axis("query", words), Axis("key", words)))
    for id, field in (("bars", next_), ("heatmap", square)):
        drawn = render(views.get(id).draw(field), "svg").decode()
        assert all(f">{word}<" in drawn for word in words), id


def drawn(id: str, columns: dict[str, np.ndarray], **options: Any) -> Any:
    table = Table(TableSpec("t", tuple(columns), "A table."), columns)
    return views.get(id).draw(table, **options).chart.to_dict()


def test_one_point_and_bars_of_one_length() -> None:
    """A line through it would be nothing; the points of the long series would hide its line."""
    series = np.array(["long"] * 60 + ["once"], object)
    columns = {"series": series, "x": np.r_[0:60, 59].astype(float), "value": np.arange(61.0)}
    spec = drawn("curve", columns)
    assert [row["seen"] for row in next(iter(spec["datasets"].values()))] == [0.0] * 60 + [1.0]
    places = {"start": np.array([1.0, 2.0]), "stop": np.array([2.0, 3.0])}
    spec = drawn("histogram", places | {"value": np.array([5.0, 7.0])})
    rows = [(row["a"], row["b"], row["at"]) for row in next(iter(spec["datasets"].values()))]
    assert rows == [(0.5, 1.5, "1"), (1.5, 2.5, "2")]


@together("log", [False, True])
def test_the_name_of_a_point_near_the_end_stands_before_it(log: bool) -> None:
    x = np.array([1, 1000, 10, 900], float)
    series = np.array(["line", "line", "early", "late"], object)
    columns = {"series": series, "x": x, "value": np.ones(4)}
    spec = drawn("curve", columns, log_x=log, tight=True)
    words = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    rows = [(layer["mark"], spec["datasets"][layer["data"]["name"]]) for layer in words]
    found = {row["said"]: mark["align"] for mark, named in rows for row in named}
    assert found == {"early": "left", "late": "right"}
