"""A gap with words on both sides, and a slip of the pen: both ask the model about every
candidate."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram.fill import Filled, fill
from engine.ngram.spelling import candidates, correct
from engine.views import theme
from pages.ui import ask, plate, show
from pages.ui.address import begin
from pages.ui.counting.context import LONGEST, clean
from pages.ui.counting.ladder import number
from pages.ui.counting.study import Chosen
from pages.ui.variants import chosen as variants

GAPS = {
    "cats": "the _ sat",
    "francisco": "san _ is",
    "students": "students _ their",
    "stories": "walked to _ harbour",
    "python_docs": "the _ of",
}
SLIPS = {
    "cats": "the xat",
    "francisco": "lost his glases",
    "students": "The studens opened",
    "stories": "the harbuor",
    "python_docs": "the valu of",
}


def gap(chosen: Chosen) -> None:
    begin(gap=GAPS.get(chosen.preset.id, "the _"))
    row = ask.line()
    text = ask.text("Write _ where a word is missing", "gap", LONGEST, where=row)
    with row.popover("Settings"):
        start = ask.toggle("The sentence begins here", "begins")
        ends = ask.toggle("The sentence ends here", "ends")
        reader = variants.model(chosen)
    before, mark, behind = clean(text).partition("_")
    if not mark:
        st.info(
            "There is no _ in the sentence, so the gap is at the end. With nothing to the"
            " right, both sides give the same result as the left side alone."
        )
    elif "_" in behind:
        st.info("Only the first _ is filled; the others are dropped.")
        behind = behind.replace("_", " ")
    boundary = chosen.study.tokenizer.boundary
    left = variants.before(chosen, before, start)
    right = [int(i) for i in variants.encode(chosen, behind).ids] + [boundary] * ends
    found = fill(reader.model, left, right)
    if not found.both_K.sum():
        st.info(
            "No word fits here: this method gives every one probability 0. Choose a method"
            " that reserves something for unseen events."
        )
        return
    p_V = variants.after(reader, left)
    alone = "Left side only", p_V, np.arange(len(p_V))
    both = "Both sides", found.both_K, found.ids_K
    end = float(max(p_V.max(), found.both_K.max()))
    plate.row(
        variants.bars(chosen, "one", *alone, reader.says, text, end),
        variants.bars(chosen, "both", *both, reader.says, text, end),
    )
    st.markdown(
        "A model that reads from left to right can still use both sides: put every word into"
        " the gap, and see how well it predicts the rest."
    )
    show.formula(
        r"P(w \mid l, r) = \frac{P(w \mid l)\,P(r \mid l, w)}{\sum_{w'} P(w' \mid l)\,P(r \mid l,"
        r" w')}"
    )
    st.caption(
        "l is the text on the left, r the text on the right; P(r | l, w) is the product of the"
        " probabilities of its words."
    )
    best = int(found.ids_K[found.both_K.argmax()])
    formula(chosen, found, variants.watched(chosen, best, "filler"))
    reach = reader.model.order - 1
    st.caption(
        f"A model of order {reach + 1} reads {reach or 'no'}"
        f" {chosen.cut[:-1] if reach == 1 else chosen.cut} on the right; words further away"
        " are not affected by the gap."
    )
    variants.numbers(table(chosen, found))


def formula(chosen: Chosen, found: Filled, id: int) -> None:
    """One candidate's numbers put in."""
    at = np.flatnonzero(found.ids_K == id)
    if not len(at):
        st.caption(f"“{variants.word(chosen, id)}” is not a candidate here.")
        return
    k, total = int(at[0]), float((found.left_K * found.right_K).sum())
    show.formula(
        rf"P = \frac{{{number(float(found.left_K[k]))} \cdot"
        rf" {number(float(found.right_K[k]))}}}{{{number(total)}}} ="
        rf" {number(float(found.both_K[k]))}"
    )
    st.caption(f"This is for “{variants.word(chosen, id)}”.")


def table(chosen: Chosen, found: Filled, most: int = 40) -> list[dict[str, object]]:
    """Candidates in numbers, likeliest first."""
    return [
        {
            "word": theme.visible(chosen.study.vocab[int(found.ids_K[k])]),
            "P(w | left)": float(found.left_K[k]),
            "P(right | left w)": float(found.right_K[k]),
            "in context": float(found.both_K[k]),
        }
        for k in np.argsort(-found.both_K, kind="stable")[:most].tolist()
    ]


def slip(chosen: Chosen) -> None:
    if chosen.cut != "words":
        st.info("Spelling is corrected word by word: choose *words* at “Cut into”.")
        return
    begin(slip=SLIPS.get(chosen.preset.id, ""))
    row = ask.line()
    text = clean(ask.text("Words with a typing error", "slip", LONGEST, "the xat sat", row))
    places = row.container()
    with row.popover("Settings"):
        reader = variants.model(chosen)
    tokens = chosen.study.tokenizer.encode(text.replace("\n", " "))
    if not len(tokens):
        st.info("Type a few words; the first one that is not in the text is corrected.")
        return
    at = tokens.unknown[0] if tokens.unknown else len(tokens) - 1
    wrong, ids = tokens.labels[at], [int(i) for i in tokens.ids]
    if not tokens.unknown:
        st.caption(f"All words are known, so the last one, “{escape(wrong[:40])}”, is checked.")
    meant = candidates(wrong[:60], chosen.study.vocab)
    if not meant:
        st.info(f"No word of the text is one slip away from “{escape(wrong[:40])}”.")
        return
    names = {chosen.study.vocab[i]: i for i in meant[:60]}
    kept = places.pills(
        "Candidates",
        list(names),
        default=None,
        selection_mode="multi",
        key="meant",
        bind="query-params",
        help="None chosen: all of them.",
        format_func=escape,
    )
    ids_K = np.array(
        [names[name] for name in kept or names if name in names] or list(names.values())
    )
    left = ids[:at] or [chosen.study.tokenizer.boundary]
    found = correct(reader.model, left, ids_K.tolist(), ids[at + 1 :])
    count_V = chosen.study.raw.orders[0].count_G
    alone_K = count_V[ids_K] / max(1, int(count_V[ids_K].sum()))
    if not found.both_K.sum():
        st.info(
            "In this context the method gives every candidate probability 0. Choose a method"
            " that reserves something for unseen events."
        )
        return
    without = "Without context: share of their counts", alone_K, ids_K
    within = f"In context, “{theme.plain(wrong, 20)}” meant", found.both_K, ids_K
    end = float(max(alone_K.max(), found.both_K.max()))
    plate.row(
        variants.bars(chosen, "one", *without, reader.says, text, end),
        variants.bars(chosen, "both", *within, reader.says, text, end),
    )
    st.markdown(
        "Which word was meant? Candidates differ by one slip: an extra letter, a missing one,"
        " a wrong one, or two swapped. The context ranks them."
    )
    show.formula(r"P(w \mid t, h) \propto P(t \mid w)\,P(w \mid h)")
    st.caption(
        "t is the typed word, h the context. P(t | w) is the same for every candidate here:"
        " all slips are equally likely."
    )
    formula(chosen, found, int(found.ids_K[found.both_K.argmax()]))
    variants.numbers(table(chosen, found))
