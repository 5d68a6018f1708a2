"""Hidden Markov models: the typed text as a trellis of hidden states, filtered, smoothed and decoded,
with the tables behind it; then how they are learned, what they write and what they need."""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="hmm",
    era="Counting",
    title="Hidden Markov models",
    question="What hides behind the words?",
    minutes=15,
    before=("ngrams",),
    model="hmm_tagger",
    also=("hmm",),
    example="You can open the open door",
    tries=(
        Try(
            "Book the flight",
            "An unknown word with a capital looks like a name: filtered, “Book” is PROPN. Two"
            " words later it is a verb.",
            "token=1&by=filter",
        ),
        Try(
            "The horse raced past the barn fell.",
            "“raced” and “barn” were never counted as words: their endings and their neighbours say what they are.",
        ),
        Try(
            "her flurbling zygrobs were quibbish",
            "Nobody has ever read these words. The model has an opinion of each of them.",
        ),
        Try("Will May come in May?", "The same word at two places: the state before it decides."),
    ),
    sources=(
        "Baum & Petrie, Statistical Inference for Probabilistic Functions of Finite State Markov Chains, 1966",
        "Viterbi, Error Bounds for Convolutional Codes and an Asymptotically Optimum Decoding Algorithm, 1967",
        "Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989",
        "Brants, TnT: A Statistical Part-of-Speech Tagger, 2000",
        "Lee, Tsujii & Rim, Lexicalized Hidden Markov Models for Part-of-Speech Tagging, 2000",
        "Merialdo, Tagging English Text with a Probabilistic Model, 1994 (learning without tags)",
        "Levin, Peres & Wilmer, Markov Chains and Mixing Times, 2009",
    ),
    differs="The notes let a hidden state run from z_1 to z_N; it is one of S states, whatever the length of the "
    "text. They head the model “n-gram”: its words are no Markov chain of any order. They say that the influence of "
    "old words becomes small very quickly: that is true of a chain that mixes, at the rate of the second "
    "eigenvalue, and false where a state only follows itself.",
    minute=(
        Step(
            "The thick line is the likeliest path: PRON, AUX, VERB, DET, ADJ, NOUN. Nobody wrote the"
            " tags; the tables were counted.",
            text="You can open the open door",
            link="by=smooth",
            panel="trellis",
        ),
        Step(
            "An adjective, with 58 %: “the” is not there yet. With the whole sentence, “open” is a verb, 96 %.",
            text="You can open the open door",
            link="token=3&by=filter",
            panel="trellis",
            asks="Read up to “You can open” only: what does the model take “open” for?",
            choices=("verb", "adjective", "noun"),
            covers=("step", "revised", "joint", "transitions", "writes"),
        ),
        Step(
            "Predict, then correct: each state's prediction times how likely it writes the word, divided by the sum.",
            text="You can open the open door",
            link="token=3&unit=16",
            panel="step",
        ),
        Step(
            "“Book” looked like a name, 95 %. Two words later it is a verb, 66 %: smoothing looks back.",
            text="Book the flight",
            link="token=1&by=filter",
            panel="revised",
        ),
    ),
    links=(
        ("compare", "On one text: hidden states, counts and a recurrent net", "runs=hmm,ngram,rnn"),
    ),
    topics="""
trellis | Hidden Markov model | language_models P34
    A tag under each word that you type, from counted tables: a trellis, states down, words across.
    HMM, hidden states, trellis, latent states, states behind words, POS tagger, HMM tagger,
    parts of speech, part-of-speech tagging by counting, word classes, noun or verb
trellis | Viterbi path | language_models P42
    The likeliest path through the trellis, with the lines that lead back along it.
    Viterbi algorithm, decoding of states, back-pointers, most likely sequence
part-how-good-a-tagger | Trigram tagger (TnT) | language_models P42
    A second-order model with split states, its mistakes, and what the rest needs.
    TnT, second-order HMM, deleted interpolation, tagging accuracy, unknown words
part-two-states-by-hand | A hidden Markov model by hand | language_models P34 P35 P38 P39 P40 P41 P42
    Two states, three words: filtered, smoothed, the likeliest path, and all paths one by one.
    healthy fever example, worked example, all paths, brute force, sticky states
step | Filtering: predict and correct | language_models P39 P40
    One step of the filter with its numbers: predicted, weighed by the word, divided by the sum.
    forward algorithm, belief, Bayes filter, prediction and correction
revised | Filtered and smoothed states | language_models P42
    What the words that follow change of what a word was thought to be.
    forward-backward, backward algorithm, posterior decoding, smoothing of states
joint | Joint probability of states and words | language_models P35
    Click a path of your own through the trellis: its factors, and what it loses to the best.
    factorisation of an HMM, transition times emission, complete likelihood
next | Next word from hidden states | language_models P38
    The likeliest next words: what each state writes, weighed by the belief.
    predictive distribution, mixture of emissions
forgets | How fast a Markov chain forgets | language_models P41
    Two starts of your sentence come together word by word; the second eigenvalue is the rate.
    mixing time, second eigenvalue, total variation, stationary distribution
transitions | Transition matrix | language_models P34
    Which state follows which, and what each of them writes.
    emission probabilities, transition probabilities, parameters of an HMM
part-learning-without-tags | Baum-Welch: learning without tags | language_models P42
    Learning round by round from a text you type, from five starts: a film, and local optima.
    EM for HMMs, expectation maximisation, unsupervised tagging, local optimum
part-write-with-dice | Texts drawn from a hidden Markov model | language_models P36
    A die for the next state, a die for what it writes, until the line ends.
    HMM generation, sampling from an HMM, ancestral sampling
part-how-many-numbers | S² + SK against K^N | language_models P30 P37
    Sliders for states, vocabulary and length: the numbers of an HMM beside those of tables.
    parameter count, size of conditional tables, curse of dimensionality
""",
)
