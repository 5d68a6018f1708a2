"""Topics of the lessons on networks that read no text yet."""

from __future__ import annotations

from engine.lessons.topics.base import Topic

NETWORKS = (
    Topic(
        "neuron",
        "neuron",
        "Neuron: weighted sum, bias, activation",
        "Two inputs, two weights and a bias that you drag: the line, the sum as bars, the output.",
        (
            "perceptron",
            "node",
            "unit",
            "weighted sum",
            "bias",
            "decision line",
            "decision boundary",
        ),
        "part-neuron",
        works="foundations N02",
    ),
    Topic(
        "logistic",
        "neuron",
        "Logistic function and its slope",
        "The curve with its tangent where the sum stands; its slope is 0.25 at most.",
        ("sigmoid", "σ", "logistic curve", "S-shaped curve", "derivative of the sigmoid"),
        "part-sum",
        works="foundations N01",
    ),
    Topic(
        "activation-functions",
        "neuron",
        "Activation functions side by side",
        "Sigmoid, tanh, ReLU, leaky ReLU, ELU, hard sigmoid, softplus and GELU with their slopes.",
        ("rectifier", "leaky ReLU", "ELU", "GELU", "softplus", "hard sigmoid", "dead unit"),
        "part-eight-functions",
        link="part=Eight functions",
        part="foundations N23",
    ),
    Topic(
        "saturation",
        "neuron",
        "Saturation, measured on a trained LSTM",
        "The sums of every gate as a histogram under its curve; the border of the flat part is yours.",
        ("saturated gates", "pre-activation", "flat part", "slope near zero"),
        "part-real-gates",
        link="part=Real gates",
        works="foundations N22",
    ),
    Topic(
        "xor",
        "neuron",
        "AND, OR and XOR",
        "Which of the 16 functions of two bits one neuron computes, and XOR with two layers.",
        ("linearly separable", "exclusive or", "truth table", "perceptron limits"),
        "part-and-or-xor",
        link="part=AND, OR, XOR",
        part="foundations N08",
    ),
)
