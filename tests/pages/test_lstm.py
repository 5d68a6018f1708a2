"""The page on gates: orders of the units by hand and by numpy, the equations of every cell, saved
figures in the order chosen."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.core.cell_card import listed
from engine.core.registry import models
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.lstm import live as gates
from engine.lessons.lstm import order
from engine.lessons.recurrent import equations
from engine.models.recurrent import RecurrentModel
from tests.conftest import sampled
from tests.pages.opening import opened, seeing
from tests.pages.test_every_page import answered

TEXT = "the cat sat"
Trained = Callable[[str], Any]


small_runs = seeing("lstm")


X_TU = np.array(
    [[0.5, 0.9, 0.5, 0.99], [0.5, 0.9, 0.25, 0.99], [0.5, 0.9, 0.125, 0.99]], np.float32
)


def test_statistics_by_hand() -> None:
    def of(name: str, **more: Any) -> list[float]:
        return order.statistic(name, X_TU, X_TU, **more).tolist()

    assert of("mean") == pytest.approx([0.5, 0.9, 0.875 / 3, 0.99])
    assert of("range") == pytest.approx([0, 0, 0.375, 0])
    assert of("last") == pytest.approx([0.5, 0.9, 0.125, 0.99])
    assert of("change", token=1) == pytest.approx([0, 0, 0.25, 0])
    assert of("change", token=0) == [0, 0, 0, 0], "nothing is shown before the first token"
    # half-life ln .5 / ln f: 1 token for .5, 6.5788 for .9, 68.9676 for .99; for .5 .25 .125 the
    # mean of ln f is 2 ln .5
    assert of("half_life") == pytest.approx([1, 6.5788, 0.5, 68.9676], rel=1e-4)
    assert order.statistic("half_life", np.array([[1.0, 0.0]]), X_TU).tolist() == [math.inf, 0.0]
    assert order.statistic("half_life", 1 - X_TU, X_TU, complement=True).tolist() == pytest.approx(
        of("half_life"), rel=1e-4
    )


def test_correlation_and_likeness_against_numpy() -> None:
    rng = np.random.default_rng(0)
    x_TU, y_TU = rng.normal(size=(30, 9)), rng.normal(size=(30, 9))
    expected = [np.corrcoef(x_TU[:, u], y_TU[:, u])[0, 1] for u in range(9)]
    np.testing.assert_allclose(order.statistic("correlation", x_TU, y_TU), expected, atol=1e-6)
    assert np.isnan(order.statistic("correlation", np.ones((30, 2)), y_TU[:, :2])).all(), (
        "a constant goes along with nothing"
    )
    wave = np.sin(np.arange(30))
    x_TU = np.outer(wave, np.linspace(-1, 1, 9)) + 0.01 * x_TU + np.arange(9)
    # the first right singular vector is the first component
    component = np.linalg.svd(x_TU - x_TU.mean(0))[2][0]
    assert abs(np.corrcoef(order.statistic("similar", x_TU, x_TU), component)[0, 1]) > 0.9999


def trace_of(values_LTU: np.ndarray) -> Trace:
    layers, count, units = values_LTU.shape
    sizes = {"layer": "12"[:layers], "token": "abc"[:count], "unit": "0123456789"[:units]}
    axes = tuple(Axis(name, tuple(labels)) for name, labels in sizes.items())
    made = [
        Field(FieldSpec(name, Kind.STATE, gates.UNITS, "."), values_LTU, axes)
        for name in ("cell", "hidden")
    ]
    spans = tuple((t, t + 1) for t in range(count))
    more: dict[str, Any] = {"ids": np.arange(count), "spans": spans, "total": count}
    return Trace("abc"[:count], tuple("abc"[:count]), made, **more)


def test_order_puts_equals_by_number_and_the_unknown_last() -> None:
    trace = trace_of(np.stack([X_TU, X_TU[:, ::-1]]))

    def of(**look: object) -> tuple[list[list[int]], str]:
        return order.order(trace, look, {}, ("cell", "hidden"))

    found, said = of(order="mean", by="cell")
    assert found == [[3, 1, 0, 2], [0, 2, 3, 1]]
    assert said == "Units sorted by mean of cell, largest first."
    assert of(order="range", by="cell", up=1)[0][0] == [0, 1, 3, 2]
    assert of(order="correlation", by="cell", **{"with": "hidden"})[0][0] == [2, 0, 1, 3]
    for name in ("", "number", "half_life", "mean\n"):
        assert of(order=name) == ([], "")
    assert of(order="mean", by="no such")[0][0] == [3, 1, 0, 2], "the first field instead"


def test_saved_figures_stand_in_the_order(trained: Trained) -> None:
    model = trained("lstm")
    trace, names = model.trace(TEXT), tuple(gates.fields(model))
    look: dict[str, Any] = {"field": "cell", "layer": 1}
    sort: dict[str, Any] = {"order": "mean", "by": "gate.forget", "first": 2, "shown": 3}
    gate = {"gate.forget": False}
    units_LU, _ = order.order(trace, look | sort, gate, names)
    mean_U = trace.field("gate.forget").values[1].astype(float).mean(0).astype(np.float32)
    assert units_LU[1] == np.argsort(-mean_U, kind="stable").tolist()
    figure = order.in_order("lstm", "heatmap", ["*"], ["layer"], gate, names)
    frame = figure({"lstm": trace}, look | sort).frame()
    assert list(dict.fromkeys(frame["unit"])) == units_LU[1][2:5]
    assert set(frame["unit_label"]) == {str(u) for u in units_LU[1][2:5]}
    for unit, token, value in zip(frame["unit"], frame["token"], frame["value"], strict=True):
        assert value == trace.field("cell").values[1, token, unit]
    plain = figure({"lstm": trace}, look)  # nothing is chosen
    assert not plain.options and len(plain.frame()) == trace.field("cell").values[1].size


def test_every_recurrent_model_can_be_chosen() -> None:
    assert set(listed()) == {
        id for id in models.ids() if issubclass(models.get(id), RecurrentModel)
    }


@sampled("id", listed(), each=3)
def test_the_equations_of_every_cell_hold(id: str, trained: Trained) -> None:
    """Each line with an "=" that has numbers alone on both sides of the last one, worked out by
    Python."""
    model = trained(id)
    trace = model.trace(TEXT)
    names = tuple(gates.fields(model))
    unit, token, layer = 3, 5, 1

    def put(found: re.Match[str]) -> str:
        function, product = re.fullmatch(r"(?:(\w+) )?(.*)", found[1]).groups()  # type: ignore[union-attr]
        value = 1.0
        for factor in product.split("*"):
            less, name, shift = re.fullmatch(r"(~?)([^@]+)(?:@(-?\d+))?", factor).groups()  # type: ignore[union-attr]
            x = float(trace.field(name).values[layer, token + int(shift or 0), unit])
            value *= 1 - x if less else x
        if function:
            value = {"logit": lambda g: math.log(g / (1 - g)), "atanh": math.atanh}[function](value)
        return repr(value)

    checked = 0
    for line in equations.lines(names, model.memories, model.anatomy)[1:]:
        *_, formula, result = re.sub(r"\{([^$#][^}]*)\}", put, line).split(" = ")
        if "$" in formula or not re.search(r"\d\.\d", formula):
            continue
        code = (
            formula.replace("= ", "")
            .replace("·", "*")
            .replace("−", "-")
            .replace("σ", "sigma")
            .strip()
        )
        known = {"sigma": lambda a: 1 / (1 + math.exp(-a)), "tanh": math.tanh, "max": max}
        assert eval(code, known) == pytest.approx(float(result), abs=2e-6), line  # noqa: S307
        checked += 1
    assert checked >= (1 if id == "rnn" else len(names) - 1)


@sampled("id", listed(), each=3)
def test_the_page_shows_any_cell(id: str, trained: Trained) -> None:
    model = trained(id)
    run = SimpleNamespace(title=id, id=id, note={})
    stage = gates.stage(run, model)  # type: ignore[arg-type]
    layout = stage.layout()
    fields = layout["readers"][0]["fields"]
    assert set(fields) == {spec.name for spec in model.spec()} - {"probability"}
    cell = next(p for p in layout["panels"] if p["id"] == "cell")
    used = {
        name for part in cell["memories"] for name in (part["state"], *part["write"], part["keep"])
    } | {name for name, _ in cell["terms"]}
    assert used - {""} <= set(fields)
    for template in next(p for p in layout["panels"] if p["id"] == "formula")["lines"]:
        for name in re.findall(r"\{(?:\$|~|\w+ )?([a-z.]+)[@}]", template):
            assert name in fields, template


def test_a_link_names_order_and_zoom() -> None:
    asked = {"order": "half_life", "by": "gate.forget", "with": "cell"}
    zoom = {"up": 1, "first": 3, "shown": 5}
    at = opened("lstm", **asked, **{name: str(value) for name, value in zoom.items()})
    assert answered(at, "lstm", "abc")[0]["initial"]["selection"] == asked | zoom
