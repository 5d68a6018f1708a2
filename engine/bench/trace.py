"""How long a trace takes, with every number in it.  Peer: the same run of the same model with
nobody looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from engine.bench import Bench, Row, measure
from engine.core.tap import passthrough
from engine.runs.store import RunStore

SENTENCE = "The old captain looked at the grey sea and thought of home again "
CHARACTERS = (64, 256)


def bench() -> Iterator[Row]:
    """One row per run and length of text."""
    store = RunStore()
    for run in store.all():
        try:
            model = store.load(run)
        except ValueError as error:  # one damaged run must not cost the numbers of the others
            print(f"left out: {error}", file=sys.stderr)
            continue
        for characters in CHARACTERS:
            text = (SENTENCE * 4)[:characters]
            tokens = model.tokens(text)
            seen = tokens[-model.context :] if model.context else tokens
            yield measure(
                f"trace {run.id}",
                f"{characters} characters, {len(tokens)} tokens",
                lambda model=model, text=text: model.trace(text),  # type: ignore[misc]
                "untraced",
                lambda model=model, seen=seen: model.run(seen, passthrough),  # type: ignore[misc]
            )


BENCH = Bench(bench)
