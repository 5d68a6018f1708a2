"""Labels of an axis that has none of its own: "0", "1", ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

WRITTEN = 4096  # labels that are kept as texts
_first = tuple(map(str, range(WRITTEN)))


class Numbered(Sequence[str]):
    """ "0", "1", … as labels, each written when it is asked for: a million of them, kept as texts,
    take 77 MB.  Equal to the same labels in a tuple."""

    __slots__ = ("_of",)

    def __init__(self, of: range) -> None:
        self._of = of

    def __len__(self) -> int:
        return len(self._of)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            part = self._of[at]
            return Numbered(part) if len(part) > WRITTEN else tuple(map(str, part))
        return str(self._of[at])

    def __iter__(self) -> Iterator[str]:
        return map(str, self._of)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return self._of == other._of
        return (
            isinstance(other, tuple)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    def __hash__(self) -> int:
        return hash(tuple(self))


@lru_cache(256)
def numbered(size: int) -> Sequence[str]:
    """The labels of an axis that has none."""
    return _first[:size] if size <= WRITTEN else Numbered(range(size))
