"""What a model does with the sentences of engine/course/stories.py: measured, not told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.models.abilities import Labels

if TYPE_CHECKING:
    from engine.course.stories import Opinion


def preferred(model: Labels, story: Opinion) -> tuple[float, float]:
    """P(positive) of the text and of the other, 0 to 1."""
    return _positive(model, story.text), _positive(model, story.other)


def _positive(model: Labels, text: str) -> float:
    says = model.trace(text, fields=("label",)).field("label")
    return float(says.values[-1, model.names.index("positive")])
