"""Co-occurrence: what do a word's neighbours tell us about it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

TEXT = (
    "paris is a capital city\nlondon is a capital city\nrome is a capital city\n"
    "orange is a sweet fruit\napple is a sweet fruit"
)

LESSON = Lesson(
    id="cooccurrence",
    era="Meaning as place",
    title="Co-occurrence",
    question="What do a word's neighbours tell us about it?",
    model="glove",
    example=TEXT,
    tries=(
        Try(
            "the cat sat on the mat",
            "Window of 1: five pairs occur, each once, and the table is symmetric.",
            link="size=1",
        ),
        Try(
            TEXT,
            "Cosines of rows: 1 for paris and london, which have the same neighbours, 0.5 for paris "
            "and orange, which share half of theirs.",
            link="shows=cosine",
        ),
        Try(
            "the cat drinks milk\nthe dog drinks water\nthe cat eats fish\nthe dog eats meat",
            "PPMI: click the cell of cat and milk: which numbers make it large?",
            link="shows=ppmi",
        ),
    ),
    sources=(
        "Firth, A Synopsis of Linguistic Theory, 1957 (a word is known by the company it keeps)",
        "Church & Hanks, Word Association Norms, Mutual Information, and Lexicography, 1990 (PMI)",
        "Levy et al., Improving Distributional Similarity with Lessons Learned from Word Embeddings, 2015 (SVD)",
        "Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, 2014",
    ),
    differs="The notes say that GloVe fits the logarithm of a co-occurrence probability and leave its weight f "
    "open. GloVe fits the logarithm of the count, f also caps frequent pairs, and unseen pairs are left out. The "
    "vector of a word is the sum w + w̃. Here words are lower-cased, and windows do not cross a line end.",
    minutes=15,
    before=("ngrams",),
    minute=(
        Step(
            "Window of 1: a word is paired with its next neighbours only. Five pairs occur, "
            "each once, and the table is symmetric.",
            text="the cat sat on the mat",
            link="size=1",
            panel="near",
        ),
        Step(
            "1: the same. Both stand near “is”, “a”, “capital” and “city”. A word is known by its neighbours.",
            text=TEXT,
            link="shows=cosine",
            panel="near",
            asks="“paris” and “london” never occur together. What is the cosine of their rows?",
            choices=("0", "0.5", "1"),
        ),
        Step(
            "PPMI asks what is more than chance: “the”, which is near everything, gets 0.29 "
            "with each word; “cat” and “milk” get 0.98.",
            text="the cat drinks milk\nthe dog drinks water\nthe cat eats fish\nthe dog eats meat",
            link="shows=ppmi",
            panel="near",
        ),
    ),
    topics="""
near | Co-occurrence counts | rnn J1 J2; language_models M07 P11 P15
    Which words stand near which in what you type, and how much more often than by chance.
    the company of a word, cooccurrence matrix, word-context matrix, window, PPMI, PMI,
    distributional hypothesis, context words, collocation
onehot | One-hot vectors | foundations S04 S06; language_models P01 P02
    Each word a place of its own, and every two words equally unlike.
    one hot encoding, indicator vector, sparse vector
dense | Dense vectors beside one-hot ones | foundations S06; language_models M07
    The same words with likeness learned from company.
    word embedding, embedding layer, representation learning, distributed representation
part-sources | Where word vectors come from | foundations S47
    Random, counted or trained with a net: the same words, and how often the nearest is of its kind.
    random embeddings, trained embeddings, initialisation of embeddings, toy vectors
cooccurrence.svd.singular | From counts to a few numbers: SVD | rnn J2
    The table of counts taken apart into directions, and what the first of them keep.
    singular value decomposition, latent semantic analysis, LSA, rank
part-train-glove | GloVe | rnn J4
    Vectors trained on the counts of your text, step by step, with the loss.
    Global Vectors, weighted least squares, log counts
part-ratios | Ratios of co-occurrence: ice and steam | rnn J3
    What belongs to ice, what to steam, what to both: the ratios behind GloVe.
    ratio insight, ice steam
""",
)
