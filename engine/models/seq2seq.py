"""Recurrent encoder-decoder: one network reads a text into a state, another writes the translation
from it, with or without attention.

What      e_1 .. e_S = encoder(source); the decoder starts in s_0 = tanh(W_b e), e the encoder's
          last state (at both ends when it reads both ways), and h_t = decoder(y_t-1, h_t-1)
          none: P = softmax(W h_t), so that all of the source has to go through s_0
          else: a_t = softmax over s of score(h_t, e_s); c_t = sum_s a_ts e_s; P = softmax(W
          tanh(W_c [c_t, h_t])).  Looking before the cell it is score(h_t-1, e_s), and the cell
          reads c_t too: h_t = decoder([y_t-1, c_t], h_t-1)
Source    none: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for
          Statistical Machine Translation, 2014, and Sutskever, Vinyals & Le, Sequence to Sequence
          Learning with Neural Networks, 2014 additive: Bahdanau, Cho & Bengio, Neural Machine
          Translation by Jointly Learning to Align and Translate, 2015, app. A dot, bilinear
          ("general"): Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine
          Translation, 2015
Shapes    B = batch, S = source tokens, T = target tokens, D = width of an embedding, H = units, V =
          vocabulary
Differs   When it looks and how it scores are two settings: any score looks after the cell, with
          h_t, as in Luong et al., or before it, with h_t-1, as in Bahdanau et al.  Either way the
          answer is read off as in Luong et al.; Bahdanau's reads y_t-1 and h_t-1 too, through a
          maxout layer.  Luong's does not feed its input back.  Cho's decoder reads the source's
          vector at every step, here it only starts from it.
          When it reads both ways the encoder has H / 2 units each way, so that its states are as
          wide as the decoder's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor, nn

from engine.core.registry import cells, scores, tokenizers
from engine.core.setting import setting
from engine.core.tap import Changed, Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.models.abilities import Remembers
from engine.models.base import Card
from engine.models.neural import LOGITS, PROBABILITY
from engine.models.translating import TranslatingModel, TranslatingNet, growing
from engine.nn.cells.base import AXES, InTorch, Memory
from engine.nn.plan import MIXED, Training
from engine.nn.scores.base import Score
from engine.nn.stack import Stack

NONE = "none"
AFTER, BEFORE = "after", "before"
WEIGHTS = ("layer", "head", "query", "source")
ALL = ("batch", *WEIGHTS)
SCORE = FieldSpec(
    "cross.score",
    Kind.SCORE,
    WEIGHTS,
    "How well each source token fits the next token to be written, before softmax.",
    "e_ts",
)
LOOK = FieldSpec(
    "cross.attention",
    Kind.ATTENTION,
    WEIGHTS,
    "Attention of the decoder over the source; each row sums to 1.",
    "a_ts",
)
CONTEXT = FieldSpec(
    "context",
    Kind.STATE,
    ("token", "unit"),
    "Context vector: the encoder's states, averaged with the attention weights.",
    "c_t",
)
ATTENDED = FieldSpec(
    "attended",
    Kind.STATE,
    ("token", "unit"),
    "The decoder's state combined with the context vector; the next token is predicted from it.",
    "h̃_t",
)


@dataclass(frozen=True, slots=True)
class Config(Training):
    cell: str = setting(
        "gru_after", "the recurrent cell: lstm, gru, rnn or another of engine/nn/cells"
    )
    attention: str = setting(
        "additive", f"attention over the source: {', '.join((NONE, *scores.ids()))}"
    )
    looks: str = setting(
        AFTER,
        "when the decoder looks: after its cell, with the new state (Luong), or before it, with the"
        " old state, and the cell reads what it found (Bahdanau)",
        later=True,
    )
    both_ways: bool = setting(True, "bidirectional encoder, with half of the units each way")
    units: int = setting(224, "units in each layer", min=4, max=4096)
    layers: int = setting(1, "layers of the encoder, and of the decoder", min=1, max=8)
    width: int = setting(64, "size of a token's vector", min=4, max=4096)
    context: int = setting(512, "most tokens in the source", min=2, max=131_072)
    dropout: float = setting(0.0, "dropout: share of inputs set to 0 in training", min=0.0, max=0.7)
    tokenizer: str = setting("words", f"how the text is cut: {', '.join(tokenizers.ids())}")
    vocabulary: int = setting(
        4096, "largest vocabulary, both languages together", min=16, max=300_000
    )
    steps: int = setting(3000, "training steps", min=1, max=500_000)
    batch: int = setting(64, "pairs per step", min=1, max=4096)
    span: int = setting(64, "most tokens on each side of a pair in training", min=2, max=8192)
    rate: float = setting(3e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.cell not in cells.ids():
            raise ValueError(f"no cell {self.cell!r}; there are {', '.join(cells.ids())}")
        if self.attention not in (NONE, *scores.ids()):
            raise ValueError(
                f"no attention {self.attention!r}; there are {', '.join((NONE, *scores.ids()))}"
            )
        if self.looks not in (AFTER, BEFORE):
            raise ValueError(f"no order {self.looks!r}; there are {AFTER}, {BEFORE}")
        if self.looks == BEFORE and self.attention == NONE:
            raise ValueError("without attention there is nothing to look at before the cell")
        if self.both_ways and self.units % 2:
            raise ValueError(
                f"{self.units} units can't be halved for reading both ways; take an even number"
            )
        if self.span > self.context:
            raise ValueError(
                f"span {self.span} is longer than context {self.context}; a pair can't be longer"
                " than the model sees"
            )


@dataclass(frozen=True, slots=True)
class Read:
    """What the encoder leaves: its states (B, S, H), and per layer of the decoder the parts (B, H)
    of the state to start from."""

    states_BSH: Tensor
    start: list[tuple[Tensor, ...]]


class Net(TranslatingNet):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        cell = cells.get(c.cell)
        self.embed = nn.Embedding(v, c.width)
        self.encoder = Stack(
            cell,
            c.width,
            c.units // (1 + c.both_ways),
            c.layers,
            both_ways=c.both_ways,
            dropout=c.dropout,
        )
        self.first = c.looks == BEFORE
        found = c.units if self.first else 0  # numbers of the context that the cell reads
        self.decoder = Stack(cell, c.width + found, c.units, c.layers, dropout=c.dropout)
        layers: Any = self.decoder.layers
        self.parts: list[tuple[int, ...]] = [layer.sizes() for layer in layers]
        self.bridge = nn.Linear(self.encoder.width, sum(map(sum, self.parts)))
        self.score: Score | None = (
            None if c.attention == NONE else scores.get(c.attention)(self.decoder.width)
        )
        self.mix = (
            None
            if self.score is None
            else nn.Linear(2 * self.decoder.width, self.decoder.width, bias=False)
        )
        self.output = nn.Linear(self.decoder.width, v)
        self.dropout = nn.Dropout(c.dropout)

    def read(
        self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Read:
        """Rows of one length at a time, so that no cell ever reads an empty place."""
        if real_BS is None:
            return self._started(self._states(source_BS, tap), tap)
        count_B = real_BS.sum(1)
        lengths = count_B.unique().tolist()
        if len(lengths) == 1:
            return self._started(self._states(source_BS[:, : lengths[0]], tap), tap)
        h_BSH, end_BH = None, None
        for n in lengths:
            rows_B = count_B == n
            some_BSH = self._states(source_BS[rows_B, :n], tap)
            if h_BSH is None or end_BH is None:
                h_BSH, end_BH = (
                    some_BSH.new_zeros(*source_BS.shape, some_BSH.shape[-1]),
                    some_BSH.new_zeros(len(source_BS), some_BSH.shape[-1]),
                )
            h_BSH[rows_B, :n] = some_BSH
            end_BH[rows_B] = self._ends(some_BSH)
        assert h_BSH is not None and end_BH is not None
        return self._started(h_BSH, tap, end_BH)

    def _states(self, source_BS: Tensor, tap: Tap) -> Tensor:
        return self.encoder.read(
            self.embed(source_BS), passthrough if tap is passthrough else OfSource(tap)
        )

    def _ends(self, h_BSH: Tensor) -> Tensor:
        """What each direction has when it has read everything: forwards the last token, backwards
        the first."""
        half = h_BSH.shape[-1] // 2
        return (
            torch.cat((h_BSH[:, -1, :half], h_BSH[:, 0, half:]), -1)
            if self.encoder.both_ways
            else h_BSH[:, -1]
        )

    def _started(self, h_BSH: Tensor, tap: Tap, end_BH: Tensor | None = None) -> Read:
        given_BX = torch.tanh(self.bridge(self._ends(h_BSH) if end_BH is None else end_BH))
        start = []
        for i, (sizes, part_BY) in enumerate(
            zip(self.parts, given_BX.split([*map(sum, self.parts)], -1), strict=True)
        ):
            at, pieces = (
                tap.at(layer=i),
                zip(self.decoder.cell.state, part_BY.split(sizes, -1), strict=True),
            )
            start.append(
                tuple(
                    at(f"bridge.{name}", piece_BH, ("batch", "unit")) for name, piece_BH in pieces
                )
            )
        return Read(h_BSH, start)

    def write(
        self, target_BT: Tensor, read: Read, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Tensor:
        x_BTD = self.embed(target_BT)
        if self.first:
            h_BTH = self._looking_first(x_BTD, read, tap, real_BS)
        else:
            if tap is passthrough:
                h_BTH = self.decoder.read(x_BTD, before=read.start, after=[])
            else:
                state = {
                    name: torch.stack([parts[i] for parts in read.start])
                    for i, name in enumerate(self.decoder.cell.state)
                }
                h_BTH = self.decoder.read(x_BTD, tap, state)
            if self.score is not None:
                h_BTH = self._looked(h_BTH, read.states_BSH, tap, real_BS)
        logit_BTV: Tensor = tap(
            "logits", self.output(self.dropout(h_BTH)), ("batch", "token", "next")
        )
        return logit_BTV

    def _looked(self, h_BTH: Tensor, e_BSH: Tensor, tap: Tap, real_BS: Tensor | None) -> Tensor:
        """The decoder's states, mixed with what each of them looks up in the source; one layer and
        one head of attention."""
        assert self.score is not None
        score_B11TS = tap("cross.score", self.score(h_BTH, e_BSH)[:, None, None], ALL)
        if real_BS is not None:
            score_B11TS = score_B11TS.masked_fill(
                ~real_BS[:, None, None, None, : e_BSH.shape[1]], -torch.inf
            )
        look_BTS = tap("cross.attention", score_B11TS.softmax(-1), ALL)[:, 0, 0]
        return self._mixed(tap("context", look_BTS @ e_BSH, AXES), h_BTH, tap)

    def _mixed(self, c_BTH: Tensor, h_BTH: Tensor, tap: Tap) -> Tensor:
        assert self.mix is not None
        mixed_BTH: Tensor = tap(
            "attended", torch.tanh(self.mix(torch.cat((c_BTH, h_BTH), -1))), AXES
        )
        return mixed_BTH

    def _looking_first(self, x_BTD: Tensor, read: Read, tap: Tap, real_BS: Tensor | None) -> Tensor:
        """The same with a look before each step, whose context the cell reads with the word; so
        one token comes after the other."""
        assert self.score is not None
        e_BSH, state = read.states_BSH, [*read.start]
        offered_BSX = self.score.offered(e_BSH)
        hidden_BS = None if real_BS is None else ~real_BS[:, : e_BSH.shape[1]]
        looks = Steps(tap, {"cross.score": ALL, "cross.attention": ALL, "context": AXES})
        cells: Any = self.decoder.layers
        shown = tap is not passthrough
        moments = [InTorch(cell.names, tap.at(layer=i), None) for i, cell in enumerate(cells)]
        weights = [cell.parts() for cell in cells] if shown else []
        rows = []
        for t in range(x_BTD.shape[1]):
            looks.t = t
            asked_B1X = self.score.asked(state[-1][0][:, None])
            score_BS = self.score.met(asked_B1X, offered_BSX)[:, 0]
            score_BS = looks.see("cross.score", score_BS[:, None, None])[:, 0, 0]
            if hidden_BS is not None:
                score_BS = score_BS.masked_fill(hidden_BS, -torch.inf)
            look_BS = looks.see("cross.attention", score_BS.softmax(-1)[:, None, None])[:, 0, 0]
            c_BH = looks.see("context", (look_BS[:, None] @ e_BSH)[:, 0])
            h_BD = torch.cat((x_BTD[:, t], c_BH), -1)
            for i, (cell, now) in enumerate(zip(cells, moments, strict=True)):
                h_B1D = self.decoder.dropout(h_BD)[:, None]
                if shown:
                    now.t = t
                    state[i] = cell.step(weights[i], cell.drive(h_B1D)[:, 0], state[i], now)
                else:
                    _, state[i] = cell.carried(h_B1D, state[i])
                h_BD = state[i][0]
            rows.append(h_BD)
        if shown:
            looks.keep()
            for i, (cell, now) in enumerate(zip(cells, moments, strict=True)):
                for name in cell.names:
                    tap.at(layer=i).keep(name, torch.stack(now.rows[name], 1), AXES)
        return self._mixed(torch.stack(looks.rows["context"], 1), torch.stack(rows, 1), tap)


class Steps:
    """The fields of a loop over the target's tokens, by their axes: each number is changed as it is
    made, and all steps are shown together."""

    def __init__(self, tap: Tap, fields: Mapping[str, tuple[str, ...]]) -> None:
        self._tap, self._fields, self.t = tap, fields, 0
        self.rows: dict[str, list[Tensor]] = {name: [] for name in fields}
        self._changes = {
            name: change
            for name, axes in fields.items()
            if (change := tap.in_loop(name, tuple(a for a in axes if a not in ("token", "query"))))
        }

    def see(self, name: str, value: Tensor) -> Tensor:
        rows = self.rows[name]
        if change := self._changes.get(name):
            value = change(self.t, value, rows[-1] if rows else torch.zeros_like(value))
        rows.append(value)
        return value

    def keep(self) -> None:
        for name, axes in self._fields.items():
            along = next(i for i, a in enumerate(axes) if a in ("token", "query"))
            self._tap.keep(name, torch.stack(self.rows[name], along), axes)


class OfSource:
    """The tap of the part that reads the source: its fields have a name of their own, its tokens
    are those of the source."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        return self._tap(_named(name), value, _along(axes))

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        self._tap.keep(_named(name), value, _along(axes))

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        self._tap.derived(_named(name), make, _along(axes))

    def at(self, **index: int) -> OfSource:
        return OfSource(self._tap.at(**index))

    def in_loop(self, name: str, axes: tuple[str, ...]) -> Changed | None:
        return self._tap.in_loop(_named(name), axes)

    def table(self, name: str, make: Callable[[], Mapping[str, Any]]) -> None:
        self._tap.table(_named(name), make)

    def wants(self, name: str) -> bool:
        return self._tap.wants(_named(name))

    def edits(self, *names: str) -> bool:
        return self._tap.edits(*map(_named, names))

    def window(self, count: int) -> tuple[int, int]:
        return 0, count  # a source is always read whole


def _named(name: str) -> str:
    return f"encoder.{name}"


def _along(axes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("source" if axis == "token" else axis for axis in axes)


@final
class Seq2seq(TranslatingModel[Config], Remembers[Config]):
    card = Card(
        "seq2seq",
        "Recurrent encoder-decoder",
        2014,
        "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014",
    )
    config_type = Config
    forwards = False

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @staticmethod
    def alike(source: int, target: int) -> int:
        """Sources of one length, which are read in one go."""
        return source

    @property
    def memories(self) -> tuple[Memory, ...]:
        found: tuple[Memory, ...] = cells.get(self.config.cell).memories
        return found

    def spec(self) -> tuple[FieldSpec, ...]:
        cell = cells.get(self.config.cell)
        reads = (
            replace(
                spec,
                name=_named(spec.name),
                axes=_along(spec.axes),
                says=f"In the encoder: {spec.says[0].lower()}{spec.says[1:]}",
            )
            for spec in cell.fields
        )
        starts = (
            FieldSpec(
                f"bridge.{name}",
                Kind.STATE,
                ("layer", "unit"),
                "Initial state of the decoder, computed from the encoder's last state.",
                "s_0",
            )
            for name in cell.state
        )
        looks = () if self.config.attention == NONE else (SCORE, LOOK, CONTEXT, ATTENDED)
        return growing((*reads, *starts, *cell.fields, *looks, LOGITS, PROBABILITY))


MODEL = Seq2seq
