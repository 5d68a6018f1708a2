"""Apart: a map that takes long, drawn in a process of its own, so that nobody's typing waits for it.

What      request and answer are .npz files in memory: {"points", "dims", "kind"} -> {"places" (F, V, K) of
          the frames, "steps" (F,), "last" (V, K)}
Shapes    V = points, K = dimensions of the map, F = frames
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from engine.analysis.projection.base import Given, Projection, Watch
from engine.analysis.projection.between import Between
from engine.core.registry import projections
from engine.jobs.worker import Failed, Report, Worker, serve

SECONDS = 600.0


def draw(id: str, given: Given, dims: int, watch: Watch) -> Projection:
    """As `Projection.drawn`; `watch` is told when all is done."""
    asked = {"points": given["points"], "dims": np.array(dims), "kind": np.array(id)}
    try:
        with Worker("engine.analysis.projection.apart") as worker:
            found = _read(worker.ask(_write(asked), SECONDS))
    except Failed as problem:
        raise ValueError(str(problem)) from problem
    for step, place_VK in zip(found["steps"], found["places"], strict=True):
        watch(int(step), place_VK)
    kind = projections.get(id)
    assert issubclass(kind, Between)  # one with a formula takes no time
    return kind.placed(given["points"], found["last"])


def answer(request: bytes, report: Report) -> bytes:
    asked, steps, places = _read(request), list[int](), list[np.ndarray]()

    def watch(step: int, place_VK: np.ndarray) -> None:
        steps.append(step)
        places.append(place_VK.astype(np.float32))

    made = projections.get(str(asked["kind"])).drawn(
        {"points": asked["points"]}, int(asked["dims"]), watch
    )
    last = made.map.positions
    frames = np.stack(places) if places else np.zeros((0, *last.shape), np.float32)
    return _write({"steps": np.array(steps, int), "places": frames, "last": last})


def _write(arrays: Mapping[str, np.ndarray]) -> bytes:
    into = io.BytesIO()
    np.savez(into, **arrays)  # type: ignore[arg-type]
    return into.getvalue()


def _read(raw: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(raw), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


if __name__ == "__main__":
    serve(answer)
