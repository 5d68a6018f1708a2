"""One vector for a whole text: the last state of a recurrent net, the mean of all, the largest of each
unit, or a mean with weights that are learned.

What      last u = h_T; mean u = 1/T sum over t of h_t; max u_i = max over t of h_t,i;
          attention u = sum over t of a_t h_t, a = softmax over t of w . h_t; p = softmax(W u + b)
Source    attention: Yang et al., Hierarchical Attention Networks for Document Classification, 2016;
          max: Collobert & Weston, A Unified Architecture for Natural Language Processing, 2008
Shapes    B = batch, T = tokens, H = units, K = labels; as in engine/models/labelling_recurrent.py
Differs   Every prefix is pooled, and row t is the answer had the text ended there: each pooling is a
          matrix of weights, a row a prefix.  The weights of max are shares: of how many units a token
          has the largest state.  No bias in the score: softmax takes the same from all.  Of a longer
          text the last CONTEXT words are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _, refusal
from engine.models import labelling_recurrent
from engine.models.base import Card
from engine.models.classifying import ClassifyingModel
from engine.models.labelling_recurrent import RecurrentLabellingConfig, RecurrentLabellingModel
from engine.text.tokenizers.base import Tokens

# words of one run: each prefix has a weight for each word, which is 4 million numbers
CONTEXT = 2048
WAYS = ("attention", "last", "mean", "max")
SCORE = FieldSpec(
    "pool.score",
    Kind.SCORE,
    ("token", "unit"),
    "How much each token asks to be heard, before softmax.",
    "s_t",
)
WEIGHT = FieldSpec(
    "pool.weight",
    Kind.ATTENTION,
    ("query", "key"),
    "What the pooled vector of the text up to each token is made of.",
    "a_t",
)
POOLED = FieldSpec(
    "pooled", Kind.STATE, ("token", "unit"), "The one vector of the text up to each token.", "u_t"
)


@dataclass(frozen=True, slots=True)
class Config(RecurrentLabellingConfig):
    pool: str = setting(
        "attention", _("what is pooled: {ways}", ways=", ".join(WAYS)), choices=WAYS
    )
    units: int = setting(24, "units in each layer", min=4, max=1024)
    width: int = setting(16, "size of a word's vector", min=4, max=512)
    dropout: float = setting(0.0, "dropout: share of inputs set to 0 in training", min=0.0, max=0.7)
    unknown: float = setting(
        0.0, "share of words replaced by the unknown word in training", min=0.0, max=0.9
    )
    buckets: int = setting(64, "rows shared by the pieces of words", min=16, max=50_000)
    steps: int = setting(1500, "training steps", min=1, max=200_000)


class Net(labelling_recurrent.Net):
    def __init__(self, v: int, k: int, c: Config) -> None:
        if c.pool not in WAYS:
            raise refusal("no pooling {c.pool!r}; there are {WAYS}")
        super().__init__(v, k, c, False)
        self.pool = c.pool
        self.score = nn.Linear(self.width, 1, bias=False)

    def forward(self, rows_BTF: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, K), of each prefix."""
        h_BTH = self.read(self.embed(rows_BTF).sum(-2), tap)
        score_BT1 = tap("pool.score", self.score(h_BTH), ("batch", "token", "unit"))
        if self.pool == "max":
            u_BTH, first_BTH = h_BTH.cummax(1)
            tap.derived("pool.weight", lambda: shares(first_BTH), ("batch", "query", "key"))
        else:
            w_BTT = weights(self.pool, score_BT1[..., 0])
            u_BTH = tap("pool.weight", w_BTT, ("batch", "query", "key")) @ h_BTH
        u_BTH = tap("pooled", u_BTH, ("batch", "token", "unit"))
        logit_BTK: Tensor = self.head(self.dropout(u_BTH))
        return logit_BTK


def weights(pool: str, score_BT: Tensor) -> Tensor:
    """Weights (B, T, T): what each prefix is made of; nothing that comes later."""
    t = score_BT.shape[1]
    if pool == "last":
        return torch.eye(t, dtype=score_BT.dtype, device=score_BT.device).expand(
            len(score_BT), t, t
        )
    later_TT = torch.ones(t, t, dtype=torch.bool, device=score_BT.device).triu(1)
    asked_BT = score_BT if pool == "attention" else torch.zeros_like(score_BT)
    return asked_BT[:, None].expand(-1, t, -1).masked_fill(later_TT, -torch.inf).softmax(-1)


def shares(first_BTH: Tensor) -> Tensor:
    """Of how many units each token has the largest state so far (B, T, T); `first_BTH` says which."""
    b, t, units = first_BTH.shape
    count_BTT = torch.zeros(b, t, t, device=first_BTH.device)
    return (
        count_BTT.scatter_add_(2, first_BTH, torch.ones_like(first_BTH, dtype=torch.float)) / units
    )


@final
class Pooling(RecurrentLabellingModel, ClassifyingModel[RecurrentLabellingConfig]):
    card = Card(
        "pooling",
        "Pooled LSTM",
        2016,
        "Yang et al., Hierarchical Attention Networks for Document Classification",
    )
    config_type = Config
    context = CONTEXT
    sample = (
        "animal\toak ! cat hammer\n"
        "plant\tcat hammer ! oak bread\n"
        "tool\tbread ! hammer cat oak\n"
        "food\thammer ! bread cat\n"
    )

    @classmethod
    def build(cls, config: RecurrentLabellingConfig, v: int, k: int = 2) -> Net:
        assert isinstance(config, Config)
        return Net(v, k, config)

    def spec(self) -> tuple[FieldSpec, ...]:
        *cell, says = super().spec()
        return (*cell, SCORE, WEIGHT, POOLED, says)

    def labels(self, tokens: Tokens) -> dict[str, tuple[str, ...]]:
        return {**super().labels(tokens), "query": tokens.labels, "key": tokens.labels}


MODEL = Pooling
