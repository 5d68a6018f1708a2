"""One step of one optimiser in LaTeX with its numbers: from the gradient to the new weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine.frame.latex import number
from engine.lessons.optimisers.race import Path
from engine.nn.optimisers import muon

KEPT, SMALL = 0.99, 1e-8  # of the squares, and below the root, in engine/nn/optimisers


def lines(path: Path, step: int) -> list[str]:
    """LaTeX of step `step`, counted from 1.  Of an optimiser without a formula here: what it kept."""
    at = step - 1
    before = {name: values[at - 1] if at else np.zeros(2) for name, values in path.kept.items()}
    now = {name: values[at] for name, values in path.kept.items()}
    how = FORMULAS.get(path.racer.optimiser, _kept)
    g, w = path.gradient[at], path.w[at]
    found = [rf"g = \nabla f({_n(w[0])},\ {_n(w[1])}) = {_v(g)}"]
    decay = path.decay
    if decay and path.racer.optimiser in ("sgd", "rmsprop", "adam"):
        g = g + decay * w
        found.append(rf"g \leftarrow g + {_n(decay)}\, w = {_v(g)}")
    found += how(path, step, g, before, now)
    after = path.w[at + 1] if at + 1 < len(path.w) else None
    rate = path.rate[at]
    if decay and path.racer.optimiser in ("adamw", "muon"):
        found.append(
            rf"w \leftarrow (1 - {_n(rate)} \cdot {_n(decay)})\, w = {_v((1 - rate * decay) * w)}"
        )
    end = _v(after) if after is not None else r"\text{not finite}"
    found.append(rf"w \leftarrow w - {_n(rate)}\, \Delta = {end}")
    return found


def _n(x: float) -> str:
    return number(float(x))


def _v(x: np.ndarray) -> str:
    return rf"\begin{{pmatrix}} {_n(x[0])} \\ {_n(x[1])} \end{{pmatrix}}"


Numbers = Mapping[str, np.ndarray]


def _kept(path: Path, step: int, g: np.ndarray, before: Numbers, now: Numbers) -> list[str]:
    return [rf"\text{{{name.replace('_', ' ')}}} = {_v(value)}" for name, value in now.items()]


def _sgd(path: Path, step: int, g: np.ndarray, before: Numbers, now: Numbers) -> list[str]:
    if "momentum_buffer" not in now:
        return [rf"\Delta = g = {_v(g)}"]
    b = path.racer.momentum
    old = before["momentum_buffer"]
    return [
        rf"\Delta = v = {_n(b)}\, v + g = {_n(b)} {_v(old)} + {_v(g)} = {_v(now['momentum_buffer'])}"
    ]


def _rmsprop(path: Path, step: int, g: np.ndarray, before: Numbers, now: Numbers) -> list[str]:
    s = now["square_avg"]
    return [
        rf"s = {KEPT}\, s + {1 - KEPT:.2g}\, g^2"
        rf" = {KEPT} {_v(before['square_avg'])} + {1 - KEPT:.2g} {_v(g**2)} = {_v(s)}",
        rf"\Delta = \frac{{g}}{{\sqrt{{s}} + 10^{{-8}}}} = {_v(g / (np.sqrt(s) + SMALL))}",
    ]


def _adam(path: Path, step: int, g: np.ndarray, before: Numbers, now: Numbers) -> list[str]:
    b, m, s = path.racer.momentum, now["exp_avg"], now["exp_avg_sq"]
    fixed_m, fixed_s = m / (1 - b**step), s / (1 - KEPT**step)
    return [
        rf"m = {_n(b)}\, m + {_n(1 - b)}\, g = {_n(b)} {_v(before['exp_avg'])} + {_n(1 - b)} {_v(g)} = {_v(m)}",
        rf"s = {KEPT}\, s + {1 - KEPT:.2g}\, g^2 = {_v(s)}",
        rf"\hat m = \frac{{m}}{{1 - {_n(b)}^{{{step}}}}} = {_v(fixed_m)}, \quad"
        rf" \hat s = \frac{{s}}{{1 - {KEPT}^{{{step}}}}} = {_v(fixed_s)}",
        rf"\Delta = \frac{{\hat m}}{{\sqrt{{\hat s}} + 10^{{-8}}}} = {_v(fixed_m / (np.sqrt(fixed_s) + SMALL))}",
    ]


def _muon(path: Path, step: int, g: np.ndarray, before: Numbers, now: Numbers) -> list[str]:
    import torch

    b, v = path.racer.momentum, now["momentum_buffer"]
    ahead = g + b * v
    made = muon.orthogonal(torch.from_numpy(ahead.astype(np.float32))[None]).numpy()[0]
    factor = 0.2 * 2**0.5
    return [
        rf"v = {_n(b)}\, v + g = {_n(b)} {_v(before['momentum_buffer'])} + {_v(g)} = {_v(v)}",
        rf"O = \text{{orthogonal}}(g + {_n(b)}\, v) = {_v(made)}, \quad \text{{here a direction of length about 1}}",
        rf"\Delta = 0.2 \sqrt 2\ O = {_v(factor * made)}",
    ]


FORMULAS: Mapping[str, Callable[[Path, int, np.ndarray, Numbers, Numbers], list[str]]] = {
    "sgd": _sgd,
    "rmsprop": _rmsprop,
    "adam": _adam,
    "adamw": _adam,
    "muon": _muon,
}
