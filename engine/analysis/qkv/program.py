"""Program: one head as about ten lines of plain PyTorch, each of which makes one step of it.

What      lines(model, layer): the program of a layer's heads, as that layer is built
          scope(model, layer, head, trace): what its names stand for, so that the text runs as it is
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2; torch.nn.functional
Shapes    x (T, D) what reaches the layer; q, k, v, z (T, d); s, a (T, T), row = the token that looks
Differs   Positions that are added to the scores are given as `bias`, and those that turn queries and
          keys as the function `turn`: they have a page of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from engine.analysis.qkv.projection import projection
from engine.core.trace import Trace
from engine.models.abilities import Attends
from engine.nn.positions.base import turned

CODE = {
    "layer": "layer_norm(x, (D,), gain, shift, eps)",
    "rms": "rms_norm(x, (D,), gain, eps)",
    "query norm": "rms_norm({}, (d,), g_{}, eps)",
    "bias": " + bias",
    "hidden": "s = s.masked_fill(hidden, -inf)",
    "rows": "a = softmax(s, dim=1)",
    "columns": "a = softmax(s, dim=0)",
}
LINEAR = {"query": ("q", "Q"), "key": ("k", "K"), "value": ("v", "V")}


@dataclass(frozen=True, slots=True)
class Line:
    """step      of the chain of matrices that it makes; "normed" is in none of them
    needs     "scale" or "mask": goes where that is switched off
    column    what it is where the softmax runs down the columns
    """

    code: str
    step: str
    needs: str = ""
    column: str = ""


def lines(model: Attends[Any], layer: int) -> tuple[Line, ...]:
    """Programs of softmax attention only, see `Design.kernel`."""
    design, part = model.tower.design, model.tower.block(layer).attention
    found = [Line("n = " + (CODE[design.norm] if design.first else "x"), "normed")]
    for step, (name, matrix) in LINEAR.items():
        code = f"n @ W_{matrix}.T" + ("" if part.qkv.bias is None else f" + b_{matrix}")
        if step != "value" and part.norm_query is not None:
            code = CODE["query norm"].format(code, matrix)
        if step != "value" and design.position == "rope":
            code = f"turn({code})"
        found.append(Line(f"{name} = {code}", step))
    found.append(Line("s = q @ k.T", "product"))
    bias = CODE["bias"] if model.tower.position.biases() else ""
    if part.scale != 1 or bias:
        by = "" if part.scale == 1 else f" / {part.dim}**0.5"
        found.append(Line(f"s = s{by}{bias}", "scaled", "scale"))
    if design.causal:
        found.append(Line(CODE["hidden"], "masked", "mask"))
    found.append(Line(CODE["rows"], "attention", column=CODE["columns"]))
    found.append(Line("z = a @ v", "reading"))
    return tuple(found)


def scope(model: Attends[Any], layer: int, head: int, trace: Trace) -> dict[str, Any]:
    """Name -> number, tensor or function; the trace has the fields of the page.  ValueError for a
    model that keeps its weights in another way."""
    weights = projection(model, layer, head)
    if weights is None:
        raise ValueError("the matrices of this model's heads can't be cut apart")
    tower = model.tower
    part = tower.block(layer).attention
    tensor = torch.tensor
    x_TD = tensor(trace.field("residual.before").values[layer])
    score_TT = tensor(trace.field("score").values[layer, head])
    place_T = torch.arange(len(x_TD)) + trace.offset
    functional = torch.nn.functional
    names = {
        "x": x_TD,
        "D": weights.width,
        "d": weights.dim,
        "eps": tower.design.epsilon,
        "inf": math.inf,
        "gain": tensor(weights.gain_D),
        "shift": tensor(weights.shift_D),
        "hidden": score_TT == -math.inf,
        "layer_norm": functional.layer_norm,
        "rms_norm": functional.rms_norm,
        "softmax": functional.softmax,
        **{f"b_{m}": tensor(b) for m, b in zip("QKV", weights.bias_3K, strict=True)},
        **{f"W_{m}": tensor(w) for m, w in zip("QKV", weights.parts()[:3], strict=True)},
    }
    if part.norm_query is not None and part.norm_key is not None:
        names |= {"g_Q": part.norm_query.weight.detach(), "g_K": part.norm_key.weight.detach()}
    if (by := tower.position.angles(place_T)) is not None:
        cosine, sine = (part.float() for part in by)
        names["turn"] = lambda x_TK: turned(x_TK, (cosine, sine))
    if tower.position.biases():
        q_1NTK = tensor(trace.field("query").values[layer])[None]
        bias_NTT = tower.position.bias(q_1NTK, place_T, place_T)
        assert bias_NTT is not None
        names["bias"] = bias_NTT[0, head].detach()
    return names
