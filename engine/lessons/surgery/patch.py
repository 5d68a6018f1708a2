"""Activation patching: one number of a clean run is put into the run of a corrupted text; how much
of the clean answer comes back?

What      score m = logit(clean answer) - logit(corrupted answer)
          after the last token;
          restored = (m patched - m corrupted) / (m clean - m corrupted): 0 as corrupted, 1 as clean
Source    Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation Analysis,
          2020; Meng et al., Locating and Editing Factual Associations in GPT, 2022, sec. 2; Zhang &
          Nanda, Towards Best Practices of Activation Patching, 2024
Shapes    B = patches in one run, T = tokens, L = layers, N = heads, D = width, K = width of a head,
          V = vocabulary
Differs   One run patches up to `BATCH` places: the embeddings are repeated, and each copy gets its
          own patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from engine.core.trace import Trace
from engine.language.message import refusal
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from engine.models.abilities import Attends

PARTS = {
    "residual": "stream",
    "attention.output": "attention",
    "feed_forward.output": "feed-forward",
    "reading": "one head",
}
BATCH_NUMBERS = 2_000_000  # of logits and of weights that one run may hold
Place = tuple[int, int]  # (layer, token), for `reading` (layer, head)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of as many tokens, what the model answers after each, and how far apart the answers
    are.

    answers  ids: of the clean text, of the corrupted one
    logit, p (2, 2): [clean, corrupted run] x [clean, corrupted answer]
    """

    clean: Trace
    corrupted: Trace
    tokens: Tokens
    answers: tuple[int, int]
    logit: np.ndarray
    p: np.ndarray

    @property
    def differs(self) -> list[int]:
        """Where the tokens are not the same."""
        return np.flatnonzero(self.clean.ids != self.corrupted.ids).tolist()

    @property
    def labels(self) -> list[str]:
        """Tokens; both where they are not the same."""
        tokens = zip(self.clean.tokens, self.corrupted.tokens, strict=True)
        return [a if a == b else f"{a}|{b.strip()}" for a, b in tokens]

    def restored(self, logit_B2: np.ndarray) -> np.ndarray:
        """How much of the clean answer each patched run brings back (B,)."""
        whole, none = (self.logit[i, 0] - self.logit[i, 1] for i in (0, 1))
        found: np.ndarray = (logit_B2[:, 0] - logit_B2[:, 1] - none) / (whole - none)
        return found


def pair(model: Attends[Any], clean: str, corrupted: str) -> Pair:
    """Run both.  ValueError, with a sentence for the reader, where they have other numbers of tokens,
    are the same, or end in the same answer."""
    both = [model.tokens(text) for text in (clean, corrupted)]
    a, b = map(len, both)
    if a != b:
        raise refusal(
            "The clean text has {a} tokens, the corrupted one {b}: a patch needs a place in both."
            " Change a word until they are equal.",
            a=a - 1,
            b=b - 1,
        )
    if model.context is not None and a > model.context:
        raise refusal(
            "The texts have {a} tokens, and the model looks back over {model.context}: shorten"
            " both."
        )
    if (both[0].ids == both[1].ids).all():
        raise ValueError("Both texts are the same: there is nothing to restore.")
    fields = ("logits", "probability", *PARTS)
    traces = [model.trace(text, fields=fields) for text in (clean, corrupted)]
    logit_2V, p_2V = (
        np.stack([t.field(name).values[-1] for t in traces]).astype(float)
        for name in ("logits", "probability")
    )
    first, second = int(p_2V[0].argmax()), int(p_2V[1].argmax())
    if first == second:
        raise refusal(
            "After both texts the model answers “{vocab}”: choose texts that it answers"
            " differently.",
            vocab=model.tokenizer.vocab[first],
        )
    chosen = [first, second]
    return Pair(
        traces[0], traces[1], both[1], (first, second), logit_2V[:, chosen], p_2V[:, chosen]
    )


class _Patches:
    """A tap that repeats the text for every place and puts the clean number there."""

    def __init__(
        self,
        name: str,
        clean: np.ndarray,
        places: list[Place],
        chosen: tuple[int, int],
        layer: int | None = None,
    ) -> None:
        self.name, self.clean, self.places, self.chosen, self.layer = (
            name,
            clean,
            places,
            chosen,
            layer,
        )
        self.kept: dict[str, np.ndarray] = {}

    def at(self, **index: int) -> _Patches:
        child = _Patches(self.name, self.clean, self.places, self.chosen, index.get("layer"))
        child.kept = self.kept
        return child

    def __call__(self, name: str, value: Tensor, axes: tuple[str, ...]) -> Tensor:
        if name == "embedding.token":
            return value.expand(len(self.places), *value.shape[1:])
        if name == self.name and any(layer == self.layer for layer, __ in self.places):
            value = value.clone()
            for b, (layer, at) in enumerate(self.places):
                if layer == self.layer:
                    value[b, at] = torch.from_numpy(np.array(self.clean[layer, at])).to(value)
        if name == "logits":
            self.kept[name] = value[:, -1, list(self.chosen)].float().cpu().numpy().astype(float)
        return value

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        return None

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        return None

    def in_loop(self, name: str, axes: tuple[str, ...]) -> None:
        return None

    def switch(self, name: str, axes: tuple[str, ...]) -> None:
        return None

    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None:
        return None

    def wants(self, name: str) -> bool:
        return name == "probability"

    def edits(self, *names: str) -> bool:
        return self.name in names

    def window(self, count: int) -> tuple[int, int]:
        return 0, count


def patched(model: Attends[Any], both: Pair, name: str, places: list[Place]) -> np.ndarray:
    """Logits (B, 2) of both answers after the last token, with the clean number of `name` at each place.

    places  (layer, token), or (layer, head) for `reading`, which is then patched at all tokens
    """
    tap = _Patches(name, both.clean.field(name).values, places, both.answers)
    model.run(both.tokens, tap)
    return tap.kept["logits"]


def sweep(model: Attends[Any], both: Pair, name: str) -> Iterator[tuple[list[Place], np.ndarray]]:
    """Every place of a field, some at a time: the places, and the logits (B, 2) of both answers.
    KeyError for no such part."""
    layers, columns = both.clean.field(name).values.shape[:2]
    assert PARTS[name]
    every = [(layer, at) for layer in range(layers) for at in range(columns)]
    each = len(both.clean.ids) * (
        len(model.tokenizer.vocab) + len(both.clean.ids) * model.tower.design.heads
    )
    size = max(1, min(64, BATCH_NUMBERS // each))
    for first in range(0, len(every), size):
        some = every[first : first + size]
        yield some, patched(model, both, name, some)
