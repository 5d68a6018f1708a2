"""An encoder and a decoder of which only the widths are compared."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import drawn, noise

UNITS = 6


def faulty(encoder: nn.GRU, decoder: nn.GRU, source: Tensor, begin: Tensor) -> Tensor:
    assert decoder.hidden_size == encoder.hidden_size
    _, state = encoder(source)
    _, state = decoder(begin, state)
    last: Tensor = state[-1]
    return last


def repaired(encoder: nn.GRU, decoder: nn.GRU, source: Tensor, begin: Tensor) -> Tensor:
    assert decoder.hidden_size == encoder.hidden_size
    assert decoder.num_layers <= encoder.num_layers
    _, state = encoder(source)
    _, state = decoder(begin, state[-decoder.num_layers :])
    last: Tensor = state[-1]
    return last


def nets(deep: int, shallow: int) -> tuple[nn.GRU, nn.GRU]:
    encoder, decoder = (nn.GRU(2, UNITS, n, batch_first=True) for n in (deep, shallow))
    return drawn(encoder), drawn(decoder, 1)


def measured(program: Program) -> Mapping[str, float]:
    found = {}
    for deep, shallow in ((2, 2), (2, 1)):
        state = program(*nets(deep, shallow), noise(1, 5, 2), noise(1, 1, 2, seed=2))
        found[f"first unit of the decoder, {deep} layers and {shallow}"] = state[0, 0].item()
    return found


LISTING = Listing(
    "Widths compared, depths not",
    "That encoder and decoder have equally many units is asserted; that they have equally many"
    " layers isn't. A deep encoder with a flat decoder is built without complaint, and fails after"
    " it has read the first batch. Here the decoder takes over the highest layers, and one that is"
    " deeper than the encoder is refused before anything is read.",
    faulty,
    repaired,
    measured,
)
