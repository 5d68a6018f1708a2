"""Trigram tagger: a hidden Markov model of the second order, counted in tagged text, whose states are
parts of speech, or parts of speech split by the word.

What      P(s, w) = product over t of P(s_t | s_t-2, s_t-1) b_s_t(w_t); the tags of a text are those
          of its likeliest path, found exactly
Source    Brants, TnT: A Statistical Part-of-Speech Tagger, ANLP 2000; states that are split by
          words: Lee, Tsujii & Rim, Lexicalized Hidden Markov Models for Part-of-Speech Tagging,
          COLING 2000
Shapes    T = tokens, S = states, K = tags
Differs   A state says more than a tag: each of the commonest words has states of its own ("DET the"),
          and a tag has others for some endings ("VERB -ing") and
          for capitals ("NOUN A").  So what follows may depend on it; the
          tag is what stands before the blank.  An unknown word that is known in small letters is
          read as that.  Lines do not know of each other.
"""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from engine.core.setting import setting
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.hmm import recursions, second
from engine.hmm.second import Place
from engine.hmm.spelling import Spelling
from engine.hmm.trigrams import END, Trigrams
from engine.language.message import _
from engine.models.base import Card, Weights
from engine.models.cost import Cost, Cut
from engine.models.counted import CountedTagger, Tagged
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.words import Words

RARE = 10  # a word that stands so often at most tells of unknown ones by its spelling
LEAST = 1e-4  # of an unknown word: a state with less is taken to be impossible
PROMISES = (
    FieldSpec(
        "likely",
        Kind.PROBABILITY,
        ("token", "tag"),
        "How likely each tag is to write this token, as shares of their sum.",
        "b_t",
    ),
    FieldSpec(
        "filter",
        Kind.PROBABILITY,
        ("token", "tag"),
        "Which tag each token has, given the tokens up to it.",
        "f_t",
        derived=True,
    ),
    FieldSpec(
        "smooth",
        Kind.PROBABILITY,
        ("token", "tag"),
        "Which tag each token has, given the whole text.",
        "γ_t",
        derived=True,
        causal=False,
    ),
    FieldSpec(
        "viterbi",
        Kind.COUNT,
        ("token",),
        "The tag of each token on the likeliest path through the whole text.",
        "s*_t",
        derived=True,
        causal=False,
    ),
)
FOLLOWS = FieldSpec(
    "transition",
    Kind.PROBABILITY,
    ("source", "target"),
    "Which tag follows which, whatever stood before.",
    "A",
)


@dataclass(frozen=True, slots=True)
class Config:
    order: int = setting(2, "states before that a state depends on", min=1, max=2)
    own: int = setting(200, "commonest words with states of their own", min=0, max=1000)
    parts: str = setting("ing ed ly s", "endings with states of their own, with blanks between")
    case: bool = setting(True, "words that begin with a capital have states of their own")
    vocabulary: int = setting(50_000, "largest vocabulary", min=16, max=50_000)
    ending: int = setting(10, "most letters of an unknown word's ending", min=0, max=10)
    theta: float = setting(
        1.0, "weight of what a shorter ending says, beside the longer one", min=0.01, max=100.0
    )
    low: bool = setting(True, "read an unknown word as the same in small letters")


@final
class TrigramTagger(CountedTagger[Config]):
    card = Card(
        "trigram_tagger",
        "Trigram tagger",
        2000,
        "Brants, TnT: A Statistical Part-of-Speech Tagger, ANLP 2000",
    )
    config_type = Config
    sample = _(
        "{sample}the/ADV sooner/ADV the/ADV better/ADV\nshe/PRON saw/VERB the/DET cat/NOUN\n",
        sample=CountedTagger.sample,
    )

    def __init__(
        self,
        config: Config,
        states: Sequence[str],
        chain: Trigrams,
        lexicon: Mapping[str, tuple[np.ndarray, np.ndarray]],
    ) -> None:
        """`states` behind that of the line end; `lexicon`: of each word, commonest first, its states
        and how often each wrote it."""
        self.config, self.chain, self.lexicon = config, chain, dict(lexicon)
        self.states = ("⏎", *states)
        tag_S = [state.partition(" ")[0] for state in self.states]
        self.names = ("⏎", *sorted({*tag_S[1:]} - {"⏎"}))
        number = {name: n for n, name in enumerate(self.names)}
        self.tag_S = np.array([number[tag] for tag in tag_S])
        self.tokenizer = Words(list(lexicon)[: max(1, config.vocabulary - 3)])
        self._known = {word: n for n, word in enumerate(self.tokenizer.vocab) if n > 2}
        rare = (
            (word, int(state), int(times))
            for word, (state_N, times_N) in self.lexicon.items()
            if times_N.sum() <= RARE
            for state, times in zip(state_N, times_N, strict=True)
        )
        self.spelling = Spelling(rare, len(self.states), config.ending, config.theta)
        self._places: dict[str, Place] = {}

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        return Cost(0)

    @classmethod
    def counted(cls, lines: Sequence[Tagged], config: Config) -> Self:
        """The model of what was counted in these lines."""
        times = Counter(word for line in lines for word, __ in line)
        small = Counter[str]()
        for word, n in times.items():
            small[word.lower()] += n
        own = {*sorted(small, key=lambda word: (-small[word], word))[: config.own]}
        parts = config.parts.lower().split()
        names = [
            [state_of(word, tag, own, parts, config.case) for word, tag in line] for line in lines
        ]
        states = sorted({name for line in names for name in line})
        number = {name: n for n, name in enumerate(states, 1)}
        written: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for line, named in zip(lines, names, strict=True):
            for (word, __), name in zip(line, named, strict=True):
                written[word][number[name]] += 1
        lexicon = {
            word: (np.array([*written[word]]), np.array([*written[word].values()]))
            for word in sorted(times, key=lambda word: (-times[word], word))
        }
        paths = ([number[name] for name in named] for named in names)
        return cls(config, states, Trigrams.counted(paths, len(states) + 1, config.order), lexicon)

    def place(self, word: str) -> Place:
        """The states that can write a word, and how likely each is to, up to a factor."""
        if word not in self._places:
            if len(self._places) > 100_000:
                self._places.clear()
            share_S = self._share(word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
            state_K = np.flatnonzero(share_S > LEAST)
            like_K = share_S[state_K] / self.chain.share_S[state_K]
            self._places[word] = state_K, like_K / like_K.sum()
        return self._places[word]

    def _share(self, word: str) -> np.ndarray:
        """P(state | word) (S,), of the word alone."""
        if word in self._known:
            return self._of(word)
        share_S = self.spelling.share(word)
        if not share_S.any():
            share_S = np.r_[0.0, self.chain.share_S[1:]]
        if self.config.low and (small := word.lower()) != word and small in self._known:
            count_S = self._of(small, share=False)
            share_S = (count_S + share_S) / (count_S.sum() + 1)
        return share_S

    def _of(self, word: str, share: bool = True) -> np.ndarray:
        state_N, times_N = self.lexicon[word]
        return np.bincount(state_N, times_N / times_N.sum() if share else times_N, len(self.states))

    def places(self, words: Sequence[str]) -> list[Place]:
        end = np.array([END]), np.ones(1)
        return [end if word == "\n" else self.place(word) for word in words]

    def spec(self) -> tuple[FieldSpec, ...]:
        return PROMISES

    def run(self, tokens: Tokens, tap: Tap) -> None:
        end = self.tokenizer.vocab[self.tokenizer.boundary]
        words = [
            "\n" if n == self.tokenizer.boundary and label == end else label
            for n, label in zip(tokens.ids.tolist(), tokens.labels, strict=True)
        ]
        axes = ("token", "tag")
        places, follows = self.places(words), self.chain.follows
        likely_TK = self.tags(places, [like_K[None] for __, like_K in places])
        changed_TK = np.asarray(tap("likely", likely_TK, axes))
        if tap.edits("likely"):
            places = [*map(self._changed, places, likely_TK, changed_TK)]
        beliefs = (
            second.forwards(follows, places)[0]
            if tap.wants("filter") or tap.wants("smooth")
            else []
        )
        tap.derived("filter", lambda: self.tags(places, beliefs), axes)
        tap.derived(
            "smooth", lambda: self.tags(places, second.smoothed(follows, places, beliefs)), axes
        )
        tap.derived("viterbi", lambda: self.tag_S[second.viterbi(follows, places)], ("token",))

    def _changed(self, place: Place, before_K: np.ndarray, after_K: np.ndarray) -> Place:
        """A place whose tags are as likely as an edit says; the states of a tag keep their shares."""
        state_N = np.arange(1, len(self.states)) if place[0].any() else place[0]
        like_S = np.zeros(len(self.states))
        like_S[place[0]] = place[1]
        found_S = after_K[self.tag_S] / np.bincount(self.tag_S)[self.tag_S]
        known_S = before_K[self.tag_S] > 0
        np.divide(after_K[self.tag_S] * like_S, before_K[self.tag_S], out=found_S, where=known_S)
        state_K = state_N[found_S[state_N] > 0]
        return (state_K, found_S[state_K]) if len(state_K) else place

    def tags(self, places: Sequence[Place], pairs: Sequence[np.ndarray]) -> np.ndarray:
        """Beliefs in pairs of states as beliefs in tags (T, K)."""
        found_TK = np.zeros((len(places), len(self.names)))
        for row_K, (state_K, __), pair_JK in zip(found_TK, places, pairs, strict=True):
            np.add.at(row_K, self.tag_S[state_K], pair_JK.sum(0))
        return found_TK

    def trail(self, stop: int, total: int) -> int:
        return total

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {"token": tokens.labels, "tag": self.names}

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        return (FOLLOWS,)

    def show_parameters(self, tap: Tap) -> None:
        k = len(self.names)
        __, j_N, k_N = np.unravel_index(self.chain.key_N, (self.chain.s,) * 3)
        at_N = self.tag_S[j_N] * k + self.tag_S[k_N]
        count_KK = np.bincount(at_N, self.chain.count_N, k * k).reshape(k, k)
        tap("transition", recursions.rows(count_KK), ("source", "target"))

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {"source": self.names, "target": self.names}

    def tagged(self, words: Sequence[str]) -> list[str]:
        """The tag of each word of a line, on its likeliest path up to the line end."""
        path_T = second.viterbi(self.chain.follows, self.places(["\n", *words, "\n"]))
        return [self.names[k] for k in self.tag_S[path_T[1:-1]]]

    def judge(self, lines: Sequence[str]) -> dict[str, float]:
        """Tags of the likeliest path.  No nats of the right tag: a known word has the tags that it
        was counted with and no other, at probability 0."""
        right, seen = 0, Counter[str]()
        for line in self.read([line for line in lines if line.strip()]):
            found = self.tagged([word for word, __ in line])
            for (__, tag), said in zip(line, found, strict=True):
                if tag in self.names:
                    right += int(tag == said)
                    seen[tag] += 1
        if not (total := seen.total()):
            return {}
        return {
            "answers": total,
            "accuracy": right / total,
            "commonest_label": seen.most_common(1)[0][1] / total,
        }

    def weights(self) -> dict[str, np.ndarray]:
        """All that was counted, packed: it is mostly small numbers."""
        lexicon = [*self.lexicon.values()]
        written = io.BytesIO()
        np.savez_compressed(
            written,
            about=_bytes([self.states[1:], [*self.lexicon]]),
            step=np.diff(self.chain.key_N, prepend=0).astype(np.uint32),
            times=self.chain.count_N.astype(np.uint32),
            many=np.array([len(states) for states, __ in lexicon], np.uint16),
            state=np.concatenate([states for states, __ in lexicon]).astype(np.uint16),
            wrote=np.concatenate([times for __, times in lexicon]).astype(np.uint32),
        )
        return {"counts": np.frombuffer(written.getvalue(), np.uint8)}

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        packed = io.BytesIO(np.asarray(weights["counts"], np.uint8).tobytes())
        found = np.load(packed, allow_pickle=False)
        states, words = json.loads(found["about"].tobytes())
        cuts = np.cumsum(found["many"][:-1].astype(np.int64))
        lexicon = dict(
            zip(
                words,
                zip(
                    np.split(found["state"].astype(np.int64), cuts),
                    np.split(found["wrote"].astype(np.int64), cuts),
                    strict=True,
                ),
                strict=True,
            )
        )
        key_N = np.cumsum(found["step"].astype(np.int64))
        chain = Trigrams(len(states) + 1, key_N, found["times"].astype(np.int64), config.order)
        return cls(config, states, chain, lexicon)


def state_of(word: str, tag: str, own: set[str], parts: Sequence[str], case: bool) -> str:
    """The state of a word with a tag, by its name: the tag, and behind a blank what splits it."""
    small = word.lower()
    if small in own:
        return f"{tag} {small}"
    capital = "A" if case and word[:1].isupper() else ""
    ends = (part for part in parts if small.endswith(part) and len(small) > len(part) + 1)
    found = capital + next((f"-{part}" for part in ends), "")
    return f"{tag} {found}" if found else tag


def _bytes(what: object) -> np.ndarray:
    return np.frombuffer(json.dumps(what, ensure_ascii=False).encode(), np.uint8)


MODEL = TrigramTagger
