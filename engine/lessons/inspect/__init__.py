"""Inspect: what does this model compute for this text, number by number?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="inspect",
    era="Your own models",
    title="Inspect",
    question="What does this model compute for this text, number by number?",
    model="",
    example="The old man looked at the sea, and the",
    tries=(
        Try(
            "The keys to the cabinet",
            "Which number shows that the subject is plural? Look for a unit or a head that keeps track of “keys”.",
        ),
        Try(
            "She was born in 1902 and",
            "Each number and each name is rare. Watch what the model expects after one.",
        ),
        Try(
            "The cat sat. The cat sat. The cat",
            "The text repeats itself. Compare the numbers at the second “cat” with those at the first.",
        ),
    ),
    sources=(
        (
            "Strobelt et al., LSTMVis: A Tool for Visual Analysis of Hidden State Dynamics, "
            "2018 (states, unit by unit)"
        ),
        "Vig, A Multiscale Visualization of Attention in the Transformer Model, 2019",
        (
            "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation "
            "Analysis, 2020 (changing a number and measuring the effect)"
        ),
    ),
    differs="The notes show the few numbers that a formula names. This page shows every number that a model "
    "exposes, under its name in the code, as 32-bit floats; only the labels beside a picture are rounded. An edit "
    "replaces a number while the model runs, and everything that depends on it is computed again.",
    minutes=10,
    before=("runs", "surgery"),
    live=False,
    minute=(
        Step(
            "One square per head. The marked one, head 6 of layer 2, looks back by one "
            "token: at the gap, 99.9 % of its weight is on “19th”.",
            text="It was built in the 19th [MASK].",
            link="layer=1&head=5&token=7&shows=attention,fill",
            panel="field:attention",
        ),
        Step(
            "3.3 % instead of 95 %: “area” and “period” come close. One head of 48 told BERT what stands before "
            "the gap.",
            text="It was built in the 19th [MASK].",
            link="layer=1&head=5&token=7&shows=attention,fill&edits=attention:1:5:*:*:set:0",
            panel="field:fill",
            asks="That head is now switched off. “century” had 95 %, and now?",
            choices=("95 %", "49 %", "3.3 %"),
            covers=("tamper",),
        ),
        Step(
            "No: “time”, with 5.1 %, and “century” is not among the first ten. BERT sees which words there are, but no "
            "longer where.",
            text="It was built in the 19th [MASK].",
            link="token=7&shows=embedding.position,fill&edits=embedding.position:set:0",
            panel="field:fill",
            asks="All positions are set to 0. Does BERT still put “century” in the gap?",
            choices=("yes", "no"),
            covers=("tamper",),
        ),
    ),
    true_of=("bert",),
    topics="""
numbers | Every number that a model computes | | transformers M6
    Any field of any run over your text, drawn by its axes, with its name and its shape.
    inference outputs, tensor shapes, hidden states, logits, probing
tamper | Change a number, and see what follows | transformers D5 | transformers M6
    One number is set, scaled or held while the model runs; all behind it is computed anew.
    intervention, causal mediation, edit, ablation, attention edit
""",
)
