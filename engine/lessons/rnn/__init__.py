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
            "Change a letter in the middle: everything to its left stays as it was, everything after it changes.",
        ),
    ),
    sources=(
        "Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (the five shapes)",
        "Petrov, Das & McDonald, A Universal Part-of-Speech Tagset, 2012",
        "Pang & Lee, A Sentimental Education, 2004 (the reviews)",
        "Elman, Finding Structure in Time, 1990",
        "Mikolov et al., Recurrent Neural Network Based Language Model, 2010",
        "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990 (unfolding)",
        "Bengio et al., A Neural Probabilistic Language Model, 2003 (the network over a window)",
        "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
    ),
    differs="The notes say that traditional networks cannot use what came before; a network over a window can, as far "
    "back as the window reaches.\n"
    "They predict x_t from x_t and x_{t−1}; what is predicted is x_{t+1}. A net that is trained to say the token it "
    "was just given learns to repeat it.\n"
    "They send the output through the same tanh as the state, which keeps every answer between −1 and 1; predicting a "
    "token needs a softmax.\n"
    "They say that the state at “bank” tells the two meanings apart; reading forwards it cannot.\n"
    "In their example of John, “French” comes twelve words after “France”: a window of five never holds both.\n"
    "Where large gradients are scaled down, g becomes g · threshold / |g| as soon as its norm |g| is greater.\n"
    "In their drawing of the unrolled net the second input and output stand at the third state, and the third at none; "
    "here x_t, h_t and y_t stand in one column.\n"
    "They write y_t = f(x_1 … x_n) for tags in step. In a network that reads forwards, y_t depends on x_1 … x_t only.\n"
    "They say that reading both ways doubles the hidden size; it doubles the width of the output. They keep "
    "translation for networks that read forwards; only the part that writes has to.",
    minutes=20,
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
    rnn A1 A2 A6 E10 H3 H8; lstm A01 B20 B31; foundations N51 N53 S02 S11 S12 S14;
    language_models M55 P44 P50
    The loop over your text, folded and unfolded, from the first state of zeros to the state at every step.
    RNN, Elman network, hidden state, recurrence, memory, SRN, unrolling through time, unfolding,
    computation graph, time steps, h_0, initial state, stateful, zero state, learned initial state
steps | One step of an RNN, number by number | rnn A2 A3 A4 A2b; foundations N52 S12; language_models P50
    Input, state, sum, tanh and its slope, logits and softmax of the step that you choose.
    hidden update, W_hh, W_xh, output layer, forward pass, logits, softmax,
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
part-task-shapes | One to one | rnn A7 H1; foundations S10 | | rnn.shapes.shape=One to one
    One input, one answer: a network without a memory.
    feed-forward network, FFNN, vanilla model
part-task-shapes | One to many | rnn A8; lstm C01 | | rnn.shapes.shape=One to many
    A single start, and a text that follows from it.
    generation, captioning, sequence output
part-task-shapes | Many to one: sentiment | rnn A9; lstm C04 D17 D18 D19 D21; transformers J2 | |
    rnn.shapes.shape=Many to one
    A review read word by word, and what the answer would be at every word.
    sentiment analysis, classification, sequence classification, detect sentiment,
    is a review positive or negative, film review, not bad, negation, sarcasm, mixed review
part-task-shapes | Many to many, in step: part-of-speech tags | rnn A10; foundations N102; lstm C21 | |
    rnn.shapes.shape=Many to many, in step
    A tag for every word, one way and both ways.
    POS tagging, tagger, sequence labelling, NER, synchronised
part-task-shapes | Many to many, delayed: encoder and decoder | rnn A11 | |
    rnn.shapes.shape=Many to many, delayed
    The whole text is read first, then the answer is written, each word read again.
    encoder-decoder, sequence to sequence, seq2seq, translation, delayed output
part-task-shapes | Which shape does a task have? | rnn A12; foundations S03 | rnn A13; foundations N58
    What each of the five shapes is used for, what goes in and what comes out.
    architecture guide, problem formulation, sequence tasks, applications, speech, time series
part-task-shapes | Bidirectional network | rnn A14; lstm A29 B16 D20; foundations S09 | |
    rnn.shapes.shape=Many to many, in step
    A tagger that reads both ways: which tags a later word has turned.
    BiLSTM, both directions, backward pass over the text
""",
)
