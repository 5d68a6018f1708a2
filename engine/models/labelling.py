"""What the models that label words or sentences share: words, a net, and a choice among few labels.

What      after each token one distribution p_t over the labels
Shapes    B = batch, T = tokens, F = rows of one word, D = width, K = labels
Differs   The examples of a batch are equally long, so nothing is padded and no layer ever reads an
          empty place.
          In training some known words are read as unknown, so that their pieces learn to stand for
          them.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.tap import Tap
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.abilities import HasNet, Labels
from engine.models.base import Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.neural import cost_of, report
from engine.nn import loop, wordform
from engine.nn.cost import blank
from engine.nn.meta_init import unfilled
from engine.text.segmentation import TOKENS
from engine.text.tokenizers.base import Tokens, passages, split
from engine.text.tokenizers.words import START, Words

START_ID = 1


class LabellingConfig(Protocol):
    """What the shared part reads from a config; read-only, as configs are frozen."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def vocabulary(self) -> int: ...
    @property
    def unknown(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def batch(self) -> int: ...
    @property
    def span(self) -> int: ...
    @property
    def rate(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Example:
    """Words of one line, and the label that is right after each of them."""

    words: tuple[str, ...]
    labels: tuple[str, ...]

    def first(self, count: int) -> Example:
        """Its beginning, at most so many words."""
        return Example(self.words[:count], self.labels[:count])


C = TypeVar("C", bound=LabellingConfig)


class LabellingModel(Labels[C], HasNet[C]):
    """A file of this folder says how a line of its text is read, and which net reads it."""

    says: ClassVar[FieldSpec]  # the distribution over the labels, (token, ...)
    stepwise = True
    tokenizer: Words
    start: ClassVar[bool] = False  # whether it answers before the first word too
    per_word: ClassVar[int] = 1  # rows of one word

    def __init__(self, config: C, tokenizer: Words, names: tuple[str, ...], net: nn.Module) -> None:
        self.config, self.tokenizer, self.names, self.net = config, tokenizer, names, net.eval()
        self._known = _numbers(tokenizer)

    @classmethod
    @abstractmethod
    def parse(cls, line: str) -> Example:
        """One line of the training text.  ValueError that says what was found, without the number
        of the line."""

    @classmethod
    @abstractmethod
    def build(cls, config: C, v: int, k: int = 2) -> nn.Module:
        """The untrained net for a vocabulary of `v` words and `k` labels: from rows (B, T, F) to
        logits (B, T, K)."""

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        examples = cls.read("\n".join(lines)).values()
        words = {wordform.normal(word) for example in examples for word in example.words}
        labels = {label for example in examples for label in example.labels}
        tokens = sum(len(example.words) for example in examples)
        return Cut(tokens, min(len(words), config.vocabulary - 3) + 3, len(labels))

    @classmethod
    def cost(cls, config: C, found: Cut) -> Cost:
        with unfilled():
            net = cls.build(config, found.vocabulary, found.labels)
        return cost_of(net, config, lambda span: net(blank(config, span, cls.per_word)))

    @classmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        if not passages(text):
            raise ValueError("nothing to learn from: the text has no line")
        examples = cls.read(text)
        lines, held_out = split(passages(text), seed)
        if resume:
            tokenizer, names = _restored(resume)
        else:
            tokenizer = _vocabulary((examples[line] for line in lines), config.vocabulary)
            names = tuple(sorted({label for line in lines for label in examples[line].labels}))
        if len(names) < 2:
            raise refusal(
                "there is only one label to learn, {names[0]!r}; a model needs two to choose between"
            )
        torch.manual_seed(seed)
        net = cls.build(config, len(tokenizer.vocab), len(names))
        model, by_length = cls(config, tokenizer, names, net), defaultdict(list)
        for line in lines:
            rows_TF, target_T = model.numbered(examples[line].first(config.span - cls.start))
            by_length[len(rows_TF)].append((rows_TF, target_T))
        lengths, count = list(by_length), np.array([len(some) for some in by_length.values()])

        def draw(step: int) -> tuple[Tensor, Tensor]:
            rng = np.random.default_rng((seed, step))
            some = by_length[lengths[rng.choice(len(lengths), p=count / count.sum())]]
            chosen = [some[i] for i in rng.permutation(len(some))[: config.batch]]
            rows_BTF = np.stack([rows for rows, _ in chosen])
            rows_BTF[..., 0][rng.random(rows_BTF.shape[:2]) < config.unknown] = 0
            return torch.from_numpy(rows_BTF), torch.from_numpy(
                np.stack([targets for _, targets in chosen])
            )

        def judge() -> dict[str, float]:
            found = model.judge(held_out)
            net.train()
            return {
                f"held_out_{name}": found[name] for name in ("nats", "accuracy") if name in found
            }

        plan, state = loop.Plan.of(config), _state(tokenizer, names)
        for step in loop.descend(
            net, draw, plan, judge=judge, seed=seed, device=device, resume=resume
        ):
            yield report(step, step.metrics, model, state)

    @classmethod
    def read(cls, text: str) -> dict[str, Example]:
        """What each line says, by the line.  ValueError that names the first line which says
        nothing."""
        found: dict[str, Example] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip() and line not in found:
                try:
                    found[line] = cls.parse(line)
                except ValueError as problem:
                    raise refusal(
                        "line {number}, {line!r}: {said}; write it like {sample!r}",
                        number=number,
                        line=line if len(line) <= 60 else f"{line[:60]}…",
                        said=problem,
                        sample=cls.sample.splitlines()[0],
                    ) from None
        return found

    def numbered(self, example: Example) -> tuple[np.ndarray, np.ndarray]:
        """Rows (T, F) and targets (T,) of an example; -100 for a label that training never saw."""
        words = ((START,) if self.start else ()) + example.words
        labels = example.labels[:1] * self.start + example.labels
        number = {name: k for k, name in enumerate(self.names)}
        targets = np.array([number.get(label, -100) for label in labels], np.int64)
        return self.rows(words), targets

    def rows(self, words: Sequence[str]) -> np.ndarray:
        """Rows (T, F) of words: the number of each, 0 where it is not known."""
        found = [self._known.get(wordform.normal(word), 0) for word in words]
        return np.array(found, np.int64)[:, None]

    @torch.inference_mode()
    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """How well lines of training text are labelled: examples read whole, answers counted by
        `counts`."""
        self.net.eval()
        device, right, total, nats, seen = (
            next(self.net.parameters()).device,
            0,
            0,
            0.0,
            Counter[int](),
        )
        for example in map(self.parse, lines):
            rows_TF, target_T = self.numbered(example)
            logit_TK = self.net(torch.from_numpy(rows_TF)[None].to(device))[0].cpu()
            at = [t for t in self.counts(len(target_T)) if target_T[t] >= 0]
            right += int((logit_TK.argmax(-1).numpy()[at] == target_T[at]).sum())
            total += len(at)
            nats -= float(logit_TK.log_softmax(-1)[at, target_T[at]].sum())
            seen.update(target_T[at].tolist())
        if not total:
            return {}
        most = seen.most_common(1)[0][1]
        return {
            "answers": total,
            "accuracy": right / total,
            "commonest_label": most / total,
            "nats": nats / total,
        }

    def counts(self, length: int) -> range:
        """The positions whose answers are counted."""
        return range(length)

    def tokens(self, text: str) -> Tokens:
        """Words and signs; an ending with an apostrophe is cut off a word that is not known, where
        the ending is: do|n't."""
        found = []
        for start, stop in self.tokenizer.rule.spans(text):
            if (word := text[start:stop]) == "\n":
                continue
            cut = self._ending(normal) if "'" in (normal := wordform.normal(word)) else 0
            found += (
                [(start, stop - cut), (stop - cut, stop)]
                if 0 < cut < len(normal) == stop - start
                else [(start, stop)]
            )
        labels = tuple(text[a:b] for a, b in found)
        ids = np.array([self._known.get(wordform.normal(word), 0) for word in labels], np.int64)
        made = Tokens(ids, labels, tuple(found), tuple(np.flatnonzero(ids == 0).tolist()))
        return made.after(START_ID, START) if self.start else made

    def _ending(self, word: str) -> int:
        """The length of the longest known ending with an apostrophe; 0 where the word is known as
        it is."""
        ends = () if word in self._known else range(1, word.index("'") + 1)
        return next((len(word) - i for i in ends if word[i:] in self._known), 0)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {"token": tokens.labels, self.says.axes[-1]: self.names}

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        device = next(self.net.parameters()).device
        logit_BTK = self.net(torch.from_numpy(self.rows(tokens.labels))[None].to(device), tap)
        tap(self.says.name, logit_BTK.softmax(-1), ("batch", *self.says.axes))

    def to(self, device: str) -> Self:
        self.net.to(device)
        return self

    def weights(self) -> dict[str, np.ndarray]:
        return {k: v.detach().cpu().numpy() for k, v in self.net.state_dict().items()} | _state(
            self.tokenizer, self.names
        )

    @classmethod
    def from_weights(cls, config: C, weights: Weights) -> Self:
        tokenizer, names = _restored(weights)
        net = cls.build(config, len(tokenizer.vocab), len(names))
        arrays = {
            k: torch.from_numpy(np.array(v, np.float32))
            for k, v in weights.items()
            if k not in ("tokenizer", "names")
        }
        net.load_state_dict(arrays, assign=True)
        return cls(config, tokenizer, names, net)


def pieces(text: str) -> list[str]:
    """Words and signs of a text, as they are learned from."""
    return [word for word in TOKENS.findall(text) if word != "\n"]


def _vocabulary(examples: Iterator[Example], size: int) -> Words:
    counts = Counter(wordform.normal(word) for example in examples for word in example.words)
    return Words(sorted(counts, key=lambda w: (-counts[w], w))[: size - 3], lowercase=True)


def _numbers(tokenizer: Words) -> dict[str, int]:
    return {word: i for i, word in enumerate(tokenizer.vocab)}


def _state(tokenizer: Words, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    return {
        "tokenizer": np.frombuffer(tokenizer.state(), np.uint8),
        "names": np.frombuffer(json.dumps(names).encode(), np.uint8),
    }


def _restored(weights: Weights) -> tuple[Words, tuple[str, ...]]:
    words, names = (np.asarray(weights[name]).tobytes() for name in ("tokenizer", "names"))
    return Words.from_state(words), tuple(json.loads(names))
