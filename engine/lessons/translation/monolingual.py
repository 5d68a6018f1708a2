"""Monolingual: what a translator gains from sentences that have no partner, each with one that a translator
back wrote for it.

    python -m engine.lessons.translation.monolingual DATA

What      DATA is a folder with the two bibles as `python -m engine zoo` reads them; what is measured goes to
          assets/back_translation.json.  The shipped translator goes on learning twice, from the real pairs alone
          and from the made ones as well, as many steps; judged by BLEU on pairs that it never learned from
Source    Sennrich, Haddow & Birch, Improving Neural Machine Translation Models with Monolingual Data, 2016, sec. 3;
          the interval: Koehn, Statistical Significance Tests for Machine Translation Evaluation, 2004
Differs   As many made pairs as real ones, and none is marked.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine import ROOT
from engine.analysis import bleu
from engine.core.registry import models
from engine.models.translating import TranslatingModel, pair_of
from engine.runs.store import SHIPPED, RunStore
from engine.shipped.recipes import ZOO
from engine.shipped.sources import bibles
from engine.shipped.sources.base import find
from engine.storage.files import write_bytes
from engine.text.tokenizers.base import passages, split
from engine.training.going_on import config_of, open_start

THERE, BACK = "translator_spanish", "translator_english"
ASSET = ROOT / "assets" / "back_translation.json"
GOING_ON = {
    **{name: ZOO[THERE].settings[name] for name in ("optimiser", "smoothing", "span")},
    "steps": 250,
    "batch": 64,
    "rate": 2e-3,  # a third of that of its recipe
    "held_out_every": 100_000,
}


@dataclass(frozen=True)
class Judged:
    """BLEU on so many pairs: as the translator is, gone on without and with what was made, and the ends of the
    interval of the gain of the last over the second."""

    pairs: int
    before: float
    without: float
    along: float
    low: float
    high: float


@dataclass(frozen=True)
class Gained:
    """`made` pairs beside the real ones."""

    real: int
    made: int
    steps: int
    books: Judged
    held_out: Judged


def read() -> Gained:
    found: dict[str, Any] = json.loads(ASSET.read_text(encoding="utf-8"))
    books, held_out = (Judged(**found.pop(name)) for name in ("books", "held_out"))
    return Gained(books=books, held_out=held_out, **found)


def gone_on(lines: Sequence[str]) -> TranslatingModel[Any]:
    start, model = open_start(THERE), None
    config, kind = config_of(start.run, GOING_ON), models.get(start.run.model)
    text = "\n".join(lines) + "\n"
    for progress in kind.fit(text, config, seed=0, resume=start.weights):
        model = progress.model or model
        if progress.step % 20 == 0:
            print(progress.step, progress.metrics.get("loss_nats"), flush=True)
    assert isinstance(model, TranslatingModel)
    return model


def compare(three: Sequence[TranslatingModel[Any]], lines: Sequence[str]) -> Judged:
    pairs = [pair_of(number, line) for number, line in enumerate(lines, 1)]
    source, target = zip(*pairs, strict=True)
    each = [model.translations(source) for model in three]
    before, without, along = (round(bleu.measure(one, target).score, 2) for one in each)
    _gain, low, high = bleu.gain(each[1], each[2], target)
    return Judged(len(lines), before, without, along, round(low, 2), round(high, 2))


def build(data: Path) -> None:
    source = find(ZOO[THERE].source)
    real, held_out = split(passages(source.text(data)), ZOO[THERE].seed)
    (books,) = (text.splitlines() for text in source.unseen(data).values())
    store = RunStore(SHIPPED)
    there, back = (store.load(store.find(id)) for id in (THERE, BACK))
    assert isinstance(there, TranslatingModel) and isinstance(back, TranslatingModel)
    alone = sorted(bibles.alone(source.found(data)))
    alone = random.Random(0).sample(alone, len(real))
    english = back.translations(alone)
    made = [f"{a}\t{b}" for a, b in zip(english, alone, strict=True) if a.strip()]
    three = there, gone_on(real), gone_on([*real, *made])
    judged = (compare(three, lines) for lines in (books, held_out))
    found = Gained(len(real), len(made), GOING_ON["steps"], *judged)
    write_bytes(ASSET, json.dumps(asdict(found), indent=1).encode() + b"\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    build(parser.parse_args().data)
