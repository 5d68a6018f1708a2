"""What the numbers of a recurrent cell are called: the field's names are the model's own; here are
those of the notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.models.base import Model

NOTES: dict[str, dict[str, str]] = {
    "gate.input": {
        "short": "learn: share",
        "symbol": "i_t",
        "says": (
            "One half of the learn gate: how much of the candidate is learned. The standard"
            " name is input gate."
        ),
    },
    "candidate": {
        "short": "learn: candidate",
        "symbol": "N_t",
        "says": (
            "The other half of the learn gate: the content that could be learned. Learn"
            " gate = i_t · N_t."
        ),
    },
    "gate.forget": {
        "short": "forget gate",
        "symbol": "f_t",
        "says": (
            "How much of the long-term memory stays. The remember gate adds this to what is"
            " learned; it has no weights of its own."
        ),
    },
    "gate.output": {
        "short": "use gate: share",
        "symbol": "o_t",
        "says": (
            "How much of the memory the use gate shows: STM_t = o_t · tanh(LTM_t). The"
            " standard name is output gate."
        ),
    },
    "cell": {
        "short": "long-term memory",
        "symbol": "LTM_t",
        "says": (
            "The standard name is cell state: the sum, in the remember gate, of what stays and"
            " what is learned."
        ),
    },
    "hidden": {
        "short": "short-term memory",
        "symbol": "STM_t",
        "says": (
            "The standard name is hidden state: what the use gate passes to the next step and"
            " the next layer."
        ),
    },
}
VOCABULARIES = (("", "standard"), ("notes", "learn, remember, use"))


def notes(model: Model[Any]) -> dict[str, dict[str, str]]:
    """The notes' names, for the cell that they describe; none for its relatives, of which some
    would be untrue."""
    return NOTES if model.card.id == "lstm" else {}


def group(fields: Sequence[str], gates: bool) -> list[str]:
    return [name for name in fields if name.startswith("gate.") == gates]


def memory(part: Any) -> dict[str, Any]:
    """A `Memory` of engine.nn.cells for the browser."""
    return {
        "state": part.state,
        "keep": part.keep,
        "complement": part.complement,
        "write": list(part.write),
    }
