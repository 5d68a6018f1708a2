"""Attention: how does a token attend to the others, step by step?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="attention",
    era="Attention",
    title="Attention",
    question="How does a token attend to the others, step by step?",
    model="transformer",
    also=("bert",),
    offers="smollm2",
    example="The king spoke to the queen",
    tries=(
        Try(
            "The king spoke to the queen",
            "Layer 1, head 4, row “en”: 90 % of its weight goes to “que”, the first half of the word.",
            link="layer=0&head=3",
        ),
        Try(
            "The bear ate the honey because it was",
            "What does “it” refer to? In layer 2, head 5 looks from “it” at “bear” (54 %), head 6 at “honey” "
            "(34 %). A model of this size does not decide. The translator does; see Cross-attention.",
            link="layer=1&head=4",
        ),
        Try(
            "The trophy would not fit in the suitcase because it was too small",
            "“It” means the suitcase here, and with “big” the trophy. Change the last word: "
            "not one weight in the row of “it” moves, in any head. The model reads left to "
            "right, so when it reads “it”, it cannot know which word will follow.",
            link="layer=1&head=5",
        ),
    ),
    sources=(
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2",
        "Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.3.1 (read by likeness)",
    ),
    differs="The notes show one head of an encoder with made-up weights. This page shows one head of a trained decoder."
    " A token sees only itself and the tokens before it, so the upper triangle is masked. The notes sometimes divide "
    "by d; the model divides by √d, and d is the width of a head, not that of the embeddings.\n"
    "Some numbers in their worked example are wrong; both versions are shown below. The weights show where a head "
    "looks, not why the model gives its answer.\n"
    "Weights do not grow in proportion to the scores, but exponentially: one more in a score makes a weight 2.7 times "
    "as large beside the others. They say that softmax keeps values from exploding; it makes them sum to 1, but with "
    "scores of 40 and 0 the second weight is 4 × 10⁻¹⁸, and in 32 bits the exponential of 89 overflows, unless the "
    "greatest score is taken off first.\nThey count 192 connections per token; that is for one number of it, and a "
    "token of width 64 has 64 × 192 = 12,288. They sum over all other words; the word itself has a weight too.\n"
    "They say that queries and keys are learned independently; only the product of their weights counts.\n"
    "A mask that hides the token itself as well leaves the first row without any key, and NaN everywhere behind it.",
    minutes=20,
    before=("tokenizers", "embeddings"),
    first="layer=0&head=3",
    minute=(
        Step(
            "At “que”, the first half of the word, with 90 % of its weight: this head puts words together.",
            text="The king spoke to the queen",
            link="layer=0&head=3",
            panel="chain",
            asks="“queen” is two tokens. From “en”, where does head 4 of layer 1 look?",
            choices=("king", "que", "spoke"),
            covers=("working",),
        ),
        Step(
            "53 % on “girl”, 44 % on “man”: the two who could be shaking. The next word has to be “her” or “his”.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3",
            panel="chain",
            asks="Somebody shook. From that word, whom does head 4 of layer 3 look at?",
            choices=("the girl", "the man", "both"),
            covers=("working",),
        ),
        Step(
            "Three quarters of each row go to the first token. A row must add up to 1, so a "
            "head that finds nothing needs a place to rest.",
            text="The cat sat on the mat and the cat",
            link="layer=1&head=1",
            panel="chain",
        ),
    ),
    topics="""
soft | Soft lookup: one query, every key | foundations N86 S50
    For the token that you point at: every key's score, and what a hard and a soft lookup read.
    soft attention, hard attention, argmax, retrieval, content addressing, associative memory
part-a-library-that-is-read-softly | Soft lookup in a library that you type | foundations N90; transformers B3
    A query, keys and values in words: scores, softmax at any temperature, and the weighted sum, beside a hard lookup.
    library analogy, library shelf, search engine, web search, dictionary lookup, key-value store, temperature
chain | Self-attention, step by step |
    transformers A8 B4 C1 B6 B9 C13 C14; foundations N78 N79 N80 N91 S28 S29 S49; language_models M56 M82 |
    transformers B8
    Tokens, queries, keys, scores, weights and values of one head, over the text that you type; with and without mask.
    attention, self-attention, attention of one head on a sentence, scaled dot-product attention, attention weights,
    causal mask, masked self-attention, look-ahead mask, triangular mask, autoregressive
working | Queries, keys and values | transformers B2 C7; foundations N76 N77 S44
    Click a cell of any matrix: the row and the column whose product it is.
    QKV, Q K V, projection, W_Q W_K W_V
part-attention-by-hand | Attention by hand | transformers C2 B4; foundations N84 N85 N91 N93 S44 S49
    Small matrices that you can edit, with every step worked out, right and as misprinted; queries equal to keys.
    worked example, numeric example, row-wise softmax, Q = K, symmetric attention, roles of query and key
part-why-divide-by-d | Why the scores are divided by √d | transformers C5 C6; foundations N79 S52
    Weights and gradient with and without it, on random vectors and in the model's own heads.
    scaling factor, softmax saturation, temperature, scaled dot product, sqrt d_k
part-queries-keys-and-values-while-they-are-learned | Queries, keys and values while they are learned |
    foundations N87 N88 N89 S45
    One head trained on the page: its matrices from random to a lookup, step by step.
    training attention, W_Q W_K W_V learned, random start of queries and keys, associative recall, roles emerge
part-how-a-word-moves-towards-its-neighbours | How a word moves towards its neighbours |
    transformers C4; foundations S40 S41 S42 S43
    Arrows on a plane: dot product, cosine or scaled, and the mean that comes out.
    dot product, cosine, soft lookup, context vector, Apple, blending
part-how-many-numbers-and-parameters-attention-has | How many numbers and parameters attention has |
    transformers D1; foundations N81 N82 N83 N92 S30; language_models M83
    Shapes and counts for any width and any number of heads.
    neuron count, output projection, W_O, parameters, multi-head shapes, connectivity
""",
)
