"""Message: a sentence as a template with named places, and what fills them.

What      _("{words:,} words, {share:.1%} of them known", words=words, share=share): it is looked up in
          a language before it is filled.  What fills a place may be a message itself
Refusal   raise refusal("{name} has {n:,} rows, and {self.most:,} fit", n=len(rows)): what is not
          given is what the caller calls so
Source    GNU gettext; places are those of Python's `str.format`: {n}, {run.title}, {p:.3f}; names of
          the caller in them as in flufl.i18n of GNU Mailman
Differs   {share:.1%} writes a space before the sign; {loss} of a number that is not whole has three
          digits; {n|row|rows} is the first word where n is 1, else the second, in the template as in
          every translation of it
"""

from __future__ import annotations

import re
import string
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from engine.language.numbers import number

Said = Callable[[str], str]  # a template, or a word, in some language
CHOICE = re.compile(r"\{([\w.]+)\|([^{}|]*)\|([^{}|]*)\}")
HEAVY = re.compile(r"\d{3}|[{}]")  # of a format: hundreds of signs, or a place in it
LONGEST, DEEPEST = 5_000, 8  # characters of a packed message, messages in each other


class Message(str):
    """As a `str` it is the sentence in English, so it can stand wherever one does, in a ValueError
    too.  Its own `+` and `join` make messages; an f-string makes English of it."""

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, values: Mapping[str, Any] = MappingProxyType({})) -> Message:
        if isinstance(template, Message) and not values:
            return template
        made = super().__new__(cls, fill(template, values, str, str))
        made.template, made.values = template, values
        return made

    def __str__(self) -> str:
        return self  # of a ValueError, too: str(error) is what it was given

    def __add__(self, other: str) -> Message:
        return Message("").join((self, other))

    def __radd__(self, other: str) -> Message:
        return Message("").join((other, self))

    def join(self, parts: Iterable[str]) -> Message:
        """Sentences behind one another, with this between them."""
        values = {f"p{n}": Message(part) for n, part in enumerate(parts)}
        return Message(super().join(f"{{{name}}}" for name in values), values)

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.template, dict(self.values))

    def said(self, look_up: Said, write: Callable[[str], str] = str) -> str:
        """In the language of `look_up`; `write` has the last word on each number."""
        return fill(look_up(self.template), self.values, look_up, write)


SPEAKING: ContextVar[Said] = ContextVar("SPEAKING", default=str)


@contextmanager
def speaking(say: Said) -> Iterator[None]:
    """What is drawn meanwhile is drawn in this language."""
    before = SPEAKING.set(say)
    try:
        yield
    finally:
        SPEAKING.reset(before)


def spoken(words: str, label: bool = False) -> str:
    """In the language that is drawn in; one small word, which may be a token, only as a `label`."""
    own = not (label or isinstance(words, Message) or " " in words or words[:1].isupper())
    return words if own else SPEAKING.get()(words)


def _(template: str, /, **values: Any) -> str:
    """A Message: wherever a sentence may stand."""
    return Message(template, values)


def refusal(template: str, kind: type[Exception] = ValueError, /, **values: Any) -> Exception:
    """An error with this sentence.  Several words in one place stand with commas between them."""
    caller = sys._getframe(1)
    known = caller.f_locals
    scope = ChainMap(values, known, caller.f_globals)
    found = {
        name: _plain(string.Formatter().get_field(name, (), scope)[0])
        for name, _ in places(template)
    }
    if isinstance(known, dict) and known is not caller.f_globals:
        known.clear()  # a copy, which the frame would keep, and in it the error that keeps the frame
    return kind(Message(template, found))


def _plain(value: Any) -> Any:
    """What a place of a refusal keeps of an object."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        words = sorted(value) if isinstance(value, Set) else list(value)
        return ", ".join(words) if all(isinstance(word, str) for word in words) else str(words)
    if isinstance(value, Exception):
        return Message(str(value))  # which may be a sentence of ours
    return value if isinstance(value, str | Real) else str(value)


def without(words: str, folder: str, name: str) -> str:
    """The same of files that have no folder, in what fills a message too; `name`: of them all."""
    if words == folder:
        return _(name)
    if not isinstance(words, Message):
        return words.replace(f"{folder}/", "").replace(folder, name)
    values = words.values.items()
    made = {n: without(v, folder, name) if isinstance(v, str) else v for n, v in values}
    return Message(words.template, made)


def places(template: str) -> list[tuple[str, str]]:
    """(name, format) of each."""
    counted = [(found[1], "") for found in CHOICE.finditer(template)]
    rest = string.Formatter().parse(CHOICE.sub("", template))
    return [*counted, *((name, spec or "") for _, name, spec, _ in rest if name is not None)]


def fill(
    template: str, values: Mapping[str, Any], look_up: Said, write: Callable[[str], str]
) -> str:
    """ValueError, KeyError or AttributeError for a place that nothing fills."""
    if not values:
        return template
    writer = _Writer(look_up, write)

    def one_or_many(found: re.Match[str]) -> str:
        count, _ = writer.get_field(found[1], (), values)
        return found[2] if count == 1 else found[3]

    return writer.vformat(CHOICE.sub(one_or_many, template), (), values)


class _Writer(string.Formatter):
    def __init__(self, look_up: Said, write: Callable[[str], str]) -> None:
        self._look_up, self._write = look_up, write

    def get_field(self, name: str, args: Sequence[Any], values: Mapping[str, Any]) -> Any:
        return (values[name], name) if name in values else super().get_field(name, args, values)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Message):
            return value.said(self._look_up, self._write)
        if isinstance(value, str):
            return format(value, format_spec)
        if format_spec.endswith("%"):
            return self._write(f"{100 * value:{format_spec[:-1]}f} %")
        if not format_spec and isinstance(value, Real) and not isinstance(value, Integral):
            return self._write(number(float(value)))
        return self._write(format(value, format_spec))


def pack(words: Message) -> dict[str, Any] | None:
    """A message as JSON keeps it; None where one of its values is nothing that JSON has."""
    values = {
        name: pack(value) if isinstance(value, Message) else value
        for name, value in words.values.items()
    }
    if not all(isinstance(value, str | int | float | dict) for value in values.values()):
        return None
    return {"template": words.template, "values": values}


def unpack(packed: Any, deep: int = 0) -> Message | None:
    """The message of what `pack` gave; None for what it did not give: a file may be anybody's, and a
    template can ask for more than a sentence does, or grow with every message in another."""
    found = packed if isinstance(packed, dict) else {}
    template, values = found.get("template"), found.get("values")
    if not (isinstance(template, str) and isinstance(values, dict) and deep < DEEPEST):
        return None
    made = {
        name: unpack(one, deep + 1) if isinstance(one, dict) else one
        for name, one in values.items()
    }
    if not all(isinstance(one, str | int | float) for one in made.values()) or any(
        len(one) > LONGEST for one in (template, *made.values()) if isinstance(one, str)
    ):
        return None
    try:
        whole = Message(template, made) if not made or _is_plain(template, made) else None
    except (ValueError, LookupError, AttributeError, TypeError):
        return None
    return whole if whole is None or len(whole) <= LONGEST else None


def _is_plain(template: str, values: Mapping[str, Any]) -> bool:
    """Whether it asks for its values alone, and for no more than some signs of each."""
    found = places(template)
    return {name for name, _ in found} <= values.keys() and not any(
        HEAVY.search(spec) for _, spec in found
    )
