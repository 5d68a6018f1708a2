"""Compiling: the loss of a net as a few large kernels, made for it by torch.compile, instead of one
for each operation.

What      off: as it is written;  on: compiled, where that is possible;  auto: both are timed on the
          first batch, and the faster one is taken, where the training is long enough
Source    Ansel et al., PyTorch 2: Faster Machine Learning Through Dynamic Python Bytecode
          Transformation and Graph Compilation, 2024
Shapes    as in engine/nn/loop.py
Differs   The function is compiled, not the net: its weights keep their names, copies of it are nets
          like any other, and held-out text is read as it is written.  Sums are taken in another
          order, so losses agree up to rounding only; dropout draws other numbers.  What was chosen
          is in the checkpoint, so a training goes on in the way that it began.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from engine.nn import ranks
from engine.nn.cells.base import Cell
from engine.nn.plan import Plan

LONG = 60.0  # seconds of steps that a training has to take for compiling to pay
PAYS = 1.03  # times as fast
ROUNDS = 5
CANNOT = "as torch can't do it here"
REFUSED = {
    "recompute": "layers that are computed twice are not compiled",
    "carried": "a net whose state is carried from step to step is not compiled",
    "recurrent": "a recurrent net is not compiled: it reads one token after the other",
}

Read = Callable[..., Tensor]


class Compiling:
    """Computes a loss as `read` does, in the way that `settle` chose."""

    def __init__(self, net: nn.Module, read: Read, plan: Plan, *, carried: bool) -> None:
        self.net, self.read, self.wanted = net, read, plan.compile
        self.notes: dict[str, str] = {}
        self._chosen: bool | None = None
        self._compiled: Read | None = None
        recurrent = any(isinstance(part, Cell | nn.RNNBase) for part in net.modules())
        odd = {"recompute": plan.recompute, "carried": carried, "recurrent": recurrent}
        self.refused = next((REFUSED[name] for name, found in odd.items() if found), "")

    def __call__(self, *given: Any) -> Tensor:
        if self._compiled is None:
            return self.read(*given)
        from torch._dynamo.exc import TorchDynamoException

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch's, of its own parts, when a new shape comes
                return self._compiled(*given)
        except TorchDynamoException as error:
            self._compiled, self._chosen = None, False
            self.notes["compile"] += f"; no longer, {CANNOT}: {_short(error)}"
            return self.read(*given)

    def settle(self, inputs: Sequence[Sequence[Any]], steps: int) -> bool:
        """Choose, before the first of so many steps; whether that took any time.  `notes` says
        what was chosen, and why."""
        if self.wanted == "off":
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of parts of its own
            said = self.refused or self._tried(inputs[0], steps)
        taken = bool(ranks.share_number(float(self._compiled is not None)))
        self._compiled = self._compiled if taken else None
        self._chosen = taken
        self.notes["compile"] = said
        self.net.zero_grad(set_to_none=True)
        return True

    def _tried(self, given: Sequence[Any], steps: int) -> str:
        auto = self.wanted == "auto" and self._chosen is None
        if self.wanted == "auto" and self._chosen is False:
            return "not compiled, as before"
        plain = 0.0
        if auto:
            self._seconds(self.read, given)
            plain = statistics.median(self._seconds(self.read, given) for _ in range(3))
            if plain * steps < LONG:
                return (
                    f"not compiled: a training of {plain * steps:.2g} seconds is too short for it"
                )
        try:
            compiled = torch.compile(self.read)
            spent = self._seconds(compiled, given) + self._seconds(compiled, given)
        except (RuntimeError, OSError, ImportError) as error:
            return f"not compiled, {CANNOT}: {_short(error)}"
        if auto:
            pairs = [
                [self._seconds(way, given) for way in (self.read, compiled)] for _ in range(ROUNDS)
            ]
            plain, fast = (statistics.median(times) for times in zip(*pairs, strict=True))
            if plain < PAYS * fast:
                return f"not compiled: steps would be {plain / fast:.2f} times as fast"
        self._compiled = compiled
        how = f", steps are {plain / fast:.2f} times as fast" if auto else ""
        return f"compiled in {spent:.0f} seconds{how}"

    def _seconds(self, way: Read, given: Sequence[Any]) -> float:
        """Of one loss and its gradients, to their end."""
        self.net.zero_grad(set_to_none=True)
        began = _now(given[0])
        way(*given).backward()  # type: ignore[no-untyped-call]
        return _now(given[0]) - began

    def state(self) -> Mapping[str, Any]:
        return {} if self._chosen is None else {"chosen": float(self._chosen)}

    def restore(self, state: Mapping[str, Any]) -> None:
        if "chosen" in state:
            self._chosen = bool(state["chosen"])


def _now(x: Tensor) -> float:
    if x.device.type == "cuda":
        torch.cuda.synchronize(x.device)
    return time.perf_counter()


def _short(error: Exception) -> str:
    """The first line of what a compiler says that says something."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line), type(error).__name__)[:200]
