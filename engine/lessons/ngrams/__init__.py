"""N-grams: can counting predict the next word?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="ngrams",
    era="Counting",
    title="N-grams",
    question="Can counting predict the next word?",
    model="ngram",
    example="It was one of the most",
    tries=(
        Try(
            "It was one of the most",
            "“ancient” followed “one of the most” in the training text, so nearly all of its bar is order 5; "
            "“important” gets its mass from “the most” and “most”, orders 3 and 2.",
        ),
        Try(
            "There was a knock at the",
            "A frequent phrase: order 5 holds three quarters of the mass, and “door” alone has 88 %.",
        ),
        Try(
            "The elephant of the",
            "A rare context: nothing longer than “of the” helps, so the mass moves down to order 3.",
        ),
        Try(
            "the flurble is",
            "An unknown word is read as <unk>, like every rare word of the novels; the "
            "predictions come from what followed those.",
        ),
    ),
    sources=(
        "Shannon, A Mathematical Theory of Communication, 1948, sec. 3",
        "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
        (
            "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999, sec. 3"
        ),
    ),
    differs="The course notes give Kneser-Ney for word pairs, with a single discount that they leave unspecified. "
    "This page shows the modified form: three discounts for each order, computed from counts of counts, up to the "
    "order of the run, and a share for unseen words.",
    minutes=10,
    minute=(
        Step(
            "“door”, with 88 %. The model knows no grammar and no houses: it has only counted which word followed.",
            text="There was a knock at the",
            panel="next",
            asks="There was a knock at the … How sure can a table of counts be?",
            choices=("not at all", "door, 30 %", "door, 88 %"),
            covers=("ladder",),
        ),
        Step(
            "Look at the last column: order 5, the count of the last four words, decides 77 % of the answer.",
            text="There was a knock at the",
            panel="orders",
        ),
        Step(
            "Back-off: nothing longer than “of the” was ever counted here, so order 3 takes over, with 76 %.",
            text="The elephant of the",
            panel="orders",
        ),
        Step(
            "It reads “flurble” as “unknown word”, as it read every rare word of the "
            "novels: “a” gets 15 % and “not” 6.8 %.",
            text="the flurble is",
            panel="next",
            asks="“flurble” was never counted. What does the table expect after “is”?",
            choices=("nothing", "any word", "“a” or “not”"),
            covers=("ladder",),
        ),
    ),
    topics="""
next | Language model | language_models M01; transformers I7
    Every word of the vocabulary with its probability of coming next.
    LM, next-word prediction, next token, predictor
chain | Chain rule of probability | language_models M02 M06 P29
    The probability of your sentence as a product, one factor for each word.
    joint probability, factorisation, autoregressive, product of conditionals
chain | Markov assumption | language_models M28
    Each factor keeps only the last words of its condition: choose one and read it.
    Markov property, limited history, Markov chain, order of a model
orders | N-grams | language_models M27
    Which order of the counts answered for each word, and what the shorter ones added.
    ngram, unigram, bigram, trigram, order
""",
)
