"""First minutes of the lessons on networks that read numbers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

CORNERS = "net_points=corners&net_batch=1000"

NETWORKS: Mapping[str, tuple[Step, ...]] = {
    "network": (
        Step(
            "Never: after 500 steps the loss is 0.693, that of a coin. One unit draws one straight"
            " border, and none has both orange corners on one side.",
            link=f"{CORNERS}&net_units=none&net_rate=1&net_steps=500",
            panel="part-network",
            asks="XOR: orange where exactly one input is 1. Can a single unit learn it?",
            choices=("yes", "no"),
            covers=("part-network",),
        ),
    ),
}
