"""What the output rows answer: scores, chances, errors; the loss and its gradient; how the rows
move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.live.markdown import escape
from engine.nn.word2vec import toy
from engine.nn.word2vec.single import update
from pages.ui import plate, rows, show
from pages.ui.plate import Plate
from pages.ui.word2vec.chosen import SOURCE, Now

PLACES = "%.6f"
MOVED = 1e-12
FORMULAS = {
    "softmax": (
        r"z_k = o_k^\top h",
        r"p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}",
        r"L = -\sum_{\text{targets}} \ln p",
        r"\frac{\partial L}{\partial z_k} = n\,p_k - n_k",
    ),
    "negative": (
        r"z = o^\top h",
        r"s(z) = \frac{1}{1 + e^{-z}}",
        r"L = -\ln s(z_{\text{target}}) - \sum_{\text{noise}} \ln s(-z)",
        r"\frac{\partial L}{\partial z} = s - \text{right}",
    ),
    "hierarchical": (
        r"z = o_{\text{node}}^\top h",
        r"P(\text{left}) = s(z)",
        r"L = -\sum_{\text{path}} \ln P(\text{turn})",
        r"\frac{\partial L}{\partial z} = s - \text{left}",
    ),
}


def answers(now: Now) -> None:
    done, asked = now.done, now.asked
    if done is None or asked is None:
        st.info(
            f"“{escape(now.centre)}” is alone on its line, so there is nothing to predict. Do"
            " a step to go on."
        )
        return
    with st.container(horizontal=True, gap="large"):
        show.formula(*FORMULAS[asked.output])
    answered = []
    for r in range(len(done.row_R)):
        row, of = int(done.row_R[r]), int(done.of_R[r])
        row_of = (
            {"word": now.text.words[row]}
            if asked.output != "hierarchical"
            else {"node": f"n{row + 1}"}
        )
        asked_for = {} if asked.output == "softmax" else {"target": now.text.words[of]}
        answered.append(
            {
                **asked_for,
                **row_of,
                "z": done.score_R[r],
                "chance": done.chance_R[r],
                "right": int(done.right_R[r]),
                "error": done.error_R[r],
            }
        )
    chance = {"softmax": "p", "negative": "s(z)", "hierarchical": "P(left)"}[asked.output]
    right = {
        "softmax": "times it is a target",
        "negative": "right",
        "hierarchical": "left is right",
    }[asked.output]
    number = st.column_config.NumberColumn
    rows.show(
        answered,
        forms={
            "z": number("score z", format=PLACES),
            "chance": rows.bar(chance, PLACES),
            "right": number(right),
            "error": number("error ∂L/∂z", format=PLACES),
        },
    )
    after = update(*now.after, asked).loss
    h, g = (
        ", ".join(f"{x:.4f}" for x in v).replace("-", "−") for v in (done.h_D, done.h_gradient_D)
    )
    targets = f"{len(asked.targets)} {'target' if len(asked.targets) == 1 else 'targets'}"
    st.markdown(
        f"h = ({h}). Loss, the sum over {targets}: **{done.loss:.6f}** nats before this"
        f" update, **{after:.6f}** after it. ∂L/∂h = ({g}): the sum of error × row."
    )
    st.markdown(_order(now))


def _order(now: Now) -> str:
    """The same question with the window turned round."""
    asked = now.asked
    assert asked is not None and now.done is not None
    if len(asked.input_I) + len(asked.targets) < 3:
        return "With one word in the window there is no order to lose."
    turned = replace(
        asked,
        input_I=asked.input_I[::-1],
        targets=asked.targets[::-1],
        noise_TK=asked.noise_TK[::-1],
    )
    loss = update(*now.tables, turned).loss
    why = (
        "a mean has no order"
        if now.setting.cbow
        else (
            f"the same {'distribution answers' if asked.output == 'softmax' else 'scores answer'}"
            " at every place of the window"
        )
    )
    return (
        "**Order is lost:** with the words of the window reversed, the loss is the same,"
        f" {loss:.6f}; {why}."
    )


def moves(now: Now) -> None:
    """Both tables as planes, before and after."""
    if now.done is None:
        return
    before, after = now.tables, now.after
    rows = len(before[1]) if now.setting.output != "hierarchical" else max(1, len(before[1]) - 1)
    said, planes = [], []
    for side, name in enumerate(("input", "output")):
        count = rows if side else len(before[0])
        old_VD, new_VD = before[side][:count], after[side][:count]
        moved = int((np.abs(new_VD - old_VD).max(1) > MOVED).sum())
        said.append(f"**{moved} of {count}** rows of the {name} table")
        labels = (
            [f"n{n + 1}" for n in range(count)]
            if side and now.setting.output == "hierarchical"
            else list(now.text.words)
        )
        planes.append(_plane(now, name, labels, old_VD, new_VD))
    plate.row(*planes, gap="small")
    pulled = ""
    if now.setting.output == "softmax":
        pulled = (
            " A softmax pushes h away from its expectation, Σ p·o, and pulls it towards the"
            " target: vectors are shaped by repulsion as well as attraction."
        )
    st.markdown(
        f"This update moves {said[0]} and {said[1]}; all others stay exactly the same.{pulled}"
    )


def _plane(now: Now, name: str, labels: list[str], old_VD: np.ndarray, new_VD: np.ndarray) -> Plate:
    axes_2D, words = np.eye(2, old_VD.shape[1]), ("first number", "second number")
    if old_VD.shape[1] > 2:
        axes_2D, words = (
            np.linalg.svd(old_VD, full_matrices=False)[2][:2],
            ("first direction of largest spread", "second direction"),
        )
        axes_2D = np.pad(axes_2D, ((0, 2 - len(axes_2D)), (0, 0)))
    old, new = old_VD @ axes_2D.T, new_VD @ axes_2D.T
    columns = {"word": labels, "x": old[:, 0], "y": old[:, 1], "to_x": new[:, 0], "to_y": new[:, 1]}
    says = f"The {name} table: each row before and after this update"
    table = Table.of(f"moves.{name}", says, columns)
    of = f"W{'₁' if name == 'input' else '₂'}"
    if old_VD.shape[1] > 2:
        of = f"{old_VD.shape[1]} numbers per word, seen along two directions"
    options = {"x": words[0], "y": words[1]}
    return now.plate(f"moves-{name}", "plane", table, of, options=options)


def course(now: Now) -> None:
    """The loss of all updates done."""
    if len(now.losses) < 2:
        st.caption("The loss curve appears here after two updates.")
        return
    loss_N, around = np.array(now.losses), len(now.text.at)
    x = np.arange(1, len(loss_N) + 1)
    whole = len(loss_N) // around
    series = [("each update", x, loss_N)] if whole < 40 else []
    if whole > 1:
        mean = [
            np.nanmean(part) if np.isfinite(part).any() else np.nan
            for part in loss_N[: whole * around].reshape(whole, around)
        ]
        series.append(("mean of a round", x[around - 1 :: around][:whole], np.array(mean)))
    if toy.settled(now.losses, around) == now.n:
        st.caption(
            f"Converged: the last {toy.ROUNDS} rounds through the text gained less than"
            f" {100 * toy.LEAST:.0f} % on the {toy.ROUNDS} before them."
        )
    plate.show(
        plate.lines(
            "loss",
            "Loss per target before each update",
            series,
            of=f"{now.n:,} updates, learning rate {now.setting.rate:g}",
            x="update",
            y="loss (nats)",
            text=" ".join(now.text.words),
            tight=True,
            fluid=True,
            **SOURCE,
        )
    )
