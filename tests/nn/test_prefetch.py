"""A device that is not waited for takes the same steps, and nobody asks it for a number in between.
The processor stands in for it: it is told to take several steps before their numbers are read."""

from __future__ import annotations

import json
import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from engine.core.registry import cells, clippings, models, optimisers, schedules
from engine.jobs import control
from engine.nn import loop, prefetch, ranks, windows
from engine.nn.divergence import Diverged
from engine.nn.optimisers import muon
from engine.nn.optimisers.muon import Muon, all_orthogonal, orthogonal
from engine.nn.plan import Plan, Training
from engine.runs.store import Recipe, digest
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import HISTORY, SNAPSHOTS, WEIGHTS
from engine.training import status
from engine.training.fit import fit
from engine.training.history import read
from tests.conftest import TEXT, Patch, diagonal, sampled, small, text_of
from tests.nn.test_distributed import both

GUARDED = [id for id in optimisers.ids() if optimisers.get(id).guarded]
STREAM = np.random.default_rng(0).integers(0, 12, 300)
TINY = {"units": 4, "width": 4, "layers": 1, "span": 6, "batch": 4, "held_out_every": 20}


@pytest.fixture
def unwaited(monkeypatch: Patch) -> None:
    """Eight steps before anybody looks."""
    monkeypatch.setitem(prefetch.STEPS, "cpu", 8)
    monkeypatch.setattr(prefetch, "SECONDS", math.inf)


def tiny(id: str = "transformer", **more: Any) -> Any:
    kind = models.get(id)
    mine = {k: v for k, v in TINY.items() if k in {f.name for f in fields(kind.config_type)}}
    return small(kind, **mine | more)


def trained(config: Any, id: str = "transformer", stateful: bool = False) -> tuple[Any, nn.Module]:
    """The steps of a training from the same weights, one after the other, and its net."""
    torch.manual_seed(0)
    kind: Any = models.get(id)
    net = kind.build(config, 12)
    how: dict[str, Any] = {"seed": 1, "device": "cpu", "boundary": 0, "stateful": stateful}
    return loop.train(net, STREAM, STREAM[:80], Plan.of(config), **how), net


def told(step: loop.Step) -> dict[str, float]:
    return {k: v for k, v in step.metrics.items() if k != "tokens_per_second"}


def test_optimisers_that_can_hold_a_step_back(monkeypatch: Patch) -> None:
    """Memory that nobody has written holds anything: here it holds no number."""
    monkeypatch.setattr(torch, "empty_like", lambda t, **_: torch.full_like(t, math.nan))
    assert set(GUARDED) == {"adam", "adamw", "muon", "sgd"}
    for id in GUARDED:
        p = nn.Parameter(torch.ones(2, 3))
        optimiser = optimisers.get(id).make(nn.ParameterList([p]), Plan(1, 1, 1, 0.1))
        for held, moved in ((1.0, False), (0.0, True)):
            p.grad = torch.full((2, 3), math.nan if held else 1.0)
            optimiser.found_inf = torch.tensor(held)  # type: ignore[attr-defined]
            optimiser.step()
            assert torch.equal(p, torch.ones(2, 3)) != moved and p.isfinite().all(), id


@diagonal("optimiser,clipping", optimisers.ids(), clippings.ids())
def test_the_same_steps_bit_for_bit(optimiser: str, clipping: str, monkeypatch: Patch) -> None:
    """21 steps: groups end with the first, at the measurement of the 20th, and at the end."""
    config = tiny(
        steps=21, dropout=0.2, clip=0.3, rate=0.02, optimiser=optimiser, clipping=clipping
    )
    steps, net = trained(config)
    each = [told(step) for step in steps]
    monkeypatch.setitem(prefetch.STEPS, "cpu", 8)
    monkeypatch.setattr(prefetch, "SECONDS", math.inf)
    steps, other = trained(config)
    together = list(steps)
    assert [told(step) for step in together] == each
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    asked = [step.step for step in together if step.checkpoint is not None]
    assert asked == ([1, 9, 17, 20, 21] if optimiser in GUARDED else list(range(1, 22)))


@pytest.mark.parametrize(
    "more", [{"stateful": True, "accumulate": 2}, {"mixed": True}, {"bits": 4}]
)
def test_the_same_steps_whatever_else(more: dict[str, Any], monkeypatch: Patch) -> None:
    id = "rnn" if "stateful" in more else "transformer"
    config = tiny(id, steps=21, schedule="plateau", clipping="adaptive", clip=0.1, **more)
    each = [told(step) for step in trained(config, id, "stateful" in more)[0]]
    monkeypatch.setitem(prefetch.STEPS, "cpu", 8)
    monkeypatch.setattr(prefetch, "SECONDS", math.inf)
    assert [told(step) for step in trained(config, id, "stateful" in more)[0]] == each


class Asked(TorchDispatchMode):
    """Counts what a GPU would have to be waited for."""

    count = 0
    waits = frozenset({"_local_scalar_dense", "nonzero", "masked_select", "is_nonzero", "equal"})

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Asked.count += func.overloadpacket.__name__ in self.waits
        return func(*args, **kwargs or {})


@contextmanager
def counted(monkeypatch: Patch) -> Iterator[type[Asked]]:
    """`tolist`, `numpy` and `cpu` go past the dispatcher where a tensor is here already."""
    Asked.count = 0
    for name in ("tolist", "numpy", "cpu"):
        plain = getattr(Tensor, name)

        def counting(self: Tensor, *args: Any, plain: Any = plain, **more: Any) -> Any:
            Asked.count += threading.current_thread() is threading.main_thread()
            return plain(self, *args, **more)

        monkeypatch.setattr(Tensor, name, counting)
    with Asked():
        yield Asked


@diagonal("optimiser,clipping", GUARDED, clippings.ids())
def test_nobody_waits_for_the_device_in_between(
    optimiser: str, clipping: str, unwaited: None, monkeypatch: Patch
) -> None:
    """17 steps in groups of 1, 8 and 8: three questions, and one for what is held out."""
    if optimiser == "muon":  # as on a GPU
        made = Muon.__init__
        monkeypatch.setattr(Muon, "__init__", lambda self, net, plan: made(self, net, plan, True))
    config = tiny(
        steps=17, held_out_every=1000, optimiser=optimiser, clipping=clipping, schedule="plateau"
    )
    steps, _ = trained(config)
    with counted(monkeypatch) as asked:
        assert len(list(steps)) == 17
    assert 3 <= asked.count <= 4
    monkeypatch.setitem(prefetch.STEPS, "cpu", 1)
    steps, _ = trained(config)
    with counted(monkeypatch) as asked:
        assert len(list(steps)) == 17
    assert asked.count >= 17, "where each is waited for, it is counted"


ASKS = {"encoder_decoder", "seq2seq"}
"""On a processor their source is cut to the longest of a batch, which only the batch itself says."""
NET = [
    id
    for id in models.ids()
    if issubclass(models.get(id).config_type, Training) and id not in {*cells.ids(), *ASKS}
]


@sampled("id", ["lstm", *NET], each=3)
def test_no_model_asks_for_a_number_in_its_steps(
    id: str, unwaited: None, monkeypatch: Patch
) -> None:
    """Steps 2 to 9 are one group: between the first report and the second somebody waits once."""
    model = models.get(id)
    reports = iter(model.fit(text_of(model), small(model, steps=20, accumulate=2), seed=1))
    assert next(reports).step == 1
    with counted(monkeypatch) as asked:
        assert next(reports).step == 2
    assert asked.count == 1


def test_a_source_is_not_asked_for_its_length_elsewhere() -> None:
    """On torch's meta device there are no numbers to ask for."""
    kind: Any = models.get("encoder_decoder")
    config = small(kind)
    with torch.device("meta"):
        found = kind.build(config, 20)(torch.zeros(2, 3, 7, dtype=torch.int64))
    assert found.shape == (3, 7, 20)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("id", ["lstm", "encoder_decoder", *NET])
def test_a_gpu_is_not_waited_for(id: str, monkeypatch: Patch) -> None:
    """CUDA itself says when somebody waits: once for the eight steps behind the first."""
    monkeypatch.setattr(prefetch, "ELSEWHERE", 8)
    monkeypatch.setattr(prefetch, "SECONDS", math.inf)
    model = models.get(id)
    config = small(model, steps=20, clipping="adaptive", mixed=True)
    reports = iter(model.fit(text_of(model), config, seed=1, device="cuda"))
    assert next(reports).step == 1
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            assert next(reports).step == 2
        finally:
            torch.cuda.set_sync_debug_mode("default")
    waits = [str(one.message) for one in said if "called a synchronizing" in str(one.message)]
    assert len(waits) <= 1, waits


@sampled("clipping", ["none", "norm"], each=3)
@pytest.mark.parametrize("optimiser", GUARDED)
def test_divergence_names_the_step_though_it_is_seen_later(
    optimiser: str, clipping: str, unwaited: None, monkeypatch: Patch
) -> None:
    """At step 13 weights are infinite; it is seen behind step 17, and told as if it had been at once."""
    rate = lambda self, step, done: 1.0 if step != 12 else 1e40  # noqa: E731
    monkeypatch.setattr(schedules.get("constant"), "after", rate)
    config = tiny(
        steps=60, schedule="constant", warmup=0, optimiser=optimiser, clipping=clipping, decay=0.0
    )
    found: list[tuple[list[int], str]] = []
    for most in (8, 1):
        monkeypatch.setitem(prefetch.STEPS, "cpu", most)
        steps, _ = trained(config)
        reported: list[int] = []
        with pytest.raises(Diverged) as raised:
            reported.extend(step.step for step in steps)
        found.append((reported, str(raised.value)))
        assert raised.value.step == reported[-1] + 1 == 13 and raised.value.where
    assert found[0] == found[1]


def test_steps_behind_a_divergence_change_nothing(unwaited: None, monkeypatch: Patch) -> None:
    """A loss that is no number at step 11 only: the weights stay those of step 10."""
    config, calls = tiny(steps=60), [0]

    def spoiled(plain: Any, *args: Any, **more: Any) -> Tensor:
        calls[0] += 1
        found: Tensor = plain(*args, **more)
        return found * math.nan if calls[0] == 11 else found

    plain = loop.nats
    monkeypatch.setattr(loop, "nats", lambda *args, **more: spoiled(plain, *args, **more))
    steps, net = trained(config)
    with pytest.raises(Diverged, match="at step 11"):
        for _ in steps:
            pass
    monkeypatch.setattr(loop, "nats", plain)
    monkeypatch.setitem(prefetch.STEPS, "cpu", 1)
    steps, other = trained(config)
    while next(steps).step < 10:
        pass
    steps.close()
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))


def test_batches_are_drawn_while_the_one_before_is_learned() -> None:
    asked: list[tuple[int, str]] = []
    drawn = threading.Event()

    def draw(step: int) -> windows.Pair:
        asked.append((step, threading.current_thread().name))
        if step == 2:
            drawn.set()
        if step == 4:
            raise MemoryError("there is none left")
        return torch.full((2, 2), step), torch.full((2, 2), -step)

    with prefetch.Batches(draw, "cpu", 5, thread=True) as batches:
        x, y = batches(1)
        assert drawn.wait(10) and x[0, 0] == 1 == -y[0, 0]
        assert [int(batches(step)[0][0, 0]) for step in (2, 3)] == [2, 3]
        with pytest.raises(MemoryError, match="there is none left"):
            batches(4)
        assert int(batches(1)[0][0, 0]) == 1, "out of turn"
    assert [step for step, _ in asked][:4] == [1, 2, 3, 4]
    assert all(name.startswith("batches") for _, name in asked[1:4])
    assert not any(thread.name.startswith("batches") for thread in threading.enumerate())


def test_a_pause_a_snapshot_and_a_resume_between_the_looks(
    unwaited: None, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Asked for at step 3, it comes behind step 9; history and weights are as if looked at each time."""
    monkeypatch.setattr(control, "EVERY", -1.0)
    made = Recipe("lstm", tiny("lstm", steps=30), digest(TEXT), 0)
    reports = fit(tmp_path / "parts", made, TEXT, snapshots=4)
    for report in reports:
        if report.step == 3:
            control.write(tmp_path / "parts", control.PAUSE)
    last = status.read(tmp_path / "parts")
    assert last and last.state == status.PAUSED and last.step == 9
    list(fit(tmp_path / "parts", made, TEXT, resume=True, snapshots=4))
    kept = sorted(int(path.stem) for path in (tmp_path / "parts" / SNAPSHOTS).iterdir())
    monkeypatch.setitem(prefetch.STEPS, "cpu", 1)
    list(fit(tmp_path / "whole", made, TEXT))
    assert (tmp_path / "whole" / HISTORY).read_text() == (tmp_path / "parts" / HISTORY).read_text()
    whole, parts = (read_arrays(tmp_path / name / WEIGHTS) for name in ("whole", "parts"))
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    assert kept == [1, 9, 10, 30], "marks 1, 3, 10 and 30, each at the next look"
    assert len(read(tmp_path / "parts" / HISTORY)["loss_nats"][0]) == 30


# --- the steps themselves, written down once more


@sampled("optimiser", ["adamw", "adam", "sgd", "rmsprop", "muon"], each=3)
@pytest.mark.parametrize("mixed", [False, True])
def test_a_training_takes_the_steps_of_a_plain_loop(optimiser: str, mixed: bool) -> None:
    """Bit for bit: windows, cross-entropy, a cut at 0.3, torch's optimisers, Muon's one by one."""
    config = tiny(steps=14, dropout=0.1, clip=0.3, rate=0.01, optimiser=optimiser, mixed=mixed)
    plan = Plan.of(config)
    steps, net = trained(config)
    found = [step.metrics["loss_nats"] for step in steps]
    torch.manual_seed(0)
    kind: Any = models.get("transformer")
    peer = kind.build(config, 12).train()
    fused: dict[str, Any] = {"weight_decay": 0.01, "fused": True}
    taking = {
        "adamw": lambda: torch.optim.AdamW(peer.parameters(), betas=(0.9, 0.99), **fused),
        "adam": lambda: torch.optim.Adam(peer.parameters(), betas=(0.9, 0.99), **fused),
        "sgd": lambda: torch.optim.SGD(peer.parameters(), momentum=0.9, **fused),
        "rmsprop": lambda: torch.optim.RMSprop(peer.parameters(), alpha=0.99, weight_decay=0.01),
        "muon": lambda: Muon(peer, plan, stacked=False),
    }[optimiser]()
    starts = np.flatnonzero(STREAM[: len(STREAM) - plan.span - 1] == 0)
    schedule = schedules.get(plan.schedule)(plan)
    with loop.training(peer):
        for step in range(1, 15):
            torch.manual_seed(1_000_003 + step)
            x, y = windows.drawn(torch.from_numpy(STREAM), starts, plan, 1, step)
            taking.param_groups[0]["lr"] = schedule.rate(step)
            taking.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
                logits = peer(x)
                total = F.cross_entropy(logits.float().flatten(0, 1), y.flatten(), reduction="sum")
                loss = total / y.numel()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(peer.parameters(), 0.3)
            taking.step()
            assert loss.item() == found[step - 1], step
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), peer.parameters(), strict=True))


# --- Muon: matrices of one shape together


@pytest.mark.parametrize("half", [False, True])
def test_matrices_together_are_as_orthogonal_as_alone(half: bool) -> None:
    torch.manual_seed(0)
    m_KRC = torch.randn(4, 6, 10) * torch.tensor([1e-3, 1.0, 50.0, 0.0])[:, None, None]
    found = all_orthogonal(m_KRC, half)
    for one, together in zip(m_KRC, found, strict=True):
        torch.testing.assert_close(
            together, orthogonal(one, half), rtol=0, atol=0.06 if half else 1e-5
        )
    assert not found[3].any()


def test_muon_takes_the_same_steps_in_stacks() -> None:
    """Tall, wide and square matrices, a table, biases, and a weight that no gradient reaches."""
    plan = Plan(steps=9, batch=2, span=2, rate=0.05, decay=0.1, optimiser="muon")

    def run(stacked: bool, resume: bool = False) -> dict[str, Tensor]:
        torch.manual_seed(0)
        sizes = {"tall": (4, 6), "wide": (6, 4), "again": (4, 6), "square": (4, 4), "idle": (4, 4)}
        linear = {name: nn.Linear(*size) for name, size in sizes.items()}
        net = nn.ModuleDict({"table": nn.Embedding(9, 4), **linear})
        optimiser = Muon(net, plan, stacked)
        for step in range(6):
            if resume and step == 3:
                state = optimiser.state_dict()
                optimiser = Muon(net, plan, stacked)
                optimiser.load_state_dict(state)
            for name, p in net.named_parameters():
                p.grad = None if name.startswith("idle") else torch.randn_like(p)
            optimiser.step()
        return {name: p.detach() for name, p in net.named_parameters()}

    one, together, again = run(False), run(True), run(True, resume=True)
    for name in one:
        torch.testing.assert_close(together[name], one[name], rtol=1e-5, atol=1e-6, msg=name)
        assert torch.equal(together[name], again[name]), name


def test_large_stacks_are_taken_in_parts(monkeypatch: Patch) -> None:
    sizes: list[int] = []

    def noted(m_KRC: Tensor, half: bool) -> Tensor:
        sizes.append(len(m_KRC))
        return all_orthogonal(m_KRC, half)

    monkeypatch.setattr(muon, "all_orthogonal", noted)
    monkeypatch.setattr(muon, "MOST", 40)
    net = nn.ModuleList(nn.Linear(4, 5, bias=False) for _ in range(5))
    optimiser = Muon(net, Plan(1, 1, 1, 0.1), stacked=True)
    for p in net.parameters():
        p.grad = torch.randn_like(p)
    optimiser.step()
    assert sizes == [2, 2, 1]


# --- several processes

CHILD = """
import json, os, sys
from pathlib import Path
rank, folder = int(sys.argv[1]), Path(sys.argv[2])
import numpy as np
from torch import distributed
from engine.core.registry import models
from engine.nn import prefetch
from tests.conftest import TEXT, small
from tests.nn.test_prefetch import SHARED, WILD

prefetch.STEPS["cpu"] = 8
prefetch.SECONDS = 60.0
distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
model = models.get("transformer")
reports = list(model.fit(TEXT, small(model, **SHARED), seed=1))
said = {"losses": [r.metrics["loss_nats"] for r in reports], "steps": [r.step for r in reports]}
steps = []
try:
    steps.extend(report.step for report in model.fit(TEXT, small(model, **WILD), seed=1))
except ValueError as error:
    said["error"] = str(error)
said["wild"] = steps
distributed.destroy_process_group()
(folder / f"said{rank}.json").write_text(json.dumps(said))
sys.stderr.flush()
os._exit(0)  # threads of gloo's that still wait can abort a process that takes them down
"""
SHARED = {"steps": 21, "clipping": "adaptive", "clip": 0.1, "held_out_every": 15}
WILD = {"steps": 60, "optimiser": "sgd", "clipping": "none", "rate": 1e12, "warmup": 0}


@pytest.mark.slow
def test_several_processes_look_at_their_numbers_when_they_like(tmp_path: Path) -> None:
    """The losses of one process; a training that diverges ends for both, behind the same step."""
    both(CHILD, tmp_path)
    first, second = (json.loads((tmp_path / f"said{rank}.json").read_text()) for rank in (0, 1))
    model = models.get("transformer")
    alone = [r.metrics["loss_nats"] for r in model.fit(TEXT, small(model, **SHARED), seed=1)]
    assert first["steps"] == second["steps"] == list(range(1, 22))
    np.testing.assert_allclose(first["losses"], alone, atol=1e-5)
    np.testing.assert_allclose(second["losses"], alone, atol=1e-5)
    assert first["wild"] == second["wild"] and "error" not in second
    assert f"no longer a number at step {first['wild'][-1] + 1};" in first["error"]


@pytest.mark.parametrize("id", ["lstm", "transformer", "encoder_decoder", "tagger", "bert"])
def test_every_kind_of_model_learns_ahead(id: str, monkeypatch: Patch) -> None:
    model = models.get(id)
    config = small(model, steps=12, held_out_every=5)

    def run() -> list[dict[str, float]]:
        reports = list(model.fit(text_of(model), config, seed=1))
        assert [r.passed for r in reports] == [r.now is None for r in reports]
        assert reports[-1].model is not None
        return [{k: v for k, v in r.metrics.items() if k != "tokens_per_second"} for r in reports]

    each = run()
    monkeypatch.setitem(prefetch.STEPS, "cpu", 8)
    assert run() == each
    assert ranks.count() == 1
