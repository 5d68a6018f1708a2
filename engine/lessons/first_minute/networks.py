"""First minutes of the pages on networks that read no text yet; their links hold what is chosen."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

ONE = "n_x1=1.0&n_x2=1.0"

NETWORKS: Mapping[str, tuple[Step, ...]] = {
    "neuron": (
        Step(
            "AND: only the corner where both inputs are 1 lies beyond the line, and its output is"
            " 0.9933. Drag the line, the arrow w, the input.",
            link=f"n_f=sigmoid&n_w1=10.0&n_w2=10.0&n_b=-15.0&{ONE}&n_task=and",
            panel="part-neuron",
        ),
        Step(
            "XOR: its ones lie on a diagonal. Learn as long as you like, no line parts them from the"
            " zeros.",
            link=f"n_f=sigmoid&n_w1=1.5&n_w2=-1.0&n_b=0.5&{ONE}&n_task=xor",
            panel="part-neuron",
            asks="Which of these can one neuron not compute?",
            choices=("AND", "OR", "XOR"),
            covers=("part-sum",),
        ),
        Step(
            "0.25, at a sum of 0. Choose tanh above: it comes to 1. Everything that learns passes"
            " through this slope.",
            link="n_f=sigmoid&n_w1=1.0&n_w2=-1.0&n_b=0.0&n_x1=1.0&n_x2=1.0&n_task=none",
            panel="part-neuron",
            asks="How steep is a sigmoid where it is steepest?",
            choices=("0.25", "0.5", "1"),
            covers=("part-sum",),
        ),
        Step(
            "The candidates: 69 % stand where their tanh is flat. Of the forget gates it is about a"
            " tenth, in either layer.",
            link="part=Real gates",
            panel="part-real-gates",
            asks="In the trained LSTM, which stand on the flat part of their curve most often?",
            choices=("forget gates", "output gates", "candidates"),
        ),
    ),
    "softmax": (
        Step(
            "64 %: e to the power of a logit, divided by the sum of all. Drag the bars; click a"
            " probability to make it the target.",
            link="s_z=2,1,0.1,-1&s_target=0&s_t=1.0",
            panel="part-softmax",
        ),
        Step(
            "86 %. Below 1 a temperature sharpens, above 1 it flattens; the order stays.",
            link="s_z=2,1,0.1,-1&s_target=0&s_t=0.5",
            panel="part-softmax",
            asks="At a temperature of 0.5, does the likeliest class get more than its 64 % or less?",
            choices=("more", "less"),
        ),
        Step(
            "Cross-entropy. Squared error is flat here: 2,000 steps are not enough for 90 %, and"
            " cross-entropy needs 14.",
            link="s_z=-6,6,0,0&s_target=0&s_t=1.0",
            panel="part-softmax",
            asks="The target has the lowest logit of all. Which loss learns from so big a mistake?",
            choices=("squared error", "cross-entropy"),
        ),
        Step(
            "No number at all: e to the 100 is infinite in float32, and infinity by infinity is nothing."
            " With the maximum subtracted nothing changes.",
            link="part=Overflow&s_z=2,1,0.1,-1&s_target=0&s_t=1.0&s_shift=100",
            panel="part-overflow",
            asks="100 is added to every logit. What does softmax give in float32?",
            choices=("the same", "only the largest", "no number"),
        ),
    ),
}
