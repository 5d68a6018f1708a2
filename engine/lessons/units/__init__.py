"""Unit detective: what does a single unit respond to?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="units",
    era="Recurrence",
    title="Unit detective",
    question="What does a single unit respond to?",
    model="lstm",
    also=(*listed(), "pooling", "sentiment", "tagger"),
    example="",
    tries=(),
    sources=(
        "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
        (
            "Strobelt, Gehrmann, Pfister & Rush, LSTMVis: A Tool for Visual Analysis of Hidden "
            "State Dynamics in Recurrent Neural Networks, 2018"
        ),
        "Benjamini & Hochberg, Controlling the False Discovery Rate, 1995",
        (
            "Mann & Whitney, On a Test of Whether One of Two Random Variables is Stochastically "
            "Larger than the Other, 1947 (the AUC)"
        ),
    ),
    differs="The notes say, without a measurement, what a cell holds, such as the subject of a sentence. Here every "
    "unit is tested against every hypothesis: most tell a little about many, few tell one thing well. LSTMVis uses "
    "one threshold for all units; here the threshold is a share of each unit's own values, and low values count as "
    "much as high ones.",
    minutes=10,
    before=("lstm",),
    live=False,
    minute=(
        Step(
            "They lie inside quotation marks: of all pairs of places, one inside and one "
            "outside, the unit is lower inside in 99.70 %.",
            link="reading.corpus=stories&reading.signal=cell&units.responds.about=the strongest"
            "&units.responds.layer=1&units.responds.unit=69",
            panel="units.responds.places",
            asks="In these eight places unit 69 of layer 2 is lowest. What do they share?",
            choices=("a name", "a quotation", "a full stop"),
            covers=("part-verdict", "part-hypotheses", "units.responds.split"),
        ),
        Step(
            "All 20 hypotheses are tested. Unit 151 responds most to “two brackets deep”: "
            "it is higher there in 95.0 % of all pairs.",
            link="reading.corpus=stories&reading.signal=cell&units.responds.about=the strongest"
            "&units.responds.layer=1&units.responds.unit=151",
            panel="part-hypotheses",
        ),
        Step(
            "Unit 267 of layer 1 counts characters, and that is not on the list: its best "
            "hypothesis reaches 57.7 %, and a coin 50 %.",
            link="reading.corpus=stories&reading.signal=cell&units.responds.about=the strongest"
            "&units.responds.layer=0&units.responds.unit=267",
            panel="part-hypotheses",
        ),
    ),
    true_where="units.run=lstm",
    topics="""
units.responds.hypotheses | What a unit responds to | rnn A1
    Each unit held against hypotheses about the text, with chance told apart.
    interpretability, neuron, probing, AUC
units.responds.places | The unit that knows quotations | lstm A04 | |
    run=lstm&units.responds.about=inside+quotation+marks
    The places of the text where it is lowest: all of them are inside quotation marks.
    quotation marks, quote unit, inside quotations
units.responds.places | The unit that counts open brackets | lstm A04 A16 | |
    run=lstm_brackets&units.responds.about=inside+brackets
    In a model of brackets, the places where one unit is lowest: many brackets are open there.
    brackets, parentheses, counting unit, nesting depth
units.by_example.matches | Find units by example | rnn A1
    Mark a phrase: which units are on all through it, and where else.
    LSTMVis, selection, phrase
""",
)
