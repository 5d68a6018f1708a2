"""Maps: what does a flat map of a hundred dimensions show, and what does it invent?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="maps",
    era="Meaning as place",
    title="Maps",
    question="What does a flat map of a hundred dimensions show, and what does it invent?",
    model="skipgram",
    example="January May winter week daughter sister album music river bay",
    tries=(
        Try(
            "1949 1960 1973 1976 1985 1996 1999",
            "Years: do they lie together, and in order? Then choose principal components "
            "and look again.",
        ),
        Try(
            "Sweden Virginia Ottawa Versailles Brazilian Bengali",
            "Point at a word: lines lead to its true nearest neighbours. Long lines are "
            "neighbours that the map tore apart.",
        ),
        Try(
            "January May",
            "A month and a word that is also a verb. Colour by true neighbours kept: which "
            "words does the map place worst?",
        ),
    ),
    sources=(
        (
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 "
            "(principal components)"
        ),
        (
            "van der Maaten & Hinton, Visualizing Data using t-SNE, 2008; McInnes, Healy & "
            "Melville, UMAP, 2018"
        ),
        (
            "Venna & Kaski, Neighborhood Preservation in Nonlinear Projection Methods, 2001 "
            "(trustworthiness and continuity)"
        ),
        (
            "Wattenberg, Viégas & Johnson, How to Use t-SNE Effectively, 2016 (groups that are "
            "not there)"
        ),
        "Smilkov et al., Embedding Projector, 2016 (axes of one's own)",
    ),
    differs="The notes say that t-SNE or PCA of word vectors shows clear clusters of related words. "
    "Words close on the map are often related, but both methods also draw groups in pure "
    "noise. Here every word states how much of its neighbourhood the map kept, and the "
    "groups are compared with groups found in noise.",
    minutes=10,
    before=("vectors",),
    minute=(
        Step(
            "Point at “1999”: lines lead to its true nearest neighbours, “1998” first. Long "
            "lines are neighbours that the map tore apart.",
            text="1949 1960 1973 1976 1985 1996 1999",
            panel="points",
        ),
        Step(
            "“April” has a cosine of 0.94 with “January”, but of 0.61 with “May”: “may” is "
            "a verb, too, and one vector holds both.",
            text="January May",
            panel="points",
        ),
        Step(
            "Six capitals, peoples and places: compare the lines that are short with those "
            "that cross the map.",
            text="Sweden Virginia Ottawa Versailles Brazilian Bengali",
            panel="points",
        ),
    ),
    topics="""
points | Maps of words: PCA, t-SNE, UMAP | rnn J7
    Thousands of words on a plane, with a measure of what the map tore apart.
    projection, dimensionality reduction, principal components, tSNE, visualisation
groups | Are the groups on a map real? | rnn J7
    The same map drawn of noise, to see what chance can look like.
    clusters, trustworthiness, continuity, clustering
""",
)
