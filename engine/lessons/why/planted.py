"""Planted truth: texts of a grammar in which one token decides the answer, and how often each method puts it first.

    python -m engine.lessons.why.planted [--out FILE]

What      the answer is compared with its likeliest rival (the other verb, another closing bracket, another letter), so
          that only what tells them apart counts.  Asked are answers that the net gets right, whose cause it also uses:
          with the rival's cause in the text the rival wins
Source    Adebayo et al., Post hoc Explanations may be Ineffective for Detecting Unknown Spurious Correlation, 2022;
          Bastings et al., "Will You Find These Shortcuts?", 2022 (methods judged by causes that were put in)
Shapes    N = texts, M = methods, P = players
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engine import ROOT
from engine.analysis import interval
from engine.analysis.attribution import curves
from engine.analysis.attribution.game import BASELINES, Target
from engine.core.registry import corpora
from engine.lessons.why.methods import Question, methods_of, question
from engine.models.base import Model
from engine.text.corpora.base import Fact
from engine.text.tasks.brackets import CLOSED, OPEN

GRAMMARS = ("agreement", "brackets", "copying", "lag")
KINDS = ("transformer", "lstm")
TEXTS, SEED, TRIED = 100, 2026, 12  # asked of each run; of the grammar; lines tried for each
SHIPPED = ROOT / "assets" / "attribution.json"
CHANCE = "by chance"


@dataclass(frozen=True, slots=True)
class Planted:
    """A text up to its answer, which tokens are its cause, the right answer and its rival."""

    question: Question
    cause: int  # a player

    @property
    def worth(self) -> float:
        return self.question.game.ends()[0]


@dataclass(frozen=True, slots=True)
class Score:
    """How often of `texts` the cause came first; the mean gain of the curves, and its standard error."""

    first: int
    texts: int
    gain: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, of 95 %, of the share that came first."""
        return interval.of_share(self.first, self.texts)


def swapped(grammar: str, line: str, fact: Fact, rival: str) -> str:
    """The line up to the answer with the rival's cause in the place of its own."""
    (a, b), stop = fact.first, fact.second[0]
    cause = line[a:b]
    if grammar == "agreement":
        other = cause[:-1] if cause.endswith("s") else f"{cause}s"
    else:
        other = OPEN[CLOSED.index(rival)] if grammar == "brackets" else rival
    return line[:a] + other + line[b:stop]


def rivals(grammar: str, right: str, line: str) -> list[str]:
    if grammar == "agreement":
        return [verb for verb in ("is", "are") if verb != right]
    if grammar == "brackets":
        return [c for c in CLOSED if c != right]
    used = set(line) if grammar == "copying" else {right}
    letters = "abcdefghijklmnopqrstuvwxyz" if grammar == "copying" else "abcd"
    return [c for c in letters if c not in used]


def ask(
    model: Model[Any], grammar: str, line: str, fact: Fact, baseline: str, stop: int | None = None
) -> Planted | None:
    """None where the net gets it wrong, or does not go by the cause."""
    (a, b), (begin, end) = fact.first, fact.second
    text = line[:begin].rstrip()
    tokens, vocab = model.tokens(text), model.tokenizer.vocab
    known = {word: n for n, word in enumerate(vocab)}
    right = line[begin:end]
    others = [known[word] for word in rivals(grammar, right, line) if word in known]
    if right not in known or not others:
        return None
    asked = question(model, tokens, baseline, known[right])
    p_V = asked.game.p_V
    other = max(others, key=lambda id: float(p_V[id]))
    if p_V[known[right]] <= p_V[other]:
        return None
    read = model.trace(swapped(grammar, line, fact, vocab[other]).rstrip(), fields=("probability",))
    q_V = read.field("probability").values[-1]
    if q_V[known[right]] >= q_V[other]:
        return None
    asked.game.target = Target(known[right], other)
    spans = [asked.tokens.spans[t] for t in asked.game.players]
    cause = next((n for n, (x, y) in enumerate(spans) if x < b and y > a), None)
    return None if cause is None else Planted(asked, cause)


def facts(grammar: str, count: int, seed: int = SEED) -> Iterator[tuple[str, Fact]]:
    """One fact of each of so many lines that no training drew."""
    of: Any = corpora.get(grammar)
    rng = np.random.default_rng(seed)
    for line in of.generate(count, seed):
        if found := of.facts(line):
            yield line, found[int(rng.integers(len(found)))]


def judge(
    model: Model[Any], grammar: str, baseline: str, texts: int
) -> Iterator[tuple[int, int, Mapping[str, Score]]]:
    """After each text that was asked: how many, how many lines were tried, and what is known so far."""
    names = methods_of(model)
    first, gains = dict.fromkeys((*names, CHANCE), 0.0), dict[str, list[float]]()
    asked = 0
    for tried, (line, fact) in enumerate(facts(grammar, texts * TRIED), 1):
        planted = ask(model, grammar, line, fact, baseline)
        if planted is None:
            continue
        game = planted.question.game
        worth_MP = np.stack([planted.question.ask(name) for name in names])
        made = curves.curves(game, worth_MP).gain
        gains.setdefault(CHANCE, []).append(float(curves.by_chance(game, 4, tried).gain[0]))
        first[CHANCE] += 1 / game.count
        for name, worth_P, gain in zip(names, worth_MP, made, strict=True):
            first[name] += worth_P.argmax() == planted.cause
            gains.setdefault(name, []).append(float(gain))
        asked += 1
        yield (
            asked,
            tried,
            {name: _score(first[name], gains[name]) for name in (*names, CHANCE)},
        )
        if asked == texts:
            return


def _score(first: float, gains: list[float]) -> Score:
    spread = float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0
    return Score(
        round(first), len(gains), float(np.mean(gains)), spread / float(np.sqrt(len(gains)))
    )


Found = Mapping[str, Mapping[str, Mapping[str, Score]]]
"""By run, baseline and method."""


@lru_cache(1)
def shipped() -> Found:
    found = json.loads(SHIPPED.read_text(encoding="utf-8"))["runs"]
    return {
        run: {
            baseline: {name: Score(*numbers) for name, numbers in scores.items()}
            for baseline, scores in of.items()
        }
        for run, of in found.items()
    }


def measured(model: Model[Any], grammar: str, baseline: str) -> dict[str, list[float]]:
    """By method, the numbers of its Score, rounded."""
    *_before, (_asked, _tried, scores) = judge(model, grammar, baseline, TEXTS)
    return {
        name: [s.first, s.texts, round(s.gain, 4), round(s.error, 4)] for name, s in scores.items()
    }


def main() -> None:
    from engine.runs.store import SHIPPED as RUNS
    from engine.runs.store import RunStore
    from engine.storage.files import write_bytes

    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--out", type=Path, default=SHIPPED)
    args = asked.parse_args()
    store, found = RunStore(RUNS), {}
    for grammar in GRAMMARS:
        for kind in KINDS:
            run = f"{kind}_{grammar}"
            model = store.load(store.find(run))
            found[run] = {way: measured(model, grammar, way) for way in BASELINES}
            print(run, found[run])
    made = {"made_by": "python -m engine.lessons.why.planted", "runs": found}
    write_bytes(args.out, (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
