"""Message: a sentence as a template with named places, and what fills them.

What      _("{words:,} words, {share:.1%} of them known", words=words, share=share): it is looked up in
          a language before it is filled.  What fills a place may be a message itself
Source    GNU gettext; places are those of Python's `str.format`: {n}, {run.title}, {p:.3f}
Differs   {share:.1%} writes a space before the sign; {loss} of a number that is not whole has three
          digits; {n|row|rows} is the first word where n is 1, else the second, in the template as in
          every translation of it
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from engine.language.numbers import number

Said = Callable[[str], str]  # a template, or a word, in some language
CHOICE = re.compile(r"\{([\w.]+)\|([^{}|]*)\|([^{}|]*)\}")


@dataclass(frozen=True)
class Message:
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.said(str)

    def said(self, look_up: Said, write: Callable[[str], str] = str) -> str:
        """In the language of `look_up`; `write` has the last word on each number."""
        return fill(look_up(self.template), self.values, look_up, write)


def _(template: str, /, **values: Any) -> Message:
    return Message(template, values)


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
