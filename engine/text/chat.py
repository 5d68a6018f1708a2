"""Chat: what a conversation is written as, for a model that was trained on one.

What      a text is turns: a line that begins with "System:", "User:" or "Assistant:" begins one, and
          what stands before the first is the user's.  `lay_out` puts the model's own chat template
          around them; an assistant's turn at the end is what the model goes on with
Source    the chat templates of the `transformers` library, which it also fills here
Differs   A template is a program that came with a checkpoint.  The library's sandbox runs it, in a
          process of its own (python -m engine.text.chat), with little memory and a few seconds: one
          that never ends, or asks for all memory, is given up, and has no way to a file.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.jobs import process
from engine.jobs.worker import Ended, Failed, Report, Worker, serve
from engine.language.message import refusal

ROLE = re.compile(r"^(system|user|assistant):[ \t]*", re.IGNORECASE | re.MULTILINE)
# a template, as it comes with a checkpoint, and what it is told of the checkpoint's marks
Template = Mapping[str, Any]
OF_PROCESSOR, SECONDS = 2.0, 60.0  # to fill a template; to wait for that, on a busy computer too
MEMORY = 300_000_000
LONGEST, MOST = 100_000, 400_000  # characters of a template, and of what it writes
SIGN = "\ue000{n}\ue001"  # where the nth turn goes: of the private use area, so in no text
SAMPLE = "Hello!"
_worker = Worker("engine.text.chat")


@dataclass(frozen=True, slots=True)
class Turn:
    """`start`, `stop`: the characters of the text that are said."""

    role: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Laid:
    """What a model reads of a conversation.

    text   all of it
    parts  (start there, start in what was typed, characters) of what was typed
    """

    text: str
    parts: tuple[tuple[int, int, int], ...]

    def typed(self, start: int, stop: int) -> tuple[int, int]:
        """The characters that were typed of these; none, (n, n), where the template wrote them."""
        last = bisect_right(self.parts, start, key=lambda part: part[0]) - 1
        for at in (max(0, last), last + 1):
            if at < len(self.parts):
                there, typed, size = self.parts[at]
                low, high = max(start, there), min(stop, there + size)
                if low < high:
                    return typed + low - there, typed + high - there
        end = 0 if last < 0 else self.parts[last][1] + self.parts[last][2]
        return end, end


def read_turns(text: str) -> list[Turn]:
    """At least one.  Blank lines between two belong to neither."""
    found = [*ROLE.finditer(text)]
    turns = [("user", 0, found[0].start() if found else len(text))]
    if found and not text[: found[0].start()].strip():
        turns = []
    ends = [*(match.start() for match in found), len(text)][1:]
    turns += [(match[1].lower(), match.end(), end) for match, end in zip(found, ends, strict=True)]
    return [
        Turn(role, start, stop if stop == len(text) else start + len(text[start:stop].rstrip()))
        for role, start, stop in turns
    ]


def lay_out(template: Template, text: str) -> Laid:
    """The turns of a text in a template, up to where the model goes on.  ValueError with a sentence
    where the template refuses them, or can't be filled."""
    said = read_turns(text)
    answers = said[-1].role == "assistant"
    begun = answers and bool(text[said[-1].start : said[-1].stop].strip())
    if answers and not begun:
        said = said[:-1]  # the template begins it
    turns = tuple((turn.role, text[turn.start : turn.stop]) for turn in said)
    whole, *marked = _filled(json.dumps(template), turns, begun)
    return Laid(whole, _parts(whole, marked, text, said))


def problem(template: Template) -> str:
    """Why a template can't be used; "" where it can."""
    try:
        lay_out(template, SAMPLE)
    except ValueError as error:
        said: str = error.args[0]
        return said
    return ""


def start() -> None:
    """Begin the process that fills templates, which takes a second or two."""
    _worker.start()


def _parts(
    whole: str, marked: Sequence[str], text: str, said: Sequence[Turn]
) -> tuple[tuple[int, int, int], ...]:
    """Where in the whole each turn stands, as said or without the blanks around it; none where the
    template makes something else of one."""
    for strip in (False, True):
        at, found = len(marked[0]), []
        made = marked[0]
        for turn, behind in zip(said, marked[1:], strict=True):
            words, begin = text[turn.start : turn.stop], turn.start
            if strip:
                begin += len(words) - len(words.lstrip())
                words = words.strip()
            found.append((at, begin, len(words)))
            made += words + behind
            at = len(made)
        if made == whole:
            return tuple(found)
    return ()


@lru_cache(64)
def _filled(template: str, turns: tuple[tuple[str, str], ...], begun: bool) -> list[str]:
    """As `_both`, by the process; `begun`: the last turn goes on."""
    try:
        made: list[str] = json.loads(
            _worker.ask(json.dumps([json.loads(template), turns, begun]).encode(), SECONDS)
        )
    except Failed as error:
        raise refusal("the model's chat template does not take this: {error}") from error
    except (Ended, TimeoutError) as error:
        raise refusal("the model's chat template took too long, or too much memory") from error
    return made


def fill(request: bytes, report: Report) -> bytes:
    """In the process of its own."""
    from transformers.utils.chat_template_utils import render_jinja_template

    template, turns, begun = json.loads(request)
    source, marks = template["template"], template["marks"]
    if len(source) > LONGEST:
        raise refusal("it has {n:,} characters, and {LONGEST:,} fit", n=len(source))

    def filled(said: list[str]) -> str:
        messages = [
            {"role": role, "content": content}
            for (role, __), content in zip(turns, said, strict=True)
        ]
        ends = "continue_final_message" if begun else "add_generation_prompt"
        way: Any = {"chat_template": source, ends: True, **marks}
        made = render_jinja_template([messages], **way)[0][0]
        if len(made) > MOST:
            raise refusal("it writes {n:,} characters, and {MOST:,} fit", n=len(made))
        return str(made)

    with _limited():
        return json.dumps(_both(turns, filled)).encode()


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Ends this process where what is done in it takes the processor for too long.  Where the system
    knows no such limit, nothing."""
    with contextlib.suppress(AttributeError):
        signal.setitimer(signal.ITIMER_PROF, OF_PROCESSOR)
    try:
        yield
    finally:
        with contextlib.suppress(AttributeError):
            signal.setitimer(signal.ITIMER_PROF, 0)


def _both(turns: Sequence[tuple[str, str]], filled: Callable[[list[str]], str]) -> list[str]:
    """What the template makes of turns; and, of signs in their places, what stands between them."""
    signs = [SIGN.format(n=n) for n in range(len(turns))]
    rest, parts = filled(signs), list[str]()
    for sign in signs:
        before, __, rest = rest.partition(sign)
        parts.append(before)
    return [filled([content for __, content in turns]), *parts, rest]


def prepare() -> None:
    from transformers.utils import chat_template_utils  # noqa: F401

    process.limit_memory(MEMORY, more=True)


if __name__ == "__main__":
    serve(fill, prepare)
