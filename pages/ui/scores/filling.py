"""A sentence that shares a batch with a longer one: the weight of its filling, with a mask and without."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from engine.analysis import filled as filling
from engine.analysis.filled import MASKED, OPEN, UNMASKED
from engine.core.registry import scores
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models.seq2seq import Seq2seq
from engine.runs.store import Run
from pages.ui import ask, fold, kept, plate, rows

TEXT, MOST, TOKENS, PLACES = "The black cat ate", 120, 24, 8
WAYS = {
    MASKED: "masked in both",
    OPEN: "encoder stops, scores unmasked",
    UNMASKED: "masked nowhere",
}


@kept.data(max_entries=64)
def written(
    run: Run, text: str, places: int, way: str
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, str]:
    """Source and written tokens, weights (T, S + places), and the text."""
    model = cache.model(run, Seq2seq)
    source = model.source(text).ids
    source = np.append(source[:-1][:TOKENS], source[-1])
    ids, look_TS = filling.written(model, source, places, way)
    vocab, end = model.tokenizer.vocab, model.tokenizer.boundary
    names = (*(vocab[i] for i in source), *(f"filling {n + 1}" for n in range(places)))
    said = model.tokenizer.decode([i for i in ids if i != end]).strip()
    return names, tuple(vocab[i] for i in ids), look_TS, said


def show(found: Mapping[str, Run]) -> None:
    fold.show(
        "A shorter sentence in a batch: its filling and the mask", lambda: draw(found), "filling"
    )


def draw(found: Mapping[str, Run]) -> None:
    st.markdown(
        "In a batch all sentences have one length, so a shorter one is filled up, here with end marks."
        " Two places need a mask: the encoder must stop at the end of the sentence, and the scores of the"
        " filling must be minus infinity before the softmax."
    )
    ask.begin(filling_text=TEXT)
    text = ask.text("English to translate", "filling_text", MOST, live="150ms")
    line = ask.line()
    named = {kind: scores.get(kind).called for kind in found}
    first = "additive" if "additive" in named else next(iter(named))
    kind = ask.pick("Score", named, "filling_score", first, line, width=160)
    places = ask.slider("Places of filling", "filling_places", 0, PLACES, 2, 1, line, width=200)
    way = ask.pick("Mask", WAYS, "filling_way", UNMASKED, line, width=380)
    if not text.strip():
        st.info("Type a sentence to translate.")
        return
    run = found[kind]
    source, wrote, look_TS, _ = written(run, text, places, way)
    field = Field.of(
        "filling",
        Kind.ATTENTION,
        {"token": wrote, "source": source},
        look_TS,
        "Where each step looks, with the filling",
        "α",
    )
    plate.show(
        plate.Plate(
            "filling", "heatmap", (field,), run.id, WAYS[way], text, model=run.model, fluid=True
        )
    )
    alone = written(run, text, 0, MASKED)[3]
    rows.show(
        [
            {
                "which mask": says,
                "weight on the filling": f"{100 * share(part[2], places).mean():.1f} %",
                "most at one step": f"{100 * share(part[2], places).max():.1f} %",
                "what it writes": part[3],
                "as if alone": "yes" if part[3] == alone else "no",
            }
            for each, says in WAYS.items()
            for part in (written(run, text, places, each),)
        ],
        "filling.ways",
    )
    st.caption(
        f"Alone it is translated “{escape(alone)}”. These translators were trained with both masks; what one"
        " that learned without them would give the filling, they don't tell."
    )


def share(look_TS: np.ndarray, places: int) -> np.ndarray:
    """(T,)."""
    found: np.ndarray = look_TS[:, look_TS.shape[1] - places :].sum(1)
    return found
