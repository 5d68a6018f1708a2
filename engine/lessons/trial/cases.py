"""Cases: each answer of a model on some lines, beside the truth: the token that came, the tag, the label of the text.

What      p = probability of the truth, sure = the largest one, rank = how many are larger, and 1;
          Brier = sum over all answers of (probability - whether it was true)^2
Source    Brier, Verification of Forecasts Expressed in Terms of Probability, 1950; the temperature: see
          engine/analysis/calibration.py
Shapes    N = cases, V = answers that can be given, T = tokens of a line
Differs   Each line is read alone, its end is a case too.  The temperature is fitted on a random half of
          the lines and judged on the other, of as many cases as MOST_NUMBERS allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.calibration import fit_temperature, temper
from engine.analysis.measure import read_on
from engine.core.trace import FieldSpec, Trace
from engine.language.message import _
from engine.live.stage import take_turn
from engine.models.abilities import Labels, Translates
from engine.models.base import Corpus, Model

MOST_NUMBERS = 2**25
LEAST = 1e-30  # a probability of 0 is taken to be so large, where its logarithm is needed
ANSWERS = ("label", "tag", "smooth")  # fields that say how likely each label is


def answer_field(model: Model[Any]) -> str:
    """Of what the model is asked: which token comes next, or which label is right."""
    if not isinstance(model, Labels):
        return "probability"
    named = [s.name for s in model.spec() if isinstance(s, FieldSpec)]
    return next(name for name in ANSWERS if name in named)


def answers_of(model: Model[Any]) -> tuple[str, ...]:
    return tuple(model.names if isinstance(model, Labels) else model.tokenizer.vocab)


@dataclass(frozen=True, eq=False)
class Tempered:
    """Of the lines that the temperature was not fitted on: confidence, hits, probability of the truth and Brier score
    of each case as it is and at that temperature."""

    temperature: float
    fitted: int
    sure_2N: np.ndarray
    hit_N: np.ndarray
    p_2N: np.ndarray
    brier_2N: np.ndarray


@dataclass(frozen=True, eq=False)
class Cases:
    """start, stop: the characters of its line that a case is about; place: its number there; `left_out`: words of
    tagged lines that the model cuts otherwise, and labels that it has never learned."""

    lines: tuple[str, ...]
    names: tuple[str, ...]
    line_N: np.ndarray
    start_N: np.ndarray
    stop_N: np.ndarray
    place_N: np.ndarray
    token_N: np.ndarray
    true_N: np.ndarray
    said_N: np.ndarray
    p_N: np.ndarray
    sure_N: np.ndarray
    rank_N: np.ndarray
    brier_N: np.ndarray
    left_out: int = 0
    tempered: Tempered | None = None

    def __len__(self) -> int:
        return len(self.line_N)

    @property
    def hit_N(self) -> np.ndarray:
        return self.said_N == self.true_N

    @property
    def bits_N(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return -np.log2(self.p_N)

    def piece(self, n: int) -> str:
        return self.lines[self.line_N[n]][self.start_N[n] : self.stop_N[n]]


def scores(p_NV: np.ndarray, true_N: np.ndarray) -> dict[str, np.ndarray]:
    p_NV = p_NV.astype(np.float64)
    p_N = p_NV[np.arange(len(true_N)), true_N]
    return {
        "said_N": p_NV.argmax(-1),
        "p_N": p_N,
        "sure_N": p_NV.max(-1),
        "rank_N": (p_NV > p_N[:, None]).sum(-1) + 1,
        "brier_N": (p_NV**2).sum(-1) - 2 * p_N + 1,
    }


@dataclass
class Line:
    """What is found of one line: its text, (start, stop), place, token and truth of each case, and their rows."""

    text: str
    span_T: list[tuple[int, int]] = field(default_factory=list)
    place_T: list[int] = field(default_factory=list)
    token_T: list[int] = field(default_factory=list)
    true_T: list[int] = field(default_factory=list)
    p_TV: list[np.ndarray] = field(default_factory=list)
    left_out: int = 0

    def add(self, place: int, span: tuple[int, int], token: int, true: int, p: np.ndarray) -> None:
        self.span_T.append(span)
        self.place_T.append(place)
        self.token_T.append(token)
        self.true_T.append(true)
        self.p_TV.append(p)


def foretold(model: Model[Any], text: str) -> Line:
    found, tokens, done = Line(text), model.tokens(text + "\n"), 1
    for start, stop in read_on(len(tokens), model.context):
        trace = model.trace(
            text + "\n", fields=("probability",), window=(start, stop), tokens=tokens
        )
        p_TV = trace.field("probability").values
        for t in range(done, stop):
            id = int(tokens.ids[t])
            found.add(t, tokens.spans[t], id, id, p_TV[t - 1 - start])
        done = stop
    return found


def translated(model: Translates[Any], line: str) -> Line:
    """The target of a pair and its end, given the source."""
    found, trace = Line(line), model.trace(line, fields=("probability",))
    p_TV, ids = trace.field("probability").values, trace.ids.tolist()
    for t in range(1, len(ids)):
        found.add(t, trace.spans[t], ids[t], ids[t], p_TV[t - 1])
    end = model.tokenizer.boundary
    found.add(len(ids), (len(line), len(line)), end, end, p_TV[len(ids) - 1])
    return found


def labelled(model: Labels[Any], line: str) -> Line:
    """A label, a tab, a text; or words with their tags."""
    name, number = answer_field(model), {name: n for n, name in enumerate(model.names)}
    if model.corpus == Corpus.LABELLED:
        label, __, text = line.partition("\t")
        found, trace = Line(text), _read(model, text, name)
        if label.strip() in number and name in trace:
            row, last = trace.field(name).values[-1], int(trace.ids[-1])
            found.add(len(trace.ids), (0, len(text)), last, number[label.strip()], row)
        else:
            found.left_out = 1
        return found
    pairs = [piece.rpartition("/") for piece in line.split()]
    found = Line(" ".join(word for word, __, __ in pairs))
    trace, at = _read(model, found.text, name), 0
    tokens = {span: t for t, span in enumerate(trace.spans)}
    for place, (word, __, tag) in enumerate(pairs, 1):
        span = (at, at + len(word))
        at += len(word) + 1
        t = tokens.get(span)
        if t is None or tag not in number:
            found.left_out += 1
        else:
            row = trace.field(name).values[t]
            found.add(place, span, int(trace.ids[t]), number[tag], row)
    return found


def _read(model: Model[Any], text: str, name: str) -> Trace:
    return model.trace(text, fields=(name,))


def read_line(model: Model[Any], line: str) -> Line:
    if isinstance(model, Labels):
        return labelled(model, line)
    return translated(model, line) if isinstance(model, Translates) else foretold(model, line)


@fr.once_told
def read(model: Model[Any], *, run: object, lines: tuple[str, ...]) -> fr.Taking[Cases]:
    """All cases of these lines.  ValueError where there is none."""
    parts: dict[str, list[np.ndarray]] = {}
    texts, kept, truths = list[str](), list[np.ndarray](), list[np.ndarray]()
    room, left_out = MOST_NUMBERS, 0
    for n, line in enumerate(lines):
        with take_turn():  # typing goes on in between
            found = read_line(model, line)
        texts.append(found.text)
        left_out += found.left_out
        if found.p_TV:
            p_TV, true_T = np.stack(found.p_TV), np.array(found.true_T)
            spans_T2 = np.array(found.span_T)
            made = scores(p_TV, true_T) | {
                "line_N": np.full(len(true_T), n),
                "start_N": spans_T2[:, 0],
                "stop_N": spans_T2[:, 1],
                "place_N": np.array(found.place_T),
                "token_N": np.array(found.token_T),
                "true_N": true_T,
            }
            for name, values in made.items():
                parts.setdefault(name, []).append(values)
            if (room := room - p_TV.size) > 0:
                kept.append(np.log(np.maximum(p_TV, LEAST)).astype(np.float32))
                truths.append(true_T)
        yield fr.Progress(
            0.9 * (n + 1) / len(lines), _("Line {n} of {all}", n=n + 1, all=len(lines))
        )
    if not parts:
        raise ValueError("This model has no answer for any of these lines.")
    yield fr.Progress(0.95, "Fitting the temperature")
    tempered = fitted(kept, truths) if len(kept) > 1 else None
    every = {name: np.concatenate(values) for name, values in parts.items()}
    return Cases(tuple(texts), answers_of(model), left_out=left_out, tempered=tempered, **every)


def fitted(log: Sequence[np.ndarray], truths: Sequence[np.ndarray]) -> Tempered:
    """Fitted on one half of the lines, drawn at random, and judged on the other."""
    drawn = np.random.default_rng(0).permutation(len(log))
    halves = drawn[: len(log) // 2], drawn[len(log) // 2 :]
    (log_NV, true_N), (judged_NV, judged_N) = (
        (np.concatenate([log[n] for n in half]), np.concatenate([truths[n] for n in half]))
        for half in halves
    )
    temperature = fit_temperature(log_NV, true_N)
    both = [scores(np.exp(temper(judged_NV, of)), judged_N) for of in (1.0, temperature)]
    return Tempered(
        temperature,
        len(true_N),
        np.stack([of["sure_N"] for of in both]),
        both[0]["said_N"] == judged_N,
        np.stack([of["p_N"] for of in both]),
        np.stack([of["brier_N"] for of in both]),
    )


def by_line(cases: Cases, values_N: np.ndarray) -> np.ndarray:
    """The sum of some numbers over each line."""
    return np.bincount(cases.line_N, values_N, len(cases.lines))


def groups(keys_N: Sequence[Any]) -> Mapping[Any, np.ndarray]:
    """The cases of each key, in the order in which the keys first come."""
    found: dict[Any, list[int]] = {}
    for n, key in enumerate(keys_N):
        found.setdefault(key, []).append(n)
    return {key: np.array(at) for key, at in found.items()}
