"""What a counted model takes beside the full table, form by form, and what an answer costs in
time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import streamlit as st

from engine.ngram import sparsity
from engine.ngram.backoff import size_bytes
from engine.ngram.quantise import quantise
from engine.ngram.smoothed import Smoothed
from pages.ui import plate, rows
from pages.ui.plate import Plate
from pages.ui.size.codes import both
from pages.ui.size.counted import BY_MODEL, Base, pruned

BATCH, TIMES = 256, 7


def show(base: Base, threshold: float, bits: int, says: str) -> None:
    """Bytes of each form, and microseconds of each question."""
    left, right = st.columns(2)
    plate.show(bound(base), left)
    one, row = timed(base)
    plate.show(times(base, one, row), right)
    st.markdown(
        f"Measured just now on this machine: one probability takes **{one[-1]:.3g} µs**, a"
        f" whole row of {base.model.counts.size:,} takes **{row[-1]:.3g} µs**. Each is the"
        f" median of {TIMES} batches of {BATCH}. A look-up descends through at most"
        f" {base.model.order} orders, however large the vocabulary; a row has one number for"
        " every token in it."
    )
    st.caption(
        "The full table has 4 bytes per cell; “stored” in the picture is the trie in arrays."
    )
    rows.show(ways(base, threshold, bits, says), "ways")


@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_MODEL)
def stored(base: Base) -> list[int]:
    """Bytes of the model of each order."""
    return [size_bytes(model) for model in by_order(base)]


def by_order(base: Base) -> list[Smoothed]:
    study = base.chosen.study
    return [study.at_order(base.method, m) for m in range(1, study.order + 1)]


def bound(base: Base) -> Plate:
    """The V^n cells of a table against what is stored."""
    grams, orders = sparsity.table(base.chosen.study.raw), range(1, base.chosen.study.order + 1)
    series = {
        "full table": (orders, [4.0 * row.possible for row in grams]),
        "stored": (orders, stored(base)),
        "4 bytes per token": (orders, [4.0 * grams[0].tokens] * len(orders)),
    }
    says = "Full table and stored model"
    return base.curve("bound", says, series, x="order", y="bytes", log_y=True, whole=True)


def ways(base: Base, threshold: float, bits: int, says: str) -> list[dict[str, str]]:
    """The same model in several forms: what each takes."""
    raw, model, small = base.chosen.study.raw, base.model, pruned(base, threshold)
    first, *_, last = sparsity.table(raw)
    whole, left = (sum(map(len, counts.orders)) for counts in (raw, small.counts))
    hashed = sum(len(grams) * (4 * m + 8) for m, grams in enumerate(raw.orders, 1))
    forms = (
        (
            "full table",
            last.possible,
            4 * last.possible,
            f"a cell for every sequence of {last.order} tokens, each one of {first.distinct:,}",
        ),
        (
            "hash table",
            whole,
            hashed,
            "every n-gram with all its tokens, its probability and its weight, 4 bytes each",
        ),
        (
            "trie in arrays",
            whole,
            size_bytes(model),
            "every n-gram with its last token only; slices point to what follows",
        ),
        ("trie, pruned", left, size_bytes(small), f"without n-grams that cost less than {says}"),
        ("trie, quantised", whole, quantise(model, bits).size_bytes, f"codes of {bits} bits"),
        ("trie, both", left, both(base, threshold, bits)[1], "pruned, then quantised"),
    )
    return [
        {"form": form, "entries": _whole(entries), "bytes": _whole(size), "contents": holds}
        for form, entries, size, holds in forms
    ]


def _whole(n: int) -> str:
    return f"{n:,}" if n < 10**12 else f"{n:.3g}".replace("e+", " · 10^")


def timed(base: Base) -> tuple[list[float], list[float]]:
    """Microseconds by order: one probability, and one whole row.  Measured once in a session, and
    again when asked for."""
    again = st.button("Measure again", key="again")
    kept = st.session_state.get("timed")
    if again or kept is None or kept[0] != base.key:
        stream = np.resize(base.chosen.study.stream, BATCH + 1)
        pairs = [
            (_each(partial(m.probabilities, stream)), _each(partial(_rows, m, stream)))
            for m in by_order(base)
        ]
        kept = st.session_state["timed"] = base.key, [a for a, _ in pairs], [b for _, b in pairs]
    return kept[1], kept[2]


def _rows(model: Smoothed, stream: np.ndarray) -> np.ndarray:
    return model.distributions(model.counts.places(stream[:-1]))


def _each(run: Callable[[], Any]) -> float:
    """Microseconds of one answer: the median of several batches."""
    found = []
    for _ in range(TIMES):
        before = perf_counter()
        run()
        found.append(perf_counter() - before)
    return float(np.median(found)) * 1e6 / BATCH


def times(base: Base, one: list[float], row: list[float]) -> Plate:
    orders = range(1, len(one) + 1)
    series = {"one probability": (orders, one), "a whole row": (orders, row)}
    says, y = "One look-up and one whole row", "microseconds"
    return base.curve("times", says, series, one, row, x="order", y=y, log_y=True, whole=True)
