"""Family: how a kind of checkpoint becomes one of our models: its settings, and what its weights
are called here.

What      a part of ours is one of theirs or several on top of each other (query, key and value in
          one matrix)
Source    the modeling_*.py files of the `transformers` library
Shapes    matrices (out, in), as torch keeps them; transposed where a family keeps (in, out)
Differs   A head for labels, and what the library makes itself, are left out, and named; whatever
          else a checkpoint has besides is refused, for it may change the answer.
          A setting that our model does not read must have the value that the library gives it by
          itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from engine.language.message import _, refusal

if TYPE_CHECKING:
    from torch import Tensor

Parts = Mapping[str, tuple[str, ...]]
"""Name of a part of ours, without .weight or .bias -> names of theirs, stacked in this order; of names
with | between, the one that is there.  One that ends in .bias is that number alone."""

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
# masks and tables of places, which the library makes itself whatever the file holds
CONSTANT = (
    r"(.*\.)?embeddings\.(position|token_type)_ids",
    r"(.*\.)?h\.\d+\.attn\.(masked_)?bias",
    r"(.*\.)?layers\.\d+\.attention\.(masked_)?bias",
    r"(.*\.)?rotary_emb\.inv_freq",
    r"(.*\.)?(en|de)coder\.embed_positions\.weights",
    # T5's first files; distances between two texts are none
    r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
)
# heads that read what is shown here and write nothing into it: for labels, for answers, for values,
# and the summary of a text that some of them read
BEHIND = (
    r"(\w+\.)?pooler(\.dense)?",
    r"classification_head\.(dense|out_proj)",
    r"(pre_)?classifier(\.dense|\.out_proj)?",
    r"head\.(dense|norm)|score|qa_outputs|cls\.seq_relationship|sop_classifier\.classifier",
    r"sequence_summary\.summary|multiple_choice_head\.summary|v_head\.summary",
)
_BEHIND = re.compile(rf"({'|'.join(BEHIND)})\.(weight|bias)")
_CONSTANT = re.compile("|".join(CONSTANT))
COPIES = {  # end of a name of theirs -> the part of ours that it should be a copy of
    "lm_head.weight": "embed.weight",
    "embed_out.weight": "embed.weight",
    "embed_tokens.weight": "embed.weight",
    "generator_lm_head.weight": "embed.weight",
    "predictions.decoder.bias": "guess.bias",
    "decoder.weight": "embed.weight",
    "lm_head.decoder.bias": "guess.bias",
    "vocab_projector.weight": "embed.weight",
}
# settings by which no number of a text that is read changes: of training, of heads for labels, of
# what the library returns.  Ids of marks are the tokenizer's
NO_MATTER = re.compile(
    "|".join(
        (
            "_.*|.*drop.*|attn_pdrop|initializer_.*|init_std|summary_.*|output_.*|.*_token_id|return_dict",
            "id2label|label2id|problem_type|architectures|dtype|transformers_version|model_type",
            "use_cache|chunk_size_feed_forward|reorder_and_upcast_attn|pretraining_tp",
            "sinusoidal_pos_embds",  # the file holds them
            "dense_act_fn|is_gated_act",  # what feed_forward_proj says
        )
    )
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
    kept      which rows of a part are kept, where our model has fewer than theirs
    renamed   what parts of theirs were called in older checkpoints: name -> older name
    by_head   parts of theirs that keep the queries of a group of heads, its key and its value together
    around_one  ends of parts of ours whose weights are kept there as their distance from 1
    silent    their config -> how parts of ours begin that have no bias there; ours is 0
    apart     whether an output layer that is tied to the embedding there is one of its own here, since
              one of the two is changed
    arranged  (their config, ours, our weights) -> our weights, where they are more than stacks of theirs
    fits      their config -> whether the description has a place for it; else it is read-only
    """

    model: str
    prefixes: tuple[str, ...]
    settings: Callable[[Any, Names], dict[str, Any]]
    parts: Callable[[Any], Parts]
    turned: tuple[str, ...] = ()
    marks: str = "decoder"
    kept: Mapping[str, slice] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    by_head: tuple[str, ...] = ()
    around_one: tuple[str, ...] = ()
    silent: Callable[[Any], tuple[str, ...]] = lambda theirs: ()
    apart: bool = False
    arranged: Callable[[Any, Any, dict[str, Tensor]], dict[str, Tensor]] = lambda t, c, made: made
    fits: Callable[[Any], bool] | None = None


class Names:
    """The names of a checkpoint's weights, whatever they are prefixed with."""

    def __init__(
        self,
        names: Iterable[str],
        prefixes: tuple[str, ...],
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        """prefixes, renamed  as in Family"""
        self.all, self._prefixes = frozenset(names), ("", *prefixes)
        self._renamed = renamed or {}

    def find(self, name: str) -> str | None:
        """The full name in the file; None where there is no such weight."""
        ends = [
            name,
            *(name.removesuffix(new) + old for new, old in OLD.items() if name.endswith(new)),
            *(
                old + name.removeprefix(new)
                for new, old in self._renamed.items()
                if name.startswith(new)
            ),
        ]
        return next((p + e for p in self._prefixes for e in ends if p + e in self.all), None)

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None


class Settings:
    """A config of the library that knows which of its settings were read."""

    def __init__(self, config: Any) -> None:
        self.config, self._read = config, set[str]()

    def __getattr__(self, name: str) -> Any:
        self._read.add(name)
        return getattr(self.config, name)

    def names(self) -> list[str]:
        """Of all settings of its family."""
        return sorted(f.name for f in fields(self.config))

    def ignores(self, *names: str) -> None:
        """Settings that change nothing beside those that were read."""
        self._read.update(names)

    def must_be_known(self) -> None:
        """ValueError where a setting that was not read is not what it is by default."""
        plain = type(self.config)()
        for name in self.names():
            if name not in self._read and not NO_MATTER.fullmatch(name):
                demand(self.config, **{name: getattr(plain, name)})


def converted(
    family: Family, theirs: Any, config: Any, names: Names, read: Callable[[str], Tensor]
) -> tuple[dict[str, Tensor], list[str]]:
    """Our weights, and the names of theirs that have no place in our model.

    theirs, config  their config and ours
    read            a weight by its name

    ValueError where a part is not whole, or where what should be a copy of another part is not.
    """
    import torch

    made: dict[str, Tensor] = {}
    used: set[str] = set()
    every = dict(family.parts(config))
    if family.apart and theirs.tie_word_embeddings:
        every["output"] = every["embed"]
    for ours, parts in every.items():
        for kind in ("",) if ours.endswith(".bias") else (".weight", ".bias"):
            found = [_one(names, name, kind) for name in parts]
            whole = [name for name in found if name is not None]
            if not whole:
                continue
            if len(whole) < len(parts):
                raise refusal(
                    "the checkpoint is incomplete: {name}{kind} is missing",
                    name=parts[found.index(None)],
                )
            turn = kind == ".weight" and any(part in parts[0] for part in family.turned)
            arrays = [read(name).T if turn else read(name) for name in whole]
            if any(part in parts[0] for part in family.by_head):
                groups = config.groups or config.heads
                arrays = [_apart(array, config.heads, groups) for array in arrays]
            if kind == ".weight" and ours.endswith(family.around_one):
                arrays = [1.0 + array for array in arrays]
            made[ours + kind] = arrays[0].contiguous() if len(arrays) == 1 else torch.cat(arrays)
            if ours in family.kept:
                made[ours + kind] = made[ours + kind][family.kept[ours]]
            used.update(whole)
        bias = f"{ours}.bias"
        if bias not in made and any(part in ours for part in family.silent(theirs)):
            made[bias] = made[f"{ours}.weight"].new_zeros(len(made[f"{ours}.weight"]))
    rest = {name for name in names.all - used if not _CONSTANT.fullmatch(name)}
    copies = {n: ours for n in rest for end, ours in COPIES.items() if n.endswith(end)}
    for name, ours in copies.items():
        if ours in made and not _equal(read(name), made[ours]):
            raise refusal(
                "{name} should be a copy of other weights of the checkpoint and is none; an output"
                " layer of its own can't be shown here"
            )
    left = sorted(rest - {name for name, ours in copies.items() if ours in made})
    try:
        return family.arranged(theirs, config, made), left
    except KeyError as error:
        raise refusal(
            "its weights are not whole: there is nothing for our {part}", part=error.args[0]
        ) from error


def must_have_no_effect(left: Iterable[str]) -> None:
    """ValueError where a weight that has no place in our model may change what it answers."""
    if strange := [name for name in left if not without_effect(name)]:
        raise refusal(
            "it has weights that have no place here and may change what it answers:"
            " {strange}{more}",
            more=_(" and {n:,} more", n=len(strange) - 1) if len(strange) > 1 else "",
            strange=strange[0][:200],
        )


def is_constant(name: str) -> bool:
    """Whether it is a mask or a table that the library makes itself."""
    return bool(_CONSTANT.fullmatch(name))


def without_effect(name: str) -> bool:
    """Whether a weight that has no place in our model changes nothing of what is shown."""
    return bool(_CONSTANT.fullmatch(name) or _BEHIND.fullmatch(name))


def _one(names: Names, either: str, kind: str) -> str | None:
    """The first of these names that the file has."""
    found = (names.find(name + kind) for name in either.split("|"))
    return next((name for name in found if name is not None), None)


def _apart(array: Tensor, heads: int, groups: int) -> Tensor:
    """All queries, all keys, all values, of rows that hold those of one group of heads after
    another."""
    import torch

    each = heads // groups
    parts = array.unflatten(0, (groups, each + 2, -1)).split((each, 1, 1), 1)
    return torch.cat([part.flatten(0, 2) for part in parts])


def _equal(a: Tensor, b: Tensor) -> bool:
    """Of weights that are not read, only their shapes."""
    return a.shape == b.shape and (a.is_meta or b.is_meta or a.equal(b))


def stacked(blocks: str, theirs: str, count: int, layer: Parts) -> dict[str, tuple[str, ...]]:
    """The parts of every layer; `{}` in `blocks` and in `theirs` is its number."""

    def of(i: int, either: str) -> str:
        return "|".join(theirs.format(i) + name for name in either.split("|"))

    return {
        blocks.format(i) + ours: tuple(of(i, name) for name in names)
        for i in range(count)
        for ours, names in layer.items()
    }


def bend(theirs: Any, name: str) -> str:
    """Our name of the activation that their setting `name` says.  ValueError for one that we do not
    have."""
    return BENDS[one_of(theirs, name, BENDS)]


def one_of(theirs: Any, name: str, ours: Iterable[str]) -> str:
    """The value of a setting of theirs.  ValueError where it is none of those that we have."""
    found = getattr(theirs, name)
    if not isinstance(found, str) or found not in ours:
        raise refusal(
            "checkpoints with {name} = {found} can't be shown; only {ours} can", found=repr(found)
        )
    return found


def demand(theirs: Any, **want: Any) -> None:
    """ValueError where a setting of theirs is not the one that our model has."""
    for name, value in want.items():
        if getattr(theirs, name, value) != value:
            raise refusal(
                "checkpoints with {name} = {found} can't be shown; only {ours} can",
                found=repr(getattr(theirs, name)),
                ours=repr(value),
            )


def written(theirs: Any, names: Names) -> None:
    """ValueError for a decoder without the output layer that its config speaks of."""
    if not theirs.tie_word_embeddings and "lm_head.weight" not in names:
        raise ValueError(
            "the checkpoint has no output layer (lm_head.weight); take the one saved with its"
            " language model head"
        )
