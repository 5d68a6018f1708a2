"""Task shapes: what goes in, what comes out, and when?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="shapes",
    era="Recurrence",
    title="Task shapes",
    question="What goes in, what comes out, and when?",
    model="sentiment",
    example="The acting is perfect, but the plot is dull",
    tries=(
        Try(
            "The acting is perfect, but the plot is dull",
            "Many to one: the answer flips at the last word. Follow it along the dashed boxes.",
        ),
        Try(
            "The plot is dull, but the acting is perfect",
            "The same words in another order give another sequence of answers. A bag of "
            "words cannot tell the two apart.",
        ),
        Try(
            "Time flies like an arrow",
            "In step, part of speech: is “flies” a noun or a verb? Compare Forwards and Both ways.",
        ),
        Try(
            "The complex houses married soldiers",
            "In step, part of speech: Forwards tags “complex” before it reads “houses”. "
            "Type the sentence word by word and watch Both ways.",
        ),
    ),
    sources=(
        (
            "Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (the "
            "five shapes)"
        ),
        "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
        (
            "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014 "
            "(delayed)"
        ),
        "Petrov, Das & McDonald, A Universal Part-of-Speech Tagset, 2012",
        (
            "Silveira et al., A Gold Standard Dependency Corpus for English, 2014 (the tagged "
            "words); Pang & Lee, A Sentimental Education, 2004 (the reviews)"
        ),
    ),
    differs="The notes write y_t = f(x_1 … x_n) for tags in step. In a network that reads forwards, "
    "y_t depends on x_1 … x_t only; in one that reads both ways, it depends on all inputs.\n"
    "Their tag PREP is ADP in the universal tagset.\n"
    "They say that one to many has no new external inputs; in practice each token written "
    "is read back in, and both versions are shown.\n"
    "Their example of unequal lengths, The house is beautiful, La maison est belle, has "
    "four words on both sides.\n"
    "They say that reading both ways doubles the hidden size; it doubles the width of the "
    "output, while torch's last state keeps its width and gets a second row.\n"
    "They keep translation for networks that read forwards; only the part that writes has "
    "to, its encoder may read both ways.\n"
    "Their example of a letter with two sounds, the s of “recognize speech”, fails: "
    "“recognize” has no s.",
    minutes=15,
    before=("rnn",),
    minute=(
        Step(
            "Bad, with 66 %. The last word decides it: up to “is” the model leaned towards "
            "good, with 70 %.",
            text="The acting is perfect, but the plot is dull",
            panel="label",
            asks="Perfect acting, dull plot: does the model call this a good review or a bad one?",
            choices=("good", "bad"),
            covers=("shape",),
        ),
        Step(
            "Still bad, with 76 %, though it ends in “perfect”: in another order the same "
            "words add up to another state.",
            text="The plot is dull, but the acting is perfect",
            panel="shape",
        ),
        Step(
            "No: 69 % for good. It follows “good” and has hardly learned “not”.",
            text="The film is not good",
            panel="label",
            asks="“The film is not good.” Does it understand “not”?",
            choices=("yes", "no"),
            covers=("shape",),
        ),
    ),
    true_of=("sentiment",),
    topics="""
shape | One to one | rnn A7 H1; foundations S10 | | shape=One to one
    One input, one answer: a network without a memory.
    feed-forward network, FFNN, vanilla model
shape | One to many | rnn A8; lstm C01 | | shape=One to many
    A single start, and a text that follows from it.
    generation, captioning, sequence output
shape | Many to one: sentiment | rnn A9; lstm C04; transformers J2 | | shape=Many to one
    A review read word by word, and what the answer would be at every word.
    sentiment analysis, classification, sequence classification, detect sentiment,
    is a review positive or negative, film review
fold.stories | Pairs such as “not bad” and “bad”, measured | lstm D19; transformers J2 |
    lstm D17 D18 D21 D22 | shape=Many to one
    Eight pairs that a bag of words cannot tell apart: what is told of them, and what a recurrent
    net answers.
    not bad, negation, sarcasm, NOT!, sick beats, despite the long wait, mixed review
shape | Many to many, in step: part-of-speech tags | rnn A10 | lstm C21; foundations N102 |
    shape=Many to many, in step
    A tag for every word, one way and both ways.
    POS tagging, tagger, sequence labelling, NER, synchronised
- | Many to many, delayed: encoder and decoder | rnn A11 | | shape=Many to many, delayed
    The whole text is read first, then the answer is written, each word read again.
    encoder-decoder, sequence to sequence, seq2seq, translation, delayed output
goes_in | Which shape does a task have? | rnn A12; foundations S03
    Three questions lead to one of five shapes.
    architecture guide, problem formulation, sequence tasks
turned | Bidirectional network | rnn A14; lstm A29 B16 D20; foundations S09 | | shape=Many to many, in step
    A tagger that reads both ways: which tags a later word has turned.
    BiLSTM, both directions, backward pass over the text
""",
)
