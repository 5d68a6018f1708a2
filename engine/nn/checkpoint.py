"""Checkpoint: all that a training needs to go on from a step, as arrays.

step                 of all
net.<parameter>      the weights that learn; those that are frozen come from the run that it goes on from
<name>.<parameter>   what the optimiser keeps of it: exp_avg and exp_avg_sq of Adam, momentum_buffer
                     of SGD ...
<part>:<name>        what else varies: the schedule's, the clipping's and the loss scale's numbers,
                     a carried state
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from engine.language.message import _, refusal

Arrays = dict[str, np.ndarray]


class Varies(Protocol):
    """A part of the loop that is not the same at each step."""

    def state(self) -> Mapping[str, Any]: ...
    def restore(self, state: Mapping[str, Any]) -> None: ...


def save(
    step: int, net: nn.Module, optimiser: torch.optim.Optimizer, parts: Mapping[str, Varies]
) -> Arrays:
    arrays: Arrays = {"step": np.array([step], np.int64)}
    learning = _order(optimiser)
    for name, p in net.named_parameters():
        if id(p) not in learning:
            continue
        arrays[f"net.{name}"] = p.detach().cpu().numpy().copy()
        arrays |= {
            f"{key}.{name}": v.detach().cpu().numpy().copy()
            for key, v in optimiser.state.get(p, {}).items()
            if isinstance(v, torch.Tensor)
        }
    for part, varies in parts.items():
        arrays |= {f"{part}:{key}": np.atleast_1d(value) for key, value in varies.state().items()}
    return arrays


def _order(optimiser: torch.optim.Optimizer) -> dict[int, int]:
    """Which place each parameter has in what `state_dict` gives, by its identity."""
    every = (p for group in optimiser.param_groups for p in group["params"])
    return {id(p): i for i, p in enumerate(every)}


def after_training(step: int, weights: Mapping[str, np.ndarray]) -> Arrays:
    """Of a finished training, for one that goes on behind its last step: the optimiser knows
    nothing, the steps are counted on."""
    return {
        "step": np.array([step], np.int64),
        **{f"net.{name}": values for name, values in weights.items()},
    }


def restore(
    arrays: Mapping[str, np.ndarray],
    net: nn.Module,
    optimiser: torch.optim.Optimizer,
    parts: Mapping[str, Varies],
) -> int:
    """Put everything back; the step it was saved at.  ValueError where it is of another net."""
    step, state = int(arrays["step"][0]), dict[int, dict[str, torch.Tensor]]()
    kept: dict[str, dict[str, np.ndarray]] = {}
    for whole, values in arrays.items():
        key, name = whole.partition(".")[::2]
        kept.setdefault(name, {})[key] = values
    order = _order(optimiser)
    for name, p in net.named_parameters():
        found = kept.get(name, {}).get("net")
        if found is None or found.shape != tuple(p.shape):
            raise refusal(
                "this training can't go on from those weights: {name} is {there}, and should be"
                " {right}",
                there=_("missing") if found is None else "x".join(map(str, found.shape)),
                right="x".join(map(str, p.shape)),
            )
        with torch.no_grad():
            p.copy_(torch.from_numpy(np.array(found)))
        if (i := order.get(id(p))) is None:
            continue
        state[i] = {
            key: torch.from_numpy(np.array(v)) for key, v in kept[name].items() if key != "net"
        }
        if "exp_avg" in state[i]:  # checkpoints from before told the step once for all
            state[i].setdefault("step", torch.tensor(float(step)))
        if "step" in state[i]:
            state[i]["step"] = state[i]["step"].reshape(())
    optimiser.load_state_dict(
        {
            "state": {i: s for i, s in state.items() if s},
            "param_groups": optimiser.state_dict()["param_groups"],
        }
    )
    for part, varies in parts.items():
        mine = {k.partition(":")[2]: v for k, v in arrays.items() if k.startswith(f"{part}:")}
        # a number, or a state (B, H)
        varies.restore({key: v.item() if v.ndim == 1 else v for key, v in mine.items()})
    return step
