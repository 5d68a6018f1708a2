"""Setting: a field of a frozen dataclass that a person can choose, with what forms, `--set` and help
say of it."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(default: Any, says: str, **more: Any) -> Any:
    """
    says     what it is, in the words of the reader; behind a colon, what there is to choose
    label    what forms call it, where that is not its name with blanks
    min, max the smallest and the largest number
    choices  some values, or the name of a registry
    group    where it stands in the form
    later    it was added when there were recipes already, see engine/nn/plan.py
    before   what those before it did, where that is not the default
    """
    return field(default=default, metadata={"says": says, **more})
