"""What a part of a lesson yields, as a test reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.frame.blocks import Block, Board, Chart, Rows, blocks_in
from engine.frame.part import Part


def asked(part: Part, page: Mapping[str, Any], **chosen: Any) -> list[Block]:
    """What a part yields; of what a page has to give it takes what it asks for."""
    given = {name: value for name, value in page.items() if name in part.parameters}
    return part.blocks(**{**given, **chosen})


def said(blocks: Iterable[Block]) -> str:
    """Its words: sentences, notes, problems, formulas, and the cells of tables."""
    return "\n".join(
        str(next((getattr(b, n) for n in ("words", "latex", "rows") if hasattr(b, n)), b))
        for b in blocks_in(blocks)
        if not isinstance(b, Chart | Board)
    )


def tables(blocks: Iterable[Block]) -> list[Any]:
    """The rows of each table."""
    return [block.rows for block in blocks_in(blocks) if isinstance(block, Rows)]


def charts(blocks: Iterable[Block]) -> dict[str, Any]:
    """What each chart draws first, by its name."""
    return {b.name: b.entries[0] for b in blocks_in(blocks) if isinstance(b, Chart)}
