"""What the hidden Markov models share: their tables, and every number of a run.

What      P(s, w) = product over t of A[s_t-1, s_t] B[s_t, w_t]
Source    Baum & Petrie, Statistical Inference for Probabilistic Functions of Finite State Markov
          Chains, 1966; Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989
Shapes    T = tokens, S = states, V = vocabulary
Differs   State 0 is the line end: it writes the line end and nothing else, no other state does, and
          its row of A says how a line starts.  So a text has an end, and lines follow each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.hmm import recursions
from engine.models.base import Model
from engine.text.tokenizers.base import Tokenizer, Tokens

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

C = TypeVar("C")


class Markov(Model[C]):
    """`names` are those of the states behind that of the line end; numbers where it has none."""

    foretells = True

    def __init__(
        self,
        config: C,
        tokenizer: Tokenizer,
        a_SS: np.ndarray,
        b_SV: np.ndarray,
        names: Sequence[str] = (),
    ) -> None:
        """`a_SS`, `b_SV`: tables whose rows sum to 1, as exact as they are stored."""
        self.config, self.tokenizer = config, tokenizer
        self.a_SS, self.b_SV = (
            recursions.rows(x.astype(np.float32).astype(float)) for x in (a_SS, b_SV)
        )
        self.b_VS = np.ascontiguousarray(self.b_SV.T)
        self.start_S = np.zeros(len(a_SS))
        self.start_S[END] = 1.0
        self.states = ("⏎", *(names or map(str, range(1, len(a_SS)))))

    def tokens(self, text: str) -> Tokens:
        at = self.tokenizer.boundary
        return self.tokenizer.encode(text).after(at, self.tokenizer.vocab[at])

    def likely(self, tokens: Tokens) -> np.ndarray:
        """How likely each state is to write each token (T, S)."""
        return self.b_VS[tokens.ids]

    def spec(self) -> tuple[FieldSpec, ...]:
        return PROMISES

    def run(self, tokens: Tokens, tap: Tap) -> None:
        like_TS, axes = self.likely(tokens), ("token", "state")
        predict_TS, filter_TS, scale_T = recursions.forwards(
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
        shape = len(tokens), len(self.b_VS)
        if tap.wants("probability") or tap.edits("probability"):
            p_TV = np.empty(shape, np.float32)
            p_TV[first:stop] = filter_TS[first:stop] @ self.a_SS @ self.b_SV
        else:
            p_TV = np.broadcast_to(np.float32(0), shape)
        tap("probability", p_TV, ("token", "next"))
        heard_TS = r_TS = like_TS
        if tap.wants("smooth") or tap.wants("pair"):
            heard_TS = recursions.heard(like_TS, scale_T)
            r_TS = recursions.backwards(self.a_SS, heard_TS)
        tap.derived("smooth", lambda: recursions.smoothed(filter_TS, r_TS), axes)
        tap.derived(
            "pair",
            lambda: recursions.pairs(filter_TS, self.a_SS, heard_TS, r_TS),
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
            "state": self.states,
            "source": self.states,
            "target": self.states,
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
            "state": self.states,
            "source": self.states,
            "target": self.states,
        }

    def weights(self) -> dict[str, np.ndarray]:
        return {
            "transition": self.a_SS.astype(np.float32),
            "emission": self.b_SV.astype(np.float32),
            "tokenizer": np.frombuffer(self.tokenizer.state(), np.uint8),
        }
