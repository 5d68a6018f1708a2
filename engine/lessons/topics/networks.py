"""Topics of the lessons on networks that read numbers."""

from __future__ import annotations

from engine.lessons.topics.base import Topic

NETWORKS = (
    Topic(
        "small-network",
        "network",
        "A small network, trained before your eyes",
        "Points on a plane, layers and units to add and take away, and what every unit makes of them.",
        (
            "multi-layer perceptron",
            "MLP",
            "perceptron",
            "neural network",
            "feed-forward network",
            "playground",
            "decision surface",
            "decision boundary",
            "hidden layer",
            "input layer",
            "output layer",
            "XOR",
            "two moons",
            "two spirals",
        ),
        "part-network",
        works="foundations N03 N08",
        part="foundations N07",
    ),
    Topic(
        "backpropagation",
        "network",
        "Backpropagation, one number after the other",
        "One point forward and back; each number opened as its sum, each gradient checked.",
        (
            "backpropagation",
            "backprop",
            "backward pass",
            "forward pass",
            "forward propagation",
            "chain rule of calculus",
            "computation graph",
            "gradient check",
            "finite difference",
            "delta rule",
        ),
        "part-backpropagation-by-hand",
        works="foundations N04 N06",
    ),
    Topic(
        "linear-collapse",
        "network",
        "Depth without an activation",
        "The matrices of linear layers multiplied: one matrix, one straight border.",
        ("linear layers", "non-linearity", "depth", "deep network", "product of matrices"),
        "part-without-an-activation",
        works="foundations N09",
    ),
    Topic(
        "loss-around",
        "network",
        "The loss around the weights",
        "The loss over two directions or two weights, with the way that the training took.",
        (
            "loss surface",
            "loss landscape",
            "cost function",
            "squared error",
            "binary cross-entropy",
        ),
        "part-the-loss-around-it",
        works="foundations N05",
    ),
)
