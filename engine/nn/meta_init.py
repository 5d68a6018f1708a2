"""Meta init: modules whose parameters have a shape and no numbers, for weights that come from a file.

What      `with unfilled(): net = Net(...)`, then `net.load_state_dict(weights, assign=True)`
Source    PyTorch documentation, Meta device; `torch.overrides.TorchFunctionMode`
Differs   A module fills its parameters as it is made.  On the meta device that costs nothing except
          for the normal distribution, which torch passes on to its compiler: importing that takes as
          long as importing torch, and 100 MB.  Here nothing is filled at all.  `arange` and `eye` go the
          same way there, so they are made on this computer, as they would be outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn import init
from torch.overrides import TorchFunctionMode

FILLS = {
    Tensor.normal_,
    Tensor.uniform_,
    *(made for name, made in vars(init).items() if name.endswith("_") and name[0] != "_"),
}
WRITTEN = {torch.arange, torch.eye}


class _NotFilled(TorchFunctionMode):
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func in FILLS:
            return args[0] if args else kwargs["tensor"]
        if func in WRITTEN:
            return func(*args, **{"device": "cpu", **kwargs})
        return func(*args, **kwargs)


@contextmanager
def unfilled() -> Iterator[None]:
    """Parameters made in here are on the meta device, and nothing is drawn for them."""
    with torch.device("meta"), _NotFilled():
        yield
