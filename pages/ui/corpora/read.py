"""The text itself: a page of it at a time, and a search that shows each place with what stands
around it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.live.markdown import escape
from engine.text.collection import Stored, counting
from engine.text.collection.paged import PagedCorpus
from engine.text.collection.search import Found, extract, search
from engine.text.corpora.base import Corpus
from engine.text.paged import Paged
from pages.ui import rows

PAGE, PER_PAGE, KEEP_SECONDS = 3_000, 20, 300


@st.cache_resource(max_entries=2, ttl=KEEP_SECONDS, show_spinner="Opening the text …")
def text_of(id: str, _corpus: Corpus) -> str | Paged:
    return PagedCorpus(_corpus) if isinstance(_corpus, Stored) else counting.plain(_corpus)


@st.cache_data(max_entries=64, show_spinner="Searching …")
def looked_up(id: str, words: str, case: bool, whole: bool, page: int, _text: str | Paged) -> Found:
    return search(
        _text, words, ignore_case=not case, whole_words=whole, page=page, per_page=PER_PAGE
    )


def show(chosen: Corpus) -> None:
    try:
        text = text_of(chosen.id, chosen)
        row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        words = row.text_input(
            "Search in the text",
            key="corpora.search",
            max_chars=200,
            width=320,
            placeholder="a word or a phrase",
        )
        case = row.toggle("Match case", key="corpora.case")
        whole = row.toggle("Whole words only", key="corpora.whole")
        at = found_at(chosen, text, words, case, whole) if words and words.strip() else None
        reader(chosen, text, at)
    except (LookupError, MemoryError) as problem:
        # a stored text stays in its file, which may be gone by now
        st.error(escape(f"This text can't be opened: {problem or 'there is not enough memory'}."))


def found_at(chosen: Corpus, text: str | Paged, words: str, case: bool, whole: bool) -> int | None:
    """The list of places; returns where the chosen one begins."""
    key = f"corpora.hits.{chosen.id}.{words}.{case}.{whole}"
    page = int(st.session_state.get(key, 1)) - 1
    found = looked_up(chosen.id, words, case, whole, page, text)
    if not found.matches:
        st.info(f"“{escape(words)}” does not occur in this text.")
        return None
    st.markdown(
        f"**{found.total:,}{' and more' if found.more else ''} matches.** Choose a row to read"
        " from there."
    )
    table = [
        {"line": m.line, "before": m.before[-28:], "found": m.text, "after": m.after[:60]}
        for m in found.matches
    ]
    pick: Any = {"on_select": "rerun", "selection_mode": "single-row"}
    picked = rows.show(table, f"{key}.{page}", height="content", **pick)
    if found.pages > 1:
        st.pagination(found.pages, key=key)
    row = next(iter(picked.selection.rows), len(found.matches))
    return found.matches[row].start if row < len(found.matches) else None


def reader(chosen: Corpus, text: str | Paged, at: int | None) -> None:
    pages = max(-(-len(text) // PAGE), 1)
    if at is None:
        row, key = st.container(horizontal=True, vertical_alignment="bottom"), "corpora.page."
        number = row.number_input(
            f"Page, of {pages:,}", 1, pages, 1, key=key + chosen.id, width=180
        )
        at = (int(number) - 1) * PAGE
    start, stop = extract(text, at, PAGE)
    st.code(text[start:stop], language=None, wrap_lines=True, height=420)
    st.caption(
        f"Characters {start + 1:,} to {stop:,} of {len(text):,}. Only this part of the text is sent"
        " to the browser."
    )
