"""Counts: how many numbers one attention layer holds (activations), how many it learns
(parameters), how often it multiplies.

What      activations 6 N d + 2 h N^2; parameters 4 d^2 (+ 4 d biases); multiplications 4 N d^2 + 2
          N^2 d
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.2 and table 1; here counted part
          by part
Shapes    N = tokens, d = numbers in a token's vector, h = heads of width d / h
Differs   The course notes call the activations neurons.  They are no units with weights of their
          own: the projections are the same for every token.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.message import refusal


@dataclass(frozen=True)
class Part:
    name: str
    shape: str
    numbers: int  # activations
    parameters: int
    multiplications: int


def parts(n: int, d: int, heads: int = 1, bias: bool = False) -> list[Part]:
    """Every matrix of one self-attention layer.  ValueError where the heads can't share out d."""
    if min(n, d, heads) < 1:
        raise ValueError("tokens, width and heads are at least 1")
    if d % heads:
        raise refusal("Width {d} can't be shared out among {heads} heads; take a divisor of {d}.")
    learned, k = d * d + d * bias, d // heads
    each = "" if heads == 1 else f"{heads} × "
    return [
        Part("X, the tokens", f"{n} × {d}", n * d, 0, 0),
        Part("Q = X W_Q", f"{each}{n} × {k}", n * d, learned, n * d * d),
        Part("K = X W_K", f"{each}{n} × {k}", n * d, learned, n * d * d),
        Part("V = X W_V", f"{each}{n} × {k}", n * d, learned, n * d * d),
        Part("scores Q Kᵀ", f"{each}{n} × {n}", heads * n * n, 0, n * n * d),
        Part("weights, softmax", f"{each}{n} × {n}", heads * n * n, 0, 0),
        Part("weights × V", f"{each}{n} × {k}", n * d, 0, n * n * d),
        Part("output, × W_O", f"{n} × {d}", n * d, learned, n * d * d),
    ]


def totals(found: list[Part]) -> tuple[int, int, int]:
    """(activations, parameters, multiplications)."""
    return (
        sum(p.numbers for p in found),
        sum(p.parameters for p in found),
        sum(p.multiplications for p in found),
    )
