"""Pooling, attention behind an LSTM and external memory: live numbers, autograd, loops, and what each can do."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from engine.frame.blocks import Problem, Rows
from engine.lessons.external import live as external
from engine.lessons.pooling import hybrid, parts
from engine.lessons.pooling import live as panels
from tests.conftest import shipped, together


@pytest.fixture(scope="module")
def both() -> tuple[hybrid.Net, np.ndarray]:
    return hybrid.learned("both", 1)


def test_attention_and_an_lstm_recall_and_neither_alone(both: Any) -> None:
    right = {kind: hybrid.learned(kind, 1)[1][-1] for kind in ("lstm", "attention")}
    right["both"] = both[1][-1]
    assert right["both"] > 0.99
    assert right["lstm"] < 0.4
    # which digits are there says no more than 1 of 5
    assert right["attention"] == pytest.approx(1 / hybrid.PAIRS, abs=0.06)
    net = hybrid.Net("attention").eval()
    text = hybrid.read("a3 c1 f7 c")
    other = hybrid.read("a1 c7 f3 c")
    first, second = (hybrid.answer(net, tokens)[0] for tokens in (text, other))
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_what_the_last_token_reads_by_loops(both: tuple[hybrid.Net, np.ndarray]) -> None:
    found = both[0]
    tokens = hybrid.read("a3 c1 f7 b2 h5 f")
    p, weight = hybrid.answer(found, tokens)
    with torch.no_grad():
        h_TH = found.lstm(found.embed(torch.tensor([tokens])))[0][0]
        q, k, v = found.qkv(h_TH).split(hybrid.WIDTH, -1)
        exps = [math.exp(float(q[-1] @ row) / math.sqrt(hybrid.WIDTH)) for row in k]
        mixed = sum(e / sum(exps) * row for e, row in zip(exps, v, strict=True))
        logits = found.out(mixed).double().numpy()
    np.testing.assert_allclose(weight, np.array(exps) / sum(exps), atol=1e-5)
    np.testing.assert_allclose(p, np.exp(logits) / np.exp(logits).sum(), atol=1e-5)
    assert p.argmax() == 7 and weight.argmax() == 5  # the state at 7, which stands behind f


def test_what_is_typed_to_recall_from_is_answered() -> None:
    assert hybrid.read("A3, c1 ?C") == [0, 11, 2, 9, 2]
    for text in ("", "a", "a3c1", "👩‍🚀"):
        with pytest.raises(ValueError, match="a letter at the end"):
            hybrid.read(text)
    (table,) = (b for b in parts.behind.blocks() if isinstance(b, Rows))
    assert table.rows[0]["its answer"] == "7" and table.rows[0]["right of 1,000 texts"] > 0.99
    for text in ("", "a", "👩‍🚀"):
        assert isinstance(parts.behind.blocks(hybrid_text=text)[-1], Problem)


TEXT = "oak rose ! cat hammer bread"


@together(("way", "text"), product(panels.CALLED, (TEXT, "oak rose", "oak !")))
def test_the_marked_word_and_what_each_says(way: str, text: str) -> None:
    model: Any = shipped(f"pooling_{way}")
    trace = model.trace(text)
    found = {name: values for name, (_, values) in panels.derive(model, trace, {}).items()}
    label_TC = trace.field("label").values
    np.testing.assert_array_equal(found["says"], label_TC.argmax(1))
    assert found["known"] == (text == TEXT)
    if text == TEXT:
        assert model.names[found["right"]] == "animal"
        assert [trace.tokens[int(t)] for t in found["truth"][3:]] == ["cat"] * 3
        assert np.isnan(found["truth"][:3]).all()
    np.testing.assert_array_equal(found["right.p"], label_TC[:, found["right"]])


def test_where_no_word_is_marked_each_answer_stands_beside_its_own_probability() -> None:
    ends = {}
    for way in panels.CALLED:
        model: Any = shipped(f"pooling_{way}")
        label_C = model.trace("old captain").field("label").values[-1]
        found = panels.derive(model, model.trace("old captain"), {})
        right, p_T = int(found["right"][1]), found["right.p"][1]
        assert p_T[-1] == label_C.max()
        ends[way] = model.names[right]
    assert len(set(ends.values())) > 1, "one name for all would be wrong"
    marked, unmarked, _ = panels.PREFIX.tell
    assert marked.startswith("{?known}") and "{right:label}" in marked
    assert "right" not in unmarked and "{own}" in unmarked
    assert "{right:label}" in str(panels.PREFIX.parts["own"])


COPIED = "bhac=bhac"


def derived(id: str, text: str = COPIED) -> tuple[Any, Any, dict[str, Any]]:
    model: Any = shipped(id)
    trace = model.trace(text)
    found = external.derive(model, trace, {})
    return model, trace, {name: values for name, (_, values) in found.items()}


def test_what_is_due_behind_the_mark() -> None:
    for id in ("ntm", "lstm_repeats"):
        model, trace, found = derived(id)
        due = [model.tokenizer.vocab[int(i)] for i in found["right"] if np.isfinite(i)]
        assert due == [*"bhac", model.tokenizer.vocab[model.tokenizer.boundary]]
        assert found["judged"] == 5 and found["hits"] == 5 and not found["wrong"].any()
        assert np.isfinite(found["right"]).nonzero()[0][0] == trace.tokens.index("=")
    assert np.isnan(derived("ntm", "bhac")[2]["judged"])


def test_an_address_and_a_number_are_made_as_is_said() -> None:
    _model, trace, found = derived("ntm")
    for head in external.HEADS:
        before_TN, content_TN, mixed_TN, _moved, sharp_TN = found[f"{head}.way"].swapaxes(0, 1)
        np.testing.assert_array_equal(before_TN[1:], sharp_TN[:-1])
        power_TN = np.exp(found[f"{head}.strength"][:, None] * found[f"{head}.cosine"])
        np.testing.assert_allclose(power_TN / power_TN.sum(1, keepdims=True), content_TN, atol=1e-4)
        gate_T1 = found[f"{head}.gate"][:, None]
        made_TN = gate_T1 * content_TN + (1 - gate_T1) * before_TN
        np.testing.assert_allclose(made_TN, mixed_TN, atol=1e-5)
    write_TN1 = trace.field("write.address").values[..., None]
    erase_T1D, add_T1D = (trace.field(name).values[:, None] for name in ("erase", "add"))
    made_TND = found["was"] * (1 - write_TN1 * erase_T1D) + write_TN1 * add_T1D
    np.testing.assert_allclose(made_TND, trace.field("memory").values, atol=1e-5)
