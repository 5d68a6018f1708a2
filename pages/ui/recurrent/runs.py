"""The models whose cell the recurrent lessons can open; named here, as asking each would import torch before the first paint."""

from __future__ import annotations

CELLS = ("lstm", "lstm1997", "peephole", "coupled", "layernorm_lstm", "gru", "gru_after", "mgu", "rnn", "dual_memory")
