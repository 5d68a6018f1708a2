"""Smoothing: how likely is a word that was never seen in this context?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(text: str, order: int, part: str, more: str = "") -> str:
    """What a step of the first minute chooses, as its address says it."""
    also = f"&smoothing.{more}" if more else ""
    return f"study.corpus={text}&study.cut=words&study.order={order}&smoothing.part={part}{also}"


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
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data, 1980"
        ),
        "Brants et al., Large Language Models in Machine Translation, 2007 (stupid back-off)",
    ),
    differs="The notes write back-off without a discount: with any factor above 0 the row then sums to more than 1. "
    "That is stupid back-off, shown here as the score that it is, next to back-off with a discount, which sums to "
    "1. In Laplace's formula V must count the sentence end and the unknown word, or the row does not sum to 1. The "
    "notes leave open the lambda and d of Kneser-Ney and stop at word pairs. Here lambda is the mass that the "
    "discount freed, d comes from the counts, and every order below the longest uses continuation counts.",
    minutes=20,
    before=("ngrams",),
    live=False,
    minute=(
        Step(
            "“the cat” occurs four times: the sentence ends there twice, “saw” and “sat” "
            "follow once each. All other words have the count 0.",
            link=chosen("cats", 3, "Counts and lines", "after=the cat"),
            panel="part-counts-and-lines",
        ),
        Step(
            "“glasses”. Both occur three times, but “francisco” follows one word only, "
            "“glasses” three. Kneser-Ney counts that.",
            link=chosen("francisco", 2, "Kneser-Ney"),
            panel="part-kneser-ney",
            asks="“francisco” and “glasses” occur equally often. Which is likelier after a new word?",
            choices=("francisco", "glasses", "equally likely"),
            covers=("part-kneser-ney",),
        ),
        Step(
            "“The teachers opened their books” was never read. One factor of 0 makes the "
            "whole sentence impossible; see how each method avoids it.",
            link=chosen(
                "students", 4, "Zero probability", "zero.sentence=The teachers opened their books"
            ),
            panel="smoothing.zero.lines",
        ),
        Step(
            "“dog” was said twice just now, so after “the” it rises from 10 % to 16 %, and no count has changed.",
            link=chosen(
                "cats",
                3,
                "Cache",
                "cache.left=the&smoothing.cache.recent=dog saw dog&smoothing.cache.weight=0.1"
                "&smoothing.cache.fade=1.0",
            ),
            panel="smoothing.cache.with",
        ),
    ),
    topics="""
smoothing.backoff.ladder | Back-off | language_models M37 M38 M45
    The ladder: which context answers, and what it leaves to the next shorter one.
    backoff, stupid back-off, Katz, Good-Turing, back-off weight, variable length, longest match
smoothing.methods.compare | Add-one and add-k smoothing | language_models M35 M36
    A slider for k, and how much mass goes to words that were never seen.
    Laplace, Lidstone, add-1, add-k, additive smoothing
smoothing.methods.compare | Interpolation | language_models M40 M57
    Shares of all orders mixed with weights, fixed by you or learned from held-out text.
    Jelinek-Mercer, linear interpolation, EM, mixture of orders
smoothing.methods.compare | Absolute discounting and Witten-Bell | language_models M39
    What each takes from a count, and to whom it gives it, on the same context.
    discount, Witten-Bell, Ney, modified Kneser-Ney
part-all-methods | Which smoothing method is best | language_models M39 | |
    corpus=stories
    Every method with the perplexity that it has on held-out lines; lower is better.
    best smoothing, compare smoothing methods, perplexity of smoothing methods
part-kneser-ney | Kneser-Ney smoothing | language_models M41 M42
    Why “Francisco” gets little: a word counts by how many different words it followed.
    KN, continuation probability, continuation count, Francisco, modified Kneser-Ney
part-counts-and-lines | Probabilities by counting |
    language_models M30 M31 M32
    The counts behind a probability, and the lines of the text where they were found.
    MLE, maximum likelihood estimate, relative frequency, counts, sentence boundaries,
    start symbol, end symbol, <s>, </s>, stop token
part-counts-and-lines | Skip-grams that are counted | language_models M44
    What is counted where words are left out in between.
    skipgram, k-skip-n-gram, gappy n-gram, distance
smoothing.zero.lines | Zero probability | language_models M34
    One unseen pair, and the whole product is 0: which method repairs it.
    zero count, unseen events, sparse data
smoothing.likelihood.likelihood | Maximum likelihood as an aim | language_models M03
    Move one probability off the counts: the likelihood of the text falls, whichever way.
    objective, log-likelihood, MLE, why relative frequencies
smoothing.unknown.share | Unknown words | language_models M33
    From which count a word is known: a slider, and what the unknown token gets.
    OOV, UNK, out of vocabulary, unknown token, is a word known, minimum count
- | Character n-grams | language_models M43 | | study.cut=characters
    The same methods on characters: choose “characters” beside the text.
    character model, letters
smoothing.cache.with | Cache of recent words | language_models M60
    What was said lately becomes likelier; a slider says how much.
    cache language model, recency, continuous cache
smoothing.blank.both | Fill the blank with counts | language_models M09
    A gap judged from both sides, by n-grams alone.
    cloze, masked word, both sides
smoothing.blank.both | Spelling correction | language_models M61 | | smoothing.blank.gap=the xat
    A wrong word, its candidates, and how likely each is in its place.
    noisy channel, typo, edit distance, autocorrect
""",
)
