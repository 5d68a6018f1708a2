"""A recurrent controller with an external memory: at each token it writes to some slots of a matrix,
reads some, and says what comes next from its state and from what it read.

What      h_t = LSTM([x_t, r_t-1], h_t-1); the write head of h_t changes M; the read head of h_t
          reads r_t from M_t; p_t = softmax(W [h_t, r_t] + b)
Source    Graves, Wayne & Danihelka, Neural Turing Machines, 2014; a constant at the start: Collier &
          Beel, Implementing Neural Turing Machines, 2018
Shapes    B = batch, T = tokens, V = vocabulary, H = units, N = slots, D = numbers in a slot
Differs   One head of each kind, shifts of one slot.  It reads what it wrote in the same step.  At the
          start the memory is a constant and both heads stand on slot 0, so that no number belongs
          to a slot: the same weights run with any number of slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.registry import tokenizers
from engine.core.setting import setting
from engine.core.tap import Changed, Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _
from engine.models.base import Card
from engine.models.neural import PROBABILITY, NeuralLanguageModel, as_often
from engine.nn import external
from engine.nn.cells.base import InTorch
from engine.nn.cells.lstm import LSTM
from engine.nn.packed import Linear
from engine.nn.plan import TextTraining

START = 1e-2  # every number of the memory before the first token

SLOTS, ONE = ("token", "slot"), ("token", "unit")


def _head(which: str, head: str, letter: str) -> tuple[FieldSpec, ...]:
    """What a head shows, in the order in which its address is made."""

    def of(name: str, kind: Kind, axes: tuple[str, ...], says: str, symbol: str) -> FieldSpec:
        return FieldSpec(f"{which}.{name}", kind, axes, says, f"{symbol}^{letter}_t")

    return (
        of("key", Kind.STATE, ("token", "dim"), _("What {head} looks for.", head=_(head)), "k"),
        of(
            "strength", Kind.STATE, ONE, _("How much {head} insists on its key.", head=_(head)), "β"
        ),
        of(
            "content",
            Kind.ATTENTION,
            SLOTS,
            _("Where {head} finds its key in the memory.", head=_(head)),
            "c",
        ),
        of(
            "gate",
            Kind.GATE,
            ONE,
            _("How far {head} goes by content; the rest stays where it was.", head=_(head)),
            "g",
        ),
        of(
            "mixed",
            Kind.ATTENTION,
            SLOTS,
            _(
                "Where {head} is drawn by content and by its last address, mixed by the gate.",
                head=_(head),
            ),
            "m",
        ),
        of(
            "shift",
            Kind.PROBABILITY,
            ("token", "order"),
            _("Whether {head} steps back, stays or steps on.", head=_(head)),
            "s",
        ),
        of(
            "moved",
            Kind.ATTENTION,
            SLOTS,
            _("Where {head} stands after the step.", head=_(head)),
            "v",
        ),
        of("sharp", Kind.STATE, ONE, _("How sharply {head} chooses.", head=_(head)), "γ"),
        of(
            "address",
            Kind.ATTENTION,
            SLOTS,
            _("On which slots {head} is at each token.", head=_(head)),
            "w",
        ),
    )


OWN = (
    *_head("write", "the write head", "w"),
    FieldSpec(
        "erase",
        Kind.GATE,
        ("token", "dim"),
        "How much of each number of a slot is erased first.",
        "e_t",
    ),
    FieldSpec("add", Kind.STATE, ("token", "dim"), "What is written.", "a_t"),
    FieldSpec("memory", Kind.STATE, ("token", "slot", "dim"), "All slots after each token.", "M_t"),
    *_head("read", "the read head", "r"),
    FieldSpec(
        "reading",
        Kind.STATE,
        ("token", "dim"),
        "What is read: the mean of the slots by their weights.",
        "r_t",
    ),
)


@dataclass(frozen=True, slots=True)
class Config(TextTraining):
    units: int = setting(32, "units of the controller, an LSTM", min=4, max=1024)
    width: int = setting(12, "size of a token's vector", min=2, max=1024)
    slots: int = setting(48, "slots of the memory", min=2, max=1024)
    numbers: int = setting(12, "numbers in a slot", min=2, max=256)
    tokenizer: str = setting(
        "chars", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(4096, "largest vocabulary", min=16, max=300_000)
    steps: int = setting(4000, "training steps", min=1, max=500_000)
    batch: int = setting(32, "windows per step", min=1, max=512)
    span: int = setting(64, "tokens per window", min=2, max=8192)
    rate: float = setting(5e-3, "highest learning rate", min=1e-5, max=1e-1)
    passages: bool = setting(
        True,
        "learn from whole passages, padded to the longest in the batch, instead of windows of one"
        " long text",
        group="training",
    )


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.slots, self.numbers = c.slots, c.numbers
        self.embed = nn.Embedding(v, c.width)
        self.controller = LSTM(c.width + c.numbers, c.units)
        self.write = external.Head(c.units, c.numbers)
        self.read = external.Head(c.units, c.numbers)
        self.puts = nn.Linear(c.units, 2 * c.numbers)
        self.head = Linear(c.units + c.numbers, v)

    def forward(
        self, ids_BT: Tensor, tap: Tap = passthrough, state: Mapping[str, Tensor] | None = None
    ) -> Tensor:
        """Logits (B, T, V).  `state`: what was carried of the tokens before, of one text."""
        x_BTD, cell = self.embed(ids_BT), self.controller
        now = InTorch(cell.names, tap.at(layer=0), None)
        seen = Steps(tap)
        w, last, memory_BND, write_BN, read_BN, r_BD = self.begin(x_BTD, state)
        read_BTD = []
        for t in range(x_BTD.shape[1]):
            now.t = seen.t = t
            a_BE = cell.drive(torch.cat([x_BTD[:, t], r_BD], -1)[:, None])[:, 0]
            last = cell.step(w, a_BE, last, now)
            h_BH = last[0]
            write_BN = self.write(h_BH, memory_BND, write_BN, partial(seen, "write."))
            erase_BD, add_BD = self.puts(h_BH).chunk(2, -1)
            erase_BD, add_BD = seen("", "erase", erase_BD.sigmoid()), seen("", "add", add_BD.tanh())
            memory_BND = seen(
                "", "memory", external.written(memory_BND, write_BN, erase_BD, add_BD)
            )
            read_BN = self.read(h_BH, memory_BND, read_BN, partial(seen, "read."))
            r_BD = seen("", "reading", external.read(memory_BND, read_BN))
            read_BTD.append(torch.cat([h_BH, r_BD], -1))
        if tap is not passthrough:
            for name in cell.names:
                tap.at(layer=0).keep(name, torch.stack(now.rows[name], 1), ("batch", *ONE))
            seen.keep(tap)
        logit_BTV: Tensor = self.head(torch.stack(read_BTD, 1))
        return logit_BTV

    def begin(self, x_BTD: Tensor, state: Mapping[str, Tensor] | None) -> tuple[Any, ...]:
        """Weights of the controller; its state, the memory, both addresses and the last reading
        before these tokens."""
        n, cell = len(x_BTD), self.controller
        w = cell.parts()
        if state:
            return (
                w,
                tuple(state[name][0, -1:].expand(n, -1) for name in cell.state),
                *(
                    state[name][-1:].expand(n, *state[name].shape[1:])
                    for name in ("memory", "write.address", "read.address", "reading")
                ),
            )
        first_BN = x_BTD.new_zeros(n, self.slots)
        first_BN[:, 0] = 1
        memory_BND = x_BTD.new_full((n, self.slots, self.numbers), START)
        last = tuple(x_BTD.new_zeros(n, size) for size in cell.sizes())
        return w, last, memory_BND, first_BN, first_BN, x_BTD.new_zeros(n, self.numbers)


class Steps:
    """What the heads show, step by step, with the edits of a tap."""

    def __init__(self, tap: Tap) -> None:
        self.t = 0
        self.rows: dict[str, list[Tensor]] = {spec.name: [] for spec in OWN}
        self.changes: dict[str, Changed] = {
            spec.name: change
            for spec in OWN
            if (change := tap.in_loop(spec.name, ("batch", *spec.axes[1:])))
        }

    def __call__(self, prefix: str, name: str, value: Tensor) -> Tensor:
        rows = self.rows[prefix + name]
        if change := self.changes.get(prefix + name):
            value = change(self.t, value, rows[-1] if rows else torch.zeros_like(value))
        rows.append(value)
        return value

    def keep(self, tap: Tap) -> None:
        for spec in OWN:
            if tap.wants(spec.name):
                tap.keep(spec.name, torch.stack(self.rows[spec.name], 1), ("batch", *spec.axes))
            else:
                tap.derived(spec.name, lambda: None, ("batch", *spec.axes))


@final
class NTM(NeuralLanguageModel[Config]):
    card = Card(
        "ntm",
        "Neural Turing machine",
        2014,
        "Graves, Wayne & Danihelka, Neural Turing Machines, 2014",
    )
    config_type = Config
    config: Config
    carries = (*LSTM.state, "memory", "write.address", "read.address", "reading")

    @property
    def depth(self) -> int:
        return 1

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        as_often(net.get_submodule("head"), count_V)

    def spec(self) -> tuple[FieldSpec, ...]:
        return (*LSTM.fields, *OWN, PROBABILITY)

    def labels(self, tokens: Any) -> Mapping[str, tuple[str, ...]]:
        return {**super().labels(tokens), "order": tuple(f"{by:+d}" for by in external.SHIFTS)}


MODEL = NTM
