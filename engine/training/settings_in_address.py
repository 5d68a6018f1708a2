"""Settings of a training in the address, `set=optimiser:sgd,rate:0.5`: as a link to the training room writes them
(pages/ui/onward.py), and as the room reads them (pages/ui/training_form.py)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

ASKED = "set"
MOST = 900  # characters
NEXT = re.compile(r",(?=[a-z_]+:)")  # the value of a setting may hold commas, but no name behind


def written(value: Any) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def join_settings(settings: Mapping[str, Any]) -> str:
    return ",".join(f"{name}:{written(value)}" for name, value in settings.items())


def split_settings(asked: str) -> list[str]:
    """The same as "name=value", as `--set` takes them; what has no colon stays as it is."""
    return [one.strip().replace(":", "=", 1) for one in NEXT.split(asked[:MOST]) if one.strip()]
