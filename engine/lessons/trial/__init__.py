"""On trial: where does a model fail, does it know when, and what does a small change of the text do to it?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

TEXT = "Mary was tired; she looked at the old man and shook her head."
SAMPLE = "The girl near the doors was"

LESSON = Lesson(
    id="trial",
    era="Your own models",
    title="On trial",
    question="Where does this model fail, does it know, and what breaks it?",
    model="transformer",
    also=(
        *(*listed(), "ngram", "feedforward", "convolution", "observed_decoder", "observed_states"),
        *("hmm", "ntm", "sentiment", "textcnn", "pooling", "tagger", "tagger_both", "hmm_tagger"),
        *("trigram_tagger", "encoder_decoder", "seq2seq"),
    ),
    example=TEXT,
    tries=(
        Try(
            TEXT,
            "Two words get a typo: the text costs the shipped Transformer 130 bits instead of 64, and 4 answers at"
            " words that are still right change, too.",
            "ways=typo&pattern=1",
        ),
        Try(
            TEXT,
            "The same sentence in capitals costs the shipped Transformer 178 bits instead of 64. Nothing else is"
            " said by it.",
            "ways=case&pattern=1",
            label="The same in capitals",
        ),
        Try(
            SAMPLE,
            "The shipped Transformer gives “was” 0.96 %, and “were” 3.7 %: the nearer noun counts for more. “Does it"
            " pass tests of your own?” tries nine such sentences.",
            "ways=order&pattern=1",
        ),
    ),
    sources=(
        "Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, 2017",
        "Brier, Verification of Forecasts Expressed in Terms of Probability, 1950",
        "Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927",
        "Ribeiro, Wu, Guestrin & Singh, Beyond Accuracy: Behavioral Testing of NLP Models with CheckList, 2020",
        "Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies, 2016",
        "Nangia, Vania, Bhalerao & Bowman, CrowS-Pairs, 2020; Kurita et al., Measuring Bias in Contextualized Word"
        " Representations, 2019",
        "Blodgett, Lopez, Olteanu, Sim & Wallach, Stereotyping Norwegian Salmon, 2021 (what such pairs do not show)",
        "Brown et al., Language Models are Few-Shot Learners, 2020, app. C (contamination by n-grams)",
        "Lee et al., Deduplicating Training Data Makes Language Models Better, 2022",
    ),
    differs="The notes call an evaluation “thorough” that lists six headings; five of the six functions behind them"
    " are not given, and the one that is, of errors, is called without an argument that it needs. Here each of the six"
    " is measured on a run of yours: right answers and bits, mistakes by pair and place, groups of cases, changed"
    " texts, and pairs of words. Speed and size stand in Compare.\nThey give each error a confidence and stop there;"
    " here confidence itself is measured, with its calibration. They speak of fairness without a number; what is"
    " measured here has an interval, and limits that are said.\nCheckList's tool writes its changes with language"
    " models and word lists of its own; the changes here are five short rules of English.",
    minutes=25,
    before=("scoring", "transformer"),
    minute=(
        Step(
            "“her”, with 59 %: it has read “she”. Elsewhere it was less sure: “tired” had 0.1 %.",
            text=TEXT,
            link="token=14",
            panel="sure",
            asks="“… she looked at the old man and shook”: what does it find likeliest now?",
            choices=("his", "her", "the"),
            covers=("twin",),
        ),
        Step(
            "130: “shoko” and “haed” are rare, and 4 answers at words that are still right change, too.",
            text=TEXT,
            link="ways=typo&pattern=1",
            panel="twin",
            asks="The sentence costs 64 bits. Two words get a typo; now it costs …",
            choices=("66 bits", "80 bits", "130 bits"),
        ),
        Step(
            "Another name, and the sentence costs 90 bits: “Fatima” is rare in novels, and 10 answers change.",
            text=TEXT,
            link="ways=name&pattern=1",
            panel="twin",
        ),
        Step(
            "“was” has 0.96 %, “were” 3.7 %: the nearer noun counts. So it is in all 9 such sentences that the tests"
            " below ask.",
            text=SAMPLE,
            link="token=6&ways=name&pattern=1",
            panel="sure",
        ),
    ),
    links=(("compare", "Several models on the same lines", ""),),
    topics="""
sure | How sure a model is of each token of your text | transformers N12
    Probability and rank of each token, beside the answer that the model found likeliest.
    confidence, rank of a token, top-1 accuracy, error analysis, evaluation suite
twin | A typo, a negation, another name: what a small change does | transformers N12
    Your text beside the same text with a change, token by token, with every key.
    perturbation, robustness, adversarial example, minimal pair, counterfactual
part-is-it-as-often-right-as-it-is-sure | Calibration of one run, and temperature scaling | transformers N12
    A reliability diagram with intervals, before and after temperature scaling.
    ECE, expected calibration error, Brier score, reliability diagram, overconfident, temperature scaling
part-where-does-it-fail | Errors by length, frequency, part of speech and place | transformers L18
    The share of wrong answers in each group of cases, with intervals.
    subset evaluation, slices, error breakdown, subgroup accuracy
part-which-mistakes-is-it-surest-of | The surest mistakes of any run, in context | transformers L18
    Wrong answers of a language model, tagger or classifier, the most confident first.
    most confident errors, failure cases
part-what-does-it-take-for-what | Confusion matrix with its places | transformers L18
    Which answer is given for which, and every place where that happens.
    confusion pairs, misclassification, confused tags
part-does-a-small-change-of-the-text-break-it | Robustness on many lines | transformers N12
    Typos, case, negation, names and word order on many lines, with the change of each example.
    robustness test, noise, invariance test, misspelling
part-does-it-pass-tests-of-your-own | CheckList: tests from templates | transformers N12
    Minimum functionality, invariance and directional tests of your own, with failure rates.
    behavioral testing, behavioural testing, unit tests for models, MFT, INV, DIR, templates
part-does-one-word-change-what-it-expects | Bias probes: sentences that differ in a word |
    transformers N12; language_models M20
    He or she, any names or groups: how much likelier the rest of your sentences becomes, and what that does not show.
    fairness, gender bias, stereotypes, CrowS-Pairs, bias probe, minimal pairs of groups
part-is-it-over-or-underfitted | Learned lines against held-out lines | transformers N12; language_models M08
    The verdict on the curves of a run, and its bits on lines that it has learned from and on others.
    overfitting, underfitting, generalisation gap, memorisation
part-has-it-seen-these-lines-before | Contamination: held-out lines in the training text | transformers N12
    Which lines stand in the training text word for word, or nearly, and the score without them.
    data leakage, train-test overlap, contamination, near duplicates, deduplication, n-gram overlap
""",
)
