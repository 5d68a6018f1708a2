"""What the pipeline on the screen gains and loses on a whole text, beside four others; measured in
a moment of rest."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import streamlit as st

from engine.live.markdown import sentence
from engine.text.corpora.reviews import CORPUS as REVIEWS
from engine.text.preparation import sentences
from engine.text.preparation.effect import Effect, accuracy, effect
from engine.text.preparation.pipeline import STRAIGHT, Pipeline
from pages.ui import plate, rows, texts
from pages.ui.plate import Plate

MOST_LINES, FEW_LINES, WIDTH = 600, 20, 100
MOST_CHARACTERS = 4_000_000  # of a long text; the lines come from all over them
OTHERS = {
    "cut at white space": "none",
    "usual order": STRAIGHT,
    "usual order, stop words": f"{STRAIGHT}-stopwords.sklearn",
    "usual order, Porter": f"{STRAIGHT}-porter",
    "usual order, lemma": f"{STRAIGHT}-lemma.en",
}
MINE, OWN = "yours, as above", "what is typed above"


def lines(id: str, typed: str) -> list[str]:
    """The lines measured on; of a long text MOST_LINES evenly spread over it."""
    if id == "own":
        found = [line for line in typed.splitlines() if line.strip()]
        if len(found) < FEW_LINES:
            found = sentences.PREPARATION.apply(" ".join(found)).after.split("\n")
    else:
        found = [line for line in texts.beginning(id, MOST_CHARACTERS).splitlines() if line.strip()]
    places = np.linspace(0, len(found) - 1, min(MOST_LINES, len(found))).astype(int)
    return [found[i] for i in places]


@st.cache_data(max_entries=8, show_spinner="Reading the text …")
def _lines(id: str, digest: str, _typed: str) -> list[str]:
    return lines(id, _typed)


@st.cache_data(max_entries=128, show_spinner="Measuring …")
def _effect(id: str, digest: str, written: str, _lines: list[str]) -> Effect:
    return effect(_lines, Pipeline.read(written))


@st.cache_data(max_entries=128, show_spinner="Measuring …")
def _accuracy(written: str) -> tuple[float, float]:
    return accuracy(REVIEWS.labelled(), Pipeline.read(written))


def compared(written: str) -> dict[str, str]:
    """The pipelines by name: the one on the screen first, unless it is one of the others."""
    mine = Pipeline.read(written).write()
    same = [name for name, other in OTHERS.items() if Pipeline.read(other).write() == mine]
    if not same:
        return {MINE: mine, **OTHERS}
    return {f"{name} (yours)" if name in same[:1] else name: o for name, o in OTHERS.items()}


def show(text: str, written: str) -> None:
    options = {"reviews": "", **texts.listed(), "own": OWN}  # the reviews first
    id = texts.pick("Measured on", options, "prep_on", width=320)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if id == "own" else ""
    try:
        read = _lines(id, digest, text)
        left_out = "" if id == "own" else texts.left_out(id, MOST_CHARACTERS)
    except LookupError as problem:
        st.error(sentence(problem))
        return
    if left_out:
        st.caption(left_out)
    if len(read) < 2:
        st.info(
            "The text above has too few lines or sentences to measure: paste a longer text, or"
            " choose another one here."
        )
        return
    chains = compared(written)
    found = {name: _effect(id, digest, chain, read) for name, chain in chains.items()}
    right = {name: _accuracy(chain) for name, chain in chains.items()}
    table(found, right)
    left, side = st.columns((3, 2), gap="medium")
    plate.show(curve(id, options[id], found), left)
    with side:
        words(found, right, len(read))
    done = Pipeline.read(written)
    st.download_button(
        "Save the typed text, prepared",
        lambda: "\n".join(" ".join(done.tokens(line)) for line in text.split("\n")),
        "prepared.txt",
        "text/plain",
        key="prep_save",
        on_click="ignore",
        help="The whole text, line by line, after your steps; spaces separate the tokens.",
    )


def curve(id: str, title: str, found: dict[str, Effect]) -> Plate:
    return plate.lines(
        "prepared-vocabulary",
        "Number of different tokens among the first tokens read",
        [(name, [x for x, _ in m.curve], [v for _, v in m.curve]) for name, m in found.items()],
        id,
        f"Measured on: {title}",
        x="tokens read",
        y="different tokens",
        table="vocabulary",
        of_series="pipeline",
        tight=True,
        model="counts",
        fluid=True,
    )


def table(found: dict[str, Effect], right: dict[str, tuple[float, float]]) -> None:
    correct = {name: f"{100 * a:.1f} ± {100 * e:.1f} %" for name, (a, e) in right.items()}
    rows.show(
        [
            {
                "pipeline": name,
                "tokens": f"{m.tokens:,}",
                "vocabulary": f"{m.types:,}",
                "types / tokens": "n/a" if math.isnan(m.ratio) else f"{m.ratio:.3f}",
                "unknown": "too few lines" if math.isnan(m.unknown) else f"{100 * m.unknown:.1f} %",
                "reviews classified correctly": correct[name],
                f"weights of {WIDTH}-d embedding": f"{m.types * WIDTH:,}",
            }
            for name, m in found.items()
        ],
        height="content",
    )


def words(found: dict[str, Effect], right: dict[str, tuple[float, float]], count: int) -> None:
    mine = next(n for n in found if "yours" in n)
    plain = next(n for n in found if n.startswith("cut at"))
    (a, error), (b, other) = right[mine], right[plain]
    noise = 2 * math.hypot(error, other)
    verdict = (
        "more than chance would explain"
        if abs(a - b) > noise
        else f"below {100 * noise:.0f} points, so it may be chance"
    )
    usual, stops = (
        next(m for n, m in found.items() if n.removesuffix(" (yours)") == name)
        for name in ("usual order", "usual order, stop words")
    )
    rises = (
        " Without stop words a larger share is unknown, because the removed words are the ones"
        " every text has."
        if stops.unknown > usual.unknown
        else ""
    )
    st.markdown(
        f"Measured on {count:,} lines. *Vocabulary*: different tokens; each needs its own row"
        " of weights in an embedding. *Unknown*: in every eleventh line, the share of tokens"
        f" that no other line has.{rises} *Classified correctly*: naive Bayes on short reviews"
        " that it was not trained on, with the standard error. Your pipeline compared with"
        f" none: {found[mine].types:,} different tokens instead of {found[plain].types:,};"
        f" {100 * a:.1f} % classified correctly instead of {100 * b:.1f} %, a difference of"
        f" {100 * abs(a - b):.1f} points, {verdict}. A smaller vocabulary is not better in"
        " itself: with a single word left, nothing is unknown and nothing is said."
    )
