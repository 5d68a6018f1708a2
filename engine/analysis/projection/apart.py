"""Apart: a map that takes long, drawn in a process of its own, so that nobody's typing waits for it.

What      request and answer are .npz files in memory: {"points", "kind"} -> {"places" (V, K)}
Shapes    V = points, K = dimensions of the map
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from engine.analysis.projection.base import Given, Projection
from engine.analysis.projection.between import Between
from engine.core.registry import projections
from engine.jobs.worker import Failed, Report, Worker, serve

SECONDS = 600.0


def draw(id: str, given: Given) -> Projection:
    """As `Projection.drawn`."""
    asked = {"points": given["points"], "kind": np.array(id)}
    try:
        with Worker("engine.analysis.projection.apart") as worker:
            found = _read(worker.ask(_write(asked), SECONDS))
    except Failed as problem:
        raise ValueError(str(problem)) from problem
    kind = projections.get(id)
    assert issubclass(kind, Between)  # one with a formula takes no time
    return kind.placed(given["points"], found["places"])


def answer(request: bytes, report: Report) -> bytes:
    asked = _read(request)
    made = projections.get(str(asked["kind"])).drawn({"points": asked["points"]})
    return _write({"places": made.map.positions})


def _write(arrays: Mapping[str, np.ndarray]) -> bytes:
    into = io.BytesIO()
    np.savez(into, **arrays)  # type: ignore[arg-type]
    return into.getvalue()


def _read(raw: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(raw), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


if __name__ == "__main__":
    serve(answer)
