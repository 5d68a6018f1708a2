"""Which source words a translation has looked at, how often, and what a coverage penalty makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
import torch

from engine.analysis import coverage
from engine.core.tap import Recorder
from engine.core.trace import Field, FieldSpec, Kind
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows
from pages.ui.plate import Plate
from pages.ui.translation.stopping import LONGEST, TOKENS, sentence

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

BETA = 0.2  # Wu et al.
MEAN = "mean of all heads"


@kept.data(max_entries=16)
def looks(
    run: Run, _model: TranslatingModel[Any], text: str
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Weights (layer, head, T, S) of the steps that write the likeliest translation and its end, the
    source and what each step writes."""
    source = _model.source(text).ids
    source = np.append(source[:-1][:TOKENS], source[-1])
    ids = _model.translated(torch.from_numpy(source)[None], LONGEST)[0]
    vocab, recorder = _model.tokenizer.vocab, Recorder((), {"cross.attention"})
    (spec,) = (
        spec
        for spec in _model.spec()
        if isinstance(spec, FieldSpec) and spec.name == "cross.attention"
    )
    with torch.inference_mode():
        read = _model.halves.read(torch.from_numpy(source)[None], recorder)
        _model.halves.write(torch.tensor([[_model.start, *ids[:-1]]]), read, recorder)
    named = [tuple(vocab[i] for i in part) for part in (source, ids)]
    return recorder.values(spec), named[0], named[1]


def show(run: Run, model: TranslatingModel[Any]) -> None:
    if "cross.attention" not in {spec.name for spec in model.spec()}:
        st.info("This model has no attention, so no word is looked at. Choose another one above.")
        return
    text = sentence(run)
    if not text.strip():
        st.info("Type a sentence to translate.")
        return
    look_LHTS, source, written = looks(run, model, text)
    layers, heads = look_LHTS.shape[:2]
    each = {
        f"layer {i + 1}, head {j + 1}": look_LHTS[i, j] for i in range(layers) for j in range(heads)
    }
    ways = {MEAN: look_LHTS.mean((0, 1)), **each} if len(each) > 1 else each
    look_TS = (
        ways[ask.pick("Attention", [*ways], "covered_by")] if len(ways) > 1 else each.popitem()[1]
    )
    sum_S = coverage.sums(look_TS)
    st.markdown(
        "Each step spreads a weight of 1 over the source. Added up over the steps, the weights of a"
        " word are its **coverage**: near 0 where nothing looked at it, which may be a word left"
        " out, and well above 1 where several steps did, which may be a word said twice, or one that"
        " needs several words."
    )
    field = Field.of(
        "coverage",
        Kind.GATE,
        {"token": written, "source": source},
        look_TS,
        "Weight of each source word at the step that writes each word",
        unit="share",
    )
    of = f"{escape(text)} → {escape(model.tokenizer.decode(_ids(model, written)).strip())}"
    plate.show(Plate("coverage", "heatmap", (field,), run.id, of, model=run.model))
    steps = look_TS.argmax(1)
    rows.show(
        [
            {
                "source word": word,
                "coverage": f"{sum_S[s]:.3f}",
                "steps that look most at it": " ".join(
                    written[t] for t in np.flatnonzero(steps == s)
                ),
                "looked at": _verdict(float(sum_S[s])),
                "ln min(c, 1)": number(float(np.log(np.clip(sum_S[s], coverage.LEAST, 1))) + 0.0),
            }
            for s, word in enumerate(source)
        ],
        "coverage.table",
        tallest=420,
    )
    beta = ask.slider("Weight of the penalty β", "beta", 0.0, 1.0, BETA, 0.1)
    whole, again_T = coverage.penalty(look_TS), coverage.again(look_TS)
    st.latex(
        rf"cp = \beta \sum_s \ln \min\Big(\sum_t a_{{ts}},\, 1\Big) = {beta:.1f} \cdot"
        rf" ({whole:.4f}) = {beta * whole:.4f}"
    )
    st.markdown(
        "A beam search adds it to the score of a text, so that one that leaves words out falls"
        f" behind. In training the opposite can be charged, what is looked at *again*: the sum over"
        f" the source of min(weight, coverage so far), here **{again_T.sum():.3f}** over"
        f" {len(again_T)} steps, most where “{escape(written[int(again_T.argmax())])}” is written"
        f" ({again_T.max():.3f}). None of the models here was trained with it."
    )


def _verdict(covered: float) -> str:
    if covered < 0.5:
        return "hardly looked at"
    return "more than once" if covered > 1.5 else "about once"


def _ids(model: TranslatingModel[Any], written: tuple[str, ...]) -> list[int]:
    place = {word: i for i, word in enumerate(model.tokenizer.vocab)}
    end = model.tokenizer.boundary
    return [place[word] for word in written if place[word] != end]
