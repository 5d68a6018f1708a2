"""Sentence classifier by convolution over words: filters that look for phrases, the best match of
each, one label.

What      c_u,t = relu(sum over k < w of W_u,k x_t-w+1+k + b_u): how well the w words that end at t
          match filter u;  m_u = max over t of c_u,t;  p = softmax(V m + d)
Source    Kim, Convolutional Neural Networks for Sentence Classification, 2014; Collobert et al.,
          Natural Language Processing (Almost) from Scratch, 2011 (max over time)
Shapes    B = batch, T = words, D = width of a word's vector, U = all filters, w = words a filter
          covers, K = labels
Differs   A response stands at the last word of its phrase, and the largest is taken over the words
          so far: row t of the answer is what the text up to there would get.  Before the first word
          there are zeros, so that a text may be shorter than a filter.
          Word vectors are learned from nothing, and Kim's limit on the length of V's rows is left
          to weight decay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _, refusal
from engine.models.base import Card
from engine.models.classifying import ClassifyingModel
from engine.models.labelling import Example
from engine.nn.plan import Training
from engine.nn.windows import NOTHING
from engine.text.tokenizers.base import Tokens

AXES = ("batch", "token", "unit")
VECTOR = FieldSpec("vector", Kind.STATE, ("token", "dim"), "Vector of each word.", "x_t")
RESPONSE = FieldSpec(
    "response",
    Kind.STATE,
    ("token", "unit"),
    "How well the words that end here match each filter.",
    "c_t",
)
LARGEST = FieldSpec(
    "largest",
    Kind.STATE,
    ("token", "unit"),
    "The best match of each filter so far (max pooling over time).",
    "m_t",
)


@dataclass(frozen=True, slots=True)
class Config(Training):
    shortest: int = setting(3, "words that the shortest filters cover", min=1, max=16)
    longest: int = setting(5, "words that the longest filters cover", min=1, max=16)
    filters: int = setting(64, "filters of each length", min=1, max=512)
    width: int = setting(48, "size of a word's vector", min=2, max=512)
    dropout: float = setting(
        0.5, "dropout: share of best matches set to 0 in training", min=0.0, max=0.9
    )
    blur: float = setting(
        0.3, "share of the numbers of a word's vector set to 0 in training", min=0.0, max=0.9
    )
    unknown: float = setting(
        0.1, "share of words replaced by the unknown word in training", min=0.0, max=0.9
    )
    vocabulary: int = setting(8000, "largest vocabulary", min=16, max=50_000)
    steps: int = setting(2000, "training steps", min=1, max=200_000)
    batch: int = setting(32, "examples per step", min=1, max=512)
    span: int = setting(64, "most words used from one example", min=2, max=1024)
    rate: float = setting(3e-3, "highest learning rate", min=1e-5, max=1e-1)

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.longest < self.shortest:
            raise refusal(
                "the longest filters cover {self.longest} words and the shortest {self.shortest};"
                " take longest={self.shortest} or more"
            )

    @property
    def covers(self) -> tuple[int, ...]:
        """Words that filters cover: of each length `filters`."""
        return tuple(range(self.shortest, self.longest + 1))


class Net(nn.Module):
    def __init__(self, v: int, k: int, c: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(v, c.width)
        self.banks = nn.ModuleList(nn.Conv1d(c.width, c.filters, w) for w in c.covers)
        self.blur, self.dropout = nn.Dropout(c.blur), nn.Dropout(c.dropout)
        self.head = nn.Linear(len(c.covers) * c.filters, k)
        nn.init.normal_(self.embed.weight, std=0.35)

    @property
    def slid(self) -> list[nn.Conv1d]:
        """The filters, those of one length together."""
        return [bank for bank in self.banks if isinstance(bank, nn.Conv1d)]

    def forward(self, rows_BTF: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, K): row t of the text up to word t."""
        x_BTD = tap("vector", self.embed(rows_BTF[..., 0]), ("batch", "token", "dim"))
        x_BDT = self.blur(x_BTD).transpose(1, 2)
        found = []
        for bank in self.slid:
            before = bank.kernel_size[0] - 1
            found.append(bank(nn.functional.pad(x_BDT, (before, 0))))
        c_BTU = tap("response", torch.cat(found, 1).transpose(1, 2).relu(), AXES)
        m_BTU = tap("largest", c_BTU.cummax(1).values, AXES)
        logit_BTK: Tensor = self.head(self.dropout(m_BTU))
        return logit_BTK


@final
class TextCNN(ClassifyingModel[Config]):
    card = Card(
        "textcnn",
        "Sentence classifier by convolution",
        2014,
        "Kim, Convolutional Neural Networks for Sentence Classification, EMNLP 2014",
    )
    config_type: ClassVar[type] = Config
    net: Net

    @classmethod
    def build(cls, config: Config, v: int, k: int = 2) -> nn.Module:
        return Net(v, k, config)

    def numbered(self, example: Example) -> tuple[np.ndarray, np.ndarray]:
        """Only the answer to all words is a target."""
        rows_TF, target_T = super().numbered(example)
        target_T[:-1] = NOTHING
        return rows_TF, target_T

    def spec(self) -> tuple[FieldSpec, ...]:
        return VECTOR, RESPONSE, LARGEST, self.says

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {**super().labels(tokens), "unit": self.filters}

    @property
    def filters(self) -> tuple[str, ...]:
        """What each filter is called: its number, and how many words it covers."""
        return _names(tuple(self.config.covers), self.config.filters)


@cache  # with every key otherwise: 2.7 ms of 100 filters
def _names(covers: tuple[int, ...], filters: int) -> tuple[str, ...]:
    every = [w for w in covers for __ in range(filters)]
    return tuple(_("{u} ({w} words)", u=u, w=w) for u, w in enumerate(every))


MODEL = TextCNN
