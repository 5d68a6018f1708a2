"""Config of a recurrent language model: the same for every cell, which may add options of its own.

Differs   What a cell adds in its `config_type` is given to the cell by the same name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.core.registry import tokenizers
from engine.nn.plan import MIXED, TextTraining, option


@dataclass(frozen=True, slots=True)
class RecurrentConfig(TextTraining):
    units: int = field(default=256, metadata={"min": 4, "max": 1024, "says": "units in each layer"})
    layers: int = field(default=2, metadata={"min": 1, "max": 8, "says": "layers"})
    width: int = field(
        default=64, metadata={"min": 4, "max": 512, "says": "size of a token's vector"}
    )
    dropout: float = field(
        default=0.0,
        metadata={"min": 0.0, "max": 0.7, "says": "dropout: share of inputs set to 0 in training"},
    )
    recurrent_dropout: float = field(
        default=0.0,
        metadata={
            "min": 0.0,
            "max": 0.7,
            "says": "dropout on the state, the same units at each step",
        },
    )
    residual: bool = field(
        default=False,
        metadata={"says": "residual connections: add the input of a layer to its output"},
    )
    start: str = field(
        default="torch",
        metadata={"says": "initial weights: torch, uniform, xavier, he, orthogonal"},
    )
    forget_bias: float = field(
        default=0.0,
        metadata={
            "min": -5.0,
            "max": 10.0,
            "says": "forget bias before training; 0: torch's default",
        },
    )
    tokenizer: str = field(
        default="chars",
        metadata={"says": f"how the text is cut: {', '.join(tokenizers.ids())}"},
    )
    vocabulary: int = field(
        default=200, metadata={"min": 16, "max": 50_000, "says": "largest vocabulary"}
    )
    steps: int = field(default=2000, metadata={"min": 1, "max": 200_000, "says": "training steps"})
    batch: int = field(default=32, metadata={"min": 1, "max": 512, "says": "windows per step"})
    span: int = field(default=96, metadata={"min": 2, "max": 1024, "says": "tokens per window"})
    rate: float = field(
        default=4e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "highest learning rate"}
    )
    mixed: bool = field(default=False, metadata={"says": MIXED, "group": "training"})
    stateful: bool = option(
        False,
        "continue where the previous step stopped, with its state (truncated BPTT), instead of"
        " random windows",
    )

    def __post_init__(self) -> None:
        TextTraining.__post_init__(self)
        if self.stateful and self.passages:
            raise ValueError(
                "stateful reads one long text and passages reads many short ones; choose one of"
                " them"
            )
