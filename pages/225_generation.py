"""Generation: a text drawn from counts, word by word; which order spoke, and what is only a
copy."""

import streamlit as st

from pages.ui import ask, plate, rows, shell
from pages.ui.generation import writer, writing

lesson = shell.head("generation")
st.markdown(
    "Press *Next word* and watch the counts write. The colour of a word shows the order that"
    " chose it: 3 means that the two words before it decided."
)


def set_words(change: int | None) -> None:
    """One word more, all words, or none."""
    more = writing.LONGEST if change is None else change
    now = st.session_state.get("words", 0) if more else 0
    st.session_state["words"] = min(writing.LONGEST, now + more)


def another() -> None:
    st.session_state["seed"] = st.session_state.get("seed", 1) % 9_999 + 1


@st.fragment
def page() -> None:
    who = writer.choose()
    left, middle, right, far = st.columns((5, 4, 2, 2), vertical_alignment="bottom")
    start = ask.text("Begin with", "start", 500, "nothing: the start of a sentence", left)
    says = "Temperature: 0 picks the likeliest word"
    temperature = ask.between(middle.slider, says, "temperature", 0.0, 2.0, 1.0, step=0.1)
    seed = right.number_input("Seed", 1, 9_999, step=1, key="seed", bind="query-params")
    most, begins = writing.LONGEST, writing.FIRST
    words = ask.between(far.number_input, "Maximum length", "words", 0, most, begins, step=1)
    written = writing.write(who, start, words, temperature, int(seed))
    with st.container(horizontal=True):
        st.button(
            f"Next {who.unit}",
            on_click=set_words,
            args=(1,),
            disabled=written.is_over or words >= writing.LONGEST,
        )
        st.button("Whole sentence", on_click=set_words, args=(None,), disabled=written.is_over)
        st.button("Start again", on_click=set_words, args=(0,), disabled=not words)
        st.button(
            "Another sample",
            on_click=another,
            help=("Uses the next seed, so other random numbers."),
        )

    found = writing.copied(written, written.main)
    mark, span = writing.longest(found, len(written.given) + len(written.main.steps))
    if len(mark):
        says = "The text, coloured by the order that chose each word"
        only = [("the text", written.main)]
        plate.show(writing.rows(written, only, [mark], "written", says))
        if written.is_over:
            st.caption(written.main.stop.value)
    else:
        st.info(f"Nothing written yet: press *Next {who.unit}* or *Whole sentence*.")

    st.subheader("How much of the text is copied?", anchor="copies")
    if found is None:
        st.markdown(
            "The training text of this model is not stored with it, so copies cannot be looked"
            " up. Choose *a small text* above."
        )
    elif span is None:
        st.markdown("No part of it occurs in the counted text.")
    else:
        says = f"Shortest run that counts as a copy, in {who.unit}s"
        least = ask.slider(says, "least", 2, 12, 5, 1, width=420)
        st.markdown(
            f"**{100 * found.share(least):.0f} %** of the text occurs word for word in the"
            f" counted text, in runs of {least} or more. The longest run has **{span.length}**"
            f" {who.unit}{'s' * (span.length > 1)}; it is underlined."
        )
        st.markdown(writing.home_of(written, span))

    st.subheader("The same random numbers for every order", anchor=False)
    st.markdown(
        "Order 1 sees no context, order 2 the last word, order 3 the last two. A longer"
        " context makes the text read better, and makes it copy more."
    )
    texts = [(f"order {n}", text) for n, text in enumerate(written.by_order, 1)]
    runs = [
        writing.longest(writing.copied(written, t), len(written.given) + len(t.steps))[0]
        for _, t in texts
    ]
    if any(len(run) for run in runs):
        says = "The same random numbers, one row per order"
        plate.show(writing.rows(written, texts, runs, "orders", says))
    if written.main.steps:
        with st.expander("Every draw as a table"):
            rows.show(writing.draws(written))


page()
shell.sources(lesson)
