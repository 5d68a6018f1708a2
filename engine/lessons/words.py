"""Lessons on what a text goes through before a model reads it: preparation, tokens, bags of words."""

from __future__ import annotations

from engine.lessons.base import Lesson

WORDS: tuple[Lesson, ...] = ()
