"""Family: how a kind of checkpoint becomes one of our models: its settings, and what its weights
are called here.

What      a part of ours is one of theirs or several on top of each other (query, key and value in
          one matrix)
Source    the modeling_*.py files of the `transformers` library
Shapes    matrices (out, in), as torch keeps them; transposed where a family keeps (in, out)
Differs   What a checkpoint has besides (a head for labels, a second output) is left out, and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Parts = Mapping[str, tuple[str, ...]]
"""Name of a part of ours, without .weight or .bias -> names of theirs, stacked in this order.  One
that ends in .bias is
that number alone."""

# what norms called theirs in checkpoints from TensorFlow
OLD = {".weight": ".gamma", ".bias": ".beta"}
BENDS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
NO_NEED = (  # constants, and second copies of the embedding
    "position_ids",
    "attn.bias",
    "attn.masked_bias",
    "rotary_emb.inv_freq",
    "lm_head.weight",
    "embed_tokens.weight",
    "predictions.decoder.weight",
    "predictions.decoder.bias",
    "lm_head.decoder.weight",
    "lm_head.decoder.bias",
    "vocab_projector.weight",
)


@dataclass(frozen=True, slots=True)
class Family:
    """
    model     id of the model of ours
    prefixes  what may stand before every name, as checkpoints are saved with and without a head
    settings  (their config, names in the file) -> settings of our config; ValueError for what we do
              not have
    parts     our config -> what each part of ours is made of
    turned    parts of theirs that are kept (in, out)
    marks     whether the tokenizer's marks are those of a "masked" word model, a "decoder" or an
              encoder-decoder, "both"
    kept      how many rows of a part are kept, where our model has fewer than theirs
    """

    model: str
    prefixes: tuple[str, ...]
    settings: Callable[[Any, Names], dict[str, Any]]
    parts: Callable[[Any], Parts]
    turned: tuple[str, ...] = ()
    marks: str = "decoder"
    kept: Mapping[str, int] = field(default_factory=dict)


class Names:
    """The names of a checkpoint's weights, whatever they are prefixed with."""

    def __init__(self, names: Iterable[str], prefixes: tuple[str, ...]) -> None:
        self.all, self._prefixes = frozenset(names), ("", *prefixes)

    def find(self, name: str) -> str | None:
        """The full name in the file; None where there is no such weight."""
        ends = [
            name,
            *(name.removesuffix(new) + old for new, old in OLD.items() if name.endswith(new)),
        ]
        return next((p + e for p in self._prefixes for e in ends if p + e in self.all), None)

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None


def converted(
    family: Family, config: Any, names: Names, read: Callable[[str], np.ndarray]
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Our weights, and the names of theirs that have no place in our model.  ValueError where a
    part is not whole."""
    made: dict[str, np.ndarray] = {}
    used: set[str] = set()
    for ours, theirs in family.parts(config).items():
        for kind in ("",) if ours.endswith(".bias") else (".weight", ".bias"):
            found = [names.find(name + kind) for name in theirs]
            whole = [name for name in found if name is not None]
            if not whole:
                continue
            if len(whole) < len(theirs):
                raise ValueError(
                    f"the checkpoint is incomplete: {theirs[found.index(None)]}{kind} is missing"
                )
            turn = kind == ".weight" and any(part in theirs[0] for part in family.turned)
            arrays = [read(name).T if turn else read(name) for name in whole]
            made[ours + kind] = (
                np.ascontiguousarray(arrays[0]) if len(arrays) == 1 else np.concatenate(arrays)
            )
            if ours in family.kept:
                made[ours + kind] = made[ours + kind][: family.kept[ours]]
            used.update(whole)
    return made, sorted(n for n in names.all - used if not n.endswith(NO_NEED))


def stacked(blocks: str, theirs: str, count: int, layer: Parts) -> dict[str, tuple[str, ...]]:
    """The parts of every layer; `{}` in `blocks` and in `theirs` is its number."""
    return {
        blocks.format(i) + ours: tuple(theirs.format(i) + name for name in names)
        for i in range(count)
        for ours, names in layer.items()
    }


def bend(name: str) -> str:
    """Our name of an activation.  ValueError for one that we do not have."""
    if name not in BENDS:
        raise ValueError(
            f"its activation {name!r} is not one of ours; there are {', '.join(BENDS)}"
        )
    return BENDS[name]


def must(theirs: Any, **want: Any) -> None:
    """ValueError where a setting of theirs is not the one that our model has."""
    for name, value in want.items():
        if (found := getattr(theirs, name, value)) != value:
            raise ValueError(
                f"checkpoints with {name} = {found!r} can't be shown; only {value!r} can"
            )
