"""How good hidden Markov models are as taggers, what each step of making them better brings, and what
stands in the way of more."""

from __future__ import annotations

import streamlit as st

from engine.analysis.tagging import results
from engine.analysis.tagging.results import Results
from engine.live import cache
from engine.models.hmm_tagger import HiddenMarkovTagger
from engine.models.trigram_tagger import TrigramTagger
from pages.ui import ask, rows

TAGGER, MOST = "trigram_tagger", 160
TEXT = "They can fish because the fish that can swim can be cooked"


def show(model: object) -> None:
    of = results.shipped()
    best = of.best
    st.markdown(
        f"The test: {of.words:,} words of web texts that nothing was counted in (Universal Dependencies, English EWT),"
        f" 17 tags. The best hidden Markov model that is shipped tags **{100 * best.all:.1f} %** right:"
        f" **{100 * best.known:.1f} %** of the known words, **{100 * best.unknown:.1f} %**"
        f" of the {100 * (1 - of.known / of.words):.1f} % that it"
        " never saw."
    )
    rows.show(
        [
            {
                "model": one.name,
                "all words": f"{100 * one.all:.1f} %",
                "known": f"{100 * one.known:.1f} %",
                "unknown": f"{100 * one.unknown:.1f} %",
            }
            for one in of.tried
        ],
        "tried",
    )
    st.markdown(
        "**Second order**: a tag depends on the two before it (TnT, 2000). **Split states**: the 200 commonest words,"
        " four endings and capitals make states of their own, such as “DET the” or “VERB -ing”, so that what follows"
        " may depend on the word. That brings more than the second order does. Both find the best path exactly."
    )
    why(of, best.all)
    st.caption("Its commonest mistakes")
    rows.show(
        [
            {
                "right": one.right,
                "said": one.said,
                "times": one.count,
                "most often": ", ".join(one.words),
            }
            for one in of.mistakes
        ],
        "mistakes",
    )
    beside(model)


def why(of: Results, best: float) -> None:
    """What stands between the best and 95 %."""
    missing = round(0.95 * of.words) - round(best * of.words)
    learned = ", ".join(f"{100 * share:.1f} %" for share in of.rounds)
    names = sum(one.count for one in of.mistakes if {one.right, one.said} == {"NOUN", "PROPN"})
    st.markdown(
        f"**Why not 95 %?** It is {missing} words short. Of its {of.wrong:,} mistakes {of.wrong_unknown:,} are words"
        f" that it never saw, and {of.new_tag:,} are words that it saw, but never with the tag that is right here: no"
        f" path can find that one. {names} are names taken for nouns or nouns for names, where capitals are all that"
        f" it has to go by. The rest are among the {100 * of.ambiguous / of.words:.0f} % of the words that have several"
        " tags, and it knows two words before. A state can only be asked what it writes: it can't weigh the capital,"
        " the ending and the words on both sides together. A perceptron with such features gets 93.8 % here, a"
        " recurrent net that reads both ways 94.5 %."
    )
    st.markdown(
        f"It is not that people disagree: of {of.repeated:,} words that stand twice or more between the same four"
        f" neighbours in the training text, only {100 * of.disagree:.1f} % do not have the tag that they usually have"
        " there."
    )
    st.markdown(
        f"**Learning on without tags** makes it worse: from the first order's tables, rounds of Baum and Welch's"
        f" method on the same words lead to {learned}. It makes the words likelier, not the tags, as Merialdo"
        " found in 1994."
    )


def beside(model: object) -> None:
    """A sentence of one's own, tagged by both."""
    run = next((one for one in cache.runs(None) if one.id == TAGGER), None)
    if run is None or not isinstance(model, HiddenMarkovTagger):
        return
    other = cache.model(run, TrigramTagger)
    ask.begin(tagged=TEXT)
    typed = ask.text("A sentence for both", "tagged", MOST)
    one, two = (
        (trace.tokens, [names[int(s)] for s in trace.field("viterbi").values])
        for trace, names in (
            (model.trace(typed, fields=("viterbi",)), model.states),
            (other.trace(typed, fields=("viterbi",)), other.names),
        )
    )
    said = dict(zip(enumerate(one[0]), one[1], strict=True))
    found = [
        {
            "word": word,
            "first order": (tag := said.get((n, word), "")),
            "second order, split states": tag_two,
            "differs": "≠" if tag != tag_two else "",
        }
        for n, (word, tag_two) in enumerate(zip(*two, strict=True))
        if n
    ]
    if found:
        rows.show(found, "tagged")
