"""Processes of their own: workers that answer, jobs that outlive who started them, and kill -9 of either
side; notes and states that were written by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from engine.jobs import control, detached, process, status
from engine.jobs.status import BROKEN, FAILED, FINISHED, RUNNING, STOPPED, Status
from engine.jobs.worker import Busy, Ended, Failed, Worker
from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE, STATUS
from engine.training import status as trainings
from tests.conftest import ROOT, together


def test_a_child(tmp_path: Path) -> None:
    with (tmp_path / "errors").open("wb") as errors:
        one = process.start("no_such_module", stderr=errors, session=True)
        assert os.getsid(one.pid) == one.pid != os.getsid(0)
        assert one.wait(60) == 1
    assert "No module named no_such_module" in (tmp_path / "errors").read_text()
    told = (
        "import os; from pathlib import Path; assert os.environ['X'] == 'y' and os.environ['PATH']"
        " and Path('engine', 'jobs', 'process.py').is_file()"
    )
    assert process.start("timeit", "-n1", "-r1", told, env={"X": "y"}).wait(60) == 0


def until(done: Callable[[], object], seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- a worker on a pipe

ECHO = """
import os, time
from engine.jobs.worker import serve
def handle(request, report):
    if request == b"ends": os._exit(3)
    if request == b"full": raise OSError(28, "No space left on device")
    if request == b"fails": raise ValueError("it can't be, in one line\\nand another")
    if request == b"sleeps": time.sleep(60)
    for part in (b"1", b"2"): report(part)
    print("what a library prints goes nowhere")
    return request[::-1] + b" %d %d" % (os.getpid(), os.nice(0))
serve(handle)
"""


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Worker]:
    (tmp_path / "echo_worker.py").write_text(ECHO)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    with Worker("echo_worker", env={"PYTHONPATH": path}) as worker:
        yield worker


def test_a_worker_answers_at_lower_priority_and_stays(echo: Worker) -> None:
    parts: list[bytes] = []
    answer = echo.ask(b"abc", 60, parts.append)
    word, pid, nice = answer.split()
    assert word == b"cba" and parts == [b"1", b"2"] and int(nice) == min(os.nice(0) + 10, 19)
    big = bytes(3_000_000)
    assert echo.ask(big, 60).split()[-2] == pid and echo.process is not None
    assert int(pid) == echo.process.pid


def test_a_worker_that_fails_dies_or_sleeps_is_said_and_replaced(echo: Worker) -> None:
    with pytest.raises(Failed, match=r"^it can't be, in one line$"):
        echo.ask(b"fails", 60)
    with pytest.raises(Failed, match=r"^the disk is full; free some space and try again$"):
        echo.ask(b"full", 60)
    first = echo.process
    with pytest.raises(Ended):
        echo.ask(b"ends", 60)
    assert echo.ask(b"ab", 60).startswith(b"ba ") and echo.process is not first
    with pytest.raises(TimeoutError, match=r"longer than 0\.5 seconds"):
        echo.ask(b"sleeps", 0.5)
    asked = echo.ask_later(b"sleeps", 60)
    with pytest.raises(Busy):
        echo.ask(b"ab", 0.2)
    echo.kill()
    with pytest.raises(Ended):
        asked.result(10)
    assert echo.ask(b"ab", 60).startswith(b"ba ")


def test_what_a_report_raises_ends_the_process(echo: Worker) -> None:
    def report(part: bytes) -> None:
        raise LookupError(part)

    with pytest.raises(LookupError):
        echo.ask(b"ab", 60, report)
    assert echo.process is None and echo.ask(b"ab", 60).startswith(b"ba ")


def starter(folder: Path, module: str, text: str, code: str) -> subprocess.Popen[str]:
    """A process that runs this code, and finds a module of this text."""
    (folder / f"{module}.py").write_text(text)
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_kill_9_of_who_started_it_ends_a_worker(tmp_path: Path) -> None:
    """In the middle of its work, too."""
    code = (
        "import os; from engine.jobs.worker import Worker\n"
        "one = Worker('echo_worker', env={'PYTHONPATH': os.environ['PYTHONPATH']})\n"
        "one.ask_later(b'sleeps', 60); print(one.process.pid, flush=True); input()"
    )
    with starter(tmp_path, "echo_worker", ECHO, code) as one:
        assert one.stdout is not None
        pid = int(one.stdout.readline())
        born = process.born(pid)
        assert process.is_alive(pid, born)
        one.kill()
    until(lambda: not process.is_alive(pid, born))


# --- a job with a folder

WORK = """
import os, sys, time
from pathlib import Path
from engine.jobs import detached
from engine.storage.files import write_bytes
for name in sys.argv[1:]:
    with detached.working(Path(name), memory="too little memory") as tell:
        tell(0.25, "working")
        if Path(name).name == "fails": raise LookupError("there is nothing")
        if Path(name).name == "memory": raise MemoryError
        if Path(name).name == "long": time.sleep(60)
        if Path(name).name == "full":
            def full(_): raise OSError(28, "No space left on device")
            os.fsync = full  # from now on no file can be written
            write_bytes(Path(name) / "result", bytes(9))
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    (tmp_path / "job_work.py").write_text(WORK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def start(*names: str) -> Path:
        folders = [tmp_path / name for name in names]
        for folder in folders:
            folder.mkdir()
        detached.start(folders[0], "job_work", *map(str, folders), others=tuple(folders[1:]))
        return folders[0]

    return start


def state(folder: Path) -> Status:
    found = status.read(folder, Status)
    assert found is not None
    return found


def test_a_detached_job_says_how_far_it_is_and_how_it_ended(work: Callable[..., Path]) -> None:
    folder = work("fine", "fails", "memory")
    assert state(folder).alive
    memory = folder.with_name("memory")
    until(lambda: not state(memory).alive)
    fine, fails = state(folder), state(folder.with_name("fails"))
    assert (fine.state, fine.share, fine.message, fine.error) == (FINISHED, 0.25, "working", "")
    assert (fails.state, fails.error) == (FAILED, "there is nothing")
    assert (state(memory).state, state(memory).error) == (FAILED, "too little memory")
    assert not list(folder.glob(".*"))


def test_a_full_disk_has_room_for_the_last_word(
    work: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = work("full")
    until(lambda: not state(folder).alive)
    assert state(folder).state == FAILED
    assert state(folder).error == "the disk is full; free some space and try again"
    assert [path.name for path in folder.iterdir()] == [status.STATUS]
    with monkeypatch.context() as m:
        m.setattr(status, "put", raises := Raises())
        with pytest.raises(OSError, match="No space"):
            detached.start(tmp_path, "job_work", str(tmp_path / "fine"))
    assert not process.is_alive(raises.status.pid, raises.status.born), "it can't say anything"


class Raises:
    """A disk without room for one more file."""

    status = Status()

    def __call__(self, folder: Path, said: Status) -> None:
        self.status = said
        raise OSError(28, "No space left on device")


def test_a_detached_job_is_stopped_and_kill_9_is_noticed(work: Callable[..., Path]) -> None:
    folder = work("long")
    until(lambda: state(folder).state == RUNNING)
    control.write(folder, control.STOP)
    until(lambda: not state(folder).alive)
    assert state(folder).state == STOPPED
    detached.start(folder, "job_work", str(folder))
    assert state(folder).alive, "what was asked of the one before does not hold"
    until(lambda: state(folder).state == RUNNING)
    os.kill(state(folder).pid, signal.SIGKILL)
    until(lambda: not state(folder).alive)
    assert state(folder).state == BROKEN
    detached.start(folder, "job_work", str(folder))
    until(lambda: state(folder).state == RUNNING)
    detached.kill(folder)
    assert state(folder).state == BROKEN


def test_it_goes_on_when_its_starter_is_gone(tmp_path: Path) -> None:
    (folder := tmp_path / "long").mkdir()
    code = (
        "import os, sys; from pathlib import Path; from engine.jobs import detached\n"
        f"detached.start(Path({str(folder)!r}), 'job_work', {str(folder)!r}); os._exit(9)"
    )
    with starter(tmp_path, "job_work", WORK, code):
        pass
    until(lambda: state(folder).state == RUNNING)
    detached.kill(folder)


def test_seconds_left_are_at_the_pace_of_this_process() -> None:
    assert Status(RUNNING, 50, 200, seconds=30, first=40, first_seconds=20).seconds_left == 150
    assert Status(RUNNING, 40, 200, seconds=30, first=40).seconds_left is None
    assert Status(RUNNING, 3, 2).share == 1 and Status().share == 0


@together(
    "wrong",
    [
        {"config": [1], "corpus": 5, "held_out": "good", "steps": "many", "seconds": None},
        {"corpus": {"name": "a text", "characters": "x"}, "steps": float("nan")},
        {"steps": 10**400, "seconds": float("inf"), "held_out": {"bits_per_char": 10**400}},
    ],
)
def test_what_is_of_the_wrong_kind_in_a_note_counts_as_not_said(wrong: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "odd").mkdir()
        note = {"model": "lstm", "config": {"units": 9}, "title": "T", **wrong}
        (Path(folder) / "odd" / NOTE).write_text(json.dumps(note))
        (run,) = RunStore(Path(folder)).all()
    assert run.title == "T" and isinstance(run.note["config"], dict)
    assert "steps" not in run.note and "seconds" not in run.note
    assert "characters" not in run.note["corpus"] and run.note["held_out"] == {}
    given = wrong.get("corpus")
    assert run.note["corpus"].get("name") == (given["name"] if isinstance(given, dict) else None)


def test_numbers_that_no_training_has_are_nothing(tmp_path: Path) -> None:
    path, told = tmp_path / STATUS, {"loss_nats": float("inf")}
    for wrong in (
        {"total": 10**400},
        {"step": 1e300},
        {"metrics": {"loss_nats": 10**400}},
        {"ahead": float("nan")},
    ):
        trainings.write(tmp_path, trainings.TrainingStatus(trainings.PAUSED, 3, 9, metrics=told))
        assert trainings.read(tmp_path) is not None
        path.write_text(json.dumps({**json.loads(path.read_text()), **wrong}))
        assert trainings.read(tmp_path) is None
