"""Observed: the net of a model that nothing here describes.  Its library's own code reads the text; what
it tells of that is shown, and nothing in it can be changed.

What      the hidden states before the first layer and behind each, the attention weights of each
          layer, and the logits
Source    the `transformers` library
Shapes    B = batch, T = tokens, S = tokens of the other text, V = vocabulary, D = width
Differs   Of its last layer the library mostly gives what a norm has made of it.  There are no queries,
          keys, values and parts of a layer: the library does not tell them.  A net is made of its
          config and its weights by the classes of the library; no code that comes with a checkpoint is
          run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.setting import setting
from engine.core.tap import Tap
from engine.core.trace import FieldSpec
from engine.language.message import Message, refusal
from engine.models.base import Weights
from engine.models.neural import state_of
from engine.nn.attention import PLAIN, Naming
from engine.nn.transformer import promises
from engine.pretrained.stored import sentence
from engine.text.tokenizers.base import Tokenizer

HEADS = {
    "decoder": "MODEL_FOR_CAUSAL_LM_MAPPING",
    "masked": "MODEL_FOR_MASKED_LM_MAPPING",
    "encoder": "MODEL_MAPPING",
    "translator": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING",
}
DEPTHS = (
    *("num_hidden_layers", "encoder_layers", "decoder_layers"),
    *("num_layers", "num_decoder_layers", "n_layer", "n_layers"),
)
NUMBER = re.compile(r"\d+")
ROOM = 2**26  # numbers that a net makes itself besides its weights: places, masks
READ_ONLY = (
    "This model is read-only: its library's own code reads the text, so nothing in it can be changed,"
    " and it tells hidden states and attention weights only."
)
TRAINED = "a model that is read-only can't be trained; take one of a family that is described here"


@dataclass(frozen=True, slots=True)
class Config:
    about: str = setting("{}", "the config of the library, as JSON")
    head: str = setting("decoder", "what it says: decoder, masked, encoder, translator")
    layers: int = setting(1, "layers", min=1, max=1000)
    encoder_layers: int = setting(0, "layers of the encoder of two halves", min=0, max=1000)
    heads: int = setting(1, "attention heads in each layer", min=0, max=1000)
    width: int = setting(8, "size of a token's vector", min=1, max=65_536)
    context: int = setting(512, "longest text in tokens", min=2, max=10_000_000)
    segments: int = setting(0, "segment vectors, to tell sentences apart", min=0, max=1000)
    attends: bool = setting(True, "whether the library tells attention weights")
    vocabulary: int = setting(2, "vocabulary", min=1, max=10_000_000)
    tokenizer: str = setting("library", "how the text is cut")

    # what is asked of models that were trained here
    @property
    def steps(self) -> int:
        return 0

    @property
    def batch(self) -> int:
        return 1

    @property
    def span(self) -> int:
        return min(64, self.context)

    @property
    def rate(self) -> float:
        return 0.0

    @property
    def masked(self) -> bool:
        return self.head == "masked"

    @property
    def pairs(self) -> bool:
        return False

    @property
    def detects(self) -> bool:
        return False

    @property
    def offset(self) -> int:
        return 0

    @property
    def share(self) -> float:
        return 0.15


class Observed:
    """What all these models share: nothing trains them, and their weights are the library's."""

    config: Config
    tokenizer: Tokenizer
    net: Any

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def heads(self) -> int:
        return self.config.heads

    @classmethod
    def build(cls, config: Any, v: int) -> NoReturn:
        raise ValueError(TRAINED)

    @classmethod
    def fit(
        cls,
        text: str,
        config: Any,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> NoReturn:
        raise ValueError(TRAINED)

    def weights(self) -> dict[str, np.ndarray]:
        return state_of_net(self.net) | state_of(self.tokenizer)


def open_net(
    about: Mapping[str, Any], head: str, state: Mapping[str, Tensor]
) -> tuple[nn.Module, list[str]]:
    """The library's net of a config, with these weights, and the names of those that it does not read.
    ValueError with one sentence where they are not all that it needs."""
    import transformers as library
    from transformers.initialization import no_init_weights

    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    with library_said():
        config = library.CONFIG_MAPPING[str(about.get("model_type"))].from_dict(
            {name: value for name, value in about.items() if name not in FOREIGN}
        )
        kind: Any = getattr(library, HEADS[head])[type(config)]
        _must_be_small(config, len(state))
        with torch.device("meta"), no_init_weights():
            bare = kind(config)
        parts = {id(p): p.numel() for p in [*bare.parameters(), *bare.buffers()]}
        if sum(parts.values()) > 2 * sum(values.numel() for values in state.values()) + ROOM:
            raise ValueError("its config.json asks for sizes that its weights do not have")
        net, told = kind.from_pretrained(
            None,
            config=config,
            state_dict=dict(state),
            attn_implementation="eager",
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # or it raises, without their names
        )
    if wrong := sorted(told["mismatched_keys"]):
        name, shape, asked = wrong[0]
        raise refusal(
            "it does not fit its own config.json: {name} is {shape}, and {asked} by the config",
            name=name,
            shape=list(shape),
            asked=list(asked),
        )
    if missing := sorted(name for name in told["missing_keys"] if "pooler" not in name):
        raise refusal(
            "its weights are not whole: there is nothing for the library's {name}", name=missing[0]
        )
    left = sorted(told["unexpected_keys"])
    kinds = {NUMBER.sub("#", name) for name in net.state_dict()}
    if more := [name for name in left if NUMBER.sub("#", name) in kinds]:
        raise refusal(
            "it has more layers than its own config.json says: {name} belongs to none of them",
            name=more[0],
        )
    return net.eval().requires_grad_(False), left


# what would bring other code, or other numbers, with it
FOREIGN = ("auto_map", "quantization_config", "compression_config", "_attn_implementation")


def _must_be_small(config: Any, weights: int) -> None:
    """ValueError for more layers than there are weights: they would be made one after the other."""
    said = config.to_dict()
    for name in DEPTHS:
        count = said.get(name, 0)
        if isinstance(count, int) and not 0 <= count <= weights:
            raise refusal(
                "{count:,} layers do not fit its {weights:,} weights", count=count, weights=weights
            )


@contextmanager
def library_said() -> Iterator[None]:
    """Whatever is wrong in the library's eyes, in one sentence: its exceptions have many names."""
    try:
        yield
    except Exception as error:
        if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Message):
            raise
        raise refusal(
            "its library can't read it: {said}",
            said=sentence(error, 200),
        ) from error


def state_of_net(net: nn.Module) -> dict[str, np.ndarray]:
    """Its weights by name, those that are one and the same once."""
    found, seen = dict[str, np.ndarray](), set[tuple[int, torch.Size]]()
    for name, values in net.state_dict().items():
        key = (values.data_ptr(), values.shape)
        if not values.numel() or key not in seen:
            found[name] = values.detach().cpu().numpy()
            seen.add(key)
    return found


def net_of(config: Config, weights: Mapping[str, np.ndarray]) -> nn.Module:
    """The net that `state_of_net` kept."""
    state = {
        name.removeprefix("net."): torch.from_numpy(np.array(values))
        for name, values in weights.items()
        if name != "tokenizer"
    }
    return open_net(_json(config.about), config.head, state)[0]


def _json(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("its config.json holds no settings")
    return found


def must_not_be_edited(tap: Tap, specs: Sequence[FieldSpec]) -> None:
    """ValueError where somebody wants to change what can't be changed."""
    if tap.edits(*(spec.name for spec in specs)):
        raise ValueError(READ_ONLY)


@cache
def observed(
    naming: Naming = PLAIN, attends: bool = True, causal: bool = True, cross: bool = False
) -> tuple[FieldSpec, ...]:
    """The fields of a tower, of which no edit is taken."""
    names = {"residual.before", "residual", *(("attention",) if attends else ())}
    wanted = {f"{naming.prefix}{name}" for name in names}
    wanted |= {"cross.attention"} if cross and attends else set()
    every = promises(naming, last_norm=False, cross=cross, causal=causal)
    return tuple(replace(spec, derived=True) for spec in every if spec.name in wanted)


def answers(*specs: FieldSpec) -> tuple[FieldSpec, ...]:
    """What is said besides, of which no edit is taken either."""
    return tuple(replace(spec, derived=True) for spec in specs)


@torch.no_grad()
def ask(net: Callable[..., Any], tap: Tap, prefix: str, attends: bool, **given: Any) -> Any:
    """What the library's net makes of ids; hidden states and weights where they are wanted."""
    streams = tap.wants(f"{prefix}residual") or tap.wants(f"{prefix}residual.before")
    looks = attends and (tap.wants(f"{prefix}attention") or tap.wants("cross.attention"))
    with library_said():
        return net(
            **given,
            output_hidden_states=streams,
            output_attentions=looks,
            return_dict=True,
        )


def tell(
    tap: Tap,
    specs: Sequence[FieldSpec],
    layers: int,
    streams: Sequence[Tensor] | None,
    **looks: Sequence[Tensor] | None,
) -> None:
    """Tap what was made of a text, layer by layer; None where nobody wanted it.

    specs    what `observed` says of the tower
    streams  hidden states, those before the first layer first
    looks    attention weights, by the last part of a field's name, and "cross" for the other text
    """
    found: dict[str, Sequence[Tensor] | None] = {
        "residual.before": streams,
        "residual": streams and streams[1:],
    }
    found |= looks
    for i in range(layers):
        at = tap.at(layer=i)
        for spec in specs:
            name = "cross" if spec.name == "cross.attention" else spec.name.removeprefix("encoder.")
            at.derived(spec.name, partial(_one, found[name], i), ("batch", *spec.axes[1:]))


def _one(every: Sequence[Tensor] | None, layer: int) -> Tensor:
    assert every is not None
    return every[layer]
