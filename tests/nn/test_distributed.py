"""Several processes share a training: the losses of one, files from the first alone, one end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine.__main__ import main
from engine.core.registry import models
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import HISTORY, NOTE, WEIGHTS
from engine.training.history import read
from tests.conftest import ROOT, TEXT, small, text_of

PLATEAU = {"steps": 12, "held_out_every": 5, "schedule": "plateau", "clipping": "adaptive"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("lstm", PLATEAU | {"clip": 0.1}),
    "in parts": ("transformer", {"steps": 8, "batch": 11, "accumulate": 2}),
    "bert": ("bert", {"steps": 6, "optimiser": "sgd"}),
    "translation": ("encoder_decoder", {"steps": 6, "smoothing": 0.1}),
    "tagger": ("tagger", {"steps": 6, "dropout": 0.0, "unknown": 0.1}),
}
COMMAND = (
    "--set steps=30 --set units=12 --set width=8 --set span=12 --set batch=16 --seed 3".split()
)
Shared = tuple[Path, list[dict[str, Any]]]

CHILD = """
import json, os, sys
from pathlib import Path
rank, folder = int(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, {root!r})
import numpy as np
from torch import distributed
from engine.__main__ import main
from engine.nn import ranks, windows
from engine.core.registry import models
from engine.jobs import control
from engine.training import status
from tests.conftest import TEXT, small, text_of
from tests.nn.test_distributed import CASES, COMMAND

distributed.init_process_group("gloo", init_method=f"file://{{folder}}/meet", rank=rank, world_size=2)
said = {{}}
for name, (id, more) in CASES.items():
    model = models.get(id)
    reports = list(model.fit(text_of(model), small(model, **more), seed=1))
    if rank == 0:
        made = reports[-1].model
        losses = [r.metrics["loss_nats"] for r in reports]
        weights = {{"w." + k: v for k, v in made.weights().items()}}
        np.savez(folder / f"{{name}}.npz", losses=losses, **weights)
reports = models.get("lstm").fit(TEXT, small(models.get("lstm")), seed=1)
if rank == 0:
    for report in reports:
        if report.step == 4:
            break
    reports.close()
    said["closed"] = report.step
else:
    said["closed"] = max(report.step for report in reports)
wild = small(models.get("lstm"), optimiser="sgd", clipping="none", schedule="constant", rate=1e30, warmup=0)
try:
    said["diverged"] = max([report.step for report in models.get("lstm").fit(TEXT, wild, seed=1)])
except ValueError as error:
    said["diverged"] = str(error)
text, out = str(folder / "text.txt"), folder / "run"
if rank == 0:
    out.mkdir()
    control.write(out, control.PAUSE)
ranks.share_number(0.0)
said["paused"] = main(["train", "lstm", "--text", text, *COMMAND, "--set", "steps=4000", "--out", str(out), "--resume"])
said["step"] = status.read(out).step if rank == 0 else 0
said["refused"] = [
    main(["train", id, "--text", text, "--out", str(folder / id), *more])
    for id, *more in (("ngram",), ("skipgram",), ("lstm", "--set", "stateful=true"))
]
ranks.share_number(0.0)
drawn = windows.drawn

def full(*how):
    if rank == 0 and how[-1] == 3:
        raise MemoryError("there is none left")
    return drawn(*how)

windows.drawn = full
try:
    list(models.get("lstm").fit(TEXT, small(models.get("lstm")), seed=1))
except Exception as error:
    said["broken"] = type(error).__name__
distributed.destroy_process_group()
(folder / f"said{{rank}}.json").write_text(json.dumps(said))
sys.stderr.flush()
os._exit(0)  # the broken step left threads of gloo's behind; taking those down can abort the process
"""


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"GLOO_SOCKET_IFNAME": "lo", "UNROLLED_THREADS": "1"} | more


def both(code: str, folder: Path) -> list[str]:
    """What each of two processes said as errors; each runs `code` with its rank and the folder."""
    how: dict[str, Any] = {"cwd": ROOT, "stderr": subprocess.PIPE, "text": True}
    pair = []
    for rank in "01":
        command = [sys.executable, "-c", code, rank, str(folder)]
        env = environment(WORLD_SIZE="2", RANK=rank)
        pair.append(subprocess.Popen(command, env=env, **how))
    try:
        wrong = [child.communicate(timeout=240)[1] for child in pair]
    finally:
        for child in pair:
            child.kill()
    assert [child.returncode for child in pair] == [0, 0], wrong
    return wrong


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """What two processes did together."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "text.txt").write_text(TEXT)
    wrong = both(CHILD.format(root=str(ROOT)), folder)
    said = [json.loads((folder / f"said{rank}.json").read_text()) for rank in (0, 1)]
    return folder, [one | {"stderr": text} for one, text in zip(said, wrong, strict=True)]


@pytest.mark.parametrize("case", CASES)
def test_two_processes_take_the_steps_of_one(case: str, shared: Shared) -> None:
    id, more = CASES[case]
    model = models.get(id)
    reports = list(model.fit(text_of(model), small(model, **more), seed=1))
    losses = [r.metrics["loss_nats"] for r in reports]
    with np.load(shared[0] / f"{case}.npz", allow_pickle=False) as found:
        assert_allclose(found["losses"], losses, atol=1e-5)
        for name, values in reports[-1].model.weights().items():
            if values.dtype.kind == "f":
                assert_allclose(found[f"w.{name}"], values, atol=2e-4, err_msg=name)


def test_what_the_first_process_ends_ends_for_all(shared: Shared) -> None:
    """One diverges, and the other ends quietly; one breaks in a step, and nobody waits for it."""
    first, second = shared[1]
    assert first["closed"] == second["closed"] == 4
    assert f"no longer a number at step {second['diverged'] + 1};" in first["diverged"]
    assert first["broken"] == "MemoryError" and second["broken"] == "RuntimeError"
    assert first["paused"] == second["paused"] == 0 and 0 < first["step"] < 4000
    assert not (shared[0] / "run" / NOTE).exists()


def test_what_can_not_be_shared_is_refused(shared: Shared) -> None:
    refused = "can't be shared by several processes; start it without torchrun"
    for said in shared[1]:
        assert said["refused"] == [2, 2, 2] and said["stderr"].count(refused) == 2
        assert "a state carried from step to step belongs to one process" in said["stderr"]
    assert not any((shared[0] / id).exists() for id in ("ngram", "skipgram"))


@pytest.mark.slow
def test_torchrun_makes_the_run_of_one_process(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(TEXT)
    command = ["train", "lstm", "--text", str(tmp_path / "text.txt"), *COMMAND]
    assert main([*command, "--out", str(tmp_path / "one")]) == 0
    launch = "-m torch.distributed.run --nproc-per-node 2 -m engine".split()
    launch = [sys.executable, *launch, *command, "--out", str(tmp_path / "two")]
    how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 240}
    done = subprocess.run(launch, cwd=ROOT, env=environment(), check=False, **how)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("lstm, 30 steps") == 1, "the first process alone speaks"
    names = [{p.name for p in (tmp_path / out).iterdir()} for out in ("one", "two")]
    assert names[0] == names[1]
    one, two = (read(tmp_path / name / HISTORY)["loss_nats"][1] for name in ("one", "two"))
    assert_allclose(one, two, atol=1e-5)
    first, second = (read_arrays(tmp_path / name / WEIGHTS) for name in ("one", "two"))
    for name in first:
        if first[name].dtype.kind == "f":
            assert_allclose(first[name], second[name], atol=2e-4, err_msg=name)
