"""In the head of the page: tokenizers that join the stack, of trained models, for many languages, or from a
tokenizer.json of the reader's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from engine import frame as fr
from engine.core.registry import tokenizers
from engine.language.message import _
from engine.lessons.tokenizers.rows import MANY, SHIPPED, Row
from engine.runs.store import Run
from engine.storage import quantised
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import WEIGHTS
from engine.text.tokenizer_comparison import joined

SUBWORD = ("bpe", "charbpe", "wordpiece", "unigram", "library", "sentencepieces")


@fr.once
def state(folder: Path) -> bytes:
    """The tokenizer beside the weights, which stay in the file; empty where it cannot be read."""
    try:
        arrays = read_arrays(folder / WEIGHTS).items()
        found = quantised.unpack({n: x for n, x in arrays if n.partition("#")[0] == "tokenizer"})
        return found["tokenizer"].tobytes()
    except (OSError, ValueError, KeyError):
        return b""


@fr.once
def of_run(folder: Path, id: str, kind: str) -> Row:
    made = tokenizers.get(kind).from_state(state(folder))
    says = _("the tokenizer of the model {id}: {kind}", id=id, kind=_(kind))
    return Row(f"run.{id}", _("Model {id}", id=id), id[:24], says, made)


@fr.once
def of_file(name: str, raw: bytes) -> Row:
    made, kind = joined.read(raw)
    short = name.removesuffix(".json")[:18] or "file"
    id = f"file.{hashlib.sha256(raw).hexdigest()[:12]}"
    return Row(id, f"{short} ({kind})", short, _("from the file {name}", name=_(name)), made)


def learned(given: fr.Others) -> dict[str, str]:
    """The runs whose tokenizer cuts words into pieces, each tokenizer once."""
    found: dict[bytes, str] = {}
    runs: list[Run] = given["runs"]
    for run in runs:
        if run.note.get("config", {}).get("tokenizer") in SUBWORD and (raw := state(run.folder)):
            found.setdefault(raw, run.id)
    return {MANY.id: "BPE over bytes, learned from 19 languages", **{n: n for n in found.values()}}


@fr.head()
def stack(
    runs: list[Run],
    *,
    more: tuple[str, ...] = fr.several("From here", learned, (), width=420),
    file: Any = fr.upload("A tokenizer.json", ("json",)),
) -> fr.Choosing[tuple[Row, ...]]:
    rows = [*SHIPPED, *(MANY for id in more if id == MANY.id)]
    rows += (
        of_run(run.folder, run.id, run.note["config"]["tokenizer"])
        for run in runs
        if run.id in more
    )
    said: fr.Block = fr.Note(
        "The file of this name next to a model's weights. It is only read; nothing in it is executed."
    )
    if file:
        try:
            rows.append(of_file(*file))
        except ValueError as problem:
            said = fr.Problem(str(problem))
    yield fr.Behind("Add a tokenizer", [fr.Controls(["more", "file"], down=True), said])
    return tuple(rows)


HEAD = stack
