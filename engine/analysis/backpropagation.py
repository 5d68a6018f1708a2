"""Backpropagation through time, taken apart: what each step adds to the gradient of each loss.

What      dL/dU = sum over tokens q of the sum over steps k < q of (dL_q/da_k) (x) h_{k-1}: the loss of
          token q, and the use of the recurrent weights U at step k.  Here the norms of all these
          terms, and of dL_q/dh_k and dL_q/dx_k; the gradient itself, whole or truncated; and what
          one step of gradient descent does to the losses
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990; truncated:
          Williams & Peng, An Efficient Gradient-Based Algorithm for On-Line Training of Recurrent
          Network Trajectories, Neural Computation 2(4), 1990
Shapes    Q, K = T = tokens (of the loss, of the step), L = layers, H = units, E = rows of U
Differs   L_q is the surprisal of token q in nats, known before token q is read: steps k < q.  Rows of
          a text that has grown are those of the text before: a later token changes none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.analysis import jacobians
from engine.language.message import refusal
from engine.models import gradients
from engine.models.gradients import Read
from engine.models.neural import NeuralLanguageModel, copy_apart
from engine.models.recurrent import RecurrentModel
from engine.models.walk import Walk, walk
from engine.text.tokenizers.base import Tokens

Carried = Mapping[str, np.ndarray]
WORK = 4.5e9  # products of a whole triangle: about half a second of one processor
MOST = 128  # tokens


def longest(model: RecurrentModel[Any]) -> int:
    """Of how many tokens the whole triangle is computed in about half a second."""
    net: Any = model.net
    weights = sum(p.numel() for p in net.layers.parameters())
    return int(min(MOST, max(12, (WORK / weights) ** 0.5)))


@dataclass(frozen=True, slots=True)
class Triangle:
    """Norms of the terms.  Row q is of the loss of token q; steps k >= q have 0 in it, and so has
    row 0, which nothing predicts.

    state_LQK   dL_q/dh_k
    weights_LQK what the use of U at step k adds to dL_q/dU
    input_QK    dL_q/dx_k, with respect to the vector of token k
    nats_Q      L_q; 0 at the first token
    """

    state_LQK: np.ndarray
    weights_LQK: np.ndarray
    input_QK: np.ndarray
    nats_Q: np.ndarray


def rows(
    model: NeuralLanguageModel[Any],
    tokens: Tokens,
    first: int = 1,
    carried: Carried | None = None,
    walked: Walk | None = None,
) -> Triangle:
    """The rows of the tokens from `first` on, all T steps of each.  Of a model without recurrent
    states (a Transformer) `state_LQK` is of the stream after each layer, and there is no use of U:
    `weights_LQK` is empty.

    walked  the tokens before the last one, from `carried` on, where they have been walked
    """
    first, count = max(1, first), len(tokens)
    of = list(range(first, count))
    if walked is None and of:
        walked = walk(model, tokens.ids[:-1], tensors(model, carried))
    if walked is not None and of:
        return _walked(walked, tokens, first)
    found = gradients.read(model, tokens, max(1, len(of)), tensors(model, carried))
    graph = found.graph
    state = "hidden" if ("hidden", 0) in graph.points else "residual"
    layers = sorted(layer for name, layer in graph.points if name == state)
    states = [graph.points[state, layer][1] for layer in layers]
    uses = [use.made for layer in layers for use in graph.uses.get(layer, ())]
    flat = [found.input, *(part for parts in states for part in parts), *uses]
    index = torch.arange(len(of))
    loss = found.nats_RT[index, index + first - 1].sum() if of else found.nats_RT.sum()
    grads = iter(gradients.differentiate(found, loss, flat))
    nats = found.nats_RT[0].detach().cpu().numpy()
    input_QK = next(grads).norm(dim=-1)
    state_LQK = torch.stack([_norms([next(grads) for _ in parts]) for parts in states])
    weights_LQK = input_QK.new_zeros(len(uses) and len(layers), len(input_QK), count)
    for i, layer in enumerate(layers if uses else ()):
        mine = graph.uses[layer]
        made = [next(grads) for _ in mine]
        blocks = len(mine) // count  # products in one step
        for block in range(blocks):
            at = mine[block::blocks]
            # the gradient of one use is an outer product: its norm is the product of two
            size_KR = _lengths(made[block::blocks]) * _lengths([use.read.detach() for use in at])
            weights_LQK[i] += size_KR.T**2
        weights_LQK[i].sqrt_()
    cut = len(of)
    return Triangle(
        state_LQK[:, :cut].cpu().numpy(),
        weights_LQK[:, :cut].cpu().numpy(),
        input_QK[:cut].cpu().numpy(),
        nats[first - 1 : count - 1],
    )


def inputs(
    model: NeuralLanguageModel[Any],
    tokens: Tokens,
    groups: Sequence[Sequence[int]],
    carried: Carried | None = None,
    walked: Walk | None = None,
) -> np.ndarray:
    """(G, T): the length of the gradient, with respect to the vector of each token, of what the
    tokens of each group lose together; 0 from the last of them on, for nothing of it follows from
    that one.  The tokens of a group are 1 or later.

    walked  the tokens before the last one of a group at least, from `carried` on, where they have been walked
    """
    if not groups:
        return np.zeros((0, len(tokens)), np.float32)
    if walked is None:
        last = max(group[-1] for group in groups)
        walked = walk(model, tokens.ids[:last], tensors(model, carried))
    if walked is not None:
        return _inputs(walked, tokens, groups)
    places = [q - 1 for group in groups for q in group]
    found = gradients.read(
        model,
        tokens,
        len(groups),
        tensors(model, carried),
        inner=False,
        losses=(min(places), max(places) + 1),
    )
    losses = [found.nats_RT[r, q - 1] for r, group in enumerate(groups) for q in group]
    loss = torch.stack(losses).sum()
    norm_RT: np.ndarray = (
        gradients.differentiate(found, loss, [found.input])[0].norm(dim=-1).cpu().numpy()
    )
    return norm_RT


def _walked(walked: Walk, tokens: Tokens, first: int) -> Triangle:
    """`rows` of a recurrent net."""
    g_RTH, nats_R = _read_out(walked, tokens, [[q] for q in range(first, len(tokens))])
    input_RTD, every = walked.back(g_RTH, uses=True)
    size = len(every), len(g_RTH), len(tokens)
    state_LQK, weights_LQK = np.zeros((2, *size), g_RTH.dtype)
    steps = slice(0, g_RTH.shape[1])
    reads = [*walked.every()][::-1]
    for layer, backs in enumerate(every):
        after_RTH = np.concatenate([back.after_RTPH[:, :, 0] for back in backs[::-1]], 1)
        state_LQK[layer, :, steps] = np.linalg.norm(after_RTH, axis=-1)
        use_JRT = np.concatenate([back.use_JRT for back in backs[::-1]], 2)
        read_JT = np.concatenate([one.read[layer] for one in reads], 1)
        # the gradient of one use is an outer product: its norm is the product of two
        weights_LQK[layer, :, steps] = np.linalg.norm(use_JRT * read_JT[:, None], axis=0)
    input_QK = np.zeros(size[1:], g_RTH.dtype)
    input_QK[:, steps] = np.linalg.norm(input_RTD, axis=-1)
    return Triangle(state_LQK, weights_LQK, input_QK, nats_R)


def _inputs(walked: Walk, tokens: Tokens, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """`inputs` of a recurrent net."""
    g_RTH, _ = _read_out(walked, tokens, groups)
    found = np.zeros((len(groups), len(tokens)), g_RTH.dtype)
    found[:, : g_RTH.shape[1]] = np.linalg.norm(walked.back(g_RTH)[0], axis=-1)
    return found


def _read_out(
    walked: Walk, tokens: Tokens, groups: Sequence[Sequence[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """(R, T, H) what the loss of each group says of the last layer's output, and (R,) that loss.  Only what a
    group reads out is put through the last linear layer."""
    net: Any = walked.net
    top_TH = walked.top()
    at_N = [(r, q) for r, group in enumerate(groups) for q in group]
    places = [q - 1 for _, q in at_N]
    with torch.no_grad():
        after_N1 = torch.from_numpy(tokens.ids[[q for _, q in at_N]])[:, None]
        lp_NV = net.head(torch.from_numpy(top_TH[places])).log_softmax(-1)
        loss_N = -lp_NV.gather(-1, after_N1)[:, 0]
        # of a linear layer: (p - 1 at the token that came) times its weights
        g_NV = lp_NV.exp_().scatter_add_(-1, after_N1, -torch.ones_like(loss_N)[:, None])
        g_NH = g_NV @ net.head.weight
    g_RTH = np.zeros((len(groups), *top_TH.shape), top_TH.dtype)
    nats_R = np.zeros(len(groups), top_TH.dtype)
    for (r, q), g_H, nats in zip(at_N, g_NH.numpy(), loss_N.numpy(), strict=True):
        g_RTH[r, q - 1] = g_H
        nats_R[r] += nats
    return g_RTH, nats_R


def _norms(parts: list[Tensor]) -> Tensor:
    """(R, T): of a tensor (R, T, H), or of one (R, H) for each step."""
    return parts[0].norm(dim=-1) if parts[0].dim() == 3 else torch.stack(parts, 1).norm(dim=-1)


def _lengths(parts: list[Tensor]) -> Tensor:
    """(K, R): of one tensor (R, E) for each step."""
    return torch.stack(parts).norm(dim=-1)


def tensors(model: NeuralLanguageModel[Any], carried: Carried | None) -> dict[str, Tensor] | None:
    """What stands before, as a net takes it."""
    like = next(model.net.parameters())
    if carried is None:
        return None
    return {n: torch.from_numpy(np.array(v)).to(like) for n, v in carried.items()}


def truncated(
    model: RecurrentModel[Any],
    tokens: Tokens,
    chunk: int | None = None,
    carried: Carried | None = None,
) -> tuple[np.ndarray, ...]:
    """dL/dU of all losses together, one (E, H) for each layer.

    chunk  after so many steps the state is handed on and the gradient is not: truncated
           backpropagation through time; None: through all steps

    ValueError for a chunk of no step.
    """
    if chunk is not None and chunk < 1:
        raise ValueError("a chunk has at least one step")
    total: list[Tensor] = []
    state = tensors(model, carried)
    count = len(tokens)
    for start in range(0, count - 1, chunk or count):
        stop = min(count - 1, start + (chunk or count))
        found = gradients.read(model, tokens[start : stop + 1], 1, state)
        terms = _of_uses(found, stop - start)
        total = [a + b for a, b in zip(total, terms, strict=True)] if total else terms
        state = _after(model, found, stop - start)
    return tuple(part.cpu().numpy() for part in total)


def _of_uses(found: Read, steps: int) -> list[Tensor]:
    layers = sorted(found.graph.uses)
    uses = [use for layer in layers for use in found.graph.uses[layer]]
    grads = dict(
        zip(
            map(id, uses),
            gradients.differentiate(found, found.nats_RT.sum(), [u.made for u in uses]),
            strict=True,
        )
    )
    made = []
    for layer in layers:
        mine = [use for use in found.graph.uses[layer] if use.step < steps]
        blocks = len(mine) // max(1, steps)  # products in one step
        parts = []
        for block in range(blocks):
            at = mine[block::blocks]
            g_KE = torch.cat([grads[id(use)] for use in at])
            parts.append(g_KE.T @ torch.cat([use.read.detach() for use in at]))
        made.append(torch.cat(parts))
    return made


def _after(model: RecurrentModel[Any], found: Read, steps: int) -> dict[str, Tensor]:
    """The state after so many steps, without its past."""
    points = found.graph.points
    layers = range(len(found.graph.uses))
    return {
        name: torch.stack([points[name, layer][1][steps - 1].detach() for layer in layers])
        for name in model.carries
    }


@dataclass(frozen=True, slots=True)
class Update:
    """Gradient descent on the typed text alone.

    before_Q, after_Q  L_q in nats with the old and with the new weights; 0 at the first token
    norm               of the whole gradient before the first step, all weights together
    changed            by name of the weights, how far they have moved as a share of their length
    broke              the first step whose gradient is not finite, from 1; 0: none.  No step follows it
    """

    before_Q: np.ndarray
    after_Q: np.ndarray
    norm: float
    changed: Mapping[str, float]
    broke: int


def update(model: NeuralLanguageModel[Any], tokens: Tokens, rate: float, steps: int = 1) -> Update:
    """`steps` times w <- w - rate * g for every weight, g the gradient of the mean loss."""
    other = copy_apart(model)
    ids_1T = torch.from_numpy(tokens.ids)[None].to(next(other.net.parameters()).device)
    names = [(n, p) for n, p in other.net.named_parameters() if p.is_floating_point()]
    old = [p.detach().clone() for _, p in names]

    def losses() -> Tensor:
        logit_TV = other.net(ids_1T)[0, :-1]
        return nn.functional.cross_entropy(logit_TV, ids_1T[0, 1:], reduction="none")

    first, broke = 0.0, 0
    with torch.inference_mode(False), torch.enable_grad():  # step by step, in torch
        weights = [p.requires_grad_() for _, p in names]
        before_T = after_T = losses()
        for step in range(1, steps + 1):
            grads = torch.autograd.grad(after_T.mean(), weights, allow_unused=True)
            norm = float(
                sum(float(g.double().square().sum()) for g in grads if g is not None) ** 0.5
            )
            first = first if step > 1 else norm
            for weight, g in zip(weights, grads, strict=True):
                if g is not None:
                    weight.data -= rate * g
            after_T = losses()
            if not np.isfinite(norm) or not bool(torch.isfinite(after_T).all()):
                broke = step
                break
    zero = np.zeros(1, np.float32)
    return Update(
        np.r_[zero, before_T.detach().cpu().numpy()],
        np.r_[zero, after_T.detach().cpu().numpy()],
        first,
        {
            name: float((p.detach() - was).norm() / was.norm().clamp_min(1e-30))
            for (name, p), was in zip(names, old, strict=True)
        },
        broke,
    )


def bound(model: RecurrentModel[Any], layer: int) -> float:
    """For a plain recurrent layer, the most that one step back can make a gradient longer: the
    largest singular value of U, as the slope of tanh (and of ReLU) is at most 1.  A product of n
    steps is no longer than this to the power n.  TypeError for a cell with gates, where the state
    has other ways back."""
    net: Any = model.net
    if not jacobians.plain(model.cell):
        raise refusal(
            "{model.cell.__name__} has other ways back than its recurrent weights", TypeError
        )
    u_EH = net.layers[layer].matrices()[1].detach()
    return float(torch.linalg.matrix_norm(u_EH, 2))


def bounds(model: RecurrentModel[Any]) -> list[float]:
    """`bound` of every layer; empty for a cell with other ways back.  Of several layers the largest
    is how fast a gradient can grow, step by step, in the long run."""
    try:
        return [bound(model, layer) for layer in range(model.config.layers)]
    except TypeError:
        return []
