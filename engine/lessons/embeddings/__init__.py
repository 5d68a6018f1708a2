"""Embeddings: which words live near each other?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="embeddings",
    era="Meaning as place",
    title="Embeddings",
    question="Which words live near each other?",
    model="skipgram",
    example="In April the king and the queen walked through Paris",
    tries=(
        Try(
            "January March July October",
            "Months lie close together: look at the neighbours and their cosines.",
        ),
        Try(
            "France Paris Germany Berlin Italy Rome",
            "Countries and capitals: do the pairs lie in the same direction?",
        ),
        Try(
            "king queen man woman dog cat",
            "Families of words: click each one and compare its true neighbours with the map.",
        ),
    ),
    sources=(
        (
            "Mikolov et al., Distributed Representations of Words and Phrases and their "
            "Compositionality, 2013"
        ),
        (
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 "
            "(principal components)"
        ),
    ),
    differs="A flat map cannot hold a hundred dimensions: neighbours on the map may be far apart in "
    "truth. The list beside it is computed in all dimensions, and the map states how much "
    "of the variance it shows.",
    minutes=10,
    before=("cooccurrence",),
    minute=(
        Step(
            "The other months: “march” and “december” with a cosine of 0.97. Nobody told "
            "the model what a month is.",
            text="april",
            panel="neighbours",
            asks="Which words are nearest to “april”?",
            choices=("rain, spring", "other months", "names"),
            covers=("map",),
        ),
        Step(
            "Money: “money” 0.56 and “mortgage” 0.55 are among its nearest ten, “river” "
            "0.48 is not. A word has one vector for all its meanings.",
            text="bank",
            panel="neighbours",
            asks="A bank keeps money or lines a river. Which words are near?",
            choices=("money", "river", "both"),
            covers=("map",),
        ),
        Step(
            "Months lie close together: the cosines among these four are all above 0.9. "
            "“king” and “banana” have −0.01.",
            text="January March July October king banana",
            panel="map",
        ),
    ),
    topics="""
map | Word embeddings | rnn J7; foundations S05; language_models M07 P15
    Typed words on a map of the vocabulary, with their true neighbours.
    embedding, word vectors, vector space, nearest neighbours
neighbours | Nearest neighbours by cosine | language_models P15
    The words most alike in all dimensions, which the flat map may tear apart.
    cosine similarity, semantic neighbourhood, similar words
""",
)
