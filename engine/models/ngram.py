"""N-gram model: the next token is what followed the last few tokens in the training text, with a
little kept for the unseen.

What      counts of runs of 1 to n tokens (engine/ngram/counts.py) with a smoothing method
          (engine/ngram/smoothing/)
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer
          Speech & Language 13, 1999
Shapes    T = tokens, V = vocabulary, M = orders 0 (uniform) to n, K = next tokens listed
Differs   Tokens outside the vocabulary are counted as <unk>, an ordinary word.  Rare n-grams of
          three tokens and more can be cut off, and those that matter least
          (engine/ngram/prune.py).  A line of the text is a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, final

import numpy as np

from engine.core.cache import once
from engine.core.registry import smoothings, tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind, TableSpec
from engine.language.message import refusal
from engine.models.abilities import CountsRuns
from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.ngram import chunks
from engine.ngram.counts import Counts, Grams, count
from engine.ngram.prune import thin
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.tuning import tuned
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split
from engine.text.tokenizers.words import Words, never_of, start_of

MOST = 7
LISTED = 20
METHODS = tuple(id.replace("_", "-") for id in smoothings.ids())


@dataclass(frozen=True, slots=True)
class Config:
    order: int = setting(4, "length of the longest n-gram counted", min=1, max=MOST)
    tokenizer: str = setting("words", f"how the text is cut: {', '.join(tokenizers.ids())}")
    vocabulary: int = setting(100_000, "largest vocabulary", min=16, max=1_000_000)
    min_count: int = setting(
        1, "cut-off: drop n-grams of 3 or more tokens seen less often", min=1, max=100
    )
    prune: float = setting(
        0.0,
        "pruning: drop n-grams of 2 or more tokens whose loss raises the perplexity by"
        " less than this share; 0: none",
        min=0.0,
        max=1.0,
        later=True,
    )
    lowercase: bool = setting(False, "lower-case the text (words and whitespace only)")
    smoothing: str = setting("modified-kneser-ney", "smoothing: " + ", ".join(METHODS))
    k: float = setting(0.1, "add-k: number added to every count", min=0.001, max=10.0)
    lambdas: str = setting(
        "", "jelinek-mercer: weights, longest order first; empty: fitted to lines set aside"
    )
    discount: float = setting(
        0.0, "discount of methods with a single one; 0: computed from the counts", min=0.0, max=1.0
    )
    katz_k: int = setting(5, "katz: counts up to this one are corrected", min=1, max=10)
    alpha: float = setting(
        0.4, "stupid-backoff: factor per step to a shorter context", min=0.0, max=1.0
    )
    floor: bool = setting(True, "reserve a little for tokens that were never counted")
    compact: bool = setting(False, "store only integer counts: a third of the size, slower to open")

    @property
    def as_it_stands(self) -> bool:
        """White-space tokens: a text cut beforehand has its own test text.  Every line counts,
        blank ones too; none is held out."""
        return self.tokenizer == "whitespace"


@final
class Ngram(CountsRuns[Config]):
    card = Card(
        "ngram",
        "N-gram counts",
        1999,
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer"
        " Speech & Language 13",
    )
    config_type = Config
    foretells, by_id = True, True

    def __init__(self, config: Config, tokenizer: Tokenizer, smoothed: Smoothed) -> None:
        self.config, self.tokenizer, self.smoothed = config, tokenizer, smoothed
        orders = ("uniform", *(str(m) for m in range(1, config.order + 1)))
        self._labels = {"next": tokenizer.vocab, "order": orders}
        self._start, self._label = start_of(tokenizer)

    @classmethod
    def cut(cls, lines: Sequence[str], config: Config) -> Cut:
        """Counted, but not smoothed."""
        said: dict[str, float] = {}
        for report in cls.fit_lines(lines, config):
            said |= report.metrics
            if f"ngrams_{config.order}" in said:
                break
        ngrams = tuple(int(said[f"ngrams_{m}"]) for m in range(1, config.order + 1))
        return Cut(int(said["tokens"]), int(said["vocabulary"]), ngrams=ngrams)

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        return Cost()

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
        """Counting cannot be resumed and needs no device."""
        lines = text.removesuffix("\n").split("\n") if config.as_it_stands else passages(text)
        if not any(line.strip() for line in lines):
            raise ValueError("nothing to learn from: all lines of the text are blank")
        lines, held_out = (lines, []) if config.as_it_stands else split(lines, seed)
        yield from cls.fit_lines(lines, config, seed=seed, held_out=held_out)

    @classmethod
    def fit_lines(
        cls, lines: Iterable[str], config: Config, *, seed: int = 0, held_out: Sequence[str] = ()
    ) -> Iterator[Progress]:
        """As `fit`, of lines (without line ends) that may come one by one, as from a file; all of
        them are counted."""
        if not 1 <= config.order <= MOST:
            raise refusal(
                "order is the length of the longest run counted, 1 to {MOST}; {config.order} was"
                " given"
            )
        method: Any = method_of(config)
        if config.prune and not method.is_probability:
            raise refusal(
                "prune needs a method that gives probabilities; {config.smoothing} gives scores"
            )
        kept = list(lines) if method.tunes else []
        tokenizer, stream_N = _learned(config, kept or lines)
        method = tuned(method, kept, tokenizer, config.order, seed)
        facts = (len(tokenizer.vocab), config.order, tokenizer.boundary)
        large = len(stream_N) > chunks.MOST
        total = 2 + (chunks.steps(len(stream_N), config.order) if large else config.order)
        yield Progress(1, total, {"tokens": len(stream_N) - 1, "vocabulary": len(tokenizer.vocab)})
        orders: list[Grams] = []
        for step, grams in enumerate((chunks.count if large else count)(stream_N, *facts), 2):
            if grams is not None:
                orders.append(grams)
            yield Progress(
                step,
                total,
                {} if grams is None else {f"ngrams_{len(orders)}": int((grams.count_G > 0).sum())},
            )
        least = (1, 1) + (config.min_count,) * (MOST - 2)
        raw = Counts(orders, tokenizer.boundary)
        smoothed = Smoothed.estimate(method, raw, never_of(tokenizer), least)
        if config.prune:
            smoothed = thin(smoothed, config.prune, raw)
        metrics = {
            f"kept_{m}": float(len(grams))
            for m, grams in enumerate(smoothed.counts.orders, 1)
            if m > (1 if config.prune else 2)
        }
        if held_out:
            p_N = smoothed.probabilities(tokenizer.stream(held_out))
            if impossible := int((p_N == 0).sum()):  # then there is no finite number
                metrics["held_out_impossible"] = float(impossible)
            else:
                nats, characters = (
                    float(-np.log(p_N).sum()),
                    sum(len(line) + 1 for line in held_out),
                )
                metrics |= {
                    "held_out_nats": nats / len(p_N),
                    "held_out_bits_per_character": nats / math.log(2) / characters,
                }
        yield Progress(total, total, metrics, cls(config, tokenizer, smoothed))

    @property
    def normalised(self) -> bool:
        return self.smoothed.method.is_probability

    @property
    def as_it_stands(self) -> bool:
        return self.config.as_it_stands

    def runs(self) -> int:
        return sum(len(grams) for grams in self.smoothed.counts.orders)

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text).after(self._start, self._label)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels}

    def lead(self, start: int) -> int:
        return max(0, start - max(1, self.config.order - 1))

    @once
    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        order = ("token", "order")
        numbers = (
            f"{name}_{m}"
            for m in range(1, self.config.order + 1)
            for name in ("count", "total", "discount")
        )
        parts = (f"part_{m}" for m in range(self.config.order + 1))
        columns = ("position", "rank", "next", "probability", *parts, *numbers)
        return (
            FieldSpec(
                "backoff",
                Kind.GATE,
                order,
                "Back-off weight: the share each order leaves to the next shorter one after"
                " this token; 1 where it has never seen this context.",
                "gamma",
            ),
            FieldSpec(
                "mass",
                Kind.PROBABILITY,
                order,
                "Share of the prediction that comes from each order.",
                "m",
            ),
            FieldSpec(
                "part",
                Kind.GATE,
                order,
                "Contribution of each order to the probability of this token; they add up to it.",
                "P_m",
            ),
            FieldSpec(
                "matched",
                Kind.COUNT,
                ("token",),
                (
                    "Length of the longest n-gram ending in this token that occurs in the training"
                    " text."
                ),
                "k",
                "tokens",
            ),
            FieldSpec(
                "probability",
                Kind.PROBABILITY,
                ("token", "next"),
                "Probability of each possible next token.",
                "P",
            ),
            TableSpec(
                "ladder",
                columns,
                f"The {LISTED} likeliest next tokens after each token, with their counts,"
                " order by order.",
            ),
        )

    def ladder_of(self, text: str, window: tuple[int, int], word: int) -> dict[str, np.ndarray]:
        """For one next token after each of the tokens (start, stop): `part` (T, M); `count`,
        `total`, `discount` (T, n)."""
        start, stop = window
        first = self.lead(start)
        place_TM = self._places(self.tokens(text)[first:stop].ids)[start - first :]
        word_T1 = np.full((len(place_TM), 1), word)
        return {
            name: v[:, 0]
            for name, v in self.smoothed.ladder(
                place_TM, self.smoothed.weights(place_TM), word_T1
            ).items()
        }

    def probabilities(self, ids_T: np.ndarray) -> np.ndarray:
        """(T - 1,) float64: P of each token given those before it, of the second on."""
        return self.smoothed.probabilities(self.counted_as(ids_T))

    def counted_as(self, ids_T: np.ndarray) -> np.ndarray:
        return np.where(ids_T == self._start, self.tokenizer.boundary, ids_T)

    def _places(self, ids_T: np.ndarray) -> np.ndarray:
        return self.smoothed.counts.places(self.counted_as(ids_T))

    def run(self, tokens: Tokens, tap: Tap) -> None:
        model, order = self.smoothed, ("token", "order")
        place_TM = self._places(tokens.ids)
        gamma_TM = model.backoff(place_TM)
        gamma_TM = tap("backoff", gamma_TM, order)
        own_TM = model.mass(place_TM, gamma_TM)
        weight_TM = model.reweigh(place_TM, gamma_TM, own_TM, tap("mass", own_TM, order))
        part_TM = np.zeros_like(weight_TM)  # nothing predicts the first token
        part_TM[1:] = model.parts(place_TM[1:], weight_TM[:-1])
        tap("part", part_TM, order)
        matched_T = model.matched(place_TM)
        matched_T[0] = 0
        tap("matched", matched_T, ("token",))
        needed = any(tap.wants(name) for name in ("probability", "ladder"))
        shape = (len(tokens), len(self.tokenizer.vocab))
        # no other row is looked at, so none is made
        first, stop = (0, len(tokens)) if tap.edits("probability") else tap.window(len(tokens))
        kept = slice(first, stop)
        if needed:
            p_TV = np.empty(shape, np.float32)
            p_TV[kept] = model.distributions(place_TM[kept], weight_TM[kept])
        else:
            p_TV = np.broadcast_to(np.float32(0), shape)
        p_TV = tap("probability", p_TV, ("token", "next"))
        tap.table(
            "ladder", lambda: self._ladder(place_TM[kept], weight_TM[kept], p_TV[kept], first)
        )

    def _ladder(
        self, place_TM: np.ndarray, weight_TM: np.ndarray, p_TV: np.ndarray, first: int
    ) -> dict[str, np.ndarray]:
        """`first`: the position of the first row."""
        t, k = len(p_TV), min(LISTED, p_TV.shape[1] - (never_of(self.tokenizer) is not None))
        top_TK = np.stack([_top(p_V, k) for p_V in p_TV])
        found = self.smoothed.ladder(place_TM, weight_TM, top_TK)
        orders = range(self.config.order + 1)
        return {
            "position": np.repeat(np.arange(first, first + t), k),
            "rank": np.tile(np.arange(1, k + 1), t),
            "next": np.array(
                [self.tokenizer.vocab[i] for i in top_TK.ravel().tolist()], dtype=object
            ),
            "probability": np.take_along_axis(p_TV, top_TK, 1).ravel(),
            **{f"part_{m}": found["part"][..., m].ravel() for m in orders},
            **{
                f"{name}_{m}": found[name][..., m - 1].ravel()
                for m in orders[1:]
                for name in ("count", "total", "discount")
            },
        }

    def surprisals(self, lines: Sequence[str]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        stream_N = self.tokenizer.stream(lines)
        with np.errstate(divide="ignore"):
            bits_N = -np.log2(self.smoothed.probabilities(stream_N))
        ends = np.flatnonzero(stream_N[1:] == self.tokenizer.boundary)[:-1] + 1
        return np.split(bits_N, ends), np.split(stream_N[1:] == self.tokenizer.unknown, ends)

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        """The counts of single tokens, how many runs of each length there are, and what the
        smoothing method learned from them."""
        return (
            FieldSpec(
                "count",
                Kind.COUNT,
                ("next",),
                "How often each token was counted.",
                "c",
                "occurrences",
            ),
            FieldSpec(
                "runs",
                Kind.COUNT,
                ("order",),
                "How many different runs of each length are known.",
                "n",
                "runs",
            ),
            *(
                FieldSpec(
                    f"learned.{name}",
                    Kind.STATE,
                    ("row", "column")[2 - values.ndim :],
                    f"What the smoothing method learned from the counts: its {name}.",
                )
                for name, values in self.smoothed.learned.items()
            ),
        )

    def show_parameters(self, tap: Tap) -> None:
        orders = self.smoothed.counts.orders
        count_V = np.zeros(len(self.tokenizer.vocab), np.float32)
        count_V[orders[0].word_G] = orders[0].count_G
        tap("count", count_V, ("next",))
        tap("runs", np.array([len(grams) for grams in orders], np.float32), ("order",))
        for spec in self.parameters_spec()[2:]:
            tap(spec.name, self.smoothed.learned[spec.name.removeprefix("learned.")], spec.axes)

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        return {
            "next": self.tokenizer.vocab,
            "order": tuple(str(m + 1) for m in range(self.config.order)),
        }

    def weights(self) -> dict[str, np.ndarray]:
        return self.smoothed.arrays(self.config.compact) | {
            "tokenizer": np.frombuffer(self.tokenizer.state(), np.uint8)
        }

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        arrays = dict(weights)
        tokenizer: Tokenizer = tokenizers.get(config.tokenizer).from_state(
            np.asarray(arrays.pop("tokenizer")).tobytes()
        )
        return cls(
            config,
            tokenizer,
            Smoothed.from_arrays(
                method_of(config), arrays, tokenizer.boundary, never_of(tokenizer)
            ),
        )


def settings(kind: Any) -> list[str]:
    """The names of a method's settings."""
    return [f.name for f in fields(kind) if f.init]


def method_of(config: Config) -> Smoothing:
    """ValueError that names the methods where there is no such one."""
    if config.smoothing not in METHODS:
        raise refusal("no smoothing {config.smoothing!r}; there are {METHODS}")
    kind: Any = smoothings.get(config.smoothing.replace("-", "_"))
    method: Smoothing = kind(**{name: getattr(config, name) for name in settings(kind)})
    return method


def _top(p_V: np.ndarray, k: int) -> np.ndarray:
    """(k,) ids of the k largest, largest first.

    Of V // 64 groups, k have a maximum of at least the k-th largest maximum, so whatever is below
    it can be left out.
    """
    groups = len(p_V) // 64
    if groups < k:
        return np.argsort(-p_V, kind="stable")[:k]
    largest = p_V[: groups * 64].reshape(64, groups).max(0)
    left = np.flatnonzero(p_V >= np.partition(largest, -k)[-k])
    top: np.ndarray = left[np.argsort(-p_V[left], kind="stable")[:k]]
    return top


def _learned(config: Config, lines: Iterable[str]) -> tuple[Tokenizer, np.ndarray]:
    """The tokenizer that fits the lines, and their stream."""
    kind: Any = tokenizers.get(config.tokenizer)
    if config.lowercase and not issubclass(kind, Words):
        raise refusal("lowercase needs the tokenizer words or whitespace, not {config.tokenizer}")
    learned: tuple[Tokenizer, np.ndarray] = kind.learn(
        lines, config.vocabulary, **({"lowercase": True} if config.lowercase else {})
    )
    return learned


MODEL = Ngram
