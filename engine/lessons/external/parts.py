"""How long a text a machine with a memory copies, and what it says when one of its heads is put elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine import frame as fr
from engine.core.trace import Kind, Trace
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.external import copies
from engine.lessons.external.heads_moved import HEADS, WAYS, moved, says
from engine.lessons.external.live import MARK
from engine.models.abilities import able
from engine.models.ntm import NTM
from engine.text.corpora.repeats import LETTERS, LONGEST

EXAMPLE, MOST = "bhacegda=bhacegda", 60
SIZES = (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 30, 40)
SLOTS = (8, 12, 16, 24, 32, 48, 64)


@fr.part("How long a copy", was=("slots", "lengths"))
def lengths(
    models: Mapping[str, Any],
    slots: int = fr.pick(
        "Slots of the memory",
        lambda given: sorted({*SLOTS, given["models"]["ntm"].config.slots}),
        lambda given: given["models"]["ntm"].config.slots,
        few=True,
    ),
) -> fr.Blocks:
    yield (
        "No weight belongs to a slot, so the same machine runs with more of them, or fewer: does it copy lines that"
        " are longer than any in its training?"
    )
    machine = copies.with_slots(able(models["ntm"], NTM), slots)
    yield fr.Progress(0.0, "Copying random lines…")
    series = {_("NTM, {slots} slots", slots=slots): (SIZES, copies.measure_copying(machine, SIZES))}
    if "lstm" in models:
        series["LSTM"] = SIZES, copies.measure_copying(models["lstm"], SIZES)
    yield fr.curves(
        "lengths",
        "Letters copied correctly, by the length of the text.",
        series,
        "letters to copy",
        "share right",
        _(
            "24 random lines of each length. In training no line had more than {longest} letters; a guess is right in"
            " 1 of {letters}.",
            longest=LONGEST,
            letters=len(LETTERS),
        ),
        low=0,
        high=1,
        of_series="series",
        tight=False,
    )


def letters(given: fr.Others) -> Sequence[str]:
    return able(given["models"]["ntm"], NTM).tokens(given["text"]).labels or ("",)


def start(given: fr.Others) -> int:
    """The second letter behind the mark."""
    tokens = letters(given)
    return min(len(tokens) - 1, tokens.index(MARK) + 2) if MARK in tokens else len(tokens) - 1


def write_token(token: str) -> str:
    return "⏎" if token == "\n" else token


@fr.part("Put a head elsewhere", was=("moved_head", "moved_way", "moved_at"))
def elsewhere(
    models: Mapping[str, Any],
    text: str = fr.typed(
        "Letters, the mark and the same letters", EXAMPLE, MOST, live=True, along=True
    ),
    head: str = fr.pick("Head", HEADS, width=180),
    way: str = fr.pick("What it does", WAYS, width=260),
    at: int = fr.slider(
        "At letter", 0, lambda given: max(1, len(letters(given)) - 1), start, width=200
    ),
    *,
    slot: int = fr.slider("Slot", 0, lambda given: given["models"]["ntm"].config.slots - 1, 5),
    gate: float = fr.slider("Share of content", 0.0, 1.0, 1.0, 0.05),
) -> fr.Blocks:
    yield (
        "The heads are the machine's only way to the memory. Put one elsewhere at a letter: on a slot"
        " of your choice, or by another key. Every later step goes on from there."
    )
    model = able(models["ntm"], NTM)
    tokens = model.tokens(text).labels
    if len(tokens) < 2:
        raise ValueError("Type some letters above.")
    at = min(at, len(tokens) - 1)
    yield fr.Controls(["gate" if way == "gate" else "slot"])
    traces = moved(model, text, head, way, at, gate if way == "gate" else slot)
    first = min(at, tokens.index(MARK)) if MARK in tokens else 0
    said, new = map(says, traces)
    likely = traces[1].field("probability").values.max(-1)
    lines = {
        "what it reads": [write_token(token) for token in tokens],
        "says next": [write_token(token) for token in said],
        "says, changed": [write_token(token) for token in new],
        "probability, changed": [number(float(p), share=True) for p in likely],
    }
    heads = ("", *(str(t) for t in range(first, len(tokens))))
    yield fr.table(heads, [(name, *cells[first:]) for name, cells in lines.items()])
    before, after = (
        number(float(one.field("probability").values[at].max()), share=True) for one in traces
    )
    yield _(
        "Changed at letter {at}, “{letter}”: the likeliest next letter is another one at **{changed}** of {all} places"
        " from there on. At letter {at} the likeliest had {before}, and now one has {after}.",
        at=at,
        letter=escaped(write_token(tokens[at])),
        changed=sum(a != b for a, b in zip(said, new, strict=True)),
        all=len(tokens) - at,
        before=before,
        after=after,
    )
    yield fr.Beside(
        [
            [address(name, title, one, head, text)]
            for name, title, one in zip(
                ("moved_plain", "moved_other"), ("As it is", "Changed"), traces, strict=True
            )
        ]
    )


def address(name: str, note: str, trace: Trace, head: str, text: str) -> fr.Chart:
    made = trace.field(f"{head}.address")
    return fr.grid(
        name,
        "Weight of each slot",
        made.values,
        ("token", [write_token(label) for label in made.axis("token").labels]),
        ("slot", range(made.values.shape[1])),
        Kind.ATTENTION,
        note,
        text,
        fluid=True,
    )


PARTS = (lengths, elsewhere)
