"""Unit detective: what a single unit of a recurrent model listens to, tested, and where else it
speaks."""

import streamlit as st

from engine.analysis.units.features import HYPOTHESES
from engine.live.markdown import escape
from engine.views.base import number
from pages.ui import ask, place, shell
from pages.ui.fragment import fragment
from pages.ui.units import passages, phrase, source, split, unit

lesson = shell.head("units")


@fragment
def page() -> None:
    line = ask.line()
    chosen = source.choose(line)
    of = chosen.tested.reading
    row, about = unit.choose(chosen, line)
    layer, number_of = of.place(row)
    name = HYPOTHESES[about]
    passages.strongest_places(chosen, row, bool(chosen.tested.auc(row)[about] < 0.5), line)
    tests = chosen.tested.probe  # the picture does not wait for it
    auc, q = tests.auc[row, about], tests.q[row, about]

    st.subheader(f"What does unit {number_of} of layer {layer + 1} respond to?", anchor=False)
    with place.panel("verdict"):
        if auc == auc:
            luck = "This is unlikely to be chance" if q <= unit.RATE else "This may well be chance"
            st.markdown(
                f"Pick at random one place where “{name.title}” holds and one where it does not."
                f" In **{unit.per_cent(float(auc))}** of all such pairs the unit is"
                f" **{'higher' if auc >= 0.5 else 'lower'}** at the first: this share is the area"
                f" under the ROC curve, AUC = {number(float(auc))}. A coin toss would give 50 %."
                f" {luck} (p = {number(float(tests.p[row, about]))}, q = {number(float(q))})."
            )
    st.caption(
        f"The rule of “{name.title}”: {name.says}"
        + (" The test asks whether it is above its median." if name.counted else "")
    )

    st.subheader("All hypotheses, for this unit", anchor=False)
    with place.panel("hypotheses"):
        unit.ranking(chosen, row)
    st.caption(
        "A recurrent model has hundreds of units, and nobody assigns them a task. Some turn out"
        " to follow something that we can name, so each unit is tested against a list of"
        " hypotheses about the text, with a correction for chance. Read:"
        f" {len(of):,} positions, spread over {escape(chosen.title)}, in"
        f" {int(of.piece_N[-1]) + 1} pieces; {len(of.state_UN):,} units against"
        f" {len(HYPOTHESES)} hypotheses."
    )
    if chosen.run.id == "lstm":
        st.caption(
            "Try *inside quotation marks*, then *Pick the best unit*. On the little stories it"
            " finds unit 69 of layer 2, which is low inside quotations. Does that unit respond"
            " to brackets, too?"
        )
    with st.expander("What p and q mean"):
        st.markdown(
            "***p**: the text is closed into a ring and shifted against the unit's values by"
            " every possible distance. p is the share of these shifts that fit at least as"
            " well. Shifting keeps the length of every stretch, in the text and in the unit,"
            " and breaks only the link between them.  \n"
            f"**q**: {len(of.state_UN):,} units times {len(HYPOTHESES)} hypotheses make many"
            " tests, and the luckiest of many always looks good. If you accept every pair with"
            " q up to 5 %, expect about 5 % of them to be wrong (Benjamini and Hochberg). A"
            " small q does not mean a strong effect: for that, look at the AUC. And a strong"
            " unit may follow something else that occurs together with the hypothesis."
        )

    st.subheader("Its values with and without it", anchor=False)
    split.curves(chosen, row, about)

    st.subheader("Find by example", anchor=False)
    st.markdown(
        "The other way round: mark a phrase. Which units are on throughout it, and where else"
        " in the text are the same units on together? Low values count as on, too: the sign of"
        " a memory means nothing by itself."
    )
    phrase.ask(chosen)


page()
shell.sources(lesson)
