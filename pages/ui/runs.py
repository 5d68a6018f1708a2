"""Runs: every trained model in one table, one or two of them closely; to rename, delete, share, save as a zip,
and bring."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from engine.language.message import _
from engine.lessons.runs.details import describe_run, details
from engine.lessons.runs.table import fits, lessons_for, ordered, row
from engine.live import cache
from engine.live.markdown import escape
from engine.runs import own, shared
from engine.runs.archive.pack import pack
from engine.runs.store import Run, RunStore
from pages.ui import controls, people, place, rows, runs_add, shell, waiting
from pages.ui.blocks import Place
from pages.ui.fragment import fragment
from pages.ui.language import labelled, told
from pages.ui.widgets import one_of

WHOSE = ("All", "Yours", "Shipped")
SHARED = "Shared"  # one more, where several people use one server
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
# that the page takes or gives: it holds the file in memory, which the command line does not
MOST_MB = 200


def show_runs() -> None:
    here = shell.head("runs")

    @fragment(key="runs")
    def page() -> None:
        store = RunStore()
        every = ordered(store)
        if words := st.session_state.pop("runs_said", None):
            st.success(told(words))
        runs_add.ask_for_models(every, _arrived)
        with place.panel("runs"):
            run = choose(every, store)
        if run is None:
            return
        st.subheader(escape(told(run.title)), anchor=False)
        about_run = row(run, store)
        where = Place(here, details, {}, run.id)
        where.draw([*describe_run(run, about_run)], st.container())
        lessons_of(run)
        other = pick_other(every, run)
        shown = {one.id: one for one in (run, other) if one}
        values = {"shown": shown, **controls.find_held("runs", details, {"shown": shown})}
        Place(here, details, values, run.id).show(details.blocks(**values))
        st.divider()
        offer_keeping(run, about_run["MB"])
        people.tell_audience()

    page()
    shell.sources(here)


def lessons_of(run: Run) -> None:
    found = lessons_for(run)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(
            told("Open it in" if found else "No lesson offers a choice of runs of this model.")
        )
        for one in found:
            query, icon = {"run": run.id}, ":material/arrow_forward:"
            st.page_link(f"pages/{one.page}", label=told(one.title), icon=icon, query_params=query)


def choose(runs: Sequence[Run], store: RunStore) -> Run | None:
    """The filters and the table; the run that is looked at.  None where no run fits the filters."""
    every = [row(run, store) for run in runs]
    left, right = st.columns((5, 3))
    hint = "find: title, id, model, corpus or a setting"
    words = left.text_input(
        told("Find"),
        key="runs_find",
        placeholder=told(hint),
        max_chars=100,
        label_visibility="collapsed",
    )
    sorts = (*WHOSE, SHARED) if people.are_several() else WHOSE
    whose = one_of("Whose", sorts, "runs_whose", where=right, label_visibility="collapsed")
    shown = [
        n
        for n, r in enumerate(every)
        if whose in (WHOSE[0], r["whose"].title()) and fits(words.lower().split(), runs[n], r)
    ]
    if not shown:
        st.info(
            told(
                "No run matches. Remove a word or a filter."
                if every
                else "There is no run yet. Train a model, or add one above."
            )
        )
        return None
    folders = [str(runs[n].folder) for n in shown]
    # Another list, another table: a place in it means another run.  So it is after a run was
    # brought, to show that one.
    digest = hashlib.sha256("".join(folders).encode()).hexdigest()[:8]
    asked = (str(r.folder) for r in runs if r.id == st.query_params.get("run"))
    first = next(asked, st.session_state.get("runs_of", ""))
    at = folders.index(first) if first in folders else 0
    found = rows.show_table(
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
        told(
            "{shown:,} of {every:,} runs. Tick the circle before a run to see its details;"
            " click a heading to sort.",
            shown=len(shown),
            every=len(every),
        )
    )
    chosen = runs[shown[next(iter(found["selection"]["rows"]), 0)]]
    if (before := st.session_state.get("runs_of")) and before != str(chosen.folder):
        st.query_params["run"] = chosen.id
    st.session_state["runs_of"] = str(chosen.folder)
    return chosen


def pick_other(runs: Sequence[Run], run: Run) -> Run | None:
    """The picker of the run to compare with; its id stands in the address as `with`."""
    others = {other.id: other for other in runs if other.id != run.id}

    def note() -> None:
        chosen = st.session_state["runs_with"]
        if chosen:
            st.query_params["with"] = chosen
        else:
            st.query_params.pop("with", None)

    if "runs_with" not in st.session_state:
        st.session_state["runs_with"] = st.query_params.get("with")
    if st.session_state["runs_with"] not in others:
        st.session_state["runs_with"] = None
    chosen = st.selectbox(
        told("Compare with"),
        others,
        key="runs_with",
        index=None,
        on_change=note,
        placeholder=told("another run"),
        **labelled(lambda id: _("{title} ({id})", title=_(others[id].title), id=id)),
        width=420,
    )
    return others.get(str(chosen))


def offer_keeping(run: Run, size_mb: float | None) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        _save(run, size_mb or 0.0)
    with right:
        _change(run)


def _save(run: Run, size_mb: float) -> None:
    st.markdown(told("**Export**"))
    if size_mb > MOST_MB:
        st.caption(
            told(
                "With {size_mb:,.0f} MB this run is too large for the page. In a terminal:"
                " `python -m engine pack {id} {id}.zip`",
                size_mb=size_mb,
                id=run.id,
            )
        )
        return

    def made() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            pack(run, path := Path(folder) / "run.zip")
            return path.read_bytes()

    st.download_button(
        told("Export as zip"),
        made,
        f"{run.id}.zip",
        "application/zip",
        key="runs_export",
        on_click="ignore",
        disabled=not run.weights.is_file(),  # of another library
    )
    st.caption(
        told(
            "Weights, history and snapshots, {size_mb:.1f} MB, with a list of digests."
            " Import it on another machine here, or with `python -m engine unpack"
            " FILE.zip`.",
            size_mb=size_mb,
        )
    )


def _arrived(run: Run, new: bool) -> None:
    words = (
        _("Imported: {title}, as {id}.", title=escape(run.title), id=escape(run.id))
        if new
        else _("This run is already here, as {id}.", id=escape(run.id))
    )
    _again(run, words)


def _change(run: Run) -> None:
    st.markdown(told("**Rename or delete**"))
    if people.are_several() and shared.is_shared(run):
        _take_back(run)
        return
    if not own.is_own(run):
        st.caption(told("This run is shipped with Unrolled; it can't be renamed or deleted."))
        return
    if (one := people.person()) and (said := shared.find_sharer(run)) and said.person == one.id:
        _take_back(run)
    else:
        _share(run)
    title = st.text_input(
        told("Title"),
        run.title,
        key=f"runs_title.{run.id}",
        max_chars=own.MOST_TITLE,
        help=told("The id stays the same, so links to it still work."),
    )
    pressed = st.button(told("Rename"), key="runs_rename", disabled=title == run.title)
    if pressed and waiting.try_it(own.rename, run, title):
        _again(run, "Renamed.")
    asked = st.session_state.get("runs_asked") == str(run.folder)
    if not asked and st.button(told("Delete"), key="runs_delete"):
        st.session_state["runs_asked"] = str(run.folder)
        st.rerun()
    if asked:
        st.warning(
            told(
                "Delete {title}, its weights and its history for good? It can't be brought"
                " back, unless you exported it.",
                title=escape(run.title),
            )
        )
        yes, no = st.columns(2)
        if no.button(told("Keep it"), key="runs_no"):
            del st.session_state["runs_asked"]
            st.rerun()
        if yes.button(told("Delete it"), key="runs_yes"):
            del st.session_state["runs_asked"]
            if waiting.try_it(own.delete, run):
                cache.forget(run)
                _again(None, _("{title} is deleted.", title=escape(run.title)))


def _share(run: Run) -> None:
    one = people.person()
    if one and st.button(told("Share with everybody on this server"), key="runs_share"):
        with st.spinner(told("Copying it and checking every file …")):
            done = waiting.try_it(shared.share, run, one)
        if done:
            _again(
                run,
                _(
                    "{title} is shared: everybody on this server can use it.",
                    title=escape(run.title),
                ),
            )


def _take_back(run: Run) -> None:
    """A shared run, for whoever shared it; for anybody else a sentence."""
    said, one = shared.find_sharer(run), people.person()
    if said is None:
        st.caption(told("This run is shared by whoever runs this server."))
    elif one is None or said.person != one.id:
        st.caption(
            told(
                "This run is shared by {name}; only they can take it back.", name=escape(said.name)
            )
        )
    elif st.button(told("Take it back"), key="runs_take_back") and waiting.try_it(
        shared.withdraw, run, one
    ):
        cache.forget(run)
        _again(None, _("{title} is no longer shared.", title=escape(run.title)))


def _again(run: Run | None, words: str) -> None:
    """Show the page anew with this run, and say what was done."""
    st.session_state["runs_said"] = words
    st.session_state["runs_turn"] = st.session_state.get("runs_turn", 0) + 1
    st.session_state.pop("runs_of", None)
    if run:
        st.session_state["runs_of"] = str(run.folder)
        st.query_params["run"] = run.id
    else:
        st.query_params.pop("run", None)
    st.rerun()
