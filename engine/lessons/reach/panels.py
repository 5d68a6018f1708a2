"""How far learning reaches: of several models, the gradient of each word's loss with respect to the
vectors of the tokens before it.  No key waits for a row: it is asked for in a second message, soon
after the picture of a finished word, and in a moment of rest that of the word which is still being typed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.analysis import backpropagation
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.before import carried, walked_to
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked
from engine.live.reader import Reader
from engine.live.reply import Extra, Reading, Sent, outline
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.live.window import Window, tokens
from engine.models.abilities import able
from engine.models.neural import NeuralLanguageModel
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

SHOWN = 120  # characters at once
ROW = "row"  # what is asked for in a second message
UNITS = {"chars": "characters", "words": "words", "bytes": "bytes"}
INPUT = FieldSpec(
    "gradient.input",
    Kind.GRADIENT,
    ("query", "key"),
    "Length of the gradient of a word's loss, up to its last token, with respect to the "
    "vector of an earlier token.",
    "‖∂L/∂x‖",
    "nats",
)


def stage(runs: Sequence[Run], titles: Sequence[str]) -> Stage:
    """ValueError for a run that is no language model which learns by gradients."""
    readers = []
    for n, (run, title) in enumerate(zip(runs, titles, strict=True)):
        model = cache.model(run, NeuralLanguageModel)
        unit = UNITS.get(model.tokenizer.id, "tokens")
        found = backpropagation.bounds(model) if isinstance(model, RecurrentModel) else []
        reader = Reader(
            f"m{n}",
            title,
            model,
            run.id,
            unit,
            top="" if n else "probability",
            most=8,
            colour=n,
            derived=(INPUT,),
            more={"bound": max(found, default=None)},
        )
        readers.append((reader, run))
    panels = (
        Panel(
            "arcs",
            "reacharcs",
            "How far back each word teaches",
            "From the word looked at, an arc to every word before it: how much the word's loss would"
            " change with that word's vectors, as a share of all. Point at another word.",
            {"column": "left"},
            matrix,
        ),
        Panel(
            "fall",
            "reachfall",
            "Gradient by distance",
            "Averaged over all words of the text: the gradient that many words back, relative to that"
            " of the word just before. Dashed, for a plain recurrent net alone: the bound. In the long"
            " run a step back multiplies a gradient by no more than the largest singular value of its"
            " recurrent weights; gated cells and attention have other ways back.",
            {"column": "right"},
        ),
    )
    return Stage(
        tuple(readers),
        panels,
        most=SHOWN,
        read=read,
        drawn=lambda text, characters: {
            reader.id: drawn(reader, run, text, characters) for reader, run in readers
        },
    )


def matrix(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the numbers of the model looked at, of the first where none is."""
    reader = str(look.get("reader") or "")
    return picked(reader if reader in traces else next(iter(traces)), "heatmap", [INPUT.name])(
        traces, look
    )


def read(shown: Shown, request: Request) -> Reading:
    """Of the first reader what its model expects; of the others, of which nothing else is drawn, the rows alone.

    wish  `from`, the first character of the first word whose row is asked for; `last`, whether that of a word is which
          may be typed on
    """
    wish, keep = request.asks.part(ROW), shown.keep
    found = standard(shown, request) if shown.reader.top else Reading(outline(shown, keep))
    goes_on = shown.window[1] < len(shown.tokens)  # the text, beyond what is shown
    every = words(shown.text, shown.part.spans)
    before = request.base.text if request.base else ""
    end = shown.part.spans[keep - 1][1] if keep else 0
    ended = before[end : end + 1].isspace()
    whole = goes_on or (wish is not None and bool(wish.whole("last")))
    first, groups = due(every, len(shown.part), keep, ended, whole)
    if keep:
        groups = []
    if keep and wish is not None and (begin := wish.whole("from")) is not None:
        groups = [word for word in every if shown.part.spans[word[-1]][1] > begin]
        first = min([first, *(word[0] for word in groups[:1])])
        if not whole and groups and groups[-1][-1] == len(shown.part) - 1:
            groups = groups[:-1]
    sent = Sent(field(shown, groups), skip=first)
    return Reading(found.part, (*found.fields, sent)).add(Extra({ROW: {}} if wish else {}))


def due(
    every: list[list[int]], count: int, keep: int, ended: bool, last: bool
) -> tuple[int, list[list[int]]]:
    """(the first row that may be another one now, the words whose rows may be).

    every  the words, by their tokens
    count  tokens in all
    keep   how many of them the browser knows
    ended  whether a blank stood behind them in the text that it knows
    last   whether a word that the text ends with is computed, too: it may be typed on
    """
    known = [n for n, word in enumerate(every) if word[0] < keep]
    groups = every[known[-1] :] if known else every
    if known and groups[0][-1] < keep - (not ended):  # it was a whole word already
        groups = groups[1:]
    first = min([keep, *(word[0] for word in groups[:1])])
    if keep and not last and groups and groups[-1][-1] == count - 1:
        groups = groups[:-1]
    return first, groups


def field(shown: Shown, groups: Sequence[Sequence[int]]) -> Field:
    """The rows of these words, where they end, and zeros elsewhere."""
    model, part = able(shown.reader.model, NeuralLanguageModel), shown.part
    input_QK = np.zeros((len(part), len(part)), np.float32)
    if groups:
        before, last = carried(shown), groups[-1][-1]
        ends = [group[-1] for group in words(shown.text, part.spans) if group[-1] <= last]
        walked = walked_to(shown, ends, before)
        found = backpropagation.inputs(model, part, groups, before, walked)
        input_QK[[group[-1] for group in groups]] = found
    return Field(INPUT, input_QK, (Axis("query", part.labels), Axis("key", part.labels)))


def words(text: str, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The tokens of each word, but for the first token shown, which nothing here predicts: a word
    begins behind a blank, and tokens that are blanks alone belong to none."""
    found: list[list[int]] = []
    for t, (start, stop) in enumerate(spans):
        written = text[start:stop]
        if not t or not written.strip():
            continue
        begins = written[0].isspace() or not start or text[start - 1].isspace()
        if begins or not found:
            found.append([])
        found[-1].append(t)
    return found


def drawn(reader: Reader, run: Run, text: str, characters: Window) -> Trace:
    """The whole matrix of the part shown, for a file."""
    shown = Shown.of(reader, run, text, characters, tokens(reader.model, text))
    outline = shown.outline
    return Trace(
        outline.text,
        outline.tokens,
        (field(shown, words(shown.text, shown.part.spans)),),
        ids=outline.ids,
        spans=outline.spans,
        unknown=outline.unknown,
        offset=outline.offset,
        total=outline.total,
    )
