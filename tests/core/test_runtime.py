"""What is set for the whole server."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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
