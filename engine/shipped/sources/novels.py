"""English novels of 1839 to 1937: all but five, one after the other; the five are kept back whole.

What      a paragraph a line, hard-wrapped lines joined; curly quotation marks made straight, runs
          of blanks one blank
Source    100 English Novels, Computational Stylistics Group
Differs   Lines of one character are left out.  A novel that is kept back is kept back whole, so
          that neither its names nor its scenes are known to a model that is judged by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from engine.shipped.sources.base import Files, Source, lines_of, members
from engine.text.read import unwrap

KEPT_BACK = (
    "Blackmore_Springhaven_1887",
    "Doyle_Lost_1912",
    "Gissing_Women_1893",
    "Lytton_Novel_1853",
    "Trollope_Warden_1855",
)
STRAIGHT = {
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{NO-BREAK SPACE}": " ",
}
DROPPED = {"\N{ZERO WIDTH NO-BREAK SPACE}": "", "\x0c": ""}
FILES: Mapping[str, tuple[str, ...]] = {
    "novels": ("novels.tar.xz", "novels.tar.gz", "novels.zip", "novels", "100_english_novels")
}


def replaced(text: str, signs: Mapping[str, str]) -> str:
    for sign, instead in signs.items():
        text = text.replace(sign, instead)
    return text


def novels(files: Files) -> dict[str, str]:
    """Name and text of each novel, in the order of their names.  ValueError where there is none, or
    one of the five is missing."""
    raw = {
        PurePosixPath(name).stem: raw
        for name, raw in members(files["novels"])
        if name.endswith(".txt")
    }
    if missing := [name for name in KEPT_BACK if name not in raw]:
        raise ValueError(
            f"{files['novels']} has no {missing[0]}.txt, one of the novels that are kept back; take"
            " the whole collection"
        )
    return {name: _lines(lines_of(raw[name])) for name in sorted(raw)}


def _lines(text: str) -> str:
    lines = (
        re.sub(r"[ \t]+", " ", line).strip()
        for line in unwrap(replaced(text, STRAIGHT | DROPPED)).split("\n")
    )
    return "".join(f"{line}\n" for line in lines if len(line) > 1)


def join(texts: Mapping[str, str], names: Iterable[str]) -> str:
    return "".join(texts[name] for name in names)


def learn(files: Files) -> str:
    texts = novels(files)
    return join(texts, (name for name in texts if name not in KEPT_BACK))


def kept_back(files: Files) -> str:
    return join(novels(files), KEPT_BACK)


SOURCE = Source(
    "English novels",
    "public domain; two of the novels, of 1933 and 1937, not yet in the United States",
    "https://github.com/computationalstylistics/100_english_novels",
    learn,
    FILES,
    {"five unseen novels": kept_back},
)
