"""Measured: what a line of text costs a net in every number format, and with more and more of it left out.

What      bits per token over lines that it has not learned: sum of -log2 p / tokens
          error of a format in a table: root of sum (w' - w)^2 / sum w^2, over some of its rows
Shapes    B = lines read at once, T = tokens, V = vocabulary
Differs   Of a large net fewer lines are read, with fewer shares left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine import frame as fr
from engine.language.message import _
from engine.lessons.smaller import nets
from engine.lessons.smaller.formats import FORMATS, send_back
from engine.lessons.smaller.nets import LARGE, LAYERS, WEIGHTS, WHOLE, Net
from engine.lessons.smaller.sentences import SENTENCES

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FEW = (0.1, 0.3, 0.5, 0.7)
TOKENS, TOGETHER = 3_000, 8  # read of a text, of a large net fewer; lines at once
WEIGHED = 200_000  # weights whose error is measured


def cut_lines(model: Net, lines: Sequence[str], most: int) -> list[np.ndarray]:
    """The ids of as many lines as have `most` tokens together, none longer than the context."""
    found, total = [], 0
    for line in lines:
        ids_T = model.tokens(line).ids[: model.context or 512]
        if len(ids_T) > 1:
            found.append(ids_T)
            total += len(ids_T) - 1
        if total >= most:
            break
    return found


def bits_per_token(model: Net, lines: Sequence[np.ndarray]) -> float:
    """ValueError for a text without two tokens."""
    import torch
    from torch.nn import functional as F

    if not lines:
        raise ValueError("This text has no line with two tokens.")
    nats = count = 0.0
    with torch.inference_mode():
        for n in range(0, len(lines), TOGETHER):
            some = [torch.from_numpy(ids.astype(np.int64)) for ids in lines[n : n + TOGETHER]]
            ids_BT = torch.nn.utils.rnn.pad_sequence(some, batch_first=True, padding_value=-100)
            logit_BTV = model.net(ids_BT[:, :-1].clamp_min(0))
            next_BT = ids_BT[:, 1:]
            nats += float(
                F.cross_entropy(logit_BTV.flatten(0, 1), next_BT.flatten(), reduction="sum")
            )
            count += int((next_BT >= 0).sum())
    return nats / count / float(np.log(2))


@dataclass(frozen=True, slots=True)
class Measured:
    """bits of the whole net; {format: (bytes, bits)}; {what is left out: (shares, bits)}; tokens read."""

    whole: float
    formats: dict[str, tuple[float, float]]
    pruned: dict[str, tuple[list[float], list[float]]]
    tokens: int


@fr.once_told
def measure(*, model: Net, lines: tuple[str, ...]) -> fr.Taking[Measured]:
    large = nets.count(model) > LARGE
    read = cut_lines(model, lines, TOKENS // 6 if large else TOKENS)
    whole = bits_per_token(model, read)
    jobs: list[tuple[str, str, float]] = [(k, WEIGHTS, 0.0) for k in FORMATS]
    for what in nets.removable(model):
        shares: Sequence[float] = FEW if large else SHARES
        if what == LAYERS:
            layers = model.config.layers
            step = max(1, layers // len(shares))
            shares = [n / layers for n in range(1, layers, step)]
        jobs += [(WHOLE, what, share) for share in shares]
    formats: dict[str, tuple[float, float]] = {}
    pruned: dict[str, tuple[list[float], list[float]]] = {
        what: ([0.0], [whole]) for what in nets.removable(model)
    }
    for n, (kind, what, share) in enumerate(jobs):
        told = (
            kind
            if kind != WHOLE
            else _("{share:.0%} of the {what} left out", share=share, what=_(what))
        )
        yield fr.Progress(n / len(jobs), told)
        made = nets.make_smaller(model, kind, what, share, SENTENCES)
        bits = bits_per_token(made.model, read)
        if kind != WHOLE:
            formats[kind] = made.size, bits
        else:
            pruned[what][0].append(share)
            pruned[what][1].append(bits)
    return Measured(whole, formats, pruned, sum(len(ids) - 1 for ids in read))


# ------------------------------------------------------------------ errors of weights


def errors(model: Net) -> tuple[list[str], np.ndarray]:
    """The names of its tables (N,), and what each format is off by in them, as a share of their size (N, F)."""
    arrays = model.weights()
    names = nets.tables(arrays)
    return names, np.array([[*_off(arrays[name], WEIGHED // len(names))] for name in names])


def _off(table: np.ndarray, most: int) -> Iterator[float]:
    rows = table.reshape(-1, table.shape[-1])
    some = rows[:: max(1, rows.size // max(most, rows.shape[1]))]
    size = float(np.square(some, dtype=np.float64).sum())
    for kind in FORMATS:
        off = np.square(send_back(some, kind) - some, dtype=np.float64).sum()
        yield float(np.sqrt(off / size)) if size else 0.0


def together(names: Sequence[str], off_NF: np.ndarray, by: str) -> tuple[list[str], np.ndarray]:
    """Means over the tables of a layer, or of a kind in all layers; `by`: "table", "layer" or "kind"."""
    if by == "table":
        return [*names], off_NF
    of: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        words = name.split(".")
        layer = next((word for word in words if word.isdigit()), "")
        kind = ".".join(
            word for word in words if not word.isdigit() and word not in ("tower", "blocks")
        )
        of.setdefault(
            kind if by == "kind" or not layer else str(_("layer {n}", n=int(layer) + 1)), []
        ).append(n)
    return [*of], np.array([off_NF[at].mean(0) for at in of.values()])


def find_table(model: Net, name: str) -> np.ndarray:
    found = model.weights()[name]
    return np.asarray(found.reshape(-1, found.shape[-1]), np.float32)
