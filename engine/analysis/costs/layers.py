"""Layers: how many parameters one layer of a Transformer has, part by part.

What      attention 4 D^2 + 4 D (query, key, value, output), feed-forward 2 D F + F + D, norm 2 D;
          an encoder layer has one attention, a decoder layer two (its own and cross-attention),
          each part with its norm
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 and 3.3
Shapes    D = width, F = inner width, V = vocabulary
Differs   Heads change nothing: they share out the width.
"""

from __future__ import annotations


def parts(width: int, inner: int, *, bias: bool = True) -> dict[str, int]:
    """Parameters of one attention, one feed-forward part and one norm."""
    return {
        "attention": 4 * width * width + (4 * width if bias else 0),
        "feed_forward": 2 * width * inner + (inner + width if bias else 0),
        "norm": 2 * width,
    }


def encoder(width: int, inner: int) -> int:
    one = parts(width, inner)
    return one["attention"] + one["feed_forward"] + 2 * one["norm"]


def decoder(width: int, inner: int) -> int:
    one = parts(width, inner)
    return 2 * one["attention"] + one["feed_forward"] + 3 * one["norm"]


def count_parameters(width: int, inner: int, layers: int, vocabulary: int, tables: int) -> int:
    """Encoder, decoder, and so many tables of words: 1 where input and output of both share one, 3
    where none does."""
    return layers * (encoder(width, inner) + decoder(width, inner)) + tables * vocabulary * width
