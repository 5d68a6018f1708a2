"""All tags of a run as one table: score, baseline, how clear the difference is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.heads import tags
from engine.runs import Run
from pages.ui.attention import heads_tags


def show_tags(run: Run, model: Any) -> None:
    st.subheader("What each head does", anchor=False)
    with st.spinner("Measuring…"):
        found = heads_tags.known(run, model, wait=True)
    if found is None:
        st.info("The heads of this run could not be measured.")
        return
    st.markdown(_method(found, heads_tags.what(run)))
    st.markdown(_induction(found))
    rows = [row | {"relation": f"{row['relation']}: {heads_tags.SAYS[row['relation']]}"} for row in found.rows()]
    only = st.toggle("Only the tags given", value=True, key="given")
    st.dataframe(
        [row for row in rows if row["tag"] or not only], hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.3f") for name in ("score", "baseline")} | {"z": st.column_config.NumberColumn(format="%.1f")},
    )  # fmt: skip


def _method(found: tags.Tags, what: str) -> str:
    return (
        f"Measured on {max(found.passages)} {what} written by a grammar of this project, which knows what belongs together. **Score**: the mean share of a token's reading that comes "
        "from its partners in a relation. **Baseline**: the same head on the same tokens in random order, on pairs that the shuffle has torn apart. "
        f"A tag is given where the score is at least {tags.LEAST:g}, at least {tags.TIMES:g} times its baseline and **z**, the mean difference over its standard error, at least {tags.CLEAR:g}."
    )


def _induction(found: tags.Tags) -> str:
    """What was measured of induction, with numbers, whatever came out."""
    at = found.names.index(tags.REPEAT.id)
    score, base = found.score[at], found.baseline[at]
    layer, head = divmod(int(score.argmax()), score.shape[1])
    n = int(found.given()[found.names.index("induction")].sum())
    said = "No head has the tag" if n == 0 else "1 head has the tag" if n == 1 else f"{n} heads have the tag"
    where = "is measured here on random tokens said twice: that is its text" if tags.ORIGINAL.id in found.names else "has to show on random tokens said twice as well, where no meaning helps"
    return (
        f"**Induction** (… A B … A: the second A looks at B) {where}. {said}: there the strongest head, "
        f"head {head + 1} of layer {layer + 1}, gives {100 * score.max():.1f} % of its reading to that place, against {100 * base[layer, head]:.1f} % in another order."
    )
