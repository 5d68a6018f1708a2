"""Tokenizers that join the stack: a tokenizer.json that is uploaded, and those of trained
models."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from engine.core.registry import tokenizers
from engine.lessons.tokenizers.rows import MANY, Row
from engine.live.markdown import escape
from engine.runs.store import Run, RunStore
from engine.storage import quantised
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import WEIGHTS
from engine.text.tokenizer_comparison import joined
from engine.text.tokenizers.base import Tokenizer
from pages.ui import kept

SUBWORD = ("bpe", "charbpe", "wordpiece", "unigram", "library")
MANY_LABEL = "BPE over bytes, learned from 19 languages"


def _state(run: Run) -> dict[str, Any]:
    """The tokenizer beside the weights, which stay in the file."""
    arrays = read_arrays(run.folder / WEIGHTS).items()
    return quantised.unpack({n: x for n, x in arrays if n.partition("#")[0] == "tokenizer"})


@kept.resource(max_entries=16)
def _of_run(run: Run) -> Row:
    kind = run.note["config"]["tokenizer"]
    made: Tokenizer = tokenizers.get(kind).from_state(_state(run)["tokenizer"].tobytes())
    says = f"the tokenizer of the model {run.id}: {kind}"
    return Row(f"run.{run.id}", f"Model {run.id}", run.id[:24], says, made)


@st.cache_resource(max_entries=8, show_spinner=False)
def _of_file(digest: str, name: str, _raw: bytes) -> Row:
    made, kind = joined.read(_raw)
    short = name.removesuffix(".json")[:18] or "file"
    return Row(f"file.{digest}", f"{short} ({kind})", short, f"from the file {name}", made)


@st.cache_data(max_entries=8, show_spinner=False)
def _runs(known: tuple[str, ...]) -> list[str]:
    """Of the runs in these folders the ids of those whose tokenizer cuts words into
    pieces, each tokenizer once."""
    found: dict[str, str] = {}
    for run in RunStore().all():
        if str(run.folder) in known and run.note.get("config", {}).get("tokenizer") in SUBWORD:
            state = _state(run).get("tokenizer")
            if state is not None:
                found.setdefault(hashlib.sha256(state.tobytes()).hexdigest(), run.id)
    return sorted(found.values())


def choose() -> tuple[Row, ...]:
    """The widgets, and the rows that they add."""
    rows: list[Row] = []
    with st.expander(
        "Add a tokenizer: from a trained model, for many languages, or from your own tokenizer.json"
    ):
        runs = {run.id: run for run in RunStore().all()}
        try:
            names = _runs(tuple(sorted(str(run.folder) for run in runs.values())))
        except (OSError, ValueError):  # a damaged run: its own page says so
            names = []
        left, right = st.columns(2)
        chosen = left.multiselect(
            "From here", [MANY_LABEL, *names], key="tok_more", placeholder="Choose"
        )
        file = right.file_uploader(
            "A tokenizer.json",
            type=["json"],
            key="tok_file",
            help=(
                "The file of this name next to a model's weights. It is only read; nothing in"
                " it is executed."
            ),
        )
        rows += [MANY] if MANY_LABEL in chosen else []
        for name in chosen:
            if run := runs.get(name):
                rows += _row(left, _of_run, run)
        if file is not None:
            raw = file.getvalue()
            rows += _row(right, _of_file, hashlib.sha256(raw).hexdigest()[:12], file.name, raw)
    return tuple(rows)


def _row(place: Any, make: Any, *of: Any) -> list[Row]:
    try:
        return [make(*of)]
    except (ValueError, KeyError, OSError) as problem:
        place.error(escape(str(problem)))
        return []
