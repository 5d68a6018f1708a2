"""Surgery on a Transformer: edits of heads and single weights, against models whose weights are
changed and sums by hand."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import rollout, surgery
from engine.analysis.decode import draw
from engine.core.tap import Edit, How
from tests.conftest import diagonal

TEXT = "the cat sat on the mat"


@pytest.fixture(scope="module")
def model(trained: Any) -> Any:
    return trained("transformer")


def edits_of(model: Any, text: str) -> tuple[Edit, ...]:
    edits, problems = surgery.read(text, surgery.operable(model))
    assert edits and not problems
    assert surgery.write(edits) == text and surgery.words(edits)
    return edits


def test_what_can_be_edited(model: Any) -> None:
    c, found = model.config, surgery.operable(model)
    assert found["reading"] == found["attention"] == found["score"] == (c.layers, c.heads)
    assert found["attention.output"] == found["feed_forward.output"] == (c.layers, c.width)
    assert not {"head.output", "mask", "attention.norm.mean", "logits"} & set(found)


def test_the_text_of_edits_of_heads_and_weights(model: Any) -> None:
    one, other = edits_of(model, "reading:1:0:*:scale:0.5,score:1:0-1:5-:2:add:1.5")
    assert one == Edit("reading", {"layer": 1, "head": 0}, 0.5, How.SCALE)
    where = {"layer": 1, "head": (0, 2), "query": (5, None), "key": 2}
    assert other == Edit("score", where, 1.5, How.ADD)
    assert surgery.words((one,)) == "reading of head 1, layer 2 times 0.5 everywhere"
    said = "score of heads 1 to 2, layer 2 plus 1.5 from token 5 on, looking at token 2"
    assert surgery.words((other,)) == said


def test_what_is_no_edit_is_left_out_with_a_sentence(model: Any) -> None:
    wrong = "reading:0:2:*:scale:0 attention:0:0:1:scale:0 attention:0:0:1:1:freeze mask:0:0:set:0"
    for bad in (*wrong.split(), "score:0:0:1:x:set:0", "head.output:0:0:0:set:0"):
        edits, problems = surgery.read(f"{bad},reading:0:0:*:scale:0", surgery.operable(model))
        assert len(edits) == 1 and len(problems) == 1 and bad in problems[0]


@pytest.mark.parametrize("id", ["transformer", "bert"])
def test_no_edit_changes_exactly_nothing(trained: Any, id: str) -> None:
    model = trained(id)
    plain = model.trace(TEXT)
    for text in ("", "reading:0:1:*:scale:1", "attention:0:1:2:1:add:0"):
        edits, problems = surgery.read(text, surgery.operable(model))
        both = surgery.compare(plain, surgery.operate(model, plain, edits))
        names = {name for name in both if name.startswith("change.")} - {"change.score"}
        assert not problems
        assert not any(np.nan_to_num(both.field(name).values).any() for name in names)


def changed(model: Any, act: Any) -> Any:
    """A copy of the model whose weights were changed."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        act(other.net.tower.blocks[1])
    return other


def test_a_head_that_is_off_is_one_without_output_weights(model: Any) -> None:
    dim = model.config.width // model.config.heads

    def silence(block: Any) -> None:
        block.attention.out.weight[:, dim : 2 * dim] = 0

    want = changed(model, silence).trace(TEXT).field("probability").values
    plain = model.trace(TEXT)
    found = surgery.operate(model, plain, edits_of(model, "reading:1:1:*:scale:0"))
    np.testing.assert_allclose(found.field("probability").values, want, atol=1e-6)
    assert np.abs(want - plain.field("probability").values).max() > 1e-5
    below, same = (trace.field("residual").values[0] for trace in (found, plain))
    np.testing.assert_array_equal(below, same)


def test_a_part_that_is_off_adds_nothing(model: Any) -> None:
    def silence(block: Any) -> None:
        block.feed_forward.down.weight[:] = 0
        block.feed_forward.down.bias[:] = 0

    want = changed(model, silence).trace(TEXT).field("probability").values
    off = edits_of(model, "feed_forward.output:1:*:*:scale:0")
    found = surgery.operate(model, model.trace(TEXT), off)
    np.testing.assert_allclose(found.field("probability").values, want, atol=1e-6)


def test_a_weight_alone_and_a_weight_whose_row_shares_the_rest(model: Any) -> None:
    plain = model.trace(TEXT)
    weight_TT, value_TK = (
        plain.field(name).values[0, 1].astype(float) for name in ("attention", "value")
    )
    alone, shared = weight_TT[4].copy(), weight_TT[4].copy()
    alone[2] = shared[2] = 0.0
    shared /= shared.sum()
    for text, row in (("attention:0:1:4:2:set:0", alone), ("score:0:1:4:2:set:-1000", shared)):
        found = surgery.operate(model, plain, edits_of(model, text))
        np.testing.assert_allclose(found.field("attention").values[0, 1, 4], row, atol=1e-6)
        reading_K = found.field("reading").values[0, 1, 4]
        np.testing.assert_allclose(reading_K, row @ value_TK, atol=1e-5)
        before, same = (trace.field("residual").values[:, :4] for trace in (found, plain))
        np.testing.assert_array_equal(before, same)


@diagonal("edit,more", ["", "attention:1:0:3-:1:set:0", "reading:0:*:3-:scale:0"], [-1000, -3, 9])
def test_what_is_written_is_what_tracing_the_growing_text_gives(
    model: Any, edit: str, more: int
) -> None:
    """Also where the text becomes longer than the model sees, or is: by `more` tokens."""
    edits = edits_of(model, edit) if edit else ()
    tokens = model.tokens(f"{TEXT} " * 40)[: max(2, model.context + more)]
    assert len(tokens) == max(2, model.context + more)
    for seed in (None, 3):
        ids = rollout.afresh(model, tokens, edits, 6, seed)
        rng, now = np.random.default_rng(seed), tokens
        for id in ids:
            p_V = model.trace("", edits, tokens=now).field("probability").values[-1]
            assert id == (int(p_V.argmax()) if seed is None else draw(p_V, rng))
            labels = (*now.labels, model.tokenizer.vocab[id])
            now = type(now)(np.append(now.ids, id), labels, (*now.spans, (0, 0)))


@diagonal("part,layer", ["attention", "feed_forward"], [0, 1])
def test_norms_and_residual_connections_switched_off(model: Any, part: str, layer: int) -> None:
    """Beside a copy whose norm is an identity, and one in which what goes past the part is taken off behind it."""
    norm = "norm_1" if part == "attention" else "norm_2"
    plain = model.trace(TEXT)
    (edit,) = edits_of(model, f"{part}.norm:{layer}:*:*:scale:0")
    other = copy.copy(model)
    other.net = copy.deepcopy(model.net)
    setattr(other.net.tower.blocks[layer], norm, torch.nn.Identity())
    found = surgery.operate(model, plain, (edit,))
    same(found, other.trace(TEXT, fields=("probability",)))
    said = f"{part}.norm of all units, layer {layer + 1} times 0 everywhere"
    assert surgery.words((edit,)) == said

    (edit,) = edits_of(model, f"{part}.skip:{layer}:*:*:scale:0")
    other.net = copy.deepcopy(model.net)
    block, past = other.net.tower.blocks[layer], list[torch.Tensor]()
    getattr(block, norm).register_forward_pre_hook(lambda _, given: past.append(given[0]))
    calls: list[int] = []

    def without(_: Any, __: Any, y: torch.Tensor) -> torch.Tensor:
        calls.append(0)
        return y - past[-1] if (len(calls) == 1) == (part == "attention") else y

    block.dropout.register_forward_hook(without)
    same(surgery.operate(model, plain, (edit,)), other.trace(TEXT, fields=("probability",)))

    (edit,) = edits_of(model, f"{part}.skip:{layer}:*:3-:scale:0.5")
    found = surgery.operate(model, plain, (edit,))
    before, after = (x.field("probability").values for x in (plain, found))
    assert before[:3] == pytest.approx(after[:3], abs=1e-6)
    assert abs(before[3:] - after[3:]).max() > 1e-4


def same(found: Any, other: Any) -> None:
    got, want = (trace.field("probability").values for trace in (found, other))
    assert got == pytest.approx(want, rel=1e-3, abs=1e-6)
