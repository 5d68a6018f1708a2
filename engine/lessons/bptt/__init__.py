"""Backpropagation through time: how does an error reach the words long before it?"""

from __future__ import annotations

from engine.core.registry import cells
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="bptt",
    era="Recurrence",
    title="Backpropagation through time",
    question="How does an error reach the words long before it?",
    model="rnn",
    also=tuple(cells.ids()),
    example="The keys to the old cabinet were",
    tries=(
        Try(
            "The person who spoke multiple languages fluently applied",
            "The gradient of the last “d” of the shipped model: 1.5 after the letter before "
            "it, 0.0000027 at the start. Choose lstm above: 0.057 and 0.0016.",
        ),
        Try(
            "The man who wrote the book entered the room",
            "Look closer at how far back a model can learn: does the gradient of “room”, of “entered”, reach “man”?",
        ),
        Try(
            "The keys to the old cabinet were",
            "Truncated after 8 steps: walls that no gradient passes. The state itself is handed on.",
            link="chunk=8",
            label="truncated after 8 steps",
        ),
    ),
    sources=(
        "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990",
        "Hochreiter, Untersuchungen zu dynamischen neuronalen Netzen, 1991",
        "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent Is Difficult, 1994",
        "Rumelhart, Hinton & Williams, Learning Representations by Back-propagating Errors, 1986",
        (
            "Williams & Peng, An Efficient Gradient-Based Algorithm for On-Line Training of "
            "Recurrent Network Trajectories, 1990 (truncation)"
        ),
        "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
    ),
    differs="The notes first write the gradient with the path through the first state alone; every step that uses "
    "the weights, those of the input too, adds a term.\n"
    "They take the slope of tanh at the state; it belongs at the sum before tanh, where it is 1 − h².\n"
    "They say that truncation brings the time from T² to T k. One sweep back takes time T in any case; what "
    "truncation saves is memory.\n"
    "They say that chunks of one text can be computed at the same time; each begins with the state that the one "
    "before it leaves.\n"
    "They give a plain recurrent net a memory of eight to ten steps. There is no such number: how fast its "
    "gradient fades depends on the weights and on the text, and is measured here.\n"
    "They say that a gradient vanishes when the largest eigenvalue is below 1 and explodes when it is above. For a "
    "product of finitely many steps it is the largest singular value, times the slope of the activation, that "
    "bounds it; above 1 it may explode, and need not.",
    minutes=25,
    before=("rnn",),
    minute=(
        Step(
            "A row is the loss of one character. Its gradient flows back to the left: the "
            "darker, the more a change of the state there would change that loss.",
            text="The keys to the old cabinet were",
            panel="triangle",
        ),
        Step(
            "21,700 times shorter: 0.27 one step back, 0.000012 at the start. What stood "
            "there teaches the network next to nothing.",
            text="The keys to the old cabinet were",
            link="token=32&other=31",
            panel="decay",
            asks="How much shorter is the gradient of the last loss by the time it reaches the start?",
            choices=("10 times", "1,000 times", "more"),
        ),
        Step(
            "Walls: truncated after 8 steps, no loss reaches back into an earlier chunk. "
            "144 of 528 terms are left; the state itself is handed on.",
            text="The keys to the old cabinet were",
            link="chunk=8",
            panel="triangle",
        ),
    ),
    topics="""
triangle | Backpropagation through time (BPTT) |
    rnn B1 E1 E3 B2; foundations N54 S15 S16; language_models P52; lstm A02
    The gradient of every loss at every earlier step of your text, on its way back.
    BPTT, gradient, backward pass, credit assignment, unrolled gradient, double sum
triangle | Truncated backpropagation through time | rnn E8 E19 E9; lstm B21 B20 | | chunk=8
    Walls that no gradient passes, after as many steps as you say, and what is lost.
    TBPTT, truncation, detach, chunks, stateful, gradient wall
unrolled | The unrolled net, and the gradient on its way back | rnn E25
    A box for the state after each token, and how long the gradient of one loss still is there.
    unrolling, backward pass, gradient flow, computational graph
part-how-far-back-a-model-can-learn | How far back a model can learn | rnn B3 B4; lstm A03; foundations N16
    The gradient of a word at every word before it, and how fast it falls: plain net, gated cells, Transformer.
    long-range dependency, long-term dependency, memory of eight to ten steps, gradient highway,
    subject and verb, constant error carousel, decay of the gradient, recency
part-one-step-and-all-of-them-the-jacobian | The Jacobian of a step, and of many | rnn B2; lstm A02; foundations S16
    Eigenvalues on the complex plane and singular values of one step of your text and of a span.
    Jacobian, product of Jacobians, eigenvalue, singular value, unit circle
decay | How fast a gradient fades over the steps | rnn B3 B5; language_models P53
    One loss on a scale of powers of ten, step by step back.
    vanishing gradient, singular value, memory horizon, fading
part-learning-from-this-text | One step of gradient descent | rnn E7
    What one step of learning on your text does to its surprisal, at any learning rate.
    parameter update, learning rate, SGD, one step of learning, fine-tuning
part-by-hand | Backpropagation by hand | rnn E2 E4 E5 E6 B2; lstm A02; foundations S16
    Two units and three tokens, forwards and backwards, with every number.
    worked example, delta, gradient check, finite differences, central differences,
    product of Jacobians, double sum, contribution, W_hh, W_xh, W_hy, immediate derivative
part-what-can-be-learned-across-a-wall | Learning across walls | rnn E9 E26
    Which letter comes back after so many steps, when the gradient is cut after fewer; what the
    state carries anyhow.
    choosing k, truncation length, long dependency, memory, complexity, O(T), chunk length
""",
)
