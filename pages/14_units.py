"""Unit detective: what a single unit of a recurrent model listens to, tested, and where else it speaks."""

import streamlit as st

from engine.units.features import HYPOTHESES
from engine.views.base import number
from pages.ui import shell
from pages.ui.plain import escape
from pages.ui.units import passages, phrase, source, split, unit

lesson = shell.head("units")
st.markdown(
    "A recurrent model has hundreds of units, and nobody told them what to do. Some turn out to follow something that a person can name. "
    "Here each unit is held against a list of hypotheses about the text, and what may be chance is told apart from what is not."
)


@st.fragment
def page() -> None:
    chosen = source.choose()
    of, tests = chosen.tested.reading, chosen.tested.probe
    st.caption(
        f"Read: {len(of):,} positions of {escape(chosen.title)}, all over it, in {int(of.piece_N[-1]) + 1} pieces; {len(of.state_UN):,} units "
        f"against {len(HYPOTHESES)} hypotheses."
    )
    row, about = unit.choose(chosen)
    if chosen.run.id == "lstm":
        st.caption(
            "Try *inside quotation marks*, then *Let it pick the unit*. With the little stories it finds unit 69 of layer 2, which is low there. "
            "Does it know brackets, too?"
        )
    layer, number_of = of.place(row)
    name, auc, q = HYPOTHESES[about], tests.auc[row, about], tests.q[row, about]

    st.subheader(f"What does unit {number_of} of layer {layer + 1} respond to?", anchor=False)
    if auc == auc:
        st.markdown(
            f"Take one place where “{name.title}” holds and one where it does not, at random. In **{unit.per_cent(float(auc))}** of all such pairs "
            f"the unit is **{'higher' if auc >= 0.5 else 'lower'}** where it holds: that is the area under the ROC curve, AUC = {number(float(auc))}. "
            f"50 % would be no better than a coin. " + ("It is unlikely to be chance" if q <= unit.RATE else "It may well be chance")
            + f" (p = {number(float(tests.p[row, about]))}, q = {number(float(q))})."
        )  # fmt: skip
    st.caption(
        f"The rule of “{name.title}”: {name.says}" + (" Tested is whether it is above its median." if name.counted else "")
    )
    unit.ranking(chosen, row)
    with st.expander("What p and q mean"):
        st.markdown(
            "**p**: the text is turned like a ring against the unit's course, by every possible distance. p is the share of these turns that "
            "fit at least as well. Turning keeps how long things last, in the text and in the unit, and breaks only their being together.  \n"
            f"**q**: {len(of.state_UN):,} units times {len(HYPOTHESES)} hypotheses are many tests, and the luckiest of many always looks good. "
            "If you believe every pair with a q up to 5 %, about 5 % of what you believe is expected to be wrong (Benjamini and Hochberg). "
            "Found does not mean strong: for that look at the AUC. And a strong unit may follow something else that goes along with the hypothesis."
        )

    st.subheader("With it and without it", anchor=False)
    split.curves(chosen, row, about)

    st.subheader("Its strongest places", anchor=False)
    passages.strongest_places(chosen, row)

    st.subheader("Find by example", anchor=False)
    st.markdown(
        "The other way round: mark a phrase. Which units are on all through it, and where else in the text are the same units on together? "
        "Low counts as on, too: the sign of a memory means nothing by itself."
    )
    phrase.ask(chosen)


page()
shell.sources(lesson)
