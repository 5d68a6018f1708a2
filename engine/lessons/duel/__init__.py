"""Corpus duel: which of two texts is this sentence closer to, and what would both models write together?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="duel",
    era="Your own models",
    title="Corpus duel",
    question="Which of two texts is this sentence closer to, and what would both models write "
    "together?",
    model="ngram",
    example="She gave him a silver key, and the function returned the value.",
    tries=(
        Try(
            "He kept the map and she kept the key.",
            "Nearly every word favours the stories. Only “key” could come from either text: "
            "look at its bar.",
        ),
        Try(
            "The name of the key is a string.",
            "Here every word favours the reference, even “key”: the words before it change "
            "the evidence.",
        ),
        Try(
            "The secret word is a keyword, and the door opened.",
            "The total goes up, down and up again. At which words does it turn?",
        ),
    ),
    sources=(
        "Good, Probability and the Weighing of Evidence, 1950, ch. 6 (weight of evidence)",
        "Mosteller & Wallace, Inference and Disputed Authorship: The Federalist, 1964",
        (
            "Hinton, Products of Experts, 1999; Genest & Zidek, Combining Probability "
            "Distributions, 1986"
        ),
        (
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse "
            "Data, 1980 (mixtures)"
        ),
    ),
    differs="The notes tell texts apart by multiplying the probabilities of single words (naive "
    "Bayes). Here every word is judged given the words before it, and in logarithms, "
    "because a product of many probabilities soon underflows. A word that one side does not "
    "know is left out: the probability of “some unknown word” is not that of this word.",
    minutes=10,
    before=("scoring",),
    live=False,
    minute=(
        Step(
            "For neither, +1.8 bits: seven words of a story add up to +97, and the rest "
            "takes that back, “function” alone 45.",
            text="She gave him a silver key, and the function returned the value.",
            link="reader=a&token=36",
            panel="odds",
            asks="Half a story, half a manual. For which of the two does the sum speak?",
            choices=("stories", "manual", "neither"),
        ),
        Step(
            "No: −5.4 bits. After “silver” it spoke for the stories with +11.9. Each word "
            "is judged by the letters before it.",
            text="The name of the key is a string.",
            link="reader=a&token=18",
            panel="odds",
            asks="“key” again. Does it speak for the stories this time, too?",
            choices=("yes", "no"),
        ),
        Step(
            "The manual: “s” with 36 %, “w” with 26 %, as in “keyword”. In the stories a "
            "space, 48 %, or a full stop, 37 %, ends the word.",
            text="He kept the key",
            panel="tops",
            asks="He kept the key … Which side expects the word to go on?",
            choices=("stories", "manual", "both"),
        ),
    ),
    true_of=("counted.stories", "counted.python_docs", "characters"),
    topics="""
odds | Two texts, one model: for which side does each word speak | language_models M01
    Log odds of every word under two models of two texts.
    log odds, authorship, domain, classification by language model
together | Two models write one text | language_models M57
    A product of experts or a mixture, in the colours of the side that speaks.
    ensemble, mixture, interpolation, blend
""",
)
