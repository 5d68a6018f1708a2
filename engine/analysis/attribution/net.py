"""The game of a net: a token is its vector, and one left out is another vector in its place.

What      f(x) = log2 softmax(net(x))_answer, x the vectors of the tokens before any position is added
Shapes    B = rows, T = tokens, D = width of a vector, V = possible answers
Differs   The net's weights are shared, and no gradient of them is kept.  Only the last token is read out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from engine.analysis.attribution.game import MARK, MEAN, MOST, Game, Target, choose, players_of
from engine.models.abilities import HasNet
from engine.models.bert import Bert
from engine.models.classifying import ClassifyingModel
from engine.models.neural import NeuralLanguageModel, ReadsOut
from engine.models.observed import Observed
from engine.models.shadow import shadow
from engine.text.tokenizers.base import Tokens

ROWS = 64  # that are read at once
SOME = 4  # of a net that reads out every token
_means: WeakKeyDictionary[nn.Module, Tensor] = WeakKeyDictionary()


@contextmanager
def _grad() -> Iterator[None]:
    with torch.inference_mode(False), torch.enable_grad():
        yield


def replaced(net: nn.Module, old: nn.Module, new: nn.Module) -> nn.Module:
    """The net with one of its modules replaced; all others are shared."""
    path = next(name for name, module in net.named_modules() if module is old).split(".")
    top = at = copy(net)
    for name in path[:-1]:
        at._modules = dict(at._modules)
        below = copy(at._modules[name])
        assert below is not None
        at._modules[name] = at = below
    at._modules = {**at._modules, path[-1]: new}
    return top


class Given(nn.Module):
    """In place of a table of vectors: those that are given."""

    def __init__(self, table: nn.Module) -> None:
        super().__init__()
        self.weight = table.weight  # which an output layer may read
        self.x_BTD: Tensor | None = None

    def forward(self, ids: Tensor) -> Tensor:
        assert self.x_BTD is not None
        return self.x_BTD if ids.dim() == 2 else self.x_BTD[..., None, :]


class Last(nn.Module):
    """In place of a last layer: the same, of the last token alone."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    @property
    def weight(self) -> Any:
        return self.layer.weight

    def forward(self, x_BTH: Tensor) -> Any:
        return self.layer(x_BTH[:, -1:])


class NetGame(Game):
    """x_TD, base_TD: the vectors of the tokens, and what stands in for them; both the same where a token is no
    player."""

    def __init__(
        self,
        model: HasNet[Any],
        tokens: Tokens,
        baseline: str,
        word: int | None = None,
        against: bool = False,
        p_V: np.ndarray | None = None,
    ) -> None:
        """`tokens`: what is read up to the answer, at least one; `p_V`: the answer, where somebody knows it."""
        self.tokens, self.players = tokens, self.find_players(tokens)
        net: Any = shadow(model.net)
        table = _table(net)
        self._given = Given(table)
        with _grad():
            self._net: Any = replaced(net, table, self._given)
            if (head := net._modules.get("head")) is not None:
                self._net._modules["head"] = Last(head)
            rows = model.rows(tokens.labels) if isinstance(model, ClassifyingModel) else tokens.ids
            self._ids = torch.from_numpy(np.asarray(rows))[None].to(table.weight.device)
            x_TD = table(self._ids)[0].detach().float()
            self.x_TD = x_TD.sum(-2) if x_TD.dim() == 3 else x_TD
            self.base_TD = self.x_TD.clone()
            if len(self.players):
                self.base_TD[self.players] = _baseline(model, table, baseline)
        self._rows = SOME if isinstance(model, Observed) else ROWS
        if p_V is None:
            with torch.no_grad():
                p_V = self.logits(self.x_TD[None])[0].softmax(-1).cpu().numpy()
        self.p_V = p_V
        self.target = choose(self.p_V, word, against)

    def find_players(self, tokens: Tokens) -> np.ndarray:
        return players_of(tokens)

    def logits(self, x_BTD: Tensor) -> Tensor:
        """(B, V) after the last token."""
        self._given.x_BTD = x_BTD
        ids = self._ids.expand(len(x_BTD), *self._ids.shape[1:])
        with torch.inference_mode(False):
            if isinstance(self._net, ReadsOut):
                made = self._net.read_out(self._net.stream(ids)[:, -1:])
            else:
                made = self._net(ids)
        found: Tensor = made[:, -1].float()
        return found

    def worth(self, x_BTD: Tensor) -> Tensor:
        """f (B,) in bits."""
        lp_BV = self.logits(x_BTD).log_softmax(-1) / math.log(2)
        word, other = self.target.word, self.target.other
        return lp_BV[:, word] if other is None else lp_BV[:, word] - lp_BV[:, other]

    def mixed(self, here_BP: np.ndarray) -> Tensor:
        """(B, T, D) with the players that are there."""
        keep_BT = torch.ones(len(here_BP), len(self.x_TD), dtype=torch.bool)
        keep_BT[:, self.players] = torch.from_numpy(np.asarray(here_BP, bool))
        keep_BT1 = keep_BT.to(self.x_TD.device)[..., None]
        return torch.where(keep_BT1, self.x_TD, self.base_TD)

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            parts = [
                self.worth(self.mixed(here_BP[i : i + self._rows])).double().cpu().numpy()
                for i in range(0, len(here_BP), self._rows)
            ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def slope(self, x_BTD: Tensor) -> tuple[np.ndarray, Tensor]:
        """f (B,), and df/dx (B, T, D)."""
        values, slopes = [], []
        for i in range(0, len(x_BTD), self._rows):
            with _grad():
                x = x_BTD[i : i + self._rows].detach().clone().requires_grad_()
                f_B = self.worth(x)
                (g_BTD,) = torch.autograd.grad(f_B.sum(), x)
            values.append(f_B.detach().double().cpu().numpy())
            slopes.append(g_BTD)
        return np.concatenate(values), torch.cat(slopes)


class MaskGame(NetGame):
    """The same of a word that is masked, read from both sides; `at`: its place, which is no player."""

    def __init__(
        self,
        model: Bert,
        tokens: Tokens,
        at: int,
        baseline: str,
        word: int | None = None,
        against: bool = False,
    ) -> None:
        self.at, mask = at, model.tokenizer.mask
        ids = tokens.ids.copy()
        ids[at] = mask
        labels = (*tokens.labels[:at], model.tokenizer.vocab[mask], *tokens.labels[at + 1 :])
        super().__init__(model, replace(tokens, ids=ids, labels=labels), baseline, word, against)

    def find_players(self, tokens: Tokens) -> np.ndarray:
        found = np.array([t for t, (_, stop) in enumerate(tokens.spans) if stop and t != self.at])
        near = np.argsort(np.abs(found - self.at), kind="stable")[:MOST]
        return np.sort(found[near]).astype(int)

    def logits(self, x_BTD: Tensor) -> Tensor:
        """(B, V) at the mask."""
        self._given.x_BTD = x_BTD
        with torch.inference_mode(False):
            made = self._net(self._ids.expand(len(x_BTD), -1))
            found: Tensor = self._net.fill(made[:, self.at]).float()
        return found


def opened(model: object) -> bool:
    """Whether a net's answer to a text can be followed back to the vectors of its tokens."""
    return isinstance(model, NeuralLanguageModel | ClassifyingModel) or fills(model)


def fills(model: object) -> TypeGuard[Bert]:
    """Whether it answers at a mask."""
    return isinstance(model, Bert) and model.config.masked


def _table(net: Any) -> Any:
    """Its table of vectors: its own, or that of the library's net inside."""
    found = net._modules.get("embed")
    return net.net.get_input_embeddings() if found is None else found


def _baseline(model: HasNet[Any], table: Any, kind: str) -> Tensor:
    if kind == MEAN:
        found = _means.get(table)
        if found is None:
            rows = table.weight
            if isinstance(model, ClassifyingModel):  # a word may be the sum of several rows
                vocab = model.tokenizer.vocab[3:]
                rows = table(torch.from_numpy(np.asarray(model.rows(vocab))))
                rows = rows.sum(-2) if rows.dim() == 3 else rows
            found = _means[table] = rows.detach().float().mean(0)
        return found
    if kind == MARK:
        mark = 0 if isinstance(model, ClassifyingModel) else model.tokenizer.boundary
        mark = model.tokenizer.mask if fills(model) else mark
        made: Tensor = table.weight[mark].detach().float()
        return made
    return torch.zeros(table.weight.shape[1], device=table.weight.device)


__all__ = ["NetGame", "Target", "opened"]
