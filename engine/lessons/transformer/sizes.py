"""What a Transformer costs by formula: parameters, multiply-adds and bytes of attention, sequential
steps and path lengths.

What      parameters of a GPT by part: V D + P D + L (12 D^2 + 13 D) + 2 D, output tied to the
          embedding; operations of a layer over n tokens:
          scores and readings 4 n^2 D, projections 8 n D^2, feed-forward 16 n D^2; weights kept: n^2
          * heads * bytes
Source    Vaswani et al., Attention Is All You Need, 2017, table 1; Radford et al., 2018 and 2019;
          Brown et al., 2020
Shapes    D = width, L = layers, V = vocabulary, P = places, n = tokens
Differs   An operation is a multiplication or an addition.  GPT-1 has no norm at the end: 2 D less.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.costs.layers import parts
from engine.language.message import _

MIB = 2**20


def parameters(
    layers: int,
    width: int,
    vocabulary: int,
    places: int,
    *,
    last_norm: bool = True,
    tied: bool = True,
) -> dict[str, int]:
    """Parameters by part; their sum is the model's."""
    one = parts(width, 4 * width)
    return {
        "token embedding": vocabulary * width,
        "places": places * width,
        "attention": layers * one["attention"],
        "feed-forward": layers * one["feed_forward"],
        "norms": (2 * layers + last_norm) * one["norm"],
        "output": 0 if tied else vocabulary * width,
    }


def operations(n: int, width: int) -> dict[str, int]:
    """Multiplications and additions of one layer over n tokens, by part."""
    return {
        "scores and readings": 4 * n * n * width,
        "projections": 8 * n * width * width,
        "feed-forward": 16 * n * width * width,
    }


def weights_bytes(n: int, heads: int, each: int = 2, layers: int = 1) -> int:
    """Bytes of the attention weights of one text, all kept."""
    return n * n * heads * each * layers


@dataclass(frozen=True, slots=True)
class Way:
    """How one kind of layer connects n places of width d: operations, steps that must wait for each
    other, and hops."""

    name: str
    operations: int
    steps: int
    hops: int


def ways(n: int, width: int, kernel: int, far: int) -> tuple[Way, ...]:
    """One layer over n tokens; hops are those between two tokens `far` apart."""
    reach = max(1, kernel - 1)
    hops = -(-far // reach)
    dilated, span = 0, 0
    while span < far:  # layer k of a dilated stack looks kernel^k tokens apart
        span += reach * kernel**dilated
        dilated += 1
    return (
        Way("recurrent", 2 * n * 2 * width * width, n, far),
        Way("self-attention", 4 * n * n * width + 8 * n * width * width, 1, min(1, far)),
        Way(
            _("convolution, {kernel} wide", kernel=kernel), 2 * kernel * n * width * width, 1, hops
        ),
        Way(
            _("the same, dilated {kernel}-fold a layer", kernel=kernel),
            2 * kernel * n * width * width,
            1,
            dilated,
        ),
    )
