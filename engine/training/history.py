"""History: the numbers of each step of a training, in a file that grows while it goes on.

    step,metric,value
    1,loss_nats,8.31
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.arrays import write_bytes

HEAD = "step,metric,value\n"
Curve = tuple[np.ndarray, np.ndarray]  # steps, values


class History:
    """Rows are kept until `flush`.  What the file says of steps after `last` is dropped: they will be taken again."""

    def __init__(self, path: Path, last: int = 0) -> None:
        self._path, self._rows = path, list[str]()
        kept = [f"{step},{name},{value}" for step, name, value in _rows(path) if int(step) <= last] if last else []
        write_bytes(path, (HEAD + "".join(f"{row}\n" for row in kept)).encode())

    def add(self, step: int, metrics: Mapping[str, float]) -> None:
        self._rows += [f"{step},{name},{value:.6g}" for name, value in metrics.items()]

    def flush(self) -> None:
        if self._rows:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{row}\n" for row in self._rows))
            self._rows.clear()


def read(path: Path) -> dict[str, Curve]:
    """Per metric the steps (S,) int64 and the values (S,) float64, in order; a line that is not whole yet is left out."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for step, name, value in _rows(path):
        steps, values = found.setdefault(name, ([], []))
        steps.append(int(step))
        values.append(float(value))
    return {name: (np.array(steps, np.int64), np.array(values)) for name, (steps, values) in found.items()}


def _rows(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    rows = csv.reader(text[: text.rfind("\n") + 1].splitlines()[1:])  # the last line may be in the middle of being written
    return [row for row in rows if len(row) == 3 and row[0].isdecimal() and _number(row[2])]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
