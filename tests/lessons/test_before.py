"""What to know before a lesson, and how long it takes."""

from __future__ import annotations

from collections import Counter

from engine.course.curriculum import LESSONS, MAP


def test_what_to_know_before_comes_earlier_in_the_course() -> None:
    """So every id exists, and no lesson needs itself by way of others."""
    earlier: set[str] = set()
    for item in LESSONS:
        assert set(item.before) <= earlier, item.id
        assert len(set(item.before)) == len(item.before), item.id
        earlier.add(item.id)


def test_nothing_is_named_that_another_lesson_names_already() -> None:
    """A picture of the course would draw a line beside a path."""
    by_id = {item.id: item for item in LESSONS}

    def known(id: str) -> set[str]:
        return {id}.union(*(known(needed) for needed in by_id[id].before))

    for item in LESSONS:
        for needed in item.before:
            others = [known(other) for other in item.before if other != needed]
            assert not any(needed in found for found in others), (item.id, needed)


def test_every_lesson_says_how_long_it_takes() -> None:
    assert MAP.minutes == 0
    assert all(5 <= item.minutes <= 45 for item in LESSONS if item is not MAP)


def test_similar_titles_have_subtitles() -> None:
    """Titles that share their first five letters, or a word."""
    shared = Counter(word.lower()[:5] for item in LESSONS for word in item.title.split())
    twins = {"compa", "piece"}
    assert all(shared[word] == 2 for word in twins)
    for item in LESSONS:
        if twins & {word.lower()[:5] for word in item.title.split()}:
            assert item.subtitle, item.id
    assert len({(item.title, item.subtitle) for item in LESSONS}) == len(LESSONS)
