"""A long document in segments that a model can read."""

from __future__ import annotations

from collections.abc import Mapping

from engine.analysis.listings.base import Listing, Program

MOST = 512  # tokens that the model reads at once; here a token is a word
WORDS = ["word"] * 1200


def faulty(document: str, most: int) -> list[str]:
    return [document[i : i + most] for i in range(0, len(document), most)]


def repaired(document: str, most: int) -> list[str]:
    tokens = document.split()
    return [" ".join(tokens[i : i + most]) for i in range(0, len(tokens), most)]


def measured(program: Program) -> Mapping[str, float]:
    segments = [segment.split() for segment in program(" ".join(WORDS), MOST)]
    return {
        "segments": len(segments),
        "words in the longest": max(map(len, segments)),
        "pieces of words that were cut": sum(
            word not in WORDS for part in segments for word in part
        ),
    }


LISTING = Listing(
    "Segments counted in characters",
    "A model that reads 512 tokens is given 512 characters, a hundred words or so. There are five times"
    " as many segments as it takes, the document above them is five times as long, and words are cut"
    " at the borders. The limit is one of tokens.",
    faulty,
    repaired,
    measured,
)
