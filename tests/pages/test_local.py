"""The page on local and hard attention: the numbers of its reply, its fallback, what a file holds, and
what the table says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import hard_choice
from engine.lessons.local import panels
from engine.models.seq2seq import SCOPES
from engine.runs.store import SHIPPED, RunStore
from pages.ui.local import measured
from tests.conftest import only_runs
from tests.pages.test_every_page import answered, check, opened

TEXT = "The small black cat ate the mouse\nLe petit chat"


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    ids = (*panels.SHIPPED.values(), "seq2seq", "scope_own")
    yield from only_runs(tmp_path_factory, {id: SHIPPED / id for id in ids})


def model(scope: str) -> Any:
    return RunStore().load(RunStore().find(panels.SHIPPED[scope]))


def test_the_reply_holds_the_numbers_of_four_translators() -> None:
    at = opened("local")
    header, numbers = answered(at, "local", TEXT)
    check(header, numbers, TEXT)
    ids = [panel["id"] for panel in header["layout"]["panels"]]
    assert ids == ["scopes", "path", "sum", "learns"]
    for scope, part in zip(SCOPES, header["readings"], strict=True):
        made = model(scope)
        assert made.config.scope == scope
        trace = made.trace(TEXT)
        fields = {
            f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
            for f in part["fields"]
        }
        for name in {"cross.score", "cross.attention", "cross.centre", "cross.weight"} & {*trace}:
            np.testing.assert_allclose(fields[name], trace.field(name).values, atol=1e-4)
        if scope == "local-p":  # its parts make the place
            share_T = 1 / (1 + np.exp(-fields["foretold"].sum(1)))
            places = trace.field("cross.centre").values[0, 0]
            np.testing.assert_allclose(8 * share_T, places, rtol=1e-4)
        if scope == "hard":
            found = hard_choice.choices(made, trace, trace.ids[1:])
            np.testing.assert_allclose(fields["reward"], found.reward_TS, atol=1e-3)
            np.testing.assert_allclose(fields["pull"], found.pull_TZS, atol=1e-3)
            words = part["said"]["hard"]["words"]
            assert words[:3] == ["Le", "petit", "chat"] and len(words) == 4


@pytest.mark.parametrize("text", ["", " ", "qqq", "\n\n", "a\nle petit"])
def test_any_text_is_answered_by_the_shipped_four(text: str) -> None:
    check(*answered(opened("local"), "local", text), text)


def test_a_file_holds_the_step_of_every_scope() -> None:
    traces = {scope: model(scope).trace(TEXT) for scope in SCOPES}
    drawn = panels.step_of_each(traces, {"token": 2})
    assert {f"weight.{scope}" for scope in SCOPES} <= {*drawn.frame()}
    taken_S = drawn.trace.field("weight.hard").values
    assert sorted(taken_S.tolist())[-2:] == [0, 1]


def test_runs_are_chosen_by_their_scope() -> None:
    every = RunStore().all("seq2seq")
    assert [*panels.chosen(every)] == [*SCOPES]
    assert {scope: run.id for scope, run in panels.chosen(every).items()} == panels.SHIPPED
    assert panels.chosen([run for run in every if run.id in ("seq2seq", "scope_own")]) == {}


def test_the_table_tells_what_was_measured() -> None:
    at = opened("local")
    assert not at.exception
    said = str([m.value for m in at.markdown] + [c.value for c in at.caption])
    assert "held out from training" in said
    for id in panels.SHIPPED.values():
        assert RunStore().find(id).note["held_out"]["exact"] > 0.8, id


@pytest.mark.parametrize("scope", SCOPES)
def test_scores_are_counted(scope: str) -> None:
    count = sum(
        scope in ("global", "hard") or scope == "local-p" or abs(s - t) <= 2
        for t in range(1, 51)
        for s in range(1, 51)
    )
    # a window at a place that is foretold is counted as if none were cut off
    assert measured.scores(scope, 50, 50, 2) == (250 if scope == "local-p" else count)
    # language_models T29: 7 source words and 5 steps, D = 1
    given = measured.scores(scope, 7, 5, 1)
    assert given == 35 if scope in ("global", "hard") else given <= 15
    assert measured.scores("local-m", 3, 9, 1) == 2 + 3 + 2 + 1  # steps beyond the window's reach
