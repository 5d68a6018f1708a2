"""First minutes of pages of forms: word vectors."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

UPDATE = (
    "w2v_text=the cat sat on the mat and the dog sat on the log&w2v_model=Skip-gram&w2v_window=2"
    "&w2v_width=2&w2v_rate=0.1&w2v_noise=2&w2v_seed=0&w2v_first=3&w2v_worked=false&w2v_done=0"
)
MOVED = "moved_words=china gay cell plate coach&moved_from=vectors_novels_0&moved_to=vectors_wiki_0"

VECTORS: Mapping[str, tuple[Step, ...]] = {
    "word2vec": (
        Step(
            "The word in the middle, “sat”, has to predict the four around it. Below each word stands"
            " its chance; nothing is learned yet.",
            link=f"{UPDATE}&w2v_output=Softmax",
            panel="window",
        ),
        Step(
            "One: that of “sat”. But all 8 rows of the output table move, because a softmax compares"
            " with every word.",
            link=f"{UPDATE}&w2v_output=Softmax",
            panel="part-rows",
            asks="One update. How many of the 8 rows of the input table move?",
            choices=("1", "4", "8"),
            covers=("part-output", "part-both"),
        ),
        Step(
            "A tree of questions instead of a softmax: this update moves 4 of its 7 rows, those on the"
            " ways to the words of the window.",
            link=f"{UPDATE}&w2v_output=Tree",
            panel="part-output",
        ),
    ),
    "pieces": (
        Step(
            "Yes: from its 34 n-grams, all known from other words. Nearest to it is “happiest”, with a"
            " cosine of 0.84.",
            link="pieces_words=unhappiest unhappy happiest",
            panel="made",
            asks="The model has never read “unhappiest”. Does it have a vector for this word?",
            choices=("yes", "no"),
            covers=("pull", "alike", "part-models"),
        ),
        Step(
            "“unhappiest” and “unhappy” share 14 of their 42 n-grams, and their vectors have a cosine"
            " of 0.69.",
            link="pieces_words=unhappiest unhappy happiest",
            panel="jaccard",
        ),
        Step(
            "Skip-gram and GloVe have one row per word, and so no vector for it; fastText and CharNgram"
            " build one.",
            link="pieces_words=unhappiest unhappy happiest",
            panel="part-models",
        ),
    ),
    "moved": (
        Step(
            "“sweet” and “bright”; in Wikipedia “openly” and “pride”. The vector has turned past a"
            " right angle: 1.06.",
            link=MOVED,
            panel="plane",
            asks="“gay” in old novels and in Wikipedia: what stood near it in the novels?",
            choices=("sweet, bright", "openly, rights"),
            covers=("part-compared", "part-farthest"),
        ),
        Step(
            "With another seed alone, “gay” would rarely move farther than 0.21. From text to text it"
            " moved nearly five times as far.",
            link=MOVED,
            panel="moved",
        ),
        Step(
            "Of the words that occur a hundred times in both, “gay” moved farthest, 1.06, and “woman”"
            " least, 0.20.",
            link=f"{MOVED}&moved_least=100",
            panel="part-farthest",
        ),
    ),
}
