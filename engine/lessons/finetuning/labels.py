"""Labels: a class head on a language model, tuned along with all its weights from those of a shipped run, or from
random ones, on more and more labelled sentences.

What      softmax(W m + b), m the mean over the tokens of what the next token is read out of; the head begins as 0.
          Counted words: a logistic regression on which words a sentence has
Source    Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018, sec. 4 (low-shot
          learning); Silveira et al., A Gold Standard Dependency Corpus for English, 2014 (the sentences)
Shapes    B = sentences, T = tokens, D = width, K = kinds of text
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.lessons.finetuning.results import WORDS, Labelled
from engine.models.neural import NeuralLanguageModel, ReadsOut
from engine.runs.store import RunStore
from engine.shipped.sources.base import content, find, lines_of

KINDS = ("answers", "email", "newsgroup", "reviews", "weblog")
COUNTS, SEEDS = (20, 50, 150, 500, 1500), 3
LEAST, LONGEST = 8, 48  # words of a sentence, and its tokens
BATCH, STEPS, ROUNDS, WARM = 16, 100, 4, 10
MODELS = {"Transformer": "transformer_rope", "LSTM": "lstm_words"}
RATES = {"Transformer": 2e-3, "LSTM": 1e-2}
"""Tried with 500 labels, on sentences that are neither learned from nor judged here: best, or as good as any, both
for trained weights and for random ones."""
Texts = list[tuple[int, str]]


def sentences(conllu: str) -> Texts:
    """Kind and text, in an order drawn by chance, as many of each kind."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
    kind = ""
    for line in conllu.split("\n"):
        name, _is, value = line.partition(" = ")
        if name == "# sent_id":
            kind = value.partition("-")[0]
        elif name == "# text" and len(value.split()) >= LEAST and kind in by_kind:
            by_kind[kind].append(value)
    rng, count = random.Random(0), min(map(len, by_kind.values()))
    for some in by_kind.values():
        rng.shuffle(some)
    # the kinds take turns, so that a beginning has as many of each
    return [(k, by_kind[kind][n]) for n in range(count) for k, kind in enumerate(KINDS)]


def draw(texts: Texts, count: int, seed: int) -> Texts:
    """So many, as many of each kind; a larger count goes on from a smaller one, and no two seeds share one."""
    first = seed * max(COUNTS)
    return texts[first : first + count]


class Classifier(nn.Module):
    """A copy of a net, without what reads the next token out."""

    def __init__(self, net: nn.Module, labels: int = len(KINDS)) -> None:
        super().__init__()
        body: Any = copy.deepcopy(net)
        self.net = body
        if isinstance(net, ReadsOut):
            self.read, width = body.stream, body.embed.weight.shape[1]
        else:
            self.read, width = body, body.head.weight.shape[1]
            body.head = nn.Identity()
        self.head = nn.Linear(width, labels)
        for p in self.parameters():
            p.requires_grad_(True)
        for p in self.head.parameters():
            nn.init.zeros_(p)

    def forward(self, ids_BT: Tensor, there_BT: Tensor) -> Tensor:
        """Logits (B, K).  Places that only fill up stand behind a text, so that none of its tokens sees them."""
        x_BTD, w_BT1 = self.read(ids_BT), there_BT[..., None].float()
        logit_BK: Tensor = self.head((x_BTD * w_BT1).sum(1) / w_BT1.sum(1))
        return logit_BK


def untrained(model: NeuralLanguageModel[Any], seed: int) -> nn.Module:
    """The same net, from random numbers."""
    torch.manual_seed(seed)
    return type(model).build(model.config, len(model.tokenizer.vocab))


def fill(some: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
    """Ids (B, T), and which of them are there."""
    ids_BT = nn.utils.rnn.pad_sequence(
        [torch.from_numpy(ids).long() for ids in some], batch_first=True, padding_value=-1
    )
    return ids_BT.clamp(min=0), ids_BT >= 0


def fit(net: Classifier, ids: Sequence[np.ndarray], kinds: Tensor, rate: float, seed: int) -> None:
    """Every sentence ROUNDS times, and at least STEPS steps."""
    rng, order = np.random.default_rng(seed), list[int]()
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01)
    steps = max(STEPS, ROUNDS * len(ids) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / WARM, (steps - step) / steps)
    )
    net.train()
    for _step in range(steps):
        while len(order) < BATCH:
            order += rng.permutation(len(ids)).tolist()
        at, order = order[:BATCH], order[BATCH:]
        optimiser.zero_grad()
        F.cross_entropy(net(*fill([ids[n] for n in at])), kinds[at]).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()


@torch.inference_mode()
def right(net: Classifier, ids: Sequence[np.ndarray], kinds: Tensor) -> float:
    net.eval()
    said = [net(*fill(ids[n : n + 64])).argmax(-1) for n in range(0, len(ids), 64)]
    return float((torch.cat(said) == kinds).double().mean())


def by_words(learn: Texts, unseen: Texts) -> float:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer(binary=True)
    there = counts.fit_transform([text for _kind, text in learn])
    found = LogisticRegression(max_iter=500).fit(there, [kind for kind, _text in learn])
    return float(
        found.score(counts.transform([t for _kind, t in unseen]), [kind for kind, _t in unseen])
    )


def ids_of(model: NeuralLanguageModel[Any], texts: Texts) -> tuple[list[np.ndarray], Tensor]:
    ids = [model.tokenizer.stream([text])[:LONGEST] for _kind, text in texts]
    return ids, torch.tensor([kind for kind, _text in texts])


def by_net(
    model: NeuralLanguageModel[Any],
    learn: Texts,
    unseen: Texts,
    scratch: bool,
    rate: float,
    seed: int,
) -> float:
    net = Classifier(untrained(model, seed) if scratch else model.net)
    fit(net, *ids_of(model, learn), rate, seed)
    return right(net, *ids_of(model, unseen))


def measured(data: Path) -> Iterator[Labelled]:
    """From a folder with the treebank, as `python -m engine zoo` reads it."""
    files = find("ud_english").found(data)
    texts, unseen = (sentences(lines_of(content(files[part]))) for part in ("train", "test"))
    for count in COUNTS:
        parts = [draw(texts, count, seed) for seed in range(SEEDS)]
        yield Labelled(WORDS, count, False, [by_words(part, unseen) for part in parts], len(unseen))
    store = RunStore()
    for title, id in MODELS.items():
        model = store.load(store.find(id))
        assert isinstance(model, NeuralLanguageModel)
        for count in COUNTS:
            for scratch in (False, True):
                shares = [
                    by_net(
                        model,
                        draw(texts, count, seed),
                        unseen,
                        scratch,
                        RATES[title],
                        seed,
                    )
                    for seed in range(SEEDS)
                ]
                yield Labelled(title, count, scratch, shares, len(unseen))
