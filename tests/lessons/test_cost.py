"""What a lesson costs (`python -m engine list cost`): 100 lines for its words, 20 for a declared picture, 60 for a
part; its own sums stand beside."""

from __future__ import annotations

from engine.course.cost import costs


def test_no_lesson_is_above_its_price() -> None:
    above = [(cost.id, cost.lines, cost.price) for cost in costs() if cost.lines > cost.price]
    assert not above
