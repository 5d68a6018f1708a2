"""One product for a whole batch, instead of one for each line; one for all gates, instead of four.

What      forward   H_t = tanh(X_t W_x' + H_{t-1} W_h' + b), Y_t = H_t W_y' + c, all lines at once
          backward  dA_t = dH_t * (1 - H_t^2); dH_t = M_t dL/dY_t W_y + dA_{t+1} W_h;
                    dW_h = sum_t dA_t' H_{t-1}, dW_x = sum_t dA_t' X_t, dW_y = sum_t dY_t' H_t
          gates     [i f g o] = [x h] W' + b with the four blocks of W below one another
Source    Goodfellow, Bengio & Courville, Deep Learning, 2016, sec. 10.2.2
Shapes    B = lines, T = steps, D = input, H = units, V = outputs; M_t (B, 1) is the mask
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.models.neural import NeuralLanguageModel
from engine.nn.cells.lstm import LSTM

ROUNDS, SECONDS = 30, 0.6
GATES = ("i", "f", "g", "o")


@dataclass(frozen=True, slots=True)
class Race:
    """Median milliseconds of both ways, measured in turn, and how far their results are apart."""

    names: tuple[str, str]
    ms: tuple[float, float]
    apart: float

    @property
    def faster(self) -> float:
        return self.ms[0] / self.ms[1]


def race(names: tuple[str, str], one: Callable[[], Tensor], other: Callable[[], Tensor]) -> Race:
    times: tuple[list[float], list[float]] = ([], [])
    with torch.no_grad():
        apart = (one() - other()).abs().max().item()
        started = time.perf_counter()
        for _ in range(ROUNDS):
            for way, kept in zip((one, other), times, strict=True):
                begun = time.perf_counter()
                way()
                kept.append(1000 * (time.perf_counter() - begun))
            if time.perf_counter() - started > SECONDS:
                break
    return Race(names, (statistics.median(times[0]), statistics.median(times[1])), apart)


def lines(rows: int, units: int, inputs: int, seed: int = 0) -> Race:
    """One step of a plain recurrent layer: line after line, and as one product."""
    draw = torch.Generator().manual_seed(seed)
    x, h, w, u, b = (
        torch.randn(*size, generator=draw) / units**0.5
        for size in ((rows, inputs), (rows, units), (inputs, units), (units, units), (units,))
    )
    return race(
        ("line after line", "one product"),
        lambda: torch.stack([torch.tanh(x[i] @ w + h[i] @ u + b) for i in range(rows)]),
        lambda: torch.tanh(x @ w + h @ u + b),
    )


def gates(weights: tuple[Tensor, Tensor, Tensor], rows: int, seed: int = 0) -> Race:
    """The sums before the gates of an LSTM: four products of each kind, and one.

    weights  (4 H, D), (4 H, H) and (4 H,), in torch's order i, f, g, o
    """
    w, u, b = (part.detach() for part in weights)
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, w.shape[1], generator=draw)
    h = torch.tanh(torch.randn(rows, u.shape[1], generator=draw))
    blocks = list(zip(w.chunk(4), u.chunk(4), b.chunk(4), strict=True))
    joined, xh = torch.cat((w, u), 1), torch.cat((x, h), 1)
    return race(
        ("four gates", "one product"),
        lambda: torch.cat([x @ wi.T + h @ ui.T + bi for wi, ui, bi in blocks], 1),
        lambda: torch.addmm(b, xh, joined.T),
    )


def of_lstm(model: NeuralLanguageModel[Any]) -> tuple[Tensor, Tensor, Tensor]:
    """Weights of the first layer of a run, as `gates` takes them.  ValueError for another cell."""
    cell = model.net.get_submodule("layers.0")
    if not isinstance(cell, LSTM):
        raise ValueError("only an LSTM has these four gates")
    w, u, biases = cell.matrices()
    return w, u, sum(biases[1:], biases[0])


def shapes(rows: int, steps: int, inputs: int, units: int) -> tuple[list[str], int]:
    """Sizes of what goes into torch's LSTM, of its outputs and of its last state, as words; and how
    many parameters it has."""
    lstm = torch.nn.LSTM(inputs, units, batch_first=True)
    x = torch.zeros(rows, steps, inputs)
    with torch.no_grad():
        out, (last, _) = lstm(x)
    return [str(tuple(t.shape)) for t in (x, out, last)], sum(p.numel() for p in lstm.parameters())


def serial(documents: int, words: int, batch: int) -> tuple[int, int]:
    """(steps of a cell in an epoch, those that have to wait for one another)."""
    return documents * words, -(-documents // batch) * words


def epoch(documents: int, batch: int, points: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """(batches that are done, documents that are read by then): an epoch in so many moments, evenly
    apart on a scale of powers."""
    batches = -(-documents // batch)
    done_N = np.unique(np.geomspace(1, batches, points).round().astype(int))
    return done_N, np.minimum(documents, batch * done_N)


@dataclass(frozen=True, slots=True)
class Net:
    """w_x (H, D), w_h (H, H), b (H), w_y (V, H), c (V); float64."""

    w_x: np.ndarray
    w_h: np.ndarray
    b: np.ndarray
    w_y: np.ndarray
    c: np.ndarray

    @staticmethod
    def random(inputs: int, units: int, outputs: int, seed: int = 0) -> Net:
        rng = np.random.default_rng(seed)
        return Net(
            *(
                rng.normal(0, 0.5, size)
                for size in ((units, inputs), (units, units), units, (outputs, units), outputs)
            )
        )


def forward(net: Net, x_BTD: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hidden states (B, T + 1, H), the first of them zeros, and outputs (B, T, V)."""
    h = np.zeros((len(x_BTD), x_BTD.shape[1] + 1, len(net.b)))
    for t in range(x_BTD.shape[1]):
        h[:, t + 1] = np.tanh(x_BTD[:, t] @ net.w_x.T + h[:, t] @ net.w_h.T + net.b)
    return h, h[:, 1:] @ net.w_y.T + net.c


def loss(y_BTV: np.ndarray, target_BT: np.ndarray, mask_BT: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean cross-entropy of the real tokens in nats, and its slope at each output (B, T, V)."""
    p = np.exp(y_BTV - y_BTV.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    right = np.take_along_axis(p, target_BT[..., None], -1)[..., 0]
    slope = p.copy()
    np.put_along_axis(slope, target_BT[..., None], (right - 1)[..., None], -1)
    real = mask_BT.sum()
    return float(-(mask_BT * np.log(right)).sum() / real), slope * mask_BT[..., None] / real


def backward(net: Net, x_BTD: np.ndarray, h_BTH: np.ndarray, slope_BTV: np.ndarray) -> Net:
    """The slopes of the loss by each weight, summed over all lines and steps."""
    found = Net(*(np.zeros_like(w) for w in (net.w_x, net.w_h, net.b, net.w_y, net.c)))
    back = np.zeros_like(h_BTH[:, 0])
    for t in reversed(range(x_BTD.shape[1])):
        dh = slope_BTV[:, t] @ net.w_y + back
        da = dh * (1 - h_BTH[:, t + 1] ** 2)
        back = da @ net.w_h
        found.w_h[:] += da.T @ h_BTH[:, t]
        found.w_x[:] += da.T @ x_BTD[:, t]
        found.b[:] += da.sum(0)
        found.w_y[:] += slope_BTV[:, t].T @ h_BTH[:, t + 1]
        found.c[:] += slope_BTV[:, t].sum(0)
    return found


def against_autograd(lengths: Sequence[int], seed: int = 0) -> tuple[float, float, float]:
    """(loss, largest slope, largest difference to torch's) of a small net on a padded batch."""
    rng = np.random.default_rng(seed)
    net, many, longest = Net.random(3, 8, 5, seed), len(lengths), max(lengths)
    x, target = rng.normal(size=(many, longest, 3)), rng.integers(0, 5, (many, longest))
    mask = (np.arange(longest) < np.array(lengths)[:, None]).astype(float)
    h, y = forward(net, x)
    found, slope = loss(y, target, mask)
    ours = backward(net, x, h, slope)
    w_x, w_h, b, w_y, c = theirs = [
        torch.tensor(w, requires_grad=True) for w in (net.w_x, net.w_h, net.b, net.w_y, net.c)
    ]
    state, outputs = torch.zeros(many, 8, dtype=torch.float64), []
    for t in range(longest):
        state = torch.tanh(torch.tensor(x[:, t]) @ w_x.T + state @ w_h.T + b)
        outputs.append(state @ w_y.T + c)
    wanted = torch.where(torch.tensor(mask) > 0, torch.tensor(target), -100)
    with torch.enable_grad():
        torch.nn.functional.cross_entropy(
            torch.stack(outputs, 1).flatten(0, 1), wanted.flatten()
        ).backward()
    pairs = list(zip((ours.w_x, ours.w_h, ours.b, ours.w_y, ours.c), theirs, strict=True))
    largest = max(float(np.abs(one).max()) for one, _ in pairs)
    away = max(
        float(np.abs(one - two.grad.numpy()).max()) for one, two in pairs if two.grad is not None
    )
    return found, largest, away
