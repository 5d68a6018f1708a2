"""How good the shown encoder is, and what no encoder of this kind can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.bert import Bert

OF_SCENES = (
    " This one was trained on 40,000 passages about sixteen scenes. It is tested on passages of"
    " the same scenes, 6 % of which it has seen word for word. It knows next to nothing about"
    " other text."
)


def show(run: Run, model: Bert) -> None:
    held_out = run.note.get("held_out", {})
    if "accuracy" in held_out:
        st.markdown(
            "**The model shown.** In passages held out from its training, 15 % of the words"
            f" were masked. Of {int(held_out['masked_words']):,} it ranks the right one first in"
            f" **{100 * held_out['accuracy']:.1f} %**; always choosing the commonest word would"
            f" get {100 * held_out['commonest_word']:.0f} %."
            + (
                f" Of {int(held_out['pairs']):,} pairs of sentences it is right about"
                f" **{100 * held_out['pair_accuracy']:.1f} %**; guessing gets 50 %."
                if "pair_accuracy" in held_out
                else ""
            )
        )
    context = model.config.context
    st.markdown(
        f"- **Length.** It takes {context:,} tokens at most, for it has a learned vector for each"
        " place and none beyond the last (BERT: 512). The rest of a longer text is not read.\n-"
        " **It does not write.** It guesses what stands at a mask when the words on both sides are"
        " there. A text has no right side before it is written, so there is no next-word"
        " probability here.\n- **Several masks are guessed apart.** Each mask gets its own list,"
        " as if the other were not to be filled: the best word of each need not fit together.\n-"
        " **Masks only in training.** A text in use holds no [MASK]; the 10 % of words left as"
        " they are soften that, they do not remove it.\n- **What it knows stands still**, and is"
        " what its text said."
        + (OF_SCENES if run.id == "bert" else "")
        + "\n- **Pairs were too easy.** A second sentence from elsewhere is mostly about something"
        " else, so the topic gives it away. RoBERTa left the task out and lost nothing."
    )
