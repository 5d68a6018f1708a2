"""Feed-forward language model: what can a net know that sees only the last few words?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="feedforward",
    era="Recurrence",
    title="Feed-forward language model",
    question="What can a net know that sees only the last few words?",
    model="feedforward",
    example="Mary said that she would not come, because",
    tries=(
        Try(
            "Mary said that she would not come, because",
            "“Mary” and “she” have left the window. Look for “she” in the three lists, then "
            "point at “she” in the sentence: what did the net expect there?",
        ),
        Try(
            "John, who was born in France, came to us as a boy. He still spoke",
            "“England” in the place of “France”, 11 tokens back, changes nothing at all for the net: only a window "
            "of 12 tokens would hold both. The LSTM has carried a little of it along.",
            link="feedforward.changes.other=England",
        ),
        Try(
            "He shook his",
            "What it needs is near, and three words are enough: the net, the n-grams and the LSTM all say “head”.",
        ),
        Try(
            "the dog bit the man",
            "Swap “dog” and “man”. The same words stand in other places of the window, meet "
            "other weights, and another word is expected next.",
        ),
    ),
    sources=(
        "Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, 2003",
        "Schwenk, Continuous Space Language Models, 2007 (trained on large texts)",
        (
            "Waibel, Hanazawa, Hinton, Shikano & Lang, Phoneme Recognition Using Time-Delay "
            "Neural Networks, 1989 (a window that slides)"
        ),
        (
            "Li, Monroe & Jurafsky, Understanding Neural Networks through Representation "
            "Erasure, 2016 (what one word changes)"
        ),
    ),
    differs="The notes close a bracket too early, so that the bias of the hidden layer is added behind the "
    "softmax: the answers no longer sum to 1, and that bias would need a number for each word of the vocabulary.\n"
    "They leave the table of word vectors out of what is learned; it is learned with the rest.\n"
    "They name a fixed context among the limits of n-grams that neural models lift. This one has a fixed context "
    "too: it sees more alike in the words of its window, and no word more.\n"
    "They say that a recurrent net learns to attend to what matters. It keeps or drops each word as it comes, and "
    "cannot look back; to look back at what was read is what attention does.\n"
    "Their window from x_{t−n} to x_t holds n + 1 words; here a window of n words holds n.\n"
    "At “speaks fluent French” they let a window of five words hold the beginning of the sentence, “John who had "
    "grown up”; it holds the last five.\n"
    "Before the start of the text there is nothing here: zeros stand in those places.\n"
    "They give a net without a memory features that a person computes of a series: a lag, a difference, a rolling "
    "mean, Fourier coefficients. What nobody thought of, it does not see.\n"
    "A net that reads its own last answer can remember what it said, such as whether the count of ones so far is "
    "odd, and nothing that it did not say, such as which of three it counts to.",
    minutes=12,
    before=("ngrams",),
    minute=(
        Step(
            "The frame is the window: the net sees five tokens, their vectors side by side. "
            "“Mary” and “she” are out of its sight.",
            text="Mary said that she would not come, because",
            panel="window",
        ),
        Step(
            "“I”, with 19 %; “she” gets 5.6 %. The LSTM, which has read the whole sentence, gives “she” 29 %.",
            text="Mary said that she would not come, because",
            panel="tops",
            asks="Mary said that … because. Whom does a net expect that sees five tokens?",
            choices=("she", "he", "I"),
            covers=("window", "part-what-each-word-changes"),
        ),
        Step(
            "Exactly 0, for the n-grams too: “she” has left their windows. In the LSTM 26 % "
            "of the probability moves.",
            text="Mary said that she would not come, because",
            link="feedforward.changes.other=he",
            panel="part-what-each-word-changes",
            asks="“he” in the place of “she”: how much of the net's answer changes?",
            choices=("most", "a little", "nothing"),
        ),
        Step(
            "The same with “France”, 11 tokens back: 0 for every window here. One of 12 "
            "tokens would see it, and need more weights for each.",
            text="John, who was born in France, came to us as a boy. He still spoke",
            link="feedforward.changes.other=England",
            panel="part-what-each-word-changes",
        ),
    ),
    topics="""
window | Feed-forward neural language model | language_models M54
    The window over your text, the vectors in it side by side, the hidden layer and the next word.
    neural probabilistic language model, Bengio 2003, NPLM, neural n-gram, concatenated vectors,
    feed-forward language model, direct connections
part-what-each-word-changes | A window of words, and what it can't see | rnn H7
    Another word in each place of your text: what it changes for a window, and for a state.
    sliding window, fixed context, context size, time-delay network, John and France, occlusion,
    long-distance dependency
part-the-same-word-in-another-place | Weights of their own for each place | language_models P43
    How alike a word's contribution is in two places of the window.
    position-specific weights, move a phrase, translation equivariance
part-a-wider-window | What a wider window costs | rnn H2
    Weights against words in the window, beside a table of all n-grams and a recurrent net.
    number of parameters of a window, curse of dimensionality, sparsity
part-limits-of-counting | Four limits of counting, and what a net makes of them | language_models M53
    A row for each text, runs never counted, words that are alike, a window: measured on your text.
    curse of dimensionality, data sparsity, similar words, counts against a net, unseen n-gram
part-limits-of-counting | A net with counts and a cache | language_models M60
    Bits per word of a net alone and mixed with an n-gram model and with the words said so far.
    neural cache, ensemble with an n-gram, interpolation, hybrid model, continuous-space n-gram
part-what-a-state-gains | What a state gains over a window | rnn H6
    Reach and focus of a state beside a window, measured on trained models.
    advantages of recurrence, adaptive focus, variable context, parameter efficiency
""",
)
