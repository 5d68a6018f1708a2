"""The program of a head, run as it is shown, against the trace of the same text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.registry import models
from engine.core.trace import Trace
from engine.lessons.attention import program
from engine.lessons.attention.live import FIELDS
from engine.models.abilities import Attends, able
from engine.nn.positions.base import turned
from engine.runs.store import SHIPPED, RunStore
from tests.analysis.head_matrices import projection
from tests.conftest import sampled, small

TEXT = "The king spoke to the queen, and she said"
SHOWN = {"query": "query", "key": "key", "value": "value", "reading": "reading"}
RUNS = sorted(run.id for run in RunStore(SHIPPED).all() if run.model in ("transformer", "bert"))


def scope(model: Attends[Any], layer: int, head: int, trace: Trace) -> dict[str, Any]:
    """Name -> number, tensor or function; the trace has the fields of the page."""
    weights = projection(model, layer, head)
    assert weights is not None
    tower = model.tower
    part = tower.block(layer).attention
    tensor = torch.tensor
    x_TD = tensor(trace.field("residual.before").values[layer])
    score_TT = tensor(trace.field("score").values[layer, head])
    place_T = torch.arange(len(x_TD)) + trace.offset
    functional = torch.nn.functional
    names = {
        "x": x_TD,
        "D": weights.query_KD.shape[1],
        "d": len(weights.query_KD),
        "eps": tower.design.epsilon,
        "inf": math.inf,
        "gain": tensor(weights.gain_D),
        "shift": tensor(weights.shift_D),
        "hidden": score_TT == -math.inf,
        "layer_norm": functional.layer_norm,
        "rms_norm": functional.rms_norm,
        "softmax": functional.softmax,
        **{f"b_{m}": tensor(b) for m, b in zip("QKV", weights.bias_3K, strict=True)},
        **{f"W_{m}": tensor(w) for m, w in zip("QKV", weights[:3], strict=True)},
    }
    if part.norm_query is not None and part.norm_key is not None:
        names |= {"g_Q": part.norm_query.weight.detach(), "g_K": part.norm_key.weight.detach()}
    if (by := tower.position.angles(place_T)) is not None:
        cosine, sine = (part.float() for part in by)
        names["turn"] = lambda x_TK: turned(x_TK, (cosine, sine))
    if tower.position.biases():
        q_1NTK = tensor(trace.field("query").values[layer])[None]
        bias_NTT = tower.position.bias(q_1NTK, place_T, place_T)
        assert bias_NTT is not None
        names["bias"] = bias_NTT[0, head].detach()
    return names


def check(model: Attends[Any], layer: int, head: int) -> None:
    trace = model.trace(TEXT, fields=FIELDS)
    lines = program.lines(model, layer)
    names = scope(model, layer, head, trace)
    made: dict[str, torch.Tensor] = {}
    for line in lines:
        exec(line.code, names)  # noqa: S102 - the very text that is shown
        made[line.step] = names[line.code.split(" = ")[0]]
    scored = made.get("masked", made.get("scaled", made["product"]))
    group = head * len(trace.field("key").axis("head")) // model.tower.design.heads
    for step, name in SHOWN.items():
        at = group if step in ("key", "value") else head
        want = trace.field(name).values[layer, at]
        np.testing.assert_allclose(made[step], want, atol=2e-5, rtol=1e-4, err_msg=name)
    for found, name in ((scored, "score"), (made["attention"], "attention")):
        want = trace.field(name).values[layer, head]
        np.testing.assert_allclose(found, want, atol=5e-5, rtol=1e-4, err_msg=name)
    assert all(len(line.code) <= 46 for line in lines), "it has to stand in a narrow column"


@sampled("id", RUNS, each=3)
def test_it_makes_the_numbers_of_the_trace(id: str) -> None:
    store = RunStore(SHIPPED)
    model = able(store.load(store.find(id)), Attends)
    if model.tower.design.kernel == "softmax":
        last = model.tower.design.layers - 1
        check(model, 0, 0)
        check(model, last, model.tower.design.heads - 1)


@pytest.mark.parametrize("more", [{"norm_first": False}, {"norm": "rms"}, {"position": "rope"}])
def test_it_is_written_as_the_layer_is_built(more: dict[str, Any]) -> None:
    kind = models.get("transformer")
    config = small(kind, steps=2, **more)
    *_, last = kind.fit("a small king and a queen saw the sea\n" * 40, config, seed=1)
    model = able(last.model, Attends)
    check(model, 0, 1)
    text = "\n".join(line.code for line in program.lines(model, 0))
    assert ("n = x" in text) == ("norm_first" in more)
    assert ("rms_norm" in text) == ("norm" in more) and ("turn(" in text) == ("position" in more)
