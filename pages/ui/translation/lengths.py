"""How many new sentences come out right, by their length: every translator that learned from the
same sentences, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.live import cache
from engine.runs.store import Run, digest
from engine.text.corpora.phrases import CORPUS as PHRASES
from pages.ui import kept, plate, rows

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

SENTENCES, SEED = 1500, 2
# words of the English
BINS = ((3, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (11, 11), (12, 99))
MODELS = ("encoder_decoder", "seq2seq")
MOST = 6  # runs in one picture


def label(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"{least} or more" if most == 99 else f"{least} to {most}"


def grouped(lengths: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share that is right in each of BINS (nan without a sentence), and how many sentences there
    are."""
    inside = [(lengths >= least) & (lengths <= most) for least, most in BINS]
    share = [right[some].mean() if some.any() else np.nan for some in inside]
    return np.array(share), np.array([some.sum() for some in inside])


@st.cache_data(max_entries=1, show_spinner="Writing new sentences…")
def sentences() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The digest of what was learned from, and pairs that do not stand there."""
    return digest(PHRASES.text()), tuple(PHRASES.unseen(SENTENCES, SEED))


@kept.data(max_entries=12, show_spinner="Translating new sentences…")
def translated(
    run: Run, _model: TranslatingModel[Any], pairs: tuple[tuple[str, str], ...]
) -> np.ndarray:
    numbered = _model.numbered(pairs)
    batches = [numbered[i : i + 256] for i in range(0, len(numbered), 256)]
    return np.concatenate([_model.right(batch) for batch in batches])


def show(run: Run) -> None:
    learned, pairs = sentences()
    runs = [
        other
        for other in cache.runs_of(*MODELS)
        if other.step is None
        and other.note["corpus"].get("digest") == learned
        # those of other pages are many and alike
        and (other.id == run.id or not other.id.startswith(("score_", "scope_")))
    ][:MOST]
    if not runs:
        st.info(
            "New sentences with a known answer come from the grammar behind the built-in text"
            " *English and French*; no translator here learned from it."
        )
        return
    from engine.models.translating import TranslatingModel

    lengths = np.array([len(english.split()) for english, _ in pairs])
    models = [cache.model(one, TranslatingModel) for one in runs]
    rights = [translated(*of, pairs) for of in zip(runs, models, strict=True)]
    found = [grouped(lengths, right) for right in rights]
    counts = found[0][1]
    st.markdown(
        f"These are {len(pairs):,} sentences that no model saw in training, {counts.min()} to"
        f" {counts.max()} of each length. Without attention, the whole English sentence has to"
        " fit into the decoder's initial state, the same few hundred numbers for four words as"
        " for twelve. With attention, every step can look at the English again."
    )
    plate.show(
        plate.lines(
            "lengths",
            "New sentences that are translated word for word, by the number of English words",
            [
                (one.title, [least if most == 99 else most for least, most in BINS], share)
                for one, (share, _) in zip(runs, found, strict=True)
            ],
            run.id,
            f"{len(pairs):,} new sentences, always the likeliest word; at {BINS[0][1]} those of"
            f" {label(*BINS[0])} words, at {BINS[-1][0]} those of {label(*BINS[-1])}",
            x="English words",
            y="share right",
            whole=True,
            low=0,
            high=1,
            tight=True,
            model=run.model,
        )
    )
    table = [
        {
            "model": one.title,
            "parameters": f"{sum(p.numel() for p in model.net.parameters()):,}",
            "all": _share(share, count),
            "up to 6 words": _share(share[:2], count[:2]),
            "11 words or more": _share(share[-2:], count[-2:]),
        }
        for one, model, (share, count) in zip(runs, models, found, strict=True)
    ]
    rows.show(table, "lengths.table")


def _share(share: np.ndarray, count: np.ndarray) -> str:
    if not count.any():
        return "–"
    return f"{100 * np.nansum(share * count) / count.sum():.1f} %"
