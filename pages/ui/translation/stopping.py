"""How the length of a translation is decided: the end mark at every step, the lengths that follow, and
the longest texts against the shortest under a length penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis import lengths
from engine.analysis.decode.beam import score
from engine.lessons.translation.panels import sides
from engine.live.markdown import escape
from engine.models.translating import BETWEEN
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows, typed
from pages.ui.address import begin

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

MOST, TOKENS = 200, 40  # characters; tokens of the source
DRAWS, WIDTH, LONGEST = 64, 6, 30
SENTENCE = "The small black cat ate the mouse"
PENALTIES = (0.0, 0.6, 1.0)
FIRST = np.array([0.5, 0.4, 0.1])
THEN = np.array([[0.3, 0.3, 0.4], [0.05, 0.05, 0.9]])


@kept.data(max_entries=16)
def computed(
    run: Run, _model: TranslatingModel[Any], text: str
) -> tuple[lengths.Lengths, tuple[lengths.Text, ...], np.ndarray]:
    source = _model.source(text).ids
    source = np.append(source[:-1][:TOKENS], source[-1])
    most = min(LONGEST, _model.config.context - 2)
    every = lengths.best(_model, source, WIDTH, most)
    first = max(every, key=lambda text: text.total)
    drawn = lengths.drawn(_model, source, DRAWS, most)
    return drawn, every, lengths.ends(_model, source, first.ids)


def sentence(run: Run) -> str:
    """What the translator shall read, which begins with what stands above."""
    begin(read_text=BETWEEN.split(typed.text(SENTENCE))[0][:MOST])
    return ask.text(f"{sides(run)[0]} to translate", "read_text", MOST, live="150ms")


def show(run: Run, model: TranslatingModel[Any]) -> None:
    text = sentence(run)
    if not text.strip():
        st.info("Type a sentence to translate.")
        return
    found, every, ends_M = computed(run, model, text)
    chosen = max(every, key=lambda one: one.total)
    st.markdown(
        "No part of a translator knows how long its text will be. The end mark `</s>` is a word"
        " like any other: at every step it has a probability, and the text ends where it is"
        " written. So the probability of a text has one factor more than it has words:"
    )
    st.latex(
        r"P(y_1 \ldots y_M \mid x) = \prod_{m=1}^{M} p(y_m \mid y_{<m}, x) \cdot"
        r" p(\text{stop} \mid y_1 \ldots y_M, x)"
    )
    vocab = model.tokenizer.vocab
    on = np.concatenate(([1.0], np.cumprod(1 - ends_M)))
    st.markdown("**The end mark along the likeliest text**")
    rows.show(
        [
            {
                "behind the token": "the start mark"
                if m == 0
                else escape(vocab[chosen.ids[m - 1]].strip()),
                "tokens so far": m,
                "P(stop) here": number(p),
                "P(not before)": number(on[m]),
                "ends here": number(p * on[m]),
            }
            for m, p in enumerate(ends_M)
        ],
        "stopping.steps",
        tallest=430,
    )
    last = max((m for m in range(len(found.p_M)) if found.least_M[m] > 1e-3), default=0) + 2
    at = range(min(last, len(found.p_M)))
    plate.show(_curves(run, text, found, at))
    st.markdown(
        f"With the factor all lengths together have probability **{found.p_M.sum():.4f}**, and"
        f" {found.left:.4f} is left for more than {len(found.p_M) - 1} tokens. Without it the same"
        f" sums are **{found.least_M.sum():.2f}** together: they are the chances that a text has at"
        " least so many tokens, and not a distribution over texts."
    )
    alpha = ask.slider("Length penalty α", "penalty", 0.0, 2.0, 0.6, 0.1)
    _each(model, every, alpha)
    _table()


def _curves(run: Run, text: str, found: lengths.Lengths, at: range) -> plate.Plate:
    return plate.lines(
        "stopping",
        "Probability of each length, with the factor of the end mark and without it",
        [
            ("with it: exactly so many tokens", at, found.p_M[: len(at)]),
            ("without it: all texts of so many tokens", at, found.least_M[: len(at)]),
        ],
        run.id,
        f"{escape(text)}; estimated from {DRAWS} texts drawn",
        x="tokens before the end mark",
        y="probability",
        whole=True,
        model=run.model,
        text=text,
    )


def _each(model: TranslatingModel[Any], every: tuple[lengths.Text, ...], alpha: float) -> None:
    """The likeliest text of each length, and which of them each penalty chooses."""
    st.markdown(
        "**The likeliest text of each length.** Every word is a factor below 1, so a sum of"
        " logarithms alone favours short texts. A search therefore compares"
        " $\\ln P(Y) / |Y|^\\alpha$, with $|Y|$ the tokens and the end mark: α = 0 compares"
        " probabilities, α = 1 means per token."
    )
    scores = [score(one.total, len(one.ids) + 1, alpha) for one in every]
    top = int(np.argmax(scores))
    likely = max(one.total for one in every)
    rows.show(
        [
            {
                "chosen": "✓" if m == top else "",
                "tokens": m,
                "text": model.tokenizer.decode(list(one.ids)).strip(),
                "ln P of the words": _signed(one.words),
                "ln P(stop)": _signed(one.stop),
                "ln P": _signed(one.total),
                "score": _signed(scores[m], 3),
            }
            for m, one in enumerate(every)
            if one.total > likely - 40 or m == top
        ],
        "stopping.each",
        tallest=420,
    )
    picked = {a: _length(every, a) for a in sorted({*PENALTIES, round(alpha, 1)})}
    told = ", ".join(f"α = {a:g}: {length}" for a, length in picked.items())
    st.caption(f"Tokens of the text that is chosen: {told}. Found by a beam of {WIDTH}.")


def _signed(value: float, digits: int = 2) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _length(every: tuple[lengths.Text, ...], alpha: float) -> int:
    best = max(every, key=lambda one: score(one.total, len(one.ids) + 1, alpha))
    return len(best.ids)


def _table() -> None:
    """A decoder small enough to sum over all of its texts."""
    st.markdown(
        "**By hand: a decoder of two words.** At the start A has .5, B .4 and the end .1; behind A"
        " they have .3, .3 and .4, behind B .05, .05 and .9. Greedy writes A and stops: .5 · .4 ="
        " .2. The best text is B: .4 · .9 = .36."
    )
    with_stop, without = (lengths.of_table(FIRST, THEN, 5, stop) for stop in (True, False))
    rows.show(
        [
            {
                "words": m,
                "with the end mark": f"{with_stop[m]:.5f}",
                "sum so far": f"{with_stop[: m + 1].sum():.5f}",
                "without it": f"{without[m]:.5f}",
            }
            for m in range(6)
        ],
        "stopping.table",
    )
