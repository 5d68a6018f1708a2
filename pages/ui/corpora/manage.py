"""What can be done with the chosen text: rename it, take it away, delete it, train on it, open it
in a lesson."""

from __future__ import annotations

import streamlit as st

from engine import ROOT
from engine.course.curriculum import lesson
from engine.live.markdown import escape, sentence
from engine.people.accounts import Person
from engine.text import collection
from engine.text.collection import Library, Stored, shared
from engine.text.corpora.base import Corpus
from pages.ui import people
from pages.ui.corpora import shown

PAGES = ROOT / "pages"
TRAINING = "610_training.py"
LESSONS = {
    "text": "smoothing sparsity scoring units memory preparation cooccurrence".split(),
    "labelled": ["bag"],
}
PART = {"cooccurrence": {"company": "Train GloVe"}}  # of the page, where the text is not at its top


def show(chosen: Corpus) -> None:
    st.markdown(f"**{escape(chosen.title)}**: {escape(chosen.says)}")
    for note in chosen.about["notes"] if isinstance(chosen, Stored) else ():
        st.caption(escape(str(note)))
    row = st.container(horizontal=True, vertical_alignment="center")
    if (PAGES / TRAINING).is_file():
        row.page_link(
            f"pages/{TRAINING}", label="Train a model on it", query_params={"corpus": chosen.id}
        )
    with row.popover("Open in a lesson"):
        for id in dict.fromkeys([*LESSONS.get(collection.kind_of(chosen), ()), *LESSONS["text"]]):
            st.page_link(
                f"pages/{lesson(id).page}",
                label=lesson(id).title,
                query_params={"corpus": chosen.id, **PART.get(id, {})},
            )
    with row.popover("Download the text"):
        export(chosen)
    if isinstance(chosen, Stored):
        if not shared.is_shared(chosen):
            rename(row, chosen)
            delete(row, chosen)
        if one := people.person():
            give(row, chosen, one)
    people.says()


def export(chosen: Corpus) -> None:
    """Made only when it is asked for."""
    stored = isinstance(chosen, Stored)
    st.download_button(
        "The text",
        (lambda: Library().export(chosen.id)[1]) if stored else chosen.text,
        f"{chosen.id}.txt",
        "text/plain",
        key="corpora.export",
        on_click="ignore",
    )
    if not stored:
        st.caption(f"Licence: {escape(chosen.licence)}.")
        return
    st.download_button(
        "A zip with the text and its description",
        lambda: Library().export(chosen.id, packed=True)[1],
        f"{chosen.id}.zip",
        "application/zip",
        key="corpora.export.zip",
        on_click="ignore",
    )


def rename(row: st.delta_generator.DeltaGenerator, chosen: Stored) -> None:
    with row.popover("Rename"), st.form("corpora.rename", border=False, width=420):
        name = st.text_input(
            "New name", chosen.title, max_chars=120, key=f"corpora.rename.{chosen.id}"
        )
        if st.form_submit_button("Rename it") and name and name.strip():
            try:
                Library().rename(chosen.id, name)
            except (ValueError, LookupError) as problem:
                st.error(escape(sentence(problem)))
                return
            st.session_state[shown.NEXT] = chosen.id
            st.rerun()


def give(row: st.delta_generator.DeltaGenerator, chosen: Stored, one: Person) -> None:
    """Share one's own text with everybody on this server, or take the shared one back."""
    said = shared.by(chosen)
    if said.person != one.id if said else shared.is_shared(chosen):
        row.caption(
            f"Shared by {escape(said.name)}." if said else "Shared by whoever runs this server."
        )
    elif row.button("Take back" if said else "Share", key="corpora.share"):
        try:
            (shared.withdraw if said else shared.share)(chosen, one)
        except (ValueError, LookupError) as problem:
            st.error(escape(sentence(problem)))
            return
        st.session_state["corpora.done"] = (
            f"“{escape(chosen.title)}” is no longer shared."
            if said
            else f"“{escape(chosen.title)}” is shared: everybody on this server can use it."
        )
        st.session_state[shown.NEXT] = shown.FIRST if said else chosen.id
        st.rerun()


def delete(row: st.delta_generator.DeltaGenerator, chosen: Stored) -> None:
    with row.popover("Delete"):
        st.markdown(f"Delete “{escape(chosen.title)}” for good? Models trained on it are kept.")
        if st.button("Yes, delete it", key="corpora.delete"):
            try:
                Library().delete(chosen.id)
            except LookupError:  # gone already
                pass
            except ValueError as problem:
                st.error(escape(sentence(problem)))
                return
            st.session_state["corpora.done"] = f"“{escape(chosen.title)}” is deleted."
            st.session_state[shown.NEXT] = shown.FIRST
            st.rerun()
