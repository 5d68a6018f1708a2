"""Learning from the prompt: a passage read again and again, a few-shot prompt, and what people's
preference adds."""

from __future__ import annotations

from functools import partial

import streamlit as st

from engine.analysis import scale
from engine.core.cell_card import listed
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from pages.ui import fold, plate
from pages.ui.scale import dialogue

READERS = ("transformer", "lstm", "ngram")
PASSAGE = "one two three four five six seven"
TASK = "Classify the following texts as positive or negative:"
SHOTS = (
    ("I love it", "positive"),
    ("It broke on the first day", "negative"),
    ("A joy from start to end", "positive"),
)


def show(run: Run) -> None:
    passage = st.text_input(
        "A passage, to be read several times in a row", PASSAGE, key="passage", max_chars=300
    )
    again = st.slider("Times", 2, 6, 3, key="times", bind="query-params")
    repeated(run, passage, again)
    with st.container(key="dialogue"):
        fold.show("A dialogue in a window: what falls out", partial(dialogue.show, run), "dialogue")
    with (
        st.container(key="few_shot"),
        st.expander("A few-shot prompt: the task told by examples, nothing trained"),
    ):
        prompt()
    with (
        st.container(key="preference"),
        st.expander("After pre-training: learning which answer people prefer"),
    ):
        preference()


def repeated(run: Run, passage: str, times: int) -> None:
    if not passage.strip():
        st.info("Type a passage.")
        return
    every = cache.runs_of("transformer", *listed(), "ngram")
    others = {found.id: found for found in every if found.id != run.id}
    first = [id for id in READERS if id in others]
    beside = st.multiselect("Beside it", list(others), first, key="prompt_beside")
    shown = [run, *(others[id] for id in beside if id in others)]
    series = []
    for one in shown:
        try:
            found = scale.repeated(cache.model(one), passage, times)
        except ValueError as problem:
            st.caption(f"{escape(one.title)}: {problem}.")
            continue
        if found[0]:
            drop = [value / found[0] * 100 for value in found]
            series.append((one.title, range(1, len(drop) + 1), drop))
    if not series:
        return
    drawn = plate.lines(
        "repeated",
        "Surprise at the same passage, the first time = 100",
        series,
        run.id,
        "Same weights throughout: any fall comes from the text before",
        x="reading of the passage",
        y="bits per token, first time = 100",
        of_series="",
        whole=True,
        every=True,
        text=passage,
        model=run.model,
    )
    plate.show(drawn)
    st.markdown(
        "No weight changes here. Where a curve falls, the model uses what it has just read:"
        " **in-context learning**. Attention can look up what followed the same words the last"
        " time; a recurrent net would have to hold the passage in its state; a counting model"
        " sees a few words only. Large models learn whole tasks this way."
    )


def prompt() -> None:
    shots = st.slider("Examples", 0, len(SHOTS), 1, key="shots", bind="query-params")
    question = st.text_input("Text to classify", "Great!", key="question", max_chars=200)
    st.code(scale.prompt(TASK, list(SHOTS[:shots]), question), language=None)
    st.caption(
        "A large model would continue this prompt. The models shipped here are far too small to"
        " answer it, so no answer is shown."
    )


def preference() -> None:
    left, right = st.columns(2)
    chosen = left.slider("Reward of the preferred answer", -5.0, 5.0, 1.0, 0.1, key="chosen")
    rejected = right.slider("Reward of the rejected answer", -5.0, 5.0, 0.0, 0.1, key="rejected")
    loss, p = scale.preference(chosen, rejected)
    st.latex(
        rf"-\log\sigma(r_{{chosen}} - r_{{rejected}}) = -\log\sigma({chosen - rejected:.1f}) ="
        rf" {loss:.3f}\ \text{{nats}}, \qquad P(\text{{chosen}}) = {100 * p:.1f}\,\%"
    )
    st.markdown(
        "1. *Pre-training*: predict the next token of much text. 2. *Supervised fine-tuning* on"
        " good answers. 3. A *reward model* learns from pairs of answers which one people"
        " prefer, with the loss above. 4. The model is trained for high reward, but kept close"
        " to its earlier self (PPO with a KL term). DPO needs no reward model and uses $r ="
        " \\beta \\log \\pi(y|x) / \\pi_{ref}(y|x)$ in the same loss."
    )
