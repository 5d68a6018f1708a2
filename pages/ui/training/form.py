"""Form: a config dataclass as controls, a field each, with its range and its sentence; what differs
from the default is marked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

import streamlit as st

from engine.core import registry
from pages.ui import train

GROUPS = {"model": "Model settings", "training": "Training settings"}
TRAINING = (
    "steps",
    "epochs",
    "batch",
    "span",
    "rate",
    "mixed",
    "dropout",
    "recurrent_dropout",
    "unknown",
    "sample",
    "negatives",
    "x_max",
)
REGISTRIES = {"cell": "cells"}  # settings that take whatever there is
COLUMNS = 3
WIDE = 50  # times that the largest number is the smallest, from which on a scale is logarithmic


def group(one: Field[Any]) -> str:
    found = str(one.metadata.get("group", ""))
    return found if found in GROUPS else "training" if one.name in TRAINING else "model"


def choices(one: Field[Any]) -> list[Any]:
    """What a setting may be: said by its field, listed in its sentence behind a colon, or a
    registry; none: any words."""
    said = one.metadata.get("choices") or REGISTRIES.get(one.name)
    if isinstance(said, str):
        return list(getattr(registry, said).ids())
    if said:
        return list(said)
    _, colon, listed = str(one.metadata.get("says", "")).rpartition(": ")
    parts = re.split(r"(?:, | or )(?![^(]*\))", listed) if colon else []
    found = [re.sub(r"\s*\(.*?\)", "", part).strip() for part in parts]
    if one.default not in found:
        return []
    return [word for word in found if re.fullmatch(r"[a-z0-9_-]+", word)]


def scale(least: float, most: float, default: float, given: float | None = None) -> list[float]:
    """1, 2 and 5 times the powers of ten between two numbers; with them the two, the default and
    one that is given."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    marks = {float(f"{k}e{e}") for e in powers for k in (1, 2, 5)}
    return sorted(
        {m for m in marks if least <= m <= most} | {least, most, default, given or default}
    )


def show(config_type: type, key: str) -> dict[str, Any]:
    """Draw the controls; returns all values by name.  They stay when the reader goes to another
    page and comes back."""
    kept: dict[str, Any] = st.session_state.setdefault(f"{key}.kept", {})
    given: dict[str, Any] = st.session_state.get(f"{key}.given", {})
    hints = get_type_hints(config_type)
    every = [one for one in fields(config_type) if one.init and one.default is not MISSING]
    values: dict[str, Any] = {}
    for name, title in GROUPS.items():
        mine = sorted(
            (one for one in every if group(one) == name),
            key=lambda one: TRAINING.index(one.name) if one.name in TRAINING else len(TRAINING),
        )
        if not mine:
            continue
        with (
            st.container(key=f"settings-{name}"),  # a link can name it, whatever the model
            st.expander(f"{title}: {len(mine)}", key=f"{key}.{name}"),
        ):
            for row in range(0, len(mine), COLUMNS):
                for one, box in zip(mine[row : row + COLUMNS], st.columns(COLUMNS), strict=False):
                    now = kept.get(one.name, one.default)
                    with box:
                        own = f"{key}.{one.name}"
                        values[one.name] = _one(one, hints[one.name], own, now, given)
    kept.update(values)
    return values


def set_to(key: str, values: Mapping[str, Any]) -> None:
    """Choose these from the next run of the page on."""
    for held in ("kept", "given"):
        st.session_state.setdefault(f"{key}.{held}", {}).update(values)
    for name in values:
        st.session_state.pop(f"{key}.{name}", None)


def reset(key: str) -> None:
    """Everything as it was at first."""
    st.session_state.pop(f"{key}.given", None)
    for name in st.session_state.pop(f"{key}.kept", {}):
        st.session_state.pop(f"{key}.{name}", None)


def changed(config_type: type, values: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(name, value, default) of what differs."""
    return [
        (one.name, values[one.name], one.default)
        for one in fields(config_type)
        if one.name in values and values[one.name] != one.default
    ]


def pairs(config_type: type, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The same as "key=value", as the command takes it."""
    return tuple(
        f"{name}={train.written(value)}" for name, value, _ in changed(config_type, values)
    )


def _one(one: Field[Any], kind: Any, key: str, now: Any, given: Mapping[str, Any]) -> Any:
    """One control.  Its label says what it is and, where it was changed, what it was.

    given  values that were set from elsewhere, which a scale has a mark for
    """
    default: Any = one.default
    least, most = one.metadata.get("min"), one.metadata.get("max")
    bounded = least is not None and most is not None
    other = st.session_state.setdefault(key, now) != default
    # plain: screen readers read it as it is
    label = f"● {_named(one.name)}" if other else _named(one.name)
    known = choices(one) if kind in (str, int) else []
    if kind is bool:
        found: Any = st.toggle(label, key=key)
    elif known and kind is int:
        found = st.select_slider(label, known, key=key)
    elif known:
        found = _among(label, known, key, default)
    elif kind is int:
        step = max(1, 10 ** (len(str(abs(int(default)))) - 2))
        found = st.number_input(label, least, most, step=step, key=key)
    elif kind is float and least and most and most / least >= WIDE:
        marks = scale(float(least), float(most), float(default), given.get(one.name))
        st.session_state[key] = min(
            marks, key=lambda mark: abs(mark - float(st.session_state[key]))
        )
        found = st.select_slider(label, marks, key=key, format_func=shown)
    elif kind is float:
        wide = most - least if least is not None and most is not None else 1.0
        step = 0.01 if wide <= 1 else 0.5 if wide <= 20 else 1.0
        found = st.number_input(label, least, most, step=step, format="%g", key=key)
    else:
        found = st.text_input(label, key=key, max_chars=300)
    says = _sentence(str(one.metadata.get("says", "")))
    if kind in (int, float) and bounded:
        says += f" From {shown(least)} to {shown(most)}."
    st.caption(says + (f" **Default: {shown(default)}.**" if other else ""))
    return default if found is None else found


def _among(label: str, known: Sequence[str], key: str, default: str) -> str:
    if st.session_state[key] not in known:
        st.session_state[key] = default if default in known else known[0]
    return str(st.selectbox(label, known, key=key))


def _named(name: str) -> str:
    return name.replace("_", " ")


def _sentence(says: str) -> str:
    """As Markdown shows it, sign for sign."""
    plain = re.sub(r"([\\*_\[\]<>~$:])", r"\\\1", says)
    return f"{plain[:1].upper()}{plain[1:]}." if plain else ""


def shown(value: Any) -> str:
    """As a person reads it: no exponents."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "on" if value is True else "off" if value is False else str(value) or "empty"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.12f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")
