"""The list of all texts, and the one that is looked at."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Any

import streamlit as st

from engine.live.markdown import sentence
from engine.text import collection
from engine.text.collection import Library, Stored, counting, shared
from engine.text.corpora.base import Corpus
from pages.ui import renewed, rows, texts
from pages.ui.fragment import fragment

KEY, FIRST = "corpora.text", "python_docs"
# the id of the text to show from the next run on: a widget's own value can't be changed once it is
# drawn
NEXT = "corpora.next"
KINDS = {
    "text": "text",
    "labelled": "labelled texts",
    "parallel": "two languages",
    "tagged": "tagged words",
}
COLUMNS = {
    **{
        name: st.column_config.TextColumn(width=width)
        for name, width in {"name": 226, "split": 96, "added": 96, "kind": 112, "size": 84}.items()
    },
    "characters": rows.WHOLE,
    "words": st.column_config.NumberColumn(width=80, format=rows.WHOLE),
    "sentences": rows.WHOLE,
    "language": st.column_config.TextColumn(
        width=110, help="Guessed from the words; ? marks an uncertain guess"
    ),
}
EVERY_SECONDS = 2.0


def list_all(alone: bool) -> None:
    """The table of all texts.  The built-in ones are counted once, by a process of its own, which
    this waits for without holding the page.

    alone  whether nothing else on the page looks again and again: Streamlit loses its place where
           two do and one asks for the whole page
    """
    waiting = [
        c for c in collection.every() if not isinstance(c, Stored) and counting.kept(c) is None
    ]
    wanted = (st.query_params.get("corpus"), FIRST)
    with contextlib.suppress(OSError):  # a full disk: the chosen text says so
        counting.begin(
            sorted(waiting, key=lambda c: wanted.index(c.id) if c.id in wanted else len(wanted))
        )

    @fragment(run_every=EVERY_SECONDS if waiting and alone else None)
    def table() -> None:
        st.subheader("All texts", anchor=False)
        by_label = texts.by_label()
        left = [
            c for c in by_label.values() if not isinstance(c, Stored) and counting.kept(c) is None
        ]
        if waiting and not left:
            st.rerun()  # all there: no need to look again
        own_first = sorted(by_label.items(), key=lambda item: not isinstance(item[1], Stored))
        found = [row(label, corpus) for label, corpus in own_first]
        # the widths of its columns are those of its first rows
        wide = max((len(str(row["words"])) for row in found), default=0)
        height = "content" if len(found) < 12 else 430
        key = f"corpora.list.{len(found)}.{wide}"
        rows.show(found, key, COLUMNS, placeholder="", height=height)
        counted = any(counting.state(c).alive for c in left)
        st.caption(quota() + (" The built-in texts are being counted." if counted else ""))

    table()


def row(label: str, corpus: Corpus) -> dict[str, Any]:
    kind = KINDS[collection.kind_of(corpus)]
    if isinstance(corpus, Stored):
        about, spoken = corpus.about, corpus.about["language"]
        return {
            "name": label,
            "kind": kind,
            "size": size(about["size_bytes"]),
            **{name: about[name] for name in ("characters", "words", "sentences")},
            "language": tongue(spoken.get("name", ""), spoken.get("sure", "")),
            "split": parts(corpus),
            "added": "shared" if shared.is_shared(corpus) else day(about["added"]),
        }
    found, language = counting.kept(corpus), ""
    if found:
        language = "English, French" if corpus.id == "phrases" else tongue(*found.language)
    return {
        "name": label,
        "kind": kind,
        "size": size(found.size_bytes) if found else "",
        "characters": found.statistics.characters if found else None,
        "words": found.words if found else None,
        "sentences": found.sentences if found else None,
        "language": language,
        "split": "",
        "added": "built in",
    }


def tongue(name: str, sure: str) -> str:
    return f"{name}?" if sure == "unsure" and name != "unknown" else name


def size(count: int) -> str:
    if count >= 999_500:
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1e3:,.0f} kB" if count >= 1_000 else f"{count} B"


def parts(corpus: Stored) -> str:
    passages = corpus.about["passages"]
    some = [int(passages.get(name, 0)) for name in ("train", "validation", "test")]
    return " / ".join(f"{100 * n / max(sum(some), 1):.0f}" for n in some) + " %"


def day(written: str) -> str:
    """Of an about.json, which may have been edited by hand."""
    try:
        return f"{datetime.fromisoformat(written):%Y-%m-%d}"
    except ValueError:
        return ""


def quota() -> str:
    own = Library()
    used, most = own.used_bytes, own.quota_bytes
    full = (
        " There is hardly any space left; delete a text to make room." if used > 0.95 * most else ""
    )
    return (
        f"Your own texts take {used / 1e6:,.1f} of {most / 1e6:,.0f} MB.{full} Split: the"
        " percentage of passages for training / validation / test. Built-in texts are not split"
        " here; a model trained on one holds out a part itself."
    )


def choose() -> Corpus:
    """The text that the rest of the page is about.  Stops the fragment, with a sentence, when it is
    gone."""
    listed = texts.listed()
    if (wanted := st.session_state.pop(NEXT, "")) in listed:
        renewed.change(KEY, listed[wanted])
        st.query_params["corpus"] = wanted
    plain: Any = {"width": 420, "label_visibility": "collapsed"}
    id = texts.pick("Text to look at", listed, KEY, FIRST, **plain)
    try:
        return collection.find(id)
    except (LookupError, ValueError) as problem:
        st.error(sentence(problem))
        st.stop()
