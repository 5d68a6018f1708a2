"""Hidden Markov model: a chain of hidden states, of which each writes one word.

What      P(s, w) = product over t of A[s_t-1, s_t] B[s_t, w_t]; learned without seeing a state by
          Baum and Welch's method, an EM algorithm
Source    Baum & Petrie, Statistical Inference for Probabilistic Functions of Finite State Markov
          Chains, 1966; Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989
Shapes    T = tokens, S = states, V = vocabulary
Differs   The line end has a state of its own (engine/models/markov.py).  Each table starts near the
          shares of the words, is counted with a small prior, and so holds no zeros but those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Self, final

import numpy as np

from engine.core.registry import tokenizers
from engine.core.setting import setting
from engine.hmm import recursions
from engine.language.message import _
from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.markov import END, Markov
from engine.text.tokenizers.base import Tokenizer, passages, split


@dataclass(frozen=True, slots=True)
class Config:
    states: int = setting(16, "hidden states, besides that of the line end", min=1, max=256)
    tokenizer: str = setting(
        "words", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(5000, "largest vocabulary", min=16, max=50_000)
    steps: int = setting(30, "rounds of Baum and Welch's method", min=1, max=2000)
    prior: float = setting(
        0.01, "added to each expected count, so that nothing is impossible", min=1e-6, max=10.0
    )


@final
class HiddenMarkov(Markov[Config]):
    card = Card(
        "hmm",
        "Hidden Markov model",
        1966,
        "Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE 77(2), 1989",
    )
    config_type = Config
    stepwise = True

    @classmethod
    def cut(cls, lines: Sequence[str], config: Config) -> Cut:
        tokenizer, stream_N = tokenizers.get(config.tokenizer).learn(lines, config.vocabulary)
        return Cut(len(stream_N), len(tokenizer.vocab))

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        s, v = config.states, found.vocabulary
        return Cost((s + 1) ** 2 + s * (v - 1), stepwise=True)

    @classmethod
    def fit(
        cls,
        text: str,
        config: Config,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if not lines:
            raise ValueError("nothing to learn from: the text has no line")
        if resume is None:
            tokenizer = tokenizers.get(config.tokenizer).fit(lines, config.vocabulary)
            model, first = cls.begun(config, tokenizer, tokenizer.ids(lines), seed), 0
        else:
            model, first = cls.from_weights(config, resume), int(resume["step"][0])
        mark = np.array([model.tokenizer.boundary])
        seen, unseen = (
            [np.concatenate([ids, mark]) for ids in model.tokenizer.ids(some)]
            for some in (lines, held_out)
        )
        characters = sum(len(line) + 1 for line in held_out)
        tokens, unseen_tokens = sum(map(len, seen)), sum(map(len, unseen))
        for step in range(first + 1, config.steps + 1):
            metrics = {"nats": model.learn(seen, device) / tokens}
            if unseen:
                nats = model.nats(unseen, device)
                metrics["held_out_nats"] = nats / unseen_tokens
                metrics["held_out_bits_per_character"] = nats / characters / math.log(2)
                metrics["held_out_perplexity"] = math.exp(min(nats / unseen_tokens, 700.0))
            kept, now = model.weights() | {"step": np.array([step])}, copy(model)
            yield Progress(
                step,
                config.steps,
                metrics,
                now if step == config.steps else None,
                partial(dict, kept),
                partial(copy, now),
            )

    @classmethod
    def begun(
        cls, config: Config, tokenizer: Tokenizer, ids: Sequence[np.ndarray], seed: int
    ) -> Self:
        """Tables to begin with: how often each token occurs, differently bent for each state."""
        rng = np.random.default_rng(seed)
        v, s = len(tokenizer.vocab), config.states + 1
        share_V = np.bincount(np.concatenate(ids), minlength=v) + config.prior
        b_SV = share_V * rng.gamma(2.0, size=(s, v))
        a_SS = rng.gamma(4.0, size=(s, s))
        return cls._of_counts(config, tokenizer, a_SS, b_SV)

    @classmethod
    def _of_counts(
        cls, config: Config, tokenizer: Tokenizer, a_SS: np.ndarray, b_SV: np.ndarray
    ) -> Self:
        b_SV = b_SV.copy()
        b_SV[:, tokenizer.boundary] = 0.0
        b_SV[END] = 0.0
        b_SV[END, tokenizer.boundary] = 1.0
        return cls(config, tokenizer, recursions.rows(a_SS), recursions.rows(b_SV))

    def learn(self, lines: Sequence[np.ndarray], device: str = "cpu") -> float:
        """One round on lines of ids that end with the line end; nats of all lines before it."""
        import torch

        from engine.hmm.learning import expected

        start, follows, writes = (
            torch.from_numpy(x).to(device) for x in (self.a_SS[END], self.a_SS, self.b_SV)
        )
        found = expected(start, follows, writes, lines)
        a_SS: np.ndarray = found.transition_SS.cpu().numpy() + self.config.prior
        a_SS[END] += found.start_S.cpu().numpy()
        b_SV: np.ndarray = found.emission_SV.cpu().numpy() + self.config.prior
        made = self._of_counts(self.config, self.tokenizer, a_SS, b_SV)
        self.a_SS, self.b_SV, self.b_VS = made.a_SS, made.b_SV, made.b_VS
        return -found.log_likelihood

    def nats(self, lines: Sequence[np.ndarray], device: str = "cpu") -> float:
        """Of all lines together, each read alone behind a line end."""
        import torch

        from engine.hmm.learning import batches, log_forwards, log_likelihoods

        start_S, a_SS, log_b_VS = (
            torch.from_numpy(x).to(device) for x in (self.a_SS[END], self.a_SS, self.b_VS)
        )
        log_b_VS = log_b_VS.log()
        return -sum(
            float(
                log_likelihoods(
                    log_forwards(start_S.log(), a_SS, log_b_VS[ids_BT.to(device)]),
                    length_B.to(device),
                ).sum()
            )
            for ids_BT, length_B in batches(lines)
        )

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = tokenizers.get(config.tokenizer).from_state(
            np.asarray(weights["tokenizer"]).tobytes()
        )
        return cls(
            config, tokenizer, np.asarray(weights["transition"]), np.asarray(weights["emission"])
        )


MODEL = HiddenMarkov
