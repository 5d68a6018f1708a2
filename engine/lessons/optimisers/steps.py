"""One step of one optimiser in LaTeX with its numbers: from the gradient to the new weights."""

from __future__ import annotations

import numpy as np
import torch

from engine.frame import latex
from engine.lessons.optimisers.race import Path
from engine.nn.optimisers import muon

KEPT, SMALL = 0.99, 1e-8  # of the squares, and below the root, in engine/nn/optimisers


def lines(path: Path, step: int) -> list[str]:
    """LaTeX of step `step`, counted from 1.  Of an optimiser without a formula here: what it kept."""
    at, kind = step - 1, path.racer.optimiser
    g, w, rate, decay = path.gradient[at], path.w[at], path.rate[at], path.decay
    found = [rf"g = \nabla f({_n(w[0])},\ {_n(w[1])}) = {_v(g)}"]
    if decay and kind in ("sgd", "rmsprop", "adam"):
        g = g + decay * w
        found.append(rf"g \leftarrow g + {_n(decay)}\, w = {_v(g)}")
    found += _delta(path, step, g)
    if decay and kind in ("adamw", "muon"):
        kept = (1 - rate * decay) * w
        found.append(rf"w \leftarrow (1 - {_n(rate)} \cdot {_n(decay)})\, w = {_v(kept)}")
    end = _v(path.w[step]) if step < len(path.w) else r"\text{not finite}"
    return [*found, rf"w \leftarrow w - {_n(rate)}\, \Delta = {end}"]


def _n(x: float) -> str:
    return latex.number(float(x))


def _v(x: np.ndarray) -> str:
    return rf"\begin{{pmatrix}} {_n(x[0])} \\ {_n(x[1])} \end{{pmatrix}}"


def _delta(path: Path, step: int, g: np.ndarray) -> list[str]:
    at, b, no = step - 1, path.racer.momentum, np.zeros(2)
    before = {name: values[at - 1] if at else no for name, values in path.kept.items()}
    now = {name: values[at] for name, values in path.kept.items()}
    match path.racer.optimiser:
        case "sgd" if "momentum_buffer" in now:
            v, old = _v(now["momentum_buffer"]), _v(before["momentum_buffer"])
            return [rf"\Delta = v = {_n(b)}\, v + g = {_n(b)} {old} + {_v(g)} = {v}"]
        case "sgd":
            return [rf"\Delta = g = {_v(g)}"]
        case "rmsprop":
            s, old = now["square_avg"], _v(before["square_avg"])
            return [
                rf"s = {KEPT}\, s + {1 - KEPT:.2g}\, g^2"
                rf" = {KEPT} {old} + {1 - KEPT:.2g} {_v(g**2)} = {_v(s)}",
                rf"\Delta = \frac{{g}}{{\sqrt{{s}} + 10^{{-8}}}} = {_v(g / (np.sqrt(s) + SMALL))}",
            ]
        case "adam" | "adamw":
            m, s, old = now["exp_avg"], now["exp_avg_sq"], _v(before["exp_avg"])
            m_hat, s_hat = m / (1 - b**step), s / (1 - KEPT**step)
            return [
                rf"m = {_n(b)}\, m + {_n(1 - b)}\, g = {_n(b)} {old} + {_n(1 - b)} {_v(g)} = {_v(m)}",
                rf"s = {KEPT}\, s + {1 - KEPT:.2g}\, g^2 = {_v(s)}",
                rf"\hat m = \frac{{m}}{{1 - {_n(b)}^{{{step}}}}} = {_v(m_hat)}, \quad"
                rf" \hat s = \frac{{s}}{{1 - {KEPT}^{{{step}}}}} = {_v(s_hat)}",
                r"\Delta = \frac{\hat m}{\sqrt{\hat s} + 10^{-8}}"
                rf" = {_v(m_hat / (np.sqrt(s_hat) + SMALL))}",
            ]
        case "muon":
            v, old = now["momentum_buffer"], _v(before["momentum_buffer"])
            ahead = torch.from_numpy((g + b * v).astype(np.float32))[None]
            made = muon.orthogonal(ahead).numpy()[0]
            return [
                rf"v = {_n(b)}\, v + g = {_n(b)} {old} + {_v(g)} = {_v(v)}",
                rf"O = \text{{orthogonal}}(g + {_n(b)}\, v) = {_v(made)},"
                r" \quad \text{here a direction of length about 1}",
                rf"\Delta = 0.2 \sqrt 2\ O = {_v(0.2 * 2**0.5 * made)}",
            ]
    return [rf"\text{{{name.replace('_', ' ')}}} = {_v(value)}" for name, value in now.items()]
