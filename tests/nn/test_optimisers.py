"""Optimisers, schedules and clipping: each against its formula, written down once more in numpy or
done by hand."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.registry import clippings, models, optimisers, schedules
from engine.nn.loop import Plan
from engine.shipped.baselines import check
from pages.ui import training_form as form
from tests.conftest import TEXT, small, together

RATE, BETA, KEPT, EPS = 0.1, 0.9, 0.99, 1e-8


def plan(**more: Any) -> Plan:
    return Plan(**{"steps": 1000, "batch": 4, "span": 8, "rate": RATE} | more)


def by_hand(kind: str, w: np.ndarray, gradients: np.ndarray, decay: float) -> np.ndarray:
    """The weights after these gradients, in float64."""
    v, m, s = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(gradients, 1):
        if kind == "muon":
            v = BETA * v + g
            w = (
                w
                - RATE * decay * w
                - RATE * 0.2 * math.sqrt(max(w.shape)) * equally_strong(g + BETA * v)
            )
            continue
        if kind == "adamw":
            w = w - RATE * decay * w
        else:
            g = g + decay * w
        if kind == "sgd":
            v = BETA * v + g
            w = w - RATE * v
        elif kind == "rmsprop":
            s = KEPT * s + (1 - KEPT) * g * g
            w = w - RATE * g / (np.sqrt(s) + EPS)
        else:
            m, s = BETA * m + (1 - BETA) * g, KEPT * s + (1 - KEPT) * g * g
            w = w - RATE * (m / (1 - BETA**t)) / (np.sqrt(s / (1 - KEPT**t)) + EPS)
    return w


def equally_strong(m: np.ndarray) -> np.ndarray:
    """What five rounds of the polynomial make of the singular values, which is all that they
    change."""
    u, s, vt = np.linalg.svd(m / np.linalg.norm(m), full_matrices=False)
    for _ in range(5):
        s = 3.4445 * s - 4.7750 * s**3 + 2.0315 * s**5
    return (u * s) @ vt


def after(kind: str, w: np.ndarray, gradients: np.ndarray, **more: Any) -> np.ndarray:
    p = nn.Parameter(torch.tensor(w, dtype=torch.float64))
    optimiser = optimisers.get(kind).make(nn.ParameterList([p]), plan(**more))
    for g in gradients:
        p.grad = torch.tensor(g)
        optimiser.step()
    return p.detach().numpy()


@pytest.mark.parametrize("decay", [0.0, 0.05])
@pytest.mark.parametrize("kind", optimisers.ids())
def test_steps_are_those_of_the_formula(kind: str, decay: float) -> None:
    rng = np.random.default_rng(0)
    w, gradients = rng.normal(size=(3, 5)), rng.normal(size=(7, 3, 5))
    np.testing.assert_allclose(
        after(kind, w, gradients, decay=decay),
        by_hand(kind, w, gradients, decay),
        rtol=1e-6,
        atol=1e-8,
    )
    assert optimisers.get(kind).says.endswith(".")


#                 step:  1, 50, 100, 101,  550,  1000 of 1000 with a warm-up of 100
SHARES = {
    "constant": [0.01, 0.5, 1, 1, 1, 1],
    "linear": [0.01, 0.5, 1, 900 / 901, 451 / 901, 1 / 901],
    "cosine": [
        0.01,
        0.5,
        1,
        0.05 + 0.475 * (1 + math.cos(math.pi / 900)),
        0.525,
        0.05,
    ],  # half-way (1 + 0.05) / 2
    "noam": [0.01, 0.5, 1, math.sqrt(100 / 101), math.sqrt(100 / 550), math.sqrt(0.1)],
    "step": [0.01, 0.5, 1, 1, 0.1, 0.01],
    "plateau": [0.01, 0.5, 1, 1, 1, 1],
}


@together("kind", schedules.ids())
def test_rates_are_those_of_the_formula(kind: str) -> None:
    schedule = schedules.get(kind)(plan())
    found = [schedule.rate(step) / RATE for step in (1, 50, 100, 101, 550, 1000)]
    np.testing.assert_allclose(found, SHARES[kind], rtol=1e-12)
    assert schedule.says.endswith(".")


@pytest.mark.parametrize("kind", schedules.ids())
def test_no_schedule_stumbles_over_a_short_training(kind: str) -> None:
    for steps in (1, 2, 3, 11):
        for warmup in (0, 1, 100):
            schedule = schedules.get(kind)(plan(steps=steps, warmup=warmup))
            rates = [schedule.rate(step) for step in range(1, steps + 1)]
            assert all(0 < rate <= RATE * (1 + 1e-12) for rate in rates), (steps, warmup, rates)


def test_noam_is_the_rate_of_the_paper() -> None:
    """d^-0.5 min(step^-0.5, step warm^-1.5), up to its highest value (d warm)^-0.5."""
    schedule, d, warm = schedules.get("noam")(plan(steps=4000, warmup=400)), 512, 400
    for step in (1, 200, 400, 1600, 4000):
        paper = d**-0.5 * min(step**-0.5, step * warm**-1.5)
        assert schedule.rate(step) / RATE == pytest.approx(paper * (d * warm) ** 0.5)


def test_a_plateau_halves_as_torch_says() -> None:
    rng = np.random.default_rng(1)
    measured = [3.0, 2.5, 2.4, *rng.uniform(2.3, 2.6, 40).tolist()]
    ours = schedules.get("plateau")(plan())
    peer = torch.optim.lr_scheduler.ReduceLROnPlateau(
        torch.optim.SGD([nn.Parameter(torch.zeros(1))], RATE), factor=0.5, patience=2
    )
    for i, nats in enumerate(measured):
        ours.hear(nats)
        ours.hear(math.nan)  # nothing was held out: says nothing
        peer.step(nats)
        assert ours.rate(500) == pytest.approx(peer.get_last_lr()[0]), i
        again = schedules.get("plateau")(plan())
        again.restore(ours.state())
        assert again.rate(500) == ours.rate(500) and again.state() == ours.state()
    assert ours.rate(500) < RATE / 4


def cut(
    kind: str, threshold: float, *gradients: list[float]
) -> tuple[list[list[float]], float, float]:
    parameters = [nn.Parameter(torch.zeros(len(g))) for g in gradients]
    for p, g in zip(parameters, gradients, strict=True):
        p.grad = torch.tensor(g)
    before, after_ = clippings.get(kind)(threshold)(parameters)
    return [p.grad.tolist() for p in parameters if p.grad is not None], before.item(), after_.item()


def test_norm_keeps_the_direction_and_value_does_not() -> None:
    """|(3, 4)| = 5.  Threshold 1: (0.6, 0.8); by value (1, 1).  All tensors together: |(3, 4),
    (12)| = 13, threshold 6.5: halved."""
    for threshold, wanted in (
        (1.0, [0.6, 0.8]),
        (2.5, [1.5, 2.0]),
        (5.0, [3.0, 4.0]),
        (10.0, [3.0, 4.0]),
    ):
        found, before, after_ = cut("norm", threshold, [3.0, 4.0])
        np.testing.assert_allclose(found[0], wanted, rtol=1e-5)
        assert before == pytest.approx(5) and after_ == pytest.approx(min(5.0, threshold))
    found, before, after_ = cut("norm", 6.5, [3.0, 4.0], [12.0])
    np.testing.assert_allclose(found[0] + found[1], [1.5, 2, 6], rtol=1e-5)
    assert (before, after_) == (pytest.approx(13), pytest.approx(6.5))
    assert cut("value", 5.0, [9.0, 12.0]) == (
        [[5.0, 5.0]],
        pytest.approx(15),
        pytest.approx(50**0.5),
    )
    assert cut("value", 5.0, [0.5, -10.0])[0] == [[0.5, -5.0]]
    assert cut("none", 0.1, [3.0, 4.0]) == ([[3.0, 4.0]], pytest.approx(5), pytest.approx(5))


def test_an_exploding_gradient_does_not_raise_its_own_threshold() -> None:
    """By hand, threshold' = 0.99 threshold + 0.02 |g after it|: 5, then norms 4, 6, 100, 5 give
    5.03, 5.0803, 5.131103, 5.17979197.

    Without the cut the 100 would raise it to 0.99 * 5.0803 + 2 = 7.03; here 5.0803 cuts it, and it
    counts as 5.0803.
    """
    clipping, p = clippings.get("adaptive")(5.0), nn.Parameter(torch.zeros(2))
    held, thresholds = [], []
    for norm in (4.0, 6.0, 100.0, 5.0):
        p.grad = torch.tensor([0.6 * norm, 0.8 * norm])
        held.append(clipping.threshold)
        before, after_ = (x.item() for x in clipping([p]))
        assert before == pytest.approx(norm)
        assert after_ == pytest.approx(min(norm, held[-1]), rel=1e-6)
        assert p.grad.norm().item() == pytest.approx(after_, rel=1e-5)
        clipping.learn(after_)
        thresholds.append(clipping.threshold)
    np.testing.assert_allclose(thresholds, [5.03, 5.0803, 5.131103, 5.17979197], rtol=1e-6)
    for _ in range(3000):  # at gradients of one length it comes to rest at twice that
        clipping.learn(1.5)
    assert clipping.threshold == pytest.approx(3.0, rel=1e-6)
    again = clippings.get("adaptive")(5.0)
    again.restore(clipping.state())
    assert again.threshold == clipping.threshold
    assert all(clippings.get(id)(1.0).says.endswith(".") for id in clippings.ids())


def test_muon_leaves_tables_and_biases_to_adam() -> None:
    torch.manual_seed(0)
    net = nn.ModuleDict({"embed": nn.Embedding(30, 4), "linear": nn.Linear(4, 6)})
    start = {name: p.detach().clone() for name, p in net.named_parameters()}
    muon, adam = (optimisers.get(kind).make(net, plan(decay=0.1)) for kind in ("muon", "adamw"))
    found = {}
    for name, optimiser in (("muon", muon), ("adamw", adam)):
        net.load_state_dict(start)
        for seed in range(3):
            torch.manual_seed(seed)
            for p in net.parameters():
                p.grad = torch.randn_like(p)
            optimiser.step()
        found[name] = {key: p.detach().clone() for key, p in net.named_parameters()}
    for name in start:
        assert torch.allclose(found["muon"][name], found["adamw"][name], atol=1e-6) == (
            name != "linear.weight"
        ), name


# --- one of one's own: a file, and nothing else

OWN = {
    "optimisers": """from torch.optim import Adagrad

from engine.nn.optimisers.base import Optimiser

OPTIMISER = Optimiser(
    "Divides each gradient by the root of the sum of its squares.",
    lambda net, plan: Adagrad(net.parameters(), plan.rate),
    kept=lambda plan: 1,
    baseline=lambda net, plan: [Adagrad(net.parameters(), plan.rate)],
)
""",
    "schedules": """from engine.nn.schedules.base import Schedule


class Halved(Schedule):
    says = "Half the rate for the second half."

    def after(self, step: int, done: float) -> float:
        return 0.5 if done > 0.5 else 1.0


SCHEDULE = Halved
""",
    "clipping": """from engine.nn.clipping.norm import Norm

CLIPPING = Norm
""",
}


def test_a_rule_of_ones_own_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"optimisers": "own_adagrad", "schedules": "own_halved", "clipping": "own_norm"}
    for kind, program in OWN.items():
        (tmp_path / kind).mkdir()
        (tmp_path / kind / f"{names[kind]}.py").write_text(program, encoding="utf-8")
        monkeypatch.setenv(f"UNROLLED_{kind.upper()}", str(tmp_path / kind))
    model = models.get("lstm")
    chosen = dict(zip(("optimiser", "schedule", "clipping"), names.values(), strict=True))
    config = small(model, **chosen)
    reports = [*model.fit(TEXT, config, seed=0)]
    halfway = next(p.checkpoint for p in reports if p.checkpoint is not None)
    kept = halfway()  # what its optimiser keeps is in a checkpoint
    assert any(name.startswith("sum.") for name in kept), "what Adagrad keeps is kept"
    assert reports[-1].model is not None
    settings = {one.name: one for one in fields(model.config_type)}
    for name, id in chosen.items():
        assert id in form.choices(settings[name])
    plain = small(model, optimiser="own_adagrad", span=4, batch=2, steps=2)
    assert [math.isfinite(nats) for _, nats in check.plain("lstm", plain, TEXT, 0, 1)] == [True] * 2
