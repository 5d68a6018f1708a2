"""The live part of the Cross-attention page: one encoder-decoder, its heads over source and target,
and what it would write next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache as kept
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.analysis import decode
from engine.analysis.costs import layers
from engine.core.trace import Field, FieldSpec, Kind, Trace
from engine.lessons.decoding import work, written
from engine.live import cache
from engine.live.drawing import picked
from engine.live.markdown import escape
from engine.live.reader import Reader
from engine.live.reply import Extra
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import Remembers, able
from engine.models.base import Model
from engine.runs.store import Run
from engine.text.corpora.phrases import CORPUS as PHRASES

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

READER = "translator"
BYTES = re.compile(r"(<[0-9A-F]{2}>)+")  # a piece that is no character alone
MOST_WORDS, MOST_PIECES = 800, 120
SPOKEN = 3_000  # sentences that have nearly all words of the grammar
OTHERS = ("French", "Spanish")  # languages beside English
ENDS = FieldSpec(
    "ends", Kind.LOSS, ("token",), "Surprise if the text ended after each token.", "s", "bits"
)


def searched(shown: Shown, request: Request) -> Extra:
    """A beam search, where one is asked for, as far as it has come; it goes on from what is written
    of the target."""
    if (wish := request.asks.part("beams")) is None:
        return Extra()
    run, model, tokens = shown.run, able(shown.reader.model, Model), shown.tokens
    order = written.order("beams", wish)
    key = ("beams", *run.key, shown.text, order)
    found = work.of(key, lambda: written.beams(decode.read(model, tokens), order)).go()
    told = written.told("beams", model, int(tokens.ids[-1]), order, found.made)
    of = wish.whole("of") or 0
    return Extra({"beams": {"of": of, "done": found.done, "problem": found.problem, **told}})


def ends(trace: Trace, end: int) -> tuple[Field, ...]:
    p_TV = trace.field("probability")
    # of 1 it is 0, not -0
    bits_T = -np.log2(np.maximum(p_TV.values[:, end], np.finfo(np.float32).tiny)) + 0.0
    return (Field(ENDS, bits_T.astype(np.float32), p_TV.axes[:1]),)


def sides(run: Run) -> tuple[str, str]:
    """What the two texts are called: those of a shipped model are languages, those of a checkpoint
    may be anything."""
    learned = str(run.note.get("corpus", {}).get("name", ""))
    if found := re.search(rf"English and ({'|'.join(OTHERS)})", learned):
        return "English", found[1]
    words = run.note.get("config", {}).get("tokenizer") == "words"
    return ("English", "French") if words else ("source", "target")


def words_of(vocab: Sequence[str]) -> list[str]:
    """The words of a small vocabulary, without its marks."""
    return sorted((word for word in vocab if word[:1].isalpha()), key=str.casefold)


def known(model: TranslatingModel[Any]) -> str:
    """The words of both languages, as one vocabulary; or its longest pieces, if it reads those."""
    vocab = model.tokenizer.vocab
    if model.config.tokenizer != "words":
        longest = sorted(vocab, key=lambda piece: (-len(piece.strip()), piece))[:MOST_PIECES]
        shown = ", ".join(escape(piece.strip()) for piece in longest)
        return (
            f"It knows no words but {len(vocab):,} pieces of words, those of both languages in one"
            " list. Any word can be put together from them, so none is unknown to it: a word that it"
            " never met is read in small pieces, which is no help in translating it. Its longest"
            f" pieces: {shown} …"
        )
    words = words_of(model.tokenizer.vocab)
    shown = ", ".join(escape(word) for word in words[:MOST_WORDS])
    return (
        f"It learned from sentences of a small grammar, so it knows only {len(words):,} words."
        " Any other word is read as *unknown*, and the translation fails there. Both languages"
        f" share one list: {shown}{' …' if len(words) > MOST_WORDS else ''}"
    )


@kept
def _lexicon() -> tuple[frozenset[str], frozenset[str]]:
    """Words of either side in as many sentences of the built-in grammar as have nearly all of them."""
    pairs = list(PHRASES.generate(SPOKEN, 1))
    english, french = " ".join(p.english for p in pairs), " ".join(p.french for p in pairs)
    return frozenset(english.split()), frozenset(french.split())


def unknown(model: TranslatingModel[Any], run: Run | None = None) -> dict[str, Any]:
    """What the browser needs to say what a text holds that the model does not know: its words, or
    the letters of its pieces where it reads bytes, for which nothing is unknown."""
    vocab, kind = model.tokenizer.vocab, model.config.tokenizer
    if kind == "words":
        words = words_of(vocab)
        if run is None or run.note.get("corpus", {}).get("name") != PHRASES.title:
            return {"known": words}
        return {"known": words, "sides": [[w for w in words if w in side] for side in _lexicon()]}
    learned = {c for piece in vocab if len(piece) > 1 and not BYTES.fullmatch(piece) for c in piece}
    return {"letters": "".join(sorted(learned))} if kind == "bpe" else {}


def stage(run: Run, model: TranslatingModel[Any]) -> Stage:
    """What every translator has; and what its attention looks at, where it has one."""
    tokenizer, config = model.tokenizer, model.config
    end, promised = tokenizer.boundary, {spec.name for spec in model.spec()}
    every = ("cross.attention", "attention", "encoder.attention")
    fields = tuple(name for name in every if name in promised)
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        fields,
        most=10,
        derive=lambda trace: ends(trace, end),
        derived=(ENDS,),
        more={
            "end": tokenizer.vocab[end],
            "context": config.context,
            "join": " " if config.tokenizer in ("words", "whitespace") else "",
            "labels": {},
            **unknown(model, run),
        },
    )
    first, second = sides(run)
    here = {"reader": READER, "sides": (first, second)}
    given = "Each word with its probability. Dotted: the model would have written another."
    if not fields:
        given += (
            f" This model has no attention: of the {first} it has only the {_start(model)} numbers"
            " in which its decoder starts, however long the sentence is."
        )
    beside = {**here, "column": "right"} if fields else here
    write = Panel("write", "writeon", "Translate, word by word", given, beside)
    cross = Panel(
        "cross",
        "cross",
        "Where each step looks",
        f"Above the {first}, below the {second}. A step has read one word of the {second} and is"
        " about to write the next: point at it to see where it looks.",
        {**here, "column": "left"},
        picked(READER, "heatmap", ["cross.attention"], ["layer", "head"]),
    )
    lanes = Panel(
        "lanes",
        "lanes",
        "Training: the target, shifted right by one",
        f"In training the decoder reads the correct {second} (teacher forcing), shifted by one"
        f" position, and predicts each next word. Type a line of {second} to see the surprisal"
        " at each position.",
        {**here, "column": "left"},
    )
    guess = Panel(
        "next",
        "bars",
        "Next token",
        options={**here, "column": "right", "words": True, "most": 8},
        figure=picked(READER, "bars", ["probability"], ["token"], top=8),
    )
    beam = Panel("beam", "beam", "Greedy or beam search", options={**here, "alone": True})
    heads = 1 if isinstance(model, Remembers) else config.heads
    several = heads * config.layers > 1 and "attention" in fields
    panels = (
        *((cross, lanes, write) if fields else (write, lanes)),
        guess,
        *(_towers(config, len(tokenizer.vocab), here) if several else ()),
        beam,
    )
    look = {"layer": config.layers - 1 if several else 0, "head": 0, "field": "cross.attention"}
    vertical = {"name": "head", "size": heads} if several else None
    return Stage(
        ((reader, run),),
        panels,
        most=900,
        selection=look if fields else {},
        vertical=vertical,
        columns=(7, 5),
        extras=searched,
    )


def _towers(config: Any, vocabulary: int, here: dict[str, Any]) -> tuple[Panel, ...]:
    """What only a Transformer has: many heads, three attentions, a family."""
    first = here["sides"][0]
    wall = {**here, "x": "source", "y": "query", "fields": ("cross.attention",), "column": "right"}
    inner = config.inner or 4 * config.width
    sizes = {
        **layers.parts(config.width, inner, bias=config.bias),
        "width": config.width,
        "inner": inner,
        "layers": config.layers,
        "vocabulary": vocabulary,
        "tied": config.tied,
        "first": config.norm_first,
        "position": config.position,
    }
    return (
        Panel(
            "wall",
            "multiples",
            "All heads of cross-attention",
            f"A row is a step, a column a word of the {first}. Click a head to open it.",
            {**wall, "hint": "Point at a head to read a weight; click to open it."},
            picked(READER, "multiples", ["cross.attention"]),
        ),
        Panel(
            "sights",
            "sights",
            "Three attentions, their masks and shapes",
            options={**here, "dim": config.head_width or config.width // config.heads},
        ),
        Panel(
            "families",
            "families",
            "Three families, one diagram",
            "Choose a family, or click a part.",
            {**here, **sizes},
        ),
    )


def _start(model: TranslatingModel[Any]) -> int:
    """Numbers in the state in which a recurrent decoder starts."""
    from engine.models.seq2seq import Net

    assert isinstance(model.net, Net)
    return model.net.bridge.out_features


def opened(run: Run) -> Stage:
    from engine.models.translating import TranslatingModel

    return stage(run, cache.model(run, TranslatingModel))


LIVE = opened
