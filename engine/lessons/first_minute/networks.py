"""First minutes of the lessons on networks that read numbers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

CORNERS = "net_points=corners&net_batch=1000&net_seed=1"
LAYERS = "net_points=circles&net_units=8-8-8-8&net_activation=linear&net_rate=0.03"

NETWORKS: Mapping[str, tuple[Step, ...]] = {
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
