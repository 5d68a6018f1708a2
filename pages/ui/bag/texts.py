"""Which labelled texts the bag of words page learns from: ours, the toy of four reviews, or a table
of the reader's own."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.bag_of_words import tfidf
from engine.analysis.bag_of_words.counts import Counts, count
from engine.analysis.bag_of_words.evaluate import split
from engine.analysis.bag_of_words.labelled import (
    MOST_BYTES,
    MOST_CLASSES,
    MOST_ROWS,
    TOY,
    Labelled,
    Sheet,
    guess,
    labelled,
    sheet,
)
from engine.live.markdown import escape, sentence
from engine.views.theme import shorten
from pages.ui import ask, choice
from pages.ui import texts as all_texts

REVIEWS, FOUR, OWN = "Short reviews", "Four toy reviews", "Your own table"
FIRST_SHARE = "30 %"
SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5}
MOST_HELD, SNIPPET = 2_000, 1_000  # texts held out; characters of each that the browser gets
MOST_SEED = 999


@dataclass(frozen=True)
class Chosen:
    """Counted and held-out texts.  `key` changes with any of them, `texts` only with the texts and
    the split."""

    title: str
    key: str
    texts: str
    counts: Counts
    centroids: tfidf.Centroids
    counted: Labelled
    held: Labelled
    weighing: tuple[bool, bool, bool]
    tables: dict[str, Any]  # for the browser

    @property
    def split(self) -> str:
        """Which texts are held out: the share and its number."""
        return self.texts.partition(".")[2]


def choose(head: DeltaGenerator) -> Chosen:
    """The controls, in the head of the page.  Stops the run, with a sentence, where there is
    nothing to count."""
    options = {
        "reviews": REVIEWS,
        "four": FOUR,
        **{id: name for id, name in all_texts.listed("labelled").items() if id != "reviews"},
        "table": OWN,
    }
    id = all_texts.pick(
        "Learn from", options, "labelled", box=head, width=190, label_visibility="collapsed"
    )
    source = options[id]
    if id == "four":
        found, title = TOY, "four toy reviews"
    elif id == "table":
        found, title = own()
    else:
        found, title = stored(id, source)
    for note in found.notes:
        st.info(sentence(note))
    with head.popover("Settings", help="Held-out texts, TF-IDF weights"):
        share, seed = 0.0, 0
        if id != "four":
            row = st.container(horizontal=True, gap="large")
            label, shares = "Held out, never counted", list(SHARES)
            held = choice.one_of(label, shares, "heldout", FIRST_SHARE, where=row, link=True)
            share = SHARES[held]
            says = "Another number gives another split."
            seed = ask.between(
                row.number_input, "Split", "split", 0, MOST_SEED, 0, width=140, help=says
            )
        row = st.container(horizontal=True, gap="large")
        says = "Off: tf is n, the count of the word in the text."
        log_tf = ask.toggle("Logarithmic tf: 1 + ln n", "logtf", where=row, help=says)
        says = "idf = ln((1 + D) / (1 + texts with the word)) + 1. Off: ln(D / texts with the word) + 1."
        smooth = ask.toggle("Smooth idf", "smoothidf", True, row, help=says)
        says = "Off: long texts count more in the mean of their class."
        unit = ask.toggle("Texts of length 1 (l2)", "unittexts", True, row, help=says)
    digest = hashlib.sha256(
        json.dumps([found.labels, found.texts]).encode("utf-8", "replace")
    ).hexdigest()[:16]
    try:
        return prepared(title, digest, share, seed, (log_tf, smooth, unit), found)
    except ValueError as problem:
        st.error(sentence(problem))
        st.stop()


@st.cache_resource(max_entries=8, show_spinner="Counting …")
def prepared(
    title: str,
    digest: str,
    share: float,
    seed: int,
    weighing: tuple[bool, bool, bool],
    _found: Labelled,
) -> Chosen:
    used, out = split(_found.labels, share, seed) if share else ([*range(len(_found.labels))], [])
    if len(out) > MOST_HELD:
        kept = {out[i * len(out) // MOST_HELD] for i in range(MOST_HELD)}
        used, out = [d for d in range(len(_found.labels)) if d not in kept], sorted(kept)
    counted, held = (
        Labelled(tuple(_found.labels[d] for d in ds), tuple(_found.texts[d] for d in ds))
        for ds in (used, out)
    )
    counts = count(counted.labels, counted.texts, classes=_found.classes)
    centroids = tfidf.fit(counts, counted.labels, counted.texts, *weighing)
    place = {name: c for c, name in enumerate(counts.classes)}
    bags = [[x for pair in counts.bag(text)[0].items() for x in pair] for text in held.texts]
    tables = {
        "tables": {
            "classes": counts.classes,
            "vocab": counts.vocab,
            "count": counts.count_CV.ravel().tolist(),
            "docs": counts.docs_CV.ravel().tolist(),
            "docs_C": counts.docs_C.tolist(),
            "idf": np.round(centroids.idf_V, 6).tolist(),
            "centroid": np.round(centroids.centroid_CV, 6).ravel().tolist(),
            "log_tf": weighing[0],
        },
        "held": {
            "true": [place[name] for name in held.labels],
            "texts": [shorten(t, SNIPPET) for t in held.texts],
            "bags": bags,
        },
    }
    texts = f"{digest}.{share}.{seed}"
    made = counts, centroids, counted, held
    return Chosen(title, f"{texts}.{weighing}", texts, *made, weighing, tables)


@st.cache_resource(max_entries=4, show_spinner="Reading the table …")
def read_table(digest: str, _data: bytes) -> Sheet:
    return sheet(_data)


def stored(id: str, title: str) -> tuple[Labelled, str]:
    """The pairs of a corpus, within the same bounds as those of a table."""
    try:
        if left_out := all_texts.left_out(id, MOST_BYTES):
            st.caption(left_out)
        return _stored(id), "short reviews" if id == "reviews" else f"{title} (yours)"
    except (ValueError, LookupError) as problem:
        st.error(f"{escape(title)} cannot be used: {escape(str(problem))}.")
        st.stop()


@st.cache_resource(max_entries=4, show_spinner="Reading the pairs …")
def _stored(id: str) -> Labelled:
    pairs = all_texts.rows(id, MOST_BYTES)
    if id == "reviews":
        return Labelled(tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
    return labelled(Sheet(("label", "text"), tuple(pairs), ()), 1, 0)


def own() -> tuple[Labelled, str]:
    """The reader's table, and its name."""
    given = st.file_uploader(
        "Table with a column of texts and a column of labels",
        ("csv", "tsv", "txt"),
        key="table",
        max_upload_size=MOST_BYTES // 1_000_000,
    )
    if given is not None:
        st.session_state["bag.file"] = (given.name, given.getvalue())
    if "bag.file" not in st.session_state:
        st.info(
            "Add a CSV or TSV file with one text per row and its label in another column. 2 to"
            f" {MOST_CLASSES} classes, {MOST_ROWS:,} rows, {MOST_BYTES // 1_000_000} MB. It"
            " stays on this computer and is not stored."
        )
        st.stop()
    name, data = st.session_state["bag.file"]
    try:
        digest = hashlib.sha256(data).hexdigest()[:16]
        table = read_table(digest, data)
        text, label = guess(table)
        row = st.container(horizontal=True, gap="large", vertical_alignment="bottom")
        columns = range(len(table.names))
        name_of = table.names.__getitem__
        text = row.selectbox("Text", columns, text, name_of, f"text.{digest}", width=260)
        label = row.selectbox("Label", columns, label, name_of, f"label.{digest}", width=260)
        row.caption(f"{escape(name)}: {len(table.rows):,} rows, {len(table.names)} columns")
        return labelled(table, text, label), name
    except ValueError as problem:
        st.error(f"{escape(name)} cannot be used: {escape(str(problem))}.")
        st.stop()
