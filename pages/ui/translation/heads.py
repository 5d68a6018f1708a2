"""Which head follows the words, and how often a new sentence comes out right: measured where the
right answer is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.heads import alignment
from engine.analysis.heads.alignment import Alignment
from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.runs.store import Run
from engine.text.corpora.phrases import CORPUS as PHRASES
from pages.ui import plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

PAIRS, SEED = 150, 1  # seed 0 is what the shipped model learned from


@st.cache_data(max_entries=4, show_spinner="Translating new sentences…")
def measured(recipe: str, _model: TranslatingModel[Any]) -> tuple[Alignment, dict[str, float]]:
    """Alignment and exactness on sentences that the shipped model never saw."""
    known = {pair.english for pair in PHRASES.pairs}
    new = [pair for pair in PHRASES.generate(2 * PAIRS, SEED) if pair.english not in known][:PAIRS]
    return alignment.measure(_model, new), _model.judge(
        [f"{pair.english}\t{pair.french}" for pair in new]
    )


def show(run: Run, model: TranslatingModel[Any]) -> None:
    if model.config.tokenizer != "words":
        st.info("The correct alignment is known for whole words; this model reads pieces of words.")
        return
    if "cross.attention" not in {spec.name for spec in model.spec()}:
        st.info(
            "This model has no attention, so no head can follow the words. Choose another one"
            " above."
        )
        return
    found, judged = measured(str(run.note.get("recipe")), model)
    layer, head = found.best
    st.markdown(
        "The grammar that made the sentences knows which word stands for which. Here are"
        f" {int(judged['pairs'])} sentences that it never saw in training:"
        f" **{100 * judged['exact']:.0f} %** of them are translated word for word by always taking"
        f" the likeliest word. For each of {found.steps:,} steps it is known which English word is"
        " the right one to look at."
    )
    if found.hits.size == 1:
        st.markdown(
            "This model has one attention: it looks most at the right word in"
            f" **{100 * found.hits[0, 0]:.0f} %** of all steps, and in"
            f" **{100 * found.crossing[0, 0]:.0f} %** of the {found.steps_crossing:,} where word"
            " order crosses (“black cat”, “chat noir”). To point at the English word in the same"
            f" place would be right in {100 * found.place:.0f} % and"
            f" {100 * found.place_crossing:.0f} %. What an encoder leaves at a word holds some of"
            " its neighbours too, so it need not look exactly there."
        )
        return
    st.markdown("Each cell says how often a head looks most at it.")
    left, right = st.columns(2, gap="medium")
    with left:
        plate.show(_plate("all", "All steps", found.hits, run))
    with right:
        plate.show(_plate("crossing", "Steps whose word crosses another", found.crossing, run))
    row, column = (
        int(i) for i in np.unravel_index(int(found.crossing.argmax()), found.crossing.shape)
    )
    also = (
        "the same head"
        if (row, column) == (layer, head)
        else f"head {column + 1} of layer {row + 1}"
    )
    st.markdown(
        f"Head {head + 1} of layer {layer + 1} follows the words best,"
        f" **{100 * found.hits[layer, head]:.0f} %** of all steps; where word order crosses"
        f" (“black cat”, “chat noir”, {found.steps_crossing:,} steps), it is {also}:"
        f" **{100 * found.crossing[row, column]:.0f} %**. To point at the English word in the"
        f" same place would be right in {100 * found.place:.0f} % and"
        f" {100 * found.place_crossing:.0f} %. A head that misses is not useless: it may read"
        " number, gender or tense. And looking is not using: a weight says where a head looks,"
        " not what the answer depends on."
    )


def _plate(id: str, title: str, values: np.ndarray, run: Run) -> Plate:
    spec = FieldSpec(
        f"hits.{id}",
        Kind.GATE,
        ("layer", "head"),
        f"{title}: share that look at the right word",
        unit="share",
    )
    axes = tuple(
        Axis(name, tuple(str(i + 1) for i in range(size)))
        for name, size in zip(spec.axes, values.shape, strict=True)
    )
    return Plate(
        f"alignment-{id}",
        "heatmap",
        (Field(spec, values.astype(np.float32), axes),),
        run.id,
        f"{PAIRS} new sentences, {run.title}",
        model=run.model,
    )
