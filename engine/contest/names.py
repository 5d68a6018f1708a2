"""Names of the cells for the reader, the order they are listed in, and what each is."""

from __future__ import annotations

CELLS = {
    "rnn": "Elman RNN",
    "lstm": "LSTM",
    "gru": "GRU",
    "dual_memory": "Dual memory",
    "gru_after": "GRU as in torch",
    "lstm1997": "LSTM of 1997",
    "peephole": "Peephole LSTM",
    "coupled": "Coupled LSTM",
    "layernorm_lstm": "Layer-norm LSTM",
    "mgu": "Minimal gated unit",
}

# The cells whose forget gate's bias can be set before training; the dual memory sets its own two.
FORGETTING = ("lstm", "peephole", "coupled", "layernorm_lstm")
