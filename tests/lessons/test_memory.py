"""The memory page for other cells than the LSTM: their memories, half-lives, and a kind word where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.registry import corpora
from engine.lessons.memory import live as page
from engine.lessons.memory import parts
from engine.runs.store import Run, RunStore

TEXT = "the old cat saw the small bird"


def staged(id: str, run_folder: Callable[[str], Path]) -> tuple[Any, Run, Any]:
    store = RunStore()
    run = store.find(str(run_folder(id)))
    model = store.load(run)
    return page.stage(run, model), run, model


def by_brute_force(trace: Any, memory: Any, layer: int, unit: int) -> np.ndarray:
    """What is left at each moment of what each token wrote: for every pair the product of all gates between them."""

    def series(name: str) -> np.ndarray:
        return np.asarray(trace.field(name).values[layer, :, unit], float)

    keep_T = series(memory.keep) if memory.keep else np.ones(len(trace.tokens))
    keep_T = 1 - keep_T if memory.complement else keep_T
    write_T = math.prod(series(name) for name in memory.write)
    found = np.full((len(keep_T), len(keep_T)), np.nan)
    for t, k in zip(*np.tril_indices(len(keep_T)), strict=True):
        found[t, k] = math.prod(keep_T[k + 1 : t + 1]) * write_T[k]
    return found


@pytest.mark.parametrize("id", ["gru", "lstm1997", "dual_memory"])
def test_the_pictures_hold_what_the_gates_say(id: str, run_folder: Callable[[str], Path]) -> None:
    stage, _run, model = staged(id, run_folder)
    reader = stage.readers[0][0]
    trace = model.trace(TEXT, fields=reader.also)
    derive = stage.read._derive
    for memory in model.memories:
        asks = {"field": memory.state, "layer": 1, "unit": "3"}
        found = {
            name: np.asarray(values) for name, (_axes, values) in derive(model, trace, asks).items()
        }
        want_TT = by_brute_force(trace, memory, 1, 3)
        np.testing.assert_allclose(found["part"], want_TT, atol=1e-6)
        state_T = trace.field(memory.state).values[1, :, 3]
        np.testing.assert_allclose(np.nansum(found["part"], 1), state_T, atol=1e-5)
        np.testing.assert_allclose(found["state"], state_T, atol=1e-6)
        assert found["largest"][7] == np.abs(want_TT[7, :7]).argmax()
    beyond = derive(model, trace, {"layer": 99, "unit": -5})["state"][1]
    np.testing.assert_allclose(
        beyond, trace.field(model.memories[0].state).values[1, :, 0], atol=1e-6
    )


def test_half_lives_over_the_corpus_are_of_all_its_tokens(
    run_folder: Callable[[str], Path],
) -> None:
    stage, run, model = staged("gru", run_folder)
    found = parts.measured(run, model)
    stories = corpora.get("stories").generate(8)
    texts = ("\n".join(stories[:4]), "\n".join(stories[4:]))
    update_LU = [model.trace(text).field("gate.update").values.astype(float) for text in texts]
    acted_LU = [u[:, 1:] for u in update_LU]  # the first gate acted on an empty memory
    mean = np.log1p(-np.concatenate(acted_LU, 1)).mean(1)
    assert found["tokens"] == sum(u.shape[1] for u in update_LU)
    np.testing.assert_allclose(found["hidden"][0].tokens, np.log(2) / -mean, rtol=1e-3)
    chart, rows = parts.half_lives.blocks(model=model, run=run, layer=0)[1:]
    np.testing.assert_allclose(
        chart.entries[0].columns["value"][:12], sorted(found["hidden"][0].tokens[0])
    )
    assert len(rows.rows) == 8
    assert stage.vertical == {"name": "unit", "size": 12}


def test_a_state_that_is_overwritten_has_no_ledger(run_folder: Callable[[str], Path]) -> None:
    with pytest.raises(ValueError, match="overwritten"):
        staged("rnn", run_folder)


def test_a_gate_that_never_moves_in_words() -> None:
    said, _ = map(str, parts.constant.blocks(keep=0.9))
    assert "halves the memory in **6.6 tokens**" in said and "0.9977" in said
    assert "4.32 × 10⁻⁵ after 1,000" in str(parts.constant.blocks(keep=0.99)[0])
