"""Below the duel: a text that both sides write together, in the colours of the side that speaks for
each token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.compare.blend import MIXTURE, PRODUCT, Written, shared, write
from engine.core.trace import Table, TableSpec
from engine.live.markdown import escape
from engine.live.stage import turn
from engine.runs.store import Run
from pages.ui import ask, kept, plate
from pages.ui.choice import one_of
from pages.ui.plate import Plate

KINDS = {PRODUCT: "product of experts", MIXTURE: "mixture"}
SAYS = {
    PRODUCT: (
        "p in proportion to p_A^(1 − w) · p_B^w, which is softmax((1 − w) log p_A + w log p_B):"
        " both must agree, and a token to which one side gives probability 0 is never written."
    ),
    MIXTURE: (
        "p = (1 − w) p_A + w p_B: before each token, side B is chosen with probability w, so"
        " the text may jump between the two."
    ),
}
LENGTHS = (50, 100, 200)
LONGEST = 200  # characters of the beginning
FULL = 6.0  # bits in full colour


def show(pairs: tuple[tuple[Any, Run], tuple[Any, Run]], named: Mapping[str, str]) -> None:
    st.subheader("Let both write one text", anchor="together")
    a, b = (escape(title) for title in named.values())
    (model_a, run_a), (model_b, run_b) = pairs
    try:
        both = shared(model_a.tokenizer, model_b.tokenizer)
    except ValueError as problem:
        st.info(f"These two can't write together: {escape(str(problem))}.")
        return
    left, right = st.columns(2)
    weight = f"Weight w of side B: 0 is {a} alone, 1 is {b} alone"
    heat = "Temperature: a low value favours the likeliest tokens, 1 keeps the distribution"
    w = ask.slider(weight, "duel_w", 0.0, 1.0, 0.5, 0.05, left)
    t = ask.slider(heat, "duel_t", 0.1, 1.5, 0.5, 0.1, right)
    row = st.columns((3, 4, 3, 2), vertical_alignment="bottom")
    prompt = str(row[0].text_input("Begin with", "She ", key="duel_prompt", max_chars=LONGEST))
    kind = one_of("Blended as", KINDS, "duel_kind", where=row[1], link=True)
    steps = one_of("Tokens to write", LENGTHS, "duel_steps", 100, where=row[2])
    says = "Another seed, another text; the same seed, the same text."
    seed = ask.between(row[3].number_input, "Seed", "duel_seed", 0, 9999, 3, help=says)
    try:
        how = {"w": w, "kind": kind, "steps": steps, "seed": seed, "t": t}
        found = _written((run_a, run_b), prompt, how, model_a, model_b)
    except ValueError as problem:
        st.info(f"They can't continue here: {escape(str(problem))}.")
        return
    written = "".join(one.piece for one in found)
    begun = prompt.rstrip() if written[:1].isspace() else prompt
    st.code(begun + written, language=None, wrap_lines=True)
    plate.show(coloured(found, named, f"{run_a.id}+{run_b.id}", prompt))
    for_a, for_b = sum(one.odds > 0 for one in found), sum(one.odds < 0 for one in found)
    st.caption(
        f"{for_a} of {len(found)} tokens favour {a}, {for_b} favour {b}. {SAYS[kind]} Both"
        f" distributions are restricted to the {len(both.a_N):,} tokens that both know, and"
        " renormalised."
    )


@kept.data(max_entries=64, show_spinner="Writing …")
def _written(
    runs: tuple[Run, Run], prompt: str, how: dict[str, Any], _a: Any, _b: Any
) -> list[Written]:
    with turn():
        return list(write(_a, _b, prompt, **how))


def coloured(found: list[Written], named: Mapping[str, str], source: str, prompt: str) -> Plate:
    a, b = named.values()
    columns = {
        "text": np.array(["together"] * len(found), object),
        "word": np.array([one.piece for one in found], object),
        "value": np.array([-one.odds for one in found], float),
        "marked": np.zeros(len(found), bool),
    }
    says = "The text, each token in the colour of the side it favours"
    options = {"most": FULL, "measure": "bits: blue favours A, orange favours B"}
    return Plate(
        "written",
        "activations",
        (Table(TableSpec("written", tuple(columns), says), columns),),
        source[:80],
        f"A: {a}; B: {b}; after “{prompt}”",
        text=prompt,
        options=options,
        model="duel",
    )
