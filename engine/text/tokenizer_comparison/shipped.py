"""Shipped: the tokenizers, each at every vocabulary size, and how often each of their pieces
came up.

What      bits(piece) = -log2 ((n + 1) / (N + V)): n times this piece among N pieces of the counted
          text; one is added to every count, so that a piece never seen costs much but not
          infinitely much
Source    add-one: Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.5.1
Shapes    V = vocabulary
Differs   -
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine import ROOT
from engine.core.registry import tokenizers
from engine.text.tokenizers.base import Tokenizer
from engine.text.tokenizers.chars import Chars
from engine.text.tokenizers.words import Words

FOLDER = ROOT / "assets" / "tokenizers"
COUNTS = "counts.npz"
SIZES = (512, 724, 1024, 1448, 2048, 2896, 4096, 5793, 8192, 11585, 16384)
FIRST = 4096


@dataclass(frozen=True, slots=True)
class Shipped:
    """`id`: its file; `kind`: the tokenizer's id in the registry; `short`: its name where there is
    little room."""

    id: str
    kind: str
    title: str
    short: str
    says: str


EVERY = tuple(
    Shipped(id, id, kind.title, kind.short, kind.says)
    for id, kind in ((id, tokenizers.get(id)) for id in tokenizers.listed())
)
ALL = tuple(item for item in EVERY if (FOLDER / f"{item.id}.json.gz").is_file())
MANY = Shipped(
    "bpe_many",
    "bpe",
    "BPE over bytes, of many languages",
    "BPE, many",
    "as BPE over bytes, but learned from one text in many languages",
)
BY_ID = {item.id: item for item in (*ALL, MANY)}


def state(id: str) -> bytes:
    return gzip.decompress((FOLDER / f"{id}.json.gz").read_bytes())


@lru_cache(160)
def opened(id: str, size: int = SIZES[-1]) -> Tokenizer:
    """The tokenizer with a vocabulary of `size` pieces, or as many as it has."""
    made = tokenizers.get(BY_ID[id].kind).shrunk(state(id), size)
    # Learned from an English text, before words and characters were those of all scripts: what they
    # know of other scripts are parts of words and characters, for which no text is cut.
    if isinstance(made, Words):
        made.rule = type(made).rule
    return Chars(made.vocab[2:]) if isinstance(made, Chars) else made


def sizes(id: str) -> tuple[int, ...]:
    """The sizes that are counted: one where the vocabulary can't be cut."""
    return SIZES if tokenizers.get(BY_ID[id].kind).shrinks() else SIZES[-1:]


@lru_cache(160)
def bits(id: str, size: int = SIZES[-1]) -> np.ndarray:
    """Bits of each piece (V,), float64, by how often it came up in the text that was counted.
    KeyError where none was."""
    return from_counts(
        _counts()[f"{id}.{min(size, sizes(id)[-1]) if len(sizes(id)) > 1 else SIZES[-1]}"]
    )


def from_counts(n_V: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.log2(n_V.sum(dtype=np.float64) + len(n_V)) - np.log2(n_V + 1.0)
    return found


@lru_cache(1)
def _counts() -> dict[str, np.ndarray]:
    with np.load(FOLDER / COUNTS, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def nearest(size: int) -> int:
    """The one of SIZES that is closest, by ratio."""
    return min(SIZES, key=lambda s: abs(np.log(s / max(1, size))))
