"""Queue: so many trainings at a time on one computer; the others wait in the order in which they
came.

What      Each training that waits or runs has a ticket, a file named after when it came; those with
          the first LIMIT tickets of living processes run
Differs   There is no process that hands out turns: a ticket of a process that was killed simply
          counts no longer, so nothing has to be put right after a crash.  Tickets are drawn one at
          a time: whoever has one sees all that are older, and two never take the same turn.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from msgspec import Struct

from engine.jobs import process
from engine.storage import record

POLL = 0.5


class Ticket(Struct, frozen=True):
    """The process that waits or trains, by its number and when it began."""

    pid: int
    born: float


def limit() -> int:
    """Trainings at a time: UNROLLED_TRAININGS, else one for two processors."""
    asked = os.environ.get("UNROLLED_TRAININGS", "")
    return max(1, int(asked) if asked.isdecimal() else (os.cpu_count() or 1) // 2)


@contextmanager
def wait_turn(line: Path, wait: Callable[[int], bool]) -> Iterator[bool]:
    """Stand in the queue that is kept in the folder `line`; the block begins when it is this
    process's turn.

    wait  is told every half second how many have their turn before it; False when nobody wants to
          wait any longer,
          and then the block gets False
    """
    ticket = _draw(line)
    try:
        goes = True
        while goes and (ahead := _before(ticket) - limit() + 1) > 0:
            goes = wait(ahead)
            time.sleep(POLL if goes else 0)
        yield goes
    finally:
        ticket.unlink(missing_ok=True)


def _draw(line: Path) -> Path:
    """A ticket behind all that are there, also where the clock was put back meanwhile."""
    line.mkdir(parents=True, exist_ok=True)
    pid, born = process.name_own()
    with FileLock(line.with_suffix(".lock")):
        last = max((other.name.partition("-")[0] for other in line.glob("*-*.json")), default="")
        number = max(time.time_ns(), int(last) + 1 if last.isdecimal() else 0)
        ticket = line / f"{number:020d}-{pid}.json"
        record.save(ticket, Ticket(pid, born))
    return ticket


def _before(ticket: Path) -> int:
    """Living tickets that are older; those of dead processes are thrown away."""
    count = 0
    for other in sorted(ticket.parent.glob("*.json")):
        if other.name >= ticket.name:
            break
        try:
            holder = record.read(other, Ticket)
            alive = process.is_alive(holder.pid, holder.born)
        except (OSError, ValueError):
            alive = False
        if alive:
            count += 1
        else:
            other.unlink(missing_ok=True)
    return count
