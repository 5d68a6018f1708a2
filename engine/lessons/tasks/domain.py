"""Domain: going on with masked words on a text of another kind, and what that costs on the old kind.

    python -m engine.lessons.tasks.domain [TEXT ...]    measures several such trainings, into assets/domain.json

What      the loss is that of pre-training, on the new text alone; LoRA learns, the rest stays
Source    Gururangan et al., Don't Stop Pretraining: Adapt Language Models to Domains and Tasks, 2020
Differs   Some dozens of steps in place of thousands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine import ROOT
from engine.analysis import interval
from engine.core.registry import corpora
from engine.lessons.bert.masked_prediction import fit
from engine.models.bert import Bert, Config
from engine.runs.store import SHIPPED, Run, RunStore
from engine.storage.files import write_bytes
from engine.text.tokenizers.base import passages, split
from engine.training.going_on import Start, config_of

EXAMPLES = 128  # that are drawn to judge by: about 1,000 masked words
BATCH, SPAN = 8, 64
OLD = "stories"  # what was like the text that it learned from first
TEXTS, STEPS = ("python_docs", "scenes"), 40
ASSET = ROOT / "assets" / "domain.json"
SEEDS, MANY = 5, 256  # trainings that are measured, and examples that they are judged by


@dataclass(frozen=True)
class Judged:
    """Shares of masked words that are right, and nats for each."""

    right: float
    nats: float
    words: int


@dataclass
class Adapted:
    """before, after  of the new text and of the old one: {"new": ..., "old": ...}"""

    before: dict[str, Judged]
    after: dict[str, Judged] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    model: Bert | None = None


def lines_of(id: str) -> tuple[list[str], list[str]]:
    """The lines of a built-in text to learn from, and those held out."""
    return split(passages(corpora.get(id).text()), 0)


def judge(model: Bert, lines: Sequence[str], most: int = 0) -> Judged:
    found = model.judge(lines, most or EXAMPLES)
    return Judged(found["accuracy"], found["nats"], int(found["masked_words"]))


def settings(run: Run, steps: int) -> Any:
    return config_of(
        run,
        {
            "tune": "lora",
            "lora_targets": "all",
            "steps": steps,
            "warmup": steps // 10,
            "batch": BATCH,
            "span": SPAN,
            "held_out_every": 100_000,
            "pairs": True,
        },
    )


def adapt(
    run: Run,
    model: Bert,
    text: str,
    steps: int,
    seed: int = 0,
    most: int = 0,
    before: Mapping[str, Judged] | None = None,
) -> Iterator[Adapted]:
    """After each step; the last has been judged.  ValueError where there is nothing to learn from.

    before  what `model` was judged to be, where that is known
    """
    learn, held_out = split(passages(text), 0)
    if len(learn) < 2 or not held_out:
        raise ValueError(
            "This needs a text of several lines: some to learn from, some to judge by."
        )
    texts = {"new": held_out, "old": lines_of(OLD)[1]}
    config: Config = settings(run, steps)
    found = Adapted(
        dict(before or {name: judge(model, lines, most) for name, lines in texts.items()})
    )
    yield found
    learned = "\n".join(learn) + "\n"  # whatever the seed, none of what it is judged by
    for progress in Bert.fit(learned, config, seed=seed, resume=Start(run, model).weights):
        found.losses.append(progress.metrics["loss_nats"])
        if progress.model is not None:
            # in texts as long as those of the old one, so that both are judged by the same masked words
            judged = replace(config, span=model.config.span)
            found.model = Bert.from_weights(judged, progress.model.weights())
        yield found
    if found.model is not None:
        found.after = {name: judge(found.model, lines, most) for name, lines in texts.items()}
    yield found


@dataclass(frozen=True)
class Measured:
    """Of a text, by name ("new", "old"): shares right and nats before, and after each training."""

    words: Mapping[str, int]
    before: Mapping[str, tuple[float, float]]
    after: Mapping[str, list[tuple[float, float]]]

    def gain(self, name: str, of: int) -> tuple[float, float, float]:
        """What is gained on the mean, and the ends of its interval; of 0: share right, 1: nats."""
        return interval.of_mean([one[of] - self.before[name][of] for one in self.after[name]])


def measured() -> Mapping[str, Measured]:
    """Of each text that was measured, after STEPS steps."""
    found = json.loads(ASSET.read_text(encoding="utf-8"))
    return {text: Measured(**one) for text, one in found.items()}


def build(texts: Sequence[str]) -> None:
    run = RunStore(SHIPPED).find("bert")
    found: dict[str, Any] = json.loads(ASSET.read_bytes()) if ASSET.is_file() else {}
    for text in texts:
        ends: list[Adapted] = []
        for seed in range(SEEDS):
            model = RunStore(SHIPPED).load(run)
            assert isinstance(model, Bert)
            known = ends[0].before if ends else None
            *_steps, end = adapt(run, model, corpora.get(text).text(), STEPS, seed, MANY, known)
            ends.append(end)
            print(text, seed, end.before, end.after, flush=True)

        def pair(one: Judged) -> tuple[float, float]:
            return round(one.right, 4), round(one.nats, 4)

        before = ends[0].before
        found[text] = {
            "words": {name: one.words for name, one in before.items()},
            "before": {name: pair(one) for name, one in before.items()},
            "after": {name: [pair(end.after[name]) for end in ends] for name in before},
        }
        write_bytes(ASSET, json.dumps(found, indent=1).encode() + b"\n")


def guesses(model: Bert, text: str, most: int = 5) -> list[tuple[str, float]]:
    """The likeliest words at the first [MASK] of a text."""
    tokens = fit(model, model.tokens(text))
    places = [t for t, id in enumerate(tokens.ids) if id == model.tokenizer.mask]
    if not places:
        raise ValueError("Write [MASK] where a word is to be guessed.")
    ((p_1V, _pair),) = model.look([(tokens.ids, places[:1])])
    assert p_1V is not None
    best = p_1V[0].argsort()[::-1][:most]
    return [(model.tokenizer.vocab[i], float(p_1V[0][i])) for i in best]


if __name__ == "__main__":
    build(sys.argv[1:] or TEXTS)
