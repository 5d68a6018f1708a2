"""What is set for the whole server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref

import pytest

from engine import ROOT
from engine.core import buffers

SERVER = """
import json, sys
import numpy
from threadpoolctl import threadpool_info
from engine.core import runtime
threads = lambda: [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
before = threads()
runtime.serving()
print(json.dumps([before, threads(), sys.getswitchinterval()]))
"""


def test_a_server_multiplies_on_one_thread_and_takes_short_turns() -> None:
    env = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    env["OPENBLAS_NUM_THREADS"] = "2"
    said = subprocess.check_output([sys.executable, "-c", SERVER], cwd=ROOT, env=env)
    before, after, turn = json.loads(said)
    assert before and after == [1] * len(before) and turn == 0.001


FREED = """
import ctypes, time, psutil
from engine.core import runtime
used = lambda: psutil.Process().memory_full_info().uss
runtime.IDLE_SECONDS = runtime.GROWTH_SECONDS = 0.05
runtime.serving()
blocks = [bytes(50_000) for _ in range(8_000)]  # 400 MB, and something between them that stays
kept = [bytes(blocks[n][:2_000]) for n in range(0, 8_000, 8)]
full = used()
del blocks
for _ in range(100):
    time.sleep(0.05)
    if used() < full - 300e6:
        break
print(full - used(), len(kept))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of the GNU C Library")
def test_a_server_gives_back_what_it_no_longer_needs() -> None:
    said = subprocess.check_output([sys.executable, "-c", FREED], cwd=ROOT)
    assert int(float(said.split()[0])) > 300_000_000


STEPPED = """
import sys
import weakref
from engine.core import runtime
runtime.before_torch()
import torch
weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
adam = torch.optim.Adam([weight], lr=0.1)
for _ in range(2):
    adam.zero_grad()
    (weight * weight).sum().backward()
    adam.step()
print(weight.tolist(), weight.grad is not None, hasattr(sys.modules.get("sympy"), "__file__"))
"""


def test_a_step_imports_no_compiler_and_is_the_same() -> None:
    """Adam by hand, two steps of w^2."""
    said = subprocess.check_output([sys.executable, "-c", STEPPED], cwd=ROOT, text=True)
    found = []
    for w in (1.0, -2.0):
        m = s = 0.0
        for t in (1, 2):
            g = 2 * w
            m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
            w -= 0.1 * (m / (1 - 0.9**t)) / ((s / (1 - 0.999**t)) ** 0.5 + 1e-8)
        found.append(w)
    numbers, rest = said.strip().split("] ")
    assert json.loads(numbers + "]") == pytest.approx(found, rel=1e-6)
    assert rest == "True False"


MEASURED = """
import sys
from engine.core import runtime
runtime.before_torch()
from engine.lessons.batches import memory
plain, again = memory.measured(False, 4), memory.measured(True, 4)
print(again.peak < plain.peak, abs(plain.gradient - again.gradient) < 1e-6)
print(hasattr(sys.modules.get("sympy"), "__file__"))
import torch._dynamo
print(torch._dynamo.config.error_on_nested_fx_trace, torch._dynamo.config.cache_size_limit > 0)
"""


def test_a_step_with_checkpoints_and_its_memory_import_no_compiler() -> None:
    """75 MB of a server for good; who asks for more gets the real one."""
    said = subprocess.check_output([sys.executable, "-c", MEASURED], cwd=ROOT, text=True)
    assert said.split() == ["True", "True", "False", "True", "True"]


ESTIMATED = """
import sys
from engine.core import runtime
if sys.argv[1:]:
    runtime.before_torch = lambda: None
from engine.core.registry import models
from engine.models.neural import NeuralLanguageModel
from engine.models.cost import Cut
for id in models.ids():
    model = models.get(id)
    if issubclass(model, NeuralLanguageModel):
        print(id, sorted(model.cost(model.config_type(), Cut(9000, 300)).memory.items()))
print(hasattr(sys.modules.get("sympy"), "__file__"))
"""


def test_what_a_training_takes_is_estimated_without_the_compiler_and_is_the_same() -> None:
    with_it, without = (
        subprocess.check_output(
            [sys.executable, "-c", ESTIMATED, *more], cwd=ROOT, text=True
        ).splitlines()
        for more in (("real",), ())
    )
    assert (with_it.pop(), without.pop()) == ("True", "False")
    assert len(without) > 10 and without == with_it


def test_idle_buffers_go_back_and_those_that_somebody_looks_at_stay() -> None:
    buffers.release(-1.0)  # those of other tests
    held = buffers.buffer((3, 70_001))
    idle = buffers.buffer((70_003,))
    gone = weakref.ref(idle.base if idle.base is not None else idle)
    before = len(buffers._buffers)
    held[:] = 7
    buffers.release(60.0)
    assert len(buffers._buffers) == before, "taken a moment ago"
    del idle
    buffers.release(-1.0)
    assert gone() is None and len(buffers._buffers) == len(buffers._taken) < before
    assert (held == 7).all()
    again = buffers.buffer((3, 70_001))
    again[:] = 8
    assert (held == 7).all(), "nobody else writes where one still looks"
