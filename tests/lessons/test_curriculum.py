"""What a lesson costs, what to know before it, how long it takes, and where each page of before leads."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.course.cost import costs
from engine.course.curriculum import LESSONS, MAP
from engine.lessons.former_pages import MOVED
from tests.conftest import ROOT, together


def test_price_and_minutes_of_every_lesson() -> None:
    above = [(cost.id, cost.lines, cost.price) for cost in costs() if cost.lines > cost.price]
    assert not above
    assert MAP.minutes == 0
    assert all(5 <= item.minutes <= 45 for item in LESSONS if item is not MAP)


def test_what_to_know_before_comes_earlier_and_once() -> None:
    """So every id exists, and no lesson needs itself by way of others."""
    earlier: set[str] = set()
    for item in LESSONS:
        assert set(item.before) <= earlier, item.id
        assert len(set(item.before)) == len(item.before), item.id
        earlier.add(item.id)
    # A picture of the course would draw a line beside a path.
    by_id = {item.id: item for item in LESSONS}

    def known(id: str) -> set[str]:
        return {id}.union(*(known(needed) for needed in by_id[id].before))

    for item in LESSONS:
        for needed in item.before:
            others = [known(other) for other in item.before if other != needed]
            assert not any(needed in found for found in others), (item.id, needed)


def test_similar_titles_have_subtitles() -> None:
    """Titles that share their first five letters, or a word."""
    shared = Counter(word.lower()[:5] for item in LESSONS for word in item.title.split())
    twins = {"compa", "piece"}
    assert all(shared[word] == 2 for word in twins)
    for item in LESSONS:
        if twins & {word.lower()[:5] for word in item.title.split()}:
            assert item.subtitle, item.id
    assert len({(item.title, item.subtitle) for item in LESSONS}) == len(LESSONS)


def test_each_has_its_page_and_leads_to_a_lesson() -> None:
    ids = {item.id for item in LESSONS}
    files = {path.stem for path in (ROOT / "pages").glob("[a-z]*.py")}
    assert files == {*MOVED} and not ids & {*MOVED}
    for old, (new, chosen) in MOVED.items():
        assert new in ids, old
        assert isinstance(chosen({}), dict)


@together(
    ("old", "asked", "wanted"),
    [
        ("size", {"in": "5"}, {"by": "5", "panel": "sizes"}),
        ("size", {"bits": "3"}, {"bits": "3"}),
        ("lookup", {"rules": "40.dot"}, {"attention.lookup.meets": "dot"}),
        ("lookup", {"rules": "40.dot", "text": "a"}, {"attention.lookup.library": "a"}),
        ("lookup", {"rules": "40.dot"}, {"attention.lookup.heat": "1"}),
        ("local", {}, {"scores.head.looks": "scope"}),
        ("sparse", {"panel": "fold.shared"}, {"panel": "fold.shared"}),
        ("variants", {}, {"panel": "part-cache"}),
        ("variants", {"variant": "Mixture", "share": "0.3"}, {"panel": "part-mixture"}),
        ("variants", {"variant": "Spelling", "slip": "x"}, {"gap": "x", "panel": "part-spelling"}),
        ("dynamics", {"clip": "1", "w": "2"}, {"w": "2", "panel": "network"}),
        ("duel", {"duel_seed": "7"}, {"runs": "counted.stories,counted.python_docs"}),
        ("generation", {"seed": "3"}, {"decoding.counts.draw": "3"}),
        ("generation", {"corpus": "a"}, {"decoding.counts.corpus": "a"}),
    ],
)
def test_what_was_chosen_is_chosen_there(old: str, asked: Any, wanted: dict[str, str]) -> None:
    found = MOVED[old][1](dict(asked))
    assert wanted.items() <= found.items()
    assert not {"in", "rules", "variant", "slip", "clip", "duel_seed", "seed"} & found.keys()
