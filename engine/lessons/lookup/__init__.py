"""Soft lookup: how does a query read from every key at once?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="lookup",
    era="Attention",
    title="Soft lookup",
    question="How does a query read from every key at once?",
    model="skipgram",
    example="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
    tries=(
        Try(
            "four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
            "No key is “four”. The best one is “three”, so a hard lookup reads 3; the soft "
            "one reads “three” and “five” nearly alike, and 3.94. Warm it up: it slides to "
            "5, the plain mean.",
            link="rules=6.cosine",
            label="Numbers: four is missing",
        ),
        Try(
            "space travel\n"
            "astronomy: stars, planets and telescopes\n"
            "cooking: recipes, spices and bread\n"
            "rockets: engines, fuel and orbits\n"
            "sailing: ships, wind and harbours",
            "A shelf of books. Hard, you take one: “rockets”, and read of engines and fuel. "
            "Soft, you read three at once, and what is read is most like “quasars” and "
            "“satellites”, words that stand in none of the books.",
            link="rules=20.cosine",
            label="Library: space travel",
        ),
        Try(
            "climate change in coastal regions\n"
            "global warming: carbon dioxide and temperature\n"
            "rising sea level: floods and tides\n"
            "coastal cities: harbours and beaches\n"
            "roman history: emperors and wars\n"
            "football: goals and players",
            "A search by words. “coastal cities” has the best cosine. Choose q·k ÷ √d and T "
            "= 1: the scores lie so close together that football has 18 % too.",
            link="rules=20.cosine",
            label="Search: climate and coasts",
        ),
        Try(
            "portugal\nfrance: french\ngermany: german\nbrazil: portuguese\njapan: japanese",
            "The best key is “brazil”, so a hard lookup reads “portuguese”. At T = 1 the "
            "reading is about as like “french”. Cool it down, and “portuguese” alone is "
            "left.",
            link="rules=40.cosine",
            label="Countries: portugal",
        ),
        Try(
            "turquoise\nred: 1, 0, 0\ngreen: 0, 1, 0\nblue: 0, 0, 1",
            "Values of three numbers. What is read is 63 % blue, 23 % red and 14 % green: "
            "the vectors know which words stand near each other, not which colours do.",
            link="rules=20.cosine",
            label="Colours: turquoise",
        ),
    ),
    sources=(
        (
            "Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.3.1 (a memory that "
            "is read by likeness)"
        ),
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2 (queries, keys, values)",
        (
            "Hinton, Vinyals & Dean, Distilling the Knowledge in a Neural Network, 2015 "
            "(temperature)"
        ),
    ),
    differs="The notes compare attention to a search engine and leave out the values: what is found "
    "is not the key, but what stands behind it.\n"
    "Their library hands out the one book that matches; attention reads all of them, each "
    "as much as its weight says, and no weight is 0.\n"
    "Here query and keys are word vectors as they are. In a Transformer two learned "
    "matrices come before the product, and another one makes the values.",
    minutes=10,
    before=("softmax", "attention"),
    first="rules=6.cosine",
    minute=(
        Step(
            "3: hard, the best key takes all. Soft, “three” has 54 % and “five” 46 %, and "
            "what is read is 3.94.",
            text="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
            link="rules=6.cosine",
            panel="lookup",
            asks="No key is called “four”. What does a hard lookup by likeness read?",
            choices=("nothing", "3", "4"),
            covers=("reading",),
        ),
        Step(
            "Warm: every key has about 20 %, and the reading is the plain mean, 5.02. "
            "Colder than 0.02, “three” takes all.",
            text="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
            link="rules=60.cosine",
            panel="heat",
        ),
        Step(
            "Hard takes “rockets”. Soft reads three books at once: most like “quasars”, "
            "which stands in none of them.",
            text="space travel\n"
            "astronomy: stars, planets and telescopes\n"
            "cooking: recipes, spices and bread\n"
            "rockets: engines, fuel and orbits\n"
            "sailing: ships, wind and harbours",
            link="rules=20.cosine",
            panel="reading",
        ),
    ),
    topics="""
lookup | Soft lookup in a library that you type | foundations N86 N90 S50
    A query, keys and values in words: scores, softmax and the weighted sum, beside a hard lookup.
    library analogy, library shelf, search engine, web search, dictionary lookup, key-value store,
    associative memory, content addressing, retrieval
heat | Hard and soft: the temperature of a lookup | transformers B3
    The weight of every key over the temperature, from one that has all to all alike.
    temperature, hard attention, argmax, soft attention
""",
)
