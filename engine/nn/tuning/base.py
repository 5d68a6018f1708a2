"""Tuning: what the files of this folder give: a sentence, what is added to a net, and which of its
weights learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from torch import nn

from engine.core.registry import tunings
from engine.language.message import refusal
from engine.nn.plan import Training

C = TypeVar("C")


def _nothing(net: nn.Module, plan: Training) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Tuning:
    """
    learns   of a net with what was added: its parameters by name that learn
    install  put into a trained net what is added to it; ValueError where that does not fit
    merge    fold what was added into the net's own weights, where that gives the same net
    """

    says: str
    rank: int
    learns: Callable[[nn.Module, Training], Mapping[str, nn.Parameter]]
    install: Callable[[nn.Module, Training], None] = _nothing
    merge: Callable[[nn.Module], bool] = lambda net: False


def install(net: nn.Module, config: object) -> None:
    """What the tuning of a config adds to a net; nothing where it has none."""
    if isinstance(config, Training):
        tunings.get(config.tune).install(net, config)


def merge(net: nn.Module, config: C) -> C:
    """Fold what was added into the weights of a net that is read and trained no more; its config
    then."""
    if isinstance(config, Training) and tunings.get(config.tune).merge(net):
        return replace(config, tune="whole")
    return config


def learning(net: nn.Module, plan: Training) -> Mapping[str, nn.Parameter]:
    """The parameters that a training changes; the others are frozen.  ValueError where there are
    none."""
    found = tunings.get(plan.tune).learns(net, plan)
    if not found:
        raise refusal("nothing of this network would learn with tune={plan.tune}")
    return found
