"""What a head does: its weight on pairs of tokens that stand in a relation, against the same head
on a shuffled text.

What      score = mean over tokens that have a partner of sum_partners A[token, partner], over
          passages of our own grammar.
          baseline: the same head on the same tokens in random order, on the pairs that the shuffle
          has torn apart: where the relation is one of places, the weight between the two tokens
          wherever they stand now; where it is one of words, the weight between the two places
          whatever stands there now; for the first token, its weight on an average other one;
          for brackets and quotation marks no less than its weight on an average other sign of the
          text as it is.
          z = mean difference / its standard error over passages.  A tag is given where score >=
          LEAST, score >= TIMES x baseline and z >= CLEAR
Source    Clark, Khandelwal, Levy & Manning, What Does BERT Look At?, 2019 (next, previous, first,
          syntax); Olsson et al., In-context Learning and Induction Heads, 2022 (repeated random
          tokens, prefix matching)
Shapes    T = tokens, L = layers, N = heads, R = relations
Differs   The relations come from a grammar that planted them, so no parser is needed; its sentences
          are simple ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.language.message import _, refusal
from engine.lessons.heads.special import special
from engine.models.abilities import HasNet
from engine.models.base import Model
from engine.text.corpora.base import Fact
from engine.text.corpora.stories import CORPUS
from engine.text.tokenizers.base import Tokens

MODELS = ("transformer", "bert")  # with attention over one text
PASSAGES, LONGEST = 32, 96  # passages; tokens of one
SEED = 17  # of the grammar that writes them
# the same for a model of more than LARGE numbers, so that it takes seconds
FEWER, SHORTER, LARGE = 12, 64, 2e7
REPEATS, REPEATED = 8, 24  # passages of random tokens said twice; how many are said
LEAST, TIMES, CLEAR, FEWEST = 0.2, 2.0, 5.0, 5
SIGNS = frozenset(".,;:!?\"'()[]{}")


@dataclass(frozen=True, slots=True)
class Passage:
    """One text, cut as the model reads it.  facts: kind -> (T, T) true from the later place to the
    earlier one."""

    tokens: Tokens
    special: np.ndarray
    causal: bool
    facts: Mapping[str, np.ndarray]

    @property
    def may(self) -> np.ndarray:
        t = len(self.tokens)
        return np.tri(t, dtype=bool) if self.causal else np.ones((t, t), bool)


Pairs = Callable[[Passage], np.ndarray]  # (T, T) true from a token to each of its partners


@dataclass(frozen=True, slots=True)
class Relation:
    """torn  "tokens": partners are torn apart by the shuffle; "places": what stands at their places
    is; "others", "left": see `_torn`"""

    id: str
    says: str
    pairs: Pairs
    torn: str = "places"
    both_ways: bool = False  # only for a model that looks ahead too
    rivals: Pairs | None = None  # what a head has to prefer the partners to, in the text as it is


def _beside(shift: int) -> Pairs:
    return lambda p: np.eye(len(p.tokens), k=shift, dtype=bool)


def _first(p: Passage) -> np.ndarray:
    found = np.zeros((len(p.tokens),) * 2, bool)
    found[1:, 0] = True
    return found


def _same(p: Passage) -> np.ndarray:
    found: np.ndarray = _alike(p, p.tokens.ids) & ~np.eye(len(p.tokens), dtype=bool)
    return found


def _alike(p: Passage, to_T: np.ndarray) -> np.ndarray:
    found: np.ndarray = (p.tokens.ids[:, None] == to_T) & ~p.special[:, None] & ~p.special
    return found


def _after_same(p: Passage) -> np.ndarray:
    """T T' ... T: from the second T to T'."""
    ids = p.tokens.ids
    before_T = np.r_[-1, ids[:-1]]
    found = _alike(p, before_T)
    for i in range(len(ids)):
        found[i, i : i + 2] = False  # itself, and what follows it now
    return found


def _signs(p: Passage) -> np.ndarray:
    sign_T = (
        np.array([bool(label.strip()) and set(label.strip()) <= SIGNS for label in p.tokens.labels])
        & ~p.special
    )
    return np.broadcast_to(sign_T, (len(p.tokens),) * 2) & ~np.eye(len(p.tokens), dtype=bool)


def _fact(*kinds: str) -> Pairs:
    return lambda p: np.any([p.facts[kind] for kind in kinds], 0)


RELATIONS = (
    Relation("previous", "the token before", _beside(-1), "tokens"),
    Relation("next", "the token after", _beside(1), "tokens", both_ways=True),
    Relation("first", "the first token", _first, "others"),
    Relation("itself", "the token itself", _beside(0), "left"),
    Relation("same", "the same token elsewhere", _same),
    Relation("induction", "what followed the same token before", _after_same),
    Relation("punctuation", "full stops, commas, quotation marks, brackets", _signs),
    Relation(
        "bracket",
        "from a closing bracket or quotation mark to the one that opens",
        _fact("brackets", "quotation"),
        rivals=_signs,
    ),
    Relation("subject", "from a verb to its subject", _fact("agreement")),
    Relation("pronoun", "from a pronoun to the name it stands for", _fact("coreference")),
)
REPEAT = Relation(
    "induction, random",
    "what followed the same token before, in random tokens said twice",
    _after_same,
)
ORIGINAL = Relation(
    "original",
    "the token whose copy has to come next",
    lambda p: np.roll(p.facts["copy"], -1, 0),
    "tokens",
)


class Source(Protocol):
    """A text that says what it has planted."""

    def generate(self, lines: int, seed: int = 0) -> list[str]: ...
    def facts(self, line: str) -> list[Fact]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """score, baseline, z: (R, L, N); passages: (R,) how many were measured.  `names` are the
    relations."""

    names: tuple[str, ...]
    score: np.ndarray
    baseline: np.ndarray
    z: np.ndarray
    passages: tuple[int, ...]

    def given(self) -> np.ndarray:
        """(R, L, N) true where a head has the tag.  Induction has to show on random tokens said
        twice, too."""
        found: np.ndarray = (
            (self.score >= LEAST) & (self.score >= TIMES * self.baseline) & (self.z >= CLEAR)
        )
        found &= np.array(self.passages)[:, None, None] >= FEWEST
        plain, random = (self.names.index(name) for name in ("induction", REPEAT.id))
        found[random] &= found[plain]
        found[plain] = found[random]
        found[random] = False  # the same tag, once
        return found

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per head and relation, in that order."""
        given = self.given()
        for layer, head, r in np.ndindex(*self.score.shape[1:], len(self.names)):
            at = (r, layer, head)
            yield {
                "layer": layer + 1,
                "head": head + 1,
                "relation": self.names[r],
                "score": float(self.score[at]),
                "baseline": float(self.baseline[at]),
                "z": float(self.z[at]),
                "passages": self.passages[r],
                "tag": bool(given[at]),
            }


def measure(
    model: Model[Any],
    seed: int = 0,
    source: Source = CORPUS,
    tell: Callable[[float], None] = lambda share: None,
) -> Tags:
    """Read the passages as they are and shuffled.  ValueError for a model without a field
    `attention` over one text.

    source  of the passages: the text of the model, where it knows no English; one of copies is
            itself random tokens said twice
    tell    is told which share is done, on the way
    """
    rng = np.random.default_rng(seed)
    chosen = [r for r in RELATIONS if not (r.both_ways and model.causal)]
    copies = source is not CORPUS and any(
        fact.kind == "copy" for fact in source.facts(source.generate(1)[0])
    )
    if copies:
        chosen += [ORIGINAL, REPEAT]
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {r.id: [] for r in (*chosen, REPEAT)}
    every = [*passages(model, source)]
    for n, passage in enumerate(every):
        tell(n / (len(every) + REPEATS))
        shuffled, place_T = shuffle(passage, rng)
        _compare(
            model,
            passage,
            shuffled,
            [(r, r.pairs(passage), _torn(r, passage, place_T)) for r in chosen],
            found,
        )
    for n, (said, other) in enumerate(() if copies else repeats(model, rng, source)):
        tell((len(every) + n) / (len(every) + REPEATS))
        again = REPEAT.pairs(said)
        _compare(model, said, other.tokens, [(REPEAT, again, again.astype(np.float32))], found)
    sizes = weights(model, model.tokens("")).shape[:2]
    score, base, z = (np.zeros((len(found), *sizes)) for _ in range(3))
    for n, measured in enumerate(found.values()):
        if measured:
            ours, theirs = np.array(measured).swapaxes(0, 1)
            score[n], base[n] = ours.mean(0), theirs.mean(0)
            if len(measured) > 1:
                error = (ours - theirs).std(0, ddof=1) / len(measured) ** 0.5
                z[n] = (score[n] - base[n]) / np.maximum(error, 1e-9)
    return Tags(tuple(found), score, base, z, tuple(map(len, found.values())))


def _compare(
    model: Model[Any],
    passage: Passage,
    shuffled: Tokens,
    asked: list[tuple[Relation, np.ndarray, np.ndarray]],
    found: Any,
) -> None:
    ours, theirs = (
        weights(model, tokens).astype(np.float64) for tokens in (passage.tokens, shuffled)
    )
    for relation, pairs_TT, torn_TT in asked:
        kept = pairs_TT & passage.may
        if kept.any() and torn_TT.any():
            base_LN = share(theirs, torn_TT)
            if relation.rivals:
                base_LN = np.maximum(
                    base_LN, _rival(ours, kept, relation.rivals(passage) & passage.may & ~kept)
                )
            found[relation.id].append((share(ours, kept), base_LN))


def _rival(weight_LNTT: np.ndarray, pair_TT: np.ndarray, rival_TT: np.ndarray) -> np.ndarray:
    """(L, N): what as many average rivals get as a token has partners."""
    rows = np.asarray(pair_TT.any(1)) & np.asarray(rival_TT.any(1))
    each_TT = (
        rival_TT
        / np.maximum(rival_TT.sum(1, keepdims=True), 1)
        * pair_TT.sum(1, keepdims=True)
        * rows[:, None]
    )
    return share(weight_LNTT, each_TT) if rows.any() else np.zeros(weight_LNTT.shape[:2])


def share(weight_LNTT: np.ndarray, pair_TT: np.ndarray) -> np.ndarray:
    """(L, N): mean over the tokens that have a partner of their weight on all of their partners."""
    rows = np.asarray(pair_TT.any(1))
    found: np.ndarray = (
        np.einsum("lnij,ij->ln", weight_LNTT[:, :, rows], pair_TT[rows]) / rows.sum()
    )
    return found


def _torn(relation: Relation, passage: Passage, place_T: np.ndarray) -> np.ndarray:
    """(T, T) what is counted in the shuffled text, where token i of the passage stands at
    place_T[i]."""
    may, pairs = passage.may, relation.pairs(passage)
    if relation.torn == "places":
        return (pairs & may).astype(np.float32)
    if relation.torn == "others":  # an average token that is not the first
        others = may.copy()
        others[:, 0] = False
        return others / np.maximum(others.sum(1, keepdims=True), 1)
    moved = np.zeros_like(pairs)
    i, j = np.nonzero(pairs)
    moved[place_T[i], j if relation.torn == "left" else place_T[j]] = (
        True  # "left": the place where the token stood before
    )
    moved &= ~pairs & may
    return moved.astype(np.float32)


def weights(model: Model[Any], tokens: Tokens) -> np.ndarray:
    """(L, N, T, T).  ValueError for a model that has none."""
    spec = next(
        (s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "attention"), None
    )
    if spec is None:
        raise refusal("{title} has no attention to look at", title=_(model.card.title))
    recorder = Recorder(fields=("attention",))
    model.run(tokens, recorder)
    return recorder.values(spec)


def is_large(model: Model[Any]) -> bool:
    return isinstance(model, HasNet) and sum(p.numel() for p in model.net.parameters()) > LARGE


def passages(model: Model[Any], source: Source = CORPUS) -> Iterator[Passage]:
    count, longest = (FEWER, SHORTER) if is_large(model) else (PASSAGES, LONGEST)
    for line in source.generate(count, seed=SEED):
        tokens = model.tokens(line)
        most = min(longest, model.context or longest)
        tail = special(tokens)[-1:].all() and len(tokens) > most
        tokens = _joined(tokens[: most - 1], tokens[-1:]) if tail else tokens[:most]
        facts = {
            k: np.zeros((len(tokens),) * 2, bool)
            for k in ("agreement", "brackets", "quotation", "copy", "coreference")
        }
        for fact in source.facts(line):
            facts[fact.kind] |= _over(tokens, fact.second)[:, None] & _over(tokens, fact.first)
        yield Passage(tokens, special(tokens), model.causal, facts)


def _over(tokens: Tokens, span: tuple[int, int]) -> np.ndarray:
    """(T,) true where a token covers a character of the span."""
    return np.array([max(a, span[0]) < min(b, span[1]) for a, b in tokens.spans], bool)


def shuffle(passage: Passage, rng: np.random.Generator) -> tuple[Tokens, np.ndarray]:
    """The tokens in random order, special ones where they were, and the place (T,) of each now."""
    move = np.flatnonzero(~passage.special)
    order = np.arange(len(passage.tokens))
    order[move] = rng.permutation(move)  # what stands here now
    place_T = np.argsort(order)
    return _picked(passage.tokens, order), place_T


def repeats(
    model: Model[Any], rng: np.random.Generator, source: Source = CORPUS
) -> Iterator[tuple[Passage, Passage]]:
    """Random tokens said twice, and the same with the second time in another order."""
    marks = model.marks()
    used = np.unique(np.concatenate([p.tokens.ids[~p.special] for p in passages(model, source)]))
    count = min(REPEATED, len(used), ((model.context or 10**6) - len(marks)) // 2)
    for _time in range(REPEATS if count > 3 else 0):
        once = rng.choice(used, count, replace=False)
        said = (
            [marks.ids[:1], once, once, marks.ids[1:]],
            [marks.ids[:1], once, rng.permutation(once), marks.ids[1:]],
        )
        made = []
        for parts in said:
            ids = np.concatenate(parts)
            hidden = np.zeros(len(ids), bool)
            hidden[: len(marks.ids[:1])] = True
            hidden[len(ids) - len(marks.ids[1:]) :] = True
            tokens = Tokens(ids, ("",) * len(ids), tuple((0, 0) if h else (1, 2) for h in hidden))
            made.append(Passage(tokens, hidden, model.causal, {}))
        yield made[0], made[1]


def _picked(tokens: Tokens, order: np.ndarray) -> Tokens:
    return Tokens(
        tokens.ids[order],
        tuple(tokens.labels[i] for i in order),
        tuple(tokens.spans[i] for i in order),
    )


def _joined(one: Tokens, two: Tokens) -> Tokens:
    return Tokens(
        np.concatenate([one.ids, two.ids]), one.labels + two.labels, one.spans + two.spans
    )
