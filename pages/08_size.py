"""Size: which n-grams a counted model can do without, in how few bits the rest fits, and what an answer costs."""

import streamlit as st

from pages.ui import plate, shell
from pages.ui.address import recall, remember
from pages.ui.counts import size, size_codes, size_costs, size_formula, size_room, study

SMALL = 200  # held-out tokens
lesson = shell.head("size")
st.markdown(
    "Counts take room, and most n-grams are worth little. Leave out the rare ones, or those whose loss costs least; store the rest in a few bits. "
    "What is left out is not impossible: the shorter context speaks for it."
)


@st.fragment
def page() -> None:
    chosen = study.choose("The Python language reference", 3)
    base = size.ask(chosen)
    held = chosen.study.held_stream
    few = chosen.cut[:-1]
    if chosen.order < 2:
        st.info(f"With order 1 every {few} stands alone and none can be left out. Choose a longer n-gram above.")
        return
    if held is None or len(held) < 2:
        st.info("Nothing is held out: the text has a single line. What is left out is shown, but not what it costs on a new text.")
        held = None
    elif len(held) <= SMALL:
        st.caption(f"Only {len(held) - 1:,} tokens are held out; a perplexity of so few says little. Take a larger text for a curve to trust.")

    st.subheader("Which n-grams can go?", anchor=False)
    st.markdown(
        "A **count cut-off** keeps what was counted more than c times. **Entropy pruning** asks of every n-gram how much the perplexity would grow "
        "without it, and drops it below a threshold."
    )
    left, right = st.columns((3, 2), vertical_alignment="bottom")
    threshold = left.select_slider("Threshold: growth of the perplexity", list(size.THRESHOLDS), "0.001%", key="threshold", bind="query-params")
    by = right.segmented_control("Size in", ["n-grams", "bytes"], key="in", bind="query-params", default="n-grams", required=True) or "n-grams"
    limit = size.THRESHOLDS[threshold]
    if held is not None:
        plate.show(size.sizes(base, by, limit))
    size.compare(base, threshold)

    st.subheader("What is one n-gram worth?", anchor=False)
    orders = range(2, chosen.order + 1)
    if st.session_state.get("m", 2) not in orders:
        st.session_state["m"] = 2
    recall("m", 2, orders)
    m = st.segmented_control("Length", orders, key="m", required=True) or 2
    remember("m")
    found = size_costs.costs(base.key, m, base)
    if not len(found.nats_G):
        st.info(f"No line of this text has {m} {chosen.cut} in a row.")
    else:
        size_formula.show(base, m)
        plate.show(size_costs.ranked(base, m, limit))
        st.caption("An n-gram below the line stays after all while a longer one that stays begins or ends with it.")
        size_costs.tables(base, m)

    st.subheader("In how few bits?", anchor=False)
    st.markdown("Put the logarithms of all probabilities into a few bins and store the number of the bin. Single tokens keep their numbers; every row is divided by its sum again.")
    bits = st.slider("Bits", size_codes.BITS[0], size_codes.BITS[-1], 4, key="bits", bind="query-params", width=420)
    size_codes.say(base, limit, threshold, bits)
    left, right = st.columns(2)
    with left:
        plate.show(size_codes.codes(base, "largest error of log10"))
        st.caption("Bins of equal width: the error is at most half a bin, and each bit halves the bins. Bins with an equal number of values follow the crowd and miss the rare ones.")
    if size_codes.finite(base):
        with right:
            plate.show(size_codes.codes(base, "perplexity"))
    with st.expander("All bits in numbers"):
        st.dataframe(size_codes.measured(base.key, base), hide_index=True)

    st.subheader("What does it take, and what does an answer cost?", anchor=False)
    size_room.show(base, limit, bits, threshold)


page()
shell.sources(lesson)
