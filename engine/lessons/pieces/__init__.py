"""Pieces of words: how can a model give a meaning to a word it has never seen?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try


def chosen(part: str) -> str:
    """What a step of the first minute chooses, as its address says it."""
    return f"pieces.pieces_words=unhappiest+unhappy+happiest&pieces.part={part}"


LESSON = Lesson(
    id="pieces",
    era="Meaning as place",
    title="Pieces of words",
    question="How can a model give a meaning to a word it has never seen?",
    model="fasttext",
    also=("charngram",),
    example="unhappiest unhappy happiest",
    tries=(
        Try(
            "unhappiest unhappy happiest",
            "The first word is built from the other two: 33 of its 34 n-grams occur in them.",
        ),
        Try("applw apple", "A misspelling: 6 of 14 n-grams survive. Is “apple” still near?"),
        Try("cat cats catlike", "Short words have few n-grams. The page lists those of “cat”."),
        Try(
            "johnson johnston johnstone",
            "Names: the last two share 22 of 26 n-grams, though nobody told the model that they are related.",
        ),
        Try(
            "talossanikin talossa talo",
            "Finnish for “in my house too”: an English table has no row for it, yet it gets "
            "a vector, though one that knows no Finnish.",
        ),
        Try(
            "hyperhappiness happy happiness",
            "“happy” itself is not in it, but three of its n-grams are.",
        ),
    ),
    sources=(
        (
            "Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information, 2017 (fastText)"
        ),
        "Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model, 2017 (CharNgram)",
    ),
    differs="The notes describe the sum of the n-grams in words and the mean in their formula; the program takes "
    "the mean and adds a row for the whole word, which the notes leave out. They say that CharNgram is not trained "
    "by skip-gram; it is. They say that “applw” shares most of its n-grams with “apple”; it shares 6 of 14. Their "
    "list for “cat” has t> twice, lacks at>, and includes <cat>, which has five characters.",
    minutes=15,
    before=("tokenizers", "vectors"),
    subtitle="vectors of unknown words",
    live=False,
    minute=(
        Step(
            "Yes: from its 34 n-grams, all known from other words. Nearest to it is "
            "“happiest”, with a cosine of 0.84.",
            link=chosen("A word from its pieces"),
            panel="pieces.pieces.made",
            asks="The model has never read “unhappiest”. Does it have a vector for this word?",
            choices=("yes", "no"),
        ),
        Step(
            "“unhappiest” and “unhappy” share 14 of their 42 n-grams, and their vectors have a cosine of 0.69.",
            link=chosen("What do two words share?"),
            panel="pieces.common.jaccard",
        ),
        Step(
            "Skip-gram and GloVe have one row per word, and so no vector for it; fastText and CharNgram build one.",
            link=chosen("Three ways to give a word a vector"),
            panel="part-three-ways-to-give-a-word-a-vector",
        ),
    ),
    true_where="pieces.run=fasttext",
    topics="""
pieces.pieces.pull | fastText: a word made of character n-grams | rnn J9 J10 J15
    Every piece of a word with its row and its pull.
    fast text, subword vectors, skip-gram with pieces, hashing buckets
pieces.common.jaccard | What two words share | rnn J11 J13 J14 J17
    Common pieces of misspelled and inflected words, and how alike their vectors are.
    misspelling, typo, morphemes, inflection, Finnish, talossanikin
pieces.pieces.made | A vector for a word that was never seen | rnn J12 J18
    It is made of its pieces, by mean or sum, with weights that you set.
    OOV, unhappiest, compositional vector, aggregation
part-three-ways-to-give-a-word-a-vector | GloVe, fastText and CharNgram compared | rnn J16 J19 J20
    Neighbours of the same word in three kinds of table and in two of them together, and which one to choose.
    char n-gram embeddings, comparison, selection guide, word vectors, hybrid embeddings, ensemble of embeddings
""",
)
