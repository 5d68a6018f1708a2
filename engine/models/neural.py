"""What the language models made of torch parts share: a tokenizer, a start mark, a loop, one
softmax at the end.

Shapes    T = tokens, V = vocabulary
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.numbers import Array, tensor
from engine.core.registry import tokenizers
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.models.abilities import GoesOn, HasNet
from engine.models.base import Progress, Weights
from engine.models.cost import Cost, Cut
from engine.nn import checkpoint, loop, packed
from engine.nn.cost import Logits, blank, memory
from engine.nn.meta_init import unfilled
from engine.nn.plan import TextTraining
from engine.nn.tuning import base as tuning
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@runtime_checkable
class ReadsOut(Protocol):
    """A net whose logits are a step of its own, which nothing else follows from."""

    def stream(
        self, ids_BT: Tensor, tap: Tap = passthrough, state: dict[str, Tensor] | None = None
    ) -> Tensor: ...
    def read_out(self, x_BTD: Tensor) -> Tensor: ...


class NeuralConfig(Protocol):
    """What the shared part reads from a config; read-only, as configs are frozen."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def tokenizer(self) -> str: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def span(self) -> int: ...
    @property
    def rate(self) -> float: ...


C = TypeVar("C", bound=NeuralConfig)

PROBABILITY = FieldSpec(
    "probability",
    Kind.PROBABILITY,
    ("token", "next"),
    "Probability of each possible next token.",
    "P",
)
LOGITS = FieldSpec(
    "logits",
    Kind.SCORE,
    ("token", "next"),
    "Score of each possible next token, before softmax.",
    "l",
)


OF_TOKENS = {"embed.weight", "head.weight", "head.bias", "output.weight", "output.bias"}
"""Parameters with a row for each token of the vocabulary."""


class NeuralLanguageModel(GoesOn[C], HasNet[C]):
    """A net that reads ids (1, T) and gives logits (1, T, V).  The text is read behind a line end,
    the start mark."""

    stepwise = True
    foretells, by_id = True, True

    def __init__(self, config: C, tokenizer: Tokenizer, net: nn.Module) -> None:
        self.config, self.tokenizer, self.net = config, tokenizer, net.eval()
        self._labels = {"next": tokenizer.vocab}

    @classmethod
    @abstractmethod
    def build(cls, config: C, v: int) -> nn.Module:
        """The untrained net for a vocabulary of `v` tokens."""

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        tokenizer, stream_N = tokenizers.get(config.tokenizer).learn(lines, config.vocabulary)
        return Cut(len(stream_N), len(tokenizer.vocab))

    @classmethod
    def cost(cls, config: C, found: Cut) -> Cost:
        with unfilled():
            net = cls.build(config, found.vocabulary)
            tuning.install(net, config)
        return cost_of(net, config, lambda span: cls.logits(net, config, span))

    @classmethod
    def logits(cls, net: nn.Module, config: C, span: int) -> Tensor:
        """Logits (B, T, V) of one step of training over so many tokens, without numbers."""
        found: Tensor = net(blank(config, span))
        return found

    @classmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if not lines or sum(map(len, lines)) < 2:
            raise ValueError("nothing to learn from: the text has no line with two characters")
        if resume:
            tokenizer = tokenizer_of(config, resume)
        else:
            tokenizer = tokenizers.get(config.tokenizer).fit(lines, config.vocabulary)
        torch.manual_seed(seed)
        net = cls.build(config, len(tokenizer.vocab))
        stream_N = tokenizer.stream(lines)
        cls.prepare(net, np.bincount(stream_N, minlength=len(tokenizer.vocab)))
        resume = install_new(net, config, resume)
        held_out_N = tokenizer.stream(held_out)
        characters = sum(len(line) + 1 for line in held_out)
        per_character = (len(held_out_N) - 1) / characters / math.log(2) if characters else math.nan
        model, state = cls(config, tokenizer, net), state_of(tokenizer)
        reading = config if isinstance(config, TextTraining) else TextTraining()
        for step in loop.train(
            net,
            stream_N,
            held_out_N,
            loop.Plan.of(config),
            seed=seed,
            device=device,
            boundary=tokenizer.boundary,
            resume=resume,
            stateful=reading.stateful,
            passages=reading.passages,
            echo=reading.echo,
            replaced=reading.replaced,
        ):
            metrics = dict(step.metrics)
            if "held_out_nats" in metrics:
                metrics["held_out_bits_per_character"] = metrics["held_out_nats"] * per_character
                metrics |= perplexity(metrics["held_out_nats"])
            yield report(step, metrics, model, state)

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        """A last word on the untrained net, given how often each token occurs in the training
        text."""

    def tokens(self, text: str) -> Tokens:
        found, mark = self.tokenizer.encode(text), self.tokenizer.opening
        if len(found) and not self.tokenizer.opens:
            return found
        return found.after(mark, self.tokenizer.vocab[mark])

    def marks(self) -> Tokens:
        return self.tokens("")[: int(self.tokenizer.opens)]

    def read_as(self, way: str) -> Self:
        """The same net, which reads every text "behind" its start mark, "alone" (an empty one is read
        behind it in any case), or as the turns of a "conversation"."""
        tokenizer = copy(self.tokenizer)
        tokenizer.opens, tokenizer.talks = way == "behind", way == "conversation"
        return type(self)(self.config, tokenizer, self.net)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels, "query": tokens.labels, "key": tokens.labels}

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        self._read(tokens, tap)

    @torch.inference_mode()
    def go_on(self, tokens: Tokens, carried: Mapping[str, Array], tap: Tap) -> None:
        like = next(p for p in self.net.parameters() if p.is_floating_point())
        self._read(tokens, tap, {name: tensor(values).to(like) for name, values in carried.items()})

    def _read(self, tokens: Tokens, tap: Tap, *state: dict[str, Tensor]) -> None:
        ids_BT = torch.from_numpy(tokens.ids)[None].to(next(self.net.parameters()).device)
        axes = ("batch", "token", "next")
        if (
            isinstance(self.net, ReadsOut)
            and tap is not passthrough
            and not any(map(tap.wants, ("logits", "probability")))
        ):
            # a large vocabulary costs as much as some layers
            net, x_BTD = (self.net, self.net.stream(ids_BT, tap, *state))
            tap.derived("logits", lambda: net.read_out(x_BTD), axes)
            tap.derived("probability", lambda: net.read_out(x_BTD).float().softmax(-1), axes)
            return
        tap("probability", self.net(ids_BT, tap, *state).float().softmax(-1), axes)

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        """As everywhere, with the vectors of tokens named by their tokens."""
        return tuple(
            replace(spec, axes=("word", *spec.axes[1:])) if spec.name in OF_TOKENS else spec
            for spec in super().parameters_spec()
        )

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"word": self.tokenizer.vocab}

    def to(self, device: str) -> Self:
        self.net.to(device)
        return self

    def weights(self) -> dict[str, np.ndarray]:
        return {k: v.detach().cpu().numpy() for k, v in self.net.state_dict().items()} | state_of(
            self.tokenizer
        )

    def opened(self) -> Weights:
        """For `fit(resume=...)` with more steps, or another plan: a training that goes on with what
        this model has learned, and its tokenizer."""
        return opened(self.net, self.config.steps, self.tokenizer)

    @classmethod
    def from_weights(cls, config: C, weights: Weights) -> Self:
        tokenizer = tokenizer_of(config, weights)
        with unfilled():
            net = cls.build(config, len(tokenizer.vocab))
            tuning.install(net, config)
        arrays = {k: own(v) for k, v in weights.items() if k != "tokenizer"}
        net.load_state_dict(arrays, assign=True)
        config = tuning.merge(net, config)
        packed.offer(net)
        return cls(config, tokenizer, net)


def install_new(net: nn.Module, config: object, resume: Weights | None) -> Weights | None:
    """Put what the tuning of a config adds into a net; what is new in it begins as it was made."""
    before = set(net.state_dict())
    tuning.install(net, config)
    if resume is None:
        return None
    new = {k: v for k, v in net.state_dict().items() if k not in before}
    return {**{f"net.{k}": v.detach().numpy() for k, v in new.items()}, **resume}


def opened(net: nn.Module, steps: int, tokenizer: Tokenizer) -> Weights:
    """As `GoesOn.opened` of a net with its tokenizer."""
    weights = {k: v.detach().cpu().numpy() for k, v in net.state_dict().items()}
    return checkpoint.after_training(steps, weights) | state_of(tokenizer)


def as_often(head: nn.Module, count_V: np.ndarray) -> None:
    """Let an output layer begin with the shares of the tokens, counted once more than they are."""
    share_V = (count_V + 1) / (count_V + 1).sum()
    with torch.no_grad():
        head.get_parameter("bias").copy_(torch.from_numpy(np.log(share_V)))


def own(values: Array) -> Tensor:
    """float32, copied unless they belong to nobody else: a checkpoint may fill half of the
    memory.  A tensor is given away."""
    if isinstance(values, Tensor):
        return values.float()
    values = np.asarray(values)
    return torch.from_numpy(
        np.array(values, np.float32, copy=None if values.base is None else True)
    )


def report(
    step: loop.Step,
    metrics: Mapping[str, float],
    model: HasNet[Any],
    state: Mapping[str, np.ndarray],
) -> Progress:
    """Of a step of a model's net.  `state`: what the model has learned besides, for going on."""
    last = step.step == model.config.steps
    if last:
        model.net.eval()
    kept = step.checkpoint
    return Progress(
        step.step,
        model.config.steps,
        metrics,
        model if last else None,
        None if kept is None else lambda: {**kept(), **state},
        None if kept is None else lambda: copy_apart(model),
        kept is None,
        step.notes,
    )


def perplexity(nats: float) -> dict[str, float]:
    """As a metric: among how many equally likely tokens the model is as unsure as it is here."""
    return {"held_out_perplexity": math.exp(min(nats, 700.0))}


def cost_of(net: nn.Module, config: DataclassInstance, logits: Logits) -> Cost:
    """What training a net takes that was built without numbers."""
    kept, parts = memory(net, config, logits)
    return Cost(sum(p.numel() for p in net.parameters()), kept, stepwise=True, memory=parts)


M = TypeVar("M")


def copy_apart(model: M, device: str = "cpu") -> M:
    """A copy of a model on a device, with nothing silenced: of one in training, to be asked while
    the original goes on; of one that was opened, which stays where it is.  Its numbers are copied
    once, straight to there."""
    found: Any = copy(model)
    with torch.no_grad():
        there: dict[int, Any] = {
            id(p): nn.Parameter(p.detach().to(device, copy=True), p.requires_grad)
            for p in found.net.parameters()
        }
        there |= {id(b): b.detach().to(device, copy=True) for b in found.net.buffers()}
    found.net = deepcopy(found.net, there).eval()
    for part in found.net.modules():
        if isinstance(part, nn.RNNBase):
            part.flatten_parameters()  # cuDNN wants its weights side by side, and warns otherwise
    return cast(M, found)


def state_of(tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    """A tokenizer as an array beside the weights."""
    return {"tokenizer": np.frombuffer(tokenizer.state(), np.uint8)}


def tokenizer_of(config: Any, weights: Weights) -> Tokenizer:
    """The tokenizer that lies beside the weights, as its state or as it is."""
    lying: Any = weights["tokenizer"]
    if isinstance(lying, Tokenizer):
        return lying
    found: Tokenizer = tokenizers.get(config.tokenizer).from_state(np.asarray(lying).tobytes())
    return found
