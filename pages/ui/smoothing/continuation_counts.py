"""Why "Francisco" gets no mass from its count: words ranked by frequency, and by how many words
they stand behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.analysis.study import Study
from engine.core.trace import Table
from engine.lessons.counting_texts import FRANCISCO, Counted
from engine.live.markdown import escape
from engine.ngram.smoothing.absolute import Absolute
from engine.ngram.smoothing.kneser_ney import KneserNey
from pages.ui import ask, plate
from pages.ui.counting.context import word_id
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate

SKIPPED = ("<unk>", "<s>", "</s>", "\n")


def rankings(study: Study, title: str) -> Table:
    """Per word its frequency and the number of different tokens right before it (<s> is one)."""
    frequency_V = study.raw.orders[0].count_G
    neighbours_V = np.bincount(study.raw.orders[1].word_G, minlength=len(study.vocab))
    keep = [i for i, w in enumerate(study.vocab) if w not in SKIPPED and frequency_V[i]]
    columns = {
        "word": [study.vocab[i] for i in keep],
        "frequency": frequency_V[keep],
        "neighbours": neighbours_V[keep],
    }
    says = f"{title}: how often, and after how many different words"
    return Table.of("rankings", says, columns, ("frequency", "neighbours"))


def show(chosen: Chosen) -> None:
    ours = Counted(FRANCISCO, 2).study
    st.markdown(
        "“Francisco” may be as frequent as “glasses”. But it only ever follows “San”, while"
        " “glasses” follows *my*, *his*, *her*. Which of the two would you expect after a word"
        " that you have seen with neither? By frequency, both are equally likely. **Kneser-Ney"
        " asks a better question: after how many different words has it occurred?** After"
        " “San” the pair “San Francisco” has a count of its own. The shorter context only"
        " matters where no pair was seen, and there “Francisco” counts as one context, not"
        " three."
    )
    left, right = st.columns((7, 4), gap="medium")
    made = Plate(
        "francisco",
        "rankings",
        (rankings(ours, "San Francisco"),),
        "study-francisco",
        "Six lines, words",
        options={"mark": "francisco", "top": 6},
        kept="francisco",
    )
    plate.show(made, left)
    with right:
        _after_lost(ours)
    if chosen.preset is FRANCISCO:
        return
    study = chosen.study
    if chosen.order < 2:
        same = replace(chosen.preset, lines=tuple(study.lines), held=tuple(study.held_out))
        study = Counted(same, 2, chosen.cut).study
    st.markdown(f"**The same two lists for your text** ({escape(chosen.preset.title)})")
    found = rankings(study, chosen.preset.title)
    hint = "empty: the word that falls furthest"
    typed = ask.text("Word to mark in both lists", "follow", 60, hint)
    if typed and word_id(chosen, typed) is None:
        st.info(f"“{escape(typed)}” is not in this text.")
    word = typed or furthest(found)
    kept = f"rankings {chosen.key} {word}"
    plate.show(chosen.plate("rankings", "rankings", found, kept=kept, mark=word, top=12))
    at = np.flatnonzero(found.columns["word"] == word)
    if len(at):
        f, n = int(found.columns["frequency"][at[0]]), int(found.columns["neighbours"][at[0]])
        st.markdown(
            f"“{escape(word)}” occurs {f:,} times, after {n:,} different"
            f" token{'s' * (n != 1)}: {n / f:.2f} contexts per occurrence."
        )


def furthest(found: Table) -> str:
    """Of the words that occur often, the one with the fewest neighbours for its frequency."""
    frequency, neighbours = found.columns["frequency"], found.columns["neighbours"]
    if not len(frequency):
        return ""
    named = np.array([str(w)[:1].isalpha() for w in found.columns["word"]])
    often = np.argsort(np.where(named, -frequency, 0), kind="stable")[:12]
    return str(found.columns["word"][often[np.argmin(neighbours[often] / frequency[often])]])


def _after_lost(study: Study) -> None:
    """Two probabilities by two methods, after a context that has seen neither word."""
    vocab = study.vocab
    place_TM = study.raw.places(np.array([vocab.index("lost")]))
    rows = []
    for title, method in (("Absolute discounting", Absolute()), ("Kneser-Ney", KneserNey())):
        p_V = study.smoothed(method).distributions(place_TM)[-1]
        san, other = (float(p_V[vocab.index(w)]) for w in ("francisco", "glasses"))
        rows.append((title, san, other))
    st.markdown("**After “lost”, which neither word followed**")
    st.table(
        {
            "method": [r[0] for r in rows],
            "francisco": [f"{100 * r[1]:.3g} %" for r in rows],
            "glasses": [f"{100 * r[2]:.3g} %" for r in rows],
        },
        border="horizontal",
        hide_index=True,
    )
    (_, a, b), (_, c, d) = rows
    st.caption(
        "Both occur 3 times. By frequency, “glasses” is as likely here as “francisco”"
        f" ({b / a:.3g} to 1); by contexts, {d / c:.3g} to 1. It is not quite 3 to 1, because"
        " a little is taken from each and shared out evenly."
    )
