"""The page on a network: its boards are told what a step of the first minute chooses, and no more."""

from __future__ import annotations

import pytest

from engine.frame.blocks import Board, blocks_in
from engine.lessons.network import parts


@pytest.mark.parametrize("part", parts.PARTS[:-1], ids=lambda part: part.id)
def test_every_board_is_told_what_is_asked(part: parts.Part) -> None:
    (board,) = (b for b in blocks_in(part.blocks(asked="net_units=8-8")) if isinstance(b, Board))
    assert board.data["asked"] == {"net_units": "8-8"}
    assert board.data["scale"]["low"] == -1 and len(board.data["scale"]["dark"]) == 11
    (board,) = (b for b in blocks_in(part.blocks()) if isinstance(b, Board))
    assert board.data["asked"] == {}
