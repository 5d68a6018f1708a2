"""Corpora: what every file of engine/text/corpora promises; the stories' probabilities, entropy and
planted facts."""

from __future__ import annotations

import math
import re
import sys

import numpy as np
import pytest

from engine.core.registry import corpora
from engine.text.corpora.base import Draw, OneOf, Path, Say, entropy, paths
from engine.text.corpora.stories import ANIMALS, BOYS, GIRLS, VERBS, Stories
from engine.text.corpora.stories import CORPUS as STORIES
from engine.text.tokenizers.base import passages

LONG = ("stories", "scenes", "phrases")  # seconds each


@pytest.mark.parametrize(
    "id",
    [pytest.param(id, marks=pytest.mark.slow if id in LONG else ()) for id in corpora.ids()],
)
def test_is_clean_text_with_one_passage_a_line(id: str) -> None:
    corpus = corpora.get(id)
    text = corpus.text()
    assert len(text) > 100_000 and text.endswith("\n")
    lines = text[:-1].split("\n")
    assert passages(text) == lines
    assert all(line == line.strip() for line in lines)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
    assert type(corpus)().text() == text


def test_documentation_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.text.corpora import python_docs

    python_docs._clean.cache_clear()
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(LookupError, match="without its language reference"):
        python_docs.CORPUS.text()
    monkeypatch.undo()
    assert '"lambda"' in python_docs.CORPUS.text()


def test_grammar_by_hand() -> None:
    # A coin for a or b; then, half the time, a letter of c and d that is drawn, and drawn again
    # unlike it (1 left).
    letters = [{"one": "c"}, {"one": "d"}]
    two = (Draw("x", letters), Say("x"), Draw("y", letters, ("x",)), Say("y"))
    node = (OneOf(((0.5, "a"), (0.5, "b"))), OneOf(((0.5, ()), (0.5, two))))
    found = {path.text: 2**-path.bits for path in paths(node)}
    assert found == {"a": 0.25, "b": 0.25, "acd": 0.125, "adc": 0.125, "bcd": 0.125, "bdc": 0.125}
    # 2 * 1/4 * 2 bits + 4 * 1/8 * 3 bits = 2.5; by draws: 1 + 1 + 1/2 * (1 + 0) = 2.5
    assert entropy(node) == 2.5
    assert [path.text for path in paths(node, "acd") if path.text == "acd"] == ["acd"]


SMALL = Stories(words=3, depth=2)
START = Path("", 0.0, {"hero": GIRLS[0], "friend": BOYS[0]}, ())
NAMED = "agreement relative gift quotation secret packing".split()
PARTS = {name: getattr(SMALL, name)("0") for name in NAMED}
PARTS |= {
    "box": SMALL.box("0", 0),
    "whole story without scenes": Stories(words=3, scenes=0).grammar,
}
SOME = ("agreement", "box", "whole story without scenes")


@pytest.mark.parametrize(
    "name", [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in PARTS]
)
def test_every_way_to_write_it_is_counted_once(name: str) -> None:
    """By brute force: chances sum to 1, no text has two derivations, and the entropy is what the
    sum over texts gives."""
    ways = list(paths(PARTS[name], None, START))
    assert math.fsum(2**-way.bits for way in ways) == pytest.approx(1, abs=1e-9)
    assert len({way.text for way in ways}) == len(ways) > 5
    assert entropy(PARTS[name]) == pytest.approx(
        math.fsum(way.bits * 2**-way.bits for way in ways), abs=1e-9
    )


def test_brute_force_gives_the_bits_of_a_line() -> None:
    stories = Stories(words=3, scenes=0)
    for way in list(paths(stories.grammar))[::97]:
        assert stories.bits(way.text) == pytest.approx(way.bits)


def test_mean_bits_approach_the_entropy() -> None:
    lines = STORIES.generate(1000, seed=5)
    bits = np.array([STORIES.bits(line) for line in lines])
    assert np.isfinite(bits).all()
    error = bits.std(ddof=1) / np.sqrt(len(bits))
    assert error < 1
    assert abs(bits.mean() - STORIES.entropy_bits_per_line()) < 3.5 * error
    assert all(len(STORIES.derivations(line)) == 1 for line in lines[:150])


def test_the_same_seed_gives_the_same_stories_and_other_lines_have_no_chance() -> None:
    assert STORIES.generate(20, 3) == STORIES.generate(20, 3) != STORIES.generate(20, 4)
    assert STORIES.generate(20, 3)[:5] == STORIES.generate(5, 3)
    line = STORIES.generate(1, 0)[0]
    for other in ("", "Hello.", line[:-1], line + " ", line.upper()):
        assert STORIES.bits(other) == math.inf
        with pytest.raises(ValueError, match="none of the grammar"):
            STORIES.facts(other)


def test_facts_are_where_they_say() -> None:
    pronouns = {p["one"]: ("she", "She", "her") for p in GIRLS}
    pronouns |= {p["one"]: ("he", "He", "him", "his") for p in BOYS}
    opens = {"(": ")", "[": "]", "{": "}", '"': '"'}
    verbs = {form: number for verb in VERBS for number, form in verb.items()}
    kinds: set[str] = set()
    for line in STORIES.generate(300, seed=9):
        facts = STORIES.facts(line)
        kinds |= {fact.kind for fact in facts}
        for fact in facts:
            one, two = line[slice(*fact.first)], line[slice(*fact.second)]
            assert fact.first[1] <= fact.second[0]
            match fact.kind:
                case "agreement":
                    assert verbs[two] == fact.value
                    assert one in {entry[fact.value] for entry in ANIMALS}
                case "brackets" | "quotation":
                    assert two == opens[one]
                case "copy":
                    assert one == two and len(one) > 3
                case "coreference":
                    assert two in pronouns[one]
                case _:
                    raise AssertionError(fact.kind)
        assert sum(f.kind == "brackets" for f in facts) == sum(line.count(b) for b in "([{")
        assert sum(f.kind == "quotation" for f in facts) * 2 == line.count('"')
        pairs = [f for f in facts if f.kind == "brackets"]  # no pair crosses another
        assert not any(a.first < b.first < a.second < b.second for a in pairs for b in pairs)
    assert kinds == {"agreement", "brackets", "quotation", "copy", "coreference"}
