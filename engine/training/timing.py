"""Timing: how long a step of a training takes and how much memory, found by taking the first few, in
a process of its own.

What      seconds of a training = seconds to the first step + steps * median seconds of a step
Differs   Nothing is kept of it.  A text longer than MOST is cut; where its length decides on the
          number of steps, or it is only counted, the result is carried on.  Held-out measurements,
          samples and snapshots come on top.

    python -m engine.training.timing     a worker: {"model", "config", "text", "seed", "long", "start"} -> Probed
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.jobs.worker import Ended, Failed, Report, Worker, serve

MOST = 2_000_000  # characters
FEW = 100_000  # of a training that goes on from a run: the length of its text changes nothing of a step
LONG, LIMIT = 4.0, 120.0  # seconds of steps, and in all


@dataclass(frozen=True, slots=True)
class Probed:
    """`steps` in all, `first` seconds until the first one, `step` seconds of each that follows;
    what the process held at most."""

    steps: int
    first: float
    step: float
    memory_bytes: int

    def seconds(self, steps: int | None = None) -> float:
        return self.first + (self.steps if steps is None else steps) * self.step


class Probe:
    """One on its way.  `state` is None until it is done."""

    def __init__(
        self,
        model: str,
        config: Any,
        text: str,
        seed: int = 0,
        long: float = LONG,
        start: str = "",
    ) -> None:
        """`text` is the id of a corpus; `long`: seconds of steps; `start`: a run that it goes on from."""
        asked = json.dumps(
            {
                "model": model,
                "config": asdict(config),
                "text": text,
                "seed": seed,
                "long": long,
                "start": start,
            }
        )
        self._worker = Worker("engine.training.timing")
        self._answer = self._worker.ask_later(asked.encode(), LIMIT + 15)

    @property
    def state(self) -> Probed | str | None:
        """What was found, or why nothing was, in one sentence."""
        if not self._answer.done():
            return None
        try:
            found = json.loads(self._answer.result())
        except Failed as error:
            return str(error)
        except (TimeoutError, Ended):
            return "one step took too long; choose a smaller model, batch or span"
        finally:
            self._worker.close()
        return Probed(**found)

    def stop(self) -> None:
        self._worker.close()


def run(asked: Mapping[str, Any]) -> Probed:
    """ValueError with a sentence where this can't be trained."""
    import psutil

    from engine.core.registry import models
    from engine.nn.plan import Stepped
    from engine.runs.store import read_config
    from engine.text import collection
    from engine.training import going_on

    began = time.perf_counter()
    whole = collection.find(asked["text"]).text()
    model = models.get(asked["model"])
    config = read_config(model, asked["config"])
    most = FEW if asked["start"] else MOST
    text = whole[: whole.rfind("\n", 0, most) + 1] or whole[:most] if len(whole) > most else whole
    share = len(text) / max(1, len(whole))
    more: Any = {"resume": going_on.open_start(asked["start"]).weights} if asked["start"] else {}
    times, total, last, first = list[float](), 0, time.perf_counter(), 0.0
    for report in model.fit(text, config, seed=int(asked["seed"]), **more):
        now = time.perf_counter()
        total = report.total
        times.append(now - last)
        if len(times) == 1:
            first = now - began
        last = now
        if len(times) > 2 and now - began - first > asked["long"]:
            break
        if len(times) > 1 and now - began > LIMIT / 2:
            break
    memory = psutil.Process().memory_info()
    peak = max(memory.rss, getattr(memory, "peak_wset", 0), _peak())
    if not isinstance(config, Stepped):  # it goes through the text once
        return Probed(total, (first + sum(times[1:])) / share, 0.0, peak)
    return Probed(
        total if config.steps else round(total / share),  # 0: as many as the text is long
        first,
        statistics.median(times[1:] or times),
        peak,
    )


def _peak() -> int:
    """The most bytes that this process has held, where the system says so.

    Not `ru_maxrss` on Linux: there it begins with what the process that started this one held.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def answer(request: bytes, report: Report) -> bytes:
    return json.dumps(asdict(run(json.loads(request)))).encode()


if __name__ == "__main__":
    serve(answer)
