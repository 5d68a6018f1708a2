"""How much a head brings to the last token, against what each head writes, word for word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.trace import Trace
from engine.lessons.home import brought
from engine.models.transformer import Transformer
from engine.runs.store import Recipe, RunStore, digest
from engine.training.fit import fit
from tests.conftest import TEXT as TEXTS
from tests.conftest import small

TEXT = "the ship came home from the sea"


@pytest.fixture(params=[0, 1], ids=["own values", "shared values"])
def model(request: pytest.FixtureRequest, trained: Callable[[str], Any], tmp_path: Path) -> Any:
    if not request.param:
        return trained("transformer")
    config = small(Transformer, groups=request.param, steps=2)
    for _ in fit(tmp_path / "run", Recipe("transformer", config, digest(TEXTS), 0), TEXTS):
        pass
    return RunStore().load(RunStore().find(str(tmp_path / "run")))


def by_hand(model: Any, trace: Trace, keys: range) -> np.ndarray:
    """(L, N): the length of the sum of A[q, k] v[k] W_O over these tokens."""
    q = len(trace.tokens) - 1
    weight, value = (trace.field(name).values.astype(float) for name in brought.NEEDS)
    found = np.zeros(weight.shape[:2])
    heads, groups = weight.shape[1], value.shape[1]
    for layer, head in np.ndindex(*found.shape):
        out_DW = model.tower.block(layer).attention.out.weight.detach().double().numpy()
        out_DK = np.split(out_DW, heads, 1)[head]
        total_D = np.zeros(len(out_DW))
        for k in keys:
            of = value[layer, head // (heads // groups), k]
            total_D += weight[layer, head, q, k] * (out_DK @ of)
        found[layer, head] = np.linalg.norm(total_D)
    return found


def test_only_what_lies_further_back_counts(model: Any) -> None:
    trace = model.trace(TEXT, fields=brought.NEEDS)
    last = len(trace.tokens) - 1
    want_LN = by_hand(model, trace, range(1, last - 1))
    found_LN = brought.brought(model, trace, 1)
    np.testing.assert_allclose(found_LN, want_LN, rtol=1e-3, atol=1e-6)
    layer, head, much = brought.strongest(model, trace, 1)
    assert want_LN[layer, head] == want_LN.max() == pytest.approx(much, rel=1e-3)


def test_the_first_tokens_are_brought_what_there_is(model: Any) -> None:
    whole = model.tokens(TEXT)
    trace = model.trace(TEXT, fields=brought.NEEDS, window=(0, 2), tokens=whole)
    found_LN = brought.brought(model, trace, 1)
    np.testing.assert_allclose(found_LN, by_hand(model, trace, range(1)), rtol=1e-3, atol=1e-6)


def test_all_heads_together_write_what_attention_adds(model: Any) -> None:
    """Over all tokens it is what the model itself calls the output of a head."""
    trace = model.trace(TEXT, fields=(*brought.NEEDS, "head.output"))
    own_LND = trace.field("head.output").values[:, :, -1]
    every_LN = by_hand(model, trace, range(len(trace.tokens)))
    np.testing.assert_allclose(np.linalg.norm(own_LND, axis=-1), every_LN, rtol=1e-3, atol=1e-6)
