"""How long the strategies of this folder look: half a minute of processor time together in `make test`,
four seconds each but that of walks; an hour in `make bench`, nine minutes each.

SECONDS marks a test with both lengths; `tried(strategy, check, seconds)` calls `check` with one
example after the other until the time is over.  `make test` begins with the same seed each time;
`make bench` with another one each time, which a failure names.  UNROLLED_FUZZ_SEED and
UNROLLED_FUZZ_SECONDS (of each strategy) say otherwise.
"""

from __future__ import annotations

import os
import struct
import time
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

STRATEGIES = 7
SHORT, LONG = 30.0 / STRATEGIES, 3600.0 / STRATEGIES
ROUND = 20  # examples of one seed
LEAST = 5  # are tried, however long that takes
BOUNDED = settings(
    max_examples=ROUND,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
SECONDS = pytest.mark.parametrize(
    "seconds", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"]
)


def spent() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def tried(
    strategy: st.SearchStrategy[Any],
    check: Callable[[Any], None],
    seconds: float,
    share: float = 1.0,
) -> int:
    """Returns how many examples were tried in this share of the time.  What `check` raises is raised, for
    the smallest example that raises it."""
    seconds = float(os.environ.get("UNROLLED_FUZZ_SECONDS") or seconds)
    first = int(os.environ.get("UNROLLED_FUZZ_SEED") or (0 if seconds <= SHORT else time.time()))
    seconds *= share
    until, rounds, count = spent() + seconds, 0, 0

    def counted(example: Any) -> None:
        nonlocal count
        if count < LEAST or spent() < until:  # the rest of a round takes no time then
            count += 1
            check(example)

    while not rounds or spent() < until:
        at = first * 1_000_000 + rounds
        try:
            seed(at)(BOUNDED(given(strategy)(counted)))()
        except BaseException as error:
            error.add_note(f"UNROLLED_FUZZ_SEED={first}, round {rounds}, {count} examples before")
            raise
        rounds += 1
    return count


SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 1, 2**31, 2**53, 2**63, 10**12, 10**400]),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["__proto__", "../../etc/passwd", "\u202e", "a\0b", "<script>", "9" * 5000]),
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


class Sound(bytes):
    """A sound file; hypothesis shows what it tries, and that need not be all of it."""

    def __repr__(self) -> str:
        return f"{len(self)} bytes"


class Sounds(dict[str, Any]):
    """Sound files by name."""

    def __repr__(self) -> str:
        return ", ".join(self)


def is_plain(said: str) -> bool:
    """Whether a sentence is one line that can't steer a terminal or turn the words around it."""
    return bool(said) and not any(
        unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(sign) in TURNING
        for sign in said
    )


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value with one place in it, at any depth, replaced, dropped or doubled."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        name = draw(st.sampled_from(sorted(value)))
        if not draw(st.integers(0, 9)):
            return {k: v for k, v in value.items() if k != name}
        return value | {name: draw(changed(value[name]))}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        if not draw(st.integers(0, 9)):
            return value[:at] + value[at + 1 :]
        return [*value[:at], draw(changed(value[at])), *value[at + 1 :]]
    return draw(JSON)


ODD_UNITS = [  # that mean something to some parser; first those without a blank
    *'" "", , ; | . ! - é ( [ { {"a": NaN 1e999 0 [SEP] => <p> </ <b> <!-- <![CDATA['.split(),
    *"&#1; &amp; <w:p>".split(),
    *("\t", "\n", "\r", " ", "\0", "\u0301", "\ud83d", "\ufeff", "1\n", "a ", "a-\n", '{"a":1}\n'),
    *("<!-- -->", "<?xml ", "<a b='", "1\n00:00:01,000 --> 00:00:02,000\n"),
]


def repeated(most: int) -> st.SearchStrategy[str]:
    """Signs that mean something to a parser, alone or very often."""
    times = st.sampled_from([n for n in (1, 30, 1000, 30_000) if n <= most])
    unit = st.sampled_from(ODD_UNITS)
    run = st.tuples(unit, times).map(lambda pair: pair[0] * pair[1])
    return st.lists(unit | run | st.text(max_size=9), max_size=5).map("".join)


@st.composite
def lying(draw: st.DrawFn, archive: bytes) -> bytes:
    """A zip whose directory says something else of one file: its flags, method, digest, sizes, place ..."""
    raw = bytearray(archive)
    at = draw(
        st.sampled_from(
            [raw.find(b"PK\x01\x02"), raw.rfind(b"PK\x01\x02"), raw.rfind(b"PK\x05\x06")]
        )
    )
    place = max(at, 0) + draw(st.sampled_from([8, 10, 12, 16, 20, 24, 28, 30, 32, 38, 42]))
    if place + 4 <= len(raw):
        struct.pack_into("<L", raw, place, draw(st.sampled_from([0, 1, 99, 2**31, 2**32 - 1])))
    return bytes(raw)


@st.composite
def broken(draw: st.DrawFn, sound: Sound) -> bytes:
    """A sound file with some of its bytes changed, cut out or doubled."""
    raw = bytearray(sound)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(raw) - 1, 0)))
        stop = at + draw(st.sampled_from([1, 1, 4, 64]))
        raw[at:stop] = draw(
            st.one_of(
                st.sampled_from([b"", bytes(raw[at:stop]) * 2, b"\xff" * 4, b"\0"]),
                st.binary(min_size=1, max_size=8),
            )
        )
    return bytes(raw)
