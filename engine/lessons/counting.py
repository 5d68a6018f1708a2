"""Lessons on models that count."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

COUNTING = (
    Lesson(
        id="ngrams",
        era="Counting",
        title="N-grams",
        question="Can counting predict the next word?",
        minutes=10,
        model="ngram",
        example="It was one of the most",
        tries=(
            Try(
                "It was one of the most",
                "“ancient” followed “one of the most” in the training text, so nearly all of"
                " its bar is order 5; “important” gets its mass from “the most” and “most”,"
                " orders 3 and 2.",
            ),
            Try(
                "There was a knock at the",
                "A frequent phrase: order 5 holds three quarters of the mass, and “door” alone"
                " has 88 %.",
            ),
            Try(
                "The elephant of the",
                "A rare context: nothing longer than “of the” helps, so the mass moves down to"
                " order 3.",
            ),
            Try(
                "the flurble is",
                "An unknown word is read as <unk>, like every rare word of the novels; the"
                " predictions come from what followed those.",
            ),
        ),
        sources=(
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 3",
            "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
            (
                "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling,"
                " 1999, sec. 3"
            ),
        ),
        differs="The course notes give Kneser-Ney for word pairs, with a single discount that they"
        " leave unspecified. This page shows the modified form: three discounts for each"
        " order, computed from counts of counts, up to the order of the run, and a share for"
        " unseen words.",
    ),
    Lesson(
        id="smoothing",
        era="Counting",
        title="Smoothing",
        question="How likely is a word that was never seen in this context?",
        minutes=20,
        before=("ngrams",),
        model="ngram",
        example="the cat",
        tries=(),
        sources=(
            (
                "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling,"
                " 1999"
            ),
            "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
            "Katz, Estimation of Probabilities from Sparse Data, 1987",
            (
                "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse"
                " Data, 1980"
            ),
            "Brants et al., Large Language Models in Machine Translation, 2007 (stupid back-off)",
        ),
        differs="The notes write back-off without a discount: with any factor above 0 the row then"
        " sums to more than 1. That is stupid back-off, shown here as the score that it is,"
        " next to back-off with a discount, which sums to 1. In Laplace's formula V must count"
        " the sentence end and the unknown word, or the row does not sum to 1. The notes leave"
        " open the lambda and d of Kneser-Ney and stop at word pairs. Here lambda is the mass"
        " that the discount freed, d comes from the counts, and every order below the longest"
        " uses continuation counts.",
        live=False,
    ),
    Lesson(
        id="scoring",
        era="Counting",
        title="Scoring",
        question="How good is a model, in one number?",
        minutes=15,
        before=("smoothing",),
        model="ngram",
        example="",
        tries=(),
        sources=(
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 6 and 7 (entropy)",
            (
                "Jelinek, Mercer, Bahl & Baker, Perplexity, a Measure of the Difficulty of Speech"
                " Recognition Tasks, 1977"
            ),
            "Kullback & Leibler, On Information and Sufficiency, 1951",
            (
                "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling,"
                " 1999, sec. 1"
            ),
        ),
        differs="The notes divide the loss by the number of sentences; raised to a power, that is not"
        " a perplexity, and it grows with sentence length. Here the loss is divided by the"
        " number of tokens, and both are shown. The notes do not say whether the sentence end"
        " counts, nor what to do with unknown words and with a probability of 0; here each has"
        " a switch or a list. The base of the power must be that of the logarithm; this page"
        " shows the error when they are mixed up. The notes divide by the count of a word;"
        " here the divisor is its count as a context.",
        live=False,
    ),
    Lesson(
        id="generation",
        era="Counting",
        title="Generation",
        question="Can counts write text?",
        minutes=10,
        before=("ngrams",),
        model="ngram",
        example="",
        tries=(),
        sources=(
            (
                "Shannon, A Mathematical Theory of Communication, 1948, sec. 3 (text drawn from"
                " counts of orders 0 to 3)"
            ),
            (
                "McCoy et al., How Much Do Language Models Copy From Their Training Data?, 2023"
                " (exact copies)"
            ),
        ),
        differs="The notes draw the next word given the last two and do not say how to begin or when"
        " to stop. Here a sentence begins after the mark <s> and ends when the mark </s> is"
        " drawn. Each word is chosen by one random number, the same for every order.",
        live=False,
    ),
    Lesson(
        id="variants",
        era="Counting",
        title="Variants",
        question="What else can be counted?",
        minutes=15,
        before=("ngrams",),
        model="ngram",
        example="",
        tries=(),
        sources=(
            (
                "Guthrie et al., A Closer Look at Skip-gram Modelling, 2006 (skip-grams that are"
                " counted)"
            ),
            "Ron, Singer & Tishby, The Power of Amnesia, 1996 (contexts of variable length)",
            "Kuhn & De Mori, A Cache-Based Natural Language Model for Speech Recognition, 1990",
            (
                "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse"
                " Data, 1980 (weights of a mixture)"
            ),
            (
                "Kernighan, Church & Gale, A Spelling Correction Program Based on a Noisy Channel"
                " Model, 1990"
            ),
            "Mays, Damerau & Mercer, Context Based Spelling Correction, 1991",
        ),
        differs="The notes let the distance of a skip-gram run from 1 to n and also call the order n."
        " With up to k words left out, the distance runs from 1 to k + 1. Their skip-gram and"
        " that of word2vec share a name and little else. They name caches, hybrids and"
        " spelling correction without formulas; here each has one. They leave open how two"
        " models are mixed; here their probabilities are added with weights.",
        live=False,
    ),
)
