"""Lessons on models that count."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

COUNTING = (
    Lesson(
        "ngrams", "01_ngrams.py", "Counting", "N-grams", "Can counting predict the next word?", "ngram",
        "It was one of the most",
        (
            Try("It was one of the most", "“ancient” stood behind “one of the most”, so its bar is nearly all order 5; “important” comes from “the most” and “most”, orders 3 and 2."),
            Try("There was a knock at the", "Words that often stood together: order 5 holds three quarters of the mass, and “door” alone has 88 %."),
            Try("The elephant of the", "A rare context: nothing longer than “of the” helps, so the mass moves down to order 3."),
            Try("the flurble is", "A word that the model does not know is read as <unk>, like every rare word of its novels; what follows was counted after those."),
        ),
        (
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 3",
            "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
            "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999, sec. 3",
        ),
        "The course notes give Kneser-Ney for word pairs with one unnamed discount. Shown is the modified form: three discounts "
        "for each order, computed from counts of counts, up to the order of the run, and a share for words never seen.",
    ),
    Lesson(
        "smoothing", "05_smoothing.py", "Counting", "Smoothing", "What chance has a word that was never seen here?", "ngram",
        "the cat", (),
        (
            "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999",
            "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, 1995",
            "Katz, Estimation of Probabilities from Sparse Data, 1987",
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data, 1980",
            "Brants et al., Large Language Models in Machine Translation, 2007 (stupid back-off)",
        ),
        "The notes write back-off without a discount: with any factor above 0 the row then sums to more than 1. That is stupid back-off, "
        "shown here as the score that it is; beside it stands back-off with a discount, which sums to 1. In Laplace's formula V counts "
        "the sentence end and the unknown word, or the row does not sum to 1. The notes leave open lambda and d of Kneser-Ney and stop at "
        "word pairs: here lambda is what the discount freed, d comes from the counts, and every order below the longest has continuation counts.",
        ("ngrams",), live=False,
    ),
    Lesson(
        "scoring", "10_scoring.py", "Counting", "Scoring", "How good is a model, in one number?", "ngram", "", (),
        (
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 6 and 7 (entropy)",
            "Jelinek, Mercer, Bahl & Baker, Perplexity, a Measure of the Difficulty of Speech Recognition Tasks, 1977",
            "Kullback & Leibler, On Information and Sufficiency, 1951",
            "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999, sec. 1",
        ),
        "The notes divide the loss by the number of sentences; its power is no perplexity and grows with the length of the sentences. "
        "Here it is divided by the number of tokens, and both are shown. They don't say whether the sentence end counts, nor what becomes of "
        "unknown words and of a probability of 0: here each is a switch or a list. The base of the power is that of the logarithm; "
        "the cost of mixing them up is shown. The notes divide by the count of a word: here it is its count as a context.",
        ("smoothing",), live=False,
    ),
    Lesson(
        "sparsity", "06_sparsity.py", "Counting", "Sparsity", "How far does counting reach?", "ngram", "the value of", (),
        (
            "Zipf, Human Behavior and the Principle of Least Effort, 1949",
            "Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978, sec. 7.5",
            "Goodman, A Bit of Progress in Language Modeling, 2001 (perplexity against order and size)",
            "Fredkin, Trie Memory, 1960",
        ),
        "The notes say that a table needs V^n cells and that storage grows exponentially. Cells do; a model that counts stores only "
        "what occurs, never more than there are tokens. Both are drawn. Here an n-gram has n words; the notes also count the words before the last one.",
        ("ngrams",), live=False,
    ),
    Lesson(
        "generation", "07_generation.py", "Counting", "Generation", "Can counts write?", "ngram", "", (),
        (
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 3 (text drawn from counts of orders 0 to 3)",
            "McCoy et al., How Much Do Language Models Copy From Their Training Data?, 2023 (exact copies)",
        ),
        "The notes draw the next word from the last two and say neither how to begin nor when to stop. Here a sentence begins behind "
        "the mark <s> and ends when the mark </s> is drawn. One random number chooses each word, the same for every order.",
        ("ngrams",), live=False,
    ),
    Lesson(
        "size", "08_size.py", "Counting", "Size", "How small can a counted model get?", "ngram", "", (),
        (
            "Stolcke, Entropy-based Pruning of Backoff Language Models, 1998",
            "Chelba, Brants, Neveitt & Xu, Study on Interaction between Entropy Pruning and Kneser-Ney Smoothing, 2010",
            "Whittaker & Raj, Quantization-based Language Model Compression, 2001",
            "Federico & Bertoldi, How Many Bits Are Needed to Store Probabilities for Phrase-Based Translation?, 2006",
            "Pauls & Klein, Faster and Smaller N-Gram Language Models, 2011 (tries in arrays)",
        ),
        "The notes give the space as V^n: that is the full table, and a counted model stores only what occurs. Their O(1) is for one "
        "probability; a whole row costs V. Cut-offs “below a threshold” leave the bound open: here c > 1 keeps what was counted twice. "
        "The notes name no measure for what contributes least; shown is Stolcke's relative entropy. What is freed goes to the shorter context.",
        ("smoothing", "sparsity"), live=False,
    ),
    Lesson(
        "variants", "09_variants.py", "Counting", "Variants", "What else can be counted?", "ngram", "", (),
        (
            "Guthrie et al., A Closer Look at Skip-gram Modelling, 2006 (skip-grams that are counted)",
            "Ron, Singer & Tishby, The Power of Amnesia, 1996 (contexts of variable length)",
            "Kuhn & De Mori, A Cache-Based Natural Language Model for Speech Recognition, 1990",
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data, 1980 (weights of a mixture)",
            "Kernighan, Church & Gale, A Spelling Correction Program Based on a Noisy Channel Model, 1990",
            "Mays, Damerau & Mercer, Context Based Spelling Correction, 1991",
        ),
        "The notes let the distance of a skip-gram run from 1 to n and call n the order too. With up to k words left out it runs from 1 to "
        "k + 1. Their skip-gram and that of word2vec share a name and little else. They name caches, hybrids and spelling without a formula: "
        "here each has one. How two models are mixed is open in the notes; here their probabilities are added.",
        ("ngrams",), live=False,
    ),
)  # fmt: skip
