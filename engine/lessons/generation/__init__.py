"""Generation: can counts write text?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="generation",
    era="Counting",
    title="Generation",
    question="Can counts write text?",
    model="ngram",
    example="",
    tries=(),
    sources=(
        (
            "Shannon, A Mathematical Theory of Communication, 1948, sec. 3 (text drawn from "
            "counts of orders 0 to 3)"
        ),
        (
            "McCoy et al., How Much Do Language Models Copy From Their Training Data?, 2023 "
            "(exact copies)"
        ),
    ),
    differs="The notes draw the next word given the last two and do not say how to begin or when to "
    "stop. Here a sentence begins after the mark <s> and ends when the mark </s> is drawn. "
    "Each word is chosen by one random number, the same for every order.",
    minutes=10,
    before=("ngrams",),
    live=False,
    minute=(
        Step(
            "All of it: each word is in a run of five or more that the stories have too. "
            "Four words of context leave little to choose.",
            link="from=a small text&corpus=stories&cut=words&method=Modified "
            "Kneser-Ney&start=&seed=1&temperature=1.0&least=5&order=5&words=12&most=12",
            panel="part-copies",
            asks="The model has written 12 words, each after the last four. How much is copied?",
            choices=("nothing", "half", "all of it"),
            covers=("written", "orders"),
        ),
        Step(
            "29 % of 40 words: with one word of context the model copies less, and makes "
            "less sense.",
            link="from=a small text&corpus=stories&cut=words&method=Modified "
            "Kneser-Ney&start=&seed=1&temperature=1.0&least=5&order=2&words=40&most=40",
            panel="part-copies",
        ),
        Step(
            "The same random numbers for each row: order 1 draws words without any context, "
            "order 5 after the last four.",
            link="from=a small text&corpus=stories&cut=words&method=Modified "
            "Kneser-Ney&start=&seed=1&temperature=1.0&least=5&order=5&words=12&most=12",
            panel="orders",
        ),
    ),
    topics="""
written | Writing with n-grams | language_models P31 P32
    A text drawn word by word; its colour says which order spoke.
    sampling, generation, random text, generative model, temperature
copies | How much is only a copy | language_models P33
    Which runs of the new text stand word for word in the counted one.
    memorisation, plagiarism, verbatim, copied from the training text
orders | The same draws for every order | language_models P33
    The same random numbers give a better, and a more copied, text with each order.
    effect of n, longer context
""",
)
