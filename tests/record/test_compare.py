"""The comparer finds what was planted, and nothing in a record that is compared with itself."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from tests.record.compare import compare
from tests.record.store import Record, Shown

THINGS: list[Shown] = [
    {"is": "markdown", "says": "Lower is better. After 40 rounds it needs **3.114** bits."},
    {"is": "caption", "says": "No curve ever rises."},
    {"is": "slider", "label": "Round", "least": 0, "most": 40, "step": 1, "value": "40"},
    {"is": "table", "columns": ["state", "share"], "cells": [["NOUN", "VERB"], [0.25, 0.75]]},
    {
        "is": "chart",
        "title": "Bits",
        "says": "One curve falls.",
        "axes": ["round"],
        "data": [{"columns": ["x", "value"], "cells": [[1, 2, 3], [3.5, 3.25, 3.114]]}],
    },
]
Change = Callable[[list[Shown]], object]


def record(things: list[Shown], part: str = "Learning") -> dict[str, Record]:
    made = Record("hmm")
    for chosen in ((), (("Round", "0"),)):
        made.add((part,), chosen, map(made.number, things))
    return {"hmm": made}


def found(change: Change, part: str = "Learning", **moved: str) -> list[str]:
    things = deepcopy(THINGS)
    change(things)
    return [str(one) for one in compare(record(THINGS), record(things, part), moved)]


CHANGES: dict[str, tuple[Change, str]] = {
    "a number of a picture": (
        lambda things: things[4]["data"][0]["cells"][1].__setitem__(1, 3.2501),
        "changed chart “Bits”: value: 3 values → 3, 3.25 → 3.2501",
    ),
    "a lost sentence": (lambda things: things.pop(1), "lost sentence “No curve ever rises.”"),
    "a number in a sentence": (
        lambda things: things[0].update(says="Lower is better. After 40 rounds it needs 3.2 bits."),
        "changed “After 40 rounds it needs 3.114 bits.” → “After 40 rounds it needs 3.2 bits.”",
    ),
    "a cell": (
        lambda things: things[3]["cells"][0].__setitem__(1, "VERBS"),
        "changed table “state, share”: state, row 2: VERB → VERBS",
    ),
    "a range": (
        lambda things: things[2].update(most=50),
        "changed control “Round”: most 40 → 50",
    ),
    "an alt text": (lambda things: things[4].update(says=""), "lost sentence “One curve falls.”"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_one_line(name: str) -> None:
    change, says = CHANGES[name]
    assert found(change) == [f"  {says}  [first values; Round = 0]"]


def test_nothing_differs_where_only_the_form_is_another() -> None:
    def form(things: list[Shown]) -> None:
        things[0]["says"] = "After 40 rounds it needs 3.114 bits.\n\nNo curve ever rises."
        things[1]["says"] = "Lower  is better."  # the sentences have changed their places
        things[4]["data"][0]["columns"] = ["round", "bits"]
        things[3]["cells"][1][0] = 0.25 + 1e-9
        things.reverse()

    assert found(lambda things: None) == found(form) == []
    assert found(form, "A film", **{"hmm/Learning": "hmm/A film"}) == []
    assert "the part: no “Learning” on hmm" in found(form, "A film")[1]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    (made,) = record(THINGS).values()
    made.write(tmp_path)
    again = Record.read(tmp_path / "hmm.json.xz")
    assert (again.things, again.states) == (made.things, made.states)
