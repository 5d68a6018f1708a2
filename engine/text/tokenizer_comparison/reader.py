"""Reader: where a long text is cut so that the tokens of the part shown are those of the whole: at blanks."""

from __future__ import annotations

NEAR = 200  # characters: how far a blank is looked for


def part(text: str, start: int, stop: int) -> tuple[int, int]:
    """The characters (start, stop), moved to blanks near by: a blank begins a part, as it begins a
    token."""
    return _blank(text, start), _blank(text, stop)


def _blank(text: str, at: int) -> int:
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    return next(
        (
            i
            for i in range(at, max(0, at - NEAR), -1)
            if text[i].isspace() and not text[i - 1].isspace()
        ),
        at,
    )
