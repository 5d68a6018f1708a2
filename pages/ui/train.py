"""A link from a lesson to the training room: which model, on which text, with which settings.

The settings stand in the address as `set=optimiser:sgd,rate:0.5`; the room's side of it is
pages/ui/training_form.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.language import told

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


def link(
    settings: Mapping[str, Any],
    model: str = "lstm",
    text: str = "",
    label: str = "Train with this",
    where: Any = st,
    start: str = "",
) -> None:
    """Opens the training room with these settings in its form; nothing starts by itself.

    settings  by the names of the model's config; what is not named is at its default there
    text      id of a text; empty: the one that the room holds
    start     id of a run that it goes on from
    """
    asked = {"model": model, **({"corpus": text} if text else {}), ASKED: join_settings(settings)}
    asked |= {"start": start} if start else {}
    where.page_link(
        "pages/610_training.py",
        label=told(label),
        icon=":material/fitness_center:",
        query_params=asked,
    )
