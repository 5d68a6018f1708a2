"""Examples: what each head learns from, as ids of BERT and what is right at them.

What      class     a short passage of a film review, or a short review: 1 where the review is positive
          tags      a sentence of the treebank: a tag at the first piece of each word, NOTHING elsewhere
          question  a question and a passage: 1 where the answer stands there, and its first and its last token
          replaced  a sentence in which BERT put words of its own: 1 at those that differ from the original
Source    Devlin et al., BERT, 2019, sec. 4 and 5.3 (the first piece of a word stands for it); Clark et al., ELECTRA,
          2020, sec. 2
Shapes    T = tokens, B = examples of one length
Differs   Examples that do not fit into the model are left out, not cut. As in ELECTRA a word that was drawn as it was
          counts as original; the generator is the body itself.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.lessons.tasks import questions
from engine.models.bert import Bert
from engine.shipped.sources.base import content, find, lines_of
from engine.text.corpora.reviews import CORPUS as short_reviews

NOTHING = -100  # a target that does not count
LABELS = ("negative", "positive")
SHARE = 0.15  # of the words that the generator may replace
TEMPERATURE = 1.5  # of its draws: as good as the discriminator, it would leave little to find
FEW = 30  # words of a passage of a film review, at most
SHORT, TIMES = 200, 3  # of the built-in short reviews, those that are learned from, and how often


@dataclass(frozen=True, slots=True)
class Example:
    """target  (): a class; (T,): one for each token; (3,): of a question"""

    ids_T: np.ndarray
    target: np.ndarray


Examples = list[Example]


def of_reviews(model: Bert, lines: Sequence[str]) -> Examples:
    """Of lines label, tab, text."""
    found = []
    for line in lines:
        label, __, text = line.partition("\t")
        found.append(Example(model.tokens(text).ids, np.array(LABELS.index(label))))
    return _fit(model, found)


def of_tagged(model: Bert, lines: Sequence[str], names: Sequence[str]) -> Examples:
    """Of lines word/TAG word/TAG."""
    number, found = {name: n for n, name in enumerate(names)}, []
    for line in lines:
        pairs = [pair.rpartition("/") for pair in line.split()]
        tokens, tag_at, at = model.tokens(" ".join(word for word, _, _ in pairs)), {}, 0
        for word, _, tag in pairs:
            tag_at[at] = number.get(tag, NOTHING)
            at += len(word) + 1
        target = [tag_at.get(start, NOTHING) if stop else NOTHING for start, stop in tokens.spans]
        found.append(Example(tokens.ids, np.array(target)))
    return _fit(model, found)


def of_questions(model: Bert, asked: Sequence[questions.Question]) -> Examples:
    """Whether it is answered, and the first and the last token of the answer."""
    found = []
    for one in asked:
        text, before = f"{one.asked}\n{one.passage}", len(one.asked) + 1
        tokens = model.tokens(text)
        inside = [
            t
            for t, (start, stop) in enumerate(tokens.spans)
            if stop and start < before + one.stop and stop > before + one.start
        ]
        span = (inside[0], inside[-1]) if inside else (NOTHING, NOTHING)
        found.append(Example(tokens.ids, np.array([int(bool(inside)), *span])))
    return _fit(model, found)


def of_generator(model: Bert, texts: Sequence[str], seed: int) -> Examples:
    """Each text with words that the body itself put in place of some."""
    rng = np.random.default_rng(seed)
    fit = _fit(model, [Example(model.tokens(text).ids, np.zeros(())) for text in texts])
    found = []
    for some in batches(fit, 64):
        chosen = [choose(model, one.ids_T, rng) for one in some]
        drawn = replace_words(model, [one.ids_T for one in some], chosen, rng)
        found += [
            Example(ids_T, compare(model, one.ids_T, ids_T))
            for one, ids_T in zip(some, drawn, strict=True)
        ]
    return found


def choose(
    model: Bert, ids_T: np.ndarray, rng: np.random.Generator, share: float = SHARE
) -> list[int]:
    """The places whose words are replaced; none of them is a mark."""
    at = np.flatnonzero(~_marks(model, ids_T))
    found: list[int] = at[rng.random(len(at)) < share].tolist()
    return found


def replace_words(
    model: Bert, texts: Sequence[np.ndarray], at: Sequence[list[int]], rng: np.random.Generator
) -> list[np.ndarray]:
    """Texts with words at some places drawn from what the model guesses for masks there."""
    masked = [ids_T.copy() for ids_T in texts]
    for ids_T, places in zip(masked, at, strict=True):
        ids_T[places] = model.tokenizer.mask
    found = [ids_T.copy() for ids_T in texts]
    guessed = model.look([*zip(masked, at, strict=True)])
    for ids_T, places, (p_NV, __) in zip(found, at, guessed, strict=True):
        for place, p_V in zip(places, () if p_NV is None else p_NV, strict=True):
            upto_V = np.cumsum(p_V.astype(np.float64) ** (1 / TEMPERATURE))
            ids_T[place] = int(np.searchsorted(upto_V, rng.random() * upto_V[-1]))
    return found


def compare(model: Bert, ids_T: np.ndarray, drawn_T: np.ndarray) -> np.ndarray:
    """1 where a word was replaced by another one, 0 where it is the original, NOTHING at marks."""
    found: np.ndarray = np.where(_marks(model, ids_T), NOTHING, drawn_T != ids_T)
    return found


def _marks(model: Bert, ids_T: np.ndarray) -> np.ndarray:
    t = model.tokenizer
    found: np.ndarray = np.isin(ids_T, (t.start, t.end, t.mask, t.unknown))
    return found


def _fit(model: Bert, found: Examples) -> Examples:
    return [one for one in found if 2 < len(one.ids_T) <= model.config.context]


@dataclass(frozen=True, slots=True)
class Tasks:
    """names  of the tags"""

    learn: dict[str, Examples]
    test: dict[str, Examples]
    names: tuple[str, ...]


def read(model: Bert, data: Path, most: int = 0) -> Tasks:
    """From a folder with the film reviews and the treebank; at most so many lines of each, 0: all."""
    tagged, reviews = find("ud_english"), find("film_reviews")
    trees = tagged.found(data)
    lines = {
        "learn": (tagged.text(data), reviews.text(data)),
        "test": (
            tagged.unseen(data)["test part"],
            reviews.unseen(data)["passages of 200 unseen reviews"],
        ),
    }
    known = {
        pair.rpartition("/")[2] for line in lines["learn"][0].split("\n") for pair in line.split()
    }
    names, found = tuple(sorted(known)), {}
    for n, (part, (words, films)) in enumerate(lines.items()):
        some = [line for line in films.splitlines() if len(line.split()) <= FEW]
        sentences, passages = words.splitlines()[: most or None], some[: most or None]
        asked = questions.make(lines_of(content(trees["test" if n else "train"])))[: most or None]
        plain = [passage.partition("\t")[2] for passage in passages[: len(sentences)]]
        plain += [" ".join(pair.rpartition("/")[0] for pair in line.split()) for line in sentences]
        random.Random(n).shuffle(plain)
        found[part] = {
            "class": of_reviews(model, passages),
            "tags": of_tagged(model, sentences, names),
            "question": of_questions(model, asked),
            "replaced": of_generator(model, plain[: most // (5 if n else 2) or None], n),
        }
    short = [f"{label}\t{text}" for label, text in short_reviews.labelled()]
    found["learn"]["class"] = TIMES * of_reviews(model, short[:SHORT]) + found["learn"]["class"]
    found["test"]["short"] = of_reviews(model, short[SHORT:])
    return Tasks(found["learn"], found["test"], names)


def batches(
    some: Examples, size: int, rng: np.random.Generator | None = None
) -> Iterator[Examples]:
    """Examples of one length together, at most so many; in an order drawn by chance where there is one."""
    by_length = defaultdict(list)
    order = rng.permutation(len(some)).tolist() if rng else range(len(some))
    for n in order:
        by_length[len(some[n].ids_T)].append(some[n])
    cut = [rows[at : at + size] for rows in by_length.values() for at in range(0, len(rows), size)]
    if rng:
        rng.shuffle(cut)  # type: ignore[arg-type]
    yield from cut
