"""What was counted of a text, waited for where it has to be; lengths, characters, duplicates,
sequences of words."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Table, TableSpec
from engine.live.markdown import capital, escape
from engine.text.collection import Stored, counting
from engine.text.collection.counting import Counted
from engine.text.collection.scan import Lengths
from engine.text.corpora.base import Corpus
from engine.views.theme import visible
from pages.ui import plate
from pages.ui.corpora import words
from pages.ui.plate import Plate

LONG = 20_000_000  # characters: counting them takes seconds
BARS, TAIL = 60, 0.995  # at most so many bars; the longest of more than this share are left out
UNITS = {
    "word": ("words", "characters in a word"),
    "sentence": ("sentences", "words in a sentence"),
    "passage": ("passages", "words in a passage (a line or paragraph)"),
}


def show(chosen: Corpus, part: str) -> None:
    found = counted(chosen)
    if found is None:
        return
    for note in found.statistics.notes:
        st.caption(note)
    draw = {
        "Words": words.show,
        "Lengths": lengths,
        "Characters": characters,
        "Duplicates": duplicates,
        "Word sequences": sequences,
    }[part]
    draw(chosen, found)


def counted(chosen: Corpus) -> Counted | None:
    """What was counted of a text, waited for where it has to be counted first; None, with a
    sentence, when it can't be."""
    found = counting.kept(chosen)
    if found is not None:
        return found
    long = isinstance(chosen, Stored) and int(chosen.about["characters"]) > LONG
    bar = st.progress(
        0.0, "Counting …" + (" A text of this length takes some seconds." if long else "")
    )
    try:
        counting.begin([chosen])
        while (found := counting.kept(chosen)) is None:
            state = counting.state(chosen)
            if not state.alive:
                raise ValueError(
                    state.error
                    or "the process that counted it ended before it was done; open this page again"
                )
            bar.progress(
                min(state.share, 1.0),
                f"{capital(state.message)} …"
                + (" A text of this length takes some seconds." if long else ""),
            )
            time.sleep(0.1)
    except (ValueError, LookupError, OSError) as problem:
        bar.empty()
        why = (
            f"what is counted can't be written, {(problem.strerror or 'unknown reason').lower()};"
            " make room and open this page again"
            if isinstance(problem, OSError)
            else problem
        )
        st.error(escape(f"This text can't be counted: {why}."))
        return None
    bar.empty()
    return found


def lengths(chosen: Corpus, found: Counted) -> None:
    for column, (name, of) in zip(
        st.columns(3, gap="medium"), found.statistics.lengths.items(), strict=True
    ):
        what, axis = UNITS[name]
        with column:
            if not of.number:
                st.info(f"There are no {what} in this text.")
                continue
            made, left_out = histogram(of)
            says = f"Lengths of the {what}"
            plate.show(
                Plate(
                    f"text-{name}",
                    "histogram",
                    (Table(TableSpec(name, tuple(made), says), made),),
                    chosen.id,
                    chosen.title,
                    options={"x": axis, "y": what, "what": what},
                    model="text",
                )
            )
            longer = (
                f" {left_out:,} longer {'one is' if left_out == 1 else 'ones are'} not drawn."
                if left_out
                else ""
            )
            st.caption(
                f"{of.number:,} {what}: mean {of.mean:.1f}, median {of.median:,}, longest"
                f" {of.longest:,}." + longer
            )
    st.caption(
        "A sentence ends at . ! or ? and at the end of a line. Abbreviations are not"
        " recognised, so “Dr. Smith left.” counts as two."
    )


def histogram(of: Lengths) -> tuple[dict[str, Any], int]:
    """(start, stop and value of at most BARS bars; count are longer than the last one)."""
    last = int(np.searchsorted(of.counts.cumsum(), TAIL * of.number)) + 1
    first = int(np.flatnonzero(of.counts)[0])
    width = -(-(last - first) // BARS)
    edges = np.arange(first, last + width, width)
    total = np.r_[0, of.counts.cumsum()]
    at = np.minimum(edges, len(of.counts))
    value = np.diff(total[at])
    return {
        "start": edges[:-1].astype(float),
        "stop": edges[1:].astype(float),
        "value": value.astype(float),
    }, int(of.number - total[at[-1]])


def characters(chosen: Corpus, found: Counted) -> None:
    s = found.statistics
    left, right = st.columns(2, gap="medium")
    left.dataframe(
        [{"kind": name, "count": n, "share": n / s.characters} for name, n in s.classes],
        hide_index=True,
        column_config=SHARES,
    )
    right.dataframe(
        [
            {
                "character": visible(c),
                "code": f"U+{ord(c):04X}",
                "count": n,
                "share": n / s.characters,
            }
            for c, n in s.commonest
        ],
        hide_index=True,
        height=380,
        column_config=SHARES,
    )
    st.caption(
        f"{s.characters:,} characters, {s.alphabet:,} of them different. The {len(s.commonest)}"
        " commonest are listed. · is a space, ⏎ a line end."
    )


def duplicates(chosen: Corpus, found: Counted) -> None:
    d = found.statistics.duplicates
    if not d.copies:
        st.markdown(f"None of the {d.passages:,} passages occurs twice.")
        return
    st.markdown(
        f"**{d.copies:,} of {d.passages:,} passages** are exact copies of an earlier one; they"
        f" hold {100 * d.share:.1f} % of the characters. A model memorises such passages, and a"
        " copy of a training passage is useless in a test set."
    )
    st.dataframe([{"times": n, "passage": text} for text, n in d.most], hide_index=True)
    st.caption(f"The {len(d.most)} most frequent ones; of a long passage, only the beginning.")


def sequences(chosen: Corpus, found: Counted) -> None:
    f = found.statistics.frequencies
    n = int(
        st.segmented_control(
            "Words in a row (n-grams)", list(f.ngrams), default=2, key="corpora.n", required=True
        )
        or 2
    )
    rows = f.ngrams[n]
    if not rows:
        st.info(f"This text has no sequence of {n} words.")
        return
    st.dataframe(
        [{"rank": k, "words": gram, "count": times} for k, (gram, times) in enumerate(rows, 1)],
        hide_index=True,
        height=430,
        column_config=SHARES,
    )
    st.caption(
        f"The {len(rows)} commonest, in lower case and without punctuation. A sequence never"
        " crosses a line end."
    )


SHARES: Any = {
    "count": st.column_config.NumberColumn("count", format="localized"),
    "share": st.column_config.NumberColumn("share", format="percent"),
}
