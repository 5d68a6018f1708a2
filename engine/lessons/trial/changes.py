"""Changes: a text with a small change that a reader would not mind, or would: what CheckList tries models with.

What      typos (two neighbouring letters of a word swapped), case, a negation put in or taken out, names
          replaced, neighbouring words swapped
Source    Ribeiro, Wu, Guestrin & Singh, Beyond Accuracy: Behavioral Testing of NLP Models with CheckList, 2020, sec. 2
Differs   What is changed depends on the words before it alone, so that a text that is typed on keeps its changes.
          English alone has the negations and names that are known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from zlib import crc32

BETWEEN = re.compile(
    r"\t|\n|=>"
)  # a text and its translation, as engine/models/translating.py reads them
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
EACH = 3  # about one word in so many is changed
LONG = 4  # letters of a word that gets a typo
WORDS = (
    "is are was were am can could will would shall should may might must do does did has have had",
    "Anna Emma Lucy Mary Jane Sarah Nora Clara Ruth Helen John Peter Tom James Robert George Henry Paul Martin"
    " Gregor Thomas William Charles David Michael Alice Elizabeth Susan Laura Julia",
    "Olga Priya Fatima Chidi Kenji Mateo Ingrid Dmitri Leila Kwame",
)
AUXILIARIES, NAMES, OTHERS = (tuple(some.split()) for some in WORDS)
WHOLE = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"}


def drawn(word: str, number: int, seed: int, most: int) -> int:
    """A number below `most` that depends on a word, its place and the seed alone, on every machine."""
    return crc32(f"{seed} {number} {word}".encode()) % most


def each_word(text: str, change: Callable[[str, int], str]) -> str:
    """`change` of each word and its number; all else stays."""
    found, at = [], 0
    for number, match in enumerate(WORD.finditer(text)):
        found += [text[at : match.start()], change(match.group(), number)]
        at = match.end()
    return "".join([*found, text[at:]])


def typo(text: str, seed: int) -> str:
    def change(word: str, number: int) -> str:
        if len(word) < LONG or drawn(word, number, seed, EACH):
            return word
        at = 1 + drawn(word, number, seed + 1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return each_word(text, change)


def capitals(text: str, seed: int) -> str:
    return text.upper() if seed % 2 else text.lower()


def negation(text: str, seed: int) -> str:
    """Of the first word that can be negated, or is."""
    done = False

    def change(word: str, number: int) -> str:
        nonlocal done
        low = word.lower().replace("’", "'")
        if done:
            return word
        done = low in AUXILIARIES or low in WHOLE or low.endswith("n't")
        if not done:
            return word
        if low in AUXILIARIES:
            return " ".join((word, "not"))
        whole = WHOLE.get(low, low[:-3])
        return whole.capitalize() if word[0].isupper() else whole

    taken = re.sub(r"\b(" + "|".join(AUXILIARIES) + r") not\b", r"\1", text, count=1, flags=re.I)
    return taken if taken != text else each_word(text, change)


def names(text: str, seed: int) -> str:
    """The same name becomes the same other one."""
    return each_word(
        text, lambda word, _n: OTHERS[drawn(word, 0, seed, len(OTHERS))] if word in NAMES else word
    )


def order(text: str, seed: int) -> str:
    """Words that stand with nothing but a blank between them, about one pair in EACH."""
    found, at, number = "", 0, 0
    spans = [match.span() for match in WORD.finditer(text)]
    while number < len(spans) - 1:
        (a, b), (c, d) = spans[number : number + 2]
        if text[b:c] == " " and not drawn(text[a:b], number, seed, EACH):
            found += f"{text[at:a]}{text[c:d]} {text[a:b]}"
            at, number = d, number + 1
        number += 1
    return found + text[at:]


KINDS: dict[str, tuple[str, Callable[[str, int], str]]] = {
    "typo": ("Typos", typo),
    "case": ("Case", capitals),
    "not": ("Negation", negation),
    "name": ("Names", names),
    "order": ("Word order", order),
}
"""By what the address calls them: the words for each, and what it does to a text with a seed."""


def change(text: str, kind: str, seed: int, pair: bool = False) -> str:
    """`pair`: of a text and its translation the text alone."""
    between = BETWEEN.search(text) if pair else None
    at = between.start() if between else len(text)
    return KINDS[kind][1](text[:at], seed) + text[at:]
