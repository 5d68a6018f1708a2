"""Parts."""

from __future__ import annotations

from engine.lessons.series.head import HEAD

PARTS = ()
__all__ = ["HEAD", "PARTS"]
