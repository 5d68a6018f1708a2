"""What a lesson costs (`python -m engine list cost`): 100 lines for its words, 20 for a declared picture, 60 for a
part; its own sums stand beside."""

from __future__ import annotations

from engine.course.cost import costs

# Above their price today.  No number here may rise, no lesson may come in, and one that has reached its price goes.
ABOVE: dict[str, int] = {
    "attention": 550,
    "masks": 474,
    "transformer": 681,
    "scores": 711,
    "optimisers": 620,
    "batches": 401,
}


def test_no_lesson_is_above_its_price() -> None:
    found = {cost.id: cost for cost in costs()}
    for id, cost in found.items():
        assert cost.lines <= ABOVE.get(id, cost.price), (id, cost.lines, cost.price)
    assert not [id for id in ABOVE if found[id].lines <= found[id].price], "these have reached it"
