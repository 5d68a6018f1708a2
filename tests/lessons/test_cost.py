"""What a lesson costs (`python -m engine list cost`): 100 lines for its words, 20 for a declared picture, 60 for a
part; its own sums stand beside."""

from __future__ import annotations

from engine.course.cost import costs

# Above their price today.  No number here may rise, no lesson may come in, and one that has reached its price goes.
ABOVE: dict[str, int] = {
    "smoothing": 671,
    "hmm": 681,
    "cooccurrence": 521,
    "embeddings": 265,
    "softmax": 288,
    "feedforward": 474,
    "rnn": 390,
    "bptt": 541,
    "lstm": 336,
    "surgery": 271,
    "external": 315,
    "units": 243,
    "cures": 712,
    "pooling": 340,
    "attention": 578,
    "masks": 568,
    "heads": 396,
    "transformer": 787,
    "translation": 680,
    "scores": 878,
    "corpora": 202,
    "optimisers": 716,
    "batches": 495,
    "training": 215,
    "runs": 114,
    "inspect": 117,
    "compare": 218,
}


def test_no_lesson_is_above_its_price() -> None:
    found = {cost.id: cost for cost in costs()}
    for id, cost in found.items():
        assert cost.lines <= ABOVE.get(id, cost.price), (id, cost.lines, cost.price)
    assert not [id for id in ABOVE if found[id].lines <= found[id].price], "these have reached it"
