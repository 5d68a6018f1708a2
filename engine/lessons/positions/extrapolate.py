"""Extrapolation: how well a model predicts at each place of a text, up to the length it was trained
on and beyond.

What      mean surprisal in bits of the token after place 1, 2 .. L, over stretches of text held out
          from the training
Source    Press, Smith & Lewis, Train Short, Test Long, 2022 (beyond the training); Chen et al.,
          Extending Context Window of Large Language Models via Positional Interpolation, 2023, eq.
          4 (places times trained length / L, then some more training)
Shapes    N = tokens held out, B = stretches, T = places
Differs   One number per place, not one per length: it shows where it breaks.  Small models, one
          training each.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from engine import ROOT
from engine.core.registry import positions
from engine.language.message import _, refusal
from engine.runs.store import Run, RunStore, digest
from engine.storage.files import write_bytes

if TYPE_CHECKING:
    from engine.models.transformer import Transformer

SHIPPED = ROOT / "assets" / "positions.json"
LENGTH = 256
# steps of further training after interpolation, and stretches of LENGTH tokens in each
MORE, WINDOWS = 100, 8


@dataclass(frozen=True, slots=True)
class Curve:
    """One model on the held-out stretches.

    stretch  what places are multiplied by: 1, or trained / LENGTH for interpolation
    more     steps of training on stretches of LENGTH tokens after that
    bits     per place from 1 on; shorter than LENGTH where a model has no numbers for more places
    """

    kind: str
    stretch: float
    more: int
    parameters: int
    placed: int  # parameters of the position alone
    bits: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Results:
    trained: int  # tokens of the stretches in training
    stretches: int
    tokens: int  # held out
    steps: int
    curves: tuple[Curve, ...]

    def find(self, kind: str, interpolated: bool = False, more: bool = False) -> Curve | None:
        return next(
            (
                c
                for c in self.curves
                if (c.kind, c.stretch != 1, c.more > 0) == (kind, interpolated, more)
            ),
            None,
        )

    def means(self, c: Curve) -> list[float]:
        """Mean bits in the second half of the trained places, in the next as many as trained, and in the
        rest; nan where there is none."""
        t, bits = self.trained, np.array(c.bits)
        some = bits[t // 2 : t], bits[t : 2 * t], bits[2 * t :]
        return [float(part.mean()) if len(part) else float("nan") for part in some]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        curves = tuple(Curve(**{**row, "bits": tuple(row["bits"])}) for row in body["curves"])
        return cls(
            **{name: int(body[name]) for name in ("trained", "stretches", "tokens", "steps")},
            curves=curves,
        )


def plan(kinds: Sequence[str]) -> list[tuple[str, bool, int]]:
    """(kind, interpolated, further steps): all as trained; those that number their places also
    interpolated, RoPE also trained on."""
    numbered = [k for k in kinds if positions.get(k).adds() or positions.get(k).rotates()]
    more = [(kind, True, 0) for kind in numbered] + [("rope", True, MORE)] * ("rope" in kinds)
    return [(kind, False, 0) for kind in kinds] + more


def runs(folder: Path) -> dict[str, Run]:
    """One for each kind of position.  LookupError where one of the runs is not in the folder."""
    store = RunStore(folder)
    return {kind: store.find(f"transformer_{kind}") for kind in positions.listed()}


def measure(
    found: Mapping[str, Run], text: str, length: int = LENGTH, more: int = MORE
) -> Iterator[tuple[Curve, Results]]:
    """A curve at a time, and all until then.  ValueError where a run was trained on another text:
    it may have seen what is held out here."""
    import torch

    from engine.models.transformer import Transformer
    from engine.text.tokenizers.base import passages, split

    torch.set_num_threads(1)
    done: list[Curve] = []
    for kind, interpolated, steps in plan(list(found)):
        run = found[kind]
        if run.note["corpus"]["digest"] != digest(text):
            raise refusal(
                "{run.id} was trained on another text; give --text the file that it was trained on"
            )
        model = RunStore().load(run)
        assert isinstance(model, Transformer)
        span, seed = int(model.config.span), int(run.note["seed"])
        lines, held_out = split(passages(text), seed)
        ids_N = model.tokenizer.stream(held_out)
        if len(ids_N) <= length:
            raise refusal(
                "{ids} tokens are held out, {length} are needed; give a longer text",
                ids=len(ids_N),
                length=length + 1,
            )
        net = model.net
        net.tower.stretch = span / length if interpolated else 1.0
        if steps:
            net = _train_on(net, model, lines, ids_N, length, more, seed)
        rows = None if interpolated else net.tower.position.rows
        bits = by_place(net, ids_N, length, min(length, rows or length))
        count = {
            part: sum(p.numel() for p in of.parameters())
            for part, of in (("parameters", net), ("placed", net.tower.position))
        }
        done.append(
            Curve(
                kind,
                net.tower.stretch,
                more if steps else 0,
                **count,
                bits=tuple(round(float(b), 4) for b in bits),
            )
        )
        yield (
            done[-1],
            Results(
                span, (len(ids_N) - 1) // length, len(ids_N), int(model.config.steps), tuple(done)
            ),
        )


def by_place(net: Any, ids_N: np.ndarray, length: int, places: int, batch: int = 32) -> np.ndarray:
    """(places,) mean bits of the token after each place, over all stretches of `length` tokens one
    behind the other."""
    import torch
    from torch.nn import functional as F

    ids = torch.from_numpy(np.ascontiguousarray(ids_N))
    count, total_T = (len(ids) - 1) // length, torch.zeros(places, dtype=torch.float64)
    with torch.inference_mode():
        for row in range(0, count, batch):
            at_BT = torch.arange(row, min(row + batch, count))[:, None] * length + torch.arange(
                places + 1
            )
            both_BT = ids[at_BT]
            nats = F.cross_entropy(
                net(both_BT[:, :-1]).flatten(0, 1), both_BT[:, 1:].flatten(), reduction="none"
            )
            total_T += nats.view(-1, places).double().sum(0)
    return np.asarray(total_T / count / math.log(2))


def _train_on(
    net: Any,
    model: Transformer,
    lines: list[str],
    held_out_N: np.ndarray,
    length: int,
    steps: int,
    seed: int,
) -> Any:
    from engine.nn import loop

    net = deepcopy(net)
    how = loop.Plan(steps=steps, batch=WINDOWS, span=length, rate=model.config.rate / 3, warmup=10)
    for __ in loop.train(
        net,
        model.tokenizer.stream(lines),
        held_out_N,
        how,
        seed=seed,
        device="cpu",
        boundary=model.tokenizer.boundary,
    ):
        pass
    return net


def smooth(bits_T: np.ndarray, width: int) -> np.ndarray:
    """The mean of `width` neighbours, fewer at the ends."""
    ones = np.ones(width)
    return (
        np.convolve(bits_T, ones, "same") / np.convolve(np.ones(len(bits_T)), ones, "same")
        if len(bits_T) >= width
        else bits_T
    )


def shipped() -> Results | None:
    """None when the file is missing or damaged."""
    return _read(SHIPPED, SHIPPED.stat().st_mtime_ns if SHIPPED.is_file() else 0)


@lru_cache(2)
def _read(path: Path, _changed: int) -> Results | None:
    try:
        return Results.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(path: Path, results: Results) -> None:
    """Whole or not at all; a curve a line."""
    head = {
        "made_by": "python -m engine extrapolate --text FILE --out assets/positions.json",
        **asdict(results),
    }
    curves = ",\n".join(json.dumps(curve) for curve in head.pop("curves"))
    write_bytes(
        path,
        _(
            '{head}, "curves": [\n{curves}\n]}}\n', head=_(json.dumps(head)[:-1]), curves=curves
        ).encode(),
    )
