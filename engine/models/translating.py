"""What the models that translate share: pairs of texts, a source read whole, a target written token
by token, exactness.

What      P(target | source) = product over t of P(y_t | y_1 .. y_t-1, source), each learned from
          the right tokens before it
Source    Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014, sec. 2;
          the right tokens before (teacher forcing): Williams & Zipser, A Learning Algorithm for
          Continually Running Fully Recurrent Neural Networks, 1989
Shapes    B = batch, S = source tokens, T = target tokens, L = the longer of both, V = vocabulary
Differs   One vocabulary for both languages.  A text is the source, a tab, a line break or =>, and
          what is written of the target so far.  The source ends in an end mark; what is longer than
          `context` is cut there.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.registry import tokenizers
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.abilities import Translates
from engine.models.base import Corpus, Progress, Weights
from engine.models.cost import Cut
from engine.models.neural import (
    NeuralConfig,
    NeuralLanguageModel,
    perplexity,
    report,
    state_of,
    tokenizer_of,
)
from engine.nn import loop
from engine.nn.cost import blank
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split
from engine.text.tokenizers.words import start_of

# what stands between the source and the target; blanks are tried once, from the first of them
BETWEEN = re.compile(r"(?:(?<! ) ++)?(?:\t|\n|=>) *")
NOTHING = -100  # a target that does not count
TOGETHER = 64  # lines that are translated at a time
JUDGED = 200  # held-out pairs that are translated while training goes on
SAMPLE = (
    "the black cat sat\tle chat noir s'est assis\nthe old dog sat\tle vieux chien s'est assis\n"
    "the cat saw the dog\tle chat a vu le chien\nthe dog ate\tle chien a mangé\n"
)

Choose = Callable[[Tensor], Tensor]  # the next tokens (B,) of logits (B, V)


def likeliest(logit_BV: Tensor) -> Tensor:
    return logit_BV.argmax(-1)


class TranslatingConfig(NeuralConfig, Protocol):
    @property
    def context(self) -> int: ...
    @property
    def layers(self) -> int: ...


C = TypeVar("C", bound=TranslatingConfig)


class TranslatingNet(nn.Module):
    """One part reads the source, the other writes the target from what the first one made of it."""

    @abstractmethod
    def read(self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None) -> Any:
        """What is made of the source; `real_BS` is false where a row is filled up."""

    @abstractmethod
    def write(
        self, target_BT: Tensor, read: Any, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Tensor:
        """Logits (B, T, V) of what follows each target token, from what `read` gave.  Nothing looks
        at what comes later."""

    def forward(self, ids_2BL: Tensor) -> Tensor:
        """Logits (B, L, V) of training pairs: source and target input one above the other, -1 where
        there is nothing, and below them what `tossed` adds."""
        source_BS, target_BT, *more = ids_2BL
        if source_BS.device.type == "cpu":  # a GPU would have to be waited for
            source_BS = source_BS[:, : int((source_BS >= 0).sum(1).max())]
        real_BS = source_BS >= 0
        read = self.read(source_BS.clamp(min=0), real_BS=real_BS)
        return self.taught(read, real_BS, target_BT.clamp(min=0), *more)

    def taught(self, read: Any, real_BS: Tensor, target_BT: Tensor, *more: Tensor) -> Tensor:
        """`write` as in training."""
        return self.write(target_BT, read, real_BS=real_BS)


class TranslatingModel(NeuralLanguageModel[C], Translates[C]):
    """A file of this folder says what its net is made of and which numbers it shows."""

    corpus = Corpus.PARALLEL
    sample = SAMPLE
    anew: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of parameters that a training may go on without."""
    foretells = False  # what comes next is of the target, which a text need not have

    def __init__(self, config: C, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        self.start = (
            tokenizer.opening if tokenizer.opening != tokenizer.boundary else start_of(tokenizer)[0]
        )
        self.forced = (tokenizer.forced,) if tokenizer.forced >= 0 else ()

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def halves(self) -> TranslatingNet:
        assert isinstance(self.net, TranslatingNet)
        return self.net

    @staticmethod
    def alike(source: int, target: int) -> int:
        """Pairs of the same number are drawn together; from the numbers of their tokens."""
        return (source + target) // 4

    @classmethod
    def loss_of(cls, config: C) -> loop.Loss | None:
        """What is made of the net's answer in training, where it is not cross-entropy."""
        return None

    @classmethod
    def tossed(cls, x_2BL: Tensor, config: C, step: int, rng: np.random.Generator) -> Tensor:
        """The input of a step of training, with what is drawn for it besides."""
        return x_2BL

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        return super().cut([side for line in lines for side in line.split("\t")], config)

    @classmethod
    def logits(cls, net: nn.Module, config: C, span: int) -> Tensor:
        assert isinstance(net, TranslatingNet)
        ids_BT = blank(config, span)
        return net.write(ids_BT, net.read(ids_BT))

    @classmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        if not passages(text):
            raise ValueError("nothing to learn from: the text has no line")
        pairs = {
            line: pair_of(number, line)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        }
        lines, held_out = split(passages(text), seed)
        if resume:
            tokenizer = tokenizer_of(config, resume)
        else:
            tokenizer = tokenizers.get(config.tokenizer).fit(
                [side for line in lines for side in pairs[line]], config.vocabulary
            )
        torch.manual_seed(seed)
        net = cls.build(config, len(tokenizer.vocab))
        model = cls(config, tokenizer, net)
        if resume:
            resume = {
                **{
                    f"net.{name}": p.detach().numpy()
                    for name, p in net.named_parameters()
                    if name.startswith(cls.anew)
                },
                **resume,
            }
        buckets: dict[int, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
        for source, target in model.numbered([pairs[line] for line in lines]):
            buckets[cls.alike(len(source), len(target))].append(
                (source[: config.span], target[: config.span])
            )
        sizes = np.array([len(some) for some in buckets.values()])

        def draw(step: int) -> tuple[Tensor, Tensor]:
            rng = np.random.default_rng((seed, step))
            some = list(buckets.values())[rng.choice(len(buckets), p=sizes / sizes.sum())]
            x_2BL, y_BL = model.batch([some[i] for i in rng.permutation(len(some))[: config.batch]])
            return cls.tossed(x_2BL, config, step, rng), y_BL

        def judge() -> dict[str, float]:
            found = model.judge(held_out[:JUDGED])
            net.train()
            told = {f"held_out_{name}": found[name] for name in ("nats", "exact") if name in found}
            return told | (perplexity(found["nats"]) if told else {})

        plan, state = loop.Plan.of(config), state_of(tokenizer)
        for step in loop.descend(
            net,
            draw,
            plan,
            judge=judge,
            seed=seed,
            device=device,
            resume=resume,
            loss_of=cls.loss_of(config),
            axis=1,
        ):
            yield report(step, step.metrics, model, state)

    def numbered(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Source and target ids of each pair, both with their end mark."""
        read = self.tokenizer.ids([source for source, _target in pairs])
        written = self.tokenizer.target.ids([target for _source, target in pairs])
        end = self.tokenizer.boundary
        return [
            (
                np.array([*self.tokenizer.leads, *source, end]),
                np.array([*self.forced, *target, end]),
            )
            for source, target in zip(read, written, strict=True)
        ]

    def batch(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[Tensor, Tensor]:
        """Input (2, B, L) and targets (B, L): the decoder reads the target one place late, behind
        the start mark (teacher forcing)."""
        b, longest = len(pairs), max(len(ids) for pair in pairs for ids in pair)
        x_2BL, y_BL = (
            np.full((2, b, longest), -1, np.int64),
            np.full((b, longest), NOTHING, np.int64),
        )
        for i, (source, target) in enumerate(pairs):
            x_2BL[0, i, : len(source)] = source
            x_2BL[1, i, : len(target)] = np.append(self.start, target[:-1])
            y_BL[i, : len(target)] = target
        return torch.from_numpy(x_2BL), torch.from_numpy(y_BL)

    @torch.inference_mode()
    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """Nats per target token, and the share of lines that greedy decoding translates word for
        word."""
        self.net.eval()
        pairs = self.numbered([pair_of(number, line) for number, line in enumerate(lines, 1)])
        nats, tokens, exact = 0.0, 0, 0
        for first in range(0, len(pairs), 256):
            some = [
                (source[: self.config.context], target[: self.config.context])
                for source, target in pairs[first : first + 256]
            ]
            logit_BLV, y_BL = self._taught(some)
            nats += F.cross_entropy(logit_BLV.flatten(0, 1), y_BL.flatten(), reduction="sum").item()
            tokens += int((y_BL != NOTHING).sum())
            exact += int(_right(logit_BLV, y_BL).sum())
        return (
            {"pairs": len(pairs), "nats": nats / tokens, "exact": exact / len(pairs)}
            if tokens
            else {}
        )

    @torch.inference_mode()
    def right(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[bool]:
        """Per pair of ids whether greedy decoding writes the target."""
        found: list[bool] = _right(*self._taught(pairs)).tolist()
        return found

    def _taught(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[Tensor, Tensor]:
        """Logits (B, L, V) and targets (B, L)."""
        device = next(self.net.parameters()).device
        x_2BL, y_BL = (part.to(device) for part in self.batch(pairs))
        return self.net(x_2BL), y_BL

    @torch.inference_mode()
    def translated(
        self, source_BS: Tensor, most: int | None = None, choose: Choose = likeliest
    ) -> list[list[int]]:
        """The likeliest token after the other (greedy), or what is chosen of logits (B, V), a mark that
        is forced first and the end mark included, for sources filled with -1; no more than `most`."""
        real_BS, end = source_BS >= 0, self.tokenizer.boundary
        made = self.halves.read(source_BS.clamp(min=0), real_BS=real_BS)
        begun = source_BS.new_tensor([self.start, *self.forced])
        x_BT = begun.expand(len(source_BS), -1)
        longest = min(self.config.context - 1, 2 * source_BS.shape[1] + 10)
        for _ in range(longest if most is None else min(most, longest)):
            logit_BV = self.allowed(self.halves.write(x_BT, made, real_BS=real_BS)[:, -1])
            x_BT = torch.cat((x_BT, choose(logit_BV)[:, None]), 1)
            if (x_BT[:, len(begun) :] == end).any(1).all():
                break
        rows: list[list[int]] = x_BT[:, 1:].tolist()
        return [row[: row.index(end) + 1] if end in row else row for row in rows]

    def allowed(self, logit_V: Tensor) -> Tensor:
        """Logits (..., V) without the mark that no translation has."""
        barred = self.tokenizer.barred
        if barred < 0:
            return logit_V
        return logit_V.index_fill(-1, torch.tensor([barred], device=logit_V.device), -torch.inf)

    def translations(self, lines: Sequence[str], choose: Choose = likeliest) -> list[str]:
        """What `translated` writes for each line, in their order; a blank line stays empty."""
        found = [""] * len(lines)
        sources = sorted(
            (
                (len(ids := self.source(line).ids), i, ids)
                for i, line in enumerate(lines)
                if line.strip()
            ),
            key=lambda made: made[:2],
        )
        for first in range(0, len(sources), TOGETHER):
            some = sources[first : first + TOGETHER]
            source_BS = np.full((len(some), some[-1][0]), -1, np.int64)
            for b, (length, _, ids) in enumerate(some):
                source_BS[b, :length] = ids
            device = next(self.net.parameters()).device
            for (_, i, _), row in zip(
                some,
                self.translated(torch.from_numpy(source_BS).to(device), choose=choose),
                strict=True,
            ):
                row = row[len(self.forced) :]
                found[i] = self.tokenizer.decode(
                    row[:-1] if row[-1:] == [self.tokenizer.boundary] else row
                ).strip()
        return found

    def tokens(self, text: str) -> Tokens:
        """The target part of a text behind the start mark; its `source` is the part before, and an
        end mark."""
        found = BETWEEN.search(text)
        before, at = (text[: found.start()], found.end()) if found else (text, len(text))
        target = self.tokenizer.target.encode(text[at:])
        target = replace(target.moved(at), source=self.source(before))
        for mark in (*self.forced, self.start):
            if mark == self.start or target.ids[:1] != mark:
                target = target.after(mark, self.tokenizer.vocab[mark])
        return target

    def source(self, text: str) -> Tokens:
        leads, end = self.tokenizer.leads, self.tokenizer.boundary
        made = self.tokenizer.encode(text)[: self.config.context - 1 - len(leads)]
        for mark in reversed(leads):
            made = made.after(mark, self.tokenizer.vocab[mark])
        return Tokens(
            np.append(made.ids, end),
            (*made.labels, self.tokenizer.vocab[end]),
            (*made.spans, (0, 0)),
            made.unknown,
            lost=made.lost,
        )

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        read = (tokens.source or self.source("")).labels
        return dict(super().labels(tokens)) | {"source": read, "seen": read}

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        device = next(self.net.parameters()).device
        source_BS, target_BT = (
            torch.from_numpy(part.ids)[None].to(device)
            for part in (tokens.source or self.source(""), tokens)
        )
        logit_BTV = self.halves.write(target_BT, self.halves.read(source_BS, tap), tap)
        p_BTV = self.allowed(logit_BTV).float().softmax(-1)
        tap("probability", p_BTV, ("batch", "token", "next"))


def growing(specs: Sequence[FieldSpec]) -> tuple[FieldSpec, ...]:
    """As promised, but not causal: what is typed at the end may belong to the source, which every
    target token is read with."""
    return tuple(replace(spec, causal=False) for spec in specs)


def pair_of(number: int, line: str) -> tuple[str, str]:
    """Source and target of a line of training text.  ValueError that says what was found."""
    source, tab, target = line.partition("\t")
    if not (tab and source.strip() and target.strip()):
        raise refusal(
            "line {number}, {line!r}: it is not a text, a tab and its translation; write it like"
            " {sample!r}",
            line=line if len(line) <= 60 else f"{line[:60]}…",
            sample=SAMPLE.splitlines()[0],
        )
    return source, target


def _right(logit_BLV: Tensor, y_BL: Tensor) -> Tensor:
    """Where greedy decoding writes the target: each of its tokens is the likeliest after those
    before it."""
    return ((logit_BLV.argmax(-1) == y_BL) | (y_BL == NOTHING)).all(1)
