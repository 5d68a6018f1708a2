"""Each task shape on the typed text: which trained model shows it, and its panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.core.cell_card import listed
from engine.core.trace import Field, FieldSpec, Kind, Trace
from engine.course import planted
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.abilities import HasNet
from engine.runs.store import Run
from pages.ui import shell
from pages.ui.shapes.shape import CHARACTER, FILM, TAG, WORD, Shape
from pages.ui.shapes.turned import turns

TOKENIZERS = {WORD: "words", CHARACTER: "chars"}
TAGGERS = {"tagger": "Forwards", "tagger_both": "Both ways"}
ENGLISH = "The small black cat ate the mouse"
STEPS = {WORD: 16, CHARACTER: 30}
DRAWN = FieldSpec(
    "drawn", Kind.STATE, ("token",), "Probability of the token that was sampled next.", "P"
)
NO_MODEL = (
    "No model for this shape has been trained yet. Train one with `python -m engine train"
    " {model} --text FILE --out DIR`. assets/runs/README.md describes the format of its text;"
    " `make zoo` trains those that need only plain text."
)


def runs(shape: Shape, example: str) -> list[Run] | str:
    """The chosen runs that show a shape, or the model that is missing."""
    if example == TAG:
        found = [cache.runs(model) for model in TAGGERS]
        if not all(found):
            return next(model for model, some in zip(TAGGERS, found, strict=True) if not some)
        return [
            shell.choose(some, f"shapes_{model}", label=TAGGERS[model], address=f"run_{model}")
            for model, some in zip(TAGGERS, found, strict=True)
        ]
    if example == FILM:
        some = cache.runs("sentiment")
        return [shell.choose(some, "shapes_sentiment")] if some else "sentiment"
    if shape.id == "delayed" and (some := cache.runs("seq2seq")):
        # one vector between reading and writing comes first
        some.sort(key=lambda run: run.note["config"].get("attention") != "none")
        return [shell.choose(some, "shapes_seq2seq", where=shell.bar())]
    # without a translator the delayed shape shows only what is read
    cut = TOKENIZERS.get(example, "words")
    mine = [
        run
        for run in cache.runs_of(*listed())
        if run.note["config"].get("tokenizer") == cut and not planted.text(run.note)
    ]
    return [shell.choose(mine, f"shapes_{cut}")] if mine else f"lstm --set tokenizer={cut}"


def stage(shape: Shape, example: str, found: Sequence[Run], feeds: bool, seed: int) -> Stage:
    make = {
        "one-to-one": one_to_one,
        "in-step": in_step,
        "many-to-one": many_to_one,
        "delayed": delayed,
    }.get(shape.id)
    return make(example, found) if make else one_to_many(example, found, feeds, seed)


def unit(example: str) -> str:
    return "characters" if example == CHARACTER else "tokens"


def diagram(
    shape_title: str, says: str, rows: Sequence[Mapping[str, Any]], figure: Any = None
) -> Panel:
    return Panel("shape", "shapes", shape_title, says, {"rows": rows}, figure)


def one_to_one(example: str, found: Sequence[Run]) -> Stage:
    from engine.analysis.shapes import OneToOne

    run, name = found[0], f"The {example}, from one token"
    model = OneToOne(cache.model(run))
    reader = Reader("alone", run.title, model, run.id, unit(example), top="alone")
    row = {"reader": "alone", "title": name, "reads": "one", "emits": "one"}
    figure = picked("alone", "bars", ["alone"], ["token"], top=12)
    says = (
        "Only the selected token is read, from an empty state. Step through the others: the"
        " same token gets the same answer wherever it occurs."
    )
    bars = Panel(
        "next",
        "bars",
        f"The {example}",
        options={"reader": "alone", "most": 12, "words": True},
        figure=figure,
    )
    return Stage(((reader, run),), (diagram("One step, no memory", says, [row], figure), bars))


def one_to_many(example: str, found: Sequence[Run], feeds: bool, seed: int) -> Stage:
    from engine.analysis.shapes import OneToMany, OneToOne

    run, joint = found[0], "" if example == CHARACTER else " "
    model = cache.model(run, HasNet)
    written = OneToMany(model, STEPS[example], seed, feeds)
    readers = (
        Reader("typed", "The text", OneToOne(model), run.id, unit(example), top=""),
        Reader(
            "written",
            run.title,
            written,
            run.id,
            unit(example),
            top=written.says.name,
            derive=drawn,
            derived=(DRAWN,),
        ),
    )
    row = {
        "reader": "written",
        "title": "Written",
        "reads": "all" if feeds else "first",
        "emits": "all",
        "writes": True,
        "join": joint,
    }
    says = (
        "The seed is the last token you typed. Each sampled token is read at the next step"
        " (dashed), so later inputs are new, but none comes from outside."
        if feeds
        else (
            "The seed is the last token you typed. After it nothing is read: the state evolves"
            " by itself. This model was never trained for that, and it shows."
        )
    )
    bars = Panel(
        "next",
        "bars",
        "What the model expected",
        options={"reader": "written", "most": 12, "words": True},
        figure=picked("written", "bars", [written.says.name], ["token"], top=12),
    )
    return Stage(
        tuple((reader, run) for reader in readers),
        (diagram("A sequence from one seed", says, [row]), bars),
    )


def drawn(trace: Trace) -> tuple[Field, ...]:
    """How probable each token was that was written; 0 behind the last."""
    (p_TV,) = (entry for entry in trace.values() if isinstance(entry, Field))
    p_T = np.zeros(len(trace.ids), np.float32)
    p_T[:-1] = p_TV.values[np.arange(len(p_T) - 1), trace.ids[1:]]
    return (Field(DRAWN, p_T, (p_TV.axis("token"),)),)


def many_to_one(example: str, found: Sequence[Run]) -> Stage:
    run = found[0]
    model = cache.model(run)
    reader = Reader("sentiment", run.title, model, run.id, "tokens", ("label",), top="label")
    row = {
        "reader": "sentiment",
        "title": "What the review says about the film",
        "reads": "all",
        "emits": "last",
        "ghosts": True,
    }
    figure = picked("sentiment", "heatmap", ["label"])
    says = (
        "The answer is the last box. The dashed boxes show the answer if the text had ended"
        " there; each knows only the words up to it."
    )
    lists = Panel(
        "label",
        "tops",
        "The model's answer",
        options={"most": 6},
        figure=picked("sentiment", "bars", ["label"], ["token"]),
    )
    return Stage(((reader, run),), (diagram("One answer at the end", says, [row], figure), lists))


def in_step(example: str, found: Sequence[Run]) -> Stage:
    if example == TAG:
        return tags(found)
    run, name = found[0], f"The {example}, predicted at each step"
    reader = Reader("lstm", run.title, cache.model(run), run.id, unit(example))
    row = {"reader": "lstm", "title": name, "reads": "all", "emits": "all"}
    figure = picked("lstm", "bars", ["probability"], ["token"], top=12)
    says = (
        "A language model answers at every step: what will the next token be? It has read all"
        " tokens up to that point and none after."
    )
    bars = Panel(
        "next",
        "bars",
        f"The {example}",
        options={"reader": "lstm", "most": 12, "words": True},
        figure=figure,
    )
    each = diagram("One answer for each token", says, [row], figure)
    return Stage(((reader, run),), (each, bars))


def tags(found: Sequence[Run]) -> Stage:
    readers = []
    for n, run in enumerate(found):
        of, title, model = run.model, TAGGERS[run.model], cache.model(run)
        tagger = Reader(of, title, model, run.id, "tokens", ("tag",), top="tag", colour=n)
        readers.append((tagger, run))
    rows: list[Mapping[str, Any]] = [
        {
            "reader": "tagger",
            "title": "Forwards",
            "says": "a tag knows only the words up to its own",
            "reads": "all",
            "emits": "all",
        },
        {
            "reader": "tagger_both",
            "title": "Both ways",
            "says": "a second chain reads from the end",
            "reads": "all",
            "emits": "all",
            "both": True,
            "against": "tagger",
        },
    ]
    says = (
        "A thick frame: the two directions disagree. Type on and watch earlier tags: Forwards"
        " can never change them, Both ways can."
    )
    lists = Panel(
        "tags",
        "tops",
        "Which part of speech?",
        options={"place": "at", "most": 6},
        figure=picked("tagger", "heatmap", ["tag"]),
    )
    both = picked("tagger_both", "heatmap", ["tag"])
    return Stage(
        tuple(readers),
        (diagram("One tag for each word", says, rows, both), lists),
        settled=partial(turns, found[1]),
    )


def delayed(example: str, found: Sequence[Run]) -> Stage:
    from engine.analysis.shapes import Delayed, OneToOne
    from engine.models.translating import TranslatingModel

    run = found[0]
    model = cache.model(run)
    if isinstance(model, TranslatingModel):
        translator = Delayed(model)
        reader = Reader(
            "delayed",
            run.title,
            translator,
            run.id,
            "tokens",
            top="delayed",
            more={"start": translator.start},
        )
        row = {
            "reader": "delayed",
            "title": "English in, French out",
            "reads": "all",
            "emits": "behind",
        }
        says = (
            "It reads to the end of the English without an answer. Then it starts to write: each"
            " word is read again at the next step (dashed). The encoder also reads backwards; that"
            " chain is not drawn."
        )
        figure = picked("delayed", "bars", ["delayed"], ["token"], top=12)
        panel = diagram("The answer begins after the whole text", says, [row], figure)
        return Stage(((reader, run),), (panel,))
    reader = Reader("typed", "The text", OneToOne(model), run.id, "tokens", top="")
    empty: dict[str, Any] = {
        "reader": "typed",
        "title": "Read first, then answer",
        "reads": "all",
        "emits": "none",
        "later": True,
    }
    says = (
        "The boxes with a question mark stay empty: how many there are and what they contain has"
        " to be learned from pairs of texts, such as a sentence and its translation. No translator"
        " has been trained yet."
    )
    after = diagram("The answer begins after the whole text", says, [empty])
    return Stage(((reader, run),), (after,))
