"""Your texts: bring them, see what they are made of, take them along, or to a lesson or a training."""

from __future__ import annotations

import contextlib
import time
from datetime import datetime
from typing import Any

import streamlit as st

from engine.course.curriculum import LESSONS, lesson
from engine.language.message import _
from engine.lessons.corpora.statistics import COUNTED
from engine.live.markdown import capitalise, escape, sentence
from engine.people.accounts import Person
from engine.storage.files import reason
from engine.text import collection
from engine.text.collection import Library, Stored, counting, shared
from engine.text.collection.counting import Counted
from engine.text.collection.paged import PagedCorpus
from engine.text.collection.search import Found, extract, search
from engine.text.corpora.base import Corpus
from engine.text.paged import Paged
from pages.ui import corpora_add, people, place, rows, shell, texts, widgets
from pages.ui.blocks import Place
from pages.ui.corpora_add import NEXT
from pages.ui.fragment import fragment
from pages.ui.language import told

KEY, FIRST = "corpora.text", "python_docs"
READ = "Read and search"
LONG = 20_000_000  # characters: counting them takes seconds
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
PAGE, PER_PAGE, KEEP_SECONDS = 3_000, 20, 300
TAKES = {
    "text": "smoothing sparsity scoring units memory preparation cooccurrence".split(),
    "labelled": ["bag"],
}
PART = {"cooccurrence": {"company": "Train GloVe"}}  # of the page, where the text is not at its top


def show_corpora() -> None:
    here = shell.head("corpora")
    st.session_state.pop(corpora_add.BUSY, None)
    corpora_add.ask_for_texts()

    @fragment
    def one() -> None:
        chosen = choose()
        parts = {part.title: part for part in COUNTED}
        names = [*parts, READ]
        more: Any = {"link": True, "label_visibility": "collapsed"}
        name = widgets.one_of("Look at", names, "text_part", place.part(names), **more)
        with place.panel(name):
            if name == READ:
                read(chosen)
            elif found := wait_counted(chosen):
                for note in found.statistics.notes:
                    st.caption(told(note))
                Place(here, parts[name], {}, chosen.id).show(parts[name].blocks(found=found))
        manage(chosen)

    one()
    list_all(alone=corpora_add.BUSY not in st.session_state)
    shell.sources(here)


def list_all(alone: bool) -> None:
    """The table of all texts.  The built-in ones are counted once, by a process of its own, which
    this waits for without holding the page.

    alone  whether nothing else on the page looks again and again: Streamlit loses its place where
           two do and one asks for the whole page
    """
    waiting = [
        c
        for c in collection.list_all()
        if not isinstance(c, Stored) and counting.read_counted(c) is None
    ]
    wanted = (st.query_params.get("corpus"), FIRST)
    with contextlib.suppress(OSError):  # a full disk: the chosen text says so
        counting.start_counting(
            sorted(waiting, key=lambda c: wanted.index(c.id) if c.id in wanted else len(wanted))
        )

    @fragment(run_every=EVERY_SECONDS if waiting and alone else None)
    def table() -> None:
        st.subheader(told("All texts"), anchor=False)
        by_label = texts.by_label()
        left = [
            c
            for c in by_label.values()
            if not isinstance(c, Stored) and counting.read_counted(c) is None
        ]
        if waiting and not left:
            st.rerun()  # all there: no need to look again
        own_first = sorted(by_label.items(), key=lambda item: not isinstance(item[1], Stored))
        found = [row(label, corpus) for label, corpus in own_first]
        # the widths of its columns are those of its first rows
        wide = max((len(str(row["words"])) for row in found), default=0)
        height = "content" if len(found) < 12 else 430
        key = f"corpora.list.{len(found)}.{wide}"
        rows.show_table(found, key, COLUMNS, placeholder="", height=height)
        counted = any(counting.state(c).alive for c in left)
        st.caption(quota() + (told(" The built-in texts are being counted.") if counted else ""))

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
            "added": told("shared") if shared.is_shared(corpus) else write_day(about["added"]),
        }
    found, language = counting.read_counted(corpus), ""
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


def write_day(written: str) -> str:
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
    return told(
        "Your own texts take {used:,.1f} of {most:,.0f} MB.{full} Split: the"
        " percentage of passages for training / validation / test. Built-in texts are"
        " not split here; a model trained on one holds out a part itself.",
        used=used / 1000000.0,
        most=most / 1000000.0,
        full=full,
    )


def choose() -> Corpus:
    """The text that the rest of the page is about.  Stops the fragment, with a sentence, when it is
    gone."""
    listed = texts.listed()
    if (wanted := st.session_state.pop(NEXT, "")) in listed:
        widgets.change(KEY, listed[wanted])
        st.query_params["corpus"] = wanted
    plain: Any = {"width": 420, "label_visibility": "collapsed"}
    id = texts.pick("Text to look at", listed, KEY, FIRST, **plain)
    try:
        return collection.find(id)
    except (LookupError, ValueError) as problem:
        st.error(sentence(told(str(problem))))
        st.stop()


def wait_counted(chosen: Corpus) -> Counted | None:
    """What was counted of a text, waited for where it has to be counted first; None, with a
    sentence, when it can't be."""
    found = counting.read_counted(chosen)
    if found is not None:
        return found
    long = isinstance(chosen, Stored) and int(chosen.about["characters"]) > LONG
    wait = told(" A text of this length takes some seconds.") if long else ""
    bar = st.progress(0.0, told("Counting …{wait}", wait=wait))
    try:
        counting.start_counting([chosen])
        while (found := counting.read_counted(chosen)) is None:
            state = counting.state(chosen)
            if not state.alive:
                raise ValueError(
                    state.error
                    or "the process that counted it ended before it was done; open this page again"
                )
            bar.progress(min(state.share, 1.0), f"{capitalise(told(state.message))} …{wait}")
            time.sleep(0.1)
    except (ValueError, LookupError, OSError) as problem:
        bar.empty()
        why = (
            _(
                "what is counted can't be written, {problem}; make room and open this page again",
                problem=reason(problem),
            )
            if isinstance(problem, OSError)
            else str(problem)
        )
        st.error(escape(told("This text can't be counted: {why}.", why=_(why))))
        return None
    bar.empty()
    return found


@st.cache_resource(max_entries=2, ttl=KEEP_SECONDS, show_spinner=False)
def text_of(id: str, _corpus: Corpus) -> str | Paged:
    return PagedCorpus(_corpus) if isinstance(_corpus, Stored) else counting.plain(_corpus)


@st.cache_data(max_entries=64, show_spinner=False)
def looked_up(id: str, words: str, case: bool, whole: bool, page: int, _text: str | Paged) -> Found:
    return search(
        _text, words, ignore_case=not case, whole_words=whole, page=page, per_page=PER_PAGE
    )


def read(chosen: Corpus) -> None:
    try:
        with st.spinner(told("Opening the text …")):
            text = text_of(chosen.id, chosen)
        row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        words = row.text_input(
            told("Search in the text"),
            key="corpora.search",
            max_chars=200,
            width=320,
            placeholder=told("a word or a phrase"),
        )
        case = row.toggle(told("Match case"), key="corpora.case")
        whole = row.toggle(told("Whole words only"), key="corpora.whole")
        at = found_at(chosen, text, words, case, whole) if words and words.strip() else None
        reader(chosen, text, at)
    except (LookupError, MemoryError) as problem:
        # a stored text stays in its file, which may be gone by now
        st.error(
            escape(
                told(
                    "This text can't be opened: {value}.",
                    value=problem or _("there is not enough memory"),
                )
            )
        )


def found_at(chosen: Corpus, text: str | Paged, words: str, case: bool, whole: bool) -> int | None:
    """The list of places; returns where the chosen one begins."""
    key = f"corpora.hits.{chosen.id}.{words}.{case}.{whole}"
    page = int(st.session_state.get(key, 1)) - 1
    with st.spinner(told("Searching …")):
        found = looked_up(chosen.id, words, case, whole, page, text)
    if not found.matches:
        st.info(told("“{words}” does not occur in this text.", words=escape(words)))
        return None
    st.markdown(
        told(
            "**{total:,}{value} matches.** Choose a row to read from there.",
            total=found.total,
            value=_(" and more") if found.more else "",
        )
    )
    table = [
        {"line": m.line, "before": m.before[-28:], "found": m.text, "after": m.after[:60]}
        for m in found.matches
    ]
    pick: Any = {"on_select": "rerun", "selection_mode": "single-row"}
    picked = rows.show_table(table, f"{key}.{page}", height="content", **pick)
    if found.pages > 1:
        st.pagination(found.pages, key=key)
    row = next(iter(picked.selection.rows), len(found.matches))
    return found.matches[row].start if row < len(found.matches) else None


def reader(chosen: Corpus, text: str | Paged, at: int | None) -> None:
    pages = max(-(-len(text) // PAGE), 1)
    if at is None:
        row, key = st.container(horizontal=True, vertical_alignment="bottom"), "corpora.page."
        number = row.number_input(
            told("Page, of {pages:,}", pages=pages), 1, pages, 1, key=key + chosen.id, width=180
        )
        at = (int(number) - 1) * PAGE
    start, stop = extract(text, at, PAGE)
    st.code(text[start:stop], language=None, wrap_lines=True, height=420)
    st.caption(
        told(
            "Characters {start:,} to {stop:,} of {text:,}. Only this part of the text is"
            " sent to the browser.",
            start=start + 1,
            stop=stop,
            text=len(text),
        )
    )


def manage(chosen: Corpus) -> None:
    st.markdown(f"**{escape(told(chosen.title))}**: {escape(told(chosen.says))}")
    for note in chosen.about["notes"] if isinstance(chosen, Stored) else ():
        st.caption(escape(str(note)))
    row = st.container(horizontal=True, vertical_alignment="center")
    query, room = {"corpus": chosen.id}, lesson("training")
    row.page_link(f"pages/{room.page}", label=told("Train a model on it"), query_params=query)
    with row.popover(told("Open in a lesson")):
        asked = {*TAKES["text"], *TAKES.get(collection.kind_of(chosen), ())}
        for item in (item for item in LESSONS if item.id in asked):
            query = {"corpus": chosen.id, **PART.get(item.id, {})}
            st.page_link(f"pages/{item.page}", label=told(item.title), query_params=query)
    with row.popover(told("Download the text")):
        export(chosen)
    if isinstance(chosen, Stored):
        if not shared.is_shared(chosen):
            rename(row, chosen)
            delete(row, chosen)
        if one := people.person():
            offer_sharing(row, chosen, one)
    people.tell_audience()


def export(chosen: Corpus) -> None:
    """Made only when it is asked for."""
    stored = isinstance(chosen, Stored)
    st.download_button(
        told("The text"),
        (lambda: Library().export(chosen.id)[1]) if stored else chosen.text,
        f"{chosen.id}.txt",
        "text/plain",
        key="corpora.export",
        on_click="ignore",
    )
    if not stored:
        st.caption(told("Licence: {licence}.", licence=escape(chosen.licence)))
        return
    st.download_button(
        told("A zip with the text and its description"),
        lambda: Library().export(chosen.id, packed=True)[1],
        f"{chosen.id}.zip",
        "application/zip",
        key="corpora.export.zip",
        on_click="ignore",
    )


def rename(row: st.delta_generator.DeltaGenerator, chosen: Stored) -> None:
    with row.popover(told("Rename")), st.form("corpora.rename", border=False, width=420):
        name = st.text_input(
            told("New name"), chosen.title, max_chars=120, key=f"corpora.rename.{chosen.id}"
        )
        if st.form_submit_button(told("Rename it")) and name and name.strip():
            try:
                Library().rename(chosen.id, name)
            except (ValueError, LookupError) as problem:
                st.error(escape(sentence(told(str(problem)))))
                return
            st.session_state[NEXT] = chosen.id
            st.rerun()


def offer_sharing(row: st.delta_generator.DeltaGenerator, chosen: Stored, one: Person) -> None:
    """Share one's own text with everybody on this server, or take the shared one back."""
    said = shared.find_sharer(chosen)
    if said.person != one.id if said else shared.is_shared(chosen):
        row.caption(
            told(
                _("Shared by {name}.", name=escape(said.name))
                if said
                else "Shared by whoever runs this server."
            )
        )
    elif row.button(told("Take back" if said else "Share"), key="corpora.share"):
        try:
            (shared.withdraw if said else shared.share)(chosen, one)
        except (ValueError, LookupError) as problem:
            st.error(escape(sentence(told(str(problem)))))
            return
        st.session_state["corpora.done"] = (
            _("“{title}” is no longer shared.", title=escape(chosen.title))
            if said
            else _(
                "“{title}” is shared: everybody on this server can use it.",
                title=escape(chosen.title),
            )
        )
        st.session_state[NEXT] = FIRST if said else chosen.id
        st.rerun()


def delete(row: st.delta_generator.DeltaGenerator, chosen: Stored) -> None:
    with row.popover(told("Delete")):
        st.markdown(
            told(
                "Delete “{title}” for good? Models trained on it are kept.",
                title=escape(chosen.title),
            )
        )
        if st.button(told("Yes, delete it"), key="corpora.delete"):
            try:
                Library().delete(chosen.id)
            except LookupError:  # gone already
                pass
            except ValueError as problem:
                st.error(escape(sentence(told(str(problem)))))
                return
            st.session_state["corpora.done"] = _(
                "“{title}” is deleted.", title=escape(chosen.title)
            )
            st.session_state[NEXT] = FIRST
            st.rerun()
