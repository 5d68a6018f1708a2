"""Numbers: those of a field, where the model left them: in pieces along the text, on the processor or
on a device.

What      A text grows by a token at a time, and nothing that was known is copied for it: a piece with
          the new positions is put behind the old ones (`grown`).  What is asked for comes to the host
          and nothing else: all of it once (`host`), a few positions (`rows`), or one head (`picked`)
Source    The pieces are merged as the runs of a log-structured file are, O'Neil et al., The
          Log-Structured Merge-Tree, 1996: a piece that is as long as the one before it joins it, so
          that there are few, and each number is copied a few times however long the text gets
Differs   An array is one of numpy or a tensor of torch: what is done with either is written the same
          for both, and torch is imported by `tensor` alone.
Shapes    T = positions along the text
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
"""An array of numpy, or a tensor of torch."""


def ranks(x_N: np.ndarray) -> np.ndarray:
    """(N,) the places of numbers in order, from 1; equal ones share the mean of theirs.  As
    `scipy.stats.rankdata`, whose package takes 31 MB."""
    _, place_N, count_K = np.unique(x_N, return_inverse=True, return_counts=True)
    found: np.ndarray = (np.cumsum(count_K) - (count_K - 1) / 2)[place_N]
    return found


def spearman(x_N: np.ndarray, y_N: np.ndarray) -> float:
    """Pearson's correlation of the ranks of two rows (N,); nan where one of them is constant."""
    if len(x_N) < 2 or np.ptp(x_N) == 0 or np.ptp(y_N) == 0:
        return math.nan
    return float(np.corrcoef(ranks(x_N), ranks(y_N))[0, 1])


class Numbers:
    """float32 numbers, read-only.

    along   the axis along the text; None where there is none: then there is one piece
    across  a second axis along the text: a piece is as wide there as its text was long, and what
            comes later in its rows is `fill`
    """

    __slots__ = ("_host", "_pieces", "across", "along", "fill", "shape")

    def __init__(
        self,
        pieces: tuple[Array, ...],
        along: int | None = None,
        across: int | None = None,
        fill: float = 0.0,
    ) -> None:
        self.along, self.across, self.fill = along, across, fill
        self._pieces, self._host = pieces, None if on_device(pieces[0]) else _alone(pieces)
        self.shape = _shape(pieces, along, across)

    @property
    def size_bytes(self) -> int:
        return 4 * math.prod(self.shape)

    @property
    def device(self) -> str:
        """Where they lie: "cpu", "cuda:0"."""
        first = self._pieces[0]
        return str(first.device) if on_device(first) else "cpu"

    def host(self) -> np.ndarray:
        """All of them, on the host; kept."""
        if self._host is None:
            if on_device(self._pieces[0]):  # joined here: a device may have no room for both
                parts = tuple(map(fetched, self._pieces))
                found = parts[0] if len(parts) == 1 else self._joined(parts, self.shape)
            else:
                found = self.joined()
            self._host = _shown(found)
        return self._host

    def joined(self) -> Array:
        """All of them in one array, where they lie."""
        if len(self._pieces) > 1:
            self._pieces = (self._joined(self._pieces, self.shape),)
        return self._pieces[0]

    def rows(self, start: int, stop: int | None = None) -> np.ndarray:
        """Those at the positions from `start` to `stop` along the text, on the host."""
        if self.along is None:
            return self.host()
        if self._host is not None:
            return self._host[self._at(*slice(start, stop).indices(self.shape[self.along])[:2])]
        start, stop, _ = slice(start, stop).indices(self.shape[self.along])
        # fetched piece by piece: a device may have no room for them in one
        return np.asarray(self._between(tuple(map(fetched, self._cut(start, stop))), start, stop))

    def part(self, start: int, stop: int | None = None) -> Array:
        """The same where they lie."""
        if self.along is None:
            return self.joined()
        start, stop, _ = slice(start, stop).indices(self.shape[self.along])
        return self._between(self._cut(start, stop), start, stop)

    @property
    def pieces(self) -> tuple[Array, ...]:
        """What they are made of, one behind the other along the text; each as wide as its text was
        long."""
        return self._pieces

    def first(self, keep: int) -> Numbers:
        """Those of the first `keep` positions of the text."""
        if self.along is None or keep >= self.shape[self.along]:
            return self
        cut = self._cut(0, keep)
        if self.across is not None:
            low = (slice(None),) * self.across
            cut = tuple(piece[(*low, slice(keep))] for piece in cut)
        return Numbers(cut, self.along, self.across, self.fill)

    def grown(self, new: Numbers) -> Numbers:
        """These, and behind them those of the positions that follow; they lie where `new` lies."""
        if self.along is None:
            return new
        last = new.joined()
        pieces = [*(_beside(piece, last) for piece in self._pieces), last]
        while len(pieces) > 1 and pieces[-1].shape[self.along] >= pieces[-2].shape[self.along]:
            pair = tuple(pieces[-2:])
            pieces[-2:] = [self._joined(pair, _shape(pair, self.along, self.across))]
        return Numbers(tuple(pieces), self.along, self.across, self.fill)

    def picked(self, at: tuple[int | slice, ...]) -> Numbers:
        """Those at a position of some axes, which disappear; other axes stay whole."""
        pieces = self._pieces if self._host is None else (self._host,)
        gone = [isinstance(place, int) for place in at]
        along, across = (
            None if axis is None or gone[axis] else axis - sum(gone[:axis])
            for axis in (self.along, self.across)
        )
        if along is None or (across is None and self.across is not None):
            pieces = (self.joined() if self._host is None else self._host,)
        if along is None:  # of one row what it says of each token
            along, across = across, None
        kept = tuple(np.asarray(p[at]) if isinstance(p, np.ndarray) else p[at] for p in pieces)
        return Numbers(kept, along, across, self.fill)

    def _at(self, start: int, stop: int) -> tuple[slice, ...]:
        assert self.along is not None
        return (*(slice(None),) * self.along, slice(start, stop))

    def _between(self, cut: tuple[Array, ...], start: int, stop: int) -> Array:
        """What `_cut` found between two positions, in one piece and as wide as the text is long."""
        assert self.along is not None
        shape = (*self.shape[: self.along], max(0, stop - start), *self.shape[self.along + 1 :])
        one = len(cut) == 1 and tuple(cut[0].shape) == shape
        return cut[0] if one else self._joined(cut, shape)

    def _cut(self, start: int, stop: int) -> tuple[Array, ...]:
        """The pieces between two positions; at least one, which may be empty."""
        assert self.along is not None
        found, begun = [], 0
        for piece in self._pieces:
            size = piece.shape[self.along]
            low, high = max(0, start - begun), min(size, stop - begun)
            if low < high:
                found.append(piece if high - low == size else piece[self._at(low, high)])
            begun += size
        return tuple(found) or (self._pieces[0][self._at(0, 0)],)

    def _joined(self, pieces: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        like, at = pieces[0], 0
        if isinstance(like, np.ndarray):
            whole: Array = np.empty(shape, like.dtype)
        else:
            whole = like.new_empty(shape)
        if self.across is not None:
            whole[...] = self.fill
        for piece in pieces:
            index = [slice(None)] * len(shape)
            index[self.along or 0] = slice(at, at + piece.shape[self.along or 0])
            if self.across is not None:
                index[self.across] = slice(piece.shape[self.across])
            whole[tuple(index)] = piece
            at += piece.shape[self.along or 0]
        return whole


def _shape(pieces: tuple[Array, ...], along: int | None, across: int | None) -> tuple[int, ...]:
    """Of pieces one behind the other."""
    if len(pieces) == 1:
        return tuple(pieces[0].shape)
    shape = list(pieces[0].shape)
    if along is not None:
        shape[along] = sum([piece.shape[along] for piece in pieces])
    if across is not None:
        shape[across] = max([piece.shape[across] for piece in pieces])
    return tuple(shape)


def stays(value: Array) -> bool:
    """Whether numbers that a model made stay where they lie until they are asked for."""
    return on_device(value) and bool(value.device.type != "cpu")


def on_device(value: Array) -> bool:
    """Whether it is a tensor of torch, and not an array of numpy."""
    return not isinstance(value, np.ndarray)


def fetched(value: Array) -> np.ndarray:
    """An array on the host: the only place where numbers leave a device."""
    return value.cpu().numpy() if on_device(value) else value


def tensor(value: Array) -> Array:
    """The same for torch: a tensor as it is, an array as a tensor; copied where it may not be
    written to, which torch would warn of."""
    if on_device(value):
        return value
    import torch

    return torch.from_numpy(value if value.flags.writeable else value.copy())


def _alone(pieces: tuple[Array, ...]) -> np.ndarray | None:
    """A single piece on the host, as it is shown."""
    return _shown(pieces[0]) if len(pieces) == 1 else None


def _shown(values: np.ndarray) -> np.ndarray:
    found = values.view()
    found.setflags(write=False)
    return found


def _beside(piece: Array, other: Array) -> Array:
    """A piece where another one lies: a model may have moved in between."""
    if not on_device(other):
        return fetched(piece)
    return (other.new_tensor(piece) if not on_device(piece) else piece).to(other.device)
