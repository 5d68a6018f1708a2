"""Zoo: how each shipped run is made, and from what.  `python -m engine zoo` makes them again;
engine/shipped/highlights.py says what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A shipped run; its id is its key in ZOO."""

    model: str
    title: str
    # what differs from the model's own defaults
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    # what it needs besides plain text; without its source such a run is only made when it is named
    text: str = ""
    # the collection, or the built-in text, that it learns from (engine/shipped/sources, engine/text/corpora)
    source: str = "novels"
    characters: int = 0  # that it learns from the first so many of; 0: all
    snapshots: int = 0  # steps on the way that are shipped too
    # what pages open it at: layer and unit or head, counted from 0, and field
    look: Mapping[str, Any] = field(default_factory=dict)
    probes: bool = (
        False  # whether counts of a few pairs of words are kept with it (engine/vectors/probes.py)
    )
    start: Entry | None = None  # a run of fewer steps whose weights it goes on with
    # how they are stored (engine/storage/quantised.py): fewer bits where a run is large and loses little by
    # it
    numbers: str = "float16"


MUCH = 24_000_000  # characters that small tables of word vectors learn from

WORDS = {"vocabulary": 30_100}  # that word vectors are made for

# Two layers of a cell; the LSTM, the GRU and the Elman network have the same number of parameters,
# within 1 %.
LARGE = {
    "vocabulary": 128,
    "batch": 64,
    "span": 128,
    "rate": 5e-3,
    "mixed": True,
    "optimiser": "muon",
}

# A decoder of ten million numbers.
DECODER = {
    "width": 384,
    "heads": 6,
    "layers": 5,
    "position": "rope",
    "rate": 3e-3,
    "mixed": True,
    "optimiser": "muon",
    "momentum": 0.95,
    "schedule": "linear",
    "held_out_every": 200,
    "span": 256,
    "batch": 32,
    "bias_start": "uniform",
}

# An encoder of seven million numbers.
ENCODER = {
    "width": 256,
    "heads": 8,
    "layers": 6,
    "context": 128,
    "vocabulary": 8000,
    "steps": 5300,
    "batch": 192,
    "span": 96,
    "rate": 2e-3,
    "mixed": True,
    "optimiser": "muon",
    "schedule": "linear",
    "held_out_every": 1000,
}

# One layer of each cell, small and alike, so that they can be compared on any text.
CELL = {
    "units": 128,
    "layers": 1,
    "width": 32,
    "vocabulary": 160,
    "steps": 1000,
    "batch": 128,
    "span": 64,
    "rate": 6e-3,
}

# One small decoder per kind of position, alike in everything else, trained on stretches of 64
# tokens.
PLACED = {
    "width": 96,
    "heads": 4,
    "layers": 2,
    "vocabulary": 1024,
    "steps": 1500,
    "batch": 32,
    "span": 64,
    "rate": 3e-3,
    "bias_start": "uniform",
}
POSITIONS = {
    "none": "no positions",
    "sinusoidal": "sinusoidal positions",
    "learned": "learned positions",
    "shaw": "relative positions of Shaw",
    "t5": "relative bias of T5",
    "rope": "rotary positions (RoPE)",
    "alibi": "linear bias (ALiBi)",
}

# Models whose inside is known beforehand: each learned from a built-in text that plants it.
PLANTED = {
    "layers": 1,
    "units": 48,
    "width": 24,
    "vocabulary": 128,
    "steps": 3000,
    "batch": 64,
    "span": 64,
    "rate": 1e-2,
    "held_out_every": 100,
}
LOOKING = {
    "layers": 2,
    "width": 48,
    "heads": 4,
    "context": 64,
    "position": "rope",
    "inner": 96,
    "tokenizer": "chars",
    "vocabulary": 128,
    "steps": 1500,
    "batch": 32,
    "span": 48,
    "rate": 3e-3,
    "optimiser": "muon",
    "held_out_every": 100,
    "bias_start": "uniform",
}

# Small decoders that are asked by a prompt: each line they learned from is read from its beginning.
PROMPTED = {
    "layers": 2,
    "width": 64,
    "heads": 4,
    "context": 64,
    "position": "rope",
    "inner": 128,
    "tokenizer": "chars",
    "vocabulary": 128,
    "steps": 2000,
    "batch": 64,
    "span": 63,
    "rate": 3e-3,
    "optimiser": "muon",
    "held_out_every": 500,
    "passages": True,
}

# What of an LSTM's states is pooled into the one vector that is classified.
POOLED = {"attention": "attention", "mean": "mean", "max": "maximum", "last": "last state"}

# Four nets of about as many numbers, which learn what an early word of a story decides.
STORIES = {
    "tokenizer": "words",
    "vocabulary": 400,
    "steps": 4000,
    "batch": 48,
    "rate": 5e-3,
    "span": 120,
    "passages": True,
    "optimiser": "muon",
    "held_out_every": 250,
}
REMEMBERING: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "lstm": (
        "LSTM of stories",
        "lstm",
        {"units": 128, "layers": 1, "width": 32, "forget_bias": 1.0},
    ),
    "gru": ("GRU of stories", "gru_after", {"units": 148, "layers": 1, "width": 32}),
    "rnn": ("Elman RNN of stories", "rnn", {"units": 236, "layers": 1, "width": 32}),
    "transformer": (
        "Transformer of stories",
        "transformer",
        {
            "layers": 2,
            "width": 72,
            "heads": 4,
            "context": 256,
            "position": "rope",
            "inner": 144,
            "rate": 3e-3,
            "bias_start": "uniform",
        },
    ),
}

# A machine whose memory is apart from its controller; of the same lines an LSTM learns to copy too.
REPEATED = {
    "units": 24,
    "slots": 24,
    "steps": 3000,
    "batch": 64,
    "rate": 1e-2,
    "held_out_every": 100,
}

# Word by word, of the same text and as long: a net that carries a state, and those that see a window.
WORDLY = {
    **LARGE,
    "width": 48,
    "tokenizer": "words",
    "vocabulary": 4000,
    "steps": 4000,
    "batch": 32,
    "span": 64,
}
# As many numbers as the LSTM of words, within 1 in 1,000, before the direct connections are added.
WINDOWED = {**WORDLY, "window": 5, "units": 142}

# Three translators of the same sentences; the two recurrent ones have as many parameters as each
# other.
PAIRS = {"vocabulary": 1000, "steps": 1000, "batch": 96, "rate": 5e-3, "optimiser": "muon"}
# One small recurrent translator per score and per order of looking and stepping, alike in all else.
SCORED = {**PAIRS, "units": 64, "width": 32, "steps": 700, "batch": 48, "rate": 8e-3}
SCORES = {
    "dot": "dot",
    "bilinear": "general",
    "additive": "concat",
    "scaled_dot": "scaled dot",
    "location": "location",
}
ORDERS = {"after": "looks after its cell", "before": "looks before its cell"}
# Of real sentences, there and back.
REAL_PAIRS = {
    "attention": "bilinear",
    "units": 128,
    "dropout": 0.1,
    "tokenizer": "bpe",
    "vocabulary": 2000,
    "steps": 2000,
    "span": 40,
    "rate": 6e-3,
    "optimiser": "muon",
    "smoothing": 0.1,
}
# They go on with the weights of the one that looks at all source words, after its cell, by the general
# score: per scope of the attention; and one that reads its own words too.  The rate falls on its way
# through all steps: over these 300 from 0.008.
SCOPED = {**SCORED, "attention": "bilinear", "steps": 1000, "rate": 0.04}
SCOPES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "local_m": ("local-m attention", {"scope": "local-m"}),
    "local_p": ("local-p attention", {"scope": "local-p"}),
    "hard": ("hard attention", {"scope": "hard", "estimator": "reinforce"}),
    "own": ("scheduled sampling", {"own": 0.5}),
}
BUILT_IN = "its built-in text"
TAGGED = "words with tags, word/TAG word/TAG"
PAIRED = "pairs of sentences, a tab between"


def scored(kind: str, looks: str) -> Entry:
    return Entry(
        "seq2seq",
        f"Small translator, {SCORES[kind]} score, {ORDERS[looks]}",
        {**SCORED, "attention": kind, "looks": looks},
        text=PAIRED,
        source="phrases",
        numbers="int8",
    )


ZOO: Mapping[str, Entry] = {
    "ngram": Entry(
        "ngram",
        "N-gram counts, order 5",
        {"order": 5, "vocabulary": 30_000, "min_count": 2, "prune": 7e-8, "compact": True},
        numbers="float32",
    ),
    "lstm": Entry(
        "lstm",
        "LSTM, character by character",
        {**LARGE, "units": 384, "steps": 12_000},
        look={"layer": 1, "unit": 69, "field": "cell"},
        numbers="int8",
    ),
    "transformer": Entry(
        "transformer",
        "Transformer, pieces of words",
        {**DECODER, "steps": 4600, "echo": 0.1, "bits": 4},
        look={"layer": 4, "head": 2},
        start=Entry(
            "transformer",
            "Transformer, pieces of words",
            {**DECODER, "steps": 2300, "echo": 0.3},
            numbers="int6",
        ),
        numbers="int4",
    ),
    "bert": Entry(
        "bert",
        "BERT, masked words and sentence pairs",
        ENCODER,
        source="mix_judged",
        numbers="int6",
    ),
    "gru_large": Entry(
        "gru_after",
        "GRU as large as the LSTM",
        {**LARGE, "units": 444, "steps": 4000},
        look={"layer": 0, "unit": 213, "field": "hidden"},
        numbers="int6",
    ),
    "rnn_large": Entry(
        "rnn",
        "Elman RNN as large as the LSTM",
        {**LARGE, "units": 768, "steps": 4000},
        look={"layer": 0, "unit": 410, "field": "hidden"},
        numbers="int6",
    ),
    "skipgram": Entry(
        "skipgram", "Skip-gram word vectors", WORDS, source="simple_wikipedia", numbers="int6"
    ),
    "cbow": Entry("cbow", "CBOW word vectors", WORDS, source="simple_wikipedia", numbers="int4"),
    "glove": Entry(
        "glove",
        "GloVe word vectors",
        {**WORDS, "epochs": 60},
        source="simple_wikipedia",
        probes=True,
        numbers="int4",
    ),
    **{
        f"vectors_{text}_{seed}": Entry(
            "skipgram",
            f"Small vectors, {title}, seed {seed}",
            {"width": 50, "vocabulary": 8000},
            seed,
            text=f"plain text, {title}",
            source=source,
            characters=MUCH,
            snapshots=6 if (text, seed) == ("wiki", 0) else 0,
            numbers="int4",
        )
        for text, title, source in (
            ("wiki", "Simple English Wikipedia", "simple_wikipedia"),
            ("novels", "English novels", "novels_drawn"),
        )
        for seed in (0, 1)
    },
    "fasttext": Entry(
        "fasttext",
        "fastText word vectors",
        {**WORDS, "width": 64, "buckets": 40_000, "epochs": 2},
        source="simple_wikipedia",
        numbers="int4",
    ),
    "charngram": Entry(
        "charngram",
        "CharNgram word vectors",
        {"width": 64, "vocabulary": 10_000, "buckets": 20_000, "epochs": 2},
        source="simple_wikipedia",
        characters=MUCH,
        numbers="int4",
    ),
    "rnn": Entry("rnn", "Elman RNN, character by character", CELL, source="mix"),
    "gru": Entry("gru", "GRU, character by character", CELL, source="mix"),
    "convolution": Entry(
        "convolution",
        "Dilated convolutions, character by character",
        {
            "width": 96,
            "layers": 5,
            "kernel": 2,
            "vocabulary": 160,
            "steps": 1000,
            "batch": 32,
            "span": 128,
            "rate": 3e-3,
        },
        source="mix",
        numbers="int6",
    ),
    "gru_after": Entry("gru_after", "GRU as in torch, character by character", CELL, source="mix"),
    "lstm_small": Entry(
        "lstm",
        "Small LSTM, character by character",
        CELL,
        source="mix",
        snapshots=8,
        numbers="int6",
    ),
    "lstm1997": Entry("lstm1997", "LSTM of 1997, character by character", CELL, source="mix"),
    "peephole": Entry("peephole", "Peephole LSTM, character by character", CELL, source="mix"),
    "coupled": Entry("coupled", "Coupled LSTM, character by character", CELL, source="mix"),
    "layernorm_lstm": Entry(
        "layernorm_lstm", "Layer-norm LSTM, character by character", CELL, source="mix"
    ),
    "mgu": Entry("mgu", "Minimal gated unit, character by character", CELL, source="mix"),
    "dual_memory": Entry("dual_memory", "Dual memory, character by character", CELL, source="mix"),
    "lstm_words": Entry(
        "lstm", "Small LSTM, word by word", {**WORDLY, "units": 128, "layers": 1}, numbers="int6"
    ),
    "feedforward": Entry(
        "feedforward", "Feed-forward net, a window of 5 words", WINDOWED, numbers="int6"
    ),
    "feedforward_direct": Entry(
        "feedforward",
        "Feed-forward net with direct connections",
        {**WINDOWED, "direct": True},
        numbers="int6",
    ),
    "tagger": Entry("tagger", "Tagger, forwards", text=TAGGED, source="ud_english", numbers="int6"),
    "tagger_both": Entry(
        "tagger_both", "Tagger, both ways", text=TAGGED, source="ud_english", numbers="int6"
    ),
    "hmm_tagger": Entry(
        "hmm_tagger",
        "Hidden Markov tagger, counted",
        text=TAGGED,
        source="ud_english",
        numbers="float32",
    ),
    "trigram_tagger": Entry(
        "trigram_tagger",
        "Trigram tagger, counted",
        text=TAGGED,
        source="ud_english",
        numbers="float32",
    ),
    "hmm": Entry(
        "hmm",
        "Hidden Markov model of letters, without tags",
        {"states": 3, "tokenizer": "chars", "vocabulary": 100, "steps": 40},
        characters=120_000,
        snapshots=8,
        numbers="float32",
    ),
    "sentiment": Entry(
        "sentiment",
        "Sentiment of film reviews",
        {
            "units": 64,
            "vocabulary": 8000,
            "dropout": 0.4,
            "unknown": 0.05,
            "steps": 4000,
            "rate": 3e-3,
        },
        text="a label, a tab and a text",
        source="film_reviews",
        numbers="int6",
    ),
    "textcnn": Entry(
        "textcnn",
        "Phrases of film reviews, by convolution",
        {
            "filters": 32,
            "width": 32,
            "steps": 6000,
            "rate": 4e-3,
            "decay": 0.1,
            "held_out_every": 1000,
        },
        text="a label, a tab and a text",
        source="film_reviews",
        numbers="float16",
    ),
    "translator": Entry(
        "encoder_decoder",
        "Translator, English to French",
        {**PAIRS, "steps": 800},
        text=PAIRED,
        source="phrases",
        numbers="int8",
    ),
    "seq2seq": Entry(
        "seq2seq",
        "Recurrent translator, without attention",
        {**PAIRS, "attention": "none", "units": 272},
        text=PAIRED,
        source="phrases",
        numbers="int8",
    ),
    "seq2seq_attention": Entry(
        "seq2seq",
        "Recurrent translator, with attention",
        {**PAIRS, "units": 216},
        text=PAIRED,
        source="phrases",
        numbers="int8",
    ),
    **{f"score_{kind}_{looks}": scored(kind, looks) for looks in ORDERS for kind in SCORES},
    "translator_spanish": Entry(
        "seq2seq", "Translator, English to Spanish", REAL_PAIRS, text=PAIRED, source="bibles"
    ),
    "translator_english": Entry(
        "seq2seq",
        "Translator, Spanish to English",
        REAL_PAIRS,
        text=PAIRED,
        source="bibles_back",
        numbers="int8",
    ),
    **{
        f"scope_{name}": Entry(
            "seq2seq",
            f"Small translator, {title}",
            {**SCOPED, **settings},
            text=PAIRED,
            source="phrases",
            start=scored("bilinear", "after"),
            numbers="int6",
        )
        for name, (title, settings) in SCOPES.items()
    },
    **{
        f"transformer_{kind}": Entry(
            "transformer",
            f"Small Transformer, {title}",
            {**PLACED, "position": kind, "context": 64 if kind == "learned" else 256},
            source="mix",
            characters=8_000_000,
        )
        for kind, title in POSITIONS.items()
    },
    **{
        f"pooling_{way}": Entry(
            "pooling",
            f"LSTM of marked words, {title}",
            {"pool": way, "steps": 800},
            text="a label, a tab and a text",
            source="marked",
        )
        for way, title in POOLED.items()
    },
    "lstm_brackets": Entry(
        "lstm",
        "LSTM of brackets",
        PLANTED,
        text=BUILT_IN,
        source="brackets",
        snapshots=6,
        look={"layer": 0, "unit": 27, "field": "cell"},
    ),
    "lstm_copying": Entry(
        "lstm",
        "LSTM of copies",
        {**PLANTED, "units": 64},
        text=BUILT_IN,
        source="copying",
        snapshots=6,
    ),
    "ntm": Entry(
        "ntm", "Neural Turing machine of copies", REPEATED, text=BUILT_IN, source="repeats"
    ),
    "lstm_repeats": Entry(
        "lstm",
        "LSTM of copies with repeated letters",
        {**PLANTED, "units": 64, "passages": True},
        text=BUILT_IN,
        source="repeats",
    ),
    "lstm_tunes": Entry(
        "lstm",
        "LSTM of dance tunes",
        {
            "units": 160,
            "layers": 1,
            "width": 48,
            "dropout": 0.2,
            "tokenizer": "notes",
            "vocabulary": 256,
            "steps": 4000,
            "batch": 48,
            "span": 128,
            "rate": 5e-3,
            "optimiser": "muon",
            "held_out_every": 250,
            "passages": True,
        },
        text="tunes in ABC",
        source="tunes",
        look={"layer": 0, "unit": 55, "field": "cell"},
    ),
    "lstm_lag": Entry(
        "lstm",
        "LSTM of a lag of 6",
        {**PLANTED, "steps": 1500},
        text=BUILT_IN,
        source="lag",
        snapshots=6,
    ),
    "rnn_lag": Entry(
        "rnn",
        "Elman RNN of a lag of 6",
        {**PLANTED, "steps": 1500},
        text=BUILT_IN,
        source="lag",
        snapshots=6,
    ),
    "lstm_agreement": Entry(
        "lstm",
        "LSTM of is and are",
        {**PLANTED, "tokenizer": "words", "steps": 800, "span": 32},
        text=BUILT_IN,
        source="agreement",
        snapshots=6,
        look={"layer": 0, "unit": 13, "field": "cell"},
    ),
    "transformer_brackets": Entry(
        "transformer",
        "Transformer of brackets",
        LOOKING,
        text=BUILT_IN,
        source="brackets",
        snapshots=6,
        look={"layer": 1, "head": 1},
    ),
    "transformer_copying": Entry(
        "transformer",
        "Transformer of copies",
        LOOKING,
        text=BUILT_IN,
        source="copying",
        snapshots=6,
        look={"layer": 1, "head": 3},
    ),
    "transformer_lag": Entry(
        "transformer",
        "Transformer of a lag of 6",
        {**LOOKING, "steps": 600},
        text=BUILT_IN,
        source="lag",
        snapshots=6,
        look={"layer": 0, "head": 2},
    ),
    "transformer_agreement": Entry(
        "transformer",
        "Transformer of is and are",
        {**LOOKING, "tokenizer": "words", "steps": 500, "span": 32},
        text=BUILT_IN,
        source="agreement",
        snapshots=6,
        look={"layer": 1, "head": 1},
    ),
    "transformer_mappings": Entry(
        "transformer",
        "Transformer of words with labels",
        {**PROMPTED, "tokenizer": "words"},
        text=BUILT_IN,
        source="mappings",
        numbers="int8",
    ),
    "transformer_sums": Entry(
        "transformer", "Transformer of sums", PROMPTED, text=BUILT_IN, source="sums", numbers="int8"
    ),
    "transformer_steps": Entry(
        "transformer",
        "Transformer of sums in steps",
        PROMPTED,
        text=BUILT_IN,
        source="sums_in_steps",
        numbers="int8",
    ),
    "transformer_prefixed": Entry(
        "transformer",
        "Transformer of three tasks by prefix",
        PROMPTED,
        text=BUILT_IN,
        source="prefixed",
        numbers="int8",
    ),
    **{
        f"{name}_stories": Entry(
            model,
            title,
            {**STORIES, **settings},
            text=BUILT_IN,
            source="remembered",
            numbers="int8",
        )
        for name, (title, model, settings) in REMEMBERING.items()
    },
}
