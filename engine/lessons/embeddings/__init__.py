"""Embeddings: which words live near each other, and what a flat map of them shows and invents."""

from __future__ import annotations

from engine.core.registry import models
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="embeddings",
    era="Meaning as place",
    title="Embeddings",
    question="Which words live near each other, and can a map show it?",
    model="skipgram",
    also=models.heirs("WordSpace"),
    example="In April the king and the queen walked through Paris",
    prompt="Type words to mark them on the map",
    tries=(
        Try(
            "January March July October May",
            "Months lie close together: look at the neighbours and their cosines. “May” is also a verb.",
        ),
        Try(
            "France Paris Germany Berlin Italy Rome",
            "Countries and capitals: do the pairs lie in the same direction?",
        ),
        Try(
            "1949 1960 1973 1976 1985 1996 1999",
            "Years: do they lie together, and in order? Then choose principal components and look again.",
        ),
        Try(
            "Sweden Virginia Ottawa Versailles Brazilian Bengali",
            "Point at a word: lines lead to its true nearest neighbours. Long lines are "
            "neighbours that the map tore apart.",
        ),
    ),
    sources=(
        (
            "Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013"
        ),
        (
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 (principal components)"
        ),
        "van der Maaten & Hinton, Visualizing Data using t-SNE, 2008",
        (
            "Venna & Kaski, Neighborhood Preservation in Nonlinear Projection Methods, 2001 (trustworthiness)"
        ),
        (
            "Wattenberg, Viégas & Johnson, How to Use t-SNE Effectively, 2016 (groups that are not there)"
        ),
        "Smilkov et al., Embedding Projector, 2016 (axes of one's own)",
    ),
    differs="The notes say that t-SNE or PCA of word vectors shows clear clusters of related words. Words close on "
    "the map are often related, but a flat map cannot hold a hundred dimensions, and t-SNE also draws groups in "
    "pure noise. Here lines lead to the true nearest neighbours, by cosine in all dimensions; every word states how "
    "much of its neighbourhood the map kept (trustworthiness: are its neighbours on the map near in truth), and the "
    "groups are compared with groups found in noise.",
    minutes=15,
    before=("cooccurrence",),
    minute=(
        Step(
            "The other months: “march” and “december” with a cosine of 0.97. Nobody told the model what a month is.",
            text="april",
            panel="neighbours",
            asks="Which words are nearest to “april”?",
            choices=("rain, spring", "other months", "names"),
            covers=("points",),
        ),
        Step(
            "Money: “money” 0.56 and “mortgage” 0.55 are among its nearest ten, “river” "
            "0.48 is not. A word has one vector for all its meanings.",
            text="bank",
            panel="neighbours",
            asks="A bank keeps money or lines a river. Which words are near?",
            choices=("money", "river", "both"),
            covers=("points",),
        ),
        Step(
            "Months lie close together: the cosines among these four are all above 0.9. "
            "“king” and “banana” have −0.01.",
            text="January March July October king banana",
            panel="points",
        ),
        Step(
            "“April” has a cosine of 0.94 with “January”, but of 0.61 with “May”: “may” is "
            "a verb, too, and one vector holds both.",
            text="January May",
            panel="points",
        ),
        Step(
            "Point at “1999”: lines lead to its true nearest neighbours, “1998” first. Long "
            "lines are neighbours that the map tore apart.",
            text="1949 1960 1973 1976 1985 1996 1999",
            panel="points",
        ),
    ),
    topics="""
points | Word embeddings | rnn J7; foundations S05; language_models M07 P15
    Typed words on a map of the vocabulary, with their true neighbours.
    embedding, word vectors, vector space, nearest neighbours
points | Maps of words: PCA, t-SNE | rnn J7
    Thousands of words on a plane, with a measure of what the map tore apart.
    projection, dimensionality reduction, principal components, tSNE, UMAP, visualisation
neighbours | Nearest neighbours by cosine | language_models P15
    The words most alike in all dimensions, which the flat map may tear apart.
    cosine similarity, semantic neighbourhood, similar words
part-are-the-groups-real | Are the groups on a map real? | rnn J7
    The same map drawn of noise, to see what chance can look like.
    clusters, trustworthiness, clustering
""",
)
