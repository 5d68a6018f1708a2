"""Encoder-decoder Transformer: one tower reads a text, another writes its translation and looks at what the first one made of it.

What      source -> encoder (every token sees all) -> m; target so far -> decoder (causal) with cross-attention to m -> softmax
          cross-attention: q from the decoder, k and v from m; A = softmax(q k^T / sqrt(K)), target x source
Source    Vaswani et al., Attention Is All You Need, 2017; one vocabulary for both and tied embeddings: sec. 3.4;
          the settings also make the T5 of Raffel et al., 2020
Shapes    B = batch, S = source tokens, T = target tokens, L = the longer of both, D = width, V = vocabulary
Differs   Norm first by default, as in T5; off, it is the model of 2017.  A text is the source, a tab, a line break or =>, and what
          is written of the target so far.  The source ends in an end mark; what is longer than `context` is cut there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.models.base import Card, Progress, Weights
from engine.models.neural import LOGITS, PROBABILITY, NeuralLanguageModel, apart, perplexity, saved, state_of, tokenizer_of
from engine.nn import loop
from engine.nn.attention import Naming
from engine.nn.block import Design
from engine.nn.plan import MIXED, Training
from engine.nn.transformer import Tower, promises
from engine.registry import tokenizers
from engine.tap import Tap, passthrough
from engine.text.base import Tokenizer, Tokens, passages, split
from engine.text.words import start_of
from engine.trace import FieldSpec

READS = Naming("encoder.", token="source", query="source", key="seen", other="source")
BETWEEN = re.compile(r" *(?:\t|\n|=>) *")  # what stands between the source and the target
NOTHING = -100  # a target that does not count
JUDGED = 200  # held-out pairs that are translated while training goes on


@dataclass(frozen=True, slots=True)
class Config(Training):
    width: int = field(default=128, metadata={"min": 8, "max": 16_384, "says": "numbers that stand for one token"})
    heads: int = field(default=4, metadata={"min": 1, "max": 128, "says": "places each attention can look at at once"})
    layers: int = field(default=2, metadata={"min": 1, "max": 128, "says": "blocks of the encoder, and as many of the decoder"})
    context: int = field(default=128, metadata={"min": 2, "max": 131_072, "says": "the most tokens on each side"})
    position: str = field(default="sinusoidal", metadata={"says": "how it knows the order: none, sinusoidal, learned, shaw, t5, rope, alibi"})
    norm: str = field(default="layer", metadata={"says": "what brings vectors to one scale: layer or rms"})
    norm_first: bool = field(default=True, metadata={"says": "norm before each part; off: after it, as in 2017"})
    activation: str = field(default="relu", metadata={"says": "bend of the feed-forward part: relu, gelu, gelu_tanh, silu, swiglu, geglu"})
    inner: int = field(default=0, metadata={"min": 0, "max": 65_536, "says": "inner width of the feed-forward part; 0: four times the width"})
    head_width: int = field(default=0, metadata={"min": 0, "max": 1024, "says": "numbers of one head; 0: width / heads"})
    bias: bool = field(default=True, metadata={"says": "whether each product gets a number added"})
    scaled: bool = field(default=True, metadata={"says": "whether scores are divided by the root of the head's width; off in T5"})
    tied: bool = field(default=True, metadata={"says": "whether the output reads with the embeddings"})
    gain: float = field(default=1.0, metadata={"min": 0.01, "max": 1000.0, "says": "what embeddings are multiplied by before positions are added"})
    output_scaled: bool = field(default=False, metadata={"says": "whether the output is divided by the root of the width, as in T5"})
    epsilon: float = field(default=1e-5, metadata={"min": 1e-12, "max": 1e-2, "says": "what keeps a norm from dividing by 0"})
    dropout: float = field(default=0.0, metadata={"min": 0.0, "max": 0.7, "says": "share of numbers silenced in training"})
    tokenizer: str = field(default="words", metadata={"says": "how the text is cut: bpe, charbpe, unigram, bytes, chars, words, whitespace"})
    vocabulary: int = field(default=4096, metadata={"min": 16, "max": 300_000, "says": "the most tokens to know, both languages together"})
    steps: int = field(default=3000, metadata={"min": 1, "max": 500_000, "says": "training steps"})
    batch: int = field(default=64, metadata={"min": 1, "max": 4096, "says": "pairs in one step"})
    span: int = field(default=64, metadata={"min": 2, "max": 8192, "says": "the most tokens on each side of a pair in training"})
    rate: float = field(default=1e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "learning rate at its highest"})
    mixed: bool = field(default=False, metadata={"says": MIXED, "group": "training"})

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.span > self.context:
            raise ValueError(f"span {self.span} is longer than context {self.context}; a pair can't be longer than the model sees")
        self.design()

    def design(self) -> Design:
        """What the blocks of the decoder are made of.  ValueError where that does not fit together."""
        return Design(
            width=self.width, heads=self.heads, layers=self.layers, context=self.context, inner=self.inner, dim=self.head_width, first=self.norm_first,
            norm=self.norm, epsilon=self.epsilon, activation=self.activation, position=self.position, bias=self.bias, scaled=self.scaled,
            dropout=self.dropout, cross=True,
        )  # fmt: skip


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        decoder = c.design()
        self.embed = nn.Embedding(v, c.width)
        self.encoder, self.decoder = Tower(replace(decoder, causal=False, cross=False, naming=READS)), Tower(decoder)
        self.output = None if c.tied else nn.Linear(c.width, v, bias=False)
        self.dropout = nn.Dropout(c.dropout)
        self.gain = c.gain
        self.shrunk = c.width**-0.5 if c.output_scaled else 1.0
        wide = self.encoder.position.gain
        for tower in (self.encoder, self.decoder):
            tower.start()
        for part in (self.embed, self.output):
            if part is not None:
                nn.init.normal_(part.weight, std=0.02 if wide == 1 else 1 / wide)

    def forward(self, ids_2BL: Tensor) -> Tensor:
        """Logits (B, L, V) of training pairs: source and target input one above the other, -1 where there is nothing."""
        source_BS, target_BT = ids_2BL
        source_BS = source_BS[:, : int((source_BS >= 0).sum(1).max())]
        real_BS = source_BS >= 0
        return self.write(target_BT.clamp(min=0), self.read(source_BS.clamp(min=0), real_BS=real_BS), real_BS=real_BS)

    def read(self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None) -> Tensor:
        """What the encoder makes of the source (B, S, D)."""
        x_BSD = self.dropout(self.encoder.placed(self.embed(source_BS) * self.gain, tap))
        found: Tensor = self.encoder(x_BSD, tap, real_BT=real_BS)
        return found

    def write(self, target_BT: Tensor, source_BSD: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None) -> Tensor:
        """Logits (B, T, V) of what follows each target token.  Filling at the end needs no mask: nothing before it looks there."""
        x_BTD = self.dropout(self.decoder.placed(self.embed(target_BT) * self.gain, tap))
        x_BTD = self.decoder(x_BTD, tap, source_BSD=source_BSD, real_BS=real_BS) * self.shrunk
        logit_BTV = x_BTD @ self.embed.weight.T if self.output is None else self.output(x_BTD)
        found: Tensor = tap("logits", logit_BTV, ("batch", "token", "next"))
        return found


@final
class EncoderDecoder(NeuralLanguageModel[Config]):
    card = Card("encoder_decoder", "Encoder-decoder Transformer", 2017, "Vaswani et al., Attention Is All You Need, NeurIPS 2017", False)
    config_type = Config
    sample: ClassVar[str] = (
        "the black cat sat\tle chat noir s'est assis\nthe old dog sat\tle vieux chien s'est assis\n"
        "the cat saw the dog\tle chat a vu le chien\nthe dog ate\tle chien a mangé\n"
    )

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        assert isinstance(net, Net)
        self.context = config.context
        self.start = tokenizer.opening if tokenizer.opening != tokenizer.boundary else start_of(tokenizer)[0]

    @property
    def towers(self) -> Net:
        assert isinstance(self.net, Net)
        return self.net

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def fit(cls, text: str, config: Config, *, seed: int, device: str = "cpu", resume: Weights | None = None) -> Iterator[Progress]:
        if not passages(text):
            raise ValueError("there is nothing to learn from: the text has no line")
        pairs = {line: _pair(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()}
        lines, held_out = split(passages(text), seed)
        if resume:
            tokenizer = tokenizer_of(config, resume)
        else:
            tokenizer = tokenizers.get(config.tokenizer).fit([side for line in lines for side in pairs[line]], config.vocabulary)
        torch.manual_seed(seed)
        net = Net(len(tokenizer.vocab), config)
        model = cls(config, tokenizer, net)
        buckets: dict[int, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
        for source, target in model.numbered([pairs[line] for line in lines]):
            buckets[(len(source) + len(target)) // 4].append((source[: config.span], target[: config.span]))
        sizes = np.array([len(some) for some in buckets.values()])

        def draw(step: int) -> tuple[Tensor, Tensor]:
            rng = np.random.default_rng((seed, step))
            some = list(buckets.values())[rng.choice(len(buckets), p=sizes / sizes.sum())]
            return model.batch([some[i] for i in rng.permutation(len(some))[: config.batch]])

        def judge() -> dict[str, float]:
            found = model.judge(held_out[:JUDGED])
            net.train()
            told = {f"held_out_{name}": found[name] for name in ("nats", "exact") if name in found}
            return told | (perplexity(found["nats"]) if told else {})

        plan, state = loop.Plan.of(config), state_of(tokenizer)
        for step in loop.descend(net, draw, plan, judge=judge, seed=seed, device=device, resume=resume, axis=1):
            done = model if step.step == config.steps else None
            yield Progress(step.step, config.steps, step.metrics, done, partial(saved, step, state), partial(apart, model))

    def numbered(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Source and target ids of each pair, both with their end mark."""
        sides = self.tokenizer.ids([side for pair in pairs for side in pair])
        ended = [np.append(ids, self.tokenizer.boundary) for ids in sides]
        return list(zip(ended[::2], ended[1::2], strict=True))

    def batch(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[Tensor, Tensor]:
        """Input (2, B, L) and targets (B, L): the decoder reads the target one place late, behind the start mark (teacher forcing)."""
        b, longest = len(pairs), max(len(ids) for pair in pairs for ids in pair)
        x_2BL, y_BL = np.full((2, b, longest), -1, np.int64), np.full((b, longest), NOTHING, np.int64)
        for i, (source, target) in enumerate(pairs):
            x_2BL[0, i, : len(source)] = source
            x_2BL[1, i, : len(target)] = np.append(self.start, target[:-1])
            y_BL[i, : len(target)] = target
        return torch.from_numpy(x_2BL), torch.from_numpy(y_BL)

    @torch.inference_mode()
    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """Nats per target token, and the share of lines that greedy decoding translates word for word."""
        self.net.eval()
        pairs = self.numbered([_pair(number, line) for number, line in enumerate(lines, 1)])
        device, nats, tokens, exact = next(self.net.parameters()).device, 0.0, 0, 0
        for first in range(0, len(pairs), 256):
            some = [(source[: self.config.context], target[: self.config.context]) for source, target in pairs[first : first + 256]]
            x_2BL, y_BL = (part.to(device) for part in self.batch(some))
            nats += F.cross_entropy(self.net(x_2BL).flatten(0, 1), y_BL.flatten(), reduction="sum").item()
            tokens += int((y_BL != NOTHING).sum())
            exact += sum(a == b[1].tolist() for a, b in zip(self.translated(x_2BL[0]), some, strict=True))
        return {"pairs": len(pairs), "nats": nats / tokens, "exact": exact / len(pairs)} if tokens else {}

    @torch.inference_mode()
    def translated(self, source_BS: Tensor) -> list[list[int]]:
        """The likeliest token after the other (greedy), the end mark included, for sources filled with -1."""
        real_BS, end = source_BS >= 0, self.tokenizer.boundary
        m_BSD = self.towers.read(source_BS.clamp(min=0), real_BS=real_BS)
        x_BT = source_BS.new_full((len(source_BS), 1), self.start)
        for _ in range(min(self.config.context - 1, 2 * source_BS.shape[1] + 10)):
            next_B = self.towers.write(x_BT, m_BSD, real_BS=real_BS)[:, -1].argmax(-1)
            x_BT = torch.cat((x_BT, next_B[:, None]), 1)
            if (x_BT[:, 1:] == end).any(1).all():
                break
        rows: list[list[int]] = x_BT[:, 1:].tolist()
        return [row[: row.index(end) + 1] if end in row else row for row in rows]

    def tokens(self, text: str) -> Tokens:
        """The target part of a text behind the start mark; its `source` is the part before, and an end mark."""
        found = BETWEEN.search(text)
        before, at = (text[: found.start()], found.end()) if found else (text, len(text))
        target = self.tokenizer.encode(text[at:])
        target = replace(target, spans=tuple((a + at, b + at) for a, b in target.spans), source=self.source(before))
        return target.after(self.start, self.tokenizer.vocab[self.start])

    def source(self, text: str) -> Tokens:
        made, end = self.tokenizer.encode(text)[: self.config.context - 1], self.tokenizer.boundary
        return Tokens(np.append(made.ids, end), (*made.labels, self.tokenizer.vocab[end]), (*made.spans, (0, 0)), made.unknown)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        read = (tokens.source or self.source("")).labels
        return dict(super().labels(tokens)) | {"source": read, "seen": read}

    def spec(self) -> tuple[FieldSpec, ...]:
        last = self.config.norm_first
        return (*promises(READS, last_norm=last, mask=False), *promises(last_norm=last, cross=True), LOGITS, PROBABILITY)

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        device = next(self.net.parameters()).device
        source_BS, target_BT = (torch.from_numpy(part.ids)[None].to(device) for part in (tokens.source or self.source(""), tokens))
        logit_BTV = self.towers.write(target_BT, self.towers.read(source_BS, tap), tap)
        tap("probability", logit_BTV.float().softmax(-1), ("batch", "token", "next"))


def _pair(number: int, line: str) -> tuple[str, str]:
    """Source and target of a line of training text.  ValueError that says what was found."""
    source, tab, target = line.partition("\t")
    if not (tab and source.strip() and target.strip()):
        shown = line if len(line) <= 60 else f"{line[:60]}…"
        raise ValueError(f"line {number}, {shown!r}: it is not a text, a tab and its translation; write it like {EncoderDecoder.sample.splitlines()[0]!r}")
    return source, target


MODEL = EncoderDecoder
