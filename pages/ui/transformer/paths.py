"""How far two words are from each other: hops through a recurrent net, attention and convolutions,
and how far layers see."""

from __future__ import annotations

import re

import numpy as np
import streamlit as st

from engine.analysis.costs import sizes
from engine.live.markdown import escape
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.plate import Plate

SENTENCE = (
    "The woman who bought the red car that was parked near the old building on Main Street drove to"
    " work."
)
MOST = 120


def show() -> None:
    st.subheader("How far apart are two words?", anchor=False)
    text = st.text_input("Sentence", SENTENCE, max_chars=1000, key="path", bind="query-params")
    words = re.findall(r"\S+", text)[:MOST]
    if len(words) < 2:
        st.info("Type a sentence with at least two words.")
        return
    first, second = pair(words)
    left, right, far = st.columns((2, 2, 3))
    numbered = [f"{i + 1} {w}" for i, w in enumerate(words)]
    a = left.selectbox("From", numbered, index=first, key=f"from.{len(words)}")
    b = right.selectbox("To", numbered, index=second, key=f"to.{len(words)}")
    one, other = sorted((numbered.index(a), numbered.index(b)))
    hops = other - one
    share = "Share of a signal that one hop keeps"
    keeps = ask.slider(share, "keeps", 0.5, 1.0, 0.9, 0.01, far)
    if not hops:
        st.info("Choose two different words.")
        return
    st.markdown(
        f"Between “{escape(words[one])}” and “{escape(words[other])}” stand **{hops - 1}"
        f" {'word' if hops == 2 else 'words'}**. A recurrent net passes the first one on through"
        f" **{hops} {'step' if hops == 1 else 'steps'}**; if each keeps {100 * keeps:.0f} % of a"
        f" signal, {number(keeps**hops * 100)} % arrives. Attention looks there in **1"
        f" step**{', and' if keeps < 1 else ': all of it'}{f' {100 * keeps:.0f} % arrives' if keeps < 1 else ''}."
    )
    if text == SENTENCE:
        st.caption(
            "Between woman and drove there are 15 words. One hop is short, but not free: the"
            " softmax divides a total weight of 1 among all words."
        )
    st.markdown("##### Operations, sequential steps and hops of one layer")
    columns = st.columns(3)
    n = columns[0].slider("Tokens n", 8, 8192, 512, 8, key="path_tokens", bind="query-params")
    d = columns[1].slider("Width d", 32, 4096, 512, 32, key="width", bind="query-params")
    k = columns[2].slider("Width of the convolution k", 2, 15, 3, key="k", bind="query-params")
    ways = [
        {
            "layer": way.name,
            "operations": f"{way.operations / 1e9:,.3f} billion",
            "steps that wait for each other": f"{way.steps:,}",
            f"layers or steps across {hops} words": f"{way.hops:,}",
        }
        for way in sizes.ways(n, d, k, hops)
    ]
    rows.show(ways, "ways")
    square, step = 4 * n * n * d, 4 * n * d * d
    more, why = ("fewer", "smaller than") if n < d else ("more", "larger than")
    if n == d:
        more, why = "as many", "equal to"
    st.markdown(
        "O(n) against O(n²) leaves out the width. With it, a recurrent layer takes 4nd² ="
        f" {step / 1e9:,.3f} billion, the scores and readings of attention 4n²d ="
        f" {square / 1e9:,.3f} billion: **{more}** here, because n is {why} d."
    )
    plate.show(_curve(d))
    st.markdown("##### How far does a stack see?")
    left, right = st.columns(2)
    layers = left.slider("Layers", 1, 96, 4, key="stack", bind="query-params")
    window = right.slider("Window of attention", 2, 4096, 64, key="window", bind="query-params")
    reach = layers * (window - 1) + 1
    st.markdown(
        f"With a window of {window:,} tokens, {layers} {'layer' if layers == 1 else 'layers'} of"
        f" attention see **{reach:,} tokens**: each layer adds {window - 1:,}, as what was seen is"
        f" handed on. A convolution {k} wide sees {layers * (k - 1) + 1:,}, one whose gaps grow"
        f" {k}-fold a layer {number(float(k**layers))}. Attention without a window sees everything"
        " in its first layer."
    )


def _curve(d: int) -> Plate:
    n_X = np.geomspace(8, 8192, 21)
    return plate.lines(
        "operations",
        "Operations of one layer: the lines cross where n = d",
        [
            ("recurrent, 4nd²", n_X, 4 * n_X * d * d),
            ("attention over pairs, 4n²d", n_X, 4 * n_X**2 * d),
        ],
        "formula",
        f"Width d = {d:,}",
        x="tokens n",
        y="operations",
        of_series="",
        log_x=True,
        log_y=True,
        model="formula",
    )


def pair(words: list[str]) -> tuple[int, int]:
    """woman and drove where both are there, else the first and the last word."""
    if "woman" in words and "drove" in words:
        return words.index("woman"), words.index("drove")
    return 0, len(words) - 1
