"""Rooms: where each lesson stands.  A file `<id>.py` in engine/lessons/ that defines LESSON, or a folder `<id>/`
whose `__init__.py` does, is a lesson everywhere: menu, course map, search, its page.

What      LESSON  its words
          PARTS   what stands below its live pictures; of a folder, in `parts.py`
          LIVE    its live pictures: declared, or a function that makes the stage of the runs and
                  of what is chosen in the head, or of neither; of a folder, in `live.py`
          HEAD    what is chosen in the head of its page, and shared with other lessons; of a folder,
                  in `head.py`
          SHOWN   which runs its page shows, where that is not one that is picked; of a folder, in
                  `shown.py`
          LISTS of lessons import LESSON alone, so a file that is no folder imports torch, pandas and
          the like where it needs them
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from engine import ROOT
from engine.course.base import Lesson
from engine.language.message import refusal

if TYPE_CHECKING:
    from engine.frame.part import Asking, Compared, Head, Part

FOLDER = ROOT / "engine" / "lessons"


@cache
def lessons() -> tuple[Lesson, ...]:
    """In the order of the names of their pages."""
    found = [_made(id) for id in _ids()]
    return tuple(sorted(found, key=lambda lesson: lesson.page))


def parts(id: str) -> tuple[Part, ...]:
    """Those of a lesson; none where it has none."""
    return tuple(_of(id, "PARTS", ()))


def live(id: str) -> Any:
    """The live pictures of a lesson; None where it has none."""
    return _of(id, "LIVE", None)


def head(id: str) -> Head | None:
    """What is chosen in the head of the page of a lesson; None where nothing is."""
    found: Head | None = _of(id, "HEAD", None)
    return found


def find_shown(id: str) -> Asking | Compared | None:
    """Of the page of a lesson; None where one run is picked, or none is shown."""
    found: Asking | Compared | None = _of(id, "SHOWN", None)
    return found


def _ids() -> list[str]:
    return sorted(
        path.parent.name if path.name == "__init__.py" else path.stem
        for path in (*FOLDER.glob("*.py"), *FOLDER.glob("*/__init__.py"))
        if re.search(r"^LESSON\b.*?=", path.read_text(encoding="utf-8"), re.MULTILINE)
    )


def _made(id: str) -> Lesson:
    found: Lesson = importlib.import_module(f"engine.lessons.{id}").LESSON
    if found.id != id:
        raise refusal("engine/lessons/{id}: {found.id}")
    return found


def _of(id: str, constant: str, missing: Any) -> Any:
    """A constant of a room: of its file, or of the file of that name in its folder."""
    room = importlib.import_module(f"engine.lessons.{id}")
    if (found := getattr(room, constant, None)) is not None:
        return found
    name = constant.lower()
    if not (FOLDER / id / f"{name}.py").is_file():
        return missing
    return getattr(importlib.import_module(f"engine.lessons.{id}.{name}"), constant)
