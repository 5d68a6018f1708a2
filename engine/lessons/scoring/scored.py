"""What is scored: the reader's sentences, the method and its settings, and how surprised each method is
by them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine import frame as fr
from engine.language.message import refusal
from engine.lessons.counting_context import without_marks
from engine.lessons.counting_texts import Counted
from engine.lessons.smoothing.methods import titles, with_settings
from engine.ngram.closed import Closed
from engine.ngram.evaluate import Evaluation, evaluate
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.text.read import read
from engine.text.tokenizers.words import never_of

FIRST = "the cat saw the dog\na cat sat on the dog"
UNITS = {"bits": 2.0, "nats": math.e, "dits": 10.0}
BASES = {"bits": "2", "nats": "e", "dits": "10"}
METHOD = "modified_kneser_ney"

# what the parts share
LINES = fr.shared(
    fr.typed(
        "Sentences to score, one per line",
        lambda given: given["mine"] or FIRST,
        6_000,
        "Type or paste a text, one sentence per line",
        width=420,
        along=True,
        tall=68,
    )
)
PICKED = fr.shared(fr.pick("Method", titles, METHOD, width=235))
UNIT = fr.shared(fr.pick("Measured in", tuple(UNITS), few=True))
FLOOR = fr.shared(
    fr.switch("Reserve a little for uncounted words", True),
    "Off: an uncounted word is impossible, as in a plain table of counts, and V in the formulas does"
    " not include it. Modified Kneser-Ney keeps its share for the unknown word either way.",
)


@dataclass(frozen=True)
class Scored:
    """The sentences and what every method says of them; `method` is the id of the chosen one."""

    counted: Counted
    lines: tuple[str, ...]
    ids: np.ndarray  # of all tokens behind the mark that each sentence begins with
    models: dict[str, Smoothed]
    found: dict[str, Evaluation]
    method: str
    unit: str

    @property
    def model(self) -> Smoothed:
        return self.models[self.method]

    @property
    def mine(self) -> Evaluation:
        return self.found[self.method]

    @property
    def title(self) -> str:
        return str(self.model.method.title)

    def per_unit(self, bits: Any) -> Any:
        return bits / math.log2(UNITS[self.unit])


def scored(
    counted: Counted,
    lines: str,
    method: str = METHOD,
    unit: str = "bits",
    floor: bool = True,
    **settings: float | str,
) -> Scored:
    """`settings`: what methods can be set to, by its name; ValueError where there is nothing to score."""
    try:
        text = read(lines.encode("utf-8", "replace"))[0] if lines.strip() else ""
    except ValueError as problem:
        raise refusal("This cannot be scored: {problem}.") from problem
    kept = tuple(line for line in without_marks(text).split("\n") if line.strip())
    if not kept:
        raise ValueError("Type sentences, one per line; every number is computed from them.")
    study, boundary = counted.study, counted.study.raw.boundary
    tokens = study.tokens("\n".join(kept) + "\n")
    later = zip(tokens.ids[1:], tokens.labels[1:], strict=True)
    labels = ("<s>", *("</s>" if id == boundary else w for id, w in later))
    models = {id: model_of(counted, with_settings(id, settings), floor) for id in titles()}
    unknown_id = study.tokenizer.unknown
    found = {id: evaluate(m, tokens.ids, labels, unknown_id) for id, m in models.items()}
    ids = np.concatenate([np.array([boundary], np.int64), tokens.ids[1:]])
    return Scored(counted, kept, ids, models, found, method, unit)


def model_of(counted: Counted, method: Smoothing, floor: bool) -> Smoothed:
    """Without a floor the vocabulary is closed, where the unknown token was not counted."""
    study = counted.study
    if floor:
        return study.smoothed(method)
    method = without_floor(method)
    seen = study.raw.orders[0].count_G[study.tokenizer.unknown] > 0
    if seen or isinstance(method, ModifiedKneserNey):
        return study.smoothed(method)
    return _closed(counted, method)


def without_floor(method: Any) -> Smoothing:
    """The method with plain shares as its unigrams."""
    has = any(f.name == "floor" for f in fields(method))
    made: Smoothing = replace(method, floor=False) if has else method
    return made


@lru_cache(maxsize=60)
def _closed(counted: Counted, method: Smoothing) -> Smoothed:
    study = counted.study
    return Closed.estimate(study.tuned(method), study.raw, never_of(study.tokenizer))
