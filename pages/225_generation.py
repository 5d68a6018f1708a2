"""Generation: a text drawn from counts, word by word; which order spoke, and what is only a
copy."""

import streamlit as st

from pages.ui import ask, place, plate, rows, shell
from pages.ui.address import recall, remember
from pages.ui.fragment import fragment
from pages.ui.generation import writer, writing

lesson = shell.head("generation")
who = writer.choose(lesson.id)


def set_words(change: int | None = None) -> None:
    """One word more, none, or as many as the text may have."""
    now = st.session_state["words"] if change else 0
    st.session_state["words"] = (
        st.session_state["most"] if change is None else min(writing.LONGEST, now + change)
    )


def another() -> None:
    st.session_state["seed"] = st.session_state.get("seed", 1) % 9_999 + 1


@fragment
def page() -> None:
    recall("words", writing.FIRST, (0, writing.LONGEST))
    remember("words", writing.FIRST)
    words = int(st.session_state["words"])
    row = ask.line()
    start = ask.text("Begin with", "start", 500, "nothing: the start of a sentence", row, width=240)
    buttons = row.container(horizontal=True, width="content", gap="small")
    with row.popover("Settings"):
        says = "Temperature: 0 picks the likeliest word"
        temperature = ask.between(st.slider, says, "temperature", 0.0, 2.0, 1.0, step=0.1)
        seed = ask.between(st.number_input, "Seed", "seed", 1, 9_999, 1)
        says, most = f"Maximum length, in {who.unit}s", writing.LONGEST
        kind = st.number_input
        ask.between(kind, says, "most", 1, most, writing.FIRST, step=1, on_change=set_words)
        says = f"Shortest run that counts as a copy, in {who.unit}s"
        least = ask.slider(says, "least", 2, 12, 5, 1)
    written = writing.write(who, start, words, temperature, seed)
    buttons.button(
        f"Next {who.unit}",
        on_click=set_words,
        args=(1,),
        disabled=written.is_over or words >= writing.LONGEST,
    )
    whole = written.is_over or words >= st.session_state["most"]
    buttons.button("Whole sentence", on_click=set_words, disabled=whole)
    buttons.button("Start again", on_click=set_words, args=(0,), disabled=not words)
    buttons.button(
        "Another sample", on_click=another, help="Uses the next seed, so different random numbers."
    )

    found = writing.copied(written, written.main)
    mark, span = writing.marked(found, len(written.given) + len(written.main.steps), least)
    if len(mark):
        says = f"The text, coloured by the order that chose each {who.unit}"
        only = [("the text", written.main)]
        plate.show(writing.rows(written, only, [mark], "written", says))
        if written.is_over:
            st.caption(written.main.stop.value)
        st.markdown(
            f"Press *Next {who.unit}* and watch the counts write. The colour shows the order that"
            f" chose a {who.unit}: 3 means that the two {who.unit}s before it decided."
        )
    else:
        st.info(f"Nothing written yet: press *Next {who.unit}* or *Whole sentence*.")

    st.subheader("How much of the text is copied?", anchor="copies")
    with place.panel("copies"):
        if found is None:
            st.markdown(
                "The training text of this model is not stored with it, so copies cannot be looked"
                " up. Choose *a small text* above."
            )
        elif not len(mark):
            st.markdown("Nothing is written yet.")
        elif span is None:
            st.markdown("No part of it occurs in the counted text.")
        else:
            st.markdown(
                f"**{100 * found.share(least):.0f} %** of the text lies in runs of {least} or more"
                f" {who.unit}s that occur in the counted text; these are underlined. The longest run"
                f" has **{span.length}** {who.unit}{'s' * (span.length > 1)}."
            )
            st.markdown(writing.home_of(written, span))

    st.subheader("The same random numbers for every order", anchor=False)
    st.markdown(
        "Order 1 sees no context, order 2 the last word, order 3 the last two. A longer"
        " context makes the text read better, and makes it copy more."
    )
    texts = [(f"order {n}", text) for n, text in enumerate(written.by_order, 1)]
    runs = [
        writing.marked(writing.copied(written, t), len(written.given) + len(t.steps), least)[0]
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
