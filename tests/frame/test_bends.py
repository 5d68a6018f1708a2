"""A path bent by hand: what holds, and what makes no sense."""

from __future__ import annotations

import numpy as np

from engine.core.trace import Trace
from engine.frame.bends import bent
from tests.conftest import together

WORDS = ("</s>", "You", "can", "open")
PATH = np.array([0, 1, 2, 3])


def through(said: object, offset: int = 0) -> list[int]:
    trace = Trace("You can open", WORDS, (), offset=offset, total=offset + len(WORDS))
    found: list[int] = bent(PATH, said, trace, 5).tolist()
    return found


@together(
    ("said", "path"),
    [
        ("2:4", [0, 1, 4, 3]),
        ("1:0,3:4", [0, 0, 2, 4]),
        ([[2, 4, "can"]], [0, 1, 4, 3]),
        ([[2, 4, None], [1, 4, "You"]], [0, 4, 4, 3]),
        ([[2, 4, "will"]], [0, 1, 2, 3]),  # another word stands there now
        ("2:5", [0, 1, 2, 3]),  # no such place
        ("9:1", [0, 1, 2, 3]),  # no such token
    ],
)
def test_a_bend_holds_while_its_token_stays(said: object, path: list[int]) -> None:
    assert through(said) == path


def test_tokens_are_those_of_the_whole_text() -> None:
    assert through("12:4", offset=10) == [0, 1, 4, 3]
    assert through("2:4", offset=10) == [0, 1, 2, 3]


def test_what_makes_no_sense_bends_nothing() -> None:
    for said in (None, 3, {}, "a:b", "2:-1", [2, 4], [[2]], [["2", 4, None]], [[2, 4, 7]]):
        assert through(said) == PATH.tolist(), said
    for said in ([[True, None]], [[2, 1e9]]):
        assert through(said) == PATH.tolist(), said
