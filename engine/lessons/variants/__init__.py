"""Variants: what else can be counted?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="variants",
    era="Counting",
    title="Variants",
    question="What else can be counted?",
    model="ngram",
    example="",
    tries=(),
    sources=(
        (
            "Guthrie et al., A Closer Look at Skip-gram Modelling, 2006 (skip-grams that are "
            "counted)"
        ),
        "Ron, Singer & Tishby, The Power of Amnesia, 1996 (contexts of variable length)",
        "Kuhn & De Mori, A Cache-Based Natural Language Model for Speech Recognition, 1990",
        (
            "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse "
            "Data, 1980 (weights of a mixture)"
        ),
        (
            "Kernighan, Church & Gale, A Spelling Correction Program Based on a Noisy Channel "
            "Model, 1990"
        ),
        "Mays, Damerau & Mercer, Context Based Spelling Correction, 1991",
    ),
    differs="The notes let the distance of a skip-gram run from 1 to n and also call the order n. "
    "With up to k words left out, the distance runs from 1 to k + 1. Their skip-gram and "
    "that of word2vec share a name and little else. They name caches, hybrids and spelling "
    "correction without formulas; here each has one. They leave open how two models are "
    "mixed; here their probabilities are added with weights.",
    minutes=15,
    before=("ngrams",),
    live=False,
    minute=(
        Step(
            "12: all pairs at most three places apart. The same six words give more "
            "evidence, but looser evidence.",
            link="variant=Skip-grams&corpus=cats&order=3&cut=words&tuple=2&skip=2&sentence=a cat "
            "sat on the dog",
            panel="stretches",
            asks="Six words have 5 pairs of neighbours. How many if up to 2 words may be skipped?",
            choices=("7", "12", "30"),
            covers=("skipgrams",),
        ),
        Step(
            "“dog” was said twice just now, so after “the” it rises from 10 % to 16 %, and "
            "no count has changed.",
            link="variant=Cache&corpus=cats&order=3&cut=words&left=the&recent=dog saw "
            "dog&weight=0.1&fade=1.0",
            panel="with",
        ),
        Step(
            "“cat”: the spelling allows “mat” and “sat” too, and what stands before "
            "decides, with 83 %.",
            link="variant=Spelling&corpus=cats&order=3&cut=words&slip=the xat",
            panel="both",
            asks="“the xat”: “cat”, “mat” or “sat”? Which does the model choose?",
            choices=("cat", "mat", "sat"),
            covers=("one",),
        ),
    ),
    topics="""
part-skip-grams | Skip-grams of a sentence | language_models M44
    Pairs with words left out between them, drawn as stretches over your sentence.
    skipgram, k-skip-n-gram, gappy n-gram
part-variable-length | N-grams of variable length | language_models M06 M45
    For each word the longest context that was counted often enough.
    longest match, infini-gram, suffix array
part-cache | Cache of recent words | language_models M60
    What was said lately becomes likelier; a slider says how much.
    cache language model, recency, continuous cache
part-mixture | Counts and a network together | language_models M57 M60
    Two models mixed with a weight, and who was right at each word.
    ensemble, mixture, hybrid model, neural and symbolic
part-fill-the-blank | Fill the blank with counts | language_models M09
    A gap judged from both sides, by n-grams alone.
    cloze, masked word, both sides
part-spelling | Spelling correction | language_models M61
    A wrong word, its candidates, and how likely each is in its place.
    noisy channel, typo, edit distance, autocorrect
""",
)
