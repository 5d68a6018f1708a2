"""Ranks: one training shared by several processes, started by `torchrun`.

What      each rank reads its share of every batch; gradients are summed over all ranks, so all take
          the same step
Source    Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, 2020
Differs   Gradients travel in one message behind the backward pass; DistributedDataParallel sends
          the first ones while the last are still being computed.  Before each step rank 0 says
          whether it is taken and at which rate, so that a pause or a stop, which only rank 0 hears
          of, ends all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import torch
from torch import Tensor, distributed, nn

STOP = -1.0
# the others wait this long for rank 0: for its turn in the queue, or to measure
LONG = timedelta(days=7)


def count() -> int:
    return distributed.get_world_size() if distributed.is_initialized() else 1


def rank() -> int:
    return distributed.get_rank() if distributed.is_initialized() else 0


def local() -> int:
    """Processes of this training on this computer."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1")) if distributed.is_initialized() else 1


@contextmanager
def join_ranks(cuda: bool) -> Iterator[None]:
    """Meet the other processes that torchrun started; where there are none, nothing.

    On one computer they talk over its own loopback address.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) < 2 or distributed.is_initialized():
        yield
        return
    if os.environ.get("LOCAL_WORLD_SIZE") == os.environ["WORLD_SIZE"]:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    distributed.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo", timeout=LONG)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def share_number(number: float) -> float:
    """What rank 0 says, on every rank."""
    if count() == 1:
        return number
    said = torch.tensor([number], dtype=torch.float64)
    distributed.broadcast(said, 0)
    return said.item()


def steps(first: int, last: int, rate: Callable[[int], float]) -> Iterator[tuple[int, float]]:
    """The steps after `first`, each with its rate, for as long as rank 0 takes any."""
    step = first
    while (said := share_number(rate(step + 1) if step < last else STOP)) != STOP:
        step += 1
        yield step, said


@contextmanager
def between() -> Iterator[None]:
    """Where rank 0 works and the others wait for its word: what ends here ends for all.

    What fails in the middle of a step tells nobody, as nobody listens: the others find the
    connection closed.
    """
    try:
        yield
    except BaseException:
        if rank() == 0:
            share_number(STOP)
        raise


@torch.no_grad()
def share_weights(net: nn.Module) -> None:
    """Every rank begins with the weights of rank 0."""
    if count() > 1:
        for values in net.state_dict().values():
            distributed.broadcast(values, 0)


@torch.no_grad()
def sum_up(parameters: Iterable[nn.Parameter], loss: Tensor) -> None:
    """Gradients, and the loss, become their sums over all ranks, in place."""
    if count() == 1:
        return
    learning = [p for p in parameters if p.requires_grad]
    for p in learning:
        p.grad = torch.zeros_like(p) if p.grad is None else p.grad
    grads = [p.grad for p in learning if p.grad is not None]
    flat = torch.cat([*(g.flatten().float() for g in grads), loss.flatten().float()])
    distributed.all_reduce(flat)
    for g, summed in zip(grads, flat.split([g.numel() for g in grads] + [1])):
        g.copy_(summed.view_as(g))
    loss.copy_(flat[-1])
