"""The page on scores: the numbers of its reply, its fallback without attention, what a file holds,
what a translator writes by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import decoder_step, free_running
from engine.core.registry import scores
from engine.runs.store import SHIPPED, RunStore
from engine.stages.scores import panels
from tests.conftest import only_runs
from tests.pages.test_every_page import answered, check, opened

TEXT = "The key is white and it is small\nLa clé est blanche et il est"
EVERY = [f"score_{kind}_{looks}" for kind in scores.ids() for looks in ("after", "before")]


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    folders = {id: SHIPPED / id for id in EVERY}
    yield from only_runs(tmp_path_factory, folders | {"seq2seq": SHIPPED / "seq2seq"})


@pytest.mark.parametrize("looks", ["after", "before"])
def test_the_reply_holds_the_numbers_of_five_translators(looks: str) -> None:
    at = opened("scores")
    name = {"after": "Luong: after", "before": "Bahdanau: before"}[looks]
    at.segmented_control(key="looks").set_value(name).run()
    header, numbers = answered(at, "scores", TEXT, free="location")
    check(header, numbers, TEXT)
    assert [panel["id"] for panel in header["layout"]["panels"]] == [
        "grid",
        "centroid",
        "step",
        "order",
        "forcing",
    ]
    for kind, part in zip(scores.listed(), header["readings"], strict=True):
        model: Any = RunStore().load(RunStore().find(f"score_{kind}_{looks}"))
        assert model.config.attention == kind and model.config.looks == looks
        trace = model.trace(TEXT)
        found = decoder_step.parts(model, trace)
        fields = {
            f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
            for f in part["fields"]
        }
        want = {
            "cross.score": trace.field("cross.score").values,
            "cross.attention": trace.field("cross.attention").values,
            "query": found.query_TH,
            "key.state": found.key_SH,
            "asked": found.asked_TX,
            "offered": found.offered_SX,
            "place": found.place_S2,
            "centre": found.centre_T2,
        }
        assert fields.keys() >= want.keys() - {"asked", "offered"}
        for field in want.keys() & fields.keys():
            np.testing.assert_allclose(fields[field], want[field], atol=1e-4, err_msg=field)
        assert ("free" in part.get("said", {})) == (kind == "location")
        if kind == "location":
            free = part["said"]["free"]
            tokens = model.tokens(TEXT)
            by_hand = free_running.run(model, tokens.source.ids, tokens.ids[1:].tolist())
            assert free["writes"] == [model.tokenizer.vocab[i] for i in by_hand.ids]
            np.testing.assert_allclose(free["p"], by_hand.p_N, rtol=1e-4)
            assert free["after"] == list(tokens.labels) and free["of"] == list(tokens.source.labels)


def test_a_file_holds_the_step_under_every_score() -> None:
    traces = {
        kind: RunStore().load(RunStore().find(f"score_{kind}_after")).trace(TEXT)
        for kind in scores.listed()
    }
    frame = panels.step_of_each(traces, {"token": 3}).frame()
    assert len(frame) == 9 and {f"score.{kind}" for kind in scores.ids()} <= {*frame}
    drawn = panels.step_of_each(traces, {"token": 3})
    weights = drawn.trace.field("attention.dot").values
    np.testing.assert_array_equal(weights, traces["dot"].field("cross.attention").values[0, 0, 3])


def test_the_table_tells_what_was_measured() -> None:
    at = opened("scores")
    assert not at.exception
    said = str([m.value for m in at.markdown] + [c.value for c in at.caption])
    assert "held out from training" in said
    for id in EVERY:
        assert RunStore().find(id).note["held_out"]["exact"] > 0.9, id


def test_runs_are_chosen_by_their_score_and_order() -> None:
    every = RunStore().all("seq2seq")
    assert [*panels.chosen(every, "after")] == [*panels.chosen(every, "before")] == scores.listed()
    assert panels.chosen([run for run in every if run.id == "seq2seq"], "after") == {}
