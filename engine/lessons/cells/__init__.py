"""Compare cells: which cell remembers longest, and what does it cost?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(part: str, cells: tuple[str, ...], task: str, more: str) -> str:
    """What a step of the first minute chooses, as its address says it."""
    same = ("noise=none", "match=parameters", "size=40", "distance=20", "steps=600", "seed=0")
    kept = [f"cells.cells={cell}" for cell in cells]
    kept += [f"cells.contest.{one}" for one in (f"task={task}", *same, *more.split("&"))]
    return f"&cells.part={part}&" + "&".join(kept)


CONTEST, FOUR = "Which remembers longest?", ("rnn", "lstm", "gru", "dual_memory")
OLD = ("rnn", "lstm", "gru", "lstm1997")

LESSON = Lesson(
    id="cells",
    era="Recurrence",
    title="Compare cells",
    question="Which cell remembers longest, and what does it cost?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent is Difficult, 1994"
        ),
        ("Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 5 (tasks with a known lag)"),
        (
            "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network "
            "Architectures, 2015 (the forget bias decides)"
        ),
        "Greff et al., LSTM: A Search Space Odyssey, 2017",
        (
            "Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn "
            "Syntax-Sensitive Dependencies, 2016 (agreement)"
        ),
    ),
    differs="The notes say, without measurements, that an LSTM remembers hundreds of steps and resists noise, and "
    "that a GRU is 30 % faster. With torch's initial values an LSTM's gradient vanishes too; the forget bias "
    "decides. Resistance to noise is learned: cells trained without distractors are tested with them.\n"
    "How far memory reaches differs within them: a plain net 5 to 10 steps, or 8 to 10; an LSTM hundreds of "
    "steps, or thousands, or it may fail at hundreds. Here each distance is measured.\n"
    "Their parameter counts are for one bias; torch's cells have two. Their stack of 512, 256 and 128 units is "
    "three modules there, since one `nn.LSTM` has a single size.\n"
    "They say that a GRU joins the input and forget gates; it also has a reset gate, and no memory apart from its "
    "state.\n"
    "Their update gate is the share that is new, that of torch the share that is kept: a sign in the weights. "
    "That torch resets after the product is more than a sign; both are here, as GRU and GRU as in torch.\n"
    "They say that layer normalisation comes before the recurrent product; in their own formula, as here, it comes "
    "after.",
    minutes=15,
    before=("lstm",),
    subtitle="which remembers longest",
    live=False,
    minute=(
        Step(
            "The GRU: 99.2 % right. The LSTM has 85.5 %, the RNN 33.6 %, and a guess is right 25 % of the time.",
            link=chosen(CONTEST, FOUR, "copy", "far=short and long&forget=1"),
            panel="cells.contest.clean",
            asks="Four letters, a pause, then all four again. Which cell does it best?",
            choices=("RNN", "LSTM", "GRU"),
            covers=("cells.contest.disturbed", "part-results"),
        ),
        Step(
            "Trained on long distances alone, the RNN and the LSTM only guess: 25.2 % "
            "right. The GRU and the LSTM of 1997 find the link.",
            link=chosen(CONTEST, OLD, "lag", "far=long only&forget=1"),
            panel="part-results",
        ),
        Step(
            "Yes: 100.0 % instead of 25.2 %. Only the forget bias has changed, from 1 to 3, "
            "and the gradient now reaches back to the letter.",
            link=chosen(CONTEST, OLD, "lag", "far=long only&forget=3"),
            panel="part-results",
            asks="The LSTM again, with a forget bias of 3 at the start. Does it learn it now?",
            choices=("yes", "no"),
            covers=("cells.contest.clean", "cells.contest.disturbed"),
        ),
        Step(
            "Each cell is made of equal blocks: a GRU has three of them, an LSTM four. So "
            "274,176 parameters stand against 365,568.",
            link="&cells.part=What does it cost?&cells.cells=rnn&cells.cells=lstm&cells.cells=gru"
            "&cells.cells=dual_memory&cells.costs.d=100&cells.costs.h=256",
            panel="cells.costs.parameters",
        ),
    ),
    links=(("compare", "One text through all cells", "runs=rnn,lstm_small,gru,dual_memory"),),
    topics="""
cells.contest.clean | Which cell remembers furthest | rnn H11; lstm A27; foundations N59 S08
    Ten cells trained alike on tasks whose answer lies a known distance back.
    benchmark, RNN against LSTM, copy task, lag, long-term dependencies
cells.contest.disturbed | Distractors between a question and its answer | lstm A28
    The same task with noise in between: which cell still answers.
    noise, robustness, distraction
part-what-does-it-cost | What a cell costs | rnn D10 D11; lstm A26
    Parameters of each cell by formula.
    parameter count, LSTM against GRU, speed, number of weights
part-gradient-of-an-untrained-cell | Vanishing and exploding gradients |
    rnn B3 B5 D5 D13; lstm B04 B50 A02; foundations S17
    How much gradient reaches back over many steps, for each cell before training.
    vanishing gradient, exploding gradient, forget bias, gradient flow, BPTT,
    backpropagation through time, initialisation
part-lstm-or-gru | LSTM or GRU? A choice by measured numbers | rnn D12
    Both cells in every training of the contest at your distance, with their costs.
    LSTM vs GRU, which cell, when to use a GRU, selection guide
part-the-dual-memory | The dual memory, as it is described | foundations N60 N62 N63 N66 N67
    What is claimed for two time scales, and what its equations say.
    STLM, time scales, two notebooks
""",
)
