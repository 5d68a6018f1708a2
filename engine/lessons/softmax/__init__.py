"""Softmax and loss: how do scores become probabilities, and which loss teaches them best?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="softmax",
    era="Networks",
    title="Softmax and loss",
    question="How do scores become probabilities, and which loss teaches them best?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Bridle, Probabilistic Interpretation of Feedforward Classification Network Outputs, 1990"
        ),
        "Golik, Doetsch & Ney, Cross-Entropy vs. Squared Error Training, 2013",
        (
            "Blanchard, Higham & Higham, Accurately Computing the Log-Sum-Exp and Softmax Functions, 2021"
        ),
        (
            "Ackley, Hinton & Sejnowski, A Learning Algorithm for Boltzmann Machines, 1985 (temperature)"
        ),
    ),
    differs="The notes write softmax with the σ of the sigmoid. The two agree for two classes only, and there for "
    "the difference of the logits.\n"
    "They say that higher scores get proportionally higher weights. The weights are exponential: what counts is "
    "the difference of two scores, not their ratio. They write softmax(x_i) where softmax(x)_i is meant: it needs "
    "all scores.\n"
    "They give the formula without subtracting the maximum; computed so it overflows, in float32 from a logit of "
    "89 on.\n"
    "Their 85 % against 15 % are votes without numbers; it takes two logits that lie 1.73 apart.\n"
    "They say that a loss measures the difference between output and target, and name none there. Which one it is "
    "decides how much is learned from a confident mistake.\n"
    "They say that after a softmax only words with high scores are preserved. Every word keeps a weight above 0; "
    "many small ones add up.\n"
    "They say that the target behind a cross-entropy has one 1. With smoothed labels it has not, and the gradient "
    "is p − y all the same.",
    minutes=15,
    before=("neuron",),
    subtitle="logits, temperature, overflow",
    live=False,
    minute=(
        Step(
            "64 %: e to the power of a logit, divided by the sum of all. Drag the bars; "
            "click a probability to make it the target.",
            link="softmax.s_z=2,1,0.1,-1&softmax.s_target=0&softmax.s_t=1.0",
            panel="part-softmax",
        ),
        Step(
            "86 %. Below 1 a temperature sharpens, above 1 it flattens; the order stays.",
            link="softmax.s_z=2,1,0.1,-1&softmax.s_target=0&softmax.s_t=0.5",
            panel="part-softmax",
            asks="At a temperature of 0.5, does the likeliest class get more than its 64 % or less?",
            choices=("more", "less"),
        ),
        Step(
            "Cross-entropy. Squared error is flat here: 2,000 steps are not enough for 90 "
            "%, and cross-entropy needs 14.",
            link="softmax.s_z=-6,6,0,0&softmax.s_target=0&softmax.s_t=1.0",
            panel="part-softmax",
            asks="The target has the lowest logit of all. Which loss learns from so big a mistake?",
            choices=("squared error", "cross-entropy"),
        ),
        Step(
            "No number at all: e to the 100 is infinite in float32, and infinity by "
            "infinity is nothing. With the maximum subtracted nothing changes.",
            link="softmax.part=Overflow&softmax.s_z=2,1,0.1,-1&softmax.s_target=0&softmax.s_t=1.0&softmax.overflow.s_shift=100",
            panel="part-overflow",
            asks="100 is added to every logit. What does softmax give in float32?",
            choices=("the same", "only the largest", "no number"),
        ),
    ),
    topics="""
part-softmax | Softmax: from logits to probabilities | foundations N47; transformers B5
    Logits that you drag, their probabilities, the temperature, and two to six classes.
    logits, scores, normalised exponential, class probabilities, output layer
part-softmax | Cross-entropy against squared error | foundations N05
    Both losses and their slopes over one logit, and how many steps each needs.
    loss function, cost function, squared error, MSE, cross-entropy gradient, p − y
part-overflow | Overflow, and what subtracting the maximum does | foundations N47
    Softmax and its loss with every step in float16, float32 and float64.
    numerical stability, log-sum-exp, logsumexp, log-softmax, NaN, underflow
part-real-tokens | What a threshold throws away | foundations S53
    How many tokens lie below a weight of your choice, and what they have together.
    small weights, long tail of a softmax, softmax emphasis, discarded mass
""",
)
