"""What a cell is besides its memories, for its diagram and its equations: how it shows them, and what sets its gates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PLAIN = (("cell", 1.0),)
RESET = "The candidate reads the states of all units, each through its own valve at the lower left."


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Symbols stand as {$name}, to be put in by the browser.

    shown     what tanh is taken of before the output gate, in symbols; empty where the state is the memory itself
    terms     the same as a weighted sum of fields; () where only the output tells it (h = o · tanh(shown))
    squeeze   what makes a state without memory from the sum: "tanh", "max(0, a)"
    looks     whether the gates look at the memory (peepholes)
    coupled   whether the input gate is what the forget gate leaves
    resets    the gate between the old state and the candidate
    note      a sentence for the reader
    """

    shown: str = ""
    terms: tuple[tuple[str, float], ...] = ()
    squeeze: str = "tanh"
    looks: bool = False
    coupled: bool = False
    resets: str = ""
    note: str = ""

    def describe(self) -> dict[str, Any]:
        return {
            "shown": self.shown, "terms": self.terms, "squeeze": self.squeeze,
            "looks": self.looks, "coupled": self.coupled, "resets": self.resets, "note": self.note,
        }  # fmt: skip


def of(model: Any) -> Anatomy:
    cell = "{$cell}"
    match model.card.id:
        case "rnn":
            return Anatomy(squeeze="tanh" if model.config.activation == "tanh" else "max(0, a)")
        case "gru" | "gru_after":
            return Anatomy(resets="gate.reset", note=RESET)
        case "mgu":
            return Anatomy(resets="gate.update", note=RESET)
        case "layernorm_lstm":
            return Anatomy(
                shown=f"N({cell})", note="N: mean 0 and variance 1 over the units of the layer, then a gain and a bias."
            )
        case "dual_memory":
            return dual(model.config)
        case "peephole":
            return Anatomy(
                cell,
                PLAIN,
                looks=True,
                note="The valves look at the unit's own memory too (peepholes); the last one at the new memory.",
            )
        case "coupled":
            return Anatomy(cell, PLAIN, coupled=True, note="What the forget gate takes away makes room for as much that is new.")
        case "lstm1997":
            return Anatomy(cell, PLAIN, note="No valve on the belt: what is in the memory stays there whole.")
    return Anatomy(cell, PLAIN)


def dual(config: Any) -> Anatomy:
    short, long = "{$cell.short}", "{$cell.long}"
    if config.combine == "concat":
        note = "Drawn is the half of the state that shows the short-term memory; the other half shows the long-term one the same way."
        return Anatomy(short, (("cell.short", 1.0),), note=note)
    if config.combine == "mix":
        m = config.mix
        return Anatomy(shown=f"{m:g} {short} + {1 - m:g} {long}", terms=(("cell.short", m), ("cell.long", 1 - m)))
    return Anatomy(shown=f"{short} + {long}", terms=(("cell.short", 1.0), ("cell.long", 1.0)))
