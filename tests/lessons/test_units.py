"""The unit detective: its pictures hold the numbers of the reading, any unit and text can be drawn, and links of
before lead where they did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.frame.blocks import Presets, Problem, blocks_in
from engine.lessons.units import head, parts
from engine.lessons.units.head import Asked
from engine.runs import store as runs
from tests.conftest import TEXT
from tests.lessons import blocks as lesson_blocks

LINES = ('She said "no (not yet)" and left.', *TEXT.strip().split("\n"))


@pytest.fixture(scope="module", autouse=True)
def small_run(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A small LSTM in the place of the shipped one."""
    root = tmp_path_factory.mktemp("shipped")
    (root / "lstm").symlink_to(run_folder("lstm"), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "SHIPPED", root)
        patch.setenv("UNROLLED_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr(head, "POSITIONS", 1500)
        yield
    head.READINGS.clear()


def asked(*lines: str) -> Asked:
    run = runs.RunStore().find("lstm")
    return Asked(run, run.key, "cell", "own", lines or LINES)


def made(part: Any, **given: Any) -> list[Any]:
    run = runs.RunStore().find("lstm")
    known = {"reading": asked(), "run": run, "model": runs.RunStore().load(run)}
    known = {name: known[name] for name in part.parameters if name in known}
    return [*blocks_in(part.blocks(**{**known, **given}))]


def charts(blocks: list[Any]) -> dict[str, dict[str, list[Any]]]:
    found = lesson_blocks.charts(blocks)
    return {n: {c: v.tolist() for c, v in one.columns.items()} for n, one in found.items()}


def test_pictures_hold_the_numbers() -> None:
    tested, title = asked().tested, "long word so far"
    found = charts(made(parts.responds, layer=0, unit=3, about=title, side="highest"))
    assert list(found) == ["places", "hypotheses", "split"]
    ranked, value_N = found["hypotheses"], tested.reading.state_UN[3]
    assert ranked["value"][0] == tested.probe.auc[3, parts.TITLES.index(ranked["word"][0])]
    assert np.abs(np.array(ranked["value"]) - 0.5).argmax() == 0
    assert sum(found["split"]["value"]) == pytest.approx(200)  # both curves add up to 100 %
    words = found["places"]
    assert words["value"][words["marked"].index(True)] == value_N.max()


@pytest.mark.parametrize("about", ["space", "digit"])
def test_the_best_unit_is_the_one_that_tells_best(about: str) -> None:
    tested, f = asked().tested, parts.TITLES.index(about)
    blocks = made(parts.responds, about=about)
    (offered,) = [b.choices for b in blocks if isinstance(b, Presets)]
    for words, pair in (
        ("This hypothesis", tested.probe.best(f)),
        ("All hypotheses", tested.probe.best()),
    ):
        assert (words in offered) == (pair is not None)
        if pair:
            at = offered[words]["layer"], offered[words]["unit"]
            assert at == tested.reading.place(pair[0])
    none = "No unit detects this" in "\n".join(str(getattr(b, "words", "")) for b in blocks)
    assert none == (about == "digit")
    assert (parts.per_cent(0.9996), parts.per_cent(0.25)) == ("99.96 %", "75.0 %")


def test_matches_are_where_the_units_of_the_phrase_are_on() -> None:
    blocks = made(
        parts.by_example, example="the cat sat", phrase="cat", beside="anything", share=40
    )
    of = charts(blocks)["matches"]
    assert np.array(of["value"])[np.array(of["marked"], bool)].min() >= 1
    assert any("**:blue-background[cat]**" in str(block) for block in blocks)


def test_a_unit_that_is_hardly_ever_on_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    tested = asked().tested
    state_UN = np.zeros_like(tested.reading.state_UN)
    state_UN[1, 7], state_UN[2, 7] = 2, np.nan
    silent = replace(tested, reading=replace(tested.reading, state_UN=state_UN))
    monkeypatch.setattr(head.READINGS, "made", lambda key, make: silent)
    for unit in (0, 1):
        assert len(charts(made(parts.responds, layer=0, unit=unit, about="space"))) == 3
    blocks = made(parts.responds, layer=0, unit=2, about="space")
    assert list(charts(blocks)) == ["places"] and isinstance(blocks[-1], Problem)
