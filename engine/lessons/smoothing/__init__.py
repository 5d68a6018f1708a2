"""Smoothing: how likely is a word that was never seen in this context?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="smoothing",
    era="Counting",
    title="Smoothing",
    question="How likely is a word that was never seen in this context?",
    model="ngram",
    example="the cat",
    tries=(),
    sources=(
        ("Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999"),
        "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
        "Katz, Estimation of Probabilities from Sparse Data, 1987",
        (
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse "
            "Data, 1980"
        ),
        "Brants et al., Large Language Models in Machine Translation, 2007 (stupid back-off)",
    ),
    differs="The notes write back-off without a discount: with any factor above 0 the row then sums "
    "to more than 1. That is stupid back-off, shown here as the score that it is, next to "
    "back-off with a discount, which sums to 1. In Laplace's formula V must count the "
    "sentence end and the unknown word, or the row does not sum to 1. The notes leave open "
    "the lambda and d of Kneser-Ney and stop at word pairs. Here lambda is the mass that "
    "the discount freed, d comes from the counts, and every order below the longest uses "
    "continuation counts.",
    minutes=20,
    before=("ngrams",),
    live=False,
    minute=(
        Step(
            "“the cat” occurs four times: the sentence ends there twice, “saw” and “sat” "
            "follow once each. All other words have the count 0.",
            link="corpus=cats&order=3&cut=words&after=the cat",
            panel="part-counts",
        ),
        Step(
            "“glasses”. Both occur three times, but “francisco” follows one word only, "
            "“glasses” three. Kneser-Ney counts that.",
            link="corpus=francisco&order=2&cut=words&after=lost",
            panel="part-francisco",
            asks="“francisco” and “glasses” occur equally often. Which is likelier after a new "
            "word?",
            choices=("francisco", "glasses", "equally likely"),
            covers=("compare",),
        ),
        Step(
            "“The teachers opened their books” was never read. One factor of 0 makes the "
            "whole sentence impossible; see how each method avoids it.",
            link="corpus=students&order=4&cut=words&after=teachers opened their&sentence=The "
            "teachers opened their books",
            panel="part-zero",
        ),
    ),
    topics="""
counts | Probabilities by counting | language_models M31
    The counts behind a probability, and the lines of the text where they were found.
    MLE, maximum likelihood estimate, relative frequency, counts
likelihood | Maximum likelihood as an aim | language_models M03
    Move one probability off the counts: the likelihood of the text falls, whichever way.
    objective, log-likelihood, MLE, why relative frequencies
steps | Six steps from a text to an n-gram model | language_models M30
    Collect, tokenise, extract, count, smooth, store: what comes out of each on your text.
    training procedure, pipeline, train an n-gram model, how a model is counted
zero | Zero probability | language_models M34
    One unseen pair, and the whole product is 0: which method repairs it.
    zero count, unseen events, sparse data
methods | Add-one and add-k smoothing | language_models M35 M36
    A slider for k, and how much mass goes to words that were never seen.
    Laplace, Lidstone, add-1, add-k, additive smoothing
ladder | Back-off | language_models M37 M38
    The ladder: which context answers, and what it leaves to the next shorter one.
    backoff, stupid back-off, Katz, Good-Turing, back-off weight
methods | Interpolation | language_models M40
    Shares of all orders mixed with weights, fixed by you or learned from held-out text.
    Jelinek-Mercer, linear interpolation, EM, mixture of orders
methods | Absolute discounting and Witten-Bell | language_models M39
    What each takes from a count, and to whom it gives it, on the same context.
    discount, Witten-Bell, Ney, modified Kneser-Ney
part-held-out | Which smoothing method is best | language_models M39 | | corpus=stories
    Every method with the perplexity that it has on held-out lines; lower is better.
    best smoothing, compare smoothing methods, perplexity of smoothing methods
francisco | Kneser-Ney smoothing | language_models M41 M42
    Why “Francisco” gets little: a word counts by how many different words it followed.
    KN, continuation probability, continuation count, Francisco, modified Kneser-Ney
counts | Sentence boundaries | language_models M32
    The marks of begin and end among the counts: what follows <s>, what </s> follows.
    start symbol, end symbol, <s>, </s>, stop token
unknown | Unknown words | language_models M33
    From which count a word is known: a slider, and what the unknown token gets.
    OOV, UNK, out of vocabulary, unknown token, is a word known, minimum count
- | Character n-grams | language_models M43 | | cut=characters
    The same methods on characters: choose “characters” beside the text.
    character model, letters
""",
)
