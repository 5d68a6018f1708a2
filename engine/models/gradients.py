"""Gradients as fields: how much a loss would change with every number that a run shows.

What      g[x] = d loss / d x, for every number x that the net taps on its way to the loss; the loss
          is the surprisal of tokens in nats
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, Proc. IEEE 78(10), 1990
Shapes    T = tokens, R = losses (rows of one batch, all the same text), E = rows of the weights, H =
          units
Differs   Reverse mode, by torch.  Several losses of one text are rows of one batch: one sweep gives
          the gradient of each.  The weights are shared with the model, and their own gradients are
          never stored in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.labels import numbered
from engine.core.tap import Changed, Recorder, Tap, passthrough
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.language.message import _, refusal
from engine.models.abilities import Fills, HasNet, Labels, Translates
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel, ReadsOut
from engine.models.shadow import shadow
from engine.models.walk import Walk, walk
from engine.nn.linearised import Steps
from engine.text.tokenizers.base import Tokens

PREFIX = "gradient."
INPUT = "input"
USE = "use"
DRIVE = "drive"


@dataclass(frozen=True, slots=True)
class Use:
    """One product of the state and recurrent weights, at one step: what was multiplied, and the
    result."""

    step: int
    read: Tensor  # (R, H)
    made: Tensor  # (R, E)


class Graph(Recorder):
    """A recorder that keeps each number where the gradient of a loss can find it.

    points  {(name, layer): the tensor of it, or one tensor for each step}
    uses    {layer: the recurrent products of its steps}
    drives  {layer: the input products of all tokens, (R, T, D) and (R, T, E)}
    """

    def __init__(self) -> None:
        super().__init__(fields=())
        self.points: dict[tuple[str, int], tuple[tuple[str, ...], list[Tensor]]] = {}
        self.uses: dict[int, list[Use]] = {}
        self.drives: dict[int, Use] = {}

    def wants(self, name: str) -> bool:
        return True

    def edits(self, *names: str) -> bool:
        return True  # a fused kernel has no steps to look at

    @property
    def _layer(self) -> int:
        return self._at.get("layer", 0)

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        self._met(name, axes)
        value = reached(value)
        self.points[name, self._layer] = axes, [value]
        return value

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        self._met(name, axes)
        if (name, self._layer) in self.points:  # its steps were met in a loop
            rows = self.points[name, self._layer][1]
            self.points[name, self._layer] = axes, rows

    def derived(self, name: str, make: Any, axes: tuple[str, ...]) -> None:
        self._met(name, axes)

    def in_loop(self, name: str, axes: tuple[str, ...]) -> Changed:
        if name == USE:
            uses = self.uses.setdefault(self._layer, [])

            def used(t: int, made: Any, read: Any) -> Any:
                made = reached(made)
                uses.append(Use(t, read, made))
                return made

            return used
        if name == DRIVE:

            def driven(t: int, made: Any, read: Any) -> Any:
                made = reached(made)
                self.drives[self._layer] = Use(t, read, made)
                return made

            return driven
        rows: list[Tensor] = []
        self.points[name, self._layer] = axes, rows

        def seen(t: int, value: Any, before: Any) -> Any:
            rows.append(reached(value))
            return rows[-1]

        return seen


def reached(value: Tensor) -> Tensor:
    """The same numbers, of which a gradient can be asked: a first state follows from no token."""
    if value.requires_grad or not value.is_floating_point():
        return value
    return value.detach().requires_grad_()


@dataclass(frozen=True, slots=True)
class Read:
    """A text that was read with all its numbers in reach of the loss.

    nats_RT  surprisal of the token after each token, nats; 0 at the last, which nothing follows
    input    (R, T, D) the vectors of the tokens
    logit_RTV, top_RTH  what the last linear layer makes, and what it reads
    """

    graph: Graph
    nats_RT: Tensor
    input: Tensor
    logit_RTV: Tensor
    top_RTH: Tensor | None


def read(
    model: NeuralLanguageModel[Any],
    tokens: Tokens,
    rows: int = 1,
    carried: Mapping[str, Tensor] | None = None,
    *,
    inner: bool = True,
    losses: tuple[int, int] | None = None,
) -> Read:
    """Read the tokens (at least one), `rows` times beside each other.

    carried  the model's `carries` fields (layer, token, unit) of what stands before the tokens:
             numbers through which nothing is learned
    inner    whether the numbers inside the net are asked for; without them it is quicker, as
             kernels of torch may take many steps at once
    losses   the places (first, stop) at which predictions are made whose losses are asked for; all without.  A net
             that reads out apart reads out there alone: `nats_RT` is 0 elsewhere, and `logit_RTV` has no more
    """
    graph, met = Graph(), []
    tap: Tap = graph if inner else passthrough
    with torch.inference_mode(False), torch.enable_grad():
        net: Any = copy(shadow(model.net))
        net._modules = dict(net._modules)
        entry = net._modules["embed"] = copy(net.embed)

        def begin(ids: Tensor) -> Tensor:
            met.append(type(entry).forward(entry, ids).detach().requires_grad_())
            return met[-1]

        entry.forward = begin
        tops: list[Tensor | None] = [None]
        if (last := net._modules.get("head")) is not None:
            over = net._modules["head"] = copy(last)

            def end(top: Tensor) -> Any:
                tops[0] = top
                return type(over).forward(over, top)

            over.forward = end
        ids_RT = torch.from_numpy(tokens.ids)[None].expand(rows, -1)
        ids_RT = ids_RT.to(next(net.parameters()).device)
        state = [dict(carried)] if carried else []
        first, stop = 0, len(tokens) - 1
        if losses is not None and isinstance(net, ReadsOut):
            first, stop = losses
            made = net.read_out(net.stream(ids_RT, tap, *state)[:, first:stop])
        else:
            made = net(ids_RT, tap, *state)
        logit_RTV = made.to(torch.promote_types(made.dtype, torch.float32))
        nats_RT = nn.functional.cross_entropy(
            logit_RTV[:, : stop - first].transpose(1, 2),
            ids_RT[:, first + 1 : stop + 1],
            reduction="none",
        )
        nats_RT = nn.functional.pad(nats_RT, (first, len(tokens) - stop))
    return Read(graph, nats_RT, met[0], made, tops[0])


def differentiate(found: Read, loss: Tensor, of: Sequence[Tensor]) -> list[Tensor]:
    """d loss / d x for each x; 0 where nothing of the loss follows from x."""
    with torch.inference_mode(False), torch.enable_grad():
        made = torch.autograd.grad(loss, of, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(of, made, strict=True)]


OTHERS = (
    (
        Translates,
        "{title} learns by gradients, but predicts a translation, not the next token of the text",
    ),
    (
        Fills,
        "{title} learns by gradients, but predicts hidden tokens from both sides, not the next token",
    ),
    (Labels, "{title} learns by gradients, but predicts labels, not the next token"),
    (HasNet, "{title} learns by gradients, but does not predict the next token"),
    (object, "{title} is no neural network that predicts the next token"),
)


def learner(model: Model[Any]) -> NeuralLanguageModel[Any]:
    """The same model, as one whose loss on a typed text can be followed back.  ValueError, which says why, for one
    that predicts no next token of the text, or learns without gradients."""
    if isinstance(model, NeuralLanguageModel) and not isinstance(model, Translates):
        return model
    why = next(said for kind, said in OTHERS if isinstance(model, kind))
    raise ValueError(_(why, title=_(model.card.title)))


def trace(model: NeuralLanguageModel[Any], text: str, of_loss: str | int = "loss") -> Trace:
    """The gradient of a loss with respect to every number that the model shows, named
    `gradient.<field>`, with the axes of the field; and `gradient.input` (token, dim), with respect
    to the vector of each token.

    of_loss  "loss": all tokens together, summed; or the place of a token: the loss of the
             prediction made there, of the token after it

    ValueError for a text in which nothing is predicted, and for a place that is not in it.
    """
    tokens = model.tokens(text)
    total = len(tokens)
    tokens = tokens[max(0, total - (model.context or total)) :]
    if len(tokens) < 2:
        raise ValueError("a gradient needs a prediction: type at least one token")
    every = slice(None)
    if of_loss != "loss":
        at = int(of_loss) - (total - len(tokens))
        if not 0 <= at < len(tokens) - 1:
            raise refusal("no prediction is made at token {of_loss}: there are {total}")
        every = slice(at, at + 1)
    steps: list[Steps] = []
    if (walked := walk(model, tokens.ids, shown=steps)) is not None:
        input_TD, by_name = _walked(walked, steps, tokens, every)
    else:
        found = read(model, tokens)
        input_TD, by_name = _followed(found, found.nats_RT[0, every].sum())
    return Trace(
        text,
        tokens.labels,
        tuple(_fields(model, tokens, input_TD, by_name)),
        ids=tokens.ids,
        spans=tokens.spans,
        unknown=tokens.unknown,
        offset=total - len(tokens),
        total=total,
    )


Parts = dict[str, dict[int, Tensor]]  # of each field its layers


def _walked(
    walked: Walk, steps: Sequence[Steps], tokens: Tokens, losses: slice
) -> tuple[Tensor, Parts]:
    """Of a recurrent net: what the losses say of the tokens' vectors, and of what each step shows."""
    net: Any = walked.net
    with torch.inference_mode(False), torch.enable_grad():
        top_TH = torch.from_numpy(walked.top_TH).requires_grad_()
        after_T = torch.from_numpy(tokens.ids[1:])
        nats_T = nn.functional.cross_entropy(net.head(top_TH)[:-1], after_T, reduction="none")
        (g_TH,) = torch.autograd.grad(nats_T[losses].sum(), top_TH)
        input_RTD, backs = walked.back(g_TH[None].numpy())
        each = [one.fields(back[0]) for one, back in zip(steps, backs, strict=True)]
    by_name: Parts = {}
    for layer, fields in enumerate(each):
        for name, value in fields.items():
            by_name.setdefault(name, {})[layer] = value
    return torch.from_numpy(input_RTD)[0], by_name


def _followed(found: Read, loss: Tensor) -> tuple[Tensor, Parts]:
    """The same of any net, along the graph of its run."""
    points = found.graph.points
    keys = [key for key, (__, parts) in points.items() if parts and parts[0].requires_grad]
    flat = [found.input, *(part for key in keys for part in points[key][1])]
    grads = iter(differentiate(found, loss, flat))
    input_TD = next(grads)[0]
    by_name: Parts = {}
    for name, layer in keys:
        along, parts = points[name, layer]
        gs = [next(grads) for __ in parts]
        whole = gs[0] if len(gs) == 1 else torch.stack(gs, 1)  # (B, T, H) of the steps of a loop
        by_name.setdefault(name, {})[layer] = whole[0] if along[:1] == ("batch",) else whole
    return input_TD, by_name


def _fields(
    model: NeuralLanguageModel[Any], tokens: Tokens, input_TD: Tensor, by_name: Parts
) -> list[Field]:
    labels = model.labels(tokens)
    says = "How much the loss changes with each number of a token's vector."
    axes = {"token": tokens.labels, "dim": range(input_TD.shape[-1])}
    made = [Field.of(PREFIX + INPUT, Kind.GRADIENT, axes, input_TD.cpu().numpy(), says)]
    shown = (s for s in model.spec() if isinstance(s, FieldSpec) and not s.derived)
    return [*made, *(_field(s, by_name[s.name], labels) for s in shown if s.name in by_name)]


def _field(
    spec: FieldSpec, parts: Mapping[int, Tensor], labels: Mapping[str, tuple[str, ...]]
) -> Field:
    values = [parts[i].float().cpu().numpy() for i in sorted(parts)]
    numbers = np.stack(values) if "layer" in spec.axes else values[0]
    promised = replace(
        spec,
        name=PREFIX + spec.name,
        kind=Kind.GRADIENT,
        says=_("How much the loss changes with it. {says}", says=_(spec.says)),
        symbol=f"∂L/∂{spec.symbol}" if spec.symbol else "",
        unit="nats per unit",
        domain=None,
        causal=False,
    )
    axes = tuple(
        Axis(a, labels.get(a) or numbered(n)) for a, n in zip(spec.axes, numbers.shape, strict=True)
    )
    return Field(promised, numbers, axes)
