"""Sparsity: of all possible n-grams nearly none occur, and most of those that do occur once."""

import streamlit as st

from engine.ngram import sparsity
from engine.stages.scoring.latex import power
from pages.ui import place, plate, rows, shell
from pages.ui.counting import context, reach, study
from pages.ui.fragment import fragment

LARGE = 10**9  # from here on a number is written as a power of ten
lesson = shell.head("sparsity")
chosen = study.choose(lesson.id, "The Python language reference", 5)


def deeper() -> None:
    """The chosen word joins the context."""
    word, typed = st.session_state.pop("deeper", None), st.session_state.get("after", "")
    gap = (
        " "
        if st.session_state.get("cut") != "characters" and typed and not typed.endswith(" ")
        else ""
    )
    if word:
        st.session_state["after"] = f"{typed}{gap}{word}"[-context.LONGEST :]


@fragment
def page() -> None:
    grams = sparsity.table(chosen.study.raw)
    last = grams[-1]
    large = last.possible >= LARGE
    possible = f"${power(float(last.possible))}$" if large else f"{last.possible:,}"
    plate.row(reach.possible(chosen, grams), reach.distinct(chosen, grams), gap="small")
    with place.panel("occur"):
        st.markdown(
            f"{grams[0].possible:,} different {chosen.cut} make {possible} possible"
            f" {last.order}-grams. **{last.distinct:,}** of them occur here,"
            f" **{100 * last.once / max(1, last.distinct):.0f} %** of those only once."
        )

    st.subheader("What came next?", anchor=False)
    st.markdown(
        "Type a few words, then go deeper: the branches thin out until only a single count of"
        " 1 is left."
    )
    asked = context.ask(chosen, context.starts())
    drawing, follow = reach.tree(chosen, asked, 3 if chosen.order > 3 else 2)
    if follow:
        st.pills("Go deeper", follow, key="deeper", on_change=deeper, format_func=reach.shown)
    plate.show(drawing)

    st.subheader(f"A few {chosen.cut} do most of the work", anchor=False)
    left, right = st.columns(2)
    drawing, slope = reach.zipf(chosen)
    plate.show(drawing, left)
    left.caption(f"At twice the rank, about {2**-slope:.2g} times the count.")
    drawing, slope = reach.growth(chosen)
    plate.show(drawing, right)
    right.caption(f"In twice the text, about {2**slope:.2g} times as many different {chosen.cut}.")

    st.subheader("Do longer contexts and more text help?", anchor=False)
    st.markdown(
        "Perplexity on held-out lines: the model is as unsure as if it chose among this many"
        " equally likely tokens. Lower is better."
    )
    if points := reach.measured(chosen):
        drawn = [reach.perplexity(chosen, points, by) for by in ("order", "tokens")]
        plate.row(*drawn, gap="small")
        if bad := reach.impossible(chosen, points):
            st.markdown("Not drawn: one token of probability 0 makes the perplexity infinite.")
            rows.show(bad)


page()
shell.sources(lesson)
