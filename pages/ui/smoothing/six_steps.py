"""Six steps from a text to an n-gram model, each with what comes out of it here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram.extract import commonest, extracted
from engine.ngram.smoothed import Smoothed
from engine.views import theme
from engine.views.base import number
from pages.ui.counting.study import Chosen

TOP, WIDE = 4, 150  # n-grams that are listed, characters of a line


def show(chosen: Chosen, model: Smoothed) -> None:
    study, n = chosen.study, chosen.order
    boundary, grams = study.raw.boundary, study.raw.orders[-1]
    ends = np.flatnonzero(study.stream == boundary)
    line = study.stream[ends[0] : ends[1] + 1].tolist()

    def named(gram: Sequence[int], between: str = " ", starts: bool = n > 1) -> str:
        words = [theme.visible(study.vocab[i]) if i != boundary else "</s>" for i in gram]
        return between.join(["<s>", *words[1:]] if starts and gram[0] == boundary else words)[:WIDE]

    best = commonest(study.raw, TOP)
    gram, count = best[0]
    place = model.counts.places(np.array(gram[:-1] or (boundary,)))[-1:]
    p = float(model.distributions(place)[0][gram[-1]])
    before = study.raw.places(np.array(gram[:-1] or (boundary,)))[-1, n - 1] if n > 1 else 0
    total = int(grams.total_P[before])
    size = sum(x.nbytes for x in model.arrays(compact=True).values())
    listed = [g for g in extracted(line, n) if len(g) == n][:TOP] or [tuple(line)]
    cards = (
        (
            f"**1 · Collect.** {len(study.lines):,} lines, {sum(map(len, study.lines)):,} characters.",
            study.lines[0][:WIDE],
        ),
        (
            f"**2 · Tokenise.** {len(study.stream) - 1:,} tokens, line ends among them.",
            named(line, " · ", True),
        ),
        (f"**3 · Extract.** Every run of {n}.", "\n".join(map(named, listed))),
        (
            f"**4 · Count.** {(grams.count_G > 0).sum():,} different ones,"
            f" {(grams.count_G == 1).sum():,} of them once.",
            "\n".join(f"{c:,} × {named(g)}" for g, c in best),
        ),
        (
            f"**5 · Smooth.** {escape(model.method.title)}.",
            f"{named(gram)}\n{count:,} / {total:,} = {number(count / total)}\nsmoothed: {number(p)}",
        ),
        (
            f"**6 · Store.** {size:,} bytes. Every probability is computed from them again.",
            f"{sum(int((g.count_G > 0).sum()) for g in study.raw.orders):,} counts, orders 1 to {n}",
        ),
    )
    for first in (0, 3):
        for column, (says, code) in zip(st.columns(3), cards[first : first + 3], strict=True):
            with column.container(border=True, height="stretch"):
                st.markdown(says)
                st.code(code, language=None, wrap_lines=True)
    st.caption("With the method chosen above. Steps 1 to 4 are the same for all methods.")
