"""Check: a checkpoint is read twice, by the library's own forward pass and by ours, on two short texts.

What      of every layer in order its attention weights, to 1e-4, and what it gives on, to 1e-4 of the
          largest number of each token's; then the logits.  Both have the same weights in float32, so
          nothing but rounding may part them, and rounding goes with the largest of the numbers that are
          added up.  Token by token, since those of the first may be thousands of times those of others.
          Where they part by more, as scores of thousands do, the library reads the texts once more in
          float64: how far it is from itself is rounding, and four times that is allowed
Source    the `transformers` library
Shapes    T = tokens, D = width, V = vocabulary
Differs   The library's model has the weights that we read, under their names: numbers in few bits are
          dequantised as for ours, and what is compared is how all of them are put together.  What the last norm
          of a decoder gives is compared by its logits.
Takes     of a Llama of 135 million numbers (SmolLM2's sizes) 1.9 s of one core and 0.65 GB, once; of its
          GGUF file, which is dequantised once more, 4.6 s.  The two part there by 3.3e-6 at most
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.registry import OBSERVED, families
from engine.language.message import _, refusal
from engine.pretrained import checkpoint
from engine.pretrained.stored import sentence
from engine.pretrained.weights import Weights

if TYPE_CHECKING:
    from engine.core.trace import Trace

TEXTS = ("The capital of France is Paris.", "Über 20 Cafés: 東京 😀")
PAIRS = tuple(f"{text} => {text}" for text in TEXTS)
CLOSE, ROUNDED = 1e-4, 4.0
BYTES = 4.4  # for a number of the library's model, with what a forward pass takes
TINY = 1e-12  # an embedding of zeros
# towers by their prefix in a trace -> the library's outputs of the same, the last one across
ONE = {"": ("hidden_states", "attentions", "")}
BOTH = {
    "encoder.": ("encoder_hidden_states", "encoder_attentions", ""),
    "": ("decoder_hidden_states", "decoder_attentions", "cross_attentions"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Some numbers of ours, what they are called, and which output of the library has the same."""

    where: str
    values: np.ndarray
    output: str
    layer: int = 0

    def off(self, want: Any) -> float:
        """How far they are from the library's."""
        return apart(self.values, self.of(want), self.output.endswith("attentions"))

    def of(self, want: Any) -> np.ndarray:
        """The same numbers of the library's."""
        found = want[self.output]
        found = found[0] if self.output == "logits" else found[self.layer][0]
        values: np.ndarray = found.numpy()
        return values


def validate(folder: Path, ours: Any) -> list[str]:
    """What is to be said of the comparison, a sentence each.

    ours  the model that was made of the checkpoint in the folder

    ValueError with the first layer where they part.
    """
    import psutil

    if ours.card.id in OBSERVED:  # its numbers are the library's own
        return []
    need = BYTES * sum(p.numel() for p in ours.net.parameters()) / 1e9
    if need > (free := psutil.virtual_memory().available / 1e9):
        return [
            _(
                "It was not compared with its library's own forward pass: that needs {need:.1f} GB of"
                " memory and {free:.1f} GB are free.",
                need=need,
                free=free,
            )
        ]
    try:
        wrong = first_apart(ours, library_model(folder, ours), exactly=free > 3 * need)
    except Exception as error:  # the library's code has many names for what is wrong
        return [
            _(
                "It could not be compared with its library's own forward pass: {said}",
                said=sentence(error, 200),
            )
        ]
    if wrong is not None:
        raise refusal(
            "the checkpoint can't be shown: what its library computes and what is computed here"
            " part at {where}, by {off:.1e}",
            where=wrong[0],
            off=wrong[1],
        )
    return []


def first_apart(ours: Any, theirs: Any, exactly: bool = True) -> tuple[str, float] | None:
    """(where, how far) our model and the library's part first; None where rounding is all that
    parts them.  `exactly`: whether there is memory for a pass in float64, should it be needed."""
    read = [parts(ours, text) for text in (PAIRS if ours.card.id == "encoder_decoder" else TEXTS)]
    single = [answers(theirs, given) for given, _parts in read]
    offs = [
        [part.off(want) for part in found] for (_g, found), want in zip(read, single, strict=True)
    ]
    if all(off <= CLOSE for row in offs for off in row):
        return None
    theirs = theirs.double() if exactly else theirs
    for (given, found), row, want in zip(read, offs, single, strict=True):
        exact = answers(theirs, given) if exactly else want
        for part, off in zip(found, row, strict=True):
            rounding = apart(part.of(want), part.of(exact), part.output.endswith("attentions"))
            if not off <= max(CLOSE, ROUNDED * rounding):
                return part.where, off
    return None


def library_model(folder: Path, ours: Any) -> Any:
    """The library's model of a checkpoint, with the weights as they are read here."""
    import torch
    import transformers as library

    if ours.card.id == "transformer":
        classes: Any = library.MODEL_FOR_CAUSAL_LM_MAPPING
    elif ours.card.id == "encoder_decoder":
        classes = library.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    elif ours.config.detects:
        classes = library.MODEL_FOR_PRETRAINING_MAPPING
    else:
        masked = ours.config.masked
        classes = library.MODEL_FOR_MASKED_LM_MAPPING if masked else library.MODEL_MAPPING
    family, config = checkpoint.family_of(folder), checkpoint.config_of(folder)
    vars(config).pop("quantization_config", None)
    with ExitStack() as stack:
        weights = Weights(folder, families.get(family), stack)
        state = {name: weights.read(name) for name in weights.shapes}
    library.logging.disable_progress_bar()
    how = {"attn_implementation": "eager", "dtype": torch.float32}
    return (
        classes[type(config)].from_pretrained(None, config=config, state_dict=state, **how).eval()
    )


def answers(theirs: Any, given: dict[str, Any]) -> Any:
    """What the library's model gives out."""
    import torch

    with torch.no_grad():
        return theirs(**given, output_hidden_states=True, output_attentions=True, return_dict=True)


def parts(ours: Any, text: str) -> tuple[dict[str, Any], list[Part]]:
    """(what the library is to read, all that is compared of a text from the first layer on)."""
    import torch

    tokens = ours.tokens(text)
    trace = ours.trace(text, tokens=tokens)
    ids = torch.from_numpy(trace.ids.copy())[None]
    towers, given = ONE, {"input_ids": ids}
    if ours.card.id == "encoder_decoder":
        source = torch.from_numpy(tokens.source.ids.copy())[None]
        towers, given = BOTH, {"input_ids": source, "decoder_input_ids": ids}
    found = [part for prefix, names in towers.items() for part in _of_tower(trace, prefix, *names)]
    if (values := _logits(ours, trace)) is not None:
        found.append(Part(_("the logits"), values, "logits"))
    return given, found


def _of_tower(
    trace: Trace, prefix: str, streams: str, attentions: str, across: str
) -> Iterator[Part]:
    of = _(" of the encoder") if prefix else ""
    stream_LTD = trace.field(f"{prefix}residual.before").values
    last_TD = trace.field(f"{prefix}residual").values[-1]
    yield Part(_("the embeddings{of}", of=of), stream_LTD[0], streams)
    for i in range(depth := len(stream_LTD)):
        where = _("the attention weights of layer {n}{of}", n=i + 1, of=of)
        yield Part(where, trace.field(f"{prefix}attention").values[i], attentions, i)
        if across:
            where = _("the attention weights of layer {n} to the source", n=i + 1)
            yield Part(where, trace.field("cross.attention").values[i], across, i)
        where = _("layer {n}{of}", n=i + 1, of=of)
        if i + 1 < depth:
            yield Part(where, stream_LTD[i + 1], streams, i + 1)
        elif f"{prefix}norm.deviation" not in trace:
            yield Part(where, last_TD, streams, depth)


def _logits(ours: Any, trace: Trace) -> np.ndarray | None:
    import torch

    if "logits" in trace:
        return trace.field("logits").values
    last_TD = torch.from_numpy(trace.field("residual").values[-1].copy())
    with torch.no_grad():
        if (norm := ours.tower.norm) is not None:
            last_TD = norm(last_TD)
        if ours.reads_out:
            found = ours.read_out(last_TD[None])[0]
        elif ours.config.detects:
            found = ours.net.detect(last_TD)
        else:
            return None
    read: np.ndarray = found.numpy()
    return read


def apart(a: np.ndarray, b: np.ndarray, weights: bool) -> float:
    """The largest difference: of weights as it is, else as a share of the largest number of each
    token's."""
    size_T = 1.0 if weights else np.maximum(np.abs(b).max(-1), TINY)
    return float((np.abs(a - b).max(-1) / size_T).max())
