"""Word vectors: what do directions between words capture, and what do they miss?"""

from __future__ import annotations

from engine.core.registry import models
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="vectors",
    era="Meaning as place",
    title="Word vectors",
    question="What do directions between words capture, and what do they miss?",
    model="skipgram",
    also=models.heirs("WordSpace"),
    example="king queen prince princess man woman banana",
    tries=(
        Try(
            "breakfast cereal dinner lunch",
            "Odd one out, skip-gram: “cereal” agrees least with the mean, because it is food but not a meal.",
        ),
        Try(
            "red green blue yellow seven",
            "Similarity, skip-gram: the colours form a block of cosines from 0.60 to 0.80; “seven” stays outside it.",
        ),
        Try(
            "hot cold warm cool big small large little",
            "Opposites lie as close as synonyms, skip-gram: 0.58 for hot and cold, 0.58 for "
            "big and large, and 0.89 for small and large.",
        ),
    ),
    sources=(
        (
            "Mikolov, Yih & Zweig, Linguistic Regularities in Continuous Space Word Representations, 2013"
        ),
        (
            "Linzen, Issues in Evaluating Semantic Spaces Using Word Analogies, 2016 (the "
            "question's words win unless they are left out)"
        ),
        (
            "Bolukbasi et al., Man is to Computer Programmer as Woman is to Homemaker?, 2016 (word axes)"
        ),
        (
            "Finkelstein et al., Placing Search in Context, 2002 (WordSim-353); Hill, Reichart "
            "& Korhonen, SimLex-999, 2015; Bruni, Tran & Baroni, 2014 (MEN)"
        ),
    ),
    differs="The notes say that king − man + woman gives queen. With the skip-gram vectors it does, provided that "
    "the three words themselves are excluded, which the notes do not mention; both rankings are shown. Other tables "
    "give other words. The notes also say that vectors hold hierarchies (animal, dog). Vectors hold nearness: a "
    "cosine does not tell a kind from a part, or a synonym from an opposite.",
    minutes=15,
    before=("embeddings",),
    minute=(
        Step(
            "The same, 0.58. Opposites stand in the same sentences as synonyms, so their vectors lie as close.",
            text="hot cold warm cool big small large little",
            panel="similarity",
            asks="Which two are closer: hot and cold, or big and large?",
            choices=("hot, cold", "big, large", "the same"),
        ),
        Step(
            "“cereal”: its vector agrees least with the mean of the four. It is food, but not a meal.",
            text="breakfast cereal dinner lunch",
            panel="oddone",
            asks="Breakfast, cereal, dinner, lunch: which is the odd one out?",
            choices=("breakfast", "cereal", "dinner"),
        ),
        Step(
            "The colours form a block of cosines from 0.60 to 0.80; “seven” stays outside it.",
            text="red green blue yellow seven",
            panel="similarity",
        ),
    ),
    topics="""
similarity | How alike are these words? | language_models P15
    The cosine of every pair of typed words.
    cosine similarity, dot product, semantic similarity
part-analogies | Analogies: king − man + woman | rnn J5; language_models P16
    The nearest words to b − a + c, and the parallelogram they stand in.
    king queen, word analogy, vector arithmetic, 3CosAdd
oddone | Odd one out | language_models P15
    The typed word that fits the others least.
    outlier, doesn't match
part-what-a-cosine-does-not-say | What a cosine does not say | rnn J6
    Synonyms, opposites, kinds and parts come out alike.
    hierarchical relations, hypernym, antonym, synonym, part of
vectors.axes.axes | Words between two poles | language_models M20
    Where the typed words stand between man and woman, or any two words, and what is left when that direction goes.
    bias, gender bias, semantic axis, stereotype, fairness, debiasing, debias, lipstick on a pig
part-words-without-a-vector | Words without a vector | language_models P19
    What a table can do about a word that it does not have.
    OOV, unknown word, out of vocabulary
part-frozen-or-tuned | Frozen or adaptive vectors | rnn J8; language_models P17
    Ready-made vectors as the first layer of a classifier, frozen and learned further: how good, and where words drift.
    pre-trained embeddings, fine-tuning embeddings, GloVe in practice, transfer,
    pre-trained vectors, download the vectors
part-how-good-are-they | How good word vectors are | rnn J5
    Tests with answers by people: analogies and likeness of pairs.
    WordSim, SimLex, MEN, Spearman, intrinsic evaluation
""",
)
