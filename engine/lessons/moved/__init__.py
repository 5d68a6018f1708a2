"""Moved words: does a word mean the same in another text?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

PAIR = (
    "moved.words.moved_words=china+gay+cell+plate+coach"
    "&pair.moved_from=vectors_novels_0&pair.moved_to=vectors_wiki_0"
)

LESSON = Lesson(
    id="moved",
    era="Meaning as place",
    title="Moved words",
    question="Does a word mean the same in another text?",
    model="skipgram",
    example="china gay cell plate coach",
    tries=(
        Try(
            "china gay cell plate coach",
            "Novels of 1839 to 1937 compared with a Wikipedia: china stood on the table, a "
            "cell was a room, gay meant bright.",
        ),
        Try(
            "monday three water father door",
            "Words with a stable meaning: compare how far they move with how far chance alone moves them.",
        ),
        Try(
            "civil base constant plate current",
            "“Civil” went with loyal and welcome, “base” with cruel. Read the neighbours before and after.",
        ),
    ),
    sources=(
        (
            "Hamilton, Leskovec & Jurafsky, Diachronic Word Embeddings Reveal Statistical Laws "
            "of Semantic Change, 2016"
        ),
        (
            "Antoniak & Mimno, Evaluating the Stability of Embedding-based Word Similarities, "
            "2018 (chance must be measured)"
        ),
        "Schönemann, A Generalized Solution of the Orthogonal Procrustes Problem, 1966",
        "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
    ),
    differs="The notes compare models by their neighbours only. Two training runs give spaces that are rotated "
    "against each other, so their numbers cannot be compared directly; here one is first rotated onto the other. "
    "Two runs on the same text differ as well, so every word also shows how far chance alone moves it.",
    minutes=10,
    before=("vectors",),
    live=False,
    minute=(
        Step(
            "“sweet” and “bright”; in Wikipedia “openly” and “pride”. The vector has turned "
            "past a right angle: 1.06.",
            link=PAIR,
            panel="moved.words.plane",
            asks="“gay” in old novels and in Wikipedia: what stood near it in the novels?",
            choices=("sweet, bright", "openly, rights"),
        ),
        Step(
            "With another seed alone, “gay” would rarely move farther than 0.21. From text "
            "to text it moved nearly five times as far.",
            link=PAIR,
            panel="moved.words.moved",
        ),
        Step(
            "Of the words that occur a hundred times in both, “gay” moved farthest, 1.06, and “woman” least, 0.20.",
            link=f"{PAIR}&moved.farthest.moved_least=100",
            panel="part-which-words-moved-farthest-and-which-stayed",
        ),
    ),
    topics="""
moved.words.moved | Words that moved between two texts | language_models P15
    One word in two sets of vectors, beside what mere chance moves.
    semantic shift, diachronic, Procrustes, alignment, domain drift
moved.places.places | One word, a vector for every place | transformers H8
    The states of a reading model at each place where the word stands.
    contextual embeddings, static against contextual, word sense
""",
)
