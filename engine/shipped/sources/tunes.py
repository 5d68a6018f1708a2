"""Traditional dance tunes, each a line of notes, bar by bar.

What      a tune is a line: its metre, then notes in ABC, in eighths, with a blank between them and | at the
          end of a bar; a sharp or a flat stands at each note that has one.  Each is written in several
          keys, in some without its metre
Source    Nottingham Music Database, collected by Foxley; cleaned by Jukedeck
          (github.com/jukedeck/nottingham-dataset); what ABC means: Walshaw, The ABC music standard 2.1, 2011
Differs   Chords, grace notes, ornaments, words, ties and slurs are left out; of a repeated part the last
          ending is kept, and it is not written twice.  A change of metre is not said.  Every tenth tune is kept
          back, in its own key.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from engine.shipped.sources.base import Files, Source, lines_of, members
from engine.text.notes import NOTE, SIGNS, length_of, pitch_of, write

Notes = list[tuple[int | None, Fraction] | None]
"""(pitch, or None for a rest; eighths); None where a bar ends."""

SEED, EVERY = 7, 10
KEYS, UNTOLD = 6, 2  # in which a tune is written, and how many of these do not say its metre
LOWEST, HIGHEST, FEWEST = 55, 88, 16  # pitches, and notes of a tune
FILES: Mapping[str, tuple[str, ...]] = {"tunes": ("tunes.tar.xz", "ABC_cleaned")}
ORDER = "FCGDAEB"  # in which a key raises; it lowers from the end
MODES = {"m": -3, "min": -3, "aeo": -3, "dor": -2, "mix": -1, "phr": -4, "lyd": 1, "loc": -5}
SIGN = re.compile(
    r"(?P<field>[KML]):(?P<value>[^\n\]]*)|(?P<bar>[:\[\]]*\|[:|\]]*|::)|\((?P<tuplet>\d)|(?P<broken>[<>])"
    r"|(?P<sign>[\^_=]*)(?P<letter>[A-Ga-gzx])(?P<octave>[,']*)(?P<whole>\d*)(?P<strokes>/*)(?P<below>\d*)"
)
LEFT_OUT = re.compile(r'"[^"\n]*"|\{[^}\n]*\}|![^!\n]*!|%[^\n]*|^[A-JN-Z]:.*$|^[a-z]:.*$', re.M)
CHORD = re.compile(rf"\[((?:{NOTE})+)\]")
FIRST_ENDING = re.compile(r"(?:\[|(?<=\|))1(?=[^\d/]).*?(?=\[2|\|:?2)", re.S)


def raised(key: str) -> dict[str, int]:
    """Which letters a key raises or lowers: "Bm", "Edor", "F#"."""
    found = re.match(r"\s*([A-G])([#b]?)\s*([A-Za-z]*)", key)
    if not found:
        return {}
    fifths = ORDER.index(found[1]) - 1 + {"#": 7, "b": -7}.get(found[2], 0)
    fifths += MODES.get(found[3][:3].lower(), 0)
    return dict.fromkeys(ORDER[: max(0, fifths)], 1) | dict.fromkeys(
        ORDER[min(0, fifths) or 7 :], -1
    )


def read(tune: str) -> tuple[str, Notes]:
    """The metre and the notes of a tune in ABC."""
    body = CHORD.sub(_highest, FIRST_ENDING.sub("", LEFT_OUT.sub("", tune)))
    found: Notes = []
    metre, unit, key, bar = "4/4", Fraction(0), dict[str, int](), dict[str, int]()
    left, dotted = 0, Fraction(1)
    for sign in SIGN.finditer(body):
        value = sign["value"]
        if sign["field"] == "K":
            key = raised(value)
        elif sign["field"] == "L":
            unit = Fraction(value.strip()) * 8
        elif sign["field"]:
            if not found and re.fullmatch(r"\s*\d+/\d+\s*", value):
                metre = value.strip()
        elif sign["bar"]:
            bar = {}
            if found and found[-1] is not None:
                found.append(None)
        elif sign["tuplet"]:
            left = int(sign["tuplet"])
        elif sign["broken"]:
            if found and (last := found[-1]):
                dotted = Fraction(1, 2) if sign["broken"] == ">" else Fraction(3, 2)
                found[-1] = (last[0], last[1] * (2 - dotted))
        else:
            usual = unit or (Fraction(1) if Fraction(metre) >= Fraction(3, 4) else Fraction(1, 2))
            long = length_of(sign["whole"], sign["strokes"], sign["below"]) * usual * dotted
            dotted = Fraction(1)
            if left:
                long, left = long * Fraction(2, 3), left - 1
            found.append((_pitch(sign, key, bar), long))
    while found and found[-1] is None:
        found.pop()
    return metre, found


def _highest(chord: re.Match[str]) -> str:
    """Of the notes of a chord, which are written from the lowest to the highest."""
    return re.findall(NOTE, chord[1])[-1]


def _pitch(sign: re.Match[str], key: Mapping[str, int], bar: dict[str, int]) -> int | None:
    """A sign holds until its bar ends."""
    if sign["letter"] in "zx":
        return None
    letter = sign["letter"].upper()
    if sign["sign"]:
        bar[letter] = SIGNS.get(sign["sign"], 0)
    return pitch_of(sign["letter"], sign["octave"], bar.get(letter, key.get(letter, 0)))


def tunes(files: Files) -> Iterator[tuple[str, Notes]]:
    for name, raw in members(files["tunes"]):
        if name.endswith(".abc"):
            for tune in re.split(r"(?m)^(?=X:)", lines_of(raw))[1:]:
                metre, notes = read(tune)
                if len(notes) >= FEWEST:
                    yield metre, notes


def line(metre: str, notes: Notes, by: int = 0, told: bool = True) -> str:
    """As a model reads it, so many half tones higher; "" where it is too low or too high then."""
    pitches = [note[0] + by for note in notes if note and note[0] is not None]
    if not pitches or min(pitches) < LOWEST or max(pitches) > HIGHEST:
        return ""
    words = [
        "|" if note is None else write(note[0] if note[0] is None else note[0] + by, note[1])
        for note in notes
    ]
    return " ".join([f"M:{metre}"] * told + words)


def learn(files: Files) -> str:
    rng, found = random.Random(SEED), []
    for n, (metre, notes) in enumerate(tunes(files)):
        if n % EVERY:
            keys = [by for by in range(-6, 6) if line(metre, notes, by)]
            rng.shuffle(keys)
            keys.sort(key=bool)  # its own key first
            for k, by in enumerate(keys[:KEYS]):
                found.append(line(metre, notes, by, told=k < KEYS - UNTOLD))
    rng.shuffle(found)
    return "".join(f"{one}\n" for one in found)


def unseen(files: Files) -> str:
    found = (line(*one) for n, one in enumerate(tunes(files)) if not n % EVERY)
    return "".join(f"{one}\n" for one in found if one)


SOURCE = Source(
    "Traditional dance tunes (Nottingham Music Database)",
    "the tunes are traditional; the cleaned collection is GPL 3 and is not part of this project",
    "https://github.com/jukedeck/nottingham-dataset",
    learn,
    FILES,
    {"one tune in ten": unseen},
)
