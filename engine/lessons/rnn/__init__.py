"""Recurrent net: how does one small network read a text of any length?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="rnn",
    era="Recurrence",
    title="Recurrent net",
    question="How does one small network read a text of any length?",
    model="rnn",
    example="The bank by the river is steep",
    tries=(
        Try(
            "The bank by the river is steep",
            "Press Fold, then Unfold. The same three matrices sit on the arrows of every step.",
        ),
        Try(
            "la la la la",
            "The same letters again and again. A network without a state would give the "
            "same answer each time; compare the strips.",
        ),
        Try(
            "The cat sat on the mat",
            "Change a letter in the middle: everything to its left stays as it was, "
            "everything after it changes.",
        ),
    ),
    sources=(
        "Elman, Finding Structure in Time, 1990",
        "Mikolov et al., Recurrent Neural Network Based Language Model, 2010",
        "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990 (unfolding)",
        (
            "Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, 2003 "
            "(the network over a window)"
        ),
        "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
    ),
    differs="The notes say that traditional networks cannot use what came before; a network over a "
    "window can, as far back as the window reaches.\n"
    "They say that the state holds everything; it has a fixed number of units, so something "
    "is lost.\n"
    "They say that the state at “bank” tells the two meanings apart; reading forwards it "
    "cannot, as “Two banks, one state” shows.\n"
    "Their output has no softmax; predicting a token needs one.\n"
    "A layer in torch has two biases; here they are added together.\n"
    "They write the output as W h with a vector W; that product needs W transposed.\n"
    "They send it through the same tanh as the state, which keeps every answer between −1 "
    "and 1.\n"
    "In their example of John, “French” comes twelve words after “France”: a window of five "
    "never holds both, and what it does hold at “French” are the words just before, not "
    "“John, who had grown up” as they say.\n"
    "They predict x_t from x_t and x_{t−1}; what is predicted is x_{t+1}.\n"
    "In their drawing of the unrolled net the second input and output stand at the third "
    "state, and the third at none; here x_t, h_t and y_t stand in one column.\n"
    "Where large gradients are scaled down, the formula is missing: g becomes g · threshold "
    "/ |g| as soon as its norm |g| is greater than the threshold.",
    minutes=15,
    before=("ngrams",),
    minute=(
        Step(
            "Each box is the same small network, one character later. What it hands to the "
            "next box, its state, is all that it remembers.",
            text="The bank by the river is steep",
            panel="unroll",
        ),
        Step(
            "No: behind the first “la” it expected “t” with 17 %, now “n” with 34 %. The "
            "state holds what came before.",
            text="la la la la",
            panel="next",
            asks="The last letters were “la” four times. Is the answer that after one “la”?",
            choices=("yes", "no"),
        ),
        Step(
            "“u”, with 98 %. Nobody gave it a spelling book: it learned from text alone.",
            text="the q",
            panel="next",
            asks="Which letter comes after “the q”?",
            choices=("u", "a vowel", "any"),
        ),
    ),
    topics="""
unroll | Recurrent neural network |
    rnn A1 A2 H3 H8; lstm A01; foundations N51 S11 S12 S14; language_models M55 P44 P50 |
    foundations S02
    The loop over your text, folded and unfolded, with the hidden state at every step.
    RNN, Elman network, hidden state, recurrence, memory, SRN
unroll | Unrolling through time | rnn A6; foundations N53
    Fold and unfold the loop; the small pictures on the arrows are the same matrices.
    unfolding, computation graph, time steps
steps | One step of an RNN, number by number | rnn A2 A3 A4; foundations N52 S12; language_models P50
    Input, state, sum, tanh, logits and softmax of the step that you choose.
    hidden update, W_hh, W_xh, output layer, forward pass, logits, softmax
activation | Activation: tanh and its slope | rnn A2b
    The curve and its slope, with the units of this moment on it.
    activation function, derivative, saturation, saturated units, ReLU, squashing
next | Recurrent language model | language_models M55 P50 P51
    What the network expects next, with every key.
    RNN LM, next token, surprisal
part-a-text-of-any-length | One set of weights for any length | rnn A5; foundations S13
    Parameters against the length of the text: a recurrent net and a window network.
    weight sharing, variable length
part-two-banks-one-state | Two banks, one state | rnn A14; lstm A29
    Why a left-to-right network can't yet know which bank is meant.
    word sense disambiguation, polysemy, context, bank, bank of a river or of money
part-where-it-is-used | Where recurrent networks are used | | rnn A13; foundations N58
    A table of fields, and what goes in and comes out in each.
    applications, speech, time series
""",
)
