"""One head: its program, run as it is shown, against the trace of the same text; and how it learns to look
up, by loops, finite differences and what is known of each start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.core.registry import models
from engine.core.trace import Trace
from engine.lessons.attention import learning, program
from engine.lessons.attention.learning import DIGITS, LETTERS, STEPS, WIDTH
from engine.lessons.attention.live import FIELDS
from engine.models.abilities import Attends, able
from engine.nn.positions.base import turned
from engine.runs.store import SHIPPED, RunStore
from tests.analysis.head_matrices import projection
from tests.conftest import sampled, small

TEXT = "The king spoke to the queen, and she said"
SHOWN = {"query": "query", "key": "key", "value": "value", "reading": "reading"}
RUNS = sorted(run.id for run in RunStore(SHIPPED).all() if run.model in ("transformer", "bert"))


def scope(model: Attends[Any], layer: int, head: int, trace: Trace) -> dict[str, Any]:
    """Name -> number, tensor or function; the trace has the fields of the page."""
    weights = projection(model, layer, head)
    assert weights is not None
    tower = model.tower
    part = tower.block(layer).attention
    tensor = torch.tensor
    x_TD = tensor(trace.field("residual.before").values[layer])
    score_TT = tensor(trace.field("score").values[layer, head])
    place_T = torch.arange(len(x_TD)) + trace.offset
    functional = torch.nn.functional
    names = {
        "x": x_TD,
        "D": weights.query_KD.shape[1],
        "d": len(weights.query_KD),
        "eps": tower.design.epsilon,
        "inf": math.inf,
        "gain": tensor(weights.gain_D),
        "shift": tensor(weights.shift_D),
        "hidden": score_TT == -math.inf,
        "layer_norm": functional.layer_norm,
        "rms_norm": functional.rms_norm,
        "softmax": functional.softmax,
        "tanh": torch.tanh,
        **{f"b_{m}": tensor(b) for m, b in zip("QKV", weights.bias_3K, strict=True)},
        **{f"W_{m}": tensor(w) for m, w in zip("QKV", weights[:3], strict=True)},
    }
    if part.norm_query is not None and part.norm_key is not None:
        gains = {"Q": part.norm_query.weight.detach(), "K": part.norm_key.weight.detach()}
        if part.whole:
            norm, wide = tower.block(layer).norm_1, part.heads * part.dim
            every_TE = part.qkv(x_TD if norm is None else norm(x_TD)).detach()
            rows = {"Q": slice(0, wide), "K": slice(wide, wide + part.groups * part.dim)}
            at = {"Q": head, "K": head * part.groups // part.heads}
            size = {m: every_TE[:, row].square().mean(1, keepdim=True) for m, row in rows.items()}
            names |= {f"r_{m}": (one + tower.design.epsilon).sqrt() for m, one in size.items()}
            gains = {m: gain.unflatten(0, (-1, part.dim))[at[m]] for m, gain in gains.items()}
        names |= {f"g_{m}": gain for m, gain in gains.items()}
    if (by := tower.position.angles(place_T)) is not None:
        cosine, sine = (part.float() for part in by)
        names["turn"] = lambda x_TK: turned(x_TK, (cosine, sine))
    if tower.position.biases():
        q_1NTK = tensor(trace.field("query").values[layer])[None]
        bias_NTT = tower.position.bias(q_1NTK, place_T, place_T)
        assert bias_NTT is not None
        names["bias"] = bias_NTT[0, head].detach()
    return names


def check(model: Attends[Any], layer: int, head: int) -> None:
    trace = model.trace(TEXT, fields=FIELDS)
    lines = program.lines(model, layer)
    names = scope(model, layer, head, trace)
    made: dict[str, torch.Tensor] = {}
    for line in lines:
        exec(line.code, names)  # noqa: S102 - the very text that is shown
        made[line.step] = names[line.code.split(" = ")[0]]
    scored = made.get("masked", made.get("scaled", made["product"]))
    group = head * len(trace.field("key").axis("head")) // model.tower.design.heads
    for step, name in SHOWN.items():
        at = group if step in ("key", "value") else head
        want = trace.field(name).values[layer, at]
        np.testing.assert_allclose(made[step], want, atol=2e-5, rtol=1e-4, err_msg=name)
    for found, name in ((scored, "score"), (made["attention"], "attention")):
        want = trace.field(name).values[layer, head]
        np.testing.assert_allclose(found, want, atol=5e-5, rtol=1e-4, err_msg=name)
    assert all(len(line.code) <= 46 for line in lines), "it has to stand in a narrow column"


@sampled("id", RUNS, each=3)
def test_it_makes_the_numbers_of_the_trace(id: str) -> None:
    store = RunStore(SHIPPED)
    model = able(store.load(store.find(id)), Attends)
    if model.tower.design.kernel == "softmax":
        last = model.tower.design.layers - 1
        check(model, 0, 0)
        check(model, last, model.tower.design.heads - 1)


@pytest.mark.parametrize(
    "more",
    [
        {"norm_first": False},
        {"norm": "rms"},
        {"position": "rope"},
        {"score_cap": 0.5},
        {
            "query_norm": True,
            "whole_norm": True,
            "read_norm": False,
            "added_norm": True,
            "groups": 1,
        },
    ],
)
def test_it_is_written_as_the_layer_is_built(more: dict[str, Any]) -> None:
    kind = models.get("transformer")
    config = small(kind, steps=2, **more)
    *_, last = kind.fit("a small king and a queen saw the sea\n" * 40, config, seed=1)
    model = able(last.model, Attends)
    check(model, 0, 1)
    text = "\n".join(line.code for line in program.lines(model, 0))
    assert ("n = x" in text) == (not more.get("norm_first", True) or "read_norm" in more)
    assert ("rms_norm" in text) == ("norm" in more) and ("turn(" in text) == ("position" in more)
    assert ("/ r_K * g_K" in text) == ("whole_norm" in more)
    assert ("s = 0.5 * tanh(s / 0.5)" in text) == ("score_cap" in more)


def test_a_lookup_is_learned() -> None:
    course = learning.learned(1)
    assert len(course.heads) == len(STEPS) and course.right_S[0] < 0.45
    assert course.right_S[-1] == 1 and course.loss_S[-1] < 0.05
    last = course.heads[-1]
    assert (last.matches().argmax(1) == np.arange(8)).all()
    assert (last.answers().argmax(1) == np.arange(8)).all()
    weight, p = last.read([0, 2, 5], [3, 1, 7], [2, 5])
    assert weight.argmax(1).tolist() == [1, 2] and p.argmax(1).tolist() == [1, 7]
    assert (weight.max(1) > 0.9).all()


def test_the_role_is_the_mean_weight_on_the_pair_that_is_asked_for() -> None:
    course = learning.learned(1)
    ask, pair, _ = learning.drawn(learning.HELD_OUT, np.random.default_rng(10_000))
    head, found = course.heads[5], []
    for ask_D, pair_MD in zip(ask[:200].numpy(), pair[:200].numpy(), strict=True):
        score_M = [
            float((ask_D @ head.query) @ (row @ head.key)) / math.sqrt(WIDTH) for row in pair_MD
        ]
        weight_M = np.exp(score_M) / np.exp(score_M).sum()
        found.append(weight_M[[bool(row @ ask_D) for row in pair_MD].index(True)])
    assert np.mean(found) == pytest.approx(course.role_S[5], abs=0.05)
    assert course.role_S[0] == pytest.approx(1 / learning.PAIRS, abs=0.05)
    assert course.role_S[-1] > 0.9
    # with queries and keys of 0 no role ever comes
    np.testing.assert_allclose(learning.learned(1, "both").role_S, 1 / learning.PAIRS, atol=1e-6)


def test_the_reading_by_loops() -> None:
    head = learning.learned(2).heads[3]
    letters, digits, asked = [1, 4, 6], [0, 5, 5], 4
    rows = [head.key[a] + head.key[8 + b] for a, b in zip(letters, digits, strict=True)]
    exps = [math.exp(sum(head.query[asked] * row) / math.sqrt(WIDTH)) for row in rows]
    weight = [e / sum(exps) for e in exps]
    out = sum(
        w * (head.value[a] + head.value[8 + b])
        for w, a, b in zip(weight, letters, digits, strict=True)
    )
    logits = np.asarray(out @ head.out, float)
    found, p = head.read(letters, digits, [asked])
    np.testing.assert_allclose(found[0], weight, atol=1e-6)
    np.testing.assert_allclose(p[0], np.exp(logits) / np.exp(logits).sum(), atol=1e-6)
    np.testing.assert_allclose(
        head.matches()[2, 3] * math.sqrt(8), head.query[2] @ head.key[3], rtol=1e-5
    )


def test_gradients_by_finite_differences() -> None:
    head = learning.learned(1).heads[2]
    ask, pair, answer = learning.drawn(50, np.random.default_rng(3))
    parts = [torch.from_numpy(getattr(head, n)).double().requires_grad_() for n in learning.NAMES]

    def loss() -> torch.Tensor:
        return F.cross_entropy(learning.forward(parts, ask.double(), pair.double())[1], answer)

    for part, g in zip(parts, torch.autograd.grad(loss(), parts), strict=True):
        for at in ((0, 0), (5, 3), (7, 7)):
            with torch.no_grad():
                part[at] += 1e-6
                up = float(loss())
                part[at] -= 2e-6
                down = float(loss())
                part[at] += 1e-6
            assert float(g[at]) == pytest.approx((up - down) / 2e-6, abs=1e-7)


def test_what_starts_at_nothing() -> None:
    keys, both = (learning.learned(1, start) for start in ("keys", "both"))
    # dL/dW_Q has W_K as a factor, and dL/dW_K has W_Q
    assert keys.gradient_S4[0, 0] == 0 and keys.gradient_S4[0, 1] > 0 and keys.right_S[-1] == 1
    assert not both.gradient_S4[:, :2].any() and both.right_S[-1] < 0.6
    assert not both.heads[-1].matches().any()
    np.testing.assert_allclose(both.heads[-1].read([0, 1], [2, 3], [0])[0], [[0.5, 0.5]])
    with pytest.raises(KeyError):
        learning.learned(1, "other")


def test_what_is_typed() -> None:
    assert learning.read("A3, c 1 zz f7 a5 ?") == ([0, 2, 5], [5, 1, 7])
    for text in ("", "a", "a9 z3", "👩‍🚀"):
        with pytest.raises(ValueError, match="Type pairs"):
            learning.read(text)
    assert len(LETTERS) == len(DIGITS) == 8
