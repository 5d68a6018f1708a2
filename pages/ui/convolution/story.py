"""The detective of the notes, stage by stage, with the numbers of the digit that is chosen above."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.digits import images, networks, sums
from engine.analysis.digits.networks import POOL
from pages.ui import ask, rows
from pages.ui.convolution.digit import DRAWING, FIRST

CAT = 0.85


def show() -> None:
    st.markdown(
        "A story for all stages: a detective has a picture and one question, *is this a cat?* Here the picture is"
        " the digit above, and the question which digit it is."
    )
    st.markdown(rows.written([("stage", "the detective", "here"), *told(_ink())]))
    gap = float(np.log(CAT / (1 - CAT)))
    p = ask.slider("The verdict “cat”", "cat", 0.5, 0.99, CAT, 0.01, width=320)
    st.markdown(
        f"In the story the verdict is 85 % cat, 15 % not: two logits that are ln(0.85 / 0.15) = {gap:.4f} apart. For"
        f" {100 * p:.0f} % they would have to be **{float(np.log(p / (1 - p))):.4f}** apart; what they are by"
        " themselves does not matter.\n\n"
        "Where the story limps: a weak clue that is above 0 passes ReLU; the experts of the dense layer know each clue"
        " **at its place**, so a cat moved aside is another case for them; and nobody told the detective which clues"
        " to look for."
    )


def _ink() -> np.ndarray:
    of = networks.shipped()
    drawing = images.read(str(st.query_params.get(DRAWING, st.session_state.get(DRAWING, ""))))
    image = int(st.session_state.get("image", FIRST))
    found: np.ndarray = (of.held_out.cells[image - 1] if drawing is None else drawing) / images.FULL
    return found


def told(ink_HW: np.ndarray) -> list[tuple[str, str, str]]:
    """Stage, what the detective does, and what that is here."""
    net = networks.shipped().network(1, 1, "max")
    read = net.read(ink_HW[None])
    sum_FPP, relu = read.sum_NFPP[0], read.relu_NFPP[0]
    off, flat = float((sum_FPP <= 0).mean()), read.pooled_NFQQ[0].size
    p_K = read.probability_NK[0]
    best, second = (int(k) for k in np.argsort(-p_K)[:2])
    gap = float(read.logit_NK[0, best] - read.logit_NK[0, second])
    filters, side = len(sum_FPP), net.side
    return [
        (
            "convolution",
            "goes over every spot with a magnifying glass for one kind of clue",
            f"{filters} kinds of clue at {side} × {side} places: {sum_FPP.size} sums",
        ),
        (
            "weight sharing",
            "knows the same clue wherever it lies",
            f"{sums.learned(3, 1, filters)} learned numbers for all of them",
        ),
        (
            "ReLU",
            "ignores what does not speak for the clue",
            f"{100 * off:.0f} % of the sums become 0; the largest is {relu.max():.2f}",
        ),
        (
            "pooling",
            "keeps the best clue of each neighbourhood",
            f"the largest of {POOL} × {POOL}: {flat} numbers are left",
        ),
        ("flattening", "pins all notes to one board", f"a row of {flat} numbers"),
        (
            "dense layer",
            "asks experts, who weigh every note",
            f"ten experts, one for each digit, with {flat} weights each",
        ),
        (
            "softmax",
            "turns their votes into a verdict",
            f"{best} with {100 * p_K[best]:.1f} %, {second} with {100 * p_K[second]:.1f} %: logits {gap:.2f} apart",
        ),
    ]
