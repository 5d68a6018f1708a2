"""Hypotheses: what could be true of a place of a text, each as one small function.

What      every function gives one number per character, as it stands once that character has been
          read; a token has the number of its last character, or, where the row says `anywhere`, the
          largest one of its characters
Source    Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015
          (quotation, line, brackets);
          Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive
          Dependencies, 2016 (number)
Shapes    C = characters, N = tokens, F = hypotheses
Differs   Rules on the spelling only, so they err where spelling does: "plural" hears every word in
          -s.  A hypothesis that is a count (places since the line began) is tested as a yes-or-no
          question: is it above its median?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.text.segmentation import in_word

Rule = Callable[[str], np.ndarray]
OPEN, CLOSE = "([{", ")]}"
FEMALE, MALE = frozenset("she her hers herself".split()), frozenset("he him his himself".split())


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """`rule` gives truth values, or whole numbers where the hypothesis is `counted`."""

    id: str
    title: str
    says: str  # the rule in one sentence
    rule: Rule
    counted: bool = False
    anywhere: bool = False


def _each(test: Callable[[str], bool]) -> Rule:
    """A rule that looks at one character at a time."""

    def rule(text: str) -> np.ndarray:
        return np.fromiter(map(test, text), bool, len(text))

    return rule


_letter = _each(lambda c: c.isalpha() or (in_word(c) and not c.isalnum()))
_line_end = _each("\n".__eq__)


def _since(reset_C: np.ndarray) -> np.ndarray:
    """How many places ago the last reset was: 0 at a reset; before the first one counted from the
    start, which is 1."""
    place_C = np.arange(1, len(reset_C) + 1)
    return place_C - np.maximum.accumulate(np.where(reset_C, place_C, 0))


def _before(mark_C: np.ndarray, first: bool = False) -> np.ndarray:
    """The value of the place before."""
    return np.concatenate([[first], mark_C[:-1]])[: len(mark_C)]


def line_position(text: str) -> np.ndarray:
    return _since(_line_end(text))


def line_start(text: str) -> np.ndarray:
    return line_position(text) <= 10


def word_length(text: str) -> np.ndarray:
    return _since(~_letter(text))


def word_start(text: str) -> np.ndarray:
    return word_length(text) == 1


def word_end(text: str) -> np.ndarray:
    letter_C = _letter(text)
    return letter_C & ~np.append(letter_C[1:], False)[: len(text)]


def sentence_start(text: str) -> np.ndarray:
    """No word of the sentence is finished yet."""
    stop_C = _each(lambda c: c in ".!?\n")(text)
    ended_C = np.cumsum(_before(word_end(text)))
    return ended_C - np.maximum.accumulate(np.where(stop_C, ended_C, 0)) == 0


def sentence_position(text: str) -> np.ndarray:
    return _since(_each(lambda c: c in ".!?\n")(text))


def after_comma(text: str) -> np.ndarray:
    comma_C = np.cumsum(_each(lambda c: c in ",;:")(text))
    stop_C = _each(lambda c: c in ".!?\n")(text)
    return comma_C > np.maximum.accumulate(np.where(stop_C, comma_C, 0))


def quoted(text: str) -> np.ndarray:
    found, inside = np.zeros(len(text), bool), False
    for i, c in enumerate(text):
        inside = True if c == "“" else False if c in "”\n" else inside ^ (c == '"')
        found[i] = inside
    return found


def depth(text: str) -> np.ndarray:
    found, level = np.zeros(len(text), int), 0
    for i, c in enumerate(text):
        level = (
            0
            if c == "\n"
            else level + 1
            if c in OPEN
            else max(0, level - 1)
            if c in CLOSE
            else level
        )
        found[i] = level
    return found


def capitalised(text: str) -> np.ndarray:
    """Inside a word that began with a capital."""
    length_C = word_length(text)
    first_C = np.maximum(np.arange(len(text)) - length_C + 1, 0)
    return (length_C > 0) & _each(str.isupper)(text)[np.minimum(first_C, max(0, len(text) - 1))]


def _last_word(text: str, kind: Callable[[str], bool | None]) -> np.ndarray:
    """What `kind` says of the last finished word of which it says anything; a line begins with
    False."""
    found, at, state = np.zeros(len(text), bool), 0, False
    for match in re.finditer(r"[^\W\d_]+|\n", text):
        said = False if match.group() == "\n" else kind(match.group().lower())
        if said is not None:
            stop = match.end() - 1  # the last character of the word is the first place that knows
            found[at:stop] = state
            at, state = stop, said
    found[at:] = state
    return found


def plural(text: str) -> np.ndarray:
    return _last_word(
        text,
        lambda w: w.endswith("s") and not w.endswith(("ss", "us", "is")) if len(w) > 3 else None,
    )


def feminine(text: str) -> np.ndarray:
    return _last_word(text, lambda w: True if w in FEMALE else False if w in MALE else None)


HYPOTHESES: tuple[Hypothesis, ...] = (
    Hypothesis(
        "quoted",
        "inside quotation marks",
        "A double quotation mark is open; it closes at the next one or at the line end.",
        quoted,
    ),
    Hypothesis(
        "bracket",
        "inside brackets",
        "A bracket ( [ or { is open in this line.",
        lambda t: depth(t) > 0,
    ),
    Hypothesis(
        "enclosed",
        "inside quotes or brackets",
        "A quotation mark or a bracket is open in this line.",
        lambda t: quoted(t) | (depth(t) > 0),
    ),
    Hypothesis(
        "nested",
        "two brackets deep",
        "At least two brackets are open in this line.",
        lambda t: depth(t) > 1,
    ),
    Hypothesis(
        "line_start", "after a line end", "One of the first 10 characters of a line.", line_start
    ),
    Hypothesis(
        "line_position",
        "far into the line",
        "Characters since the line began.",
        line_position,
        True,
    ),
    Hypothesis(
        "sentence_start",
        "sentence begins",
        "The first word of a sentence is not finished yet.",
        sentence_start,
    ),
    Hypothesis(
        "sentence_position",
        "far into the sentence",
        "Characters since the last full stop, exclamation or question mark.",
        sentence_position,
        True,
    ),
    Hypothesis(
        "comma",
        "after a comma",
        "This sentence has had a comma, a colon or a semicolon.",
        after_comma,
    ),
    Hypothesis(
        "space", "space", "A space or a line end was just read.", _each(str.isspace), anywhere=True
    ),
    Hypothesis(
        "word_start",
        "first letter of a word",
        "A letter was just read, with no letter before it.",
        word_start,
        anywhere=True,
    ),
    Hypothesis(
        "word_end",
        "word ends next",
        "A letter was just read, and no letter follows: true before the model can see it.",
        word_end,
    ),
    Hypothesis(
        "word_length", "long word so far", "Letters of the word read so far.", word_length, True
    ),
    Hypothesis(
        "vowel",
        "vowel",
        "The letter a, e, i, o or u was just read.",
        _each(lambda c: c in "aeiouAEIOU"),
    ),
    Hypothesis(
        "capital",
        "capital letter",
        "A capital letter was just read.",
        _each(str.isupper),
        anywhere=True,
    ),
    Hypothesis("name", "capitalised word", "Inside a word that began with a capital.", capitalised),
    Hypothesis("digit", "digit", "A digit was just read.", _each(str.isdigit), anywhere=True),
    Hypothesis(
        "punctuation",
        "punctuation",
        "The last character read is not a letter, digit or space.",
        _each(lambda c: not (in_word(c) or c.isspace())),
        anywhere=True,
    ),
    Hypothesis(
        "plural",
        "last word in -s",
        "Of the words with four letters or more, the last one ended in -s (not -ss, -us, -is): "
        "often a plural noun, sometimes a verb.",
        plural,
    ),
    Hypothesis(
        "feminine",
        "last pronoun feminine",
        "Of the pronouns he, him, his, she, her and hers, the last one in this line was feminine.",
        feminine,
    ),
)


def counts(
    hypothesis: Hypothesis, text: str, spans: Sequence[tuple[int, int]] | np.ndarray
) -> np.ndarray:
    """(N,) the number of each token, as float64: 0 or 1 where the hypothesis is not counted."""
    span_N2 = np.asarray(spans, int).reshape(-1, 2)
    value_C = np.asarray(hypothesis.rule(text), float)
    if not len(value_C):
        return np.zeros(len(span_N2))
    last_N = np.clip(span_N2[:, 1] - 1, 0, len(text) - 1)
    if not hypothesis.anywhere:
        return value_C[last_N]
    total_C = np.concatenate([[0.0], np.cumsum(value_C)])
    inside_N = total_C[last_N + 1] - total_C[np.minimum(span_N2[:, 0], last_N)]
    return (inside_N > 0).astype(float)


def truths(hypothesis: Hypothesis, number_N: np.ndarray) -> np.ndarray:
    """(N,) where the hypothesis holds; a counted one holds above its median."""
    return number_N > (np.median(number_N) if hypothesis.counted and len(number_N) else 0)
