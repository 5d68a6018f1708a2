"""Sentences: a line end where one sentence stops and the next begins, each with its reason.

What      behind . ! or ?, with closing quotes and brackets, unless what stands there speaks against
          it
Source    Grefenstette & Tapanainen, What is a Word, What is a Sentence?, 1994 (abbreviations
          decide); the rules here are ours
Shapes    a change is the white space between two sentences; a full stop that ends nothing is kept,
          with the reason
Differs   The naive cut takes every full stop followed by a space: it makes two sentences of "Dr.
          Smith left." Abbreviations that often end a sentence (etc., Inc.) end one when a capital
          letter follows, right or wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.message import _
from engine.text.preparation.base import Edit, Preparation

END = re.compile(r"(?<![.!?…])([.!?…]++)([\"'”’)\]]*)(\s++)(?=\S)")
TITLES = frozenset(
    "dr mr mrs ms prof st rev gen sen rep gov capt lt col sgt mt vs e.g i.e cf fig no vol pp eq"
    " approx dept".split()
)
OFTEN = frozenset("etc inc ltd co corp jr sr a.m p.m".split())
SAID = {".": "full stop", "!": "exclamation mark", "?": "question mark", "…": "ellipsis"}


def reason(text: str, found: re.Match[str]) -> tuple[bool, str]:
    """Whether a sentence ends here, and why."""
    sign, follows = found[1], text[found.end() : found.end() + 1]
    opens = follows.isupper() or follows.isdigit() or follows in "\"'“‘([¿¡<"
    word = re.search(r"[\w.]*$", text[max(0, found.start() - 30) : found.start()])
    before = word[0] if word else ""
    if sign == ".":
        if before.lower() in TITLES:
            return False, _(
                "{before}. is an abbreviation that a name or a number follows", before=before
            )
        if len(before) == 1 and before.isupper() and before != "I":
            return False, _("{before}. is an initial", before=before)
        if before.lower() in OFTEN:
            return (
                opens,
                (
                    _(
                        "{before}. is an abbreviation, and {value} follows",
                        before=before,
                        value=_("a capital letter") if opens else _("no capital letter"),
                    )
                ),
            )
    if not opens and follows.lower() != follows.upper():
        return False, _("{said}, but a small letter follows", said=SAID[sign[-1]])
    return (
        True,
        _(
            "{said}, then {value}",
            said=SAID[sign[-1]],
            value=_("a capital letter") if follows.isupper() else f"“{follows}”",
        ),
    )


def edit(text: str, choice: str) -> Iterator[Edit]:
    for found in END.finditer(text):
        ends, why = (
            (True, _("{said} and a space", said=SAID[found[1][-1]]))
            if choice == "naive"
            else reason(text, found)
        )
        if ends:
            yield found.start(3), found.end(3), "\n", why
        else:
            yield found.start(1), found.end(1), found[1], why


PREPARATION = Preparation(
    "Sentences",
    "Each sentence gets its own line. Full stops also follow abbreviations, so a rule has to"
    " know some.",
    edit,
    {"rules": "with abbreviations", "naive": "at every full stop"},
)
