"""Pages on a reader's own material: texts, training, trained runs, comparisons."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

OWN: tuple[Lesson, ...] = (
    Lesson(
        id="corpora",
        era="Your own models",
        title="Your texts",
        question="What is in your text, before a model learns from it?",
        minutes=10,
        model="ngram",
        example="",
        tries=(),
        sources=(
            ("Zipf, Human Behavior and the Principle of Least Effort, 1949 (frequency by rank)"),
            (
                "Herdan, Type-token Mathematics, 1960; Heaps, Information Retrieval, 1978 (how the"
                " vocabulary grows)"
            ),
            "Lee et al., Deduplicating Training Data Makes Language Models Better, 2022",
            (
                "Luhn, Key Word-in-Context Index for Technical Literature, 1960 (search results"
                " in context)"
            ),
        ),
        differs="The notes take their texts as given. Here you add a text, and it is cleaned"
        " and counted first. A test set is put aside that no model is trained on."
        " Passages, not sentences, are split into training, validation and test sets,"
        " so that no passage is in two sets.",
        live=False,
    ),
    Lesson(
        id="batches",
        era="Your own models",
        title="Lines in a batch",
        question="What does a batch of unequal lines waste, and what does a step keep in memory?",
        minutes=25,
        before=("optimisers",),
        model="",
        example="",
        tries=(),
        sources=(
            (
                "Khomenko et al., Accelerating Recurrent Neural Network Training Using Sequence"
                " Bucketing and Multi-GPU Data Parallelization, 2016"
            ),
            "Zaremba, Sutskever & Vinyals, Recurrent Neural Network Regularization, 2014",
            (
                "Gal & Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent"
                " Neural Networks, 2016"
            ),
            "Xie et al., Data Noising as Smoothing in Neural Network Language Models, 2017",
            "Micikevicius et al., Mixed Precision Training, 2018",
            "Chen, Xu, Zhang & Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016",
            "Dettmers et al., QLoRA: Efficient Finetuning of Quantized LLMs, 2023 (NF4)",
        ),
        differs="The notes divide a padded loss once by the number of texts and once by the number"
        " of tokens: with a loss of 1 at each of 12 tokens in three texts, that is 4 or 1. Here it"
        " is always the tokens.\n"
        "Their way back through a batch leaves out the slope of tanh and starts from 0 at the last"
        " step; here the sums stand with their masks, and agree with torch's gradients.\n"
        "They sort texts by length in place and do not shuffle any more, so that the labels no"
        " longer belong to the texts. Here only the numbers of the lines are sorted.\n"
        "They pack texts without saying that these are not sorted, which torch refuses; the mask"
        " that they put on the unpacked states changes nothing, for these are 0 already. It belongs"
        " in the loss.\n"
        "They replace tokens by any id of the vocabulary, so padding and the ends of a text are hit"
        " and drawn too, and of 50 ids 9.8 % change where 10 % are meant; here words become other"
        " words.\n"
        "They write the gates as f, i, C, o; torch has them as i, f, g, o.\n"
        "Their dropout of an LSTM with one layer does nothing, and it never is on inputs and"
        " outputs, only between layers. Their mask of recurrent dropout is drawn once and stays the"
        " same for all batches; their third program fails. They describe recurrent and variational"
        " dropout with the same words.\n"
        "They name four places for dropout in a Transformer, but their program has it on the weights of"
        " attention alone, whose rows then no longer add up to 1 in training.\n"
        "They recommend fewer bits and pruning without a number; here both are measured on your text.\n"
        "Their program for half precision never sets the gradients to zero, clips them with the"
        " loss scale still in them, and takes its context from a module that torch has retired.\n"
        "Their checkpoints call an argument that does not exist, and an LSTM returns two things, so"
        " that it cannot stand in such a chain.\n"
        "Their memory for training an LSTM, 1,024 MB for 100 texts of 500 tokens and 1,024 units,"
        " has three gates and leaves out the candidate; with it, 1,229 MB.\n"
        "They compare the hours for pictures and for documents without a source; here stand only"
        " the steps that wait for one another.",
        live=False,
    ),
    Lesson(
        id="training",
        era="Your own models",
        title="Training room",
        question="How does a model learn a text, and what can you see while it learns?",
        minutes=20,
        before=("corpora",),
        model="",
        example="",
        tries=(),
        sources=(
            (
                "Goodfellow, Bengio & Courville, Deep Learning, 2016, ch. 7 and 8 (early stopping,"
                " optimisation)"
            ),
            (
                "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural"
                " Networks, 2013 (clipping)"
            ),
            (
                "Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019; SGDR: Stochastic"
                " Gradient Descent with Warm Restarts, 2017"
            ),
            (
                "Rajbhandari, Rasley, Ruwase & He, ZeRO: Memory Optimizations Toward Training"
                " Trillion Parameter Models, 2020, sec. 3 (what training holds in memory)"
            ),
        ),
        differs="The notes show a loss that falls smoothly. Here the loss of each single step is "
        "drawn too: it jumps from batch to batch, and only its mean falls. A lower loss on "
        "the training text proves nothing by itself, so part of the text is held out and "
        "measured as well.\n"
        "They advise a higher threshold where clipping is rare; rare clipping means that the "
        "threshold is high already.\n"
        "Their memory for training an LSTM, 1,024 MB for 100 texts of 500 tokens and 1,024 "
        "units, has three gates and leaves out the candidate; with it, 1,229 MB.\n"
        "They divide a padded loss once by the number of texts and once by the number of "
        "tokens: with a loss of 1 at each of 12 tokens in three texts, that is 4 or 1.\n"
        "They advise padding a batch to its longest text, but their program pads all texts to "
        "512.\n"
        "Their program for half precision never sets the gradients to zero, so that each step "
        "adds to those before, and takes its context from a module that torch has retired.\n"
        "Their three programs for fine-tuning go wrong in silence: asked to unfreeze no layer, the first "
        "unfreezes all; of the adapters in twelve layers only the last is at work, and the net around "
        "them is never frozen; and LoRA leaves out the trained matrix and the factor α/r. All three run below, "
        "beside their repair.",
        live=False,
    ),
    Lesson(
        id="runs",
        era="Your own models",
        title="Runs",
        question=(
            "Which trained models are there, how was each of them trained, and how good is it?"
        ),
        minutes=10,
        before=("training",),
        model="lstm",
        example="",
        tries=(),
        sources=(
            (
                "Bengio, Practical Recommendations for Gradient-Based Training of Deep"
                " Architectures, 2012 (what to watch while training)"
            ),
            (
                "Pineau et al., Improving Reproducibility in Machine Learning Research, 2021"
                " (what to report about a training run)"
            ),
            "PKWARE, APPNOTE.TXT: .ZIP File Format Specification; NIST, FIPS 180-4 (SHA-256)",
        ),
        differs="The notes train models but do not say what to record. Here a run keeps its"
        " settings, a digest of its text, its seed, its curves and the software"
        " versions. Losses in nats per token can be compared only between models with"
        " the same tokens. Bits per character can be compared for any tokens, on the"
        " same held-out text.\n"
        "They choose a ready model by its task alone. Of their picks roberta-large-mnli says whether"
        " one sentence follows from another, not whether a text is positive; the one for names in"
        " many languages was tuned on English names; and google/t5-base is called google-t5/t5-base"
        " today.\n"
        "They call models through InferenceApi and export them with transformers.onnx; neither is in"
        " the libraries any more.",
        live=False,
    ),
    Lesson(
        id="inspect",
        era="Your own models",
        title="Inspect",
        question="What does this model compute for this text, number by number?",
        minutes=10,
        before=("runs", "surgery"),
        model="",
        example="The old man looked at the sea, and the",
        tries=(
            Try(
                "The keys to the cabinet",
                "Which number shows that the subject is plural? Look for a unit or a head that"
                " keeps track of “keys”.",
            ),
            Try(
                "She was born in 1902 and",
                "Each number and each name is rare. Watch what the model expects after one.",
            ),
            Try(
                "The cat sat. The cat sat. The cat",
                "The text repeats itself. Compare the numbers at the second “cat” with those at"
                " the first.",
            ),
        ),
        sources=(
            (
                "Strobelt et al., LSTMVis: A Tool for Visual Analysis of Hidden State Dynamics,"
                " 2018 (states, unit by unit)"
            ),
            "Vig, A Multiscale Visualization of Attention in the Transformer Model, 2019",
            (
                "Vig et al., Investigating Gender Bias in Language Models Using Causal"
                " Mediation Analysis, 2020 (changing a number and measuring the effect)"
            ),
        ),
        differs="The notes show the few numbers that a formula names. This page shows every"
        " number that a model exposes, under its name in the code, as 32-bit floats;"
        " only the labels beside a picture are rounded. An edit replaces a number while"
        " the model runs, and everything that depends on it is computed again.",
        live=False,
    ),
    Lesson(
        id="compare",
        era="Your own models",
        title="Compare",
        subtitle="whole models on one text",
        question="Which of these models predicts this text best, and where do they disagree?",
        minutes=10,
        before=("scoring", "lstm", "attention"),
        model="lstm",
        example="The captain went on board, and the ship sailed for France.",
        tries=(
            Try(
                "The captain went on board, and the ship sailed for",
                "The n-gram model predicts “sailed” best, 4 bits ahead of the others: it has"
                " counted what ships do. What does each model expect after “for”?",
            ),
            Try(
                "The flurble zyxgrobbed his hat.",
                "Two words that no model knows. The n-gram model pays 5 bits for “some unknown"
                " word”, so it cannot win here. The other two spell the words out, for 37 bits"
                " and more.",
            ),
            Try(
                "The Snark was a Boojum, you see. The Snark was a Boojum",
                "Two words that no model knows, twice. The second time they cost the"
                " Transformer 29 bits instead of 65: it looks back and copies. The LSTM pays 81"
                " bits, then 78.",
            ),
            Try(
                "He was born in London, Englan",
                "The last word is cut short. The Transformer pays 34 bits for it, because its"
                " tokens were made for the whole word. Type the missing d: 13 bits.",
            ),
        ),
        sources=(
            (
                "Cotterell, Mielke, Eisner & Roark, Are All Languages Equally Hard to"
                " Language-Model?, 2018 (bits per character)"
            ),
            "Lin, Divergence Measures Based on the Shannon Entropy, 1991 (Jensen-Shannon)",
            (
                "Vieira et al., From Language Models over Tokens to Language Models over"
                " Characters, 2025"
            ),
            (
                "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; Koehn,"
                " Statistical Significance Tests for Machine Translation Evaluation, 2004 (paired)"
            ),
            "Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, 2017",
        ),
        differs="The notes compare models by perplexity per token, and call one “significantly"
        " lower” without a number. Per token, a character model always looks better"
        " than a word model. So here bits are summed between the places where all"
        " models split the text, or spread over characters, and every difference has a"
        " confidence interval. Models with the same vocabulary are compared by their"
        " whole distributions. Others are compared by the next character, summing over"
        " the tokens that begin with it.",
        live=False,
    ),
    Lesson(
        id="duel",
        era="Your own models",
        title="Corpus duel",
        question=(
            "Which of two texts is this sentence closer to, and what would both models write"
            " together?"
        ),
        minutes=10,
        before=("scoring",),
        model="ngram",
        example="She gave him a silver key, and the function returned the value.",
        tries=(
            Try(
                "He kept the map and she kept the key.",
                "Nearly every word favours the stories. Only “key” could come from either text:"
                " look at its bar.",
            ),
            Try(
                "The name of the key is a string.",
                "Here every word favours the reference, even “key”: the words before it change"
                " the evidence.",
            ),
            Try(
                "The secret word is a keyword, and the door opened.",
                "The total goes up, down and up again. At which words does it turn?",
            ),
        ),
        sources=(
            "Good, Probability and the Weighing of Evidence, 1950, ch. 6 (weight of evidence)",
            "Mosteller & Wallace, Inference and Disputed Authorship: The Federalist, 1964",
            (
                "Hinton, Products of Experts, 1999; Genest & Zidek, Combining Probability"
                " Distributions, 1986"
            ),
            (
                "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse"
                " Data, 1980 (mixtures)"
            ),
        ),
        differs="The notes tell texts apart by multiplying the probabilities of single words"
        " (naive Bayes). Here every word is judged given the words before it, and in"
        " logarithms, because a product of many probabilities soon underflows. A word"
        " that one side does not know is left out: the probability of “some unknown"
        " word” is not that of this word.",
        live=False,
    ),
)
