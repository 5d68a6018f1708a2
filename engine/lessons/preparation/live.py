"""The live part of the page: the steps of a pipeline over the typed text, and its tokens with their
numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.frame import picture as pic
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import ReadingPart, unread
from engine.live.stage import Stage
from engine.live.window import Window
from engine.text.preparation import pipeline
from engine.text.preparation.base import Prepared
from engine.text.preparation.pipeline import STRAIGHT, Pipeline, Span

READER = "prepared"
PRESETS = (
    ("Usual order", STRAIGHT),
    ("For search", f"{STRAIGHT}-stopwords.sklearn-snowball.english"),
    (
        "Punctuation first",
        "case.lower-punctuation.strip-symbols.remove-space.one-contractions-money.plain-numbers.plain",
    ),
    ("No steps", "none"),
)


def bounds(text: str, characters: Window) -> Window:
    """The characters to show; a part begins behind white space where there is some near."""
    first, stop = characters
    near = range(first - 1, min(first + 40, stop)) if first else ()
    return next((i + 1 for i in near if text[i].isspace()), first), stop


def pack_text(text: str, chain: Pipeline, offset: int = 0) -> ReadingPart:
    """What the browser draws of a text and a pipeline."""
    done = chain.run(text)
    tokens = (done[-1].after if done else text).split()
    places = pipeline.cut(done, text)
    warned = chain.warnings()
    rows, made = [], zip(done, places[1:], strict=True)
    for n, step in enumerate(chain.steps):
        warns = [w for place, w in warned if place == n]
        row: dict[str, Any] = {"id": step.id, "choice": step.choice, "on": step.on, "warned": warns}
        if step.on:
            now, spans = next(made)
            row |= {"count": now.count, "parts": parts(now, spans) if now.changes else None}
        rows.append(row)
    typed = Prepared(text, text, ())
    said = {"steps": chain.write(), "typed": parts(typed, places[0]), "rows": rows}
    return unread(READER, tokens, [[a + offset, b + offset] for a, b in places[0]], said)


def parts(done: Prepared, spans: list[Span]) -> list[list[Any]]:
    """The text after a step in pieces: [text, what it was before or None, why, token or -1]."""
    found: list[list[Any]] = []
    t, at = 0, 0

    def plain(stop: int) -> None:
        nonlocal t, at
        while at < stop:
            while t < len(spans) and spans[t][1] <= at:
                t += 1
            inside = t < len(spans) and spans[t][0] <= at
            end = min(stop, (spans[t][1] if inside else spans[t][0]) if t < len(spans) else stop)
            found.append([done.after[at:end], None, "", t if inside else -1])
            at = end

    for change in done.changes:
        a, b = change.after
        plain(a)
        while t < len(spans) and spans[t][1] <= a:
            t += 1
        inside = t < len(spans) and spans[t][0] < max(b, a + 1) and (spans[t][0] < a or b > a)
        found.append([change.now, change.was, change.why, t if inside else -1])
        at = b
    plain(len(done.after))
    return found


IDS = pic.Picture(
    "ids",
    pic.Lanes((pic.Lane("token", "{token}", strong=True), pic.Lane("number", "{number:n}"))),
    "Tokens and their numbers",
    says="What a model receives: each different token has a number, in the order of first appearance. 0 is reserved for"
    " padding.",
    tell=(
        "{tokens:n} {tokens|token|tokens}, {kinds:n} different: a vocabulary of {kinds:n} plus padding. “{token}” is"
        " number {number:n}[, {times:n} times here].",
        "No tokens are left. Type something, or switch a step off.",
    ),
    table=pic.table("token", "token: {token} | number: {number:n}"),
)


def steps(_model: object) -> dict[str, Any]:
    kinds = [
        {"id": id, "title": kind.title, "says": kind.says, "choices": list(kind.choices.items())}
        for id, kind in pipeline.kinds().items()
    ]
    return {"steps": STRAIGHT, "kinds": kinds, "presets": PRESETS}


STEPS = pic.Picture(
    "preparation",
    pic.Drawn("preparation", steps),
    "Step by step",
    says="Each row is a step that works on the result of the row above. Removed text is struck out, new text is"
    " highlighted, and a dotted line marks what a rule left alone: point at it for the reason.",
)
PICTURES = pic.Live((), (STEPS, IDS), most=600)


def read(text: str, shown: Window, asks: Mapping[str, object]) -> tuple[ReadingPart, pic.Derived]:
    """Every reply is of the whole part of the text that is shown."""
    first, stop = shown
    part = pack_text(text[first:stop], Pipeline.read(str(asks.get("steps", STRAIGHT))), first)
    ids_T = np.array(pipeline.numbered([*part["labels"]]), int)
    times_T = np.bincount(ids_T, minlength=1)[ids_T]
    token = ("token",)
    return part, {
        "number": (token, ids_T),
        "times": (token, np.where(times_T > 1, times_T, np.nan)),
        "kinds": ((), len(np.unique(ids_T))),
    }


def stage() -> Stage:
    reader = describe_unread(READER, "The prepared text", "tokens")
    return declared.unread(PICTURES, reader, read, bounds)


LIVE = stage
