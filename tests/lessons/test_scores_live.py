"""Attention scores: the numbers that its live pictures show are the models'."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from engine.core.registry import scores
from engine.lessons.scores import free_running, hard_choice, live
from engine.models.seq2seq import SCOPES
from tests.conftest import shipped, together

TEXT = "The key is white and it is small\nLa clé est blanche et il est"


def derived(id: str, **asks: object) -> tuple[Any, Any, dict[str, Any]]:
    model: Any = shipped(id)
    trace = model.trace(TEXT)
    of = live.of_scopes if id.startswith("scope") else live.of_scores
    return model, trace, {name: values for name, (_, values) in of(model, trace, asks).items()}


@together(("kind", "looks"), product(scores.listed(), ("after", "before")))
def test_a_score_is_the_sum_that_is_shown(kind: str, looks: str) -> None:
    model, trace, found = derived(f"score_{kind}_{looks}", by=kind)
    score_TS = trace.field("cross.score").values[0, 0]
    np.testing.assert_array_equal(found["score"], score_TS)
    if kind == "additive":
        made_TS = found["part"].sum(2)
    elif kind == "location":
        made_TS = found["asked"][:, : score_TS.shape[1]]
    else:
        made_TS = found["asked"] @ found["keys"].T
    np.testing.assert_allclose(made_TS, score_TS, atol=1e-4)
    np.testing.assert_array_equal(
        found["most"], trace.field("cross.attention").values[0, 0].argmax(1)
    )
    np.testing.assert_allclose(found["weight"] @ found["place"], found["centre"], atol=1e-4)
    tokens = model.tokens(TEXT)
    free = free_running.run(model, tokens.source.ids, tokens.ids[1:].tolist())
    wrote = found["free.writes"][np.isfinite(found["free.writes"])]
    assert wrote.astype(int).tolist() == [*free.ids]
    assert found["typed"] == len(tokens.ids) - 1
    assert "free.writes" not in derived(f"score_{kind}_{looks}", by="another")[2]


def test_where_free_running_parts_from_what_was_typed() -> None:
    _model, trace, found = derived("score_dot_after", by="dot", handed=100)
    vocab = shipped("score_dot_after").tokenizer.vocab
    first = int(found["first"])
    assert vocab[int(found["free.writes"][first])] == "elle"
    assert vocab[int(found["right"][first])] == "il" and found["number"] == first + 1
    count = len(trace.ids)  # every right word is handed out: mixed is forced
    np.testing.assert_array_equal(found["mixed.reads"][:count], found["forced.reads"][:count])
    assert not found["mixed.own"][:count].any()


@together("scope", SCOPES[1:])
def test_the_weights_of_a_window(scope: str) -> None:
    _model, trace, found = derived(f"scope_{scope.replace('-', '_')}")
    weighs = "cross.weight" if "cross.weight" in trace else "cross.attention"
    want_TS = trace.field(weighs).values[0, 0]
    np.testing.assert_allclose(np.nan_to_num(found["weight"]), want_TS, atol=1e-6)
    if found["belled"]:
        made_TS = np.nan_to_num(found["look"] * found["bell"])
        np.testing.assert_allclose(made_TS, want_TS, atol=1e-4)
        sums_T, middle_T = found["foretold"].sum(1), found["middle"]
        np.testing.assert_allclose(want_TS.shape[1] / (1 + np.exp(-sums_T)), middle_T, rtol=1e-4)


def test_draws_come_to_the_exact_slope() -> None:
    model, trace, found = derived("scope_hard", draws="1000", heat="2")
    reward_TS = hard_choice.choices(model, trace, trace.ids[1:]).reward_TS
    power_TS = np.exp(trace.field("cross.score").values[0, 0].astype(float) / 2)
    look_TS = power_TS / power_TS.sum(1, keepdims=True)
    for t, (look_S, reward_S) in enumerate(zip(look_TS, reward_TS, strict=True)):
        want_S = look_S * (reward_S - look_S @ reward_S)
        np.testing.assert_allclose(found["exact"][t], want_S, atol=1e-6)
    ten = derived("scope_hard", draws="10", heat="2")[2]
    assert found["away.drawn"].mean() < ten["away.drawn"].mean()
    assert (found["scatter.best"] <= found["scatter.none"] + 1e-9).all()
