"""Memory ledger: which tokens wrote what the memory holds now?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="memory",
    era="Recurrence",
    title="Memory ledger",
    question="Which tokens wrote what the memory holds now?",
    model="lstm",
    also=tuple(listed()),
    example='She said "yes" and went to London.',
    tries=(
        Try(
            'He asked "why not?" and left.',
            "Unit 69 of layer 2 of the shipped LSTM: at the opening mark it drops all it held, at the next letter "
            "it does so again and writes −1. That value stays until the closing mark.",
            link="layer=1&unit=69",
        ),
        Try(
            "In 1914 (before the war) he wrote",
            "Unit 151 of layer 2 of the shipped LSTM forgets more slowly than any other in its layer: of what the "
            "year and the bracket wrote, 52 to 61 % is still there at the end.",
            link="layer=1&unit=151",
        ),
        Try(
            'He asked "why not?" and left the house without a word.',
            "Unit 267 of layer 1 of the shipped LSTM: no token wrote more than 1, yet the "
            "memory is above 51. A sum like this has no bound.",
            link="layer=0&unit=267",
        ),
    ),
    sources=(
        (
            "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 3.2 (the constant error carousel)"
        ),
        "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
        (
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, "
            "2015, sec. 4.2 (cells with a meaning)"
        ),
    ),
    differs="The notes treat gates of 0.9, 0.8, 0.7 as weights of older and older words; gates multiply, and "
    "leave 0.9, 0.72, 0.504.\n"
    "They say that tanh keeps the memory from growing; it bounds what is written at one step, not the sum over "
    "all steps.\n"
    "They ask for an input gate near 0 so that gradients survive; a forget gate near 1 is enough, as long as one "
    "follows the memory itself and ignores the paths through the gates.\n"
    "They give a lasting fact units whose forget gate is near 1, and noise units whose gate is near 0. In the "
    "shipped LSTM, over the example of this page, the mean gate of 4 of 768 units is above 0.9, and none is below "
    "0.1; most lie between.",
    minutes=10,
    before=("lstm",),
    minute=(
        Step(
            "Each row is a moment, each column an earlier character. At the opening mark "
            "unit 69 drops all it held; the next letter writes −1.",
            text='He asked "why not?" and left.',
            link="layer=1&unit=69&token=10",
            panel="ledger",
        ),
        Step(
            "Above 51. Each character adds nearly 1 and nothing is forgotten: tanh bounds "
            "what is written, not the sum.",
            text='He asked "why not?" and left the house without a word.',
            link="layer=0&unit=267",
            panel="account",
            asks="No character writes more than 1. How large is the memory of unit 267 here?",
            choices=("1 at most", "about 10", "above 50"),
            covers=("ledger",),
        ),
        Step(
            "Unit 151 forgets slowly: at the end, over half of what the year and the bracket wrote is still there.",
            text="In 1914 (before the war) he wrote",
            link="layer=1&unit=151",
            panel="fading",
        ),
    ),
    topics="""
ledger | Who wrote what is in the memory |
    rnn D5; lstm A05 A16 A23 A25; foundations N28; transformers A2; language_models P55
    How much of the cell state each token wrote, and how much of it is left.
    cell state, constant error carousel, CEC, additive update
fading | How a memory fades | rnn D5 D9; lstm A04 A05 A24
    Lines of what each token wrote, shrunk by every later forget gate.
    decay, gradual forgetting, time scale
part-how-long-its-units-remember | Half-lives of the units | rnn D5 D9; lstm A05 A24 A30 D28
    After how many tokens half of a memory is gone, unit by unit, up to a thousand tokens.
    adaptive time scales, long lags, retention
part-a-constant-forget-gate | A forget gate that never moves | lstm A24 D23 D28
    A slider: what 0.9 leaves after 10, 100 and 1,000 tokens.
    exponential decay, 0.9 0.8 0.7, half-life
""",
)
