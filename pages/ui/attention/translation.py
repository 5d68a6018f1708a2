"""The live part of the Cross-attention page: one encoder-decoder, its heads over source and target, and what it would write next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import decode, reading
from engine.costs import layers
from engine.reading import Reader
from engine.runs import Run
from engine.trace import Field, FieldSpec, Kind, Trace
from pages.ui.attention import decoding_work, decoding_written
from pages.ui.drawing import picked
from pages.ui.plain import escape
from pages.ui.stage import Panel, Stage, turn

READER = "translator"
MOST_WORDS = 800
ENDS = FieldSpec("ends", Kind.LOSS, ("token",), "Surprise if the text ended after each token.", "s", "bits")
Base = tuple[str, int | None] | None


class Translation(Stage):
    """Besides its panels, the stage answers the wish for a beam search."""

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        parts, characters = super().answers(text, start, base, ask)
        if isinstance(wish := ask.get("beams"), dict):
            with turn():
                parts[0][0]["said"] = {"beams": self.beams(text, wish)}
        return parts, characters

    def beams(self, text: str, wish: Mapping[str, Any]) -> dict[str, Any]:
        """The search as far as it has come; it goes on from what is written of the target."""
        (reader, run), of = self.readers[0], wish.get("of")
        order = decoding_written.order("beams", wish)
        tokens = reading.tokens(reader.model, text)
        key = ("beams", str(run.folder), run.note.get("recipe"), text, order)
        found = decoding_work.of(key, lambda: decoding_written.beams(decode.read(reader.model, tokens), order)).go()
        told = decoding_written.told("beams", reader.model, int(tokens.ids[-1]), order, found.made)
        return {"of": of if isinstance(of, int) else 0, "done": found.done, "problem": found.problem, **told}


def ends(trace: Trace, end: int) -> tuple[Field, ...]:
    p_TV = trace.field("probability")
    bits_T = -np.log2(np.maximum(p_TV.values[:, end], np.finfo(np.float32).tiny)) + 0.0  # of 1 it is 0, not -0
    return (Field(ENDS, bits_T.astype(np.float32), p_TV.axes[:1]),)


def sides(run: Run) -> tuple[str, str]:
    """What the two texts are called: those of the shipped model are languages, those of a checkpoint may be anything."""
    return ("English", "French") if run.note.get("config", {}).get("tokenizer") == "words" else ("source", "target")


def prompt(run: Run) -> str:
    first, second = sides(run)
    return f"The {first} on the first line, the {second} on the second, as far as you like"


def known(model: Any) -> str:
    """The words of both languages, as one vocabulary."""
    words = sorted((word for word in model.tokenizer.vocab if word[:1].isalpha()), key=str.casefold)
    shown = ", ".join(escape(word) for word in words[:MOST_WORDS])
    return (
        f"It learned from sentences of a small grammar, so it knows {len(words):,} words and no others; any other word is read as *unknown*, and the translation goes astray there. "
        f"Both languages share one list: {shown}{' …' if len(words) > MOST_WORDS else ''}"
    )


def stage(run: Run, model: Any) -> Translation:
    """What every translator has; and what its attention looks at, where it has one."""
    tokenizer, config = model.tokenizer, model.config
    end, promised = tokenizer.boundary, {spec.name for spec in model.spec()}
    fields = tuple(name for name in ("cross.attention", "attention", "encoder.attention") if name in promised)
    reader = Reader(
        READER, run.title, model, run.id, "tokens", fields, most=10, derive=lambda trace: ends(trace, end), derived=(ENDS,),
        more={"end": tokenizer.vocab[end], "context": config.context, "join": " " if config.tokenizer in ("words", "whitespace") else "", "labels": {}},
    )  # fmt: skip
    first, second = sides(run)
    here = {"reader": READER, "sides": (first, second)}
    given = "Each word with the probability it was given. Dotted: the model would have written another."
    if not fields:
        given += f" This model has no attention: of the {first} it has only the {_start(model)} numbers in which its decoder starts, however long the sentence is."
    write = Panel("write", "writeon", "Translate, word by word", given, here)
    cross = Panel(
        "cross", "cross", "Where each step looks",
        f"Above the {first}, below the {second}. A step has read one word of the {second} and is about to write the next: point at it to see where it looks.",
        {**here, "column": "left"}, picked(READER, "heatmap", ["cross.attention"], ["layer", "head"]),
    )  # fmt: skip
    lanes = Panel(
        "lanes", "lanes", "Training: the target, moved one place to the right",
        f"While it is trained the decoder reads the right {second} (teacher forcing), one place late, and shall write each next word. Type a line of {second} and see what each place costs.",
        {**here, "column": "left"},
    )  # fmt: skip
    guess = Panel(
        "next", "bars", "Next token", options={**here, "column": "right", "words": True, "most": 8},
        figure=picked(READER, "bars", ["probability"], ["token"], top=8),
    )  # fmt: skip
    beam = Panel("beam", "beam", "Greedy or beam search", options={**here, "alone": True})
    heads = getattr(config, "heads", 1)
    several = heads * config.layers > 1 and "attention" in fields
    panels = (write, *((cross,) if fields else ()), lanes, guess, *(_towers(config, len(tokenizer.vocab), here) if several else ()), beam)
    selection = {"layer": config.layers - 1 if several else 0, "head": 0, "field": "cross.attention"} if fields else {}
    vertical = {"name": "head", "size": heads} if several else None
    return Translation(((reader, run),), panels, most=900, selection=selection, vertical=vertical, columns=(7, 5))


def _towers(config: Any, vocabulary: int, here: dict[str, Any]) -> tuple[Panel, ...]:
    """What only a Transformer has: many heads, three attentions, a family."""
    first = here["sides"][0]
    wall = {**here, "x": "source", "y": "query", "fields": ("cross.attention",), "column": "right"}
    parts = layers.parts(config.width, config.inner or 4 * config.width, bias=config.bias)
    sizes = {
        **parts, "width": config.width, "inner": config.inner or 4 * config.width, "layers": config.layers, "vocabulary": vocabulary,
        "tied": config.tied, "first": config.norm_first, "position": config.position,
    }  # fmt: skip
    return (
        Panel(
            "wall", "multiples", "All heads of cross-attention", f"A row is a step, a column a word of the {first}. Click a head to open it.",
            {**wall, "hint": "Point at a head to read a weight; click to open it."}, picked(READER, "multiples", ["cross.attention"]),
        ),
        Panel("sights", "sights", "Three attentions, their masks and shapes", options={**here, "dim": config.head_width or config.width // config.heads}),
        Panel("families", "families", "Three families, one diagram", "Choose a family, or click a part.", {**here, **sizes}),
    )  # fmt: skip


def _start(model: Any) -> int:
    """Numbers in the state in which a recurrent decoder starts."""
    return int(model.net.bridge.out_features)
