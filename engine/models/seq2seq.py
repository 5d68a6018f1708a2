"""Recurrent encoder-decoder: one network reads a text into a state, another writes the translation
from it, with or without attention.

What      e_1 .. e_S = encoder(source); the decoder starts in s_0 = tanh(W_b e), e the encoder's
          last state (at both ends when it reads both ways), and h_t = decoder(y_t-1, h_t-1)
          none: P = softmax(W h_t), so that all of the source has to go through s_0
          else: a_t = softmax over s of score(h_t, e_s); c_t = sum_s a_ts e_s; P = softmax(W
          tanh(W_c [c_t, h_t])).  Looking before the cell it is score(h_t-1, e_s), and the cell
          reads c_t too: h_t = decoder([y_t-1, c_t], h_t-1)
          feeds: the cell also reads what W_c made at the step before, 0 at the first
          scope: the weights of a window (engine/nn/local.py), or one source token alone
          (engine/nn/hard.py)
          own: in training a step reads the likeliest token of the step before in place of the right
          one, with a probability that rises evenly from 0 to `own`
Source    none: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for
          Statistical Machine Translation, 2014, and Sutskever, Vinyals & Le, Sequence to Sequence
          Learning with Neural Networks, 2014 additive: Bahdanau, Cho & Bengio, Neural Machine
          Translation by Jointly Learning to Align and Translate, 2015, app. A dot, bilinear
          ("general"): Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine
          Translation, 2015; own: Bengio et al., Scheduled Sampling for Sequence Prediction with
          Recurrent Neural Networks, 2015
Shapes    B = batch, S = source tokens, T = target tokens, D = width of an embedding, H = units, V =
          vocabulary
Differs   When it looks and how it scores are two settings: any score looks after the cell, with
          h_t, as in Luong et al., or before it, with h_t-1, as in Bahdanau et al.  Either way the
          answer is read off as in Luong et al.; Bahdanau's reads y_t-1 and h_t-1 too, through a
          maxout layer.  Cho's decoder reads the source's vector at every step, here it only starts
          from it.
          When it reads both ways the encoder has H / 2 units each way, so that its states are as
          wide as the decoder's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.cache import once
from engine.core.registry import cells, scores, tokenizers
from engine.core.setting import setting
from engine.core.tap import Changed, Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _, refusal
from engine.models.abilities import Remembers
from engine.models.base import Card
from engine.models.neural import LOGITS, PROBABILITY
from engine.models.translating import TranslatingModel, TranslatingNet, growing
from engine.nn import hard
from engine.nn.cells.base import AXES, InTorch, Memory
from engine.nn.local import Local
from engine.nn.loop import Loss
from engine.nn.packed import Linear
from engine.nn.plan import MIXED, Training
from engine.nn.scores.base import Score
from engine.nn.stack import Stack

NONE = "none"
AFTER, BEFORE = "after", "before"
GLOBAL, LOCAL_M, LOCAL_P, HARD = "global", "local-m", "local-p", "hard"
SCOPES = (GLOBAL, LOCAL_M, LOCAL_P, HARD)
WEIGHTS = ("layer", "head", "query", "source")
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
CENTRE = FieldSpec(
    "cross.centre",
    Kind.STATE,
    ("layer", "head", "query"),
    "Middle of the window of each step, in source tokens from 1.",
    "p_t",
)
WEIGHT = FieldSpec(
    "cross.weight",
    Kind.STATE,
    WEIGHTS,
    "What each source token weighs in the context vector.",
    "w_ts",
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
IN_STEP = {spec.name: ("batch", *spec.axes) for spec in (SCORE, LOOK, CENTRE, WEIGHT)}
IN_STEP |= {spec.name: AXES for spec in (CONTEXT, ATTENDED)}


@dataclass(frozen=True, slots=True)
class Config(Training):
    cell: str = setting(
        "gru_after", "the recurrent cell: lstm, gru, rnn or another of engine/nn/cells"
    )
    attention: str = setting(
        "additive", _("attention over the source: {value}", value=", ".join((NONE, *scores.ids())))
    )
    looks: str = setting(
        AFTER,
        "when the decoder looks: after its cell, with the new state (Luong), or before it, with the"
        " old state, and the cell reads what it found (Bahdanau)",
        later=True,
    )
    scope: str = setting(
        GLOBAL,
        "which source tokens a step may look at: global (all), local-m (a window at its own place),"
        " local-p (a window at a place that it foretells), hard (one alone)",
        later=True,
    )
    window: int = setting(
        2, "tokens on each side of the middle of a local window", min=1, max=64, later=True
    )
    estimator: str = setting(
        hard.MARGINAL,
        _(
            "how hard attention learns what to take: {estimators}",
            estimators=", ".join(hard.ESTIMATORS),
        ),
        later=True,
    )
    feeds: bool = setting(
        False,
        "input feeding: the decoder also reads what it made of state and context a step before",
        later=True,
    )
    own: float = setting(
        0.0,
        "scheduled sampling: share of steps that read the model's own last word in place of the"
        " right one, at the end of training; it rises from 0",
        min=0.0,
        max=1.0,
        later=True,
    )
    both_ways: bool = setting(True, "bidirectional encoder, with half of the units each way")
    units: int = setting(224, "units in each layer", min=4, max=4096)
    layers: int = setting(1, "layers of the encoder, and of the decoder", min=1, max=8)
    width: int = setting(64, "size of a token's vector", min=4, max=4096)
    context: int = setting(512, "most tokens in the source", min=2, max=131_072)
    dropout: float = setting(0.0, "dropout: share of inputs set to 0 in training", min=0.0, max=0.7)
    tokenizer: str = setting(
        "words", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
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
            raise refusal("no cell {self.cell!r}; there are {known}", known=cells.ids())
        if self.attention not in (NONE, *scores.ids()):
            raise refusal(
                "no attention {self.attention!r}; there are {known}", known=(NONE, *scores.ids())
            )
        if self.looks not in (AFTER, BEFORE):
            raise refusal("no order {self.looks!r}; there are {AFTER}, {BEFORE}")
        if self.looks == BEFORE and self.attention == NONE:
            raise ValueError("without attention there is nothing to look at before the cell")
        if self.scope not in SCOPES:
            raise refusal("no scope {self.scope!r}; there are {SCOPES}")
        if self.estimator not in hard.ESTIMATORS:
            raise refusal("no estimator {self.estimator!r}; there are {hard.ESTIMATORS}")
        if self.attention == NONE and (self.scope != GLOBAL or self.feeds):
            raise ValueError("without attention there is no scope to choose and no input to feed")
        if self.scope == HARD and (self.looks == BEFORE or self.feeds or self.own):
            raise ValueError(
                "hard attention looks after the cell, without input feeding or own words, so that"
                " what a step takes changes that step alone"
            )
        if self.both_ways and self.units % 2:
            raise refusal(
                "{self.units} units can't be halved for reading both ways; take an even number"
            )
        if self.span > self.context:
            raise refusal(
                "span {self.span} is longer than context {self.context}; a pair can't be longer"
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
        self.first, self.feeds = c.looks == BEFORE, c.feeds
        self.hard = c.estimator if c.scope == HARD else ""
        found = c.units * (self.first + self.feeds)  # numbers that the cell reads besides the word
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
        self.local = (
            Local(self.decoder.width, c.window, c.scope == LOCAL_P)
            if c.scope in (LOCAL_M, LOCAL_P)
            else None
        )
        self.output = Linear(self.decoder.width, v)
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

    def taught(self, read: Read, real_BS: Tensor, target_BT: Tensor, *own: Tensor) -> Tensor:
        """`own` (B, T), where it is given: 1 where a step reads its own word in training."""
        own_BT = own[0] > 0 if own else None
        return self.write(target_BT, read, real_BS=real_BS, own_BT=own_BT)

    def write(
        self,
        target_BT: Tensor,
        read: Read,
        tap: Tap = passthrough,
        real_BS: Tensor | None = None,
        own_BT: Tensor | None = None,
    ) -> Tensor:
        x_BTD = self.embed(target_BT)
        hidden_BS = None if real_BS is None else ~real_BS[:, : read.states_BSH.shape[1]]
        if self.first or self.feeds or own_BT is not None:
            h_BTH = self._step_by_step(x_BTD, read, tap, hidden_BS, own_BT)
        else:
            h_BTH = self._stepped(x_BTD, read, tap)
            if self.hard and self.training:
                return self._choosing(h_BTH, read.states_BSH, hidden_BS)
            if self.score is not None:
                offered_BSX = self.score.offered(read.states_BSH)
                see = AllSteps(tap)
                c_BTH = self._found(h_BTH, read.states_BSH, offered_BSX, hidden_BS, see)
                h_BTH = see("attended", self._mixed(c_BTH, h_BTH))
        logit_BTV: Tensor = tap(
            "logits", self.output(self.dropout(h_BTH)), ("batch", "token", "next")
        )
        return logit_BTV

    def _stepped(self, x_BTD: Tensor, read: Read, tap: Tap) -> Tensor:
        if tap is passthrough:
            return self.decoder.read(x_BTD, before=read.start, after=[])
        state = {
            name: torch.stack([parts[i] for parts in read.start])
            for i, name in enumerate(self.decoder.cell.state)
        }
        return self.decoder.read(x_BTD, tap, state)

    def _found(
        self,
        q_BTH: Tensor,
        e_BSH: Tensor,
        offered_BSX: Tensor,
        hidden_BS: Tensor | None,
        see: AllSteps | Steps,
    ) -> Tensor:
        """What each query looks up in the source; one layer and one head of attention."""
        assert self.score is not None
        met_BTS = self.score.met(self.score.asked(q_BTH), offered_BSX)
        score_BTS = see("cross.score", met_BTS[:, None, None])[:, 0, 0]
        if hidden_BS is not None:
            score_BTS = score_BTS.masked_fill(hidden_BS[:, None], -torch.inf)
        if self.local is None:
            look_BTS = see("cross.attention", score_BTS.softmax(-1)[:, None, None])[:, 0, 0]
        else:
            s = e_BSH.shape[1]
            length_B = q_BTH.new_full((len(q_BTH),), s)
            if hidden_BS is not None:
                length_B = s - hidden_BS.sum(1).to(q_BTH.dtype)
            centre_BT = self.local.centre(q_BTH, length_B, see.t)
            centre_BT = see("cross.centre", centre_BT[:, None, None])[:, 0, 0]
            score_BTS = score_BTS.masked_fill(~self.local.inside(centre_BT, s), -torch.inf)
            look_BTS = see("cross.attention", score_BTS.softmax(-1)[:, None, None])[:, 0, 0]
            if self.local.predicts:
                look_BTS = self.local.weighed(look_BTS, centre_BT)
                look_BTS = see("cross.weight", look_BTS[:, None, None])[:, 0, 0]
        if self.hard:
            look_BTS = hard.make_one_hot(look_BTS.argmax(-1), look_BTS.shape[-1]).to(look_BTS.dtype)
            look_BTS = see("cross.weight", look_BTS[:, None, None])[:, 0, 0]
        return see("context", look_BTS @ e_BSH)

    def _mixed(self, c_BTH: Tensor, h_BTH: Tensor) -> Tensor:
        assert self.mix is not None
        return torch.tanh(self.mix(torch.cat((c_BTH, h_BTH), -1)))

    def _choosing(self, h_BTH: Tensor, e_BSH: Tensor, hidden_BS: Tensor | None) -> Tensor:
        """Hard attention while it learns: logits (B, T, V), behind which `reinforce` has what its
        loss needs besides."""
        assert self.score is not None
        score_BTS = self.score(h_BTH, e_BSH)
        if hidden_BS is not None:
            score_BTS = score_BTS.masked_fill(hidden_BS[:, None], -torch.inf)
        look_BTS = score_BTS.softmax(-1)
        if self.hard == hard.MARGINAL:
            shape = (*score_BTS.shape, h_BTH.shape[-1])
            both = (e_BSH[:, None].expand(shape), h_BTH[:, :, None].expand(shape))
            each_BTSV = self.output(self.dropout(self._mixed(*both))).float().log_softmax(-1)
            return (each_BTSV + score_BTS.float().log_softmax(-1)[..., None]).logsumexp(2)
        taken_BT = hard.draw_tokens(look_BTS)
        through = hard.pass_gradient(look_BTS, taken_BT)
        if self.hard == hard.REINFORCE:
            through = through.detach()
        logit_BTV: Tensor = self.output(self.dropout(self._mixed(through @ e_BSH, h_BTH)))
        if self.hard == hard.STRAIGHT:
            return logit_BTV
        with torch.no_grad():
            mean_BTV = self.output(self.dropout(self._mixed(look_BTS @ e_BSH, h_BTH)))
        chance_BT1 = score_BTS.log_softmax(-1).gather(-1, taken_BT[..., None])
        return torch.cat((logit_BTV, mean_BTV, chance_BT1), -1)

    def _step_by_step(
        self, x_BTD: Tensor, read: Read, tap: Tap, hidden_BS: Tensor | None, own_BT: Tensor | None
    ) -> Tensor:
        """One token after the other: each step reads what the one before has found, made or
        written."""
        e_BSH, state = read.states_BSH, [*read.start]
        offered_BSX = e_BSH if self.score is None else self.score.offered(e_BSH)
        see = Steps(tap)
        cells: Any = self.decoder.layers
        shown = tap is not passthrough
        moments = [InTorch(cell.names, tap.at(layer=i), None) for i, cell in enumerate(cells)]
        weights = [cell.parts() for cell in cells] if shown else []
        rows: list[Tensor] = []
        for t in range(x_BTD.shape[1]):
            see.t = t
            x_BD = x_BTD[:, t]
            if own_BT is not None and t and own_BT[:, t].any():
                with torch.no_grad():
                    wrote_B = self.output(rows[-1]).argmax(-1)
                x_BD = torch.where(own_BT[:, t, None], self.embed(wrote_B), x_BD)
            h_BD = x_BD
            if self.first:
                c_BH = self._found(state[-1][0][:, None], e_BSH, offered_BSX, hidden_BS, see)[:, 0]
                h_BD = torch.cat((h_BD, c_BH), -1)
            if self.feeds:
                fed_BH = rows[-1] if rows else e_BSH.new_zeros(len(e_BSH), self.decoder.width)
                h_BD = torch.cat((h_BD, fed_BH), -1)
            for i, (cell, now) in enumerate(zip(cells, moments, strict=True)):
                h_B1D = self.decoder.dropout(h_BD)[:, None]
                if shown:
                    now.t = t
                    state[i] = cell.step(weights[i], cell.drive(h_B1D)[:, 0], state[i], now)
                else:
                    __, state[i] = cell.carried(h_B1D, state[i])
                h_BD = state[i][0]
            if self.score is not None:
                if not self.first:
                    c_BH = self._found(h_BD[:, None], e_BSH, offered_BSX, hidden_BS, see)[:, 0]
                h_BD = see("attended", self._mixed(c_BH, h_BD)[:, None])[:, 0]
            rows.append(h_BD)
        if shown:
            see.keep()
            for i, (cell, now) in enumerate(zip(cells, moments, strict=True)):
                for name in cell.names:
                    tap.at(layer=i).keep(name, torch.stack(now.rows[name], 1), AXES)
        return torch.stack(rows, 1)


class AllSteps:
    """The fields of IN_STEP where all steps are computed at once."""

    t = 0  # the first step

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def __call__(self, name: str, value: Tensor) -> Tensor:
        found: Tensor = self._tap(name, value, IN_STEP[name])
        return found


class Steps:
    """The same in a loop over the target's tokens, `t` the one it is at: each number is changed as
    it is made, and all steps are shown together."""

    def __init__(self, tap: Tap) -> None:
        self._tap, self.t = tap, 0
        self._along = {
            name: next(i for i, a in enumerate(axes) if a in ("token", "query"))
            for name, axes in IN_STEP.items()
        }
        self.rows: dict[str, list[Tensor]] = {}
        self._changes = {
            name: change
            for name, axes in IN_STEP.items()
            if (change := tap.in_loop(name, tuple(a for a in axes if a not in ("token", "query"))))
        }

    def __call__(self, name: str, value: Tensor) -> Tensor:
        rows, along = self.rows.setdefault(name, []), self._along[name]
        value = value.select(along, 0)
        if change := self._changes.get(name):
            value = change(self.t, value, rows[-1] if rows else torch.zeros_like(value))
        rows.append(value)
        return value.unsqueeze(along)

    def keep(self) -> None:
        for name, rows in self.rows.items():
            self._tap.keep(name, torch.stack(rows, self._along[name]), IN_STEP[name])


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

    def switch(self, name: str, axes: tuple[str, ...]) -> Callable[[Any], Any] | None:
        return self._tap.switch(_named(name), _along(axes))

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
    anew = ("local.",)

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @staticmethod
    def alike(source: int, target: int) -> int:
        """Sources of one length, which are read in one go."""
        return source

    @classmethod
    def loss_of(cls, config: Config) -> Loss | None:
        if config.scope == HARD and config.estimator == hard.REINFORCE:
            return partial(hard.reward, smoothing=config.smoothing)
        return None

    @classmethod
    def tossed(cls, x_2BL: Tensor, config: Config, step: int, rng: np.random.Generator) -> Tensor:
        if not config.own:
            return x_2BL
        share = config.own * step / config.steps
        return torch.cat((x_2BL, torch.from_numpy(rng.random(x_2BL[:1].shape) < share).long()))

    @property
    def memories(self) -> tuple[Memory, ...]:
        found: tuple[Memory, ...] = cells.get(self.config.cell).memories
        return found

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        cell = cells.get(self.config.cell)
        reads = (
            replace(
                spec,
                name=_named(spec.name),
                axes=_along(spec.axes),
                says=_(
                    "In the encoder: {says}{says_2}",
                    says=spec.says[0].lower(),
                    says_2=_(spec.says[1:]),
                ),
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
        looks: tuple[FieldSpec, ...] = ()
        if self.config.attention != NONE:
            local = self.config.scope in (LOCAL_M, LOCAL_P)
            weighed = self.config.scope in (LOCAL_P, HARD)
            more = (*[CENTRE] * local, *[WEIGHT] * weighed)
            looks = (SCORE, *more, LOOK, CONTEXT, ATTENDED)
        return growing((*reads, *starts, *cell.fields, *looks, LOGITS, PROBABILITY))


MODEL = Seq2seq
