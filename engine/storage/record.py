"""Record: a JSON file as a typed value, for files that somebody may have changed by hand.

What      read(path, kind): all of it is what `kind` says · keep_sound(found, kind): what is of the wrong
          kind is left out · save(path, value): written whole or not at all
Source    RFC 8259 (JSON); checked by msgspec, which takes a tenth of a second less to import than
          pydantic
Differs   NaN and Infinity are read, as Python writes them.  Keys that `kind` does not name stay in
          what `load` and `keep_sound` give.  A Message is its English sentence in the file; its template
          and values stand beside, under "templates", so that it is read as a Message again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from engine.language import message
from engine.language.message import _, refusal
from engine.storage.files import write_bytes

T = TypeVar("T")
PLACE = re.compile(r" - at `\$\.?(.*)`$")
TEMPLATES = "templates"  # no record has a field of this name


class Mismatch(ValueError):
    """Why a value is not of its kind, in one sentence.  `key`: where, as in "corpus.characters";
    `missing`: it is not there at all."""

    def __init__(self, error: msgspec.ValidationError) -> None:
        said = str(error)
        place = found[1] if (found := PLACE.search(said)) else ""
        what = PLACE.sub("", said)
        lost = re.fullmatch(r"Object missing required field `(.*)`", what)
        self.missing = lost is not None
        self.key = ".".join(filter(None, (place, lost[1] if lost else "")))
        super().__init__(
            _("{key} is missing", key=self.key)
            if lost
            else f"{self.key or 'it'}: {what[:1].lower()}{what[1:]}"
        )


def parse(raw: bytes | str) -> dict[str, Any]:
    """The object in a JSON file.  ValueError with one sentence."""
    try:
        found = json.loads(raw)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found


def load(path: Path) -> dict[str, Any]:
    """All of a file, keys that nobody knows too.  ValueError that names it; OSError."""
    found, said = _opened(path)
    return {name: _with(value, said) for name, value in found.items()}


def _opened(path: Path) -> tuple[dict[str, Any], dict[str, message.Message]]:
    """What is in a file, and the messages of its sentences."""
    try:
        found = parse(path.read_bytes())
    except ValueError as error:
        raise refusal("{path} is damaged: {said}", said=error) from error
    packed = found.pop(TEMPLATES, {})
    rows = packed.items() if isinstance(packed, dict) else ()
    made = {words: message.unpack(row) for words, row in rows}
    return found, {words: one for words, one in made.items() if one is not None and one == words}


def convert(found: Any, kind: type[T]) -> T:
    """`found` as a `kind`.  Mismatch with one sentence."""
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise Mismatch(error) from error


def read(path: Path, kind: type[T]) -> T:
    """A file as a `kind`.  ValueError that names it; OSError."""
    found, said = _opened(path)
    try:
        made: T = _with(convert(found, kind), said)
        return made
    except Mismatch as error:
        raise refusal("{path} is damaged: {said}", said=error) from error


def keep_sound(found: Mapping[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """What is there, without what is of another kind than `kind` says; an object that should be
    one and is not becomes an empty one."""
    kept = dict(found)
    for name, of in _fields(kind).items():
        if name not in kept:
            continue
        value = kept[name]
        if isinstance(of, type) and issubclass(of, msgspec.Struct):
            kept[name] = keep_sound(value if isinstance(value, dict) else {}, of)
        elif get_origin(of) is dict:
            each = get_args(of)[1]
            rows = value.items() if isinstance(value, dict) else ()
            kept[name] = {k: v for k, v in rows if _fits(v, each)}
        elif not _fits(value, of):
            del kept[name]
    return kept


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    try:
        msgspec.convert(value, kind)
    except (msgspec.ValidationError, OverflowError):
        return False
    return True


def dump(value: Any) -> bytes:
    """As `save` writes it."""
    plain = (
        msgspec.to_builtins(value, enc_hook=str.__str__)
        if isinstance(value, msgspec.Struct)
        else value
    )
    if isinstance(plain, dict) and (said := dict(_messages(value))):
        plain = {**plain, TEMPLATES: said}
    return json.dumps(plain, indent=1, ensure_ascii=False).encode("utf-8", "replace")


def _messages(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(English, packed) of all that is in a value."""
    packed = message.pack(value) if isinstance(value, message.Message) and value.values else None
    if packed is not None:
        yield str.__str__(value), packed
    for inner in _inside(value):
        yield from _messages(inner)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value).values()
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _with(value: Any, said: Mapping[str, message.Message]) -> Any:
    """The value, with messages where their sentences stand."""
    if not said:
        return value
    if isinstance(value, str):
        return said.get(value, value)
    if isinstance(value, msgspec.Struct):
        known = msgspec.structs.asdict(value).items()
        return msgspec.structs.replace(value, **{name: _with(one, said) for name, one in known})
    if isinstance(value, dict):
        return {name: _with(one, said) for name, one in value.items()}
    return [_with(one, said) for one in value] if isinstance(value, list) else value


def save(path: Path, value: Any) -> None:
    """A struct, or what JSON has a place for.  OSError; then the file is as it was."""
    write_bytes(path, dump(value))
