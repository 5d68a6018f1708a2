"""Limits: what each person may take of a server that several use; one person alone has none.

UNROLLED_PERSON_MB         of the disk, for texts, models and trainings together; 4,000
UNROLLED_PERSON_TRAININGS  that wait or run at a time; 2
"""

from __future__ import annotations

import contextlib
import os

from engine.language.message import refusal
from engine.storage.home import home, person

MB = "UNROLLED_PERSON_MB", 4000.0
TRAININGS = "UNROLLED_PERSON_TRAININGS", 2.0


def most_bytes() -> int:
    return int(1e6 * _set(*MB))


def used_bytes() -> int:
    """What lies in this person's space now."""
    total, left = 0, [str(home())]
    while left:
        with contextlib.suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # gone meanwhile
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total


def check_room(more_bytes: int = 0) -> None:
    """ValueError with one sentence where so much more would be too much."""
    if person() is None:
        return
    used, most = used_bytes(), most_bytes()
    if used + more_bytes > most:
        raise refusal(
            "your space on this server has {most:,.0f} MB, and {used:,.0f} of them are used;"
            " delete a text, a run or a training first",
            most=most / 1000000.0,
            used=used / 1000000.0,
        )


def check_trainings(going: int) -> None:
    """ValueError with one sentence where no more than those that are going on may be started."""
    if person() is not None and going >= int(_set(*TRAININGS)):
        raise refusal(
            "{going} of your trainings wait or run, and on this server each person has {most} at a"
            " time; wait until one has ended, or stop one",
            most=int(_set(*TRAININGS)),
        )


def _set(name: str, usual: float) -> float:
    try:
        found = float(os.environ.get(name, usual))
    except ValueError:
        return usual
    return found if 0 <= found < 1e12 else usual
