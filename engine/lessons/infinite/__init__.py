"""∞-gram: what if a context may be as long as the text still knows it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try
from engine.language.message import _

LESSON = Lesson(
    id="infinite",
    era="Counting",
    title=_("∞-gram"),
    question="What if a context may be as long as it occurs?",
    minutes=15,
    before=("sparsity",),
    model="",
    prompt="Type words; for each one the longest context that the text has is looked up",
    example="Return the number of",
    tries=(
        Try(
            "Return True if all characters in the string are",
            "Before “are” six words in a row occur, six times, and “are” follows each time. What comes next is another"
            " word each time.",
        ),
        Try(
            "If the object is not",
            "“object is not” occurs once. One case makes the ∞-gram sure of “subscriptable”; Kneser-Ney says 9.0 %.",
        ),
        Try(
            "the zebra is",
            "The text has no “zebra”, so every context ends behind it.",
        ),
    ),
    first="corpus=python_docs&order=5",
    live=False,
    sources=(
        "Liu, Min, Zettlemoyer, Choi & Hajishirzi, Infini-gram: Scaling Unbounded n-gram Language Models to a Trillion"
        " Tokens, 2024",
        "Manber & Myers, Suffix Arrays: A New Method for On-Line String Searches, 1990",
        "Ferragina & Manzini, Opportunistic Data Structures with Applications, 2000 (backward search)",
        "Burrows & Wheeler, A Block-sorting Lossless Data Compression Algorithm, 1994",
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999, sec. 3",
    ),
    differs="The notes end at variable-length n-grams and do not name the ∞-gram. Infini-gram mixes it with neural"
    " models, over trillions of tokens; here it is mixed with modified Kneser-Ney of the chosen text. A context never"
    " reaches over the beginning of its line, and has 64 tokens at most.",
    minute=(
        Step(
            "6 times, and “are” always follows: 100 % by the ∞-gram. Kneser-Ney looks back four words: 70 %.",
            text="Return True if all characters in the string are",
            panel="contexts",
            asks="How often does the text have the six words before “are”?",
            choices=("never", "6 times", "600 times"),
            covers=("narrows", "next"),
        ),
        Step(
            "Of 79,060 places, sorted, each word from “are” back leaves fewer: 6 with seven words, none with eight.",
            text="Return True if all characters in the string are",
            panel="narrows",
        ),
        Step(
            "100 %: “object is not” occurs once, before “subscriptable”. Kneser-Ney does not trust one case: 9.0 %.",
            text="If the object is not",
            panel="next",
            asks="How sure is the ∞-gram of the next word?",
            choices=("9 %", "50 %", "100 %"),
            covers=("contexts", "narrows"),
        ),
        Step(
            "“zebra” is not in the text, so “is” has no context: its share of all words counts, 1.7 %.",
            text="the zebra is",
            panel="contexts",
        ),
    ),
    true_of=("python_docs-5-words",),
    topics="""
contexts | Variable-length n-grams | language_models M45
    The longest context of each word that the text has, and how often.
    infini-gram, infinigram, unbounded n-gram, longest match, suffix
narrows | Suffix array | language_models M49
    The sorted places of a run of words, and how they narrow with each word before.
    binary search, index, count of a phrase, data structure
part-how-can-one-count-without-the-text | Backward search in an FM-index | language_models M49
    The Burrows-Wheeler transform of a text that you type, searched letter by letter.
    FM-index, BWT, compressed index, full-text search
contexts | Code completion, by what the code says elsewhere | transformers J7 | | study.corpus=source
    Type a line of Python, and this program's own source says how it goes on.
    code assistant, Copilot, autocomplete, source code
part-is-it-right | Longest context against smoothing | language_models M47 M60
    Right by length of context on held-out lines, and both mixed.
    mixture, interpolation, ensemble, held-out, sparsity
""",
)
