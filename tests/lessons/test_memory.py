"""The memory page for other cells than the LSTM: their memories, their saved figures, and a kind
word where there is none."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import ledger
from engine.core.registry import corpora
from engine.lessons.memory import live as page
from engine.lessons.memory import parts
from engine.live.drawing import Drawing
from engine.runs.store import Run, RunStore
from pages.ui import saving

TEXT = "the old cat saw the small bird"


def staged(id: str, run_folder: Callable[[str], Path]) -> tuple[Any, Run, Any]:
    store = RunStore()
    run = store.find(str(run_folder(id)))
    model = store.load(run)
    return page.stage(run, model), run, model


@pytest.mark.parametrize("id", ["gru", "lstm1997", "dual_memory"])
def test_figures_hold_what_the_ledger_says(id: str, run_folder: Callable[[str], Path]) -> None:
    stage, run, model = staged(id, run_folder)
    traces, _ = stage.traces(TEXT, None)
    trace = traces[page.READER]
    for memory in model.memories:
        look = {**stage.selection, "field": memory.state, "layer": 1, "unit": 3, "token": 7}
        book = ledger.account(trace, memory, 1, 3)
        for panel in stage.panels:
            if panel.figure is None:
                continue
            drawing: Drawing = panel.figure(traces, look)
            figure = drawing.figure(of=saving.describe_source(drawing, run))
            assert figure.chart.to_dict() and figure.alt_text
            script = saving.make(drawing, run, panel.id, "py", False).decode()
            assert ast.parse(script)
            if panel.id == "ledger":
                np.testing.assert_allclose(drawing.inputs()[0].values, book.part_TT, atol=1e-6)
            if panel.id == "account":
                assert figure.frame["after"].iloc[-1] == pytest.approx(book.state_T[7], abs=1e-6)
                assert len(figure.frame) == 8
            if panel.id == "fading":
                k = book.largest(7)
                np.testing.assert_allclose(
                    drawing.inputs()[0].values, book.kept_TT[k:, k], atol=1e-6
                )


def test_half_lives_over_the_corpus_are_of_all_its_tokens(
    run_folder: Callable[[str], Path],
) -> None:
    stage, run, model = staged("gru", run_folder)
    found = page.corpus(run)
    stories = corpora.get("stories").generate(8)
    texts = ("\n".join(stories[:4]), "\n".join(stories[4:]))
    update_LU = [model.trace(text).field("gate.update").values.astype(float) for text in texts]
    acted_LU = [u[:, 1:] for u in update_LU]  # the first gate acted on an empty memory
    mean = np.log1p(-np.concatenate(acted_LU, 1)).mean(1)
    assert f"{sum(u.shape[1] for u in update_LU):,} tokens" in found["says"]
    np.testing.assert_allclose(found["memories"]["hidden"]["mean"], np.log(2) / -mean, rtol=1e-3)
    assert stage.vertical == {"name": "unit", "size": 12}


def test_a_state_that_is_overwritten_has_no_ledger(run_folder: Callable[[str], Path]) -> None:
    stage, _, _ = staged("rnn", run_folder)
    (panel,) = stage.panels
    assert panel.title == "No ledger for this model" and "overwritten" in panel.says
    assert stage.layout()


def test_a_gate_that_never_moves_in_words() -> None:
    said, _ = map(str, parts.constant.blocks(keep=0.9))
    assert "halves the memory in **6.6 tokens**" in said and "0.9977" in said
    assert "4.32 × 10⁻⁵ after 1,000" in str(parts.constant.blocks(keep=0.99)[0])
