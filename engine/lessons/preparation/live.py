"""The live part of the page: the steps of a pipeline over the typed text, its tokens
with their numbers, and the stems of its words."""

from __future__ import annotations

from typing import Any

from engine.live.reader import describe_unread
from engine.live.reply import Reading, ReadingPart, unread
from engine.live.request import Request
from engine.live.stage import Panel, Stage
from engine.live.window import Window
from engine.text.preparation import lancaster, lemma, pipeline, porter, snowball
from engine.text.preparation.base import Prepared, words
from engine.text.preparation.pipeline import STRAIGHT, Pipeline, Span

READER = "prepared"
MOST_WORDS = 40
PRESETS = (
    ("Usual order", STRAIGHT),
    ("For search", f"{STRAIGHT}-stopwords.sklearn-snowball.english"),
    (
        "Punctuation first",
        "case.lower-punctuation.strip-symbols.remove-space.one-contractions-money.plain-numbers.plain",
    ),
    ("No steps", "none"),
)


def prepared(text: str, characters: Window, request: Request) -> list[Reading]:
    """No model: every reply is of the whole part of the text that is shown."""
    first, stop = characters
    steps = request.look.get("steps", STRAIGHT)
    return [Reading(told(text[first:stop], Pipeline.read(str(steps)), first))]


def bounds(text: str, characters: Window) -> Window:
    """The characters to show; a part begins behind white space where there is some near."""
    first, stop = characters
    near = range(first - 1, min(first + 40, stop)) if first else ()
    return next((i + 1 for i in near if text[i].isspace()), first), stop


def told(text: str, chain: Pipeline, offset: int = 0) -> ReadingPart:
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
    said = {
        "steps": chain.write(),
        "typed": parts(typed, places[0]),
        "rows": rows,
        "ids": pipeline.numbered(tokens),
        **stems(text, chain),
    }
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


def stems(text: str, chain: Pipeline) -> dict[str, Any]:
    """Each different word of the text, its three stems and its lemma, in the language that a step
    of the pipeline names."""
    language = next((s.choice for s in chain.active if s.id == "snowball"), "english")
    code = next((s.choice for s in chain.active if s.id == "lemma"), "en")
    found = list(dict.fromkeys(word[0].lower() for word in words(text)))
    kept = found[:MOST_WORDS]

    def row(w: str) -> list[Any]:
        cut = porter.stem(w), snowball.stem(w, language), lancaster.stem(w), lemma.lemma(w, code)
        return [w, *cut, porter.trace(w)]

    return {
        "stems": list(map(row, kept)),
        "left": len(found) - len(kept),
        "languages": [snowball.LANGUAGES[language], lemma.LANGUAGES[code]],
    }


def stage() -> Stage:
    stems("Words", Pipeline())  # opens the stemmers and the list of lemmas
    kinds = [
        {"id": id, "title": kind.title, "says": kind.says, "choices": list(kind.choices.items())}
        for id, kind in pipeline.kinds().items()
    ]
    panels = (
        Panel(
            "preparation",
            "preparation",
            "Step by step",
            "Each row is a step that works on the result of the row above. Removed text is"
            " struck out, new text is highlighted, and a dotted line marks what a rule left"
            " alone: point at it for the reason.",
            {"steps": STRAIGHT, "kinds": kinds, "presets": PRESETS},
        ),
        Panel(
            "ids",
            "ids",
            "Tokens and their numbers",
            "What a model receives: each different token has a number, in the order of first"
            " appearance. Equal numbers have equal colours. 0 is reserved for padding.",
            {"column": "left"},
        ),
        Panel(
            "stems",
            "stems",
            "Every word cut four ways",
            "Three stemmers cut off endings by rules; a list gives the lemma. Point at a word"
            " for Porter’s rules.",
            {"column": "right"},
        ),
    )
    return Stage(
        (),
        panels,
        most=600,
        columns=(1, 1),
        unread=prepared,
        bounds=bounds,
        drawn=lambda text, characters: {},
        described=(describe_unread(READER, "The prepared text", "tokens"),),
    )


LIVE = stage
