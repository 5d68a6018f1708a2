"""Maximum likelihood as an aim: one row of the table of word pairs is moved off its counts, and the text gets less
likely."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram import likelihood
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.counting.context import Context
from pages.ui.counting.study import Chosen
from pages.ui.show import formula

OFFERED = 50  # words of a row


def show(chosen: Chosen, context: Context) -> None:
    st.markdown(
        "Why are relative frequencies the right numbers? They are the ones that make the counted text most likely."
        " Move one of them, and the likelihood falls, whichever way."
    )
    study, pairs = chosen.study, min(2, chosen.order)
    raw = study.raw.orders[pairs - 1]
    last = int(context.ids[-1]) if pairs == 2 else 0
    if not raw.total_P[last]:
        last = int(np.argmax(raw.total_P))
        st.caption(
            "Nothing ever followed your last word; the row of the commonest context is shown."
        )
    a, b = raw.first_P[last : last + 2].tolist()
    ids = raw.word_G[a:b][raw.count_G[a:b] > 0]
    counts = raw.count_G[a:b][raw.count_G[a:b] > 0].astype(float)
    best = np.argsort(-counts, kind="stable")[:OFFERED]
    before = "<s>" if last == study.raw.boundary else study.vocab[last]
    names = {int(k): theme.visible(study.vocab[int(ids[k])]) for k in best}
    line = ask.line()
    at = ask.pick("Word", names, "moved", where=line, width=200)
    share = counts[at] / counts.sum()
    x = ask.slider("Its probability", "to", 0.01, 0.99, 0.3, 0.01, line, width=320)
    whole = likelihood.log_likelihood(raw)
    mine = whole + likelihood.gained(counts, at, x)
    formula(
        r"\log L = \sum_{h}\sum_{w} c(hw)\,\ln P(w \mid h)"
        rf" = {whole:,.3f}\ \text{{as counted}},\quad {mine:,.3f}\ \text{{as moved}}"
    )
    after = f"after “{escape(theme.visible(before))}”" if pairs == 2 else "in the whole text"
    st.markdown(
        f"“{escape(names[at])}” was counted {counts[at]:,.0f} of {counts.sum():,.0f} times {after}. At"
        f" {100 * x:.0f} % in place of {100 * share:.1f} % the text is **{number(float(np.exp(mine - whole)))}**"
        " times as likely."
    )
    xs = np.unique(np.append(np.linspace(0.01, 0.99, 99), share))
    curve = [whole + likelihood.gained(counts, at, float(p)) for p in xs]
    left, right = st.columns((3, 2), gap="medium")
    plate.show(
        plate.lines(
            "likelihood-curve",
            "How likely the text is, by one probability",
            [
                ("likelihood", xs, curve),
                ("as counted", [share], [whole]),
                ("as moved", [x], [mine]),
            ],
            chosen.id,
            chosen.says,
            x=f"P({names[at]} | {theme.visible(before)})" if pairs == 2 else f"P({names[at]})",
            y="log L in nats",
            of_series="",
            tight=True,
            fluid=True,
            model="ngram",
        ),
        left,
    )
    row = likelihood.moved(counts, at, x)
    rows.show(
        {
            "next": [names[int(k)] for k in best],
            "count": counts[best].astype(int),
            "as counted": counts[best] / counts.sum(),
            "as moved": row[best],
        },
        "moved.row",
        {"as counted": rows.SHARE, "as moved": rows.SHARE},
        right,
        tallest=330,
    )
