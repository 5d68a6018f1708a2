"""How good a translator is: BLEU on pairs that it never saw, and the pairs themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from engine import ROOT
from engine.analysis import bleu
from engine.lessons.translation import panels
from engine.models.translating import pair_of
from engine.runs.store import Run
from pages.ui import kept, rows
from pages.ui.translation import lengths

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

HELD_OUT = ROOT / "assets" / "held_out_spanish.txt"
MADE = 200  # new sentences of the grammar
SHOWN = 12


def unseen(run: Run) -> tuple[tuple[str, str], ...]:
    """Pairs that a translator has not learned from: of four books of the Bible for one of real
    sentences, new ones for one of the grammar; none for any other."""
    learned, new = lengths.sentences()
    if run.note["corpus"].get("digest") == learned:
        return new[:MADE]
    if panels.sides(run)[1] != "Spanish":
        return ()
    lines = HELD_OUT.read_text(encoding="utf-8").splitlines()
    return tuple(pair_of(number, line) for number, line in enumerate(lines, 1))


@kept.data(max_entries=12, show_spinner="Translating new sentences…")
def written(
    run: Run, _model: TranslatingModel[Any], pairs: tuple[tuple[str, str], ...]
) -> tuple[list[str], bleu.Bleu]:
    made = _model.translations([source for source, _ in pairs])
    return made, bleu.of(made, [target for _, target in pairs])


def show(run: Run, model: TranslatingModel[Any]) -> None:
    pairs = unseen(run)
    if not pairs:
        st.info(
            "No pairs are here that this model has not learned from. With some of your own, a text,"
            " a tab and its translation a line: `python -m engine translate RUN --text FILE --bleu`."
        )
        return
    made, found = written(run, model, pairs)
    first, second = panels.sides(run)
    of = (
        "sentences of Ruth, Jonah, Philippians and James, four books of the Bible that it never saw"
        if second == "Spanish"
        else "new sentences of the small grammar that it learned from"
    )
    low, high = found.interval
    st.markdown(
        f"**BLEU {found.score:.1f}** on {len(pairs)} {of}, by always taking the likeliest token."
        f" Drawn again, as many sentences give {low:.1f} to {high:.1f} in 95 of 100 cases."
    )
    p = [f"{100 * share:.1f} %" for share in found.precisions]
    st.markdown(
        f"BLEU counts what of the written {second} stands in the right translation:"
        f" {p[0]} of its words, {p[1]} of its pairs, {p[2]} of its runs of three and {p[3]} of four;"
        f" the geometric mean of these, times {found.brevity:.3f} because it wrote"
        f" {found.lengths[0]:,} words where {found.lengths[1]:,} are right. 100 is the right"
        " translation to the letter, but a good one with other words gets far less."
    )
    if second == "Spanish":
        st.markdown(
            "This is far from a good translator: a small model, and about 9,500 short sentences of an"
            " old book. It writes the Spanish of that book. A greeting, a king or a question comes out,"
            " the sense of a whole sentence seldom; rare words are lost, names misspelt, ends made up."
            " Systems in use learn from millions of sentences. A few pairs below do not belong"
            " together, for they were found by counting sentences."
        )
    table = [
        {first: source, "written": mine, "right": target}
        for (source, target), mine in zip(pairs, made, strict=True)
    ]
    rows.show(table, "quality.table", tallest=rows.ROW * (SHOWN + 1))
