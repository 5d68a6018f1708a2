"""Why text is hard: a generator of sentences against a discriminator, beside its twin that learns by likelihood.

What      both are one recurrent net, P(word | words before); the twin minimises -ln P of real sentences.  The other
          draws words by Gumbel-softmax, passed on as they are drawn, with the gradient of the softmax, and is told by
          D alone.  A small grammar has so few sentences that P of each is known exactly
Source    Jang, Gu & Poole, Categorical Reparameterization with Gumbel-Softmax, 2017;
          Kusner & Hernández-Lobato, GANs for Sequences of Discrete Elements with the Gumbel-softmax
          Distribution, 2016
Shapes    N = sentences, L = 5 words, V = words, D = width
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

NOUNS = "dog", "cat", "bird"
ONE = [(determiner, noun) for determiner in ("the", "a") for noun in NOUNS]
MANY = [(determiner, f"{noun}s") for determiner in ("the", "two") for noun in NOUNS]
VERBS = ("sees", "see"), ("chases", "chase")
SENTENCES = [
    (*subject, verb[subject in MANY], *object_)
    for subject, verb, object_ in itertools.product(ONE + MANY, VERBS, ONE + MANY)
]
WORDS = sorted({word for sentence in SENTENCES for word in sentence})
LENGTH, WIDTH, BATCH, RATE, EVERY = 5, 32, 64, 0.002, 50


def numbered() -> Tensor:
    """All sentences of the grammar, as numbers of words (N, L)."""
    at = {word: k for k, word in enumerate(WORDS)}
    return torch.tensor([[at[word] for word in sentence] for sentence in SENTENCES])


class Generator(nn.Module):
    """The logits of the next word, by a GRU."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(len(WORDS), WIDTH, bias=False)
        self.cell = nn.GRUCell(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, len(WORDS))

    def spoken(self, words_NLV: Tensor) -> Tensor:
        """ln P of sentences (N,), given as one-hot words."""
        h, total_N = words_NLV.new_zeros(len(words_NLV), WIDTH), words_NLV.new_zeros(len(words_NLV))
        for k in range(LENGTH):
            h = self.cell(self.embed(words_NLV[:, k - 1]) if k else torch.zeros_like(h), h)
            total_N = total_N + (functional.log_softmax(self.out(h), 1) * words_NLV[:, k]).sum(1)
        return total_N

    def drawn(self, count: int, temperature: float) -> Tensor:
        """One-hot words that were drawn (N, L, V); their gradient is that of the softmax."""
        h, words = torch.zeros(count, WIDTH), list[Tensor]()
        for k in range(LENGTH):
            h = self.cell(self.embed(words[-1]) if k else torch.zeros_like(h), h)
            words.append(functional.gumbel_softmax(self.out(h), temperature, hard=True))
        return torch.stack(words, 1)


@dataclass(frozen=True, eq=False)
class Spoken:
    """By step: the share of all probability that the sentences of the grammar have, and how many sentences a
    net with this evenness would say (the exponential of its entropy over them, at most all); some that it says."""

    step: list[int]
    right: list[float]
    kinds: list[float]
    says: list[str]


def measure(net: Generator, all_NLV: Tensor) -> tuple[float, float]:
    with torch.no_grad():
        p_N = net.spoken(all_NLV).double().exp()
    within = p_N / p_N.sum()
    return float(p_N.sum()), float(torch.special.entr(within).sum().exp())


def train(kind: str, steps: int, temperature: float, seed: int) -> Iterator[tuple[float, Spoken]]:
    """(share that is done, what was reached): by "likelihood", or by "adversary"."""
    all_NLV = functional.one_hot(numbered(), len(WORDS)).float()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = Generator()
        d = nn.Sequential(
            nn.Flatten(), nn.Linear(LENGTH * len(WORDS), 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)
        )
        betas = (0.5, 0.999) if kind == "adversary" else (0.9, 0.999)
        of_g, of_d = (torch.optim.Adam(one.parameters(), lr=RATE, betas=betas) for one in (net, d))
        state = torch.random.get_rng_state()
    found = Spoken([], [], [], [])
    for step in range(steps + 1):
        with torch.random.fork_rng():
            torch.random.set_rng_state(state)
            if step % EVERY == 0 or step == steps:
                right, kinds = measure(net, all_NLV)
                found.step.append(step)
                found.right.append(right)
                found.kinds.append(kinds)
            real = all_NLV[torch.randint(len(all_NLV), (BATCH,))]
            if kind == "likelihood":
                lost = -net.spoken(real).mean()
            else:
                made = net.drawn(BATCH, temperature).detach()
                against = functional.softplus(-d(real)).mean() + functional.softplus(d(made)).mean()
                of_d.zero_grad()
                against.backward()
                of_d.step()
                lost = functional.softplus(-d(net.drawn(BATCH, temperature))).mean()
            of_g.zero_grad()
            lost.backward()
            of_g.step()
            if step == steps:
                with torch.no_grad():
                    some = net.drawn(5, 1.0).argmax(2).tolist()
                found.says.extend(" ".join(WORDS[k] for k in row) for row in some)
            state = torch.random.get_rng_state()
        if step % EVERY == 0:
            yield step / steps, found
    yield 1.0, found
