"""Activation patching: numbers of one sentence are put into the run of another, place by place; how
much of the first answer comes back."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis import patch
from engine.core.trace import Field, Kind
from engine.course import planted
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, kept, plate, rows
from pages.ui.choice import one_of
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

PAIRS = {
    "a girl or a boy": (
        "The girl looked at the old man and shook",
        "The boy looked at the old man and shook",
    ),
    "her hat or his": ("She took her hat, and put it on", "He took his hat, and put it on"),
    "United or New": ("The president of the United", "The president of the New"),
}
BY = {"logit": "difference of the logits", "probability": "probability of the clean answer"}
MOST = 300


def show(run: Run, model: Attends[Any]) -> None:
    st.subheader(
        "Activation patching: where is the difference between two sentences?", anchor=False
    )
    st.markdown(
        "Two sentences that differ in a word make the model answer differently. Activation"
        " patching runs the second, **corrupted** sentence, but copies one activation from the"
        " first, **clean** run: one layer, one token at a time. Where the clean answer returns,"
        " that activation holds the difference."
    )
    if not model.causal:
        st.info(
            "Patching compares the next word after two texts, but this model fills gaps. Choose"
            " a model that writes."
        )
        return
    learned = planted.text(run.note)
    if not learned:
        st.segmented_control("Examples", list(PAIRS), key="pair", on_change=_fill)
    first = planted.PAIRS.get(learned) or next(iter(PAIRS.values()))
    # the texts of another model mean nothing to this one
    if st.session_state.setdefault("pair.first", first) != first:
        st.session_state["pair.first"] = first
        st.session_state["clean"], st.session_state["corrupted"] = first
    left, right = st.columns(2)
    clean = ask.text("Clean text", "clean", MOST, where=left, value=first[0])
    corrupted = ask.text("Corrupted text", "corrupted", MOST, where=right, value=first[1])
    try:
        both = _pair(run, clean, corrupted, model)
    except patch.Unequal as problem:
        st.warning(str(problem))
        _tokens(model, clean, corrupted)
        return
    _answers(model, both)
    part = one_of("What is copied", patch.PARTS, "copied", "residual")
    measure = one_of("Measured by", BY, "by", "logit")
    _picture(run, both, part, measure, _heat(run, model, both, part, measure))


def _fill() -> None:
    chosen = st.session_state.get("pair")
    if chosen in PAIRS:
        st.session_state["clean"], st.session_state["corrupted"] = PAIRS[chosen]


@kept.resource(max_entries=16)
def _pair(run: Run, clean: str, corrupted: str, _model: Attends[Any]) -> patch.Pair:
    return patch.pair(_model, clean, corrupted)


def _heat(run: Run, model: Attends[Any], both: patch.Pair, part: str, measure: str) -> np.ndarray:
    """The heat map, with progress the first time."""
    key = (*run.key, both.clean.text, both.corrupted.text, part)
    patched = st.session_state.setdefault("patched", {})
    shape = both.clean.field(part).values.shape[:2]
    if key not in patched:
        whole = shape[0] * shape[1]
        bar, done, found = st.progress(0.0, "Patching …"), 0, []
        for step in patch.sweep(model, both, part):
            found.append(step)
            done += len(step[0])
            bar.progress(done / whole, f"Patching: {done} of {whole} places")
        bar.empty()
        if len(patched) > 12:
            patched.clear()
        patched[key] = found
    heat = np.zeros(shape, np.float32)
    for places, logit_B2, p_B2 in patched[key]:
        heat[tuple(zip(*places, strict=True))] = both.restored(logit_B2, p_B2, measure)
    return heat


def _answers(model: Attends[Any], both: patch.Pair) -> None:
    vocab = model.tokenizer.vocab
    a, b = (escape(theme.visible(vocab[i])) for i in both.answers)
    (aa, ab), (ba, bb) = both.p
    st.markdown(
        f"Clean: after it comes “{a}” with **{number(100 * aa)} %**, “{b}” with {number(100 * ab)}"
        f" %. Corrupted: “{a}” with {number(100 * ba)} %, “{b}” with **{number(100 * bb)} %**. The"
        f" tokens differ at {len(both.differs)} of {len(both.clean.ids)} places."
    )


def _picture(run: Run, both: patch.Pair, part: str, measure: str, heat: np.ndarray) -> None:
    layers, across = heat.shape
    axes: dict[str, Any] = {"layer": range(1, layers + 1)}
    if part == "reading":
        axes["head"] = range(1, across + 1)
        names = [f"head {n}" for n in axes["head"]]
    else:
        tokens = zip(both.clean.tokens, both.corrupted.tokens, strict=True)
        axes["token"] = [a if a == b else f"{a}|{b.strip()}" for a, b in tokens]
        names = [f"“{escape(theme.visible(label))}”" for label in axes["token"]]
    says = "How much of the clean answer each patch restores: 0 none, 1 all"
    field = Field.of(
        "restored", Kind.STATE, axes, heat, says, unit="share restored", domain=(-1, 1)
    )
    of = (
        f"{run.title}; copied: {patch.PARTS[part]}{', at all tokens' if part == 'reading' else ''};"
        f" by the {BY[measure]}"
    )
    text = f"{both.clean.text} | {both.corrupted.text}"
    plate.show(Plate("restored", "heatmap", (field,), run.id, of, text, model=run.model))
    st.markdown(_said(both, part, heat, names))
    st.caption(
        "Below 0, the patch moves the answer further away. The values do not add up to 1: later"
        " layers read what earlier ones write, and write it again."
    )


def _said(both: patch.Pair, part: str, heat: np.ndarray, names: list[str]) -> str:
    """Where most comes back.  At the last token the answer is read, and the last layer's stream
    brings all of it: that place tells nothing."""
    last = heat.shape[1] - 1
    if part != "reading" and both.differs == [last]:
        return (
            "The texts differ only at the last token, where the answer is read, so no other"
            " patch can restore anything."
        )
    shown = heat if part == "reading" else heat[:, :last]
    best = np.unravel_index(int(shown.argmax()), shown.shape)
    most = (
        f"**layer {best[0] + 1}, {names[best[1]]}: {number(100 * float(heat[best]))} %** of the"
        " difference."
    )
    if part == "reading":
        return f"Most comes back at {most}"
    ends = " and ".join(
        f"{number(100 * float(heat[layer, last]))} % in layer {layer + 1}"
        for layer in sorted({0, len(heat) - 1})
    )
    return (
        f"Before the last token most comes back at {most} At the last token, where the answer is"
        f" read, it is {ends}."
    )


def _tokens(model: Attends[Any], *texts: str) -> None:
    """Both texts cut into tokens, so that one can see where they part."""
    cuts = [[theme.visible(label) for label in model.tokens(text).labels] for text in texts]
    table: dict[str, list[str]] = {"text": ["clean", "corrupted"]}
    for i, pieces in enumerate(zip_longest(*cuts, fillvalue="")):
        table[str(i)] = [*pieces]
    rows.show(table, "tokens")
