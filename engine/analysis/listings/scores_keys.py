"""Keys that are multiplied anew at every step of the decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

WORDS, STEPS, UNITS = 8, 9, 4
Read = Callable[[Tensor], Tensor]


def faulty(ask: Read, offer: Read, read: Read, key: Tensor, state: Tensor) -> Sequence[Tensor]:
    found = []
    for query in state:
        hidden = (ask(query) + offer(key)).tanh()
        found.append(read(hidden)[:, 0].softmax(0))
    return found


def repaired(ask: Read, offer: Read, read: Read, key: Tensor, state: Tensor) -> Sequence[Tensor]:
    found, offered = [], offer(key)
    for query in state:
        hidden = (ask(query) + offered).tanh()
        found.append(read(hidden)[:, 0].softmax(0))
    return found


def measured(program: Program) -> Mapping[str, float]:
    ask, offer, read = (drawn(nn.Linear(UNITS, n, False), n) for n in (UNITS, UNITS, 1))
    products = 0

    def counted(key: Tensor) -> Tensor:
        nonlocal products
        products += len(key)
        found: Tensor = offer(key)
        return found

    weight = program(ask, counted, read, noise(WORDS, UNITS), noise(STEPS, UNITS, seed=2))
    return {
        "products of a key with the matrix": products,
        "weight of the first word at the last step": weight[-1][0].item(),
    }


LISTING = Listing(
    "The same keys at every step",
    "The additive score multiplies each key with a matrix, and the keys of a sentence stay as they"
    " are while it is translated. Inside the loop that product is made again for every word that is"
    " written: the weights are the same, the work grows with both lengths.",
    faulty,
    repaired,
    measured,
)
