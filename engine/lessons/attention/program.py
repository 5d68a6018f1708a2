"""Program: one head as about ten lines of plain PyTorch, each of which makes one step of it.

What      lines(model, layer): the program of a layer's heads, as that layer is built
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2; torch.nn.functional
Shapes    x (T, D) what reaches the layer; q, k, v, z (T, d); s, a (T, T), row = the token that looks
Differs   Positions that are added to the scores are given as `bias`, and those that turn queries and
          keys as the function `turn`: they have a page of their own.  Of a norm over the queries of all
          heads together the root r_Q of their mean square is given, and so of keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.models.abilities import Attends

CODE = {
    "layer": "layer_norm(x, (D,), gain, shift, eps)",
    "rms": "rms_norm(x, (D,), gain, eps)",
    "query norm": "rms_norm({}, (d,), g_{}, eps)",
    "whole norm": "({}) / r_{} * g_{}",
    "bias": " + bias",
    "capped": "s = {0:g} * tanh(s / {0:g})",
    "hidden": "s = s.masked_fill(hidden, -inf)",
    "rows": "a = softmax(s, dim=1)",
}
LINEAR = {"query": ("q", "Q"), "key": ("k", "K"), "value": ("v", "V")}


@dataclass(frozen=True, slots=True)
class Line:
    """`step` of the chain of matrices that it makes; "normed" is in none of them."""

    code: str
    step: str


def lines(model: Attends[Any], layer: int) -> tuple[Line, ...]:
    """Programs of softmax attention only, see `Design.kernel`."""
    design, part = model.tower.design, model.tower.block(layer).attention
    normed = design.first and design.read_norm
    found = [Line("n = " + (CODE[design.norm] if normed else "x"), "normed")]
    for step, (name, matrix) in LINEAR.items():
        code = f"n @ W_{matrix}.T" + ("" if part.qkv.bias is None else f" + b_{matrix}")
        if step != "value" and part.norm_query is not None:
            how = CODE["whole norm"] if part.whole else CODE["query norm"]
            code = how.format(code, matrix, matrix)
        if step != "value" and design.position == "rope" and design.turned_in(layer):
            code = f"turn({code})"
        found.append(Line(f"{name} = {code}", step))
    found.append(Line("s = q @ k.T", "product"))
    biased = model.tower.position.biases() or model.tower.distances is not None
    bias = CODE["bias"] if biased else ""
    if part.scale != 1 or bias:
        by = "" if part.scale == 1 else f" / {part.terms * part.dim}**0.5"
        found.append(Line(f"s = s{by}{bias}", "scaled"))
    if part.cap:
        found.append(Line(CODE["capped"].format(part.cap), "scaled"))
    if design.causal:
        found.append(Line(CODE["hidden"], "masked"))
    found.append(Line(CODE["rows"], "attention"))
    found.append(Line("z = a @ v", "reading"))
    return tuple(found)
