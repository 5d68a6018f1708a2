"""The live part of the Cross-attention page: one encoder-decoder, where its heads look in the source and in what is
written, what it writes next, and what training asks of it.

Shapes    T = target tokens, S = source tokens, V = vocabulary, L = layers, N = heads
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache as kept
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.live import cache, declared
from engine.live.markdown import escape
from engine.live.stage import Stage
from engine.models.abilities import Remembers
from engine.runs.store import Run
from engine.text.corpora.phrases import CORPUS as PHRASES

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

READER = "translator"
BYTES = re.compile(r"(<[0-9A-F]{2}>)+")  # a piece that is no character alone
MOST_WORDS, MOST_PIECES = 800, 120
SPOKEN = 3_000  # sentences that have nearly all words of the grammar
OTHERS = ("French", "Spanish")  # languages beside English
CROSS, OWN, READS = "cross.attention", "attention", "encoder.attention"
WANTED = "Type a sentence."
NUMBERED = pic.table(
    "token source", "has read: {token} | source word: {source} | weight: {cross.attention}"
)


def sides(run: Run) -> tuple[str, str]:
    """What the two texts are called: those of a shipped model are languages, those of a checkpoint
    may be anything."""
    learned = str(run.note.get("corpus", {}).get("name", ""))
    others = "|".join(OTHERS)
    if found := re.search(rf"(English) and ({others})|({others}) and (English)", learned):
        first, second = (name for name in found.groups() if name)
        return first, second
    words = run.note.get("config", {}).get("tokenizer") == "words"
    return ("English", "French") if words else ("source", "target")


def words_of(vocab: Sequence[str]) -> list[str]:
    """The words of a small vocabulary, without its marks."""
    return sorted((word for word in vocab if word[:1].isalpha()), key=str.casefold)


def list_words(model: TranslatingModel[Any]) -> str:
    """The words of both languages, as one vocabulary; or its longest pieces, if it reads those."""
    vocab = model.tokenizer.vocab
    if model.config.tokenizer != "words":
        longest = sorted(vocab, key=lambda piece: (-len(piece.strip()), piece))[:MOST_PIECES]
        shown = ", ".join(escape(piece.strip()) for piece in longest)
        return _(
            "It knows no words but {vocab:,} pieces of words, those of both languages in"
            " one list. Any word can be put together from them, so none is unknown to it:"
            " a word that it never met is read in small pieces, which is no help in"
            " translating it. Its longest pieces: {shown} …",
            vocab=len(vocab),
            shown=shown,
        )
    words = words_of(model.tokenizer.vocab)
    shown = ", ".join(escape(word) for word in words[:MOST_WORDS])
    return _(
        "It learned from sentences of a small grammar, so it knows only {words:,}"
        " words. Any other word is read as *unknown*, and the translation fails there."
        " Both languages share one list: {shown}{value}",
        words=len(words),
        shown=shown,
        value=" …" if len(words) > MOST_WORDS else "",
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


def heads_of(model: TranslatingModel[Any]) -> int:
    return 1 if isinstance(model, Remembers) else model.config.heads


def once(model: TranslatingModel[Any]) -> pic.Once:
    layers, heads = model.config.layers, heads_of(model)
    return pic.Once(
        {
            "word": model.tokenizer.vocab,
            "layer": [str(n) for n in range(1, layers + 1)],
            "head": [str(n) for n in range(1, heads + 1)],
        }
    )


def derive(model: TranslatingModel[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """What each place shall write, what that costs, and where each head looks most.  An end that was typed is a
    target, and nothing follows it."""
    end, p_TV = model.tokenizer.boundary, trace.field("probability").values
    target_T = np.append(trace.ids[1:], end)
    asked_T = np.ones(len(target_T), bool)
    asked_T[-1] = len(trace.ids) == 1 or trace.ids[-1] != end
    p_T = p_TV[np.arange(len(p_TV)), target_T].astype(float)
    loss_T = -np.log(np.maximum(p_T, np.finfo(np.float32).tiny)) + 0.0  # of 1 it is 0, not -0
    likeliest_T = p_TV.argmax(1)
    token = ("token",)
    found: dict[str, Any] = {
        name: (token, np.where(asked_T, values, np.nan))
        for name, values in (("target", target_T), ("gets", p_T), ("loss", loss_T))
    }
    found |= {
        "likeliest": (token, likeliest_T),
        "other": (token, asked_T & (likeliest_T != target_T)),
        "places": ((), asked_T.sum()),
        "right": ((), (asked_T & (likeliest_T == target_T)).sum()),
        "nats": ((), loss_T[asked_T].mean() if asked_T.any() else np.nan),
    }
    if CROSS in trace:
        most_LNT = trace.field(CROSS).values.argmax(-1)
        found["most"] = ("token", "layer", "head"), most_LNT.transpose(2, 0, 1)
    return found


LOOKS = pic.Picture(
    "cross",
    pic.Matrix(
        CROSS, "token", "source", "attention weight", frame=("#token", "#source"), widest=62
    ),
    "Where each step looks",
    "Where each step looks: layer {layer}, head {head}",
    "A row is a step: it has read that word and is about to write the next one. A column is a word of the source."
    " Point at a row to see where it looks.",
    (
        "{?#source!=most}To write what comes behind “{token}”, this head gives “{source}” {cross.attention:%}.",
        "Having read “{token}”, about to write “{token@1}”, this head looks at {looks}.",
        "Having read “{token}”, with the first choice “{top}”, this head looks at {looks}.",
        WANTED,
    ),
    side="left",
    parts={"looks": pic.Series("source", "“{source}” {cross.attention:%}", ", ", 3, by=CROSS)},
    table=NUMBERED,
    saves=pic.Saves((CROSS,), ("layer", "head"), "heatmap"),
)
WRITES = pic.Picture(
    "write",
    pic.Drawn("writeon"),
    "Translate, word by word",
    says="Each click writes the likeliest next word into the text box.",
    side="right",
)
NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda model: {"words": True, "most": 8}),
    "Next token",
    side="right",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 8}),
)
TEACHES = pic.Picture(
    "lanes",
    pic.Lanes(
        (
            pic.Lane("decoder reads", "{token:short}"),
            pic.Lane("shall write", "{target:word}", strong=True),
            pic.Lane("gives that", "{gets:%}"),
            pic.Lane("loss, nats", "{loss}"),
            pic.Lane("likeliest", "{likeliest:word}", mark="other"),
        )
    ),
    "Training: the target, shifted right by one",
    says="In training the decoder reads the correct translation (teacher forcing), shifted by one place, and predicts"
    " each next word, all places at once. Marked: its likeliest word is another one.",
    tell=(
        "Mean loss over {places:n} {places|place|places}: {nats} nats, if the sentence ends here. At {right:n} of"
        " {places:n} the right word is the likeliest.",
        WANTED,
    ),
    side="left",
    table=pic.table(
        "token",
        "decoder reads: {token} | shall write: {target:word} | probability: {gets:%} | loss in nats: {loss}"
        " | likeliest: {likeliest:word}",
    ),
)
WALL = pic.Picture(
    "wall",
    pic.Multiples(("layer", "head"), CROSS, "token", "source", legend="attention weight"),
    "All heads of cross-attention",
    says="A row is a step, a column a word of the source. Click a head to open it above.",
    tell=(
        "Layer {layer}, head {head}: behind “{token}” it looks most at “{most:source}”,"
        " {cross.attention[source=most]:%}.",
        WANTED,
    ),
    side="right",
    table=pic.table(
        "layer head",
        "layer: {layer} | head: {head} | looks most at: {most:source}"
        " | weight: {cross.attention[source=most]}",
    ),
    saves=pic.Saves((CROSS,), view="multiples"),
)
READING = pic.Picture(
    "sights",
    pic.Matrix(READS, "source", "seen", "attention weight", widest=62),
    "The encoder looks at its own words",
    "The encoder looks at its own words: layer {layer}, head {head}",
    "Every word of the source looks at every other, forwards too: queries, keys and values all come from the"
    " source, and nothing is masked.",
    (
        "“{source}” gives “{seen}” {encoder.attention:%}. It looks at {looks}.",
        "“{source}” looks at {looks}.",
        WANTED,
    ),
    side="left",
    parts={"looks": pic.Series("seen", "“{seen}” {encoder.attention:%}", ", ", 3, by=READS)},
    table=pic.table(
        "source seen", "word: {source} | looks at: {seen} | weight: {encoder.attention}"
    ),
    saves=pic.Saves((READS,), ("layer", "head"), "heatmap"),
)
MASKED = pic.Picture(
    "masked",
    pic.Matrix(OWN, "token", "key", "attention weight", widest=62),
    "The decoder looks back: masked",
    "The decoder looks back: layer {layer}, head {head}",
    "A word of the translation looks at itself and at those before it. What comes later is masked and has no"
    " weight: it is not yet written.",
    (
        "“{token}” gives “{key}” {attention:%}. It looks at {looks}.",
        "“{token}” looks at {looks}.",
        WANTED,
    ),
    side="right",
    parts={"looks": pic.Series("key", "“{key}” {attention:%}", ", ", 3, by=OWN)},
    table=pic.table("token key", "word: {token} | looks at: {key} | weight: {attention}"),
    saves=pic.Saves((OWN,), ("layer", "head"), "heatmap"),
)
PICTURES = pic.Live(
    (CROSS, OWN, READS),
    (LOOKS, WRITES, NEXT, TEACHES, WALL, READING, MASKED),
    once,
    derive,
    places={
        "layer": pic.Place("layer"),
        "head": pic.Place("head"),
        "source": pic.Place("other", "most"),
    },
    vertical="head",
    listed=10,
    most=900,
)


def stage(run: Run) -> Stage:
    """What every translator has; and what its attention looks at, where it has one."""
    from engine.models.translating import TranslatingModel

    model = cache.model(run, TranslatingModel)
    promised, layers = {spec.name for spec in model.spec()}, model.config.layers
    alone = (WRITES, NEXT, TEACHES)
    shown = PICTURES.pictures if OWN in promised else (LOOKS, *alone)
    places = {**PICTURES.places, "layer": pic.Place("layer", first=layers - 1)}
    live = replace(PICTURES, pictures=shown, places=places)
    if CROSS not in promised:
        live = replace(PICTURES, pictures=alone, places={}, vertical="")
    found = declared.stage(live, run, READER)
    ((reader, __),) = found.readers
    spaced = model.config.tokenizer in ("words", "whitespace")
    told = {
        "end": model.tokenizer.vocab[model.tokenizer.boundary],
        "context": model.config.context,
        "join": " " if spaced else "",
        **unknown(model, run),
    }
    return replace(found, readers=((replace(reader, more={**(reader.more or {}), **told}), run),))


LIVE = stage
