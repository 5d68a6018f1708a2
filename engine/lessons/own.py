"""Pages on a reader's own material: texts, training, trained runs, comparisons."""

from __future__ import annotations

from engine.lessons.base import Lesson

OWN: tuple[Lesson, ...] = ()
