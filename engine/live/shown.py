"""Shown: one reader's tokens of the part of a text that is on the screen.

Found once for each request and reader, and handed along: nothing behind it cuts the text again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.core.trace import Trace
from engine.live import delta
from engine.live.reader import Reader
from engine.live.window import Window, cut
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens


@dataclass(frozen=True, eq=False)
class Shown:
    """What of a text one reader has on the screen.

    characters  (start, stop) that are shown
    tokens      of the whole text
    window      tokens (first, stop) that are shown: no more than the model can look back over
    before      the same of the text that the browser has on its screen; None where it has nothing
    """

    reader: Reader
    run: Run
    text: str
    characters: Window
    tokens: Tokens
    window: Window
    before: Shown | None = None

    @classmethod
    def of(
        cls,
        reader: Reader,
        run: Run,
        text: str,
        characters: Window,
        tokens: Tokens,
        longest: int | None = None,
    ) -> Shown:
        """`longest`: the most tokens to show, the last ones."""
        first, stop = cut(tokens, characters)
        for most in (reader.model.context, longest):
            first = first if most is None else max(first, stop - most)
        return cls(reader, run, text, characters, tokens, (first, stop))

    def after(self, before: Shown | None) -> Shown:
        """The same, for a browser that has `before` on its screen."""
        return Shown(
            self.reader, self.run, self.text, self.characters, self.tokens, self.window, before
        )

    def moved(self, characters: Window, longest: int | None = None) -> Shown:
        """The same text with other characters shown."""
        found = Shown.of(self.reader, self.run, self.text, characters, self.tokens, longest)
        return found.after(self.before)

    @cached_property
    def part(self) -> Tokens:
        """The tokens shown."""
        return self.tokens[slice(*self.window)]

    @cached_property
    def outline(self) -> Trace:
        """The tokens shown, as a trace without numbers."""
        part = self.part
        return Trace(
            self.text,
            part.labels,
            (),
            ids=part.ids,
            spans=part.spans,
            unknown=part.unknown,
            lost=part.lost,
            offset=self.window[0],
            total=len(self.tokens),
        )

    @cached_property
    def same(self) -> int:
        """How many leading tokens the browser has on its screen already."""
        return delta.count_same(self)

    @cached_property
    def unmoved(self) -> bool:
        """Whether the browser has all numbers already, as the ids are the same."""
        return delta.unmoved(self)

    @cached_property
    def keep(self) -> int:
        """Of how many leading tokens it keeps what is listed for each: its bits, what is expected
        after it."""
        return self.same if delta.is_lasting(self.reader) else 0
