"""Observed: a checkpoint of a family that is not described here, opened as far as its library's own code
tells hidden states and attention weights.

What      a language model, an encoder or an encoder-decoder, by what the library has for its
          model_type; it is asked once what it tells of a text, which says what is shown
Source    the `transformers` library
Shapes    T = tokens, V = vocabulary
Differs   Nothing but tensors is read, and no code that comes with a checkpoint is ever run.  There is nothing to
          compare: the numbers are the library's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.registry import models
from engine.language.message import _, refusal
from engine.pretrained import checkpoint
from engine.pretrained.base import Family, Settings, is_constant
from engine.pretrained.stored import CONFIG, json_of
from engine.pretrained.weights import Weights

if TYPE_CHECKING:
    from torch import Tensor, nn

    from engine.models.base import Model

MODELS = {
    "decoder": ("observed_decoder", "decoder"),
    "masked": ("observed_encoder", "masked"),
    "encoder": ("observed_encoder", "masked"),
    "translator": ("observed_translator", "both"),
}  # what it says -> our model, the marks of its tokenizer as in Family
TEXT = "The capital of France is Paris, and that of Spain?"
SIZES = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")
CONTEXT, LONGEST = 512, 131_072
CLOSE = 1e-3
SAID = (
    "It is read-only. No description here says how a {kind} becomes a model of ours, so its library's own"
    " code reads the text: pictures show its hidden states, its attention weights where it tells any, and what"
    " it answers."
    " Nothing in it can be edited, and it has no queries, keys, values and gradients."
)
BLIND = (
    "Its library tells no weights by which a token shares out its attention among tokens, so there are none"
    " here."
)
UNDESCRIBED = Family("", (), lambda theirs, names: {}, lambda config: {})


@dataclass(slots=True)
class Made:
    """A checkpoint as a model of ours, and what is said of it."""

    model: Model[Any]
    kind: str
    numbers: int
    left_out: list[str]
    notes: list[str] = field(default_factory=list)
    method: str = ""
    merged: bool = False


def opens(kind: str) -> bool:
    """Whether the library has a model for texts of this model_type, - or _ in it."""
    return bool(_said_by(kind))


def _said_by(kind: str) -> dict[str, tuple[str, ...]]:
    """What the library has models of this type for -> the names of their classes."""
    from transformers.models.auto import modeling_auto

    from engine.models.observed import HEADS

    found = {}
    for head, mapping in HEADS.items():
        every = getattr(modeling_auto, f"{mapping}_NAMES").items()
        plain = {one.replace("-", "_"): name for one, name in every}
        if name := plain.get(kind.replace("-", "_")):
            found[head] = (name,) if isinstance(name, str) else tuple(name)
    if "masked" not in found:  # of pictures and sounds too
        found.pop("encoder", None)
    return found


def make(folder: Path) -> Made:
    """ValueError with one sentence where it can't be shown."""
    import torch

    from engine.models import observed

    checkpoint.must_have_weights(folder)
    kind = str(json_of(folder / CONFIG)["model_type"])
    with checkpoint.said_of(folder), ExitStack() as stack:
        theirs = checkpoint.config_of(folder)
        weights = Weights(folder, UNDESCRIBED, stack)
        checkpoint.must_have_room(folder, 2 * weights.numbers)
        state = {name: weights.read(name) for name in weights.shapes if not is_constant(name)}
        about = _about(theirs)
        net, head, left = _net(kind, theirs, about, state)
        rows = len(net.get_input_embeddings().weight)
        model, marks = MODELS[head]
        read = checkpoint.tokenizer(folder, rows, marks, theirs)
        ids = read.encode(TEXT).ids[: max(4, _context(theirs, net) - 1)]
        found = _ask(net, head, torch.from_numpy(ids)[None], rows)
        config = observed.Config(
            about=json.dumps(about),
            head=head,
            context=_context(theirs, net),
            segments=getattr(theirs, "type_vocab_size", None) or 0,
            vocabulary=rows,
            tokenizer=checkpoint.kind_of_tokenizer(folder),
            **found,
        )
        if model == "observed_decoder" and not config.attends:
            model = "observed_states"
        title = type(theirs).__name__.removesuffix("Config")
        said = [_(SAID, kind=title), *([] if config.attends else [_(BLIND)])]
        return Made(
            models.get(model).observing(config, read, net),  # type: ignore[attr-defined]
            title,
            weights.numbers,
            sorted([*left, *weights.unread]),
            [*said, *weights.notes, *checkpoint.foreign(folder, Settings(theirs), title)],
            weights.low.title if weights.low else "",
            weights.adapter is not None,
        )


def _about(theirs: Any) -> dict[str, Any]:
    """A config as it is kept with a run: not where it lay, nor in which numbers."""
    from engine.models.observed import FOREIGN

    found: dict[str, Any] = json.loads(theirs.to_json_string())
    gone = (*FOREIGN, "_name_or_path", "dtype", "torch_dtype", "transformers_version")
    return {name: value for name, value in found.items() if name not in gone}


def _net(
    kind: str, theirs: Any, about: Mapping[str, Any], state: Mapping[str, Tensor]
) -> tuple[Any, str, list[str]]:
    """The library's net, what it says, and the names that it does not read."""
    from engine.models.observed import open_net

    every = _said_by(kind)
    own = (getattr(theirs, "architectures", None) or [""])[0]
    heads = [head for head, classes in every.items() if own in classes]
    if getattr(theirs, "is_encoder_decoder", False):
        heads = ["translator"] if "translator" in every else []
    elif not heads:
        heads = ["masked"] if "masked" in every else ["decoder"] if "decoder" in every else []
    if heads[:1] == ["masked"]:
        heads = ["masked", "encoder"]
    if not heads:
        raise refusal("the library has no model for texts of the type {kind!r}")
    for head in heads[:-1]:
        try:
            net, left = open_net(about, head, state)
            return net, head, left
        except ValueError as error:
            if not str(error).startswith("its weights are not whole"):
                raise
    net, left = open_net(about, heads[-1], state)
    return net, heads[-1], left


def _context(theirs: Any, net: nn.Module) -> int:
    """The longest text that it can read, in tokens."""
    from torch.nn import Embedding

    said = (getattr(theirs, name, None) for name in SIZES)
    longest = next((n for n in said if isinstance(n, int) and n > 1), CONTEXT)
    first = [
        part.padding_idx + 1
        for name, part in net.named_modules()
        if isinstance(part, Embedding)
        and part.padding_idx is not None
        and "position" in name
        and part.num_embeddings == longest
    ]  # places are counted from behind the filling
    return min(longest - max(first, default=0), LONGEST)


def _ask(net: Any, head: str, ids_1T: Tensor, rows: int) -> dict[str, Any]:
    """Sizes of what the library tells of a text; ValueError where that is not what can be shown."""
    import torch

    from engine.models.observed import library_said

    def answers(ids: Tensor) -> Any:
        more = {"decoder_input_ids": ids[:, :-1]} if head == "translator" else {}
        with torch.no_grad(), library_said():
            return net(
                input_ids=ids,
                **more,
                output_hidden_states=True,
                output_attentions=True,
                return_dict=True,
            )

    whole = answers(ids_1T)
    t = ids_1T.shape[1]
    if head != "encoder" and (whole.logits.shape[-1] != rows or not whole.logits.isfinite().all()):
        raise refusal(
            "its library answers with {n:,} numbers for a vocabulary of {rows:,}, or with some that are"
            " none",
            n=whole.logits.shape[-1],
        )
    if head == "translator":
        layers, width, own = _sizes(
            whole.decoder_hidden_states, whole.decoder_attentions, t - 1, t - 1
        )
        reads, _width, seen = _sizes(whole.encoder_hidden_states, whole.encoder_attentions, t, t)
        across = _heads(whole.cross_attentions, layers, t - 1, t)
        heads = own if own == seen == across else 0
        return {"layers": layers, "encoder_layers": reads, "width": width} | _looks(heads)
    layers, width, heads = _sizes(whole.hidden_states, whole.get("attentions"), t, t)
    if head == "decoder":
        part = answers(ids_1T[:, :-2]).logits
        off = float((part - whole.logits[:, :-2]).abs().max() / part.abs().max().clamp(min=1e-6))
        if not off < CLOSE:
            raise ValueError(
                "what it says after a token depends on what comes later, so it is no language model that"
                " can be shown"
            )
    return {"layers": layers, "width": width} | _looks(heads)


def _looks(heads: int) -> dict[str, Any]:
    return {"heads": heads, "attends": heads > 0}


def _sizes(
    streams: Sequence[Tensor] | None, looks: Sequence[Tensor] | None, t: int, s: int
) -> tuple[int, int, int]:
    """Layers, width and heads; 0 heads where there are no weights of one token on another."""
    shapes = [tuple(stream.shape) for stream in streams or ()]
    if len(shapes) < 2 or set(shapes) != {(1, t, shapes[0][-1])}:
        raise ValueError("its library does not tell a hidden state of each token behind each layer")
    layers = len(shapes) - 1
    return layers, shapes[0][-1], _heads(looks, layers, t, s)


def _heads(looks: Sequence[Tensor] | None, layers: int, t: int, s: int) -> int:
    if not looks or len(looks) != layers or any(look is None for look in looks):
        return 0
    shape = tuple(looks[0].shape)
    whole = all(
        tuple(look.shape) == shape and float((look.sum(-1) - 1).abs().max()) < CLOSE
        for look in looks
    )
    return shape[1] if whole and len(shape) == 4 and shape[2:] == (t, s) else 0
