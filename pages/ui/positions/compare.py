"""All kinds of position in one table, and what the notes say otherwise."""

from __future__ import annotations

import streamlit as st

from engine.analysis.positions import extrapolate
from engine.core.registry import positions
from pages.ui import rows
from pages.ui.positions import beyond as positions_beyond


def show() -> None:
    table = facts()
    st.markdown(rows.written([[*table[0]], *([*row.values()] for row in table)]))
    st.caption(
        "Numbers to learn: of our models with width 96, 4 heads and 64 learned places; BERT's table"
        " of 512 × 768 has 393,216. Bits beyond: mean bits per token from twice the trained length"
        " on, less those of the second half of the trained length; small models, one training each."
    )
    st.markdown(
        "- **Fixed or learned?** The paper of 2017 found sinusoidal and learned positions"
        " “nearly identical” in quality. A table needs data for each of its rows.\n- **Added or"
        " in the scores?** A position that is added enters once, and travels through all layers"
        " mixed with the word. A position in the scores enters in every layer and leaves the"
        " values free of it.\n- **Cost.** Added vectors cost one sum. RoPE turns two vectors a"
        " head and layer. A bias needs a number for each pair of tokens, as scores do.\n-"
        " **Order from a mask.** A decoder without positions is not blind: see *Shuffle the"
        " words*. An encoder is.\n"
    )
    st.markdown("**Common mistakes**")
    st.markdown(
        "- A table of six dimensions that divides the place by 400 in dimension 4: it is"
        " 10,000^(4/6) = 464.16; *Waves and clocks* has the right one.\n- “Relative"
        " position is a linear function of the encodings”: PE(p + k) is one of PE(p), for each"
        " fixed k.\n- “Learned embeddings can"
        " be extrapolated”: they end with their table. Sinusoidal ones are *defined*"
        " everywhere, and predict badly beyond the training: see *Longer than trained*.\n-"
        " “RoPE rotates token embeddings”: it rotates queries and keys, in every layer, and"
        " never values.\n- “Identical representations for both sentences” without positions: of"
        " the *bag* of vectors and of its mean; each word's own vector stands in another row."
    )


def facts() -> list[dict[str, str]]:
    found = extrapolate.shipped()
    table = []
    for kind in positions.listed():
        told = positions.get(kind)
        curve = found.find(kind) if found else None
        row = {
            "positions": told.title,
            "where": told.where,
            "tells": told.tells,
            "numbers to learn": (
                told.learned + (f" = {curve.placed:,}" if curve and curve.placed else "")
            ),
            "at any place": told.anywhere,
            "bits beyond": beyond(found, curve),
            "used by": told.used_by,
        }
        table.append(row)
    return table


def beyond(found: extrapolate.Results | None, curve: extrapolate.Curve | None) -> str:
    if not (found and curve):
        return ""
    inside, _, far = positions_beyond.parts(found, curve)
    return "no row" if far != far else f"{far - inside:+.2f}".replace("-", "−")
