"""What a new training is asked for: settings as controls, a field of its config each, with its range and its
sentence; name, seed, samples and snapshots; and what a link brings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any, get_type_hints

import streamlit as st

from engine.cli import settings
from engine.cli.console import Wrong
from engine.core import registry
from engine.core.registry import models
from engine.language.message import _
from engine.live.markdown import escape
from engine.models.abilities import Knows
from engine.training import settings_in_address
from engine.training.job import Job
from pages.ui import texts
from pages.ui.language import labelled, told

PROMPTS = 3
LONGEST = 200  # characters of a prompt
SHARE = 0.8  # of the computer's memory
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
    known = (*GROUPS, "tuning")  # the last is drawn where a training goes on from a run
    return found if found in known else "training" if one.name in TRAINING else "model"


def choices(one: Field[Any]) -> list[Any]:
    """What a setting may be: said by its field, listed in its sentence behind a colon, or a
    registry; none: any words."""
    said = one.metadata.get("choices") or REGISTRIES.get(one.name)
    if isinstance(said, str):
        return list(getattr(registry, said).ids())
    if said:
        return list(said)
    __, colon, listed = str(one.metadata.get("says", "")).rpartition(": ")
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


def draw_settings(
    config_type: type, key: str, groups: Mapping[str, str] = GROUPS
) -> dict[str, Any]:
    """Draw the controls of these groups; returns their values by name.  They stay when the reader goes to another
    page and comes back."""
    kept: dict[str, Any] = st.session_state.setdefault(f"{key}.kept", {})
    given: dict[str, Any] = st.session_state.get(f"{key}.given", {})
    hints = get_type_hints(config_type)
    every = [one for one in fields(config_type) if one.init and one.default is not MISSING]
    values: dict[str, Any] = {}
    for name, title in groups.items():
        mine = sorted(
            (one for one in every if group(one) == name),
            key=lambda one: TRAINING.index(one.name) if one.name in TRAINING else len(TRAINING),
        )
        if not mine:
            continue
        with (
            st.container(key=f"settings-{name}"),  # a link can name it, whatever the model
            st.expander(
                f"{told(title)}: {len(mine)}", key=f"{key}.{name}", expanded=name == "tuning"
            ),
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


def find_changed(config_type: type, values: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(name, value, default) of what differs."""
    return [
        (one.name, values[one.name], one.default)
        for one in fields(config_type)
        if one.name in values and values[one.name] != one.default
    ]


def pairs(config_type: type, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The same as "key=value", as the command takes it."""
    return tuple(
        f"{name}={settings_in_address.written(value)}"
        for name, value, __ in find_changed(config_type, values)
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
    named = told(str(one.metadata.get("label", one.name.replace("_", " "))))
    label = f"● {named}" if other else named
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
        found = st.select_slider(label, marks, key=key, format_func=write_value)
    elif kind is float:
        wide = most - least if least is not None and most is not None else 1.0
        step = 0.01 if wide <= 1 else 0.5 if wide <= 20 else 1.0
        found = st.number_input(label, least, most, step=step, format="%g", key=key)
    else:
        found = st.text_input(label, key=key, max_chars=300)
    says = _sentence(told(str(one.metadata.get("says", ""))))
    if kind in (int, float) and bounded:
        says += told(" From {least} to {most}.", least=write_value(least), most=write_value(most))
    st.caption(
        says + (told(" **Default: {default}.**", default=write_value(default)) if other else "")
    )
    return default if found is None else found


def _among(label: str, known: Sequence[str], key: str, default: str) -> str:
    if st.session_state[key] not in known:
        st.session_state[key] = default if default in known else known[0]
    return str(st.selectbox(label, known, key=key, **labelled()))


def _sentence(says: str) -> str:
    """As Markdown shows it, sign for sign."""
    plain = re.sub(r"([\\*_\[\]<>~$:])", r"\\\1", says)
    return f"{plain[:1].upper()}{plain[1:]}." if plain else ""


def write_value(value: Any) -> str:
    """As a person reads it: no exponents."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "on" if value is True else "off" if value is False else str(value) or "empty"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.12f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def writes(model: str, kind: str) -> bool:
    """Whether samples can be drawn from it while it learns."""
    made = models.get(model)
    return kind == "text" and made.foretells and made.stepwise and not issubclass(made, Knows)


@st.cache_data(max_entries=32, show_spinner=False)
def beginnings(text: str) -> str:
    """The first words of some passages, one a line."""
    try:
        pieces = texts.stretches(text, 2, 200)
    except (LookupError, ValueError):
        return ""
    starts = [" ".join(piece.split()[:3]) for piece in pieces]
    return "\n".join(start[:60] for start in dict.fromkeys(starts) if start)


def ask_for_job(model: str, text: str, kind: str, label: str) -> tuple[str, Job]:
    """Draw the controls; returns the name, and the training with all but its settings."""
    prompts, learns = "", models.get(model).stepwise
    title = _("{title} on {label}", title=_(models.get(model).card.title), label=_(label))
    with st.expander(told("Name, seed, samples and snapshots"), key="training.keep"):
        left, right = st.columns(2)
        name = left.text_input(
            told("Name"),
            key="training.name",
            persist_state="session",
            max_chars=80,
            placeholder=told(title),
        )
        if writes(model, kind):
            if st.session_state.get("training.prompts.of") != text:
                st.session_state["training.prompts.of"] = text
                st.session_state["training.prompts"] = beginnings(text)
            prompts = right.text_area(
                told("Prompts, one a line, {prompts} at most", prompts=PROMPTS),
                key="training.prompts",
                persist_state="session",
                height=90,
                max_chars=PROMPTS * LONGEST,
                help=told(
                    "During training, the model continues each of them, so you can see it improve."
                ),
            )
        a, b, c, d = (partial(box.number_input, persist_state="session") for box in st.columns(4))
        seed = a(
            told("Seed"),
            0,
            2**31 - 1,
            0,
            key="training.seed",
            help=told(
                "For all random numbers. The same seed, text and settings give the same model."
            ),
        )
        snapshots = b(
            told("About how many snapshots"),
            0,
            200,
            24,
            key="training.snapshots",
            disabled=not learns,
            help=told(
                "How many steps of the training are kept, most of them early; steps that fall"
                " together are kept once. Lessons can go back to each."
            ),
        )
        probes = c(
            told("About how many probes"),
            0,
            100,
            12,
            key="training.probes",
            disabled=not learns,
            help=told(
                "How often samples are written and histograms of weights and activations are made."
            ),
        )
        memory = d(
            told("Memory limit, GB"),
            0.0,
            10_000.0,
            _memory(),
            1.0,
            key="training.memory",
            format="%g",
            help=told(
                "Above this limit the training stops with a message, before the computer runs"
                " out of memory. 0: no limit."
            ),
        )
        words = "Write event files for TensorBoard too"
        tensorboard = st.toggle(told(words), key="training.tensorboard", persist_state="session")
        st.caption(
            told(
                "Everyone who uses Unrolled on this computer can see its training runs, with names,"
                " prompts and samples."
            )
        )
    said = tuple(line.strip()[:LONGEST] for line in prompts.split("\n") if line.strip())[:PROMPTS]
    return name.strip(), Job(
        model,
        (text,),
        title=name.strip() or title,
        seed=int(seed or 0),
        snapshots=int(snapshots or 0) if learns else 0,
        probes=int(probes or 0) if learns else 0,
        prompts=said,
        memory=float(memory or 0),
        tensorboard=tensorboard,
        queue=True,
    )


@st.cache_resource(show_spinner=False)
def _memory() -> float:
    from engine.training.estimate import whole_memory

    return max(1.0, float(round(SHARE * whole_memory() / 1e9)))


KINDS = {
    "text": "plain texts",
    "labelled": "labelled texts, one a line",
    "parallel": "lines with translations",
    "tagged": "tagged words",
}
TAKEN = "training.linked"  # what of the address this session has taken into the form, or written


def _address() -> tuple[str, str]:
    return st.query_params.get("model", ""), st.query_params.get(settings_in_address.ASKED, "")


def waits() -> bool:
    """Whether the address asks for settings that the form has not taken yet."""
    return bool(_address()[1]) and _address() != st.session_state.get(TAKEN)


def arrive() -> None:
    """Let the model and the text that stand beside new settings be chosen too."""
    if waits():
        if "model" in st.query_params:
            for key in ("training.model", "training.model.kept"):
                st.session_state.pop(key, None)
        if "corpus" in st.query_params:
            for kind in KINDS:
                st.session_state.pop(f"training.text.{kind}", None)


def linked(model: str) -> dict[str, object] | None:
    """The settings that a link asks for, once; what can't be is left out, and said."""
    if not waits():
        return None
    st.session_state[TAKEN] = _address()
    found: dict[str, object] = {}
    for pair in settings_in_address.split_settings(st.query_params[settings_in_address.ASKED]):
        try:
            found |= settings.values(models.get(model), [pair])
        except Wrong as problem:
            said = str(problem).removeprefix("--set ")
            st.warning(told("A setting of the link was left out: {said}.", said=escape(said[:300])))
    return found


def take_link(model: str, key: str) -> None:
    """Everything at its default but what the link asks for."""
    if (found := linked(model)) is not None:
        reset(key)
        set_to(key, found)


def note(model: str, changed: Mapping[str, object]) -> None:
    """Write what differs from the defaults into the address."""
    said = settings_in_address.join_settings(changed)
    if said and len(said) <= settings_in_address.MOST:
        for name, value in (("model", model), (settings_in_address.ASKED, said)):
            if st.query_params.get(name) != value:
                st.query_params[name] = value
    else:
        forget()
    st.session_state[TAKEN] = _address()


def forget() -> None:
    """The address says no more of the form."""
    if settings_in_address.ASKED in st.query_params:
        del st.query_params[settings_in_address.ASKED]
