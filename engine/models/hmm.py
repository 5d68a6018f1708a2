"""Hidden Markov model: a chain of hidden states, of which each writes one word.

What      P(s, w) = product over t of A[s_t-1, s_t] B[s_t, w_t]; learned without seeing a state by
          Baum and Welch's method, an EM algorithm
Source    Baum & Petrie, Statistical Inference for Probabilistic Functions of Finite State Markov
          Chains, 1966; Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989
Shapes    T = tokens, S = states, V = vocabulary
Differs   State 0 is the line end: it writes the line end and nothing else, no other state does, and
          its row of A says how a line starts.  So a text has an end, and lines follow each other.
          Each table starts near the shares of the words, is counted with a small prior, and so
          holds no zeros but these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Self, final

import numpy as np

from engine.core.registry import tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.hmm import recursions
from engine.models.base import Card, Model, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split

END = 0  # the state of the line end

PROMISES = (
    FieldSpec(
        "predict",
        Kind.PROBABILITY,
        ("token", "state"),
        "Which state each token is expected to be in, before it is read.",
        "p_t",
    ),
    FieldSpec(
        "filter",
        Kind.PROBABILITY,
        ("token", "state"),
        "Which state each token is in, given the tokens up to it.",
        "f_t",
    ),
    FieldSpec(
        "smooth",
        Kind.PROBABILITY,
        ("token", "state"),
        "Which state each token is in, given the whole text.",
        "γ_t",
        derived=True,
        causal=False,
    ),
    FieldSpec(
        "pair",
        Kind.STATE,
        ("token", "source", "target"),
        "Probability of each pair of states, at the token before and at this one, given the whole"
        " text.",
        "ξ_t",
        domain=(0.0, 1.0),
        derived=True,
        causal=False,
    ),
    FieldSpec(
        "path.score",
        Kind.SCORE,
        ("token", "state"),
        "Log-probability of the likeliest path that ends in each state, less that of the likeliest"
        " of all.",
        "δ_t",
        unit="nats",
        derived=True,
    ),
    FieldSpec(
        "path.back",
        Kind.COUNT,
        ("token", "state"),
        "The state from which the likeliest path comes to each state.",
        "ψ_t",
        derived=True,
    ),
    FieldSpec(
        "viterbi",
        Kind.COUNT,
        ("token",),
        "The state of each token on the likeliest path through the whole text.",
        "s*_t",
        derived=True,
        causal=False,
    ),
    FieldSpec(
        "probability",
        Kind.PROBABILITY,
        ("token", "next"),
        "Probability of each possible next token.",
        "P",
    ),
)

PARAMETERS = (
    FieldSpec("start", Kind.PROBABILITY, ("state",), "Which state a line starts in.", "π"),
    FieldSpec(
        "transition", Kind.PROBABILITY, ("source", "target"), "Which state follows which.", "A"
    ),
    FieldSpec(
        "emission", Kind.PROBABILITY, ("state", "next"), "Which tokens each state writes.", "B"
    ),
)


@dataclass(frozen=True, slots=True)
class Config:
    states: int = setting(16, "hidden states, besides that of the line end", min=1, max=256)
    tokenizer: str = setting("words", f"how the text is cut: {', '.join(tokenizers.ids())}")
    vocabulary: int = setting(5000, "largest vocabulary", min=16, max=50_000)
    steps: int = setting(30, "rounds of Baum and Welch's method", min=1, max=2000)
    prior: float = setting(
        0.01, "added to each expected count, so that nothing is impossible", min=1e-6, max=10.0
    )


@final
class HiddenMarkov(Model[Config]):
    card = Card(
        "hmm",
        "Hidden Markov model",
        1966,
        "Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE 77(2), 1989",
    )
    config_type = Config
    stepwise = True
    foretells = True

    def __init__(
        self, config: Config, tokenizer: Tokenizer, a_SS: np.ndarray, b_SV: np.ndarray
    ) -> None:
        """`a_SS`, `b_SV`: tables whose rows sum to 1, as exact as they are stored."""
        self.config, self.tokenizer = config, tokenizer
        self.a_SS, self.b_SV = (
            recursions.rows(x.astype(np.float32).astype(float)) for x in (a_SS, b_SV)
        )
        self.b_VS = np.ascontiguousarray(self.b_SV.T)
        self.start_S = np.zeros(len(a_SS))
        self.start_S[END] = 1.0
        self._states = ("⏎", *map(str, range(1, len(a_SS))))

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
            model, first = cls._begun(config, tokenizer, tokenizer.ids(lines), seed), 0
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
    def _begun(
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

    def tokens(self, text: str) -> Tokens:
        at = self.tokenizer.boundary
        return self.tokenizer.encode(text).after(at, self.tokenizer.vocab[at])

    def spec(self) -> tuple[FieldSpec, ...]:
        return PROMISES

    def run(self, tokens: Tokens, tap: Tap) -> None:
        like_TS, axes = self.b_VS[tokens.ids], ("token", "state")
        predict_TS, filter_TS, _ = recursions.forwards(
            self.start_S,
            self.a_SS,
            like_TS,
            tap.in_loop("predict", ("state",)),
            tap.in_loop("filter", ("state",)),
        )
        tap.keep("predict", predict_TS, axes)
        tap.keep("filter", filter_TS, axes)
        first, stop = (
            (0, len(tokens)) if tap.edits("probability") else tap.window(len(tokens))
        )  # no other row is looked at, so none is made
        p_TV = np.broadcast_to(np.float32(0), (len(tokens), len(self.b_VS)))
        if tap.wants("probability") or tap.edits("probability"):
            p_TV = np.empty(p_TV.shape, np.float32)
            p_TV[first:stop] = filter_TS[first:stop] @ self.a_SS @ self.b_SV
        tap("probability", p_TV, ("token", "next"))
        r_TS = (
            recursions.backwards(self.a_SS, like_TS)
            if tap.wants("smooth") or tap.wants("pair")
            else like_TS
        )
        tap.derived("smooth", lambda: recursions.smoothed(filter_TS, r_TS), axes)
        tap.derived(
            "pair",
            lambda: recursions.pairs(filter_TS, self.a_SS, like_TS, r_TS),
            ("token", "source", "target"),
        )
        score_TS, back_TS = (
            recursions.viterbi(self.start_S, self.a_SS, like_TS)
            if any(map(tap.wants, ("path.score", "path.back", "viterbi")))
            else (like_TS, np.zeros(like_TS.shape, np.int64))
        )
        tap.derived("path.score", lambda: score_TS, axes)
        tap.derived("path.back", lambda: back_TS, axes)
        tap.derived("viterbi", lambda: recursions.path(score_TS, back_TS), ("token",))

    def trail(self, stop: int, total: int) -> int:
        return total

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {
            "token": tokens.labels,
            "next": self.tokenizer.vocab,
            "state": self._states,
            "source": self._states,
            "target": self._states,
        }

    def surprisals(self, lines: Sequence[str]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        bits, unknown = [], []
        mark = np.array([self.tokenizer.boundary])
        for ids in self.tokenizer.ids(lines):
            ids = np.concatenate([ids, mark])
            scale_T = recursions.forwards(self.a_SS[END], self.a_SS, self.b_VS[ids])[2]
            with np.errstate(divide="ignore"):
                bits.append(-np.log2(scale_T))
            unknown.append(ids == self.tokenizer.unknown)
        return bits, unknown

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        return PARAMETERS

    def show_parameters(self, tap: Tap) -> None:
        tap("start", self.a_SS[END], ("state",))
        tap("transition", self.a_SS, ("source", "target"))
        tap("emission", self.b_SV, ("state", "next"))

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {
            "next": self.tokenizer.vocab,
            "state": self._states,
            "source": self._states,
            "target": self._states,
        }

    def weights(self) -> dict[str, np.ndarray]:
        return {
            "transition": self.a_SS.astype(np.float32),
            "emission": self.b_SV.astype(np.float32),
            "tokenizer": np.frombuffer(self.tokenizer.state(), np.uint8),
        }

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = tokenizers.get(config.tokenizer).from_state(
            np.asarray(weights["tokenizer"]).tobytes()
        )
        return cls(
            config, tokenizer, np.asarray(weights["transition"]), np.asarray(weights["emission"])
        )


MODEL = HiddenMarkov
