"""White space: any run of spaces, tabs and line ends becomes one space.

What      text.strip() with \\s+ replaced by " "; "lines" keeps one line end where there was one
Source    the usual regular expression
Shapes    a change is one run
Differs   The notes' example lost its irregular spaces in print: its two strings are the same.  Here
          they are typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.message import _
from engine.text.preparation.base import Edit, Preparation

SAID = {" ": "space", "\t": "tab", "\n": "line end"}


def edit(text: str, choice: str) -> Iterator[Edit]:
    for run in re.finditer(r"\s+", text):
        outside = run.start() == 0 or run.end() == len(text)
        now = "" if outside else "\n" if choice == "lines" and "\n" in run[0] else " "
        if now != run[0]:
            kinds = ", ".join(dict.fromkeys(SAID.get(c, f"U+{ord(c):04X}") for c in run[0]))
            yield (
                run.start(),
                run.end(),
                now,
                _(
                    "{value} of {run}: {kinds}",
                    value=_("at the edge") if outside else _("run"),
                    run=len(run[0]),
                    kinds=kinds,
                ),
            )


PREPARATION = Preparation(
    "White space",
    "Runs of spaces, tabs and line ends become one space. Verse and code lose their layout.",
    edit,
    {"one": "one space", "lines": "keep line ends"},
)
