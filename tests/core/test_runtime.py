"""What is set for the whole server."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from engine import ROOT

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
