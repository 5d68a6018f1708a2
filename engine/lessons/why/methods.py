"""Methods: each asked of one answer, and what they say in one unit.

Shapes    M = methods, T = tokens read, P = players
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.analysis.attribution import gradient, ledger, lime, occlusion, shapley
from engine.analysis.attribution.counted import CountGame
from engine.analysis.attribution.game import ZERO, Game
from engine.analysis.attribution.gradient import Slopes
from engine.analysis.attribution.net import MaskGame, NetGame, fills, opened
from engine.analysis.attribution.states import StateGame
from engine.core.trace import Trace
from engine.frame.blocks import Words
from engine.language.message import _, refusal
from engine.lessons.heads import combine
from engine.models.abilities import HasNet, Looks, Remembers, Translates, able
from engine.models.base import Model
from engine.models.bert import Bert
from engine.models.hmm import HiddenMarkov
from engine.models.ngram import Ngram
from engine.models.pooling import Pooling
from engine.text.tokenizers.base import Tokens

GRADIENT, TIMES, PATH, SMOOTH = "gradient", "gradient × input", "integrated gradients", "SmoothGrad"
OCCLUSION, LIME, SHAPLEY = "occlusion", "LIME", "Shapley"
ATTENTION, ROLLOUT, LEDGER, ORDERS = "attention", "rollout", "memory ledger", "orders"
OF_SLOPES = (GRADIENT, TIMES, PATH, SMOOTH)
OF_SETS = (OCCLUSION, LIME, SHAPLEY)
UNSIGNED = (
    GRADIENT,
    SMOOTH,
    ATTENTION,
    ROLLOUT,
    ORDERS,
)  # they can't say that a token speaks against
ADDS_UP = (PATH, SHAPLEY)  # to f(text) - f(baseline)
CURVES = "curves"
ALL = "all"  # heads of all layers
READ = 256  # tokens, the last ones
ORDERS_DRAWN = 16  # in which the tokens come in, for every token that is looked at


@dataclass(frozen=True, eq=False)
class Question:
    """One answer of one model, and every method asked why."""

    model: Model[Any]
    game: Game
    read: Trace | None = None  # of these tokens and perhaps more, where there is one
    heads: str = ALL  # whose attention counts

    @property
    def tokens(self) -> Tokens:
        return self.game.tokens

    @cached_property
    def own(self) -> tuple[np.ndarray, np.ndarray]:
        assert isinstance(self.game, NetGame)
        return gradient.own(self.game)

    @cached_property
    def slopes(self) -> Slopes:
        assert isinstance(self.game, NetGame)
        return gradient.slopes(self.game)

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(T,) twice: of the last token, or of the mask, the attention, the mean of the chosen heads, and rollout."""
        count = len(self.tokens)
        if self.read is not None and "attention" in self.read:
            found = self.read.field("attention").values[:, :, :count, :count]
        else:
            name = "pool.weight" if isinstance(self.model, Pooling) else "attention"
            found = self.model.trace("", fields=(name,), tokens=self.tokens).field(name).values
        if found.ndim == 2:  # one pooling is all that looks
            return found[-1], found[-1]
        at = self.game.at if isinstance(self.game, MaskGame) else count - 1
        mean = found[heads_of(self.model)[self.heads][1]][..., at, :].reshape(-1, count).mean(0)
        return mean, combine.combine(found)[-1, combine.NAMES.index("rollout"), at]

    @cached_property
    def orders(self) -> np.ndarray:
        """(P,) which share of P comes from runs that begin at each token."""
        assert isinstance(self.game, CountGame)
        part_M = self.game.parts(self.game.target.word)
        back_P = len(self.tokens) + 1 - self.game.players  # the order whose run begins there
        return np.asarray(part_M[back_P] / max(part_M.sum(), 1e-38))

    @cached_property
    def ledger(self) -> np.ndarray:
        model = able(self.model, Remembers)
        read = self.read if self.read and {*ledger.fields(model)} <= {*self.read} else None
        return ledger.adds(model, self.tokens, self.game.target, read)

    @cached_property
    def lime(self) -> lime.Fitted:
        return lime.lime(self.game)

    @cached_property
    def shapley(self) -> shapley.Sampled:
        *_before, last = shapley.sampled(self.game, ORDERS_DRAWN)
        return last

    def ask(self, method: str) -> np.ndarray:
        """(P,) what a method says of each player."""
        players = self.game.players
        of: Mapping[str, Callable[[], np.ndarray]] = {
            GRADIENT: lambda: self.own[0][players],
            TIMES: lambda: self.own[1][players],
            PATH: lambda: self.slopes.integrated[players],
            SMOOTH: lambda: self.slopes.smooth[players],
            OCCLUSION: lambda: occlusion.occlusion(self.game),
            LIME: lambda: self.lime.weight,
            SHAPLEY: lambda: self.shapley.value,
            ATTENTION: lambda: self.weights[0][players],
            ROLLOUT: lambda: self.weights[1][players],
            LEDGER: lambda: self.ledger[players],
            ORDERS: lambda: self.orders,
        }
        return np.asarray(of[method](), float)


def methods_of(model: Model[Any]) -> tuple[str, ...]:
    """Those that can be asked of a model."""
    if isinstance(model, Ngram | HiddenMarkov):
        return (*OF_SETS, ORDERS) if isinstance(model, Ngram) else OF_SETS
    found: tuple[str, ...] = (*OF_SLOPES, *OF_SETS)
    pools = isinstance(model, Pooling)
    if pools or (isinstance(model, Looks) and model.heads and model.promise("attention")):
        found += (ATTENTION,) if pools else (ATTENTION, ROLLOUT)
    return (*found, LEDGER) if ledger.has_ledger(model) else found


def heads_of(model: Model[Any]) -> dict[str, tuple[Words, tuple[int, ...]]]:
    """What attention can be asked of: how it is called, and where its weights lie in (layers, heads, T, T)."""
    found: dict[str, tuple[Words, tuple[int, ...]]] = {ALL: ("all layers", ())}
    if ATTENTION not in methods_of(model) or isinstance(model, Pooling):
        return found
    looks = able(model, Looks)
    for layer in range(looks.depth):
        found[f"{layer + 1}"] = _("layer {layer}", layer=layer + 1), (layer,)
        for head in range(looks.heads):
            name = _("layer {layer}, head {head}", layer=layer + 1, head=head + 1)
            found[f"{layer + 1}.{head + 1}"] = name, (layer, head)
    return found


def prices(model: Model[Any], game: Game) -> dict[str, float]:
    """About how many multiplications each method takes, and the curves of all (CURVES); 0 where it is little."""
    names, players = methods_of(model), game.count
    unit = 0.0
    if isinstance(model, HasNet):
        parts = [p.numel() for n, p in model.net.named_parameters() if "embed" not in n]
        unit = float(len(game.tokens) * sum(parts))
    rows = {
        GRADIENT: 1.5,
        TIMES: 1.5,  # of the same run
        OCCLUSION: players + 1,
        PATH: 3 * gradient.STEPS,
        SMOOTH: 3 * gradient.SAMPLES,
        CURVES: 2 * len(names) * (players + 1),
        LIME: lime.SAMPLES,
        SHAPLEY: ORDERS_DRAWN * (players + 1),
    }
    return {name: unit * rows.get(name, 0) for name in (*names, CURVES)}


def affordable(model: Model[Any], game: Game, most: float) -> tuple[str, ...]:
    """Those that take no more together, the cheapest first."""
    found, spent = [], 0.0
    for name, price in sorted(prices(model, game).items(), key=lambda one: one[1]):
        spent += price
        if spent <= most:
            found.append(name)
    return tuple(found)


def question(
    model: Model[Any],
    tokens: Tokens,
    baseline: str = ZERO,
    word: int | None = None,
    against: bool = False,
    p_V: np.ndarray | None = None,
    read: Trace | None = None,
    heads: str = ALL,
    at: int | None = None,
) -> Question:
    """About what follows these tokens; a long text is cut to what the model sees.  ValueError, a sentence for the
    reader, where there is nothing to ask.  `heads`: one of `heads_of`, else all."""
    if fills(model):
        place = find_mask(model, tokens) if at is None else at
        most = min(READ, model.context or READ)
        begin = max(0, min(place - most // 2, len(tokens) - most))
        near = tokens[begin : begin + most]
        game = MaskGame(model, near, place - begin, baseline, word, against)
        return Question(model, game, None, heads if heads in heads_of(model) else ALL)
    tokens = tokens[max(0, len(tokens) - min(READ, model.context or READ)) :]
    if not answers(model):
        raise refusal(
            "{title} neither predicts the next token nor chooses a class.",
            title=_(model.card.title),
        )
    if not len(tokens):
        raise ValueError("Type something: there is no token to ask about.")
    if isinstance(model, Ngram):
        return Question(model, CountGame(model, tokens, word, against, p_V))
    if isinstance(model, HiddenMarkov):
        return Question(model, StateGame(model, tokens, word, against, p_V))
    assert isinstance(model, HasNet)
    heads = heads if heads in heads_of(model) else ALL
    return Question(model, NetGame(model, tokens, baseline, word, against, p_V), read, heads)


def find_mask(model: Bert, tokens: Tokens) -> int:
    """The first mask that was typed, else the last token that is no mark.  ValueError, a sentence for the reader, where
    there is none."""
    typed = np.flatnonzero(tokens.ids == model.tokenizer.mask)
    read = [t for t, (_, stop) in enumerate(tokens.spans) if stop]
    if not read:
        raise ValueError("Type something: there is no token to ask about.")
    return int(typed[0]) if len(typed) else read[-1]


def answers(model: Model[Any]) -> bool:
    counted = isinstance(model, Ngram | HiddenMarkov)
    return counted or (opened(model) and not isinstance(model, Translates))
