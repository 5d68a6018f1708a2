"""Judging: how good a shipped run is on text that it never saw, and how large it is; for the table
of assets/runs.

What      whole texts that its source keeps back, else the passages of its own text that were held
          out from its training
Differs   Of a long text STRETCHES pieces are taken, evenly spread, so that a part stands for the
          whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from engine.analysis.measure import Score, running, scores, sentences
from engine.analysis.measures import bleu
from engine.analysis.overview import readable
from engine.models.abilities import CountsRuns, Judges, Translates
from engine.models.base import Model
from engine.runs.store import Run
from engine.storage.run_folder import WEIGHTS
from engine.text.tokenizers.base import passages, split

STRETCHES = 50
MOST = 1_000_000  # characters that are read
OWN = "held-out passages of its own text"
HELD_OUT = 400_000  # characters that a training keeps back at most


def judge(
    run: Run, model: Model[Any], text: str, unseen: Mapping[str, str], most: int = MOST
) -> list[dict[str, Any]]:
    """One result a text: what it is of, and either what the model's own test says or {"alone",
    "running"}."""
    if unseen and isinstance(model, Judges):
        return [_tested(model, name, passages(whole)) for name, whole in unseen.items()]
    if unseen:
        return [_read(model, name, spread(whole, most), on=True) for name, whole in unseen.items()]
    _, kept = split(passages(text), int(run.note.get("seed", 0)), min(most, HELD_OUT))
    if not kept or model.as_it_stands:  # then nothing was held out
        return []
    if isinstance(model, Judges):
        return [_tested(model, OWN, kept)]
    return (
        [_read(model, OWN, "\n".join(kept), on=False)]
        if model.promise("probability") is not None
        else []
    )


def spread(text: str, most: int, stretches: int = STRETCHES) -> str:
    """At most so many characters in whole lines: of each of so many equal parts the first lines; a
    short text whole."""
    if len(text) <= most:
        return text
    parts = []
    for k in range(stretches):
        start = text.find("\n", len(text) * k // stretches - 1) + 1 if k else 0
        stop = min(
            start + most // stretches,
            text.find("\n", len(text) * (k + 1) // stretches - 1) + 1 or len(text),
        )
        parts.append(text[start : text.rfind("\n", start, stop) + 1])
    return "".join(parts)


def _tested(model: Judges[Any], name: str, lines: list[str]) -> dict[str, Any]:
    return {
        "on": name,
        "characters": sum(len(line) + 1 for line in lines),
        "found": _rounded({**model.judge(lines), **_translated(model, lines)}),
    }


def _translated(model: Judges[Any], lines: list[str]) -> dict[str, float]:
    """BLEU of what it writes by always taking the likeliest token, where it translates."""
    if not isinstance(model, Translates):
        return {}
    pairs = [line.split("\t", 1) for line in lines]
    made = model.translations([source for source, _ in pairs])
    return {"bleu": bleu.measure(made, [target for _, target in pairs]).score}


def _read(model: Model[Any], name: str, text: str, on: bool) -> dict[str, Any]:
    """With `on` also as one text; passages drawn from all over are none."""
    lines = sentences(model, text)
    found = {
        "on": name,
        "characters": sum(len(line) + 1 for line in lines),
        "alone": _numbers(scores(model, lines)),
    }
    return found | {"running": _numbers(running(model, lines))} if on and readable(model) else found


def _numbers(parts: Iterable[Score]) -> dict[str, float]:
    return _rounded(Score.total(parts).as_dict())


def _rounded(found: Mapping[str, float]) -> dict[str, float]:
    return {
        name: value if isinstance(value, int) else round(float(value), 4)
        for name, value in found.items()
        if np.isfinite(value)
    }


def size(run: Run, model: Model[Any]) -> dict[str, Any]:
    """Bytes of its file, and how many numbers it learned, or n-grams it counted."""
    if isinstance(model, CountsRuns):
        what = {"ngrams": model.runs()}
    else:
        floats = [v.size for v in model.weights().values() if v.dtype.kind == "f"]
        what = {"parameters": sum(floats)}
    return {"size_bytes": (run.folder / WEIGHTS).stat().st_size, **what}
