"""Probes: how a model looks at one step of its training: what it writes, and how its weights and
activations lie.

What      A line of JSON for each moment: {"step", "samples": [[prompt, text]], "weights": {name:
          histogram}, "activations": {field: histogram}}, a histogram being {"low", "high",
          "counts"}; before these, where the model writes, a line {"text": ...} of what its text is
          like (engine/training/yardstick.py)
Shapes    C = bins of a histogram
Differs   Samples are drawn with the same seed each time, at temperature 0.8: what differs between
          two moments is the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis.decode.sample import sample
from engine.core.trace import Field, FieldSpec, Kind
from engine.models.base import Model
from engine.storage.run_folder import PROBES
from engine.training import yardstick

TOKENS, TEMPERATURE = 120, 0.8
BINS = 41
MOST = 48  # arrays of weights whose histograms are kept
SEEN = 256  # characters whose activations are looked at
SHOWN = {Kind.GATE, Kind.STATE, Kind.ATTENTION, Kind.SCORE}


def take_probe(model: Model[Any], step: int, prompts: Sequence[str], text: str) -> dict[str, Any]:
    """What there is to see of `model`, reading `text`; nothing of a kind that it does not have."""
    return {
        "step": step,
        "samples": (
            [[prompt, written(model, prompt)] for prompt in prompts] if writes(model) else []
        ),
        "weights": {name: histogram(values) for name, values in _largest(model.weights())},
        "activations": _activations(model, text[:SEEN]),
    }


def writes(model: Model[Any]) -> bool:
    """Whether it can write on: it says what comes next."""
    return model.foretells


def written(model: Model[Any], prompt: str) -> str:
    steps = min(TOKENS, model.context or TOKENS)
    return "".join(sample(model, prompt, steps=steps, seed=0, temperature=TEMPERATURE))


def histogram(values: np.ndarray) -> dict[str, Any]:
    """Counts (C,) of the finite values between the lowest and the highest."""
    flat = np.asarray(values, np.float64).ravel()
    flat = flat[np.isfinite(flat)]
    if not len(flat):
        return {"low": 0.0, "high": 0.0, "counts": []}
    low, high = float(flat.min()), float(flat.max())
    counts, _ = np.histogram(flat, BINS, (low, high) if high > low else (low - 0.5, low + 0.5))
    return {"low": low, "high": high, "counts": counts.tolist()}


def _largest(weights: Mapping[str, np.ndarray]) -> Iterable[tuple[str, np.ndarray]]:
    numbers = [(name, v) for name, v in weights.items() if v.dtype.kind == "f" and v.size > 1]
    chosen = {name for name, _ in sorted(numbers, key=lambda row: -row[1].size)[:MOST]}
    return ((name, v) for name, v in numbers if name in chosen)


def _activations(model: Model[Any], text: str) -> dict[str, Any]:
    names = [
        spec.name
        for spec in model.spec()
        if isinstance(spec, FieldSpec) and spec.kind in SHOWN and spec.name != "logits"
    ]
    if not names or not text:
        return {}
    trace = model.trace(text, fields=names)
    return {
        name: histogram(trace.field(name).values)
        for name in names
        if name in trace and isinstance(trace.field(name), Field)
    }


def measure(folder: Path, model: Model[Any], text: str) -> None:
    """Note what the text is like, where the model writes and that is not noted yet."""
    if (
        writes(model)
        and not describe_text(folder)
        and (found := yardstick.measure(text, model.tokenizer))
    ):
        append_probe(folder, {"text": found})


def append_probe(folder: Path, seen: Mapping[str, Any]) -> None:
    with (folder / PROBES).open("a", encoding="utf-8") as file:
        file.write(json.dumps(seen, ensure_ascii=False) + "\n")


def forget_after(folder: Path, last: int) -> None:
    """Forget what was seen after step `last`: it will be seen again."""
    kept = [row for row in read(folder) if row["step"] <= last]
    text = describe_text(folder) if last else {}
    (folder / PROBES).unlink(missing_ok=True)
    for row in [{"text": text}, *kept] if text else kept:
        append_probe(folder, row)


def read(folder: Path) -> list[dict[str, Any]]:
    """All moments in order; a line that is damaged or not whole yet is left out."""
    return [row for row in _rows(folder) if isinstance(row.get("step"), int)]


def describe_text(folder: Path) -> dict[str, Any]:
    """What the text is like that it learns from; nothing where that was not noted."""
    return next((found for row in _rows(folder) if (found := yardstick.parse(row.get("text")))), {})


def _rows(folder: Path) -> list[dict[str, Any]]:
    try:
        lines = (folder / PROBES).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            found.append(row)
    return found
