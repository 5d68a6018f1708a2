"""Build: the nets that read numbers, trained on families of made series.

    python -m engine.lessons.series.build        writes assets/series.safetensors and assets/series.json

What      pinball loss over the step of the series, cross-entropy of the labels of frames; Adam with a rate that rises
          and falls; a batch depends on the step alone.  Judged on seeds from HELD on, which no step has drawn
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from engine.lessons.series import families, gaps, nets, sound
from engine.lessons.series.nets import CONTEXT, HORIZON

BATCH, RATE, HELD = 96, 4e-3, 10**8
Batch = tuple[tuple[Tensor, ...], Tensor, Tensor]
"""What the net reads, what is true, and what a loss of each series is worth."""


def mixture(step: int) -> Batch:
    """A batch of all families, from 6 to CONTEXT numbers long."""
    rng = np.random.default_rng((1, step))
    length, names = int(rng.integers(6, CONTEXT + 1)), [*families.MADE]
    some = rng.integers(len(names), size=BATCH)
    x_BN = np.stack([families.MADE[names[k]](rng, length + HORIZON) for k in some])
    in_BLF, _mean, apart = nets.features(x_BN[:, :length])
    apart = np.where(apart > 0, apart, 1.0)  # dry days alone
    ahead_BH = torch.from_numpy((x_BN[:, length:] - x_BN[:, length - 1 : length]) / apart)
    worth = 1 / in_BLF[..., 1].abs().mean(1).clamp(min=0.05)
    return (in_BLF,), ahead_BH.float(), worth


def loads(step: int, seen: bool) -> Batch:
    """Load, with the temperature or without."""
    rng = np.random.default_rng((2, step))
    pairs = [families.weather(rng, CONTEXT + HORIZON) for _ in range(BATCH)]
    load_BN, degrees_BN = (np.stack(part) for part in zip(*pairs, strict=True))
    in_, _mean, apart = nets.features(load_BN[:, :CONTEXT])
    ahead = torch.from_numpy((load_BN[:, CONTEXT:] - load_BN[:, CONTEXT - 1 : CONTEXT]) / apart)
    given = nets.with_weather(in_, degrees_BN) if seen else (in_,)
    return given, ahead.float(), torch.ones(BATCH)


def learn(
    name: str, batch: Callable[[int], Batch], steps: int
) -> Iterator[tuple[float, torch.nn.Module]]:
    """The loss and the net, after each step."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nets.KINDS[name]()
    loss_of = wrong if name in ("sound", "frame") else nets.pinball
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)
    for step in range(steps):
        given, true, worth = batch(step)
        loss = (loss_of(net(*given), true) * worth).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        yield loss.item(), net


def wrong(logit_BTK: Tensor, label_BT: Tensor) -> Tensor:
    return torch.nn.functional.cross_entropy(logit_BTK.transpose(1, 2), label_BT)


LEARNED: dict[str, tuple[Callable[[int], Batch], int]] = {
    "lstm": (mixture, 10_000),
    "transformer": (mixture, 6_000),
    "load": (lambda step: loads(step, False), 1_200),
    "weather": (lambda step: loads(step, True), 1_200),
    "counting": (lambda step: gaps.batch(step, False), 1_200),
    "gaps": (lambda step: gaps.batch(step, True), 1_200),
    "sound": (sound.batch, 400),
    "frame": (sound.batch, 400),
}


def train(name: str) -> dict[str, np.ndarray]:
    batch, steps = LEARNED[name]
    net: torch.nn.Module = torch.nn.Identity()
    told = list[float]()
    for loss, learned in learn(name, batch, steps):
        told.append(loss)
        net = learned
        if len(told) % 500 == 0:
            print(f"{name} {len(told)}: {np.mean(told[-500:]):.4f}", flush=True)
    return {f"{name}.{key}": p.numpy() for key, p in net.state_dict().items()}


def main() -> None:
    from engine.lessons.series import judge
    from engine.storage import quantised
    from engine.storage.arrays import write_arrays
    from engine.storage.files import write_bytes

    arrays = {k: v for name in LEARNED for k, v in train(name).items()}
    write_arrays(nets.ASSETS, quantised.stored(arrays, "float16"))
    nets.shipped.cache_clear()
    covered = {name: judge.covered(name, HELD) for name in families.MADE}
    said = {"made_by": "python -m engine.lessons.series.build", "covered": covered}
    write_bytes(judge.MEASURED, (json.dumps(said, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
