"""`--set key=value` becomes a config: types and ranges come from the config's own fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from types import NoneType
from typing import Any, get_args, get_type_hints

from engine.cli.console import Wrong


def config(model: type, pairs: Iterable[str], known: Mapping[str, Any] | None = None) -> Any:
    """The config of `model` with the settings `key=value`.  Wrong with the way out when one of them
    can't be."""
    return model.config_type(**values(model, pairs, known))  # type: ignore[attr-defined]


def values(
    model: type, pairs: Iterable[str], known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The same by name, each in its range; whether they go together is not asked."""
    by_name = {f.name: f for f in fields(model.config_type)}  # type: ignore[attr-defined]
    hints = get_type_hints(model.config_type)  # type: ignore[attr-defined]
    found = dict(known or {})
    for pair in pairs:
        key, equals, text = pair.partition("=")
        key = key.strip()
        if not equals:
            raise Wrong(f"--set {pair!r} has no value; write --set {key}=value")
        if key not in by_name:
            own_first = sorted(by_name, key=lambda name: by_name[name].metadata.get("group", ""))
            raise Wrong(f"no setting {key!r}; there are {', '.join(own_first)}")
        found[key] = _value(by_name[key], hints[key], text.strip())
    return found


def _value(field: Field[Any], kind: Any, text: str) -> Any:
    kinds = get_args(kind) or (kind,)
    if NoneType in kinds and text.lower() in ("none", ""):
        return None
    value = _read(field, next(k for k in kinds if k is not NoneType), text)
    least, most = field.metadata.get("min"), field.metadata.get("max")
    if (
        (least is not None and value < least)
        or (most is not None and value > most)
        or value != value
    ):
        raise Wrong(f"{field.name}={text} is out of range; it goes from {least} to {most}")
    choices = choices_of(field)
    if choices and value not in choices:
        raise Wrong(
            f"{field.name}={text} is not known; choose one of {', '.join(map(str, choices))}"
        )
    return value


def _read(field: Field[Any], kind: Any, text: str) -> Any:
    says = field.metadata.get("says", "")
    if kind is bool:
        if text.lower() in ("true", "yes", "on", "1"):
            return True
        if text.lower() in ("false", "no", "off", "0"):
            return False
        raise Wrong(f"{field.name}={text}: write true or false ({says})")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            wanted = "a whole number" if kind is int else "a number"
            raise Wrong(f"{field.name} takes {wanted}, not {text!r} ({says})") from None
    return text


def choices_of(field: Field[Any]) -> list[Any]:
    """What a setting can be; nothing where that is not a choice among a few.  One named after a
    registry takes its ids."""
    from engine.core import registry

    said = field.metadata.get("choices") or ("tokenizers" if field.name == "tokenizer" else [])
    return list(getattr(registry, said).ids()) if isinstance(said, str) else list(said)
