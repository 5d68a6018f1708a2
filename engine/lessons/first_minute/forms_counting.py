"""First minutes of pages of forms: models that count."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

CATS = "corpus=cats&order=2&cut=words&method=Modified Kneser-Ney"
STORIES = "corpus=stories&cut=words"
WRITER = (
    f"from=a small text&{STORIES}&method=Modified Kneser-Ney&start=&seed=1&temperature=1.0&least=5"
)

COUNTING: Mapping[str, tuple[Step, ...]] = {
    "smoothing": (
        Step(
            "“the cat” occurs four times: the sentence ends there twice, “saw” and “sat” follow"
            " once each. All other words have the count 0.",
            link="corpus=cats&order=3&cut=words&after=the cat",
            panel="part-counts",
        ),
        Step(
            "“glasses”. Both occur three times, but “francisco” follows one word only, “glasses”"
            " three. Kneser-Ney counts that.",
            link="corpus=francisco&order=2&cut=words&after=lost",
            panel="part-francisco",
            asks="“francisco” and “glasses” occur equally often. Which is likelier after a new word?",
            choices=("francisco", "glasses", "equally likely"),
            covers=("compare",),
        ),
        Step(
            "“The teachers opened their books” was never read. One factor of 0 makes the whole"
            " sentence impossible; see how each method avoids it.",
            link="corpus=students&order=4&cut=words&after=teachers opened their"
            "&sentence=The teachers opened their books",
            panel="part-zero",
        ),
    ),
    "scoring": (
        Step(
            "“dog”, with 3.30 bits: after “the” the model counted “cat” four times and “dog” once."
            " A tall bar is a surprise.",
            link=f"{CATS}&lines=the cat saw the dog",
            panel="surprisal",
            asks="The model has counted four sentences. Which word of this one surprises it most?",
            choices=("cat", "saw", "dog"),
            covers=("part-chain",),
        ),
        Step(
            "11.71 bits over 6 tokens are 1.95 each. The perplexity is 2 to that power, 3.87: as"
            " unsure as a choice among 3.87 words.",
            link=f"{CATS}&lines=the cat saw the dog",
            panel="part-number",
        ),
        Step(
            "Yes: it is 21.3 now. Each word is scored after the one before it, so their order counts.",
            link=f"{CATS}&lines=dog the on sat cat the",
            panel="part-number",
            asks="“dog the on sat cat the”: does the order change the perplexity?",
            choices=("yes", "no"),
            covers=("surprisal", "part-methods", "part-chain", "part-loss"),
        ),
        Step(
            "Plain counts: “cat” never came after “a”. One factor of 0 makes the text impossible,"
            " though every word of it is known.",
            link="corpus=cats&order=2&cut=words&method=Maximum likelihood&lines=a cat sat on the dog",
            panel="part-zero",
        ),
    ),
    "generation": (
        Step(
            "All of it: each word is in a run of five or more that the stories have too. Four words of context "
            "leave little to choose.",
            link=f"{WRITER}&order=5&words=12&most=12",
            panel="part-copies",
            asks="The model has written 12 words, each after the last four. How much is copied?",
            choices=("nothing", "half", "all of it"),
            covers=("written", "orders"),
        ),
        Step(
            "29 % of 40 words: with one word of context the model copies less, and makes less sense.",
            link=f"{WRITER}&order=2&words=40&most=40",
            panel="part-copies",
        ),
        Step(
            "The same random numbers for each row: order 1 draws words without any context, order 5"
            " after the last four.",
            link=f"{WRITER}&order=5&words=12&most=12",
            panel="orders",
        ),
    ),
    "variants": (
        Step(
            "12: all pairs at most three places apart. The same six words give more evidence, but"
            " looser evidence.",
            link="variant=Skip-grams&corpus=cats&order=3&cut=words&tuple=2&skip=2"
            "&sentence=a cat sat on the dog",
            panel="stretches",
            asks="Six words have 5 pairs of neighbours. How many if up to 2 words may be skipped?",
            choices=("7", "12", "30"),
            covers=("skipgrams",),
        ),
        Step(
            "“dog” was said twice just now, so after “the” it rises from 10 % to 16 %, and no count"
            " has changed.",
            link="variant=Cache&corpus=cats&order=3&cut=words&left=the&recent=dog saw dog&weight=0.1"
            "&fade=1.0",
            panel="with",
        ),
        Step(
            "“cat”: the spelling allows “mat” and “sat” too, and what stands before decides, with"
            " 83 %.",
            link="variant=Spelling&corpus=cats&order=3&cut=words&slip=the xat",
            panel="both",
            asks="“the xat”: “cat”, “mat” or “sat”? Which does the model choose?",
            choices=("cat", "mat", "sat"),
            covers=("one",),
        ),
    ),
}
