"""The program of a head, run as it is shown, against the trace of the same text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.qkv import program
from engine.core.registry import models
from engine.lessons.attention.live import FIELDS
from engine.models.abilities import Attends, able
from engine.runs.store import SHIPPED, RunStore
from tests.conftest import small

TEXT = "The king spoke to the queen, and she said"
SHOWN = {"query": "query", "key": "key", "value": "value", "reading": "reading"}
RUNS = sorted(run.id for run in RunStore(SHIPPED).all() if run.model in ("transformer", "bert"))


def check(model: Attends[Any], layer: int, head: int) -> None:
    trace = model.trace(TEXT, fields=FIELDS)
    lines = program.lines(model, layer)
    names = program.scope(model, layer, head, trace)
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


@pytest.mark.parametrize("id", RUNS)
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
    assert ("n = x" in text, "rms_norm" in text, "turn(" in text) == (
        more.get("norm_first") is False,
        "norm" in more,
        more.get("position") == "rope",
    )
