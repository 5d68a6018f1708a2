"""Which head follows the words, and how often a new sentence comes out right: measured where the
right answer is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.heads import alignment
from engine.analysis.heads.alignment import Alignment
from engine.core.trace import Field, Kind
from engine.runs.store import Run
from engine.text.corpora.phrases import CORPUS as PHRASES
from pages.ui import kept, plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

PAIRS, SEED = 150, 1  # seed 0 is what the shipped model learned from


@kept.data(max_entries=4, show_spinner="Translating new sentences…")
def measured(run: Run, _model: TranslatingModel[Any]) -> tuple[Alignment, dict[str, float]]:
    """Alignment and exactness on sentences that the shipped model never saw."""
    known = {pair.english for pair in PHRASES.pairs}
    new = [pair for pair in PHRASES.generate(2 * PAIRS, SEED) if pair.english not in known][:PAIRS]
    lines = [f"{pair.english}\t{pair.french}" for pair in new]
    return alignment.measure(_model, new), _model.judge(lines)


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
    found, judged = measured(run, model)
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
    plate.row(
        _plate("all", "All steps", found.hits, run),
        _plate("crossing", "Steps whose word crosses another", found.crossing, run),
    )
    row, column = divmod(int(found.crossing.argmax()), found.crossing.shape[1])
    same = (row, column) == (layer, head)
    also = "the same head" if same else f"head {column + 1} of layer {row + 1}"
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
    layers, heads = values.shape
    axes = {"layer": range(1, layers + 1), "head": range(1, heads + 1)}
    says = f"{title}: share that look at the right word"
    field = Field.of(f"hits.{id}", Kind.GATE, axes, values, says, unit="share")
    of = f"{PAIRS} new sentences, {run.title}"
    return Plate(f"alignment-{id}", "heatmap", (field,), run.id, of, model=run.model)
