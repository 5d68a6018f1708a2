"""Lens: what every layer would already answer, and which part of a Transformer pushed its answer.

What      logit lens: last norm and output weights on the stream after each layer, softmax.  Direct
          attribution: with the last norm's divisor held, the logit of one token is a sum over what
          each part added to the stream:
          logit = sum_c push(c) + push(bias), push(c) = ((c - mean(c)) * g / s) . u, u = output
          weights of the token
Source    nostalgebraist, interpreting GPT: the logit lens, 2020; Elhage et al., A Mathematical
          Framework for Transformer Circuits, 2021, "logits as a sum"
Shapes    T = tokens, D = width, V = vocabulary, L = layers, N = heads, K = width of a head, P =
          parts
Differs   With `above`, u is taken minus the mean of all tokens' output weights: a push that all
          tokens get alike changes no probability and is left out.  A stream that is normed after
          each part is no sum, so it has a lens but no pushes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.cache import remembered
from engine.core.trace import ALONG_TEXT, Axis, Field, Trace
from engine.language.message import _
from engine.models.abilities import Attends
from engine.models.base import Model

if TYPE_CHECKING:
    from engine.models.abilities import Attends

STREAM = ("residual.before", "residual")
MOST_PRODUCTS = 100_000_000  # of reading out one token, about 4 ms
ROWS = 64  # of logits made at once: 13 MB where 50,000 tokens are known
NEEDS = (*STREAM, "embedding.token", "embedding.position", "reading", "feed_forward.output")


@dataclass(frozen=True, slots=True)
class Depths:
    """What each depth would answer: 0 is the stream before the first layer, then after each layer.

    p_LTk, id_LTk   the likeliest tokens and their probabilities
    answer_T        the token that the model answers in the end, and its logit, logit_T
    p_LT, rank_LT   its probability and its rank (1 is the best) at each depth
    """

    p_LTk: np.ndarray
    id_LTk: np.ndarray
    answer_T: np.ndarray
    logit_T: np.ndarray
    p_LT: np.ndarray
    rank_LT: np.ndarray


def has_lens(model: Model[Any]) -> bool:
    """Whether a stream of this model can be read out."""
    return isinstance(model, Attends) and model.reads_out


def has_pushes(model: Model[Any]) -> bool:
    """Whether its stream is a sum of what its parts added."""
    return (
        isinstance(model, Attends)
        and model.reads_out
        and model.output() is not None
        and model.tower.norm is not None
        and not model.tower.design.added_norm
    )


@torch.inference_mode()
def read_out(model: Attends[Any], x_TD: np.ndarray) -> Tensor:
    """Logits (T, V) of a stream, as if it were the last layer's: of the next word, or of the word
    at the place."""
    x = torch.from_numpy(np.array(x_TD, np.float32)).to(next(model.net.parameters()))[None]
    norm = model.tower.norm
    return model.read_out(x if norm is None else norm(x))[0].float()


def is_slow(model: Attends[Any]) -> bool:
    """Whether reading out one token at every depth takes more than a key may."""
    design = model.tower.design
    products = (design.layers + 1) * design.width * len(model.tokenizer.vocab)
    return has_lens(model) and products > MOST_PRODUCTS


def part(trace: Trace, first: int, stop: int) -> Trace:
    """The tokens from `first` to `stop`, of the fields that the lens and the pushes need."""
    fields = []
    for f in (trace.field(name) for name in NEEDS if name in trace):
        axes = tuple(
            Axis(a.name, a.labels[first:stop]) if a.name in ALONG_TEXT else a for a in f.axes
        )
        fields.append(Field(f.spec, f.rows(first, stop), axes))
    return Trace(
        trace.text,
        trace.tokens[first:stop],
        tuple(fields),
        ids=trace.ids[first:stop],
        spans=trace.spans[first:stop],
        offset=trace.offset + first,
        total=trace.total,
    )


def streams(trace: Trace) -> np.ndarray:
    """The stream before the first layer and after each (L + 1, T, D)."""
    return np.concatenate(
        [trace.field("residual.before").values[:1], trace.field("residual").values]
    )


@torch.inference_mode()
def depths(model: Attends[Any], stream_LTD: np.ndarray, most: int = 5) -> Depths:
    """The lens at every depth, for every token of the streams; the output weights are read once for
    all depths of some tokens."""
    step = max(1, ROWS // len(stream_LTD))
    found = [
        _depths(model, stream_LTD[:, first : first + step], most)
        for first in range(0, max(1, stream_LTD.shape[1]), step)
    ]
    joined = [torch.cat(part, -1).cpu().numpy() for part in zip(*found, strict=True)]
    p_kLT, id_kLT, answer_T, logit_T, p_LT, rank_LT = joined
    return Depths(
        np.moveaxis(p_kLT, 0, -1),
        np.moveaxis(id_kLT, 0, -1),
        answer_T,
        logit_T,
        p_LT,
        rank_LT.astype(np.float32),
    )


def _depths(model: Attends[Any], stream_LTD: np.ndarray, most: int) -> tuple[Tensor, ...]:
    """What `Depths` holds of a few tokens, which are the last axis of all of it."""
    size = stream_LTD.shape[:2]
    logit_LTV = read_out(model, stream_LTD.reshape(-1, stream_LTD.shape[2])).unflatten(0, size)
    p_LTV = logit_LTV.softmax(-1)
    answer_T = p_LTV[-1].argmax(-1)
    p_LT1 = p_LTV.gather(2, answer_T.expand(size)[..., None])
    rank_LT = 1 + (p_LTV > p_LT1).sum(-1)
    logit_T = logit_LTV[-1].gather(1, answer_T[:, None])[:, 0]
    p_LTk, id_LTk = p_LTV.topk(min(most, p_LTV.shape[-1]))
    p_kLT, id_kLT = p_LTk.movedim(-1, 0), id_LTk.movedim(-1, 0)
    return p_kLT, id_kLT, answer_T, logit_T, p_LT1[..., 0], rank_LT


def parts(model: Attends[Any]) -> tuple[str, ...]:
    """The names of what pushes, in the order of `pushes`."""
    return _parts(model.tower.design.layers, model.tower.design.heads)


@cache
def _parts(layers: int, heads: int) -> tuple[str, ...]:
    named = ["the token itself", "its place"]
    for layer in range(1, layers + 1):
        named += [_("layer {layer}, head {h}", layer=layer, h=h + 1) for h in range(heads)]
        named += [
            _("layer {layer}, bias of attention", layer=layer),
            _("layer {layer}, feed-forward", layer=layer),
        ]
    return (*named, "bias of the output")


@torch.inference_mode()
def pushes(
    model: Attends[Any], trace: Trace, id_T: np.ndarray, *, above: bool = True
) -> np.ndarray:
    """How far each part pushed the logit of `id_T` after each token (P, T); the sum over P is the
    logit.

    trace  with NEEDS.  above: the logit above the mean of all tokens', else the logit itself.
    """
    norm, output = model.tower.norm, model.output()
    if norm is None or output is None:
        raise ValueError(
            "this model norms its stream after each part: the stream is no sum of what its parts"
            " added"
        )

    def of(name: str) -> Tensor:
        return torch.from_numpy(np.array(trace.field(name).values)).double()

    weight_VD, bias_V = output
    at_T = torch.from_numpy(np.asarray(id_T, np.int64))
    u_TD, b_T = weight_VD[at_T].double(), bias_V[at_T].double()
    if above:
        mean_D, mean = _mean_output(model)
        u_TD, b_T = u_TD - mean_D, b_T - mean
    gain_D = norm.weight.double()
    last_TD = of("residual")[-1]
    layered = isinstance(norm, nn.LayerNorm)
    spread_TD = last_TD - last_TD.mean(-1, keepdim=True) if layered else last_TD
    spread_T = spread_TD.square().mean(-1)
    a_TD = u_TD * gain_D / (spread_T + (norm.eps or 0.0)).sqrt()[:, None]
    if layered:
        # taking the mean from what is added, or from what it meets, is the same
        a_TD = a_TD - a_TD.mean(-1, keepdim=True)
    embedded_PTD = torch.stack([of("embedding.token"), of("embedding.position")])
    reading_LNTK, fed_LTD = of("reading"), of("feed_forward.output")
    outs = [model.tower.block(layer).attention.out for layer in range(model.tower.design.layers)]
    # each product in the digits of the weights, which are many; the sums in float64
    asked_LTD = torch.stack([a_TD.to(out.weight.dtype) @ out.weight for out in outs])
    asked_LNTK = asked_LTD.unflatten(-1, (reading_LNTK.shape[1], -1)).transpose(1, 2)
    fed_LT = (fed_LTD * a_TD).sum(-1)
    biases: list[Tensor] = [out.bias for out in outs if out.bias is not None]
    bias_LT = torch.stack(biases).double() @ a_TD.T if biases else torch.zeros_like(fed_LT)
    head_LNT = (reading_LNTK * asked_LNTK).sum(-1)
    each_LPT = torch.cat([head_LNT, bias_LT[:, None], fed_LT[:, None]], 1)
    shift = norm.bias if isinstance(norm, nn.LayerNorm) else None
    rest_T = b_T if shift is None else b_T + u_TD @ shift.double()
    parts_PT = torch.cat([(embedded_PTD * a_TD).sum(-1), each_LPT.flatten(0, 1), rest_T[None]])
    found: np.ndarray = parts_PT.float().numpy()
    return found


@remembered(16)
def _mean_output(model: Attends[Any]) -> tuple[Tensor, Tensor]:
    """The mean (D,) over the vocabulary of the output weights, and that of the biases; float64."""
    output = model.output()
    assert output is not None
    return output[0].mean(0).double(), output[1].mean().double()
