"""Encoders counted: the numbers in BERT, part by part, and what its descendants changed.

What      embeddings (V + P + S) H + 2 H; a layer 4 (H^2 + H) + 2 H F + F + H + 4 H; pooler H^2 + H
Source    Devlin et al., BERT, 2019, sec. 3, its abstract and tables 1 to 4 (scores); Nangia & Bowman, Human vs. Muppet,
          2019 (people on GLUE); Liu et al., RoBERTa, 2019; Lan et al., ALBERT, 2020,
          sec. 3.1;
          Sanh et al., DistilBERT, 2019; Clark et al., ELECTRA, 2020
Shapes    V = vocabulary, P = places, S = segments, H = width, F = inner width of the feed-forward
          part, L = layers, E = width of the embeddings where they have one of their own
Differs   The heads used in pre-training (masked words, pairs) are not counted, as the papers do not
          count them.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.costs.layers import encoder
from engine.analysis.costs.layers import parts as layer_parts


@dataclass(frozen=True, slots=True)
class Size:
    layers: int = 12
    width: int = 768
    vocabulary: int = 30_522
    places: int = 512
    segments: int = 2
    inner: int = 0  # 0: four times the width
    embedding: int = 0  # 0: as wide as the layers
    once: bool = False  # all layers share one set of weights
    pooler: bool = True

    def parts(self) -> dict[str, int]:
        """Numbers by part."""
        h, f, e = self.width, self.inner or 4 * self.width, self.embedding or self.width
        layers, one = 1 if self.once else self.layers, layer_parts(h, f)
        return {
            "word embeddings": self.vocabulary * e,
            "places": self.places * e,
            "segments": self.segments * e,
            "norm of the embeddings": 2 * e,
            **({"from embedding to layer": e * h + h} if e != h else {}),
            "attention": layers * one["attention"],
            "feed-forward": layers * one["feed_forward"],
            "norms of the layers": layers * 2 * one["norm"],
            **({"pooler": h * h + h} if self.pooler else {}),
        }

    @property
    def layer(self) -> int:
        """Numbers in one layer."""
        return encoder(self.width, self.inner or 4 * self.width)

    @property
    def total(self) -> int:
        return sum(self.parts().values())


BASE, LARGE = Size(), Size(24, 1024)


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    year: int
    size: Size
    changes: str


FAMILY = (
    Model(
        "BERT-base",
        2018,
        BASE,
        "12 layers, 12 heads. Masked words and sentence pairs, 3.3 billion words.",
    ),
    Model("BERT-large", 2018, LARGE, "24 layers, 16 heads. The paper rounds it to 340 million."),
    Model(
        "RoBERTa-base",
        2019,
        Size(vocabulary=50_265, places=514, segments=1),
        "Same layers. No sentence pairs, masks drawn anew each time, ten times the text, byte-level"
        " BPE.",
    ),
    Model(
        "ALBERT-base",
        2020,
        Size(vocabulary=30_000, embedding=128, once=True),
        "All layers share one set of weights, and embeddings are 128 wide. Sentence order instead"
        " of sentence pairs.",
    ),
    Model(
        "DistilBERT",
        2019,
        Size(6, segments=0, pooler=False),
        "6 layers that learn to answer as BERT-base does. Keeps 97 % of its score, 60 % faster (its"
        " paper).",
    ),
    Model(
        "ELECTRA-base",
        2020,
        Size(pooler=False),
        "A small generator replaces words; the model says of every word whether it was replaced. It"
        " learns from all words, not from 15 %.",
    ),
)

PUBLISHED = (  # test, the best before, BERT-large, people; per cent
    ("GLUE, mean of its tasks", 72.8, 80.5, 87.1),
    ("MultiNLI, accuracy", 82.1, 86.7, None),
    ("SQuAD 1.1, F1", 91.7, 93.2, 91.2),
    ("SQuAD 2.0, F1", 78.0, 83.1, 89.5),
    ("SWAG, accuracy", 78.0, 86.3, 88.0),
)
