"""Notes as text, in the letters of ABC.

What      C to B, then c to b an octave higher; , is an octave lower and ' one higher; ^ raises and _ lowers by a
          half tone; behind it how many eighths it lasts, where it is not one: c2, c3/2, c/2; z is a rest, |
          ends a bar, M:6/8 is a metre
Source    Walshaw, The ABC music standard 2.1, 2011
Differs   A sign holds for its own note alone, and there is no signature of a key, so that what stands in a
          note says all of it.  An eighth is the unit in every metre
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
SIGNS = {"": 0, "^": 1, "_": -1, "=": 0, "^^": 2, "__": -2}
SPELT = ("C", "^C", "D", "_E", "E", "F", "^F", "G", "^G", "A", "_B", "B")
OCTAVE, MIDDLE = 12, 60  # half tones; C, as MIDI numbers it
LENGTH = r"\d*/*\d*"
NOTE = rf"(?:\^\^?|__?|=)?[A-Ga-g][,']*{LENGTH}|[zx]{LENGTH}"
METRE = r"M:\d+/\d+"
_PARTS = re.compile(r"([\^_=]*)([A-Ga-gzx])([,']*)(\d*)(/*)(\d*)")


def pitch_of(letter: str, octave: str, sign: int) -> int:
    """Of a letter, marks of octaves and half tones, as MIDI numbers it."""
    up = letter.islower() + octave.count("'") - octave.count(",")
    return MIDDLE + OCTAVE * up + STEPS[letter.upper()] + sign


def length_of(whole: str, strokes: str, below: str) -> Fraction:
    """In units: of "3", "/", "2" one and a half; a stroke alone halves.  Of no time at all, one."""
    under = int(below or 0) or 2 ** min(len(strokes), 6)
    return Fraction(int(whole or 1), under) or Fraction(1)


@lru_cache(4096)
def read(word: str) -> tuple[int | None, Fraction] | None:
    """(pitch, or None for a rest; eighths); None for what is no note."""
    found = _PARTS.fullmatch(word)
    if not found or found[1] not in SIGNS:
        return None
    sign, letter, octave, *length = found.groups()
    rest = letter in "zx"
    return (None if rest else pitch_of(letter, octave, SIGNS[sign])), length_of(*length)


def write(pitch: int | None, eighths: Fraction) -> str:
    """The only way in which a model reads this note."""
    top, below = eighths.numerator, eighths.denominator
    length = (str(top) if top > 1 else "") + (f"/{below}" if below > 1 else "")
    if pitch is None:
        return f"z{length}"
    octave, step = divmod(pitch - MIDDLE, OCTAVE)
    spelt = SPELT[step].lower() if octave > 0 else SPELT[step]
    return spelt + "'" * (octave - 1) + "," * -octave + length


def plain(word: str) -> str:
    """A note as a model reads it, however it is typed; anything else as it is."""
    note = read(word)
    return word if note is None else write(*note)
