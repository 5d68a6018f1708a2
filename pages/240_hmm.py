"""Hidden Markov models: the typed text as a trellis of hidden states, filtered, smoothed and decoded,
with the tables behind it; then how they are learned, what they write and what they need."""

import streamlit as st

from engine.lessons import curriculum
from engine.lessons.hmm.live import LIVE
from engine.live import cache, declared
from engine.models.markov import Markov
from pages.ui import closer, live, shell
from pages.ui.hmm import dice, learning, sizes, tagging, textbook

BESIDE = ("hmm", "ngram", "rnn")  # runs that foretell the same text

lesson, run = shell.enter("hmm", ("hmm",))
live.show(shell.opening(lesson, run), lambda: declared.stage(LIVE, run, "hmm"), cache.is_open(run))
closer.show(
    run,
    Markov,
    {
        "Write with dice": dice.show,
        "Learning without tags": lambda model: learning.show(),
        "How many numbers": lambda model: sizes.show(),
        "Two states by hand": lambda model: textbook.show(),
        "How good a tagger": tagging.show,
    },
    key="part",
)
beside = [one.id for one in cache.runs(None) if one.id in BESIDE]
if len(beside) == len(BESIDE):
    st.page_link(
        f"pages/{curriculum.lesson('compare').page}",
        label="On one text: hidden states, counts and a recurrent net",
        query_params={"runs": ",".join(BESIDE)},
    )
shell.sources(lesson, run)
