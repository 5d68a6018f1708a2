"""Parts: which passages of a corpus are for training, for validation and for the test.

What      test = each passage with chance 1/20; validation = what `engine.text.tokenizers.base.split` holds out
          of the rest, with the same seed
Shapes    N = passages
Differs   A model holds its validation part out by itself when it is trained with this seed on the
          rest, so both mean the same lines.
          At least one passage is the test; a text of one or two passages has none.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from engine.language.message import _, refusal
from engine.text.paged import Paged, blocks_of
from engine.text.tokenizers.base import held_out, passages, split

MOST_LINES = 20_000_000  # more would take gigabytes of memory to part
PARTS = ("train", "validation", "test")
SHARE = 0.05
STREAM = 21  # parts these random numbers from those of `split`


def tested(n: int, seed: int) -> np.ndarray:
    """(N,) bool: the passages of the test part."""
    if n < 3:
        return np.zeros(n, bool)
    drawn_N = np.random.default_rng((seed, STREAM)).random(n)
    return drawn_N <= max(SHARE, drawn_N.min())


def trainable(text: str, seed: int) -> str:
    """The text without its test part; blank lines stay."""
    lines = text.split("\n")
    at = [i for i, line in enumerate(lines) if line.strip()]
    test = tested(len(at), seed)
    gone = {i for i, t in zip(at, test.tolist(), strict=True) if t}
    return "\n".join(line for i, line in enumerate(lines) if i not in gone) if gone else text


def part(text: str, which: str, seed: int) -> str:
    """One part, a passage a line; "" where it has none.  LookupError for a part that there is
    not."""
    if which not in PARTS:
        raise LookupError(
            _("no part {which}; there are {parts}", which=repr(which), parts=", ".join(PARTS))
        )
    lines = passages(text)
    test = tested(len(lines), seed).tolist()
    if which == "test":
        chosen = [line for line, t in zip(lines, test, strict=True) if t]
    else:
        chosen = split([line for line, t in zip(lines, test, strict=True) if not t], seed)[
            which == "validation"
        ]
    return "".join(f"{line}\n" for line in chosen)


def sizes(text: str | Paged, seed: int) -> dict[str, int]:
    """How many passages each part has."""
    size_N = _lengths(blocks_of(text))
    test_N = tested(len(size_N), seed)
    validation_N = held_out(size_N[~test_N], seed)
    test, validation = int(test_N.sum()), int(validation_N.sum())
    return {"train": len(size_N) - test - validation, "validation": validation, "test": test}


def check(text: Paged) -> None:
    """ValueError where it has more passages than can be parted."""
    if text.line_B[-1] > MOST_LINES:
        raise refusal(
            "the text has more than {MOST_LINES:,} lines; join some of them, or store it as"
            " several corpora"
        )


def _lengths(blocks: Iterable[str]) -> np.ndarray:
    """Of the passages, in characters."""
    found = array("i")
    size, ink = 0, False
    for block in blocks:
        first, *lines = block.split("\n")
        size, ink = size + len(first), ink or bool(first.strip())
        if lines:
            if ink:
                found.append(size)
            last = lines.pop()
            found.extend([len(line) for line in lines if line.strip()])
            size, ink = len(last), bool(last.strip())
    if ink:
        found.append(size)
    return np.frombuffer(found, np.int32) if found else np.zeros(0, np.int32)
