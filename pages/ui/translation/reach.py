"""How far back into the source the loss of each written word reaches, with attention and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
import torch

from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models import source_gradients
from engine.models.translating import BETWEEN
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows, typed
from pages.ui.address import begin
from pages.ui.plate import Plate
from pages.ui.translation.lengths import sentences

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

MOST, TOKENS = 200, 24  # characters and tokens of each side
SENTENCE = "The small black cat ate the mouse"
COMPARED = ("seq2seq", "seq2seq_attention", "translator")
FRESH = (5, 10, 20, 30, 50)  # source tokens of the untrained
SEEDS, UNITS, WIDTH, WORDS = 10, 32, 10, 20
LEAST = 8  # sentences behind a point of the curve


@kept.data(max_entries=16)
def matrix(
    run: Run, _model: TranslatingModel[Any], english: str, french: str
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Norms (T, S), with the tokens of both sides."""
    ((source, target),) = _model.numbered([(english, french)])
    source, target = (np.append(ids[:-1][:TOKENS], ids[-1]) for ids in (source, target))
    vocab = _model.tokenizer.vocab
    targets, sources = (tuple(vocab[i] for i in ids) for ids in (target, source))
    return source_gradients.each(_model, source, target), targets, sources


@kept.data(max_entries=8, show_spinner="Following losses back…")
def by_length(run: Run, _model: TranslatingModel[Any]) -> tuple[list[int], list[float]]:
    """Words of the English, and the median share of the first of them."""
    pairs = sentences()[1]
    words = np.array([len(english.split()) for english, _ in pairs])
    share = source_gradients.shares(_model, _model.numbered(pairs))
    at = [int(n) for n in np.unique(words) if (words == n).sum() >= LEAST]
    return at, [float(np.median(share[words == n])) for n in at]


@st.cache_data(max_entries=4, show_spinner="Following losses back…")
def untrained(attention: str, both_ways: bool) -> list[float]:
    """The same of nets that have learned nothing, medians over seeds, of words drawn at random."""
    from engine.models.seq2seq import MODEL, Config, Net
    from engine.text.tokenizers.words import Words

    words = Words([f"w{i}" for i in range(WORDS)])
    config = Config(
        attention=attention, both_ways=both_ways, units=UNITS, width=WIDTH, context=80, span=64
    )
    found = []
    for length in FRESH:
        each = []
        for seed in range(SEEDS):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                net = Net(len(words.vocab), config)
            drawn = np.random.default_rng((seed, length)).integers(3, WORDS, (2, length))
            source, target = (np.append(ids, words.boundary) for ids in drawn)
            each.append(source_gradients.shares(MODEL(config, words, net), [(source, target)])[0])
        found.append(float(np.median(each)))
    return found


def show(run: Run, model: TranslatingModel[Any]) -> None:
    answer = BETWEEN.split(typed.text(), maxsplit=1)
    begin(read_text=answer[0][:MOST] or SENTENCE)
    english = ask.text("The sentence", "read_text", MOST, live="150ms")
    guess = model.translations([english])[0]
    french = ask.text("Its translation", "right_text", MOST, hint=guess, live="150ms")
    french = french.strip() or guess
    if not english.strip() or not french:
        st.info("Type a sentence to translate.")
        return
    others = [
        other for other in cache.runs_of("seq2seq", "encoder_decoder") if other.id in COMPARED
    ]
    shown = [run, *(o for o in others if o.id != run.id)][:3] if run.id in COMPARED else [run]
    st.markdown(
        "Each written word has a loss, and each source word an embedding. How much the one would"
        " change with the other says whether the word can still be heard at that step. Without"
        " attention every such path runs through the decoder's first state; with it each step has"
        " a path of its own."
    )
    st.latex(r"g_{ti} = \left\lVert \frac{\partial\, \text{loss}_t}{\partial x_i} \right\rVert")
    from engine.models.translating import TranslatingModel

    firsts = []
    for other in shown:
        g_TS, targets, sources = matrix(
            other, cache.model(other, TranslatingModel), english, french
        )
        row_T1 = g_TS.sum(1, keepdims=True)
        share_TS = g_TS / np.maximum(row_T1, 1e-30)
        field = Field.of(
            "reach",
            Kind.GATE,
            {"token": targets, "source": sources},
            share_TS,
            f"Share of each written word's gradient, {other.title}",
            unit="share",
        )
        of = f"{escape(english)} → {escape(french)}"
        plate.show(Plate(f"reach-{other.id}", "heatmap", (field,), other.id, of, model=other.model))
        for t, token in enumerate(targets):
            firsts.append(
                {
                    "model": other.title,
                    "written word": token,
                    "all source words": number(float(row_T1[t, 0])),
                    "the first one": number(float(g_TS[t, 0])),
                    "its share": f"{100 * share_TS[t, 0]:.1f} %",
                }
            )
    st.markdown(
        "**The first source word**, in nats per unit of its embedding. A word that is certain has"
        " hardly a loss, and hardly a gradient; the pictures therefore show shares of a column."
    )
    rows.show(firsts, "reach.first", tallest=350)
    _curves(run, others)


def _curves(run: Run, others: list[Run]) -> None:
    """By length: trained ones on new sentences, untrained ones on much longer ones."""
    from engine.models.translating import TranslatingModel

    learned = {o.title: by_length(o, cache.model(o, TranslatingModel)) for o in others}
    fresh = [
        ("without attention, reads forwards", untrained("none", False)),
        ("without attention, reads both ways", untrained("none", True)),
        ("additive attention, reads forwards", untrained("additive", False)),
    ]
    st.markdown(
        "**By length.** The gradient of the first source word over that of the last, the losses of"
        " all written words together, in the median. An untrained net without attention that reads"
        f" forwards has a ratio of {number(fresh[0][1][0])} after {FRESH[0]} words and"
        f" **{number(fresh[0][1][-1])}** after {FRESH[-1]}, so a training has nothing to begin with;"
        f" with attention it has {number(fresh[2][1][-1])}. To read both ways brings the first word"
        " near the end again, as in all the trained ones here. What one vector still costs them shows"
        " in *How long a sentence it can take*."
    )
    plate.show(
        plate.lines(
            "reach-untrained",
            "First over last source word, untrained",
            [(name, FRESH, values) for name, values in fresh],
            run.id,
            f"{SEEDS} nets of {UNITS} units each, words drawn at random",
            x="source words",
            y="ratio of the gradients",
            log_y=True,
        )
    )
    if learned:
        plate.show(
            plate.lines(
                "reach-trained",
                "First over last source word, trained",
                [(name, at, values) for name, (at, values) in learned.items()],
                run.id,
                "1,500 new sentences",
                x="English words",
                whole=True,
                y="ratio of the gradients",
            )
        )
