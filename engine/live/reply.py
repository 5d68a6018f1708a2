"""Reply: what answers one request, and the one description of its protocol for both sides.

How they talk
    The browser (assets/live/live.js) sends a message (engine/live/request.py) and gets one reply,
    whose `seq` is that of the message; at most one message is on its way.  The reply is bytes
    (engine/live/wire.py): a header in JSON, then float32 numbers, then perhaps a file.  The
    dictionaries below are that JSON, key by key.

What the browser keeps
    A reply holds what the text on the browser's screen (`base` of the message) does not share with
    the new text.  Of each reader it keeps the lists of its first `keep` tokens and appends what
    came: labels, spans, bits, top, found, moves and notes, one entry for each token from `keep`
    on.  Of each field it keeps `keep` positions of the field's own: a field that a later token may
    change says 0 and is whole.  Along the first axis of the text (token, query or key) the numbers
    of a field are those of the positions from `keep` on; where a second axis of the text follows,
    each row is whole, and kept rows get `fill` for the keys that are new.  A field that a reply does
    not name stays as it is.
    A reply that keeps more than the browser has, or keeps something of another `offset`, is not
    drawn: the browser asks for everything, with `base` and `have` null.

Shapes    T = tokens shown
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.trace import Field, Trace
from engine.live import delta, derived
from engine.live.shown import Shown
from engine.live.top import Rows, top

IMPOSSIBLE = 1e9  # bits of what has probability 0: JSON has no infinity


class Header(TypedDict):
    """The JSON of a reply.

    page      the page it is of: a browser that shows another one asks for everything
    seq       that of the message it answers; 0 where none came yet
    text      the text it is of
    start     first character of the part that is shown
    stop      the character behind it
    refresh   another one than before: nothing of the screen stays
    layout    readers and panels; of a browser that has it already only its `hash`
    waits     the part asked for is not shown yet: the share (0 to 1) that is read of what stands
              before it.  None: it is shown
    notes     sentences for the line below the text box
    initial   what a page begins with, as long as the browser has nothing
    socket    the key under which the page may ask past the script (engine/live/socket.py)
    turn      this text is an example of the model before: the first of the new ones takes its place
    strip     the overview of a long text, where it was asked for
    file      a file that was wished for
    readings  one for each reader, in the order of the layout
    """

    page: str
    seq: int
    text: str
    notes: list[str]
    start: NotRequired[int]
    stop: NotRequired[int]
    refresh: NotRequired[str]
    waits: NotRequired[float | None]
    layout: NotRequired[Mapping[str, Any]]
    initial: NotRequired[Initial]
    socket: NotRequired[str]
    turn: NotRequired[bool]
    strip: NotRequired[Strip]
    file: NotRequired[dict[str, Any]]
    readings: NotRequired[list[ReadingPart]]


class Initial(TypedDict):
    """What a page begins with: its text, what the link chose, and which part of a long text it
    opens (`zoom`: the characters of the strip)."""

    text: str
    selection: dict[str, Any]
    start: NotRequired[int]
    zoom: NotRequired[list[int]]


Strip = TypedDict(
    "Strip",
    {
        "from": int,
        "to": int,
        "reader": str,
        "read": float,
        "done": bool,
        "mean": list[float | None],
        "max": list[float | None],
        "peaks": list[list[Any]],
        "says": str,
    },
)
"""The overview of the characters `from` to `to` of the text.

reader     whose bits they are
read       share of the text that is read (0 to 1); `done`: all of it
mean, max  bits per character in each column; None: nothing known there
peaks      the most surprising tokens: [start, stop, label, bits, number of the token]
says       what one has to know besides
"""


class FieldPart(TypedDict):
    """Where the numbers of a field are.

    axes   names of its axes
    shape  of the whole field, T long along the axes of the text
    keep   leading positions along the text that the browser keeps
    at     the first of its numbers among the float32 numbers of the reply
    count  how many there are
    fill   what a kept row gets for new keys; None: minus infinity, of a masked score
    grows  the axis that `keep` counts along, where it is none of the text
    names  of several fields of one shape that are sent together, one after another; `count` is that of
           each, and `name` is none of them.  What is kept of them came with the reply that the message
           names (`base_seq`), whatever the tokens are
    """

    name: str
    axes: tuple[str, ...]
    shape: list[int]
    keep: int
    at: int
    count: int
    fill: int | None
    grows: NotRequired[list[int]]
    names: NotRequired[Sequence[str]]


class Source(TypedDict):
    """The tokens of a text that is read beside the one shown."""

    labels: Sequence[str]
    spans: Sequence[Sequence[int]]
    unknown: Sequence[int]


class Find(TypedDict):
    """A word that is looked up, the vocabulary's word it is read as, and what to say of that."""

    word: str
    label: str
    says: str


class Falloff(TypedDict):
    """How a distribution falls off: at each of R ranks the probability there and the mass down to
    there; `needed` words hold 50, 90 and 99 % of it."""

    ranks: list[int]
    p: list[float]
    mass: list[float]
    needed: list[int]


class Curve(Falloff):
    """The same of what can come after one token of the text."""

    token: int


class Looked(TypedDict):
    """What a reader looked up.

    find   the word looked up; `found` holds for each token [probability, place, others with the
           same probability] and, of n-grams, the orders it comes from
    extra  how all that can come after one token falls off
    """

    find: NotRequired[Find]
    found: NotRequired[list[list[Any]]]
    extra: NotRequired[Curve]


class ReadingPart(Looked):
    """What one reader makes of the part shown.

    id       of the reader
    keep     tokens whose entries in the lists the browser keeps; the lists begin behind them
    offset   number of the first token shown, in the whole text
    total    tokens of the whole text
    labels   the tokens as the reader sees them
    spans    the characters (start, stop) of each; (0, 0) for a start mark
    unknown  positions, among all T tokens shown, of those not in the vocabulary
    bits     surprisal of each; None where nothing predicts it, 1e9 where it is impossible
    top      what is expected after each: [[label, number, ...], ...], the largest first.  After a
             probability of n-grams follow the orders it comes from, each [part, count, total,
             discount]; after a cosine the place on the map
    fields   numbers of the model, or of the page
    source   of a text that is read beside this one: its tokens
    lost     the characters (start, stop) of what is shown that no token stands for, where there are
             any: its tokenizer has no piece for them
    moves    what edits change most after each token: [[label, p before, p edited], ...]
    notes    what the page says of each token, drawn by panels of its own
    said     what the page says of the text, drawn by panels of its own; the browser keeps each
             entry until it is said anew
    """

    id: str
    keep: int
    offset: int
    total: int
    labels: Sequence[str]
    spans: Sequence[Sequence[int]]
    unknown: Sequence[int]
    bits: list[float | None]
    top: Rows
    fields: NotRequired[list[FieldPart]]
    source: NotRequired[Source]
    lost: NotRequired[Sequence[Sequence[int]]]
    moves: NotRequired[Rows]
    tops: NotRequired[dict[str, Any]]  # per field the largest numbers of its rows
    notes: NotRequired[list[Any]]
    said: NotRequired[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Together:
    """Several fields of one shape in a reply: `values` (fields, ...) of the positions of the first axis
    behind the `keep` that the browser keeps."""

    names: Sequence[str]
    axes: tuple[str, ...]
    values: np.ndarray
    keep: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """The numbers of one field in a reply.

    before  positions shown before those of the field, which the browser keeps
    skip    leading positions of the field that the browser keeps too
    """

    field: Field
    before: int = 0
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Extra:
    """What a page adds to a reader's part of a reply; the lists and fields are of the tokens from
    `shown.keep` on."""

    said: Mapping[str, Any] = field(default_factory=dict)
    notes: list[Any] | None = None
    moves: Rows | None = None
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One reader's part of a reply: its JSON, and its fields, one by one and several together."""

    part: ReadingPart
    fields: tuple[Sent, ...] = ()
    together: tuple[Together, ...] = ()

    def add(self, extra: Extra) -> Reading:
        """The same with what a page adds."""
        part = self.part.copy()
        if extra.said:
            part["said"] = {**part.get("said", {}), **extra.said}
        if extra.notes is not None:
            part["notes"] = extra.notes
        if extra.moves is not None:
            part["moves"] = extra.moves
        more = (Sent(field, part["keep"]) for field in extra.fields)
        return Reading(part, (*self.fields, *more), self.together)


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole answer.  `blob` is a file to save; header["file"] says what it is."""

    header: Header
    readings: Sequence[Reading] = ()
    blob: bytes = b""


def read(shown: Shown, trace: Trace, keep: int | None = None, *, fields: bool = True) -> Reading:
    """A reader's part of a reply: what the browser does not have of it yet.

    trace  the numbers of all tokens shown, or only of the last of them (`delta.find_fresh`)
    keep   no more than so many tokens are the same, whatever `shown` says
    fields whether there are any to send: those that a reply does not name stay as they are
    """
    reader = shown.reader
    most = shown.same if keep is None else keep
    listed = min(shown.keep, most)
    begun = trace.offset - shown.window[0]  # tokens shown before those of the trace
    first = listed - begun
    made: list[Field] = []
    if fields and len(trace):
        made += [trace.field(name) for name in reader.fields]
        if derive := reader.derive:
            made += derived.once(trace, derive, lambda: derive(trace))
    part = outline(shown, listed)
    if "probability" in trace:
        part["bits"] = listed_bits(surprisal(trace, first))
    part["top"] = top(reader, trace, first) if len(trace) else []
    sent = (Sent(f, begun, min(delta.count_kept(shown, f.spec), most) - begun) for f in made)
    return Reading(part, tuple(sent))


def listed_bits(bits_T: np.ndarray) -> list[float | None]:
    """Surprisals as a reply lists them: None for nan, IMPOSSIBLE for infinity."""
    found: list[float | None] = (bits_T.round(5) + 0.0).tolist()
    for i in np.flatnonzero(~np.isfinite(bits_T)).tolist():
        found[i] = None if np.isnan(bits_T[i]) else IMPOSSIBLE
    return found


def outline(shown: Shown, keep: int) -> ReadingPart:
    """The JSON of the tokens shown, from `keep` on, without any number."""
    tokens = shown.part
    part: ReadingPart = {
        "id": shown.reader.id,
        "keep": keep,
        "offset": shown.window[0],
        "total": len(shown.tokens),
        "labels": tokens.labels[keep:],
        "spans": tokens.spans[keep:],
        "unknown": tokens.unknown,
        "bits": [None] * (len(tokens) - keep),
        "top": [],
    }
    if (source := tokens.source) is not None:
        part["source"] = {"labels": source.labels, "spans": source.spans, "unknown": source.unknown}
    if lost := (*tokens.lost, *(source.lost if source else ())):
        part["lost"] = lost
    return part


def unread(
    id: str,
    labels: Sequence[str],
    spans: Sequence[Sequence[int]],
    said: dict[str, Any],
    unknown: Sequence[int] = (),
    lost: Sequence[Sequence[int]] = (),
) -> ReadingPart:
    """The JSON of tokens that no model reads: all of them, and nothing expected."""
    return {
        "lost": lost,
        "id": id,
        "keep": 0,
        "offset": 0,
        "total": len(labels),
        "labels": labels,
        "spans": spans,
        "unknown": unknown,
        "bits": [None] * len(labels),
        "top": [],
        "said": said,
    }
