"""All runs in one table: what made each and how good it is; which are shown, and which one is
looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from engine.course.curriculum import lesson
from engine.live.markdown import escape
from engine.runs.archive.manifest import files
from engine.runs.store import Run, RunStore
from engine.storage.run_folder import NOTE, WEIGHTS
from engine.training import job, status
from pages.ui import people, rows
from pages.ui.choice import one_of
from pages.ui.runs.curves import config

WHOSE = ("All", "Yours", "Shipped")
SHARED = "Shared"  # one more, where several people use one server
RIGHT = ("accuracy", "exact")  # what a model with right answers calls their share
HEIGHT = 380


def _column(width: int, format: Any, help: str, label: str | None = None) -> Any:
    return st.column_config.NumberColumn(label, width=width, format=format, help=help)


COLUMNS = {
    "title": st.column_config.TextColumn(width=250),
    "model": st.column_config.TextColumn(width=100),
    "bits": _column(
        90,
        "%.2f",
        "Bits per character on text held out from training; lower is better. Compare runs of the"
        " same text only.",
        "bits / char.",
    ),
    "right": _column(
        80, "%.1f %%", "Accuracy on held-out examples, for models that give an answer."
    ),
    "corpus": st.column_config.TextColumn(width=190),
    "characters": _column(90, "compact", "Length of the training text."),
    "steps": st.column_config.NumberColumn(width=80, format=rows.WHOLE),
    "minutes": _column(80, "%.1f", "Training time in minutes."),
    "snapshots": _column(90, None, "Snapshots kept during training, without the finished run."),
    "MB": _column(70, "%.1f", "On disk: weights, history and snapshots."),
    "here since": st.column_config.DateColumn(
        width=100,
        format="YYYY-MM-DD",
        help="The day on which the training ended or the run was imported.",
    ),
}


ORDER = ("title", "model", "bits", "right", "corpus", "steps", "minutes", "here since")


# st.cache_data takes a tenth of a millisecond for each, and there may be hundreds
@lru_cache(10_000)
def _size(folder: str, written: int) -> tuple[float, str]:
    """(MB on disk, day on which it came); run.json is written last, so its time stands for the
    rest."""
    place = Path(folder)
    day = datetime.fromtimestamp((place / WEIGHTS).stat().st_mtime, UTC).date()
    return sum((place / name).stat().st_size for name in files(place)) / 1e6, day.isoformat()


def ordered(store: RunStore) -> list[Run]:
    """A person's own runs, the newest first, then the shipped ones."""
    every = store.all()
    own = sorted((run for run in every if _own(run, store)), key=_came, reverse=True)
    return [*own, *(run for run in every if not _own(run, store))]


def _came(run: Run) -> float:
    try:
        return (run.folder / WEIGHTS).stat().st_mtime
    except OSError:
        return 0.0


def _own(run: Run, store: RunStore) -> bool:
    return run.folder.parent == store.roots[-1]


def row(run: Run, store: RunStore) -> dict[str, Any]:
    """What the table says of a run.  A run.json that somebody changed by hand leaves gaps, no
    more."""
    note = run.note
    corpus, held_out = (
        found if isinstance(found := note.get(k), dict) else {} for k in ("corpus", "held_out")
    )
    try:
        size, day = _size(str(run.folder), (run.folder / NOTE).stat().st_mtime_ns)
    except OSError:
        size, day = None, None
    own, seconds = _own(run, store), _number(note.get("seconds"))
    shares = [_number(held_out.get(k)) for k in RIGHT]
    return {
        "title": run.title,
        "model": run.model,
        "bits": _number(held_out.get("bits_per_char")),
        "right": next((100 * share for share in shares if share is not None), None),
        "corpus": str(corpus.get("name") or ("your text" if own else "a text")),
        "characters": _number(corpus.get("characters")),
        "steps": _number(note.get("steps")),
        "minutes": seconds / 60 if seconds is not None else None,
        "snapshots": sum(step != note.get("steps") for step in run.snapshots),
        "MB": size,
        "device": str(note.get("device", "")),
        "here since": day if own else None,
        "whose": "yours" if own else "shipped" if run.folder.parent == store.roots[0] else "shared",
        "id": run.id,
    }


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def choose(runs: Sequence[Run], store: RunStore) -> Run | None:
    """The filters and the table; the run that is looked at.  None where no run fits the filters."""
    every = [row(run, store) for run in runs]
    a, b, c, d = st.columns((4, 3, 3, 3))
    hint = "find: title, id, corpus or a setting"
    words = a.text_input(
        "Find", key="runs_find", placeholder=hint, max_chars=100, label_visibility="collapsed"
    )

    def several(label: str, of: str, box: Any) -> list[str]:
        found = sorted({r[of] for r in every})
        key, hint = f"runs_{label.lower()}", f"all {label.lower()}"
        return list(
            box.multiselect(label, found, key=key, placeholder=hint, label_visibility="collapsed")
        )

    models, corpora = several("Models", "model", b), several("Corpora", "corpus", c)
    sorts = (*WHOSE, SHARED) if people.are_several() else WHOSE
    whose = one_of("Whose", sorts, "runs_whose", where=d, label_visibility="collapsed")
    shown = [
        n
        for n, r in enumerate(every)
        if (not models or r["model"] in models)
        and (not corpora or r["corpus"] in corpora)
        and whose in (WHOSE[0], r["whose"].title())
        and _fits(words.lower().split(), runs[n], r)
    ]
    if not shown:
        st.info(
            "No run matches. Remove a word or a filter."
            if every
            else "There is no run yet. Train a model, or import a run from a zip below."
        )
        return None
    folders = [str(runs[n].folder) for n in shown]
    # Another list, another table: a place in it means another run.  So it is after a run was
    # brought, to show that one.
    digest = hashlib.sha256("".join(folders).encode()).hexdigest()[:8]
    asked = (str(r.folder) for r in runs if r.id == st.query_params.get("run"))
    first = next(asked, st.session_state.get("runs_of", ""))
    at = folders.index(first) if first in folders else 0
    found = rows.show(
        [every[n] for n in shown],
        f"runs_table.{digest}.{st.session_state.get('runs_turn', 0)}",
        COLUMNS,
        height=min(HEIGHT, 36 * len(shown) + 40),
        # the others stand below, with the run; of the shipped ones nobody knows the day
        column_order=ORDER if any(every[n]["here since"] for n in shown) else ORDER[:-1],
        on_select="rerun",
        placeholder="",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [at]}},
        alt="All runs, one a line: title, model, quality, corpus, training",
    )
    st.caption(
        f"{len(shown):,} of {len(every):,} runs. Tick the circle before a run to see its details;"
        " click a heading to sort."
    )
    chosen = runs[shown[next(iter(found["selection"]["rows"]), 0)]]
    if (before := st.session_state.get("runs_of")) and before != str(chosen.folder):
        st.query_params["run"] = chosen.id
    st.session_state["runs_of"] = str(chosen.folder)
    return chosen


def _fits(words: Sequence[str], run: Run, about: dict[str, Any]) -> bool:
    """Whether every word is part of what the table says; a word like "units=128" has to be one of
    the settings."""
    settings = {f"{k}={v}".lower() for k, v in config(run).items()}
    text = " ".join((*(about[k] for k in ("title", "id", "model", "corpus")), *settings)).lower()
    return all(word in settings if "=" in word else word in text for word in words)


def unfinished(store: RunStore) -> None:
    """Trainings that are no runs yet, in one line."""
    said = []
    for folder in job.unfinished(store.roots[-1:])[:20]:
        state, wanted = status.read(folder), job.read(folder)
        name = escape((wanted.title if wanted else "") or folder.name)
        said.append(
            f"{name}: {state.state if state else 'not started'}"
            + (f", step {state.step:,} of {state.total:,}" if state and state.total else "")
        )
    if said:
        st.caption("Not yet runs, but started in the training room: " + "; ".join(said) + ".")
        there = lesson("training")
        st.page_link(f"pages/{there.page}", label=there.title)
