"""Below the live part of the Compare page: how much the models disagree about what comes, and the
pieces where they are farthest apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.compare.alignment import Segments, reading, segments
from engine.analysis.compare.disagreement import AFTER_BLANK, TOKENS, Disagreement, disagreement
from engine.analysis.compare.winners import NOBODY, winners
from engine.core.trace import Table, TableSpec, Trace
from engine.live.markdown import escape
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate

ROWS = 10


def show(
    models: Sequence[Model[Any]], traces: Sequence[Trace], names: Sequence[str], runs: Sequence[Run]
) -> None:
    text = traces[0].text
    found = segments([reading(trace) for trace in traces])
    if not len(found):
        return
    st.subheader("How much do the models disagree about what comes next?", anchor=False)
    said = disagreement(text, models, traces, found.stop_S.tolist())
    if said.at:
        plate.show(picture(text, found, said, names, runs))
    st.caption(about(said, names))
    st.subheader("Where do they differ most?", anchor=False)
    apart(text, found, names)


def picture(
    text: str, found: Segments, said: Disagreement, names: Sequence[str], runs: Sequence[Run]
) -> Plate:
    """The text once for each pair of models; a piece has the colour of how far they disagree about
    what follows it."""
    pieces, stops = found.labels(text), found.stop_S.tolist()
    at = {place: k for k, place in enumerate(said.at)}
    pairs = [f"{names[a]} and {names[b]}" for a, b in said.pairs]
    columns = {
        "text": np.repeat(np.array(pairs, object), len(pieces)),
        "word": np.tile(np.array(pieces, object), len(pairs)),
        "value": np.array(
            [said.jsd_KP[at[s], p] if s in at else np.nan for p in range(len(pairs)) for s in stops]
        ),
        "marked": np.zeros(len(pairs) * len(pieces), bool),
    }
    says = "Divergence of two models after each piece of the text"
    means = zip(pairs, said.jsd_KP.T, strict=True)
    mean = ", ".join(f"{pair} {number(float(jsd_K.mean()))}" for pair, jsd_K in means)
    return Plate(
        "disagreement",
        "activations",
        (Table(TableSpec("disagreement", tuple(columns), says), columns),),
        "+".join(run.id for run in runs)[:80],
        f"Jensen-Shannon divergence over {said.over}; mean of this text: {mean} bits",
        text=text,
        options={
            "most": 1.0,
            "signed": False,
            "measure": "disagreement (bits, 0 to 1)",
            "rows": "models",
        },
        model="compare",
    )


def about(said: Disagreement, names: Sequence[str]) -> str:
    """What was compared, and what that leaves out."""
    scale = (
        "0 bits: both predict the same; 1 bit: each rules out what the other expects. What"
        " actually follows does not matter. "
    )
    if said.over == TOKENS:
        return (
            scale
            + "These models have the same vocabulary, so their whole distributions over the next"
            " token are compared."
        )
    shares = ", ".join(
        f"{escape(name)} {number(share, True)}"
        for name, share in zip(names, said.other_M, strict=False)
    )
    most = (
        "Characters that not all of them know count as"
        f" one{f' ({shares} on average)' if shares else ''}. Merging outcomes can only hide a"
        " difference, so this is a lower bound."
    )
    if said.over == AFTER_BLANK:
        nowhere = " Here there is none yet: keep typing." if not said.at else ""
        return (
            scale
            + "One of these models reads words and never writes a blank, so all are asked for the"
            " next character after the blank, by adding up the probabilities of all tokens that"
            " begin with it. That can be said where the text goes on after a blank; other places"
            f" are empty.{nowhere} {most}"
        )
    return (
        scale
        + "Their vocabularies differ, so the next character is compared: the probabilities of all"
        f" tokens that begin with it, added up. {most}"
    )


def apart(text: str, found: Segments, names: Sequence[str]) -> None:
    """The pieces with the largest distance between the best and the worst model."""
    who = winners(found)
    spread_S = np.where(np.isfinite(who.spread_S), who.spread_S, -1.0)
    order = [s for s in np.argsort(-spread_S, kind="stable").tolist() if spread_S[s] > 0][:ROWS]
    if not order:
        st.caption("There is no piece that at least two of them know, or they all agree.")
        return
    pieces = found.labels(text)
    table = [
        {
            "piece": theme.visible(pieces[s]),
            **{f"{name}, bits": float(found.bits_SM[s, m]) for m, name in enumerate(names)},
            "best predicted by": "nobody" if who.winner_S[s] == NOBODY else names[who.winner_S[s]],
            "ahead of the next by": float(who.margin_S[s]),
            "spread": float(who.spread_S[s]),
        }
        for s in order
    ]
    numbers = {k: "%.2f" for k, v in table[0].items() if isinstance(v, float)}
    rows.show(table, "compare.apart", numbers)
    left = len(found) - len(order)
    rest = f"; {left:,} more {'is' if left == 1 else 'are'} not listed" if left else ""
    st.caption(
        f"The {len(order)} pieces with the largest spread, in bits{rest}. The table of the panel"
        " above shows more; Save exports them all."
    )
