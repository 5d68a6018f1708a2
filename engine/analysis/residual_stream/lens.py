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
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.trace import ALONG_TEXT, Axis, Field, Trace
from engine.models.abilities import Attends
from engine.models.base import Model

if TYPE_CHECKING:
    from engine.models.abilities import Attends

STREAM = ("residual.before", "residual")
NEEDS = (*STREAM, "embedding.token", "embedding.position", "reading", "feed_forward.output")


@dataclass(frozen=True, slots=True)
class Depths:
    """What each depth would answer: 0 is the stream before the first layer, then after each layer.

    p_LTk, id_LTk   the likeliest tokens and their probabilities
    answer_T        the token that the model answers in the end
    p_LT, rank_LT   its probability and its rank (1 is the best) at each depth
    """

    p_LTk: np.ndarray
    id_LTk: np.ndarray
    answer_T: np.ndarray
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
    )


@torch.inference_mode()
def read_out(model: Attends[Any], x_TD: np.ndarray) -> Tensor:
    """Logits (T, V) of a stream, as if it were the last layer's: of the next word, or of the word
    at the place."""
    x = torch.from_numpy(np.array(x_TD, np.float32)).to(next(model.net.parameters()))[None]
    norm = model.tower.norm
    return model.read_out(x if norm is None else norm(x))[0].float()


def tail(trace: Trace, first: int) -> Trace:
    """The tokens from `first` on, of the fields that the lens and the pushes need."""
    fields = []
    for f in (trace.field(name) for name in NEEDS if name in trace):
        axes = tuple(Axis(a.name, a.labels[first:]) if a.name in ALONG_TEXT else a for a in f.axes)
        fields.append(Field(f.spec, f.rows(first), axes))
    return Trace(
        trace.text,
        trace.tokens[first:],
        tuple(fields),
        ids=trace.ids[first:],
        spans=trace.spans[first:],
        offset=trace.offset + first,
        total=trace.total,
    )


def streams(trace: Trace) -> np.ndarray:
    """The stream before the first layer and after each (L + 1, T, D)."""
    return np.concatenate(
        [trace.field("residual.before").values[:1], trace.field("residual").values]
    )


def depths(model: Attends[Any], stream_LTD: np.ndarray, most: int = 5) -> Depths:
    """The lens at every depth, for every token of the streams."""
    tops: list[tuple[np.ndarray, np.ndarray]] = []
    p_LT, rank_LT = (np.zeros(stream_LTD.shape[:2], np.float32) for _ in range(2))
    answer_T: Tensor | None = None
    for depth in reversed(range(len(stream_LTD))):  # the last one first: it says what the answer is
        p_TV = read_out(model, stream_LTD[depth]).softmax(-1)
        answer_T = p_TV.argmax(-1) if answer_T is None else answer_T
        mine_T = p_TV.gather(1, answer_T[:, None])
        p_LT[depth] = mine_T[:, 0].cpu().numpy()
        rank_LT[depth] = 1 + (p_TV > mine_T).sum(-1).cpu().numpy()
        values, ids = p_TV.topk(min(most, p_TV.shape[-1]))
        tops.append((values.cpu().numpy(), ids.cpu().numpy()))
    assert answer_T is not None
    p_LTk, id_LTk = (np.stack(part[::-1]) for part in zip(*tops, strict=True))
    return Depths(p_LTk, id_LTk, answer_T.cpu().numpy(), p_LT, rank_LT)


@torch.inference_mode()
def answers(model: Attends[Any], trace: Trace, id_T: np.ndarray) -> np.ndarray:
    """The logits (T,) of `id_T` after each token."""
    last_TD = trace.field("residual").values[-1]
    logit_TV = read_out(model, last_TD)
    found: np.ndarray = logit_TV.gather(1, torch.from_numpy(id_T)[:, None])[:, 0].cpu().numpy()
    return found


def parts(model: Attends[Any]) -> tuple[str, ...]:
    """The names of what pushes, in the order of `pushes`."""
    heads = model.tower.design.heads
    named = ["the token itself", "its place"]
    for layer in range(1, len(model.tower.blocks) + 1):
        named += [f"layer {layer}, head {h + 1}" for h in range(heads)]
        named += [f"layer {layer}, bias of attention", f"layer {layer}, feed-forward"]
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
        u_TD, b_T = u_TD - weight_VD.mean(0).double(), b_T - bias_V.mean().double()
    gain_D = norm.weight.double()
    last_TD = of("residual")[-1]
    layered = isinstance(norm, nn.LayerNorm)
    spread_T = last_TD.var(-1, unbiased=False) if layered else last_TD.square().mean(-1)
    a_TD = u_TD * gain_D / (spread_T + (norm.eps or 0.0)).sqrt()[:, None]
    if layered:
        # taking the mean from what is added, or from what it meets, is the same
        a_TD = a_TD - a_TD.mean(-1, keepdim=True)
    found = [(of(name) * a_TD).sum(-1) for name in ("embedding.token", "embedding.position")]
    reading_LNTK, fed_LTD = of("reading"), of("feed_forward.output")
    for layer in range(len(model.tower.blocks)):
        out = model.tower.block(layer).attention.out
        asked_TNK = (a_TD @ out.weight.double()).unflatten(-1, (reading_LNTK.shape[1], -1))
        found += list((reading_LNTK[layer] * asked_TNK.transpose(0, 1)).sum(-1))
        found.append(torch.zeros_like(b_T) if out.bias is None else a_TD @ out.bias.double())
        found.append((fed_LTD[layer] * a_TD).sum(-1))
    shift = norm.bias if isinstance(norm, nn.LayerNorm) else None
    found.append(b_T if shift is None else b_T + u_TD @ shift.double())
    return torch.stack(found).float().numpy()
