"""The weights of an Elman network, for the browser once a run, and for what is added up on the
page.

W_xh and W_hh belong to one layer, W_hy stands below the softmax.  torch keeps two biases in a
layer; here they are added.
Shapes: H = units, D = numbers in the input, V = vocabulary, T = tokens
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.round_numbers import reach
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.language.message import refusal

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel

WITHIN = 0.95  # share of the numbers that a colour scale must hold
MOST = 4_000_000  # numbers sent to a browser
INPUT = FieldSpec("input", Kind.STATE, ("token", "dim"), "The vector of the token, as read.", "x_t")
WEIGHT = FieldSpec("weight", Kind.STATE, ("unit", "dim"), "Weight of one number for another.", "W")


@dataclass(frozen=True, eq=False)
class Layer:
    w_HD: np.ndarray
    u_HH: np.ndarray
    b_H: np.ndarray


class Weights:
    """ValueError, with a sentence for the reader, where a page can't show the network."""

    def __init__(self, model: RecurrentModel[Any]) -> None:
        if model.config.residual:
            raise ValueError(
                "This page shows layers without residual connections, and this run has them"
            )
        found = model.weights()
        part = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        fused = [
            [found[f"layers.{n}.fused.{name}"] for name in part] for n in range(model.config.layers)
        ]
        self.layers = [Layer(w_HD, u_HH, b_H + b2_H) for w_HD, u_HH, b_H, b2_H in fused]
        self.embed_VD = found["embed.weight"]
        self.w_VH, self.b_V = found["head.weight"], found["head.bias"]
        far = reach(self.embed_VD, WITHIN)
        self.input = replace(INPUT, domain=(-far, far))

    @property
    def spec(self) -> FieldSpec:
        """Of every matrix: one colour scale for all of them."""
        matrices = [part for layer in self.layers for part in (layer.w_HD, layer.u_HH)]
        most = max(reach(part, WITHIN) for part in (*matrices, self.w_VH))
        return replace(WEIGHT, domain=(-most, most))

    def inputs(self, trace: Trace) -> tuple[Field, ...]:
        x_TD = self.embed_VD[trace.ids]
        dims = tuple(map(str, range(x_TD.shape[1])))
        return (Field(self.input, x_TD, (Axis("token", trace.tokens), Axis("dim", dims))),)

    def packed(self) -> dict[str, Any]:
        """Sizes, and all numbers in one piece of base64."""
        parts = [part for layer in self.layers for part in (layer.w_HD, layer.u_HH, layer.b_H)]
        parts += [self.w_VH, self.b_V]
        count = sum(part.size for part in parts)
        if count > MOST:
            raise refusal(
                "This run has {count:,} weights, and a browser receives at most {MOST:,}: use"
                " fewer units or a smaller vocabulary"
            )
        numbers = np.concatenate([part.ravel() for part in parts]).astype("<f4").tobytes()
        return {
            "units": len(self.layers[0].b_H),
            "width": self.embed_VD.shape[1],
            "layers": len(self.layers),
            "vocabulary": len(self.b_V),
            "numbers": base64.b64encode(numbers).decode(),
        }
