"""Pages on a reader's own material: texts, training, trained runs, comparisons."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

OWN: tuple[Lesson, ...] = (
    Lesson(
        "corpora", "35_corpora.py", "Your own models", "Your texts", "What is your text made of, before a model learns from it?", "ngram", "", (),
        (
            "Zipf, Human Behavior and the Principle of Least Effort, 1949 (how often the word of each rank comes up)",
            "Herdan, Type-token Mathematics, 1960; Heaps, Information Retrieval, 1978 (how the vocabulary grows)",
            "Lee et al., Deduplicating Training Data Makes Language Models Better, 2022",
            "Luhn, Key Word-in-Context Index for Technical Literature, 1960 (search with what stands around)",
        ),
        "The notes take their texts as given. Here a text is brought, cleaned and counted first, and a part of it is put aside as a test that no training sees. "
        "Passages, not sentences, are parted into training, validation and test, so that no passage stands on both sides.",
        live=False,
    ),
    Lesson(
        "training", "36_training.py", "Your own models", "Training room", "How does a model become good at a text, and what can be seen while it learns?", "", "", (),
        (
            "Goodfellow, Bengio & Courville, Deep Learning, 2016, ch. 7 and 8 (early stopping, optimisation)",
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013 (clipping)",
            "Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019; SGDR: Stochastic Gradient Descent with Warm Restarts, 2017",
            "Rajbhandari, Rasley, Ruwase & He, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, 2020, sec. 3 (what training holds in memory)",
        ),
        "The notes show a loss that falls in a smooth line. Here each step's own loss is drawn too: it jumps from batch to batch, and only its mean falls. A lower loss on the learned text "
        "proves nothing by itself, so a part of the text is held out and measured beside it.",
        live=False,
    ),
    Lesson(
        "runs", "37_runs.py", "Your own models", "Runs", "Which trained models are here, what made each of them, and how good did it become?", "lstm", "", (),
        (
            "Bengio, Practical Recommendations for Gradient-Based Training of Deep Architectures, 2012 (what to watch while training)",
            "Pineau et al., Improving Reproducibility in Machine Learning Research, 2021 (what has to be said of a training)",
            "PKWARE, APPNOTE.TXT: .ZIP File Format Specification; NIST, FIPS 180-4 (SHA-256)",
        ),
        "The notes train models and leave it open what to keep of a training. Here a run keeps its settings, the digest of its text, its seed, its curves and its versions. "
        "Losses in nats per token compare only where the tokens are the same; bits per character compare for any tokens, on the same held-out text.",
        live=False,
    ),
    Lesson(
        "compare", "38_compare.py", "Your own models", "Compare", "Which of these models reads this text best, and where do they disagree?", "lstm",
        "The captain went on board, and the ship sailed for France.",
        (
            Try("The captain went on board, and the ship sailed for",
                "The n-gram model sees “sailed” coming, 4 bits ahead of the others: it has counted what ships do. What does each expect after “for”?"),
            Try("The flurble zyxgrobbed his hat.",
                "Two words that nobody knows. The n-gram model pays 5 bits for “some unknown word”, and can't win; the two others spell them out, for 37 bits and more."),
            Try("The Snark was a Boojum, you see. The Snark was a Boojum",
                "Two words that nobody knows, twice. The second time they cost the Transformer 29 bits instead of 65: it looks back and copies. The LSTM pays 78, and 81 before."),
            Try("He was born in London, Englan", "A word cut short: the Transformer pays 34 bits for it, because its own tokens are made for the whole word. Type the d that is missing: 13 bits."),
        ),
        (
            "Cotterell, Mielke, Eisner & Roark, Are All Languages Equally Hard to Language-Model?, 2018 (bits per character)",
            "Lin, Divergence Measures Based on the Shannon Entropy, 1991 (Jensen-Shannon)",
            "Vieira et al., From Language Models over Tokens to Language Models over Characters, 2025",
            "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; Koehn, Statistical Significance Tests for Machine Translation Evaluation, 2004 (paired)",
            "Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, 2017",
        ),
        "The notes compare models by perplexity per token, and call one “significantly lower” without a number. Per token a reader of letters always looks better than a reader of words; "
        "so bits are added up between places where all models cut, or shared over characters, and a difference comes with its interval. Models of one vocabulary are compared over whole "
        "distributions, others over the next character, by adding up the tokens that begin with it.",
        ("scoring", "lstm", "attention"), live=False,
    ),
    Lesson(
        "duel", "39_duel.py", "Your own models", "Corpus duel", "From which of two texts does this sentence come, and what would both write together?", "ngram",
        "She gave him a silver key, and the function returned the value.",
        (
            Try("He kept the map and she kept the key.", "Nearly every word speaks for the stories. Only “key” could stand in either text: look at its bar."),
            Try("The name of the key is a string.", "Here every word speaks for the reference, “key” too: what stands before a word changes what it says."),
            Try("The secret word is a keyword, and the door opened.", "The total goes up, down and up again. Which word turns it?"),
        ),
        (
            "Good, Probability and the Weighing of Evidence, 1950, ch. 6 (weight of evidence)",
            "Mosteller & Wallace, Inference and Disputed Authorship: The Federalist, 1964",
            "Hinton, Products of Experts, 1999; Genest & Zidek, Combining Probability Distributions, 1986",
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data, 1980 (mixtures)",
        ),
        "The notes tell texts apart by multiplying the chances of their words, each taken by itself (naive Bayes). Here every word is judged after those before it, and in logarithms: "
        "a product of many chances soon is too small for a computer. A word that one side does not know is left out, because the chance of “some unknown word” is not that of this one.",
        ("ngrams", "compare"), live=False,
    ),
)  # fmt: skip
