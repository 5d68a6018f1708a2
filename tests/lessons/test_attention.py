"""Attention: what the parts of the lesson say is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.qkv.examples import EXAMPLES
from engine.frame.blocks import Chart, Equations, Problem, Rows
from engine.lessons.attention import live, parts
from engine.live.reply import Sent
from tests.conftest import shipped


@pytest.fixture(scope="module")
def model() -> Any:
    return shipped("transformer")


def table(blocks: list[Any]) -> list[Any]:
    return next(list(one.rows) for one in blocks if isinstance(one, Rows))


def values(blocks: list[Any], name: str) -> Any:
    return next(one.values[name] for one in blocks if name in getattr(one, "values", ()))


def test_a_library_is_read_hard_and_soft() -> None:
    words = shipped("skipgram")

    def read(library: str, heat: float) -> tuple[dict[str, float], Any, list[Any]]:
        blocks = parts.lookup.blocks(words=words, library=library, heat=heat)
        return (
            {row["key"]: row["soft weight"] for row in table(blocks)},
            values(blocks, "soft"),
            blocks,
        )

    four = parts.LIBRARIES["Numbers: four is missing"]
    weight, said, blocks = read(four, 0.02)
    assert max(weight, key=weight.__getitem__) == "three" and values(blocks, "hard") == "3"
    want = sum(w * n for w, n in zip(weight.values(), (1, 3, 5, 7, 9), strict=True))
    assert float(said) == pytest.approx(want, abs=0.01) and sum(weight.values()) == pytest.approx(1)
    weight, said, _ = read(four, 10.0)
    assert all(abs(w - 0.2) < 0.006 for w in weight.values())
    weight, said, _ = read(parts.LIBRARIES["Library: space travel"], 0.1)
    assert max(weight, key=weight.__getitem__) == "rockets" and "quasars" in said
    assert isinstance(parts.lookup.blocks(words=words, library="four")[-1], Problem)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.id)
def test_every_example_is_worked_out(example: Any, model: Any) -> None:
    blocks = parts.hand.blocks(model=model, example=example.title)
    written = str([one.parts for one in blocks if isinstance(one, Equations)])
    assert ("cancel" in written) == bool(example.printed)
    if example.printed:
        for wrong in ("13", "15.2", "156.2", "400.04", "0.1", "0.9", "12.2", "14.28"):
            assert f"cancel{{{wrong}}}" in written, wrong
        for right in ("5", "6", "61", "43.14"):
            assert f"cancel{{{right}}}" not in written, right


def test_what_weights_show() -> None:
    assert "no weights" in str(parts.weighed(np.array([[np.nan]]), False))
    assert "saturated" in str(parts.weighed(np.eye(2), False))
    assert "no longer an average" in str(parts.weighed(np.eye(2), True))


def test_the_heads_of_the_model_beside_random_vectors(model: Any) -> None:
    blocks = parts.scale.blocks(model=model, measure="variance")
    d, raw, scaled = (values(blocks, name) for name in ("d", "raw", "scaled"))
    assert raw == pytest.approx(d, rel=0.1) and scaled == pytest.approx(1, rel=0.1)


def test_a_word_is_pulled_towards_its_neighbours() -> None:
    blocks = parts.pull.blocks(pull_words="apple orange", rounds=1)
    assert values(blocks, "fruit") > 0 > values(blocks, "device")
    assert isinstance(parts.pull.blocks(pull_words=" ")[-1], Problem)


def test_numbers_and_parameters(model: Any) -> None:
    last = table(parts.counts.blocks(model=model))[-1]
    assert [last[x] for x in ("numbers held", "parameters", "multiplications")] == [
        4040,
        16384,
        176640,
    ]
    last = table(parts.counts.blocks(model=model, count_d=512, count_h=8))[-1]
    assert last["parameters"] == 1_048_576
    problem = parts.counts.blocks(model=model, count_d=10, count_h=3)[-1]
    assert isinstance(problem, Problem) and "can't be shared out" in problem.words


def test_every_step_of_a_head_and_what_a_change_makes_of_it(model: Any) -> None:
    """Against torch, of a layer whose scores have no bias."""
    text, at = "The cat sat on the mat", (1, 2)
    trace = model.trace(text, fields=live.FIELDS)
    sent = [Sent(live.cut(trace.field(name), *at, 6)) for name in live.FIELDS]
    q, k, v = (torch.tensor(trace.field(name).values[at]) for name in ("query", "key", "value"))
    hidden = torch.ones(len(q), len(q)).triu(1).bool()
    for how, root, mask, axis in (
        (live.OWN, 8.0, True, 1),
        ("mask", 1.0, True, 1),
        ("scale", 8.0, False, 1),
        ("column", 8.0, True, 0),
    ):
        made = live.steps(sent, model, (*at, how))
        of = {one.field.spec.name: one.field.values for one in made}
        score = q @ k.T
        np.testing.assert_allclose(of["product"], score, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(of["scaled"], score / root, rtol=1e-4, atol=1e-4)
        seen = (score / root).masked_fill(hidden, -torch.inf) if mask else score / root
        np.testing.assert_allclose(of["masked"], seen, rtol=1e-4, atol=1e-4)
        weight = seen.softmax(axis)
        np.testing.assert_allclose(of["attention"], weight, atol=1e-5)
        np.testing.assert_allclose(of["reading"], weight @ v, rtol=1e-3, atol=1e-4)
        assert (of["most"] == of["attention"].argmax(1)).all()
        assert (of["hard"].argmax(1) == of["most"]).all() and (of["hard"].sum(1) == 1).all()


def test_a_head_learns_a_lookup() -> None:
    blocks = parts.learn.blocks()
    assert values(blocks, "right") > 0.99 and values(blocks, "hits") == values(blocks, "n") == 5
    assert values(parts.learn.blocks(learn_start="both"), "right") < 0.5
    assert isinstance(parts.learn.blocks(learn_pairs="")[-1], Problem)
    assert sum(isinstance(one, Chart) for one in blocks) == 1  # the others stand side by side
