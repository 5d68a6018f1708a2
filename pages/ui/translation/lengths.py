"""How many new sentences come out right, by their length: every translator that learned from the
same sentences, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.live import cache
from engine.runs.store import Run, digest
from engine.text.corpora.phrases import CORPUS as PHRASES
from pages.ui import plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

SENTENCES, SEED = 1500, 2
# words of the English
BINS = ((3, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (11, 11), (12, 99))
MODELS = ("encoder_decoder", "seq2seq")
MOST = 6  # runs in one picture
SPEC = FieldSpec(
    "right",
    Kind.STATE,
    ("method", "source"),
    "New sentences that are translated word for word, by the number of English words",
    unit="share of the sentences",
)


def label(least: int, most: int) -> str:
    return (
        str(least) if least == most else f"{least} or more" if most == 99 else f"{least} to {most}"
    )


def grouped(lengths: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share that is right in each of BINS (nan without a sentence), and how many sentences there
    are."""
    inside = [(lengths >= least) & (lengths <= most) for least, most in BINS]
    return np.array([right[some].mean() if some.any() else np.nan for some in inside]), np.array(
        [some.sum() for some in inside]
    )


@st.cache_data(max_entries=1, show_spinner="Writing new sentences…")
def sentences() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The digest of what was learned from, and pairs that do not stand there."""
    known = {pair.english for pair in PHRASES.pairs}
    new = [pair for pair in PHRASES.generate(2 * SENTENCES, SEED) if pair.english not in known]
    return digest(PHRASES.text()), tuple((pair.english, pair.french) for pair in new[:SENTENCES])


@st.cache_data(max_entries=12, show_spinner="Translating new sentences…")
def translated(
    recipe: str, _model: TranslatingModel[Any], pairs: tuple[tuple[str, str], ...]
) -> np.ndarray:
    numbered = _model.numbered(pairs)
    return np.concatenate(
        [_model.right(numbered[i : i + 256]) for i in range(0, len(numbered), 256)]
    )


def show(run: Run) -> None:
    learned, pairs = sentences()
    runs = [
        other
        for other in cache.runs_of(*MODELS)
        if other.step is None and other.note["corpus"].get("digest") == learned
    ][:MOST]
    if not runs:
        st.info(
            "New sentences with a known answer come from the grammar behind the built-in text"
            " *English and French*; no translator here learned from it."
        )
        return
    from engine.models.translating import TranslatingModel

    lengths = np.array([len(english.split()) for english, _ in pairs])
    found = [
        grouped(
            lengths,
            translated(str(one.note.get("recipe")), cache.model(one, TranslatingModel), pairs),
        )
        for one in runs
    ]
    counts = found[0][1]
    axes = (
        Axis("method", tuple(one.id for one in runs)),
        Axis("source", tuple(label(*some) for some in BINS)),
    )
    field = Field(SPEC, np.stack([share for share, _ in found]).astype(np.float32), axes)
    st.markdown(
        f"These are {len(pairs):,} sentences that no model saw in training, {counts.min()} to"
        f" {counts.max()} of each length. Without attention, the whole English sentence has to"
        " fit into the decoder's initial state, the same few hundred numbers for four words as"
        " for twelve. With attention, every step can look at the English again."
    )
    plate.show(
        Plate(
            "lengths",
            "lines",
            (field,),
            run.id,
            f"{len(pairs):,} new sentences, always the likeliest word",
            model=run.model,
        )
    )
    rows = [
        {
            "model": one.id,
            "": one.title,
            "parameters": f"{_size(cache.model(one, TranslatingModel)):,}",
            "all": _share(share, count),
            "up to 6 words": _share(share[:2], count[:2]),
            "11 words or more": _share(share[-2:], count[-2:]),
        }
        for one, (share, count) in zip(runs, found, strict=True)
    ]
    st.dataframe(rows, hide_index=True, key="lengths.table")


def _share(share: np.ndarray, count: np.ndarray) -> str:
    kept = count > 0
    return (
        f"{100 * (share[kept] * count[kept]).sum() / count[kept].sum():.1f} %"
        if kept.any()
        else "–"
    )


def _size(model: TranslatingModel[Any]) -> int:
    return sum(p.numel() for p in model.net.parameters())
