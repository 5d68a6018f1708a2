"""A training that reads with weights in few bits, and one that goes on with the weights of a
finished run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from engine.core.registry import models
from engine.nn import loop
from engine.nn.plan import Plan
from engine.nn.rounding import Rounding, rounded
from engine.runs.store import Recipe, RunStore, digest
from engine.storage import quantised
from engine.storage.run_folder import HISTORY
from engine.training.fit import fit
from engine.training.history import read
from tests.conftest import TEXT, small


@pytest.mark.parametrize("bits", [4, 6, 8])
def test_rounded_is_what_the_file_gives_back(bits: int) -> None:
    x = (
        np.random.default_rng(0).standard_normal((40, 48)) * np.geomspace(1e-3, 10, 40)[:, None]
    ).astype(np.float32)
    x[3] = 0
    stored = quantised.unpack(quantised.pack({"x": x}, f"int{bits}"))["x"]
    np.testing.assert_allclose(
        rounded(torch.from_numpy(x), bits).numpy(), stored, rtol=1e-5, atol=1e-9
    )


class Table(nn.Module):
    """Logits of the next token out of a row for each token."""

    def __init__(self) -> None:
        super().__init__()
        self.row = nn.Parameter(torch.linspace(-1, 1, 20 * 20).reshape(20, 20).sin())
        self.bias = nn.Parameter(torch.linspace(0, 0.1, 20))

    def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
        return self.row[ids_BT] + self.bias


def plan(**more: Any) -> Plan:
    usual: dict[str, Any] = {
        "steps": 20,
        "batch": 4,
        "span": 8,
        "rate": 0.5,
        "optimiser": "sgd",
        "momentum": 0.0,
        "decay": 0.0,
        "schedule": "constant",
        "clipping": "none",
    }
    return Plan(**usual | more)


def taken(given: Plan, resume: Any = None) -> tuple[Table, list[Any]]:
    net, stream = Table(), np.random.default_rng(1).integers(0, 20, 200)
    return net, [
        (step.metrics, step.checkpoint())
        for step in loop.train(
            net, stream, stream[:50], given, seed=3, device="cpu", boundary=0, resume=resume
        )
    ]


def test_the_gradient_is_the_one_at_the_rounded_weights_and_moves_the_others() -> None:
    """Gradient descent, written again: only the last quarter of the steps is another one than
    without."""
    (_, plain), (_, less) = taken(plan()), taken(plan(bits=4))
    for (a, _), (b, _) in zip(plain[:15], less[:15], strict=True):
        assert a["loss_nats"] == b["loss_nats"]
    stream = torch.from_numpy(np.random.default_rng(1).integers(0, 20, 200))
    starts = np.flatnonzero(stream.numpy()[:191] == 0)
    for at in range(15, 20):
        before, after = less[at - 1][1], less[at][1]
        x, y = loop.windows.drawn(stream, starts, plan(), 3, at + 1)
        row = torch.from_numpy(
            quantised.unpack(quantised.pack({"row": before["net.row"]}, "int4"))["row"]
        ).requires_grad_()
        bias = torch.from_numpy(before["net.bias"]).requires_grad_()
        loss = F.cross_entropy((row[x] + bias).flatten(0, 1), y.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        assert row.grad is not None and bias.grad is not None
        assert (
            less[at][0]["loss_nats"]
            == pytest.approx(loss.item(), rel=1e-5)
            != plain[at][0]["loss_nats"]
        )
        np.testing.assert_allclose(
            after["net.row"], before["net.row"] - 0.5 * row.grad.numpy(), atol=1e-6
        )
        np.testing.assert_allclose(
            after["net.bias"], before["net.bias"] - 0.5 * bias.grad.numpy(), atol=1e-6
        )


def test_held_out_text_is_read_with_the_rounded_weights() -> None:
    net, kept = taken(plan(bits=4))
    stream = np.random.default_rng(1).integers(0, 20, 200)[:50]
    with Rounding(net, plan(bits=4)).at(20):
        inside = loop.held_out(net, stream, plan(), "cpu")
    assert kept[-1][0]["held_out_nats"] == inside != loop.held_out(net, stream, plan(), "cpu")


def test_it_goes_on_bit_for_bit() -> None:
    net, kept = taken(plan(bits=6, optimiser="muon"))
    again, rest = taken(plan(bits=6, optimiser="muon"), kept[18][1])
    assert len(rest) == 1
    assert torch.equal(net.row, again.row)
    assert rest[0][0]["loss_nats"] == kept[-1][0]["loss_nats"]


def test_other_numbers_of_bits_are_refused() -> None:
    with pytest.raises(ValueError, match="no bits 5; there are 0, 4, 6, 8"):
        small(models.get("lstm"), bits=5)


def steady(steps: int) -> Any:
    return small(
        models.get("lstm"),
        steps=steps,
        optimiser="sgd",
        momentum=0.0,
        schedule="constant",
        warmup=0,
        rate=0.1,
    )


def test_a_training_that_goes_on_from_a_finished_one(tmp_path: Path) -> None:
    """Where nothing but the weights is carried from step to step, six steps and four more are ten;
    the history is of all."""
    for _ in fit(tmp_path / "ten", Recipe("lstm", steady(10), digest(TEXT)), TEXT):
        pass
    first = Recipe("lstm", steady(6), digest(TEXT))
    for _ in fit(tmp_path / "six", first, TEXT):
        pass
    store = RunStore(tmp_path)
    start = store.load(store.find("six")).opened()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / HISTORY).write_bytes((tmp_path / "six" / HISTORY).read_bytes())
    recipe = replace(first, config=steady(10), start=first.key)
    assert recipe.key != replace(recipe, start="").key
    assert [progress.step for progress in fit(tmp_path / "more", recipe, TEXT, start=start)] == [
        7,
        8,
        9,
        10,
    ]
    whole, more = (store.load(store.find(name)).weights() for name in ("ten", "more"))
    for name, values in whole.items():
        np.testing.assert_array_equal(more[name], values, err_msg=name)
    ten, both = (read(tmp_path / name / HISTORY) for name in ("ten", "more"))
    for one, other in zip(both["loss_nats"], ten["loss_nats"], strict=True):
        assert list(one) == list(other)
    assert list(both["loss_nats"][0]) == list(range(1, 11))


def test_weights_of_another_net_are_refused(tmp_path: Path) -> None:
    for _ in fit(tmp_path / "six", Recipe("lstm", steady(6), digest(TEXT)), TEXT):
        pass
    store = RunStore(tmp_path)
    start = store.load(store.find("six")).opened()
    wide = replace(steady(10), units=24)
    with pytest.raises(
        ValueError, match=r"can't go on from those weights: .* is .*, and should be "
    ):
        list(fit(tmp_path / "more", Recipe("lstm", wide, digest(TEXT)), TEXT, start=start))
