"""The words of a text: how often the word of each rank comes up (Zipf), and how the vocabulary
grows (Heaps)."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.text.collection.counting import Counted
from engine.text.collection.frequencies import FEWEST, Curve
from engine.text.corpora.base import Corpus
from engine.views.base import number
from pages.ui import plate
from pages.ui.plate import Plate


def show(chosen: Corpus, found: Counted) -> None:
    f = found.statistics.frequencies
    if not f.types:
        st.info("There is no word in this text.")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        kept = int(np.searchsorted(-f.zipf.y, -FEWEST, "right"))
        says = "Frequency of each word by rank"
        plate.show(curve(chosen, "zipf", says, f.zipf, "rank of the word", "count", kept))
        top = ", ".join(f"“{escape(word)}” {count:,}" for word, count in f.ngrams[1][:5])
        st.markdown(
            f"**{f.types:,} different words** in {f.tokens:,}; {f.once:,} of them"
            f" occur{'s' * (f.once == 1)} only once ({100 * f.once / f.types:.1f} %). The"
            f" commonest: {top}."
        )
        law = f"Too few words occur {FEWEST} times or more to fit a slope."
        if f.zipf.exponent is not None:
            law = (
                "Zipf's law: the count falls as a power of the rank, here with slope"
                f" {number(f.zipf.exponent)}; about −1 is usual. The line is fitted to words"
                f" that occur {FEWEST} times or more. Rarer words are drawn but not fitted,"
                " because their counts are mostly chance."
            )
        st.caption(f"{law} Drawn: {len(f.zipf.x):,} of {f.types:,} ranks, evenly spread.")
    with right:
        axes = ("words read", "different words")
        plate.show(curve(chosen, "growth", "Vocabulary growth", f.heaps, *axes, log=False))
        half = int(f.heaps.y[np.searchsorted(f.heaps.x, f.tokens / 2).clip(0, len(f.heaps.x) - 1)])
        st.markdown(
            f"The first half of the text has {half:,} different words, the whole text {f.types:,}."
        )
        if f.heaps.exponent is not None:
            st.caption(
                f"Heaps' law: different words = {number(float(f.heaps.scale or 0))} · words to the"
                f" power {f.heaps.exponent:.2f}. At 1 every word would be new; at 0 none."
            )


def curve(
    chosen: Corpus,
    id: str,
    says: str,
    of: Curve,
    x: str,
    y: str,
    kept: int = 0,
    log: bool = True,
) -> Plate:
    """The counted points, and the fitted line as far as it was fitted."""
    series = [("counted", of.x, of.y)]
    if of.exponent is not None and of.scale is not None:
        fitted = of.x[: kept or None].astype(float)
        series.append(("fitted line", fitted, of.scale * fitted**of.exponent))
    return plate.lines(
        f"text-{id}",
        says,
        series,
        chosen.id,
        chosen.title,
        x=x,
        y=y,
        of_series="",
        log_x=log,
        log_y=log,
        tight=True,
        table=id,
        model="text",
    )
