"""One step of a GRU decoder with additive attention, as shapes and parameters.

What      y = embedding of the word before; q = state of the highest layer; e_s = v tanh(W_a [q, k_s] + b);
          a = softmax(e); c = sum_s a_s k_s; h = cells([y, c], states); logits = W_o x + b_o, x the new
          state, the context and, with three inputs, y
          a layer of a GRU: 3 H (N + H) weights and, as torch has them, 6 H biases, N what it reads
Source    Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and
          Translate, 2015; Cho et al., 2014 (GRU); the second listing of the course notes
Shapes    B = texts, S = source words, V = words, D = width of a word, H = units, L = layers
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """name, what it is made of, its shape, and how many parameters make it."""

    name: str
    reads: str
    shape: tuple[int, ...]
    parameters: int = 0


def step(
    texts: int, source: int, words: int, width: int, units: int, layers: int, inputs: int = 3
) -> tuple[Part, ...]:
    """In the order in which they are computed.  ValueError unless `inputs` is 2 or 3."""
    if inputs not in (2, 3):
        raise ValueError(f"the output layer has 2 or 3 inputs, not {inputs}")
    b, s, v, d, h = texts, source, words, width, units
    read = d + h
    gru = sum(3 * h * (n + h) + 6 * h for n in (read, *[h] * (layers - 1)))
    joined = 2 * h + d * (inputs == 3)
    return (
        Part("the word before, y", "one number for each text", (b, 1, d), v * d),
        Part("keys k", "the encoder's states", (b, s, h)),
        Part("old states", "one for each layer", (layers, b, h)),
        Part("query and key, side by side", "the highest old state, each key", (b, s, 2 * h)),
        Part("scores e", "v tanh(W_a [q; k] + b)", (b, s), 2 * h * h + h + h),
        Part("weights α", "softmax over the source", (b, 1, s)),
        Part("context c", "α times the keys", (b, 1, h)),
        Part("what the cells read", "y and c, joined", (b, 1, read)),
        Part("new states", "GRU cells", (layers, b, h), gru),
        Part(
            "what the output layer reads",
            "the new state, c and y, joined" if inputs == 3 else "the new state and c, joined",
            (b, joined),
        ),
        Part("scores of all words", "output layer", (b, v), joined * v + v),
    )
