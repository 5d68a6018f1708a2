"""A head of an external memory put elsewhere: at one token its address, its key or its gate is set, and the
machine goes on from there.

What      slot: w = 1 at one slot, 0 elsewhere; key: k = what stands in one slot before the token, and
          only content counts (g = 1); gate: g set, which mixes content and the address before
          every later step follows from that: what is read, the state, the memory, all next letters
Source    Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.3; a change while a net runs:
          engine/core/tap.py
Shapes    T = tokens, N = slots, D = numbers in a slot
"""

from __future__ import annotations

from engine.core.tap import Edit
from engine.core.trace import Trace
from engine.models.ntm import NTM, START

HEADS = {"read": "read head", "write": "write head"}
WAYS = {"slot": "stand on one slot", "key": "look for what is in a slot", "gate": "weigh content"}


def edits(head: str, way: str, token: int, to: float, trace: Trace) -> tuple[Edit, ...]:
    """What to change, in a text whose own numbers are `trace`; KeyError for no such head or way.

    to  a slot, or how much content counts, 0 to 1
    """
    assert HEADS[head] and WAYS[way]
    here = {"token": token}
    if way == "gate":
        return (Edit(f"{head}.gate", here, to),)
    if way == "slot":
        name = f"{head}.address"
        return Edit(name, here), Edit(name, {**here, "slot": int(to)}, 1.0)
    memory_TND, before = trace.field("memory").values, token - 1
    row_D = memory_TND[before, int(to)] if token else [START] * memory_TND.shape[-1]
    key = (Edit(f"{head}.key", {**here, "dim": d}, float(x)) for d, x in enumerate(row_D))
    return *key, Edit(f"{head}.gate", here, 1.0)


def says(trace: Trace) -> list[str]:
    """The likeliest next token behind each (T,)."""
    p = trace.field("probability")
    labels = p.axis("next").labels
    return [labels[i] for i in p.values.argmax(-1)]


def moved(model: NTM, text: str, head: str, way: str, token: int, to: float) -> tuple[Trace, Trace]:
    """The text as it is read, and with the head put elsewhere at `token`."""
    plain = model.trace(text)
    return plain, model.trace(text, edits(head, way, token, to, plain))
