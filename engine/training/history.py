"""History: the numbers of each step of a training, in a file that grows while it goes on.

step,metric,value
1,loss_nats,8.31
"""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from engine.storage.files import write_bytes
from engine.storage.run_folder import PACE

HEAD = "step,metric,value\n"
Curve = tuple[np.ndarray, np.ndarray]  # steps, values


class History:
    """Rows are kept until `flush`.  What the file says of steps after `last` is dropped: they will
    be taken again."""

    def __init__(self, path: Path, last: int = 0) -> None:
        self._path, self._rows = path, list[str]()
        kept = (
            [
                f"{step},{name},{value}"
                for step, name, value in parse_lines(_text(path))
                if int(step) <= last
            ]
            if last
            else []
        )
        write_bytes(path, (HEAD + "".join(f"{row}\n" for row in kept)).encode())

    def add(self, step: int, metrics: Mapping[str, float]) -> None:
        self._rows += [f"{step},{name},{value:.6g}" for name, value in metrics.items()]

    def flush(self) -> None:
        if self._rows:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{row}\n" for row in self._rows))
            self._rows.clear()


def read(path: Path) -> dict[str, Curve]:
    """Per metric the steps (S,) int64 and the values (S,) float64, in order; a line that is not
    whole yet is left out."""
    return Tail(path).read()


def pace(folder: Path) -> Curve:
    """Steps and the seconds of training that had passed by then, both (S,) float64, as they were
    noted about once a second; none where they were not."""
    pairs = [line.partition(",") for line in _text(folder / PACE).splitlines()]
    sound = [
        (step, seconds)
        for step, _, seconds in pairs
        if step.isdecimal() and seconds.replace(".", "", 1).isdecimal()
    ]
    steps, passed = np.array(sound, float).reshape(-1, 2).T
    return steps, passed


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text[: text.rfind("\n") + 1]  # the last line may be in the middle of being written


def parse_lines(text: str) -> Iterator[tuple[str, str, str]]:
    """(step, metric, value) of every line that is sound."""
    for line in text.splitlines():
        step, _, rest = line.partition(",")
        name, _, value = rest.rpartition(",")
        if name and step.isdecimal() and len(step) < 16 and _number(value):
            yield step, name, value


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Tail:
    """The numbers of a file that grows: `read` parses only what was added since the last time."""

    def __init__(self, path: Path) -> None:
        self._path, self._file, self._at, self._lock = path, 0, 0, threading.Lock()
        self._found: dict[str, tuple[array[int], array[float]]] = {}

    def read(self) -> dict[str, Curve]:
        """As `read` of the whole file."""
        with self._lock:
            return self._read()

    def _read(self) -> dict[str, Curve]:
        try:
            with self._path.open("rb") as file:
                now = os.fstat(file.fileno())
                # written anew: a training that goes on from its checkpoint
                if now.st_ino != self._file or now.st_size < self._at:
                    self._found.clear()
                    self._file, self._at = now.st_ino, 0
                file.seek(self._at)
                added = file.read()
        except OSError:
            return {}
        # the last line may be in the middle of being written
        whole = added[: added.rfind(b"\n") + 1]
        self._at += len(whole)
        for step, name, value in parse_lines(whole.decode("utf-8", "replace")):
            steps, values = self._found.setdefault(name, (array("q"), array("d")))
            steps.append(int(step))
            values.append(float(value))
        return {
            name: (np.array(steps, np.int64), np.array(values))
            for name, (steps, values) in self._found.items()
        }


def thin(curve: Curve, most: int = 400) -> Curve:
    """At most so many points: the lowest and the highest of each stretch, so that no spike is lost;
    a number that is none stays."""
    steps, values = curve
    if len(steps) <= most:
        return curve
    kept = {0, len(steps) - 1}
    for part in np.array_split(np.arange(len(steps)), max(1, most // 2 - 1)):
        some = values[part]
        sound = np.isfinite(some)
        if sound.any():
            kept |= {
                int(part[np.where(sound, some, np.inf).argmin()]),
                int(part[np.where(sound, some, -np.inf).argmax()]),
            }
    odd = np.flatnonzero(~np.isfinite(values))[:10].tolist()
    at = np.array(sorted(kept | set(odd)))
    return steps[at], values[at]


def shorten(path: Path, most: int = 400) -> None:
    """`thin` every curve of a file; one that is short enough is left as it is."""
    curves = read(path)
    if all(len(steps) <= most for steps, _ in curves.values()):
        return
    kept = [
        (int(step), name, value)
        for name, curve in curves.items()
        for step, value in zip(*thin(curve, most), strict=True)
    ]
    kept.sort(key=lambda row: row[0])
    write_bytes(
        path,
        (HEAD + "".join(f"{step},{name},{value:.6g}\n" for step, name, value in kept)).encode(),
    )


def smooth(curve: Curve, share: float = 0.02) -> Curve:
    """The mean of each number and those around it, a share of all of them wide."""
    steps, values = curve
    wide = max(1, int(len(values) * share) // 2)
    sound = np.isfinite(values)
    total = np.concatenate([[0.0], np.cumsum(np.where(sound, values, 0.0))])
    count = np.concatenate([[0], np.cumsum(sound)])
    low, high = (
        np.clip(np.arange(len(values)) - wide, 0, None),
        np.clip(np.arange(len(values)) + wide + 1, None, len(values)),
    )
    number = count[high] - count[low]
    return steps, np.where(number > 0, (total[high] - total[low]) / np.maximum(number, 1), np.nan)
