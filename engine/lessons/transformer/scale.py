"""Scale: what the size of a language model says about its parameters, its loss, and about what it
can do at all.

What      parameters  V H + P H + L (12 H^2 + 13 H) + 2 H: embeddings, places, L blocks, last norm;
          output tied
          power laws  L(N) = (8.8e13 / N)^0.076, L(D) = (5.4e13 / D)^0.095, in nats per token
          steps       a recurrent net of L layers needs n + L - 1 of them one after the other,
                      attention L
Source    Radford et al. 2018 and 2019; Brown et al. 2020, table 2.1; Kaplan et al., Scaling Laws
          for Neural Language Models, 2020, sec. 1.2
Shapes    H = width, L = layers, V = vocabulary, P = places, N = parameters without embeddings, D =
          tokens of training
Differs   The laws were fitted to one family of models on one corpus; beyond the measured range they
          are a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.lessons.transformer import sizes


@dataclass(frozen=True, slots=True)
class Size:
    """A decoder-only model as its authors describe it."""

    name: str
    layers: int
    width: int
    vocabulary: int
    places: int
    last_norm: bool = True

    def parts(self, tied: bool = True) -> dict[str, int]:
        """Parameters by part."""
        return sizes.parameters(
            self.layers,
            self.width,
            self.vocabulary,
            self.places,
            last_norm=self.last_norm,
            tied=tied,
        )

    @property
    def parameters(self) -> int:
        return sum(self.parts().values())


NAMED = {
    of.name: of
    for of in (
        Size("GPT-1", 12, 768, 40_478, 512, False),
        Size("GPT-2 small", 12, 768, 50_257, 1024),
        Size("GPT-2 XL", 48, 1600, 50_257, 1024),
        Size("GPT-3", 96, 12_288, 50_257, 2048),
    )
}
TOLD = {  # year, as its authors say, trained on, what was new
    "GPT-1": (2018, "117 million", "BookCorpus, 4.5 GB", "fine-tuned, it does many tasks"),
    "GPT-2 small": (
        2019,
        "117 million, corrected to 124",
        "WebText, 40 GB",
        "norm first, one more norm, longer context",
    ),
    "GPT-2 XL": (2019, "1.5 billion", "WebText, 40 GB", "some tasks without any example"),
    "GPT-3": (2020, "175 billion", "300 billion tokens", "tasks from a few examples in the prompt"),
}


def series() -> list[dict[str, Any]]:
    """The GPT series as a table."""
    return [
        {
            "model": name,
            "year": year,
            "layers": of.layers,
            "width": of.width,
            "places": of.places,
            "parameters, counted": f"{of.parameters:,}",
            "as its authors say": said,
            "trained on": data,
            "what was new": new,
        }
        for (name, of), (year, said, data, new) in zip(NAMED.items(), TOLD.values(), strict=True)
    ]


def loss_by_parameters(n: float) -> float:
    """Nats per token of a model of `n` parameters (without embeddings) that has enough data."""
    return float((8.8e13 / n) ** 0.076)


def loss_by_tokens(d: float) -> float:
    """Nats per token of a model that is large enough and saw `d` tokens."""
    return float((5.4e13 / d) ** 0.095)


def steps(n: int, layers: int, workers: int) -> tuple[int, int]:
    """Ticks that one reading of `n` tokens takes: recurrent, attention.

    In a tick each of `workers` (at least as many as layers) does one token in one layer.  A
    recurrent net keeps one worker a layer busy; attention all of them, as its tokens do not wait
    for each other.
    """
    return n + layers - 1, layers * -(-n // workers)


def find_ready(n: int, tick: int, layers: int, workers: int) -> np.ndarray:
    """1 for the tokens (2, n) that have passed the last layer after `tick` ticks: recurrent,
    attention."""
    token_n = np.arange(n)
    recurrent = tick >= token_n + layers
    attention = tick >= (layers - 1) * -(-n // workers) + token_n // workers + 1
    return np.stack((recurrent, attention)).astype(np.float32)
