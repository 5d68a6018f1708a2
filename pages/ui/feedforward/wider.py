"""What a wider window costs in weights, beside a table of all n-grams and beside a recurrent net.

Shapes: V = vocabulary, D = width, H = units, N = words of the window
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from engine.analysis import windowed
from engine.lessons.scoring.latex import power
from engine.live.markdown import escape
from engine.runs.store import Run
from pages.ui import ask, language, plate, rows

if TYPE_CHECKING:
    from engine.models.feedforward import FeedForward

WIDEST, LONGEST = 50, 200
TEXT = "John, who had grown up in France but moved to Spain when he was a teenager, speaks fluent"
WORD = "France"
LISTED = (1, 2, 3, 5, 10, 20, 50)


def show(run: Run, model: FeedForward) -> None:
    config, v = model.config, len(model.tokenizer.vocab)
    n = st.slider("Words in the window", 1, WIDEST, config.window, key="wide")
    of = windowed.size(config, v, n)
    said = [
        f"A window of {n} of {v:,} words can hold ${power(float(v) ** n)}$ different texts, and a table"
        f" would need a row for each. The net needs **{of.total:,}** numbers, because it sees words by"
        f" their vectors: {of.vectors:,} in the vectors, {of.hidden:,} in the hidden layer"
        f" ({config.units} · {n} · {config.width} + {config.units}), {of.output:,} in the output layer."
    ]
    if config.direct:
        said.append(f"{of.direct:,} of them are in the direct connections.")
    said.append("Only the window makes it grow; a recurrent net stays as it is for any text.")
    st.markdown(" ".join(map(language.say, said)))
    sight(model, n)
    many = range(1, WIDEST + 1)
    once = config.units * (config.width + config.units) + config.units
    plate.show(
        plate.lines(
            "wider",
            "Weights below the output layer, without the vectors.",
            [
                ("feed-forward net", many, [windowed.size(config, v, i).hidden for i in many]),
                ("recurrent net", many, [once] * WIDEST),
            ],
            run.id,
            f"Counted for {config.units} units and vectors of {config.width} numbers.",
            x="words it can see",
            y="weights",
            of_series="network",
            kept=f"wider.{run.id}",
            model=run.model,
        )
    )
    listed = {
        "words": list(LISTED),
        "hidden layer": [windowed.size(config, v, i).hidden for i in LISTED],
        "all weights": [windowed.size(config, v, i).total for i in LISTED],
    }
    rows.show(listed, "wider.rows", dict.fromkeys(list(listed)[1:], rows.WHOLE))


def sight(model: FeedForward, n: int) -> None:
    """A text as a window of n tokens sees it before the next one, and how wide it would have to be for a word."""
    line = ask.line()
    text = ask.text("Text", "sight_text", LONGEST, where=line, value=TEXT)
    word = ask.text("Word in it", "sight_word", LONGEST, where=line, value=WORD).strip()
    tokens = model.tokens(text)
    labels = [escape(text[start:end]) for start, end in tokens.spans if end > start]
    if not labels:
        st.info("Type a text.")
        return
    out, within = labels[:-n], labels[-n:]
    st.markdown(f"{'~~' + ' '.join(out) + '~~ ' if out else ''}**{' '.join(within)}** …")
    places = [at for at, label in enumerate(labels) if label.lower() == escape(word).lower()]
    if not places:
        st.info("The text does not have this word.")
        return
    far = len(labels) - places[-1]
    sees = (
        f"a window of {n} sees it."
        if far <= n
        else f"a window of {n} does not see it, whatever it has learned."
    )
    st.markdown(f"“{escape(word)}” stands {far} tokens before the next one: {sees}")
