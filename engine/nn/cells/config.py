"""Config of a recurrent language model: the same for every cell, which may add options of its own.

Differs   What a cell adds in its `config_type` is given to the cell by the same name.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.registry import tokenizers
from engine.core.setting import setting
from engine.nn.plan import MIXED, TextTraining, option


@dataclass(frozen=True, slots=True)
class RecurrentConfig(TextTraining):
    units: int = setting(256, "units in each layer", min=4, max=1024)
    layers: int = setting(2, "layers", min=1, max=8)
    width: int = setting(64, "size of a token's vector", min=4, max=512)
    dropout: float = setting(0.0, "dropout: share of inputs set to 0 in training", min=0.0, max=0.7)
    recurrent_dropout: float = setting(
        0.0, "dropout on the state, the same units at each step", min=0.0, max=0.7
    )
    tied: bool = setting(False, "share the embeddings with the output layer", later=True)
    residual: bool = setting(False, "residual connections: add the input of a layer to its output")
    start: str = setting("torch", "initial weights: torch, uniform, xavier, he, orthogonal")
    forget_bias: float = setting(
        0.0, "forget bias before training; 0: torch's default", min=-5.0, max=10.0
    )
    tokenizer: str = setting("chars", f"how the text is cut: {', '.join(tokenizers.ids())}")
    vocabulary: int = setting(200, "largest vocabulary", min=16, max=50_000)
    steps: int = setting(2000, "training steps", min=1, max=200_000)
    batch: int = setting(32, "windows per step", min=1, max=512)
    span: int = setting(96, "tokens per window", min=2, max=1024)
    rate: float = setting(4e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")
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
