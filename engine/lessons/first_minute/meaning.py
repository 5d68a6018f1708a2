"""First minutes: words as places in space."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

CITIES = (
    "paris is a capital city\nlondon is a capital city\nrome is a capital city\norange is a sweet"
    " fruit\napple is a sweet fruit"
)
PETS = "the cat drinks milk\nthe dog drinks water\nthe cat eats fish\nthe dog eats meat"

MEANING: Mapping[str, tuple[Step, ...]] = {
    "cooccurrence": (
        Step(
            "Window of 1: a word is paired with its next neighbours only. Five pairs occur, each"
            " once, and the table is symmetric.",
            text="the cat sat on the mat",
            link="rules=1.f.b.count.100.1",
            panel="near",
        ),
        Step(
            "1: the same. Both stand near “is”, “a”, “capital” and “city”. A word is known by its"
            " neighbours.",
            text=CITIES,
            link="rules=4.f.b.cosine.100.1",
            panel="near",
            asks="“paris” and “london” never occur together. What is the cosine of their rows?",
            choices=("0", "0.5", "1"),
        ),
        Step(
            "“paris” and “orange” share two of four neighbours, “is” and “a”: their cosine is 0.5.",
            text=CITIES,
            link="rules=4.f.b.cosine.100.1",
            panel="near",
        ),
        Step(
            "PPMI asks what is more than chance: “the”, which is near everything, gets 0.29 with"
            " each word; “cat” and “milk” get 0.98.",
            text=PETS,
            link="rules=4.f.b.ppmi.100.1",
            panel="near",
        ),
    ),
    "embeddings": (
        Step(
            "The other months: “march” and “december” with a cosine of 0.97. Nobody told the model"
            " what a month is.",
            text="april",
            panel="neighbours",
            asks="Which words are nearest to “april”?",
            choices=("rain, spring", "other months", "names"),
            covers=("map",),
        ),
        Step(
            "Money: “money” 0.56 and “mortgage” 0.55 are among its nearest ten, “river” 0.48 is not."
            " A word has one vector for all its meanings.",
            text="bank",
            panel="neighbours",
            asks="A bank keeps money or lines a river. Which words are near?",
            choices=("money", "river", "both"),
            covers=("map",),
        ),
        Step(
            "Months lie close together: the cosines among these four are all above 0.9. “king” and"
            " “banana” have −0.01.",
            text="January March July October king banana",
            panel="map",
        ),
    ),
    "vectors": (
        Step(
            "The same, 0.58. Opposites stand in the same sentences as synonyms, so their vectors"
            " lie as close.",
            text="hot cold warm cool big small large little",
            panel="similarity",
            asks="Which two are closer: hot and cold, or big and large?",
            choices=("hot, cold", "big, large", "the same"),
        ),
        Step(
            "“cereal”: its vector agrees least with the mean of the four. It is food, but not a"
            " meal.",
            text="breakfast cereal dinner lunch",
            panel="oddone",
            asks="Breakfast, cereal, dinner, lunch: which is the odd one out?",
            choices=("breakfast", "cereal", "dinner"),
        ),
        Step(
            "The colours form a block of cosines from 0.60 to 0.80; “seven” stays outside it.",
            text="red green blue yellow seven",
            panel="similarity",
        ),
    ),
    "maps": (
        Step(
            "Point at “1999”: lines lead to its true nearest neighbours, “1998” first. Long lines"
            " are neighbours that the map tore apart.",
            text="1949 1960 1973 1976 1985 1996 1999",
            panel="points",
        ),
        Step(
            "“April” has a cosine of 0.94 with “January”, but of 0.61 with “May”: “may” is a verb, too,"
            " and one vector holds both.",
            text="January May",
            panel="points",
        ),
        Step(
            "Six capitals, peoples and places: compare the lines that are short with those that"
            " cross the map.",
            text="Sweden Virginia Ottawa Versailles Brazilian Bengali",
            panel="points",
        ),
    ),
}
