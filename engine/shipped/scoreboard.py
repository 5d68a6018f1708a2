"""Scoreboard: the table of the shipped runs, between two marks of assets/runs/README.md, out of
numbers kept beside it.

What      measured.json: per run its recipe, size and results (engine/shipped/judging.py); what made
          it stands in its run.json, what to hold it against and what to look at in
          engine/shipped/highlights.py
Differs   A run that was not judged since it was made shows what was measured when its training
          ended, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.runs.store import Run, RunStore
from engine.shipped.highlights import LOOKS, Look
from engine.shipped.recipes import ZOO
from engine.storage.files import write_bytes

MEASURED, README = "measured.json", "README.md"
BEGIN, END = "<!-- the table: python -m engine zoo --table -->", "<!-- the end of the table -->"
HEAD = (
    "run",
    "what it is",
    "learned from",
    "size",
    "training",
    "on text it never saw",
    "to compare",
    "look at",
)
COUNTS = {"tokens", "answers", "masked_words", "pairs"}


def shipped(root: Path) -> list[Run]:
    """In the order of the zoo; those that it does not know come last."""
    place = {name: n for n, name in enumerate(ZOO)}
    return sorted(RunStore(root).all(), key=lambda run: (place.get(run.id, len(place)), run.id))


def read(root: Path) -> dict[str, dict[str, Any]]:
    """What was measured of each run, as long as it is the run that is there."""
    try:
        kept = json.loads((root / MEASURED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    recipes = {run.id: run.note.get("recipe") for run in shipped(root)}
    return {name: about for name, about in kept.items() if recipes.get(name) == about.get("recipe")}


def write(root: Path, measured: Mapping[str, Mapping[str, Any]]) -> None:
    """Both files; a README without the marks gets the table at its end."""
    rows = {run.id: measured[run.id] for run in shipped(root) if run.id in measured}
    write_bytes(root / MEASURED, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())
    path = root / README
    prose = path.read_text(encoding="utf-8") if path.exists() else "# The shipped models\n"
    if BEGIN not in prose or END not in prose:
        prose = f"{prose}\n{BEGIN}\n{END}\n"
    before, _, rest = prose.partition(BEGIN)
    write_bytes(path, f"{before}{BEGIN}\n{table(root, rows)}{END}{rest.partition(END)[2]}".encode())


def table(root: Path, measured: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        HEAD,
        ("---",) * len(HEAD),
        *(_row(run, measured.get(run.id, {})) for run in shipped(root)),
    ]
    return "".join(
        f"| {' | '.join(cell.replace('|', '/').replace(chr(10), ' ') for cell in row)} |\n"
        for row in rows
    )


def _row(run: Run, about: Mapping[str, Any]) -> tuple[str, ...]:
    look, corpus = LOOKS.get(run.id, Look("")), run.note["corpus"]
    learned = (
        f"{corpus.get('name') or 'a text without a name'}, {_many(corpus.get('characters', 0))}"
        " characters"
    )
    results = [_result(result) for result in about.get("results", [])] or _before(run)
    return (
        f"`{run.id}`",
        run.title,
        learned,
        _size(about),
        _training(run, "ngrams" in about),
        "; ".join([*_asked(run), *results, *_vectors(about)]),
        look.beside,
        look.at,
    )


def _size(about: Mapping[str, Any]) -> str:
    if "size_bytes" not in about:
        return ""
    what = (
        f"{_many(about['parameters'])} parameters"
        if "parameters" in about
        else f"{_many(about['ngrams'])} n-grams"
    )
    size = about["size_bytes"]
    return f"{what}, {size / 1e6:.1f} MB" if size >= 1e6 else f"{what}, {size / 1e3:.0f} kB"


def _training(run: Run, counted: bool) -> str:
    note = run.note
    seconds = float(note.get("seconds", 0)) + float(note.get("before", {}).get("seconds", 0))
    time = (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )
    device = str(note.get("gpu") or {"cpu": "CPU", "cuda": "GPU"}.get(str(note.get("device")), ""))
    threads = (
        f", {note['threads']} thread{'s' * (note['threads'] != 1)}"
        if "threads" in note and not note.get("gpu")
        else ""
    )
    steps = "counted once" if counted else f"{note.get('steps', 0):,} steps"
    return f"{steps}, {time}, {device}{threads}"


def _result(result: Mapping[str, Any]) -> str:
    if "found" in result:
        return f"{result['on']}: {_said(result['found'])}"
    alone, on = result["alone"], result.get("running")
    numbers = [f"**{on['bits_per_char']:.3f}** bits per character reading on"] if on else []
    numbers.append(
        f"{alone['bits_per_char']:.3f} each paragraph alone"
        if on
        else f"**{alone['bits_per_char']:.3f}** bits per character"
    )
    best = on or alone
    unknown = best["oov"] / max(1, best["tokens"])
    rare = f", {_share(unknown)} of its tokens unknown to it" if unknown >= 0.005 else ""
    return (
        f"{', '.join(numbers)}; perplexity {best['perplexity']:.3g} per token{rare}"
        f" ({_many(result['characters'])} characters, {result['on']})"
    )


def _before(run: Run) -> list[str]:
    found = run.note["held_out"]
    if "bits_per_char" in found:
        return [
            f"when its training ended: {found['bits_per_char']:.3f} bits per character, perplexity"
            f" {found['perplexity']:.3g} per token"
        ]
    return [f"when its training ended: {_said(found)}"] if found else []


def _asked(run: Run) -> list[str]:
    """Of a run whose text plants what is right: how many of those places it gets right."""
    asked = run.note.get("asked")
    return (
        [f"**{_share(asked['right'])}** of the {asked['tokens']:,} planted answers right"]
        if isinstance(asked, dict)
        else []
    )


def _vectors(about: Mapping[str, Any]) -> list[str]:
    vectors = about.get("vectors") or {}
    asked = vectors.get("analogies")
    among = f"among its {vectors.get('among', 0):,} commonest words"
    found = (
        [
            f"analogies {_share(asked['right'] / asked['known'])} of the {asked['known']:,} that it"
            f" knows {among}"
        ]
        if asked and asked["known"]
        else []
    )
    return [
        *found,
        *(
            f"{test['name']} {test['spearman']:.3f} (Spearman)"
            for test in vectors.get("similarity", ())
        ),
    ]


def _said(found: Mapping[str, float]) -> str:
    def number(name: str, value: float) -> str:
        return (
            f"{value:,.0f}"
            if name in COUNTS
            else f"{value:.3g}"
            if "nats" in name or not 0 <= value <= 1
            else _share(value)
        )

    return ", ".join(
        f"{name.replace('_', ' ')} {number(name, value)}" for name, value in found.items()
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _many(count: float) -> str:
    return f"{count / 1e6:.3g} million" if count >= 1e6 else f"{count:,.0f}"
