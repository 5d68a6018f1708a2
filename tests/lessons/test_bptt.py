"""Backpropagation through time: what its parts say is what is computed, of the specified sentences and of any text."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from engine.analysis import backpropagation, jacobians
from engine.frame.part import Part
from engine.lessons.bptt import LESSON, live, parts
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from engine.runs.store import SHIPPED, RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, charts, said, tables

PERSON = "The person who spoke multiple languages fluently applied"
NETS = {"Elman RNN": "rnn_large", "LSTM": "lstm", "Transformer": "transformer"}


def opened(part: Part, id: str = "rnn", **chosen: Any) -> list[Any]:
    page = {"model": shipped(id), "run": RunStore(SHIPPED).find(id), "mine": ""}
    others = {"transformer": "transformer", "elman": "rnn_large", "lstm": "lstm"}
    return asked(part, page | {name: shipped(run) for name, run in others.items()}, **chosen)


def test_how_far_back_each_model_learns() -> None:
    """rnn B4, “person” and “applied”: the shares and the fall that were measured first."""
    found = charts(opened(parts.reach, text=PERSON))
    field = found["arcs"]
    assert field.axes[0].labels[1:] == tuple(NETS) and field.axes[1].labels[1] == "person"
    share = dict(zip(field.axes[0].labels, field.values, strict=True))
    assert 100 * share["Elman RNN"][[1, -1]] == pytest.approx((0.23, 76), rel=0.01)
    assert [100 * share[name][1] for name in ("LSTM", "Transformer")] == pytest.approx(
        (2.6, 8.4), rel=0.02
    )
    sizes = [parts.by_word(shipped(run), PERSON) for run in NETS.values()]
    seven = [size[7, 0] / size[7, 6] for size in sizes]
    assert [f"{x:.1g}" for x in seven] == ["0.0004", "0.02", "0.4"]
    keys = [
        parts.by_word(shipped(run), "The keys to the old cabinet were")[-1, :-1]
        for run in NETS.values()
    ]
    assert [100 * row[1] / row.sum() for row in keys] == pytest.approx((6.9, 13, 22), rel=0.03)


def test_the_fall_is_a_geometric_mean() -> None:
    size = parts.by_word(shipped("lstm"), "one two three four")
    two = math.sqrt(size[2, 0] / size[2, 1] * size[3, 1] / size[3, 2])
    assert np.isnan(size[0]).all()
    assert parts.falls(size)[:2] == pytest.approx((1, two))


@together(
    ("text", "count", "earlier", "later", "steps"),
    [
        (f"{PERSON} for the translator position.", 12, "person", "applied", 6),
        ("The man who wrote the book entered the room.", 9, "man", "entered", 5),
        ("The cat, which was very old, sat on the mat.", 10, "cat,", "sat", 5),
    ],
)
def test_distances_of_the_specified_sentences(
    text: str, count: int, earlier: str, later: str, steps: int
) -> None:
    """In words; and the gradient of the later word reaches the earlier one, and nothing behind it."""
    words = re.findall(r"\S+", text)
    first, last = words.index(earlier), words.index(later)
    assert len(words) == count and last - first == steps
    size = parts.by_word(shipped("rnn"), text)
    assert size[last, first] > 0 and np.isnan(size[last, last:]).all()


def test_a_span_and_the_bound_of_a_plain_net() -> None:
    """By numpy: the largest singular value of the recurrent weights of each layer."""
    model = able(shipped("rnn_large"), RecurrentModel)
    blocks = opened(parts.jacobian, "rnn_large")
    (rows,) = tables(blocks)
    weights = [w for n, w in model.weights().items() if n.endswith("weight_hh_l0")]
    assert [row["largest singular value"] for row in rows] == pytest.approx(
        [float(np.linalg.norm(w, 2)) for w in weights], rel=1e-5
    )
    small = able(shipped("rnn"), RecurrentModel)
    tokens = small.tokens(LESSON.example)
    want = jacobians.spectrum(small, tokens, 0, len(tokens) - 12, len(tokens) - 2)
    assert f"largest singular value {want.step_S[0]:.3g}" in said(opened(parts.jacobian))
    assert "no plain recurrent net" in said(opened(parts.jacobian, "lstm"))


def test_learning_and_truncation() -> None:
    found = said(opened(parts.learning, rate=1.0))
    model = able(shipped("rnn"), RecurrentModel)
    tokens = model.tokens(LESSON.example)
    made = backpropagation.update(model, tokens, 10.0)
    before, after = (float(q[1:].mean()) / math.log(2) for q in (made.before_Q, made.after_Q))
    assert f"{before:.2f} → {after:.2f} bits a token after 1 step (worse" in found
    whole, cut = (backpropagation.truncated(model, tokens, c)[0] for c in (None, 8))
    share = 100 * np.linalg.norm(cut) / np.linalg.norm(whole)
    cosine = (whole * cut).sum() / np.linalg.norm(whole) / np.linalg.norm(cut)
    truncated = said(opened(parts.learning, cut=8))
    assert f"{share:.3g} % as long, at a cosine of {cosine:.3f}" in truncated


def test_the_chunks_of_a_truncated_gradient() -> None:
    """A chunk of k steps is used by the losses of its k next tokens."""
    assert [live.cut_at(q, 8) for q in (1, 8, 9, 16, 17)] == [0, 0, 8, 8, 16]
    assert sum(q - live.cut_at(q, 8) for q in range(1, 33)) == 144  # 4 chunks of 8 · 9 / 2
    assert sum(q - live.cut_at(q, 0) for q in range(1, 33)) == 528


def test_across_a_wall_nothing_is_learned() -> None:
    found = opened(parts.walls, w_lag=6, w_c=1.0, w_start=True)
    assert "Without a wall between letter and answer 100 %" in said(found)
