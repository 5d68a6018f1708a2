"""Pooling: how do all states of a text become one vector?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="pooling",
    era="Recurrence",
    title="Pooling",
    question="How do all states of a text become one vector?",
    model="pooling",
    prompt="Words of four kinds, one of them behind the sign !",
    example="oak rose ! cat hammer bread soup fern saw",
    tries=(
        Try(
            "oak rose ! cat hammer bread soup fern saw",
            "One word is marked, and its kind is the answer. Attention takes nearly all "
            "from it; the mean takes as much from every word, and is right as well.",
        ),
        Try(
            "oak rose cat hammer bread soup fern saw",
            "The same words without the mark: nothing is known, and each answers with what "
            "its words leave in its vector.",
        ),
        Try(
            "! nail oak rose cat dog bread soup fern moss owl crab rice cake palm reed fox bean",
            "The marked word comes first and sixteen others follow. The last state has to carry it all the way.",
        ),
    ),
    sources=(
        (
            "Yang et al., Hierarchical Attention Networks for Document Classification, 2016 (attention)"
        ),
        (
            "Collobert & Weston, A Unified Architecture for Natural Language Processing, 2008 (the maximum)"
        ),
        "Ba, Kiros & Hinton, Layer Normalization, 2016 (where a norm belongs in an LSTM)",
        (
            "Jain & Wallace, Attention is not Explanation, 2019, and Wiegreffe & Pinter, "
            "Attention is not not Explanation, 2019"
        ),
    ),
    differs="The notes say that attention gives direct access from any step to any other; what they list is one "
    "vector for the whole text, with no query: no step asks for anything.\n"
    "They add a bias to the scores. Softmax takes the same from all, so it changes nothing and learns nothing; "
    "there is none here.\n"
    "Their listing gives padding its share of the weights.\n"
    "They call the output gate a kind of attention: it opens each unit by itself, and no word's share is taken "
    "from another's.\n"
    "Their layer-norm cell normalises the memory that it carries on, which overwrites it at every step; in the "
    "paper only what is shown of it is normalised.\n"
    "Their model of a long document is given segments of 512 characters where 512 tokens are meant. It hands the "
    "vectors of the segments to a model that asks for numbers of tokens, and computes without gradients, so that "
    "nothing of it can be trained.\n"
    "They put an LSTM over sentences on top of one over words: the way from the first letter to the answer is "
    "shorter, and what lies across the border of two groups is seen through their last states only.\n"
    "In a reversible network each step can be undone, so the way back needs the last state alone; where a gate "
    "forgets, undoing divides by it, and rounding errors grow.",
    minutes=12,
    before=("rnn",),
    minute=(
        Step(
            "Attention: 98 % of its vector is the state at “cat”. The mean takes 11 % from "
            "each word; all four say “animal”.",
            text="oak rose ! cat hammer bread soup fern saw",
            panel="pooled",
            asks="“cat” is marked and decides the label. Who takes most of the vector from its state?",
            choices=("attention", "mean", "last state"),
            covers=("prefix",),
        ),
        Step(
            "Without the mark nothing is known: attention gives “animal” 25 %, a guess among four.",
            text="oak rose cat hammer bread soup fern saw",
            panel="prefix",
        ),
        Step(
            "Sixteen words behind “nail” the last state still says “tool” with 99.9 %, "
            "though 0 % of its vector comes from there: the LSTM has carried it.",
            text="! nail oak rose cat dog bread soup fern moss owl crab rice cake palm reed fox bean",
            panel="pooled",
        ),
    ),
    true_of=("pooling_attention", "pooling_mean", "pooling_max", "pooling_last"),
    topics="""
pooled | Attention pooling over an LSTM | lstm B45 B49
    Last state, mean, maximum and attention over one text: what the one vector is made of, beside
    the word that counts.
    self-attentive pooling, max pooling over time, mean pooling, last hidden state, attention LSTM,
    document vector
prefix | The answer after each word | lstm B45
    What each way of pooling would answer had the text ended there.
    early classification, many to one
part-longer-than-in-training | Texts longer than in training | lstm B45
    How often each way of pooling is right when many words follow the one that counts.
    long-term memory, length generalisation
part-what-layer-norm-does-to-a-memory | Layer norm and what it does to a memory | lstm B06 B07
    A count that a memory carries, with a norm of the output, of what is shown, of what is carried
    on.
    LayerNormLSTM, LayerNormLSTMCell, normalised cell state, layer normalisation
part-attention-behind-an-lstm | Attention behind an LSTM | lstm B47
    Both together recall what neither alone does: trained on the page, with the weights of your
    text.
    hybrid, batch_first, batch leak, Transformer-LSTM
""",
)
