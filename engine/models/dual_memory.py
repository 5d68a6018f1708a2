"""Language model of the dual-memory cell, as described in the course notes ("STLM").

What      embedding -> layers of the cell in engine/nn/cells/dual_memory.py -> logits
Source    the course notes only
Shapes    as in engine/models/recurrent.py
Differs   The notes train nothing with it; nothing in it is about space, though its name there says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.dual_memory import DualMemory as Cell


@dataclass(frozen=True, slots=True)
class Config(RecurrentConfig):
    combine: str = field(default="sum", metadata={"says": "how the two memories meet: sum, mix, concat"})
    mix: float = field(
        default=0.5, metadata={"min": 0.0, "max": 1.0, "says": "share of the short-term memory when they are mixed"}
    )


@final
class DualMemory(RecurrentModel[Config]):
    card = Card("dual_memory", "Dual memory, as described in the notes", 2024, 'course notes ("STLM"); no publication', True)
    cell = Cell
    config_type = Config

    @classmethod
    def options(cls, config: Config) -> Mapping[str, Any]:
        return {"combine": config.combine, "mix": config.mix}


MODEL = DualMemory
