"""The marks of a training: each rule on samples made for it, the first step of each, and what a
training notes of its text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis import first_reached
from engine.analysis.first_reached import TESTS
from engine.core.registry import models, tokenizers
from engine.runs.store import Recipe, digest
from engine.training import history, probes, yardstick
from engine.training.fit import fit
from tests.conftest import TEXT, small, together

HOLDS = {test.holds.__name__: test.holds for test in TESTS}
LIKE: dict[str, Any] = {
    "characters": 1000,
    "spaces": 0.2,
    "word_letters": 4.0,
    "count_nats": 2.5,
    "letters": list("etaonhsrdl"),
    "words": ["the", "sea", "was", "calm", "that", "we"],
}

# name of the rule, what was written, whether it holds
CASES = [
    ("spaces", "abcd " * 10, True),  # 10 spaces of 50 characters: 0.2; words of 4 letters
    ("spaces", "abcdefgh " * 10, False),  # 1 of 9
    ("spaces", "abcde" * 10, False),
    ("spaces", "ab  cd  ef  ", False),  # words of two letters
    ("spaces", "", False),
    ("a_word", "xq calm zz", True),
    ("a_word", "the sea was", False),  # known, but of three letters
    ("a_word", "Calm", True),  # small and capital letters are the same
    ("a_word", "calmx", False),
    ("half_words", "the sea qq ww calm", True),  # 3 of 5
    ("half_words", "the sea qq ww ee rr", False),  # 2 of 6
    ("half_words", "the sea was calm", False),  # only four words
    ("letters", "etaon" * 8, True),
    ("letters", "etaox" * 8, True),  # four of five
    ("letters", "etaxy" * 8, False),
    ("letters", "etaon" * 7, False),  # too few letters to say
    ("quote", 'he said "yes" to', True),
    ("quote", "he said “yes” to", True),
    ("quote", 'he said "yes', False),
    ("quote", 'a "" b', False),  # nothing between
    ("quote", 'a "yes\nand" b', False),  # in another line
    ("bracket", "it (the sea) was", True),
    ("bracket", "it [3] was", True),
    ("bracket", "it (the sea] was", False),
    ("bracket", ") and (", False),
    ("capital", "It was. She came. He left", True),
    ("capital", "It was. she came. He left", False),
    ("capital", "It was. She came", False),  # a single place
]


@together(("rule", "written", "holds"), CASES)
def test_a_rule(rule: str, written: str, holds: bool) -> None:
    assert HOLDS[rule](written, LIKE) is holds


@together("written", ["", "x", "👩‍🚀 é\u0301", '\x00((“”""', "a" * 3000])
def test_a_rule_bears_any_sample(written: str) -> None:
    assert {holds(written, like) for holds in HOLDS.values() for like in (LIKE, {})} <= {
        True,
        False,
    }


def looks(*written: str) -> list[Mapping[str, Any]]:
    return [{"step": 10 * n, "samples": [["The ", said]]} for n, said in enumerate(written, 1)]


def titles(found: list[first_reached.Mark]) -> dict[str, int]:
    return {mark.title: mark.step for mark in found}


def test_a_mark_is_the_first_step_and_for_what_stays_the_first_for_good() -> None:
    found = titles(first_reached.marks(looks("xx", 'a "b" c', "xx", 'a "b" c'), {}, {}))
    assert found == {"first closing quote": 20}
    none, spaced = "x" * 50, "abcd " * 10
    seen = looks(none, spaced, none, spaced, spaced)
    found = titles(first_reached.marks(seen, LIKE, {}))
    assert found == {"learned spaces": 40}, "it was there at 20, and gone at 30"
    # true from the first look on: nothing was learned; and what did not stay
    assert not first_reached.marks(looks('a "b" c', 'a "b" c'), LIKE, {})
    assert not first_reached.marks(looks(none, spaced, none), LIKE, {})
    assert not first_reached.marks([], LIKE, {}) and not first_reached.marks([{"step": 1}], {}, {})
    steps, nats = np.array([10, 20, 30, 40]), np.array([3.0, 2.4, math.nan, 2.45])
    found = titles(first_reached.marks([], LIKE, {"held_out_nats": (steps, nats)}))
    # 2.5 nats by counting
    assert found == {"better than counting tokens": 20, "best on held-out text": 20}
    below = first_reached.marks([], LIKE, {"held_out_nats": (steps[1:], nats[1:])})
    assert titles(below) == {"best on held-out text": 20}, "below from the first on"
    single = {"held_out_nats": (steps[:1], nats[:1])}
    assert not first_reached.marks([], LIKE, single), "a single measurement is no best"


def test_what_the_text_is_like_by_hand() -> None:
    found = yardstick.measure("aab a\nb", tokenizers.get("chars").fit(["aab a", "b"], 10))
    # letters: a 3, b 2; words: aab, a, b; the stream of ids: / aab a / b /, of 9 ids a 3, / 3, b 2, space 1
    assert found["letters"] == ["a", "b"]
    assert found["words"] == ["a", "aab", "b"]
    assert found["characters"] == 7
    assert found["spaces"] == round(1 / 7, 4) and found["word_letters"] == round(5 / 3, 3)
    entropy = -sum(n / 9 * math.log(n / 9) for n in (3, 3, 2, 1))
    assert found["count_nats"] == round(entropy, 4)
    assert yardstick.parse(found) == found
    assert yardstick.measure("123 …", tokenizers.get("chars").fit(["1"], 10)) == {}
    for wrong in ({"spaces": math.inf}, {"words": [1]}, {"letters": "ab"}):
        assert yardstick.parse({**found, **wrong}) == {}
    assert yardstick.parse(None) == yardstick.parse([]) == {}


def test_a_training_notes_what_its_text_is_like(tmp_path: Path) -> None:
    config = small(models.get("lstm"), tokenizer="words", steps=6)
    recipe = Recipe("lstm", config, digest(TEXT), 0)
    for _ in fit(tmp_path, recipe, TEXT, probes=3, prompts=["The "]):
        pass
    like = probes.describe_text(tmp_path)
    words = Counter(yardstick.words_of(TEXT))
    assert like["words"][0] == max(sorted(words), key=words.__getitem__)
    assert like["spaces"] == round(TEXT.count(" ") / len(TEXT), 4)
    looks = [row["step"] for row in probes.read(tmp_path)]
    assert looks == [1, 2, 6], "the line on the text is no moment"
    probes.forget_after(tmp_path, 2)
    assert probes.describe_text(tmp_path) == like
    assert [row["step"] for row in probes.read(tmp_path)] == [1, 2]
    marks = first_reached.marks(probes.read(tmp_path), like, history.read(tmp_path / "history.csv"))
    assert all(mark.step in (1, 2, 6) for mark in marks)
    probes.forget_after(tmp_path, 0)
    assert probes.describe_text(tmp_path) == {}, "a new training may have another text"
