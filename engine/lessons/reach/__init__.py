"""Gradient reach: how many words back can a model learn from?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="reach",
    era="Recurrence",
    title="Gradient reach",
    question="How many words back can a model learn from?",
    model="lstm",
    example="The person who spoke multiple languages fluently applied",
    tries=(
        Try(
            "The person who spoke multiple languages fluently applied",
            "What can the loss of “applied” teach about “person”, six words back? Compare "
            "the plain recurrent net with the LSTM and the Transformer.",
        ),
        Try(
            "The keys to the old cabinet were",
            "The verb belongs to “keys”. Which of the models could learn that from this sentence?",
        ),
        Try(
            "The man who wrote the book entered the room",
            "Point at “entered”: does its gradient reach back to “man”?",
        ),
        Try(
            "She said that the cat, which had slept all day, was hungry",
            "A clause between subject and verb: every model has to send its gradient past it.",
        ),
        Try(
            "The keys to the cabinet are",
            "Words of the nets that learned is and are. Press A comparison, then Early and "
            "late in training: how much of the gradient of “are” reaches “keys”?",
        ),
    ),
    sources=(
        "Hochreiter, Untersuchungen zu dynamischen neuronalen Netzen, 1991",
        (
            "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent "
            "Is Difficult, 1994"
        ),
        (
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural "
            "Networks, 2013"
        ),
    ),
    differs="The notes give a plain recurrent net a memory of eight to ten steps. There is no such "
    "number: how fast its gradient fades depends on the weights and on the text, and is "
    "measured here.\n"
    "They say that a gradient vanishes when the largest eigenvalue is below 1 and explodes "
    "when it is above. For a product of finitely many steps it is the largest singular "
    "value, times the slope of the activation, that bounds it; above 1 it may explode, and "
    "need not.\n"
    "They say that values of at most 1 make it shrink exponentially; that takes values "
    "below 1.",
    minutes=12,
    before=("bptt", "lstm"),
    minute=(
        Step(
            "Under 1 %: 0.23 % of the gradient of “applied” reaches “person”. 76 % stays "
            "with the word just before.",
            text="The person who spoke multiple languages fluently applied",
            panel="arcs",
            asks="“applied” belongs to “person”. How much of its gradient reaches it in a plain "
            "net?",
            choices=("half", "a tenth", "under 1 %"),
            covers=("fall",),
        ),
        Step(
            "The LSTM carries 2.6 % back to “person”, the Transformer 8.4 %: through gates "
            "and attention, less is lost on the way back.",
            text="The person who spoke multiple languages fluently applied",
            panel="arcs",
        ),
        Step(
            "Seven words back the plain net's gradient is 0.0004 of that one word back, the "
            "LSTM's 0.02 and the Transformer's 0.4.",
            text="The person who spoke multiple languages fluently applied",
            panel="fall",
        ),
        Step(
            "The verb sends 22 % of its gradient to “keys” in the Transformer, 13 % in the "
            "LSTM and 6.9 % in the plain net.",
            text="The keys to the old cabinet were",
            panel="arcs",
            asks="“were” belongs to “keys”. Which model could learn that best from this sentence?",
            choices=("Elman RNN", "LSTM", "Transformer"),
        ),
    ),
    true_of=("rnn_large", "lstm", "transformer"),
    topics="""
arcs | How far back a model can learn | rnn B4; lstm A03; foundations N16
    The gradient of each word at every word before it, in several models, early and late in
    training.
    long-range dependency, long-term dependency, memory of eight to ten steps, gradient highway,
    subject and verb
fall | Gradient by distance | rnn B3
    How fast the gradient falls with each word back: plain net, gated cells, Transformer.
    constant error carousel, decay of the gradient, recency
""",
)
