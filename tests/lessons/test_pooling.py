"""Small recurrent nets on tasks whose answers are known: their gradients against autograd, their parts
against loops, and what each can and cannot do."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.frame.blocks import Problem, Rows
from engine.lessons.pooling import hybrid, parts


@pytest.fixture(scope="module")
def both() -> tuple[hybrid.Net, np.ndarray]:
    return hybrid.learned("both", 1)


def test_attention_behind_an_lstm_recalls_and_neither_alone_does(
    both: tuple[hybrid.Net, np.ndarray],
) -> None:
    right = {kind: hybrid.learned(kind, 1)[1][-1] for kind in ("lstm", "attention")}
    right["both"] = both[1][-1]
    assert right["both"] > 0.99
    assert right["lstm"] < 0.4
    # which digits are there says no more than 1 of 5
    assert right["attention"] == pytest.approx(1 / hybrid.PAIRS, abs=0.06)


def test_attention_alone_does_not_see_order() -> None:
    net = hybrid.Net("attention").eval()
    text = hybrid.read("a3 c1 f7 c")
    other = hybrid.read("a1 c7 f3 c")
    first, second = (hybrid.answer(net, tokens)[0] for tokens in (text, other))
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_what_the_last_token_reads_by_loops(both: tuple[hybrid.Net, np.ndarray]) -> None:
    found = both[0]
    tokens = hybrid.read("a3 c1 f7 b2 h5 f")
    p, weight = hybrid.answer(found, tokens)
    assert weight is not None and found.lstm is not None and found.qkv is not None
    with torch.no_grad():
        h_TH = found.lstm(found.embed(torch.tensor([tokens])))[0][0]
        q, k, v = found.qkv(h_TH).split(hybrid.WIDTH, -1)
        exps = [math.exp(float(q[-1] @ row) / math.sqrt(hybrid.WIDTH)) for row in k]
        mixed = sum(e / sum(exps) * row for e, row in zip(exps, v, strict=True))
        logits = found.out(mixed).double().numpy()
    np.testing.assert_allclose(weight, np.array(exps) / sum(exps), atol=1e-5)
    np.testing.assert_allclose(p, np.exp(logits) / np.exp(logits).sum(), atol=1e-5)
    assert p.argmax() == 7 and weight.argmax() == 5  # the state at 7, which stands behind f


def test_what_is_typed_to_recall_from() -> None:
    assert hybrid.read("A3, c1 ?C") == [0, 11, 2, 9, 2]
    for text in ("", "a", "a3c1", "👩‍🚀"):
        with pytest.raises(ValueError, match="a letter at the end"):
            hybrid.read(text)


def test_the_part_answers_what_is_typed() -> None:
    (table,) = (b for b in parts.behind.blocks() if isinstance(b, Rows))
    assert table.rows[0]["its answer"] == "7" and table.rows[0]["right of 1,000 texts"] > 0.99
    for text in ("", "a", "👩‍🚀"):
        assert isinstance(parts.behind.blocks(hybrid_text=text)[-1], Problem)
