"""Measures: how near is what a system said to what is right?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="measures",
    era="Your own models",
    title="Measures",
    question="How near is what a system said to what is right?",
    model="",
    prompt="Line 1: what a system said. Line 2: what is right",
    example="The captain opens the door and looked at the the sea\n"
    "The old captain opened the door and looked at the sea",
    tries=(
        Try(
            "captains opening doors\nthe captain opens the door",
            "No word is the same, so BLEU and ROUGE are 0. METEOR compares stems, too, and gives 53 of 100.",
            "unit=6",
        ),
        Try(
            "the the the the the the the\nthe cat is on the mat",
            "BLEU's own example: all seven words stand in the reference. It has “the” twice, so two of seven count.",
            "unit=0",
        ),
        Try(
            "Yesterday the old captain sold the ship\nThe old captain sold the ship yesterday",
            "TER moves the word: one change, 14 of 100. WER cannot move words, and minds capitals: three changes, 43.",
            "unit=9",
        ),
        Try(
            "In 1903\n1903\nthe year 1903",
            "Two right answers, a line each. F1 takes the nearer one, 67 of 100; exact match forgives case, punctuation"
            " and articles, but not “in”.",
            "unit=8",
        ),
    ),
    sources=(
        "Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation, 2002",
        "Post, A Call for Clarity in Reporting BLEU Scores, 2018 (sacrebleu)",
        "Popović, chrF: Character n-gram F-score for Automatic MT Evaluation, 2015; chrF++, 2017",
        "Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, 2006",
        "Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004",
        "Lavie & Agarwal, METEOR, 2007",
        "Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text, 2016",
        "Levenshtein, Binary Codes Capable of Correcting Deletions, Insertions and Reversals, 1966",
        "Koehn, Statistical Significance Tests for Machine Translation Evaluation, 2004",
        "Riezler & Maxwell, On Some Pitfalls in Automatic Evaluation and Significance Testing for MT, 2005",
    ),
    differs="The notes name BLEU, ROUGE, METEOR, exact match and F1, and give the formula of none. None of them is “the"
    " quality” of a translation or a summary: each counts what stands in both texts, and is worth no more than its"
    " agreement with people.",
    minutes=15,
    live=False,
    before=("translation",),
    minute=(
        Step(
            "“opens” is not in the reference, and the second “the” is one too many: 9 of 11 words count.",
            text="The captain opens the door and looked at the the sea\n"
            "The old captain opened the door and looked at the sea",
            link="unit=0&order=1",
            panel="lines",
        ),
        Step(
            "64: three of its five words are the right ones. A measure counts; it does not read.",
            text="The patient survived the operation\nThe patient died during the operation",
            link="unit=6",
            panel="scores",
            asks="It says the opposite of what is right. How many of 100 does METEOR give it?",
            choices=("8", "36", "64"),
            covers=("lines",),
        ),
        Step(
            "The same meaning in other words: METEOR gives only 41, and BLEU 12.",
            text="The patient did not live through the surgery\nThe patient died during the operation",
            link="unit=6",
            panel="scores",
        ),
        Step(
            "A word stands elsewhere: one change for TER. WER, which cannot move words, counts three.",
            text="Yesterday the old captain sold the ship\nThe old captain sold the ship yesterday",
            link="unit=9",
            panel="lines",
        ),
    ),
    topics="""
lines | BLEU, chrF, ROUGE, METEOR and TER opened | transformers L17
    Two lines that you type, and what each measure counts in them, word by word, with its formula.
    n-gram precision, clipped, brevity penalty, alignment, chunks, longest common subsequence, edit distance,
    WER, CER, word error rate, character error rate, translation edit rate, calculator
scores | Exact match and F1 of an answer | transformers L17
    Twelve measures of the same two lines side by side.
    EM, SQuAD, token F1, metrics, scores side by side
part-two-systems-on-many-lines | Is one system better than another? | transformers L17
    A file of pairs: scores with intervals, and two tests of the difference.
    bootstrap, confidence interval, significance, p-value, paired test, approximate randomisation, permutation test
part-where-measures-disagree | Sentences on which measures disagree | transformers L17
    The orders in which two measures put the same lines, and where they differ most.
    rank correlation, Spearman, metric disagreement
part-what-a-number-does-not-see | What BLEU does not see | transformers L17
    A sentence spoiled by rule, and which measures notice.
    negation, paraphrase, limits of metrics, behavioural testing, CheckList
part-what-libraries-count-differently | sacrebleu, rouge-score, nltk and jiwer compared | transformers L17
    The same two lines by the settings of each library: tokenizers, smoothing, stems, case.
    13a, intl, smoothing of BLEU, use_stemmer, rougeLsum, signature, reproducible BLEU
""",
)
