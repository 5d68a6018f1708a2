"""Size: which n-grams a counted model can do without, in how few bits the rest fits, and what an
answer costs."""

import streamlit as st

from pages.ui import ask, choice, place, plate, rows, shell
from pages.ui.counting import study
from pages.ui.fragment import fragment
from pages.ui.size import codes, costs, counted, formula, memory

SMALL = 200  # held-out tokens
lesson = shell.head("size")
chosen = study.choose(lesson.id, "The Python language reference", 3)


@fragment
def page() -> None:
    row = ask.line()
    slider = row.container()
    by = choice.one_of("Size in", ["n-grams", "bytes"], "in", where=row, link=True)
    with row.popover("Settings"):
        base = counted.choose(chosen)
    held = chosen.study.held_stream
    few = chosen.cut[:-1]
    if chosen.order < 2:
        st.info(
            f"At order 1 every {few} stands alone, so none can be dropped. Choose a longer"
            " n-gram above."
        )
        return
    if held is None or len(held) < 2:
        st.info(
            "Nothing is held out: the text has a single line. The page shows what is dropped,"
            " but not what that costs on a new text."
        )
        held = None
    elif len(held) <= SMALL:
        st.caption(
            f"Only {len(held) - 1:,} tokens are held out; a perplexity over so few says"
            " little. Choose a larger text for a reliable curve."
        )

    threshold = slider.select_slider(
        "Threshold: growth of the perplexity",
        list(counted.THRESHOLDS),
        "0.001%",
        key="threshold",
        bind="query-params",
    )
    limit = counted.THRESHOLDS[threshold]
    if held is not None:
        plate.show(counted.sizes(base, by, limit))
    st.markdown(
        "Counts take up memory, and most n-grams contribute little. A **count cut-off** keeps"
        " n-grams counted more than c times. **Entropy pruning** works out how much the"
        " perplexity would grow without each n-gram, and drops those below a threshold. A"
        " dropped n-gram is not impossible: the shorter context answers for it."
    )
    with place.panel("cuts"):
        counted.compare(base, threshold)

    st.subheader("What is one n-gram worth?", anchor=False)
    orders = range(2, chosen.order + 1)
    if st.session_state.get("m", 2) not in orders:
        st.session_state["m"] = 2
    m = ask.among("Length", orders, "m", 2)
    found = costs.costs(base, m)
    if not len(found.nats_G):
        st.info(f"No line of this text has {m} {chosen.cut} in a row.")
    else:
        formula.section(base, m)
        plate.show(costs.ranked(base, m, limit))
        st.caption(
            "An n-gram below the line is kept anyway while a longer n-gram that is kept begins"
            " or ends with it."
        )
        costs.tables(base, m)

    st.subheader("How few bits are enough?", anchor=False)
    st.markdown(
        "Sort the logarithms of all probabilities into a few bins and store only the number of"
        " the bin. Single tokens keep their exact numbers; every row is renormalised."
    )
    bits = ask.slider("Bits", "bits", codes.BITS[0], codes.BITS[-1], 4, 1, width=420)
    with place.panel("bits"):
        codes.say(base, limit, threshold, bits)
    left, right = st.columns(2)
    plate.show(codes.codes(base, "largest error of log10"), left)
    left.caption(
        "Bins of equal width: the error is at most half a bin, and each extra bit halves"
        " the width. Bins with equally many values fit the common values and miss the rare"
        " ones."
    )
    if codes.finite(base):
        plate.show(codes.codes(base, "perplexity"), right)
    with st.expander("All numbers of bits as a table"):
        rows.show(codes.measured(base))

    st.subheader("How much memory does it take, and how long does an answer?", anchor=False)
    memory.show(base, limit, bits, threshold)


page()
shell.sources(lesson)
