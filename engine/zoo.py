"""Zoo: how each shipped run is made.  `python -m engine zoo` makes them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A shipped run; its id is its key in ZOO."""

    model: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # what differs from the model's own defaults
    seed: int = 0
    text: str = ""  # what it needs besides plain text; such a run is only made when it is named
    snapshots: int = 0  # steps on the way that are shipped too
    half: bool = True  # store numbers as float16: half the download, and no difference that a picture shows


# One layer of each cell, small and alike, so that they can be compared on any text.
CELL = {"units": 128, "layers": 1, "width": 32, "vocabulary": 160, "steps": 1000, "batch": 128, "span": 64, "rate": 6e-3}

# One small decoder per kind of position, alike in everything else, trained on stretches of 64 tokens.
PLACED = {"width": 96, "heads": 4, "layers": 2, "vocabulary": 1024, "steps": 1500, "batch": 32, "span": 64, "rate": 3e-3}
POSITIONS = {
    "none": "no positions", "sinusoidal": "sinusoidal positions", "learned": "learned positions", "shaw": "relative positions of Shaw",
    "t5": "relative bias of T5", "rope": "rotary positions (RoPE)", "alibi": "linear bias (ALiBi)",
}  # fmt: skip

ZOO: Mapping[str, Entry] = {
    "ngram": Entry("ngram", "N-gram counts", {"vocabulary": 20_000, "min_count": 3, "compact": True}, half=False),
    "lstm": Entry(
        "lstm",
        "LSTM, character by character",
        {"vocabulary": 160, "steps": 10_000, "batch": 32, "span": 128, "rate": 2e-3, "mixed": True},
    ),
    "transformer": Entry(
        "transformer",
        "Transformer, pieces of words",
        {"width": 192, "heads": 6, "steps": 4200, "batch": 16, "span": 256, "rate": 2e-3, "mixed": True},
    ),
    "bert": Entry(
        "bert", "BERT, masked words and sentence pairs",
        {"vocabulary": 1000, "steps": 7000, "batch": 32, "span": 48}, text="plain text; built in: scenes",
    ),
    "skipgram": Entry("skipgram", "Skip-gram word vectors"),
    "glove": Entry("glove", "GloVe word vectors", {"epochs": 60}),
    **{
        f"vectors_{text}_{seed}": Entry(
            "skipgram", f"Small vectors, {title}, seed {seed}", {"width": 50, "vocabulary": 8000}, seed,
            text=f"plain text, {title}", snapshots=8 if (text, seed) == ("wiki", 0) else 0,
        )
        for text, title in (("wiki", "Simple English Wikipedia"), ("novels", "English novels"))
        for seed in (0, 1)
    },
    "fasttext": Entry("fasttext", "fastText word vectors", {"width": 64, "vocabulary": 15_000, "buckets": 40_000, "epochs": 3}),
    "charngram": Entry("charngram", "CharNgram word vectors", {"width": 64, "vocabulary": 10_000, "buckets": 20_000, "epochs": 2}),
    "rnn": Entry("rnn", "Elman RNN, character by character", CELL),
    "gru": Entry("gru", "GRU, character by character", CELL),
    "gru_after": Entry("gru_after", "GRU as in torch, character by character", CELL),
    "lstm_small": Entry("lstm", "Small LSTM, character by character", CELL),
    "lstm1997": Entry("lstm1997", "LSTM of 1997, character by character", CELL),
    "peephole": Entry("peephole", "Peephole LSTM, character by character", CELL),
    "coupled": Entry("coupled", "Coupled LSTM, character by character", CELL),
    "layernorm_lstm": Entry("layernorm_lstm", "Layer-norm LSTM, character by character", CELL),
    "mgu": Entry("mgu", "Minimal gated unit, character by character", CELL),
    "dual_memory": Entry("dual_memory", "Dual memory of the notes, character by character", CELL),
    "lstm_words": Entry(
        "lstm", "Small LSTM, word by word",
        {"units": 128, "layers": 1, "width": 48, "tokenizer": "words", "vocabulary": 4000, "steps": 4000, "batch": 16, "span": 32},
    ),
    "tagger": Entry("tagger", "Tagger, forwards", text="words with tags, word/TAG word/TAG"),
    "tagger_both": Entry("tagger_both", "Tagger, both ways", text="words with tags, word/TAG word/TAG"),
    "sentiment": Entry(
        "sentiment", "Sentiment of film reviews",
        {"units": 64, "vocabulary": 8000, "dropout": 0.4, "unknown": 0.05, "steps": 4000, "rate": 3e-3}, text="a label, a tab and a text",
    ),
    "translator": Entry(
        "encoder_decoder", "Translator, English to French",
        {"norm_first": False, "gain": 128**0.5, "dropout": 0.05, "vocabulary": 1000, "steps": 4000, "rate": 2e-3}, text="pairs of sentences, a tab between; built in: phrases",
    ),
    **{
        f"transformer_{kind}": Entry("transformer", f"Small Transformer, {title}", {**PLACED, "position": kind, "context": 64 if kind == "learned" else 256})
        for kind, title in POSITIONS.items()
    },
}
