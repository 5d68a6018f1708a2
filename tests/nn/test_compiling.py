"""A compiled loss is the same loss, and where it can't be compiled, or does not pay, training goes on
as it is written.  All but the last test leave out the compiler of C++, which takes half a minute."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.registry import models
from engine.models.base import Progress
from engine.nn import compiling, loop
from engine.nn.compiling import Compiling
from engine.nn.plan import Plan
from engine.runs.store import Recipe, RunStore, digest
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import WEIGHTS
from engine.training import fit as fitting
from engine.training.fit import fit
from tests.conftest import TEXT, Patch, small, text_of

AS_WRITTEN = torch.compile


@pytest.fixture
def traced(monkeypatch: Patch) -> Iterator[None]:
    """The net is taken apart and put together again, forwards and backwards, without a compiler."""
    monkeypatch.setattr(torch, "compile", partial(AS_WRITTEN, backend="aot_eager"))
    yield
    torch.compiler.reset()


def steps(id: str, resume: Any = None, **more: Any) -> list[Progress]:
    model = models.get(id)
    return list(model.fit(text_of(model), small(model, **more), seed=1, resume=resume))


def losses(reports: list[Progress]) -> list[float]:
    return [r.metrics["loss_nats"] for r in reports]


@pytest.mark.parametrize(
    ("id", "more"),
    [
        pytest.param("transformer", {"accumulate": 2, "optimiser": "muon"}, marks=pytest.mark.slow),
        pytest.param("transformer", {"mixed": True, "bits": 4}, marks=pytest.mark.slow),
        pytest.param(
            "transformer",
            {"passages": True, "smoothing": 0.1, "position": "rope"},
            marks=pytest.mark.slow,
        ),
        pytest.param("bert", {}, marks=pytest.mark.slow),
        pytest.param("encoder_decoder", {}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_loss_is_the_same(id: str, more: dict[str, Any], traced: None) -> None:
    plain = steps(id, steps=8, dropout=0.0, **more)
    again = steps(id, steps=8, dropout=0.0, compile="on", **more)
    np.testing.assert_allclose(losses(again), losses(plain), rtol=0.02 if "mixed" in more else 1e-5)
    assert again[-1].notes["compile"].startswith("compiled in ") and not plain[-1].notes
    one, other = (reports[-1].model for reports in (plain, again))
    assert one is not None and other is not None
    assert list(one.weights()) == list(other.weights()), "under the same names"


@pytest.mark.slow
def test_a_compiled_training_goes_on_and_is_kept(
    traced: None, tmp_path: Path, monkeypatch: Patch
) -> None:
    """With dropout, snapshots and the best model on the way: the weights of one that never stopped."""
    monkeypatch.setattr(fitting, "CHECKPOINT_SECONDS", -1.0)
    model = models.get("transformer")
    config = small(model, steps=9, held_out_every=2, dropout=0.2, compile="on")
    made = Recipe("transformer", config, digest(TEXT), 0)
    list(fit(tmp_path / "whole", made, TEXT, snapshots=3))
    reports: Any = fit(tmp_path / "parts", made, TEXT, snapshots=3)
    while next(reports).step < 5:
        pass
    reports.close()
    list(fit(tmp_path / "parts", made, TEXT, resume=True, snapshots=3))
    whole, parts = (read_arrays(tmp_path / name / WEIGHTS) for name in ("whole", "parts"))
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    run = RunStore(tmp_path).find("parts")
    assert run.note["compile"].startswith("compiled in ") and len(run.snapshots) == 3
    assert RunStore(tmp_path).load(run).trace("the cat").tokens


def test_whoever_does_not_ask_keeps_the_recipe() -> None:
    model = models.get("transformer")
    chosen = ({}, {"compile": "off"}, {"compile": "auto"})
    keys = [Recipe("transformer", small(model, **more), "", 0).key for more in chosen]
    assert keys[0] == keys[1] != keys[2]
    with pytest.raises(ValueError, match="no compile 'maybe'; there are off, on, auto"):
        small(model, compile="maybe")


@pytest.mark.parametrize(
    ("id", "more", "why"),
    [
        ("lstm", {}, "a recurrent net is not compiled"),
        ("seq2seq", {}, "a recurrent net is not compiled"),
        ("lstm", {"stateful": True}, "a net whose state is carried"),
        ("transformer", {"recompute": True}, "layers that are computed twice"),
    ],
    ids=str,
)
def test_what_is_not_compiled_says_so(id: str, more: dict[str, Any], why: str) -> None:
    plain, again = (steps(id, steps=4, compile=how, **more) for how in ("off", "on"))
    assert losses(plain) == losses(again) and again[0].notes["compile"].startswith(why)


@pytest.mark.parametrize("error", [RuntimeError, OSError, ImportError])
def test_without_a_compiler_training_goes_on(error: type[Exception], monkeypatch: Patch) -> None:
    def missing(read: Any) -> Any:
        def call(*given: Any) -> Any:
            raise error("\n  no g++ here\nand much more")

        return call

    monkeypatch.setattr(torch, "compile", missing)
    plain, again = (steps("transformer", steps=4, compile=how) for how in ("off", "on"))
    assert losses(plain) == losses(again)
    assert again[0].notes["compile"] == "not compiled, as torch can't do it here: no g++ here"


def test_a_shape_that_can_not_be_compiled_later_ends_no_training(monkeypatch: Patch) -> None:
    from torch._dynamo.exc import InternalTorchDynamoError

    def brittle(read: Any) -> Any:
        calls = [0]

        def call(*given: Any) -> Any:
            calls[0] += 1
            if calls[0] == 5:  # two before the first step, and two steps
                raise InternalTorchDynamoError("a new shape")
            return read(*given)

        return call

    monkeypatch.setattr(torch, "compile", brittle)
    plain, again = (steps("transformer", steps=6, compile=how) for how in ("off", "on"))
    assert losses(plain) == losses(again)
    said = "; no longer, as torch can't do it here: a new shape"
    assert again[-1].notes["compile"].endswith(said)


def choosing(seconds: dict[str, float], monkeypatch: Patch) -> None:
    """The compiled way is the same function; each takes so long."""

    def took(self: Compiling, way: Any, given: Any) -> float:
        return seconds["plain" if way is self.read else "compiled"]

    monkeypatch.setattr(torch, "compile", partial)
    monkeypatch.setattr(Compiling, "_seconds", took)


@pytest.mark.parametrize(
    ("plain", "compiled", "said"),
    [
        (1.0, 0.1, "not compiled: a training of 30 seconds is too short for it"),
        (9.0, 8.9, "not compiled: steps would be 1.01 times as fast"),
        (9.0, 18.0, "not compiled: steps would be 0.50 times as fast"),
        (9.0, 6.0, "compiled in 12 seconds, steps are 1.50 times as fast"),
    ],
)
def test_auto_takes_the_faster(
    plain: float, compiled: float, said: str, monkeypatch: Patch
) -> None:
    choosing({"plain": plain, "compiled": compiled}, monkeypatch)
    reports = steps("transformer", steps=30, compile="auto")
    assert reports[-1].notes["compile"] == said
    assert losses(reports) == losses(steps("transformer", steps=30))


@pytest.mark.parametrize("chosen", [True, False])
def test_what_was_chosen_stays_when_a_training_goes_on(chosen: bool, monkeypatch: Patch) -> None:
    fast = {"plain": 9.0, "compiled": 6.0}
    choosing(fast if chosen else {"plain": 6.0, "compiled": 9.0}, monkeypatch)
    model = models.get("transformer")
    config = small(model, steps=30, compile="auto")
    kept: Any = None
    for report in model.fit(TEXT, config, seed=1):
        if report.step == 3 and report.checkpoint is not None:
            kept = dict(report.checkpoint())
            break
    choosing({"plain": 6.0, "compiled": 9.0} if chosen else fast, monkeypatch)
    first = next(iter(model.fit(TEXT, config, seed=1, resume=kept)))
    said = "compiled in 18 seconds" if chosen else "not compiled, as before"
    assert first.notes["compile"] == said
    assert "compile:chosen" not in dict(steps("transformer", steps=1)[0].checkpoint())  # type: ignore[misc]


def test_timing_takes_no_step_and_leaves_no_gradient(monkeypatch: Patch) -> None:
    monkeypatch.setattr(compiling, "LONG", 0.0)
    monkeypatch.setattr(torch, "compile", partial)
    net = nn.Linear(3, 2)
    before = net.weight.detach().clone()
    calls: list[int] = []

    def read(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        found: torch.Tensor = net(x).square().sum()
        return found

    tried = Compiling(net, read, Plan(9, 1, 1, 0.1, compile="auto"), carried=False)
    assert tried.settle([(torch.ones(1, 3),)], 9)
    assert len(calls) == 1 + 3 + 2 + 2 * compiling.ROUNDS
    assert torch.equal(net.weight, before) and net.weight.grad is None
    assert set(tried.notes) == {"compile"} and tried.state()["chosen"] in (0.0, 1.0)


@pytest.mark.slow
def test_compiled_for_this_machine() -> None:
    how: dict[str, Any] = {"steps": 12, "held_out_every": 5}
    plain, again = (steps("transformer", compile=on, **how) for on in ("off", "on"))
    said = again[-1].notes["compile"]
    assert said.startswith(("compiled in ", f"not compiled, {compiling.CANNOT}"))
    np.testing.assert_allclose(losses(again), losses(plain), rtol=1e-4)
    assert loop.half_of("cpu") == torch.bfloat16
