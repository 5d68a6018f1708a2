"""Mixture: two models of one text, or counts and a neural model, with a weight and the perplexity
for every weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live import cache
from engine.ngram import mixture
from engine.views import theme
from pages.ui import ask, choice, plate, rows, show
from pages.ui.counting.context import LONGEST, clean
from pages.ui.counting.ladder import number
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate
from pages.ui.readers import word_spaces
from pages.ui.variants import chosen as variants

GRID, STEPPED = 26, 12  # weights in the curve; steps of expectation maximisation that are drawn
STEPS = 150  # of expectation maximisation
SHOWN = 40  # words in the table and in the picture
KING = "The king and the queen of France went to war."
COUNTS, NEURAL = "two models of this text", "trained counts and trained vectors"


@dataclass(frozen=True)
class Pair:
    """Two models' probabilities of the same tokens."""

    names: tuple[str, str]
    labels: tuple[str, ...]
    p_NK: np.ndarray
    id: str
    says: str

    def perplexity(self, weight: float) -> float:
        """inf where the mixture calls a token impossible."""
        with np.errstate(divide="ignore"):
            return float(
                2 ** -np.log2(mixture.linear(self.p_NK[:, 0], self.p_NK[:, 1], weight)).mean()
            )


def section(chosen: Chosen) -> None:
    row = ask.line()
    among = choice.one_of("Mix", (COUNTS, NEURAL), "mix", where=row, link=True)
    share = row.container()
    with row.popover("Settings"):
        pair = trained() if among == NEURAL else counted(chosen)
    if pair is None:
        return
    w = ask.share(f"λ, the share of the first model: {pair.names[0]}", "share", 0.5, share)
    fit = mixture.fit(pair.p_NK, steps=STEPS)
    best = float(fit.best[0])
    plate.row(curve(pair, w, fit), words(pair, w))
    st.markdown(
        "Two models seldom make the same mistakes. A **mixture** gives each a share; the best"
        " share is found on text that neither has counted."
    )
    show.formula(r"P(w \mid h) = \lambda\,P_1(w \mid h) + (1 - \lambda)\,P_2(w \mid h)")
    if not np.isfinite(pair.perplexity(best)):
        st.info(
            "Both models give some token probability 0, so no weight gives a finite"
            " perplexity. Reserve a little for uncounted words, or choose another method."
        )
    weights = (
        (pair.names[0], 1.0),
        (pair.names[1], 0.0),
        ("mixture as set", w),
        ("best weight", best),
    )
    found = [(name, pair.perplexity(x), x) for name, x in weights]
    rows.show(
        [
            {
                "model": name,
                "perplexity": f"{v:.6f}" if np.isfinite(v) else "infinite",
                "λ": round(x, 4),
            }
            for name, v, x in found
        ]
    )
    st.caption(
        "The best weight is found by expectation maximisation on the same tokens, so its perplexity"
        " flatters it: on other text it can only be expected to be close. Infinite: some token has"
        " probability 0."
    )
    with st.expander("Every word as a table"):
        mixed_N = mixture.linear(pair.p_NK[:, 0], pair.p_NK[:, 1], w)
        first = [
            {
                "word": theme.visible(label),
                pair.names[0]: p,
                f"{pair.names[1]} ": q,
                "mixture": float(m),
            }
            for label, (p, q), m in zip(
                pair.labels[:SHOWN], pair.p_NK.tolist(), mixed_N, strict=False
            )
        ]
        variants.numbers(first)
        if first:
            p, q = (float(x) for x in pair.p_NK[0])
            show.formula(
                rf"{number(w)} \cdot {number(p)} + {number(1 - w)} \cdot {number(q)} ="
                rf" {number(float(mixed_N[0]))}"
            )
            st.caption(
                f"This is for the first word, “{variants.escape(theme.visible(pair.labels[0]))}”."
                + (
                    f" The first {SHOWN} of {len(pair.labels):,} are listed."
                    if len(pair.labels) > SHOWN
                    else ""
                )
            )


def counted(chosen: Chosen) -> Pair | None:
    """Two methods or orders of the chosen text, on its held-out lines or on a typed sentence."""
    left, right = st.columns(2, gap="large")
    with left:
        one = variants.model(chosen, "1", "Kneser-Ney", 3)
    with right:
        two = variants.model(chosen, "2", "Witten-Bell")
    study = chosen.study
    typed = clean(ask.text("Measured on", "measured", LONGEST, "empty: the held-out lines"))
    if typed.strip() and len(tokens := variants.encode(chosen, typed)):
        stream_N = np.array(
            [study.tokenizer.boundary, *tokens.ids, study.tokenizer.boundary], np.int64
        )
    elif study.held_stream is not None:
        stream_N = study.held_stream
    else:
        st.info("This text is too short to hold out lines. Type a sentence to measure on.")
        return None
    p_NK = np.stack([reader.model.probabilities(stream_N) for reader in (one, two)], 1).astype(
        np.float64
    )
    labels = tuple(
        "</s>" if i == study.tokenizer.boundary else study.vocab[i] for i in stream_N[1:].tolist()
    )
    return Pair((one.says, two.says), labels, p_NK, f"variants-{chosen.id}", chosen.says)


def trained() -> Pair | None:
    """The trained counts and the trained word vectors on a typed text; the second's words become
    those of the first."""
    every = [
        {run.id: run for run in cache.runs_of(*models)} for models in (("ngram",), word_spaces())
    ]
    if not all(every):
        st.info(
            "This needs a trained n-gram model and trained word vectors: train them with `make"
            " zoo`."
        )
        return None
    places = zip(st.columns(2), ("counts", "vectors"), every, strict=True)
    runs = [
        found[ask.pick(name, list(found), f"mix_{name}", where=column)]
        for column, name, found in places
    ]
    st.caption(
        "The counts know the order of the last words; the vectors know the topic of the words"
        " before. The vocabulary of the vectors is mapped to that of the counts."
    )
    typed = clean(ask.text("Text", "read", LONGEST, f"empty: {KING}"))
    text = " ".join(typed.split()[: variants.WORDS]) or KING
    counts, vectors = cache.model(runs[0]), cache.model(runs[1])
    a, b = (model.trace(text, fields=("probability",)) for model in (counts, vectors))
    if a.tokens != b.tokens or len(a.tokens) < 2:
        st.info(
            "These two models cut this text into different pieces. Choose two that both cut it"
            " into words."
        )
        return None
    ids_T, vocab = counts.tokens(text).ids[1:], counts.tokenizer.vocab
    p_TV = a.field("probability").values[:-1]
    q_TV = mixture.align(
        b.field("probability").values[:-1].astype(np.float64),
        vectors.tokenizer.vocab,
        vocab,
        never=1,
    )
    at = np.arange(len(ids_T))
    p_NK = np.stack([p_TV[at, ids_T], q_TV[at, ids_T]], 1).astype(np.float64)
    return Pair(
        ("counts", "vectors"),
        tuple(a.tokens[1:]),
        p_NK,
        "variants-trained",
        f"{runs[0].title} and {runs[1].title}",
    )


def curve(pair: Pair, weight: float, fit: mixture.Fit) -> Plate:
    """Perplexity for every weight; what is infinite is left out."""
    grid, last = np.linspace(0, 1, GRID), len(fit.bits) - 1
    at = np.unique(
        np.r_[0, np.geomspace(1, max(1, last), STEPPED).round().astype(int)].clip(0, last)
    )
    return plate.lines(
        "mixture",
        "Perplexity for every weight",
        (
            ("mixture", grid, [pair.perplexity(float(w)) for w in grid]),
            ("EM, step by step", fit.weights[at, 0], 2 ** fit.bits[at]),
            ("as set", [weight], [pair.perplexity(weight)]),
        ),
        pair.id,
        f"{pair.says}: {' and '.join(pair.names)}",
        x="λ, share of the first model",
        y="perplexity",
        text=" ".join(pair.labels),
        of_series="",
    )


def words(pair: Pair, weight: float) -> Plate:
    """Bits per word, by both and by the mixture."""
    one_N, other_N = pair.p_NK[:SHOWN].T
    p_KN = np.stack([one_N, other_N, mixture.linear(one_N, other_N, weight)])
    names = ("model 1", "model 2", "mixture")
    with np.errstate(divide="ignore"):
        bits_KN = -np.log2(p_KN)
    axes = {"method": names, "token": pair.labels[:SHOWN]}
    says = "Surprisal of each word"
    field = Field.of("surprisal", Kind.LOSS, axes, bits_KN, says, unit="bits")
    of = f"{pair.says}; 1 is {pair.names[0]}, 2 is {pair.names[1]}"
    return Plate("surprisal", "lines", (field,), pair.id, of, " ".join(pair.labels))
