"""Shapes: other tasks for a trained recurrent language model, told apart by what goes in and what
comes out.

What      one to one: P(next | this token alone), from a state of zeros; one to many: a sequence
          drawn from one token; many to many, delayed: a translator reads a text to its end, then
          writes
Source    Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (the shapes)
Shapes    T = tokens, V = vocabulary, N = tokens written
Differs   A language model was trained to read whole texts.  Nothing here is trained again: only
          what it is given changes.  A translator is shown as it was trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from engine.analysis import decode
from engine.core.cache import Cache
from engine.core.tap import Recorder, Tap
from engine.core.trace import Field, FieldSpec, Kind
from engine.models.abilities import HasNet
from engine.models.base import Model, Progress, Weights
from engine.models.translating import TranslatingModel
from engine.nn import silence
from engine.text.tokenizers.base import Tokens

KEPT = 200  # tokens whose answers are kept
WRITTEN = 40  # tokens of a translation


class Shaped(Model[Any]):
    """A trained model in another role; it answers with one distribution (token, next) in the field
    `says`."""

    says: FieldSpec

    def __init__(self, model: Model[Any]) -> None:
        self.model, self.config, self.tokenizer = model, model.config, model.tokenizer
        self._answers: Cache[int, Any] = Cache("answers", lambda answer: 1, most=KEPT)

    @classmethod
    def fit(
        cls,
        text: str,
        config: Any,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> Iterator[Progress]:
        raise TypeError("this is a role of a trained model; train the model itself")

    @classmethod
    def from_weights(cls, config: Any, weights: Weights) -> Self:
        raise TypeError("this is a role of a trained model; open the model itself")

    def weights(self) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = self.model.weights()
        return found

    def spec(self) -> tuple[FieldSpec, ...]:
        return (self.says,)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {"token": tokens.labels, "next": self.tokenizer.vocab}

    def answer(self, id: int) -> Any:
        """What follows from one token; the last KEPT ones are remembered."""
        return self._answers.made(id, lambda: self._work(id))

    def _work(self, id: int) -> Any:
        raise NotImplementedError

    def _step(
        self, id: int, state: Mapping[str, np.ndarray] | None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(p_V, the state after it) of one token behind `state`, or behind nothing."""
        label = self.tokenizer.vocab[id]
        recorder, one = (
            Recorder(fields={*self.model.carries, "probability"}),
            Tokens(np.array([id], np.int64), (label,), ((0, 0),)),
        )
        if state is None:
            self.model.run(one, recorder)
        else:
            self.model.go_on(one, state, recorder)
        found = {
            f.spec.name: f.values
            for f in recorder.fields(self.model.spec(), self.model.labels(one))
            if isinstance(f, Field)
        }
        return found["probability"][0], {name: found[name] for name in self.model.carries}


class OneToOne(Shaped):
    """Each token is read alone: no state comes in, none goes on."""

    says = FieldSpec(
        "alone",
        Kind.PROBABILITY,
        ("token", "next"),
        "What is expected after each token, read alone.",
        "P",
    )

    def tokens(self, text: str) -> Tokens:
        found: Tokens = self.model.tokens(text)
        return found

    def lead(self, start: int) -> int:
        return start

    def run(self, tokens: Tokens, tap: Tap) -> None:
        tap(
            self.says.name,
            np.stack([self.answer(id) for id in tokens.ids.tolist()]),
            ("token", "next"),
        )

    def _work(self, id: int) -> np.ndarray:
        return self._step(id, None)[0]


@dataclass(frozen=True, slots=True)
class Written:
    """ids (N + 1,) with the seed first; p_NV what was expected behind each of them."""

    ids: tuple[int, ...]
    p_NV: np.ndarray


class OneToMany(Shaped):
    """The last token of the text is the seed; its tokens are the seed and what is written from it.

    feeds  whether each token that is written is read next; otherwise nothing is read after the seed
    """

    def __init__(self, model: HasNet[Any], steps: int, seed: int, feeds: bool) -> None:
        super().__init__(model)
        self._net = model.net
        self.steps, self.seed, self.feeds = steps, seed, feeds
        said = "what was written is read again" if feeds else "nothing more is read"
        self.says = FieldSpec(
            "fed" if feeds else "unfed",
            Kind.PROBABILITY,
            ("token", "next"),
            f"What is expected at each step; after the first, {said}.",
            "P",
        )

    def tokens(self, text: str) -> Tokens:
        read: Tokens = self.model.tokens(text)
        if not len(read):
            return read
        written = self.answer(int(read.ids[-1]))
        labels = (read.labels[-1], *(self.tokenizer.vocab[i] for i in written.ids[1:]))
        ids = np.array(written.ids, np.int64)
        return Tokens(
            ids,
            labels,
            (read.spans[-1],) * len(ids),
            tuple(np.flatnonzero(ids == self.tokenizer.unknown).tolist()),
        )

    def run(self, tokens: Tokens, tap: Tap) -> None:
        tap(self.says.name, self.answer(int(tokens.ids[0])).p_NV[: len(tokens)], ("token", "next"))

    def _work(self, id: int) -> Written:
        rng = np.random.default_rng(self.seed)
        p_V, state = self._step(id, None)
        ids, rows = [id], [p_V]
        quiet_NV = None if self.feeds else silence.goes_on(self._net, state, self.steps)
        for step in range(self.steps):
            ids.append(decode.draw(self._allowed(rows[-1]), rng))
            if quiet_NV is None:
                p_V, state = self._step(ids[-1], state)
            rows.append(p_V if quiet_NV is None else quiet_NV[step])
            if ids[-1] == self.tokenizer.boundary:
                break
        return Written(tuple(ids), np.stack(rows).astype(np.float32))

    def _allowed(self, p_V: np.ndarray) -> np.ndarray:
        """The sign for an unknown word can't be written."""
        if self.tokenizer.unknown < 0:
            return p_V
        allowed_V = p_V.copy()
        allowed_V[self.tokenizer.unknown] = 0
        return allowed_V


class Delayed(Shaped):
    """A translator: its tokens are those of the source, the start mark, and what it writes, each
    word likeliest, without the end mark, which is its last answer."""

    says = FieldSpec(
        "delayed",
        Kind.STATE,
        ("token", "next"),
        "What is expected next, from the start mark on; nothing before it, while the text is read.",
        "P",
    )

    def __init__(self, model: TranslatingModel[Any]) -> None:
        super().__init__(model)
        self._translator = model

    @property
    def start(self) -> str:
        """The mark behind which the answer begins."""
        return self.tokenizer.vocab[self._translator.start]

    def tokens(self, text: str) -> Tokens:
        """Of a text without a word there are none.  What stands behind the first line is left
        out."""
        source = self._translator.tokens(text).source
        if source is None or len(source) < 2:
            return Tokens(np.array([], np.int64), (), ())
        ids = self._written(source.ids)
        vocab, last = self.tokenizer.vocab, source.spans[-2]
        read = [self._translator.start, *ids[:-1]]
        return Tokens(
            np.concatenate((source.ids, np.array(read, np.int64))),
            (*source.labels, *(vocab[id] for id in read)),
            (*source.spans[:-1], *[last] * (1 + len(read))),
            source.unknown,
        )

    def run(self, tokens: Tokens, tap: Tap) -> None:
        import torch

        p_TV = np.zeros((len(tokens), len(self.tokenizer.vocab)), np.float32)
        if len(tokens):
            halves, ids = self._translator.halves, torch.from_numpy(tokens.ids)[None]
            behind = tokens.labels.index(self.start)
            device = next(halves.parameters()).device
            with torch.inference_mode():
                made = halves.read(ids[:, :behind].to(device))
                logit_1NV = halves.write(ids[:, behind:].to(device), made)
            p_TV[behind:] = logit_1NV[0].float().softmax(-1).cpu().numpy()
        tap(self.says.name, p_TV, ("token", "next"))

    def _written(self, ids_S: np.ndarray) -> list[int]:
        """WRITTEN at most; the last of a translation that ends is the end mark."""
        import torch

        device = next(self._translator.net.parameters()).device

        def work() -> list[int]:
            found: list[list[int]] = self._translator.translated(
                torch.from_numpy(ids_S)[None].to(device), WRITTEN
            )
            return found[0]

        made: list[int] = self._answers.made(hash(ids_S.tobytes()), work)
        return made
