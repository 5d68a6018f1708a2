"""Hidden Markov tagger: the states are parts of speech, and the tables are counted in tagged text.

What      A[i, j] = how often tag j follows tag i, B[i, w] = how often tag i writes word w, as shares;
          the tags of a text are its likeliest path
Source    Church, A Stochastic Parts Program and Noun Phrase Parser for Unrestricted Text, 1988;
          Brants, TnT: A Statistical Part-of-Speech Tagger, 2000
Shapes    T = tokens, S = states, V = vocabulary
Differs   A tag depends on one tag before it, in TnT on two.  An unknown word is judged by its
          ending, too (engine/hmm/endings.py): that says more of its state, and nothing of how
          likely an unknown word is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from engine.core.setting import setting
from engine.hmm import endings, recursions
from engine.models.base import Card, Weights
from engine.models.cost import Cost, Cut
from engine.models.counted import CountedTagger, Tagged
from engine.models.markov import END, Markov
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.words import Words

RARE = 10  # a word that stands so often at most tells of unknown ones by its ending


@dataclass(frozen=True, slots=True)
class Config:
    vocabulary: int = setting(5000, "largest vocabulary", min=16, max=50_000)
    prior: float = setting(
        0.001, "added to each count, so that nothing is impossible", min=1e-6, max=10.0
    )
    ending: int = setting(4, "most letters of an unknown word's ending", min=0, max=10)


@final
class HiddenMarkovTagger(CountedTagger[Config], Markov[Config]):
    card = Card(
        "hmm_tagger",
        "Hidden Markov tagger",
        1988,
        "Church, A Stochastic Parts Program and Noun Phrase Parser, ANLP 1988",
    )
    config_type = Config

    def __init__(
        self,
        config: Config,
        tokenizer: Words,
        a_SS: np.ndarray,
        b_SV: np.ndarray,
        names: Sequence[str],
        spelt: Mapping[str, np.ndarray],
    ) -> None:
        super().__init__(config, tokenizer, a_SS, b_SV, names)
        self.names, self.spelt = self.states, dict(spelt)
        self._known = {word: id for id, word in enumerate(tokenizer.vocab) if id > 2}

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        return Cost((found.labels + 1) ** 2 + found.labels * (found.vocabulary - 1))

    @classmethod
    def counted(cls, lines: Sequence[Tagged], config: Config) -> Self:
        """The model whose tables are the shares in these lines."""
        times = Counter(word for line in lines for word, _ in line)
        common = sorted(times, key=lambda word: (-times[word], word))
        tokenizer = Words(common[: max(1, config.vocabulary - 3)])
        names = sorted({tag for line in lines for _, tag in line})
        state = {name: n for n, name in enumerate(names, 1)}
        id_of = {word: n for n, word in enumerate(tokenizer.vocab) if n > 2}
        s, v = len(names) + 1, len(tokenizer.vocab)
        a_SS, b_SV = np.full((s, s), config.prior), np.full((s, v), config.prior)
        for line in lines:
            path = [END, *(state[tag] for _, tag in line), END]
            np.add.at(a_SS, (path[:-1], path[1:]), 1)
            np.add.at(b_SV, (path[1:-1], [id_of.get(word, 0) for word, _ in line]), 1)
        b_SV[:, tokenizer.boundary] = b_SV[END] = 0
        b_SV[END, tokenizer.boundary] = 1
        rare = ((w, state[t]) for line in lines for w, t in line if times[w] <= RARE)
        spelt = endings.learn(rare, s, config.ending, least=5)
        return cls(config, tokenizer, recursions.rows(a_SS), recursions.rows(b_SV), names, spelt)

    def likely(self, tokens: Tokens) -> np.ndarray:
        like_TS: np.ndarray = self.b_VS[tokens.ids]
        for t in tokens.unknown:
            like_TS[t] *= endings.factor(self.spelt, tokens.labels[t], self.config.ending)
        return like_TS

    def surprisals(self, lines: Sequence[str]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        bits, unknown = [], []
        for line in lines:
            tokens = self.tokens(f"{line}\n")
            predict_TS = recursions.forwards(self.start_S, self.a_SS, self.likely(tokens))[0]
            with np.errstate(divide="ignore"):
                bits.append(-np.log2((predict_TS * self.b_VS[tokens.ids]).sum(1))[1:])
            unknown.append((tokens.ids == 0)[1:])
        return bits, unknown

    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """Tags of the likeliest path; nats of the right tag given the whole sentence."""
        right, nats = 0, 0.0
        state, seen = {name: n for n, name in enumerate(self.states)}, Counter[int]()
        for line in self.read([line for line in lines if line.strip()]):
            words = tuple(word for word, _ in line)
            ids = np.array([*map(self.number, words), self.tokenizer.boundary])
            tokens = Tokens(
                ids, (*words, "\n"), ((0, 0),) * len(ids), tuple(np.flatnonzero(ids == 0).tolist())
            )
            like_TS = self.likely(tokens)
            path_T = recursions.path(*recursions.viterbi(self.a_SS[END], self.a_SS, like_TS))
            _, filter_TS, scale_T = recursions.forwards(self.a_SS[END], self.a_SS, like_TS)
            r_TS = recursions.backwards(self.a_SS, recursions.heard(like_TS, scale_T))
            smooth_TS = recursions.smoothed(filter_TS, r_TS)
            for t, (_, tag) in enumerate(line):
                if (k := state.get(tag)) is not None:
                    right += int(path_T[t] == k)
                    nats -= float(np.log(max(smooth_TS[t, k], 1e-30)))
                    seen[k] += 1
        if not (total := seen.total()):
            return {}
        return {
            "answers": total,
            "accuracy": right / total,
            "commonest_label": seen.most_common(1)[0][1] / total,
            "nats": nats / total,
        }

    def weights(self) -> dict[str, np.ndarray]:
        about = {"names": self.states[1:], "endings": list(self.spelt)}
        return super().weights() | {
            "spelt": np.array([*self.spelt.values()], np.float32).reshape(-1, len(self.states)),
            "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
        }

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = Words.from_state(np.asarray(weights["tokenizer"]).tobytes())
        about = json.loads(np.asarray(weights["about"]).tobytes())
        spelt = dict(zip(about["endings"], np.asarray(weights["spelt"], float), strict=True))
        tables = np.asarray(weights["transition"]), np.asarray(weights["emission"])
        return cls(config, tokenizer, *tables, about["names"], spelt)


MODEL = HiddenMarkovTagger
