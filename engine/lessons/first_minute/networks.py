"""First minutes of the pages on networks that read no text yet; their links hold what is chosen."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

ONE = "n_x1=1.0&n_x2=1.0"
CORNERS = "net_points=corners&net_batch=1000&net_seed=1"
LAYERS = "net_points=circles&net_units=8-8-8-8&net_activation=linear&net_rate=0.03"

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
    "network": (
        Step(
            "Never: after 500 steps the loss is 0.693, that of a coin. One unit draws one straight"
            " border, and no line parts the orange corners from the blue ones.",
            link=f"{CORNERS}&net_start=random&net_units=none&net_rate=1&net_steps=500",
            panel="part-network",
            asks="XOR: orange where exactly one input is 1. Can a single unit learn it?",
            choices=("yes", "no"),
            covers=("part-network",),
        ),
        Step(
            "Two hidden units are enough. These weights are set by hand: a₁ is OR, a₂ is NAND, and p,"
            " where both hold, is 0.99995 at the orange corners.",
            link=f"{CORNERS}&net_start=hand&net_units=2&net_rate=1&net_steps=0",
            panel="part-network",
        ),
        Step(
            "Not from this start: the loss stays at 0.348, 2 of 4 right. Other random weights,"
            " behind More, find it: what a network can do, it need not learn.",
            link=f"{CORNERS}&net_start=random&net_activation=tanh&net_units=2&net_rate=0.3&net_steps=3000",
            panel="part-network",
            asks="Two hidden units with random weights. Do 3,000 steps of learning find XOR?",
            choices=("yes", "no"),
            covers=("part-network",),
        ),
        Step(
            "56, hardly better than a coin: without an activation all matrices together are one, and"
            " 249 weights and biases draw one straight border.",
            link=f"{LAYERS}&net_start=random&net_batch=10&net_seed=1&net_steps=2000"
            "&part=Without an activation",
            panel="part-without-an-activation",
            asks="Circles, four layers of 8 units, none with an activation. How many of 100 are right?",
            choices=("56", "80", "100"),
            covers=("part-network", "part-without-an-activation"),
        ),
    ),
}
