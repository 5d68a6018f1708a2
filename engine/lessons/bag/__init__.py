"""Bag of words: what do the words of a review tell us without their order?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="bag",
    era="Words to numbers",
    title="Bag of words",
    question="What do the words of a review tell us without their order?",
    model="",
    example="The food was delicious, but the waiter was rude and slow",
    tries=(
        Try(
            "not boring",
            "A bag has no order, so “not” cannot turn “boring” around: each word counts by "
            "itself, and the sum comes out negative.",
            link="rules=multinomial&by=k1",
        ),
        Try(
            "The food was not bad at all, a perfect evening",
            "Each bar is the evidence of one word; 1 / (1 + 2^−bits) of their sum is the posterior.",
            link="rules=multinomial&by=k1",
        ),
        Try(
            "a great film with a dirty joke",
            "k = 0: a word that one class never had gives a factor of 0, whatever the other "
            "words are. Choose a larger k.",
            link="rules=multinomial&by=k0",
        ),
        Try(
            "great great great great",
            "Bernoulli counts a word once, and absent words count as evidence too. Multinomial counts it four times.",
            link="rules=bernoulli&by=k1",
        ),
        Try(
            " ".join(["good"] * 200),
            "Underflow: the product is too small for a 64-bit number and becomes 0. The sum "
            "of the logarithms does not.",
            link="rules=multinomial&by=k1",
            label="a word 200 times",
        ),
    ),
    prompt="Type a review; every number updates as you type",
    sources=(
        "Maron, Automatic Indexing: An Experimental Inquiry, 1961 (naive Bayes for texts)",
        (
            "McCallum & Nigam, A Comparison of Event Models for Naive Bayes Text "
            "Classification, 1998 (multinomial and Bernoulli)"
        ),
        (
            "Spärck Jones, A Statistical Interpretation of Term Specificity, 1972 (idf); "
            "Rocchio, Relevance Feedback in Information Retrieval, 1971 (centroids)"
        ),
        "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13",
        "Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 4",
    ),
    differs="The notes ask for the probability of a bag but give that of one sequence; a bag has the probability of "
    "all its orders together, and both are shown. They add a small amount to every entry without renormalising, so "
    "the entries no longer sum to 1. They multiply probabilities; a long text needs sums of logarithms. They give "
    "no rule for a word that was never counted; here such a word is skipped, and the page says so.",
    minutes=10,
    before=("preparation",),
    live=False,
    minute=(
        Step(
            "No: “not” is worth −0.31 bits, “boring” −1.03. Each word counts by itself, so "
            "“not” reverses nothing, and 28 % are left.",
            text="not boring",
            link="rules=multinomial&by=k1",
            panel="ladder",
            asks="“not boring”: will a bag of words take this for praise?",
            choices=("yes", "no"),
            covers=("beside", "rule"),
        ),
        Step(
            "The same, 54 %: the same words give the same sum. Whatever the order had to say is lost.",
            text="The film is bad, not good",
            link="rules=multinomial&by=k1",
            panel="ladder",
            asks="“The film is good, not bad” is positive with 54 %. And in this order?",
            choices=("less", "the same", "more"),
            covers=("beside", "rule"),
        ),
        Step(
            "Multinomial adds “great” four times, +14.2 bits. Bernoulli only asks whether "
            "it is there: 87 %, as for one “great”.",
            text="great great great great",
            link="rules=multinomial&by=k1",
            panel="beside",
        ),
        Step(
            "No answer, 0 / 0: “great” was in no bad review and “dirty” in no good one. One "
            "factor of 0 is enough; k = 1 gives 93 %.",
            text="a great film with a dirty joke",
            link="rules=multinomial&by=k0",
            panel="rule",
            asks="Plain counts, k = 0: how likely is it that this review is positive?",
            choices=("93 %", "0 %", "no answer"),
            covers=("ladder", "beside"),
        ),
    ),
    true_of=("Short reviews", "0.3.0"),
    topics="""
rule | Bag of words | foundations S09; language_models P25
    How often each word stands in a text, with the order thrown away: every order is as likely.
    BoW, unigram model, word counts, multinomial
ladder | Naive Bayes | language_models P26 P27
    Each word is so many bits of evidence; they add up to the answer.
    Bayes classifier, text classification, log odds, spam
rule | Bayes' rule with these numbers | language_models P27
    Prior times likelihood over evidence, written with the numbers of the typed text.
    Bayes theorem, posterior, prior, likelihood
part-add-a-small-amount-then-renormalise | Adding a small amount to word counts | language_models P28
    What adding to counts repairs, and what must be divided again afterwards.
    add-k, Laplace, pseudo-count, zero counts
beside | Sentiment without order | lstm C04 D17; transformers J2
    A review judged by its words alone, right or wrong, with TF-IDF and Bernoulli beside it.
    sentiment analysis, opinion, TF-IDF, Bernoulli
part-does-it-work-on-held-out-texts | Precision, recall, F1 and the confusion matrix |
    transformers L17 L18
    Counted on texts that were held out.
    accuracy, confusion matrix, F1, error analysis, metrics, bootstrap
part-which-mistakes-is-it-surest-of | The mistakes that a classifier is surest of | transformers L18
    Wrong answers on held-out texts by confidence, with what was true.
    error analysis, confident mistakes, overconfidence, misclassified
""",
)
