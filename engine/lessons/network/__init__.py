"""A network that learns: how do a few units learn a border that no single one can draw?"""

from __future__ import annotations

from functools import partial

from engine.course.base import Lesson, Step, ask_board

chosen = partial(ask_board, "network.asked", "net_")

LESSON = Lesson(
    id="network",
    era="Networks",
    title="A network that learns",
    question="How do a few units learn a border that no single one can draw?",
    model="",
    example="",
    tries=(),
    sources=(
        ("Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, 1986"),
        "Minsky & Papert, Perceptrons, 1969 (what one layer cannot do)",
        "Kingma & Ba, Adam: A Method for Stochastic Optimization, 2015",
        (
            "Glorot & Bengio, Understanding the Difficulty of Training Deep Feedforward Neural "
            "Networks, 2010; He et al., Delving Deep into Rectifiers, 2015 (how weights begin)"
        ),
        "Smilkov et al., Direct-Manipulation Visualization of Deep Networks, 2017",
    ),
    differs="The notes describe backpropagation in words only; here each gradient stands as a sum of products, "
    "beside its finite difference.\n"
    "They name a loss without a formula; here it is cross-entropy or half the square, to choose.\n"
    "They say that more layers make a network more non-linear; without an activation any number of layers is one "
    "matrix, and draws one straight line.\n"
    "They say that a network uses the logistic function; any function that is not linear will do.\n"
    "They write an update with an equals sign; it is an assignment.",
    minutes=20,
    before=("neuron",),
    live=False,
    minute=(
        Step(
            "Never: after 500 steps the loss is 0.693, that of a coin. One unit draws one "
            "straight border, and no line parts the orange corners from the blue ones.",
            link=chosen(
                points="corners",
                batch="1000",
                seed="1",
                start="random",
                units="none",
                rate="1",
                steps="500",
            ),
            panel="part-network",
            asks="XOR: orange where exactly one input is 1. Can a single unit learn it?",
            choices=("yes", "no"),
            covers=("part-network",),
        ),
        Step(
            "Two hidden units are enough. These weights are set by hand: a₁ is OR, a₂ is "
            "NAND, and p, where both hold, is 0.99995 at the orange corners.",
            link=chosen(
                points="corners",
                batch="1000",
                seed="1",
                start="hand",
                units="2",
                rate="1",
                steps="0",
            ),
            panel="part-network",
        ),
        Step(
            "Not from this start: the loss stays at 0.348, 2 of 4 right. Other random "
            "weights, behind More, find it: what a network can do, it need not learn.",
            link=chosen(
                points="corners",
                batch="1000",
                seed="1",
                start="random",
                activation="tanh",
                units="2",
                rate="0.3",
                steps="3000",
            ),
            panel="part-network",
            asks="Two hidden units with random weights. Do 3,000 steps of learning find XOR?",
            choices=("yes", "no"),
            covers=("part-network",),
        ),
        Step(
            "56, hardly better than a coin: without an activation all matrices together are "
            "one, and 249 weights and biases draw one straight border.",
            link=chosen(
                points="circles",
                units="8-8-8-8",
                activation="linear",
                rate="0.03",
                start="random",
                batch="10",
                seed="1",
                steps="2000",
            ),
            panel="part-network",
            asks="Circles, four layers of 8 units, none with an activation. How many of 100 are right?",
            choices=("56", "80", "100"),
            covers=("part-network",),
        ),
    ),
    topics="""
part-network | A small network, trained before your eyes | foundations N03 N05 N07 N08
    Points on a plane, layers and units to add and take away, and what every unit makes of them.
    multi-layer perceptron, MLP, perceptron, neural network, feed-forward network, playground,
    decision surface, decision boundary, hidden layer, input layer, output layer, XOR, two moons,
    two spirals, cost function, squared error, binary cross-entropy
part-why-it-came-late | Why deep networks came late: five obstacles | foundations N11
    What was missing, what removed it, and who found it.
    history, AI winter, GPU, support vector machine, ImageNet
part-backpropagation-by-hand | Backpropagation, one number after the other | foundations N04 N06
    One point forward and back, with weights of your own; each gradient checked.
    backpropagation, backprop, backward pass, forward pass, forward propagation,
    chain rule of calculus, computation graph, gradient check, finite difference, delta rule
part-without-an-activation | Depth without an activation | foundations N09
    The matrices of two linear layers multiplied: one matrix, one straight border.
    linear layers, non-linearity, depth, deep network, product of matrices
part-slopes-and-gradients-by-layer | Dead units, and the gradient by layer, while a network learns | foundations N23
    The gradient of each matrix, the mean slope of its units and the share of those without any, by
    step.
    dying ReLU, dead neuron, leaky ReLU, vanishing gradient by layer, saturated units
""",
)
