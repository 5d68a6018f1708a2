"""What was counted of a text, waited for where it has to be; lengths, characters, duplicates,
sequences of words."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.live.markdown import capital, escape
from engine.storage.files import reason
from engine.text.collection import Stored, counting
from engine.text.collection.counting import Counted
from engine.text.collection.scan import Lengths
from engine.text.corpora.base import Corpus
from engine.views.theme import visible
from pages.ui import plate, rows
from pages.ui.choice import one_of
from pages.ui.corpora import words
from pages.ui.plate import Plate

LONG = 20_000_000  # characters: counting them takes seconds
BARS, TAIL = 60, 0.995  # at most so many bars; the longest of more than this share are left out
UNITS = {
    "word": ("words", "characters in a word"),
    "sentence": ("sentences", "words in a sentence"),
    "passage": ("passages", "words in a passage (a line or paragraph)"),
}


def show(draw: Callable[[Corpus, Counted], None], chosen: Corpus) -> None:
    """One of `PARTS`."""
    found = counted(chosen)
    if found is None:
        return
    for note in found.statistics.notes:
        st.caption(note)
    draw(chosen, found)


def counted(chosen: Corpus) -> Counted | None:
    """What was counted of a text, waited for where it has to be counted first; None, with a
    sentence, when it can't be."""
    found = counting.kept(chosen)
    if found is not None:
        return found
    long = isinstance(chosen, Stored) and int(chosen.about["characters"]) > LONG
    wait = " A text of this length takes some seconds." if long else ""
    bar = st.progress(0.0, f"Counting …{wait}")
    try:
        counting.begin([chosen])
        while (found := counting.kept(chosen)) is None:
            state = counting.state(chosen)
            if not state.alive:
                raise ValueError(
                    state.error
                    or "the process that counted it ended before it was done; open this page again"
                )
            bar.progress(min(state.share, 1.0), f"{capital(state.message)} …{wait}")
            time.sleep(0.1)
    except (ValueError, LookupError, OSError) as problem:
        bar.empty()
        why = (
            f"what is counted can't be written, {reason(problem)}; make room and open this page again"
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
            drawn = Plate(
                f"text-{name}",
                "histogram",
                (Table.of(name, f"Lengths of the {what}", made),),
                chosen.id,
                chosen.title,
                options={"x": axis, "y": what, "what": what},
                model="text",
            )
            plate.show(drawn)
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


def histogram(of: Lengths) -> tuple[dict[str, np.ndarray], int]:
    """(start, stop and value of at most BARS bars; count are longer than the last one)."""
    last = int(np.searchsorted(of.counts.cumsum(), TAIL * of.number)) + 1
    first = int(np.flatnonzero(of.counts)[0])
    width = -(-(last - first) // BARS)
    edges = np.arange(first, last + width, width)
    total = np.r_[0, of.counts.cumsum()]
    at = np.minimum(edges, len(of.counts))
    bars = {"start": edges[:-1], "stop": edges[1:], "value": np.diff(total[at])}
    return bars, int(of.number - total[at[-1]])


def characters(chosen: Corpus, found: Counted) -> None:
    s = found.statistics
    left, right = st.columns(2, gap="medium")
    forms = {"count": rows.WHOLE, "share": rows.SHARE}
    kinds = [{"kind": name, "count": n, "share": n / s.characters} for name, n in s.classes]
    rows.show(kinds, None, forms, left)
    commonest = {
        "character": [visible(c) for c, _ in s.commonest],
        "code": [" ".join(f"U+{ord(p):04X}" for p in c) for c, _ in s.commonest],
        "count": [n for _, n in s.commonest],
        "share": [n / s.characters for _, n in s.commonest],
    }
    rows.show(commonest, None, forms, right, height=380)
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
    rows.show([{"times": n, "passage": text} for text, n in d.most])
    st.caption(f"The {len(d.most)} most frequent ones; of a long passage, only the beginning.")


def sequences(chosen: Corpus, found: Counted) -> None:
    f = found.statistics.frequencies
    n = one_of("Words in a row (n-grams)", [*f.ngrams], "corpora.n", 2)
    found_most = f.ngrams[n]
    if not found_most:
        st.info(f"This text has no sequence of {n} words.")
        return
    table = {
        "rank": range(1, len(found_most) + 1),
        "words": [gram for gram, _ in found_most],
        "count": [times for _, times in found_most],
    }
    rows.show(table, None, {"count": rows.WHOLE}, height=430)
    st.caption(
        f"The {len(found_most)} commonest, in lower case and without punctuation. A sequence never"
        " crosses a line end."
    )


PARTS = {
    "Words": words.show,
    "Lengths": lengths,
    "Characters": characters,
    "Duplicates": duplicates,
    "Word sequences": sequences,
}
