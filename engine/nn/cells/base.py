"""Cell: one recurrent layer with all its numbers in the open.  A cell writes one step; the loops
are here.

What      state_t = step(W x_t + b, state_{t-1}), one token after the other, the same weights at
          each
Shapes    B = batch, T = tokens, D = input width, H = units, E = rows of the input product, a block
          of H for each gate
Differs   The input product of all tokens is one product before the loop.  The step is written once
          and runs on torch tensors (training, a GPU, a batch) or on numpy arrays (one text on a
          CPU: a step costs half as much there).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.tap import Changed, Tap, passthrough
from engine.core.trace import FieldSpec
from engine.nn.cells.anatomy import PLAIN, RESET, Anatomy
from engine.nn.cells.config import RecurrentConfig
from engine.nn.packed import Packed, packed_of, product

AXES = ("batch", "token", "unit")
UNITS = ("layer", "token", "unit")

FEW = 4  # tokens; for so few a fused kernel takes longer to lay out its weights than the steps take

State = tuple[Any, ...]  # one (B, H) tensor or (H,) array for each name in `Cell.state`


@dataclass(frozen=True, slots=True)
class Memory:
    """A number that is kept in part and added to: state_t = keep_t * state_{t-1} + product of
    `write`_t.

    keep        name of the field that says how much stays; empty: all of it
    complement  whether the share that stays is 1 - keep
    """

    state: str
    keep: str
    write: tuple[str, ...]
    complement: bool = False


class Moment:
    """What a step needs besides its numbers, in one library: activations, and a place to show a
    value."""

    sigmoid: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    relu: Callable[[Any], Any]
    norm: Callable[[Any, Any, Any], Any]
    join: Callable[[list[Any]], Any]

    def __init__(self, names: tuple[str, ...], tap: Tap, kept: Tensor | None) -> None:
        axes = AXES[::2] if isinstance(self, InTorch) else AXES[2:]
        self.changes: dict[str, Changed] = {n: c for n in names if (c := tap.in_loop(n, axes))}
        self.rows: dict[str, Any] = {}
        self.t = 0
        self._kept = kept
        self._used = tap.in_loop("use", axes)

    def product(self, h: Any, u: Any) -> Any:
        """State times recurrent weights: the one place where a step uses them, so that what each
        use adds to their gradient can be told apart."""
        made = h @ u
        return made if self._used is None else self._used(self.t, made, h)

    def see(self, name: str, value: Any) -> Any:
        """Show a value of this step; returns it, or what an edit makes of it."""
        raise NotImplementedError

    def drop(self, h: Any) -> Any:
        """The hidden state as the recurrent product reads it: in training some units are silenced,
        the same at each step."""
        return h if self._kept is None else h * self._kept


class InTorch(Moment):
    """Steps over (B, H) tensors."""

    sigmoid, tanh, relu = (
        staticmethod(torch.sigmoid),
        staticmethod(torch.tanh),
        staticmethod(torch.relu),
    )
    norm = staticmethod(lambda x, gain, bias: nn.functional.layer_norm(x, x.shape[-1:], gain, bias))
    join = staticmethod(lambda parts: torch.cat(parts, -1))

    def see(self, name: str, value: Tensor) -> Tensor:
        rows = self.rows.setdefault(name, [])
        change = self.changes.get(name)
        if change:
            value = change(self.t, value, rows[-1] if rows else torch.zeros_like(value))
        rows.append(value)
        return value


class InNumpy(Moment):
    """Steps over (H,) arrays."""

    tanh = staticmethod(np.tanh)
    join = staticmethod(np.concatenate)

    def __init__(self, names: tuple[str, ...], tap: Tap, count: int) -> None:
        super().__init__(names, tap, None)
        self.count = count
        self.tables: dict[int, tuple[Packed, Tensor]] = {}  # by id of recurrent weights (H, E)
        self._shown = {"hidden", *self.changes, *filter(tap.wants, names)}

    def product(self, h: Any, u: Any) -> Any:
        if self._used is not None or (table := self.tables.get(id(u))) is None:
            return super().product(h, u)
        packed, w_EH = table
        return packed.product(torch.from_numpy(h)[None], w_EH, None)[0].numpy()

    @staticmethod
    def sigmoid(x: np.ndarray) -> np.ndarray:
        out: np.ndarray = np.tanh(x * np.float32(0.5))  # three quick steps, and nothing overflows
        out *= np.float32(0.5)
        out += np.float32(0.5)
        return out

    @staticmethod
    def relu(x: np.ndarray) -> np.ndarray:
        out: np.ndarray = np.maximum(x, np.float32(0))
        return out

    @staticmethod
    def norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
        count = np.float32(len(x))  # sums of their own: np.mean takes as long as all the rest
        out: np.ndarray = x - np.add.reduce(x) / count
        out /= np.sqrt(out @ out / count + np.float32(1e-5))
        out *= gain
        out += bias
        return out

    def see(self, name: str, value: np.ndarray) -> np.ndarray:
        if name not in self._shown:
            return value
        rows = self.rows.get(name)
        if rows is None:
            rows = self.rows[name] = np.empty((self.count, *value.shape), np.float32)
        change = self.changes.get(name)
        if change:
            value = change(self.t, value, rows[self.t - 1] if self.t else np.zeros_like(value))
        rows[self.t] = value
        return value

    def whole(self, name: str) -> Tensor:
        """(1, T, H): all steps of a number that is kept."""
        return torch.from_numpy(self.rows[name])[None]


class Cell(nn.Module, ABC):
    """(B, T, D) -> (B, T, H): the hidden states of one layer."""

    fields: ClassVar[tuple[FieldSpec, ...]]  # what a step shows
    state: ClassVar[tuple[str, ...]]  # those of them that the next step reads; "hidden" first
    memories: ClassVar[tuple[Memory, ...]] = ()
    gates: ClassVar[tuple[str, ...]]  # what the blocks of H rows of the weights make, from the top
    free: ClassVar[tuple[str, ...]] = ()  # fields whose numbers have no bounds
    config_type: ClassVar[type[RecurrentConfig]] = RecurrentConfig  # of its language model

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.d, self.h = d, h
        self.fused: nn.RNNBase | None = None  # torch's kernel with the same equations

    @classmethod
    def anatomy(cls, **options: Any) -> Anatomy:
        """How its diagram and its equations show it, made with these options.  Here as its fields
        say: a memory of its own goes through tanh, and a reset gate stands before the candidate."""
        if "cell" in cls.state:
            return Anatomy("{$cell}", PLAIN)
        if any(spec.name == "gate.reset" for spec in cls.fields):
            return Anatomy(resets="gate.reset", note=RESET)
        return Anatomy()

    @property
    def width(self) -> int:
        """Numbers in one hidden state."""
        return self.h

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(spec.name for spec in self.fields)

    def sizes(self) -> tuple[int, ...]:
        """Numbers in each part of the state."""
        return (self.h,) * len(self.state)

    @abstractmethod
    def matrices(self) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Input weights (E, D), recurrent weights (E, H) and the biases (E,), all with one block of
        rows for each gate."""

    def walks(
        self, x_BTD: Tensor, tap: Tap, last: tuple[Tensor, ...] | None, kept_BH: Tensor | None
    ) -> bool:
        """Whether a cell that has a fused kernel goes step by step all the same: for edits, inner
        dropout, a few tokens more."""
        few = last is not None and x_BTD.shape[1] <= FEW
        return few or kept_BH is not None or tap.edits(*self.names)

    @torch.no_grad()
    def begin(self) -> None:
        """Biases that this cell wants other than 0 before it is trained."""

    def drive(self, x_BTD: Tensor) -> Tensor:
        """What the input adds at each token (B, T, E); with the biases."""
        w_ED, _, biases = self.matrices()
        return product(x_BTD, w_ED, sum(biases[1:], biases[0]))

    def parts(self) -> Mapping[str, Tensor]:
        """The weights that a step reads; matrices as (H, E), so that a step is h @ u."""
        return {"u": self.matrices()[1].T}

    @abstractmethod
    def step(self, w: Mapping[str, Any], a: Any, last: State, now: Moment) -> State:
        """One step from what the input adds (.., E) and the state before.  Each number goes through
        `now.see`, each use of recurrent weights is a `now.product`."""

    def forward(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        last: tuple[Tensor, ...] | None = None,
        kept_BH: Tensor | None = None,
    ) -> Tensor:
        """Hidden states (B, T, H), from the state (B, H) before these tokens, or from zeros.

        kept_BH  what the recurrent product reads of each unit: 0 where it is silenced, 1 / (1 - p)
                 elsewhere
        """
        last = last or tuple(x_BTD.new_zeros(len(x_BTD), n) for n in self.sizes())
        alone = len(x_BTD) == 1 and x_BTD.device.type == "cpu" and not torch.is_grad_enabled()
        if alone and kept_BH is None:
            return self.in_numpy(self.drive(x_BTD)[0], tap, last)
        now, _ = self._in_torch(x_BTD, tap, last, kept_BH)
        if tap is not passthrough:
            for name in self.names:
                tap.keep(name, torch.stack(now.rows[name], 1), AXES)
        return torch.stack(now.rows["hidden"], 1)

    def carried(
        self, x_BTD: Tensor, last: tuple[Tensor, ...] | None, kept_BH: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """As `forward`, and the state (B, H) after these tokens, from which the next ones go on."""
        last = last or tuple(x_BTD.new_zeros(len(x_BTD), n) for n in self.sizes())
        if self.fused is None or kept_BH is not None:
            now, end = self._in_torch(x_BTD, passthrough, last, kept_BH)
            return torch.stack(now.rows["hidden"], 1), end
        begin = tuple(part[None] for part in last)
        h_BTH, end = self.fused(x_BTD, begin if len(begin) > 1 else begin[0])
        return h_BTH, tuple(part[0] for part in (end if len(begin) > 1 else (end,)))

    def _in_torch(
        self, x_BTD: Tensor, tap: Tap, last: State, kept_BH: Tensor | None
    ) -> tuple[Moment, State]:
        a_BTE, w, now = self.drive(x_BTD), self.parts(), InTorch(self.names, tap, kept_BH)
        if driven := tap.in_loop("drive", AXES):
            a_BTE = driven(0, a_BTE, x_BTD)
        for t in range(x_BTD.shape[1]):
            now.t = t
            last = self.step(w, a_BTE[:, t], last, now)
        return now, last

    def in_numpy(self, driven_TE: Tensor, tap: Tap, last: tuple[Tensor, ...]) -> Tensor:
        """Hidden states (1, T, H) of one text in float32 on the processor, from what the input adds at each token and
        the state (1, H) before."""
        a_TE = driven_TE.numpy()
        w = {name: part.detach().numpy() for name, part in self.parts().items()}
        now = InNumpy(self.names, tap, len(a_TE))
        recurrent_EH = self.matrices()[1]
        if (packed := packed_of(recurrent_EH)) is not None and "u" in w:
            now.tables[id(w["u"])] = packed, recurrent_EH
        state: State = tuple(part[0].numpy() for part in last)
        # BLAS kernels also compute on lanes behind the end of a short row; what happens to lie there
        # can raise the processor's flag "invalid", though no result is touched by it.
        with np.errstate(invalid="ignore"):
            for t in range(len(a_TE)):
                now.t = t
                state = self.step(w, a_TE[t], state, now)
        for name in self.names:
            tap.derived(name, partial(now.whole, name), AXES)
        return torch.from_numpy(now.rows["hidden"])[None]


class OwnWeights(Cell):
    """A cell with one matrix for the input, one for the state before and one bias; uniform in +-1 /
    sqrt(H), as torch begins."""

    def __init__(self, d: int, h: int, into: int | None = None, rows: int | None = None) -> None:
        """`into`: numbers in the state that the recurrent product reads; `rows`: E; H and one block
        for each gate otherwise."""
        super().__init__(d, h)
        rows, into = rows or len(self.gates) * h, into or h
        bound = h**-0.5
        self.weight_ih = nn.Parameter(torch.empty(rows, d).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(rows, into).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(rows).uniform_(-bound, bound))

    def matrices(self) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        return self.weight_ih, self.weight_hh, (self.bias,)
