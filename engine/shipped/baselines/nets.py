"""Nets of plain torch for the recipes that torch has layers for.

What      recurrent: Embedding, torch's own RNN, GRU or LSTM, Linear; Transformer: torch's
          TransformerEncoder with a causal mask;
          with rotary positions, which it does not know, the same block around
          scaled_dot_product_attention; feed-forward: Embedding, the last N vectors joined from
          shifted copies, Linear, tanh, Linear; convolution: Conv1d that pads both ends, cut behind
Source    torch.nn.RNN, GRU, LSTM, TransformerEncoder; rotary: Su et al., RoFormer, 2021, eq. 34
Shapes    B = batch, T = tokens, V = vocabulary, D = width, N = heads, K = width of a head
Differs   Weights begin as a recipe says, from draws of their own.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core import cell_card

LAYERS: dict[str, type[nn.RNN] | type[nn.GRU] | type[nn.LSTM]] = {
    id: getattr(nn, cell_card.get(id).torch.removeprefix("nn."))
    for id in cell_card.listed()
    if cell_card.get(id).torch
}
SHARED = {
    "dropout": 0.0,
    "stateful": False,
    "passages": False,
    "smoothing": 0.0,
    "clipping": "norm",
}
RECURRENT = SHARED | {
    "recurrent_dropout": 0.0,
    "residual": False,
    "start": "torch",
    "forget_bias": 0.0,
    "activation": "tanh",
}
ATTENTION = SHARED | {
    "norm": "layer",
    "norm_first": True,
    "activation": "gelu",
    "groups": 0,
    "head_width": 0,
    "sliding_window": 0,
    "kernel": "softmax",
    "bias": True,
    "tied": True,
    "stretch": 1.0,
    "rotary": 1.0,
    "scaling": "",
    "query_norm": False,
    "parallel": False,
    "embedding_scaled": False,
    "full_every": 0,
    "near_base": 0.0,
    "unplaced": 0,
    "score_cap": 0.0,
    "logit_cap": 0.0,
    "whole_norm": False,
    "read_norm": True,
    "added_norm": False,
    "output_bias": False,
}


def net_of(model: str, config: Any, count_V: np.ndarray) -> nn.Module:
    """The untrained net for tokens that occur so often.  ValueError for what plain torch, or this
    file, does not have."""
    kinds = {"transformer": ATTENTION, "feedforward": SHARED, "convolution": SHARED}
    needed, given = kinds.get(model, RECURRENT), asdict(config)
    odd = [f"{n}={given[n]}" for n, usual in needed.items() if given.get(n, usual) != usual]
    if model not in (*LAYERS, *kinds) or odd:
        raise ValueError(
            f"plain torch is not set up for {model}{' with ' if odd else ''}{', '.join(odd)}"
        )
    if model == "transformer":
        return Transformer(config, len(count_V))
    made = {"feedforward": Windowed, "convolution": Dilated}
    return made[model](config, count_V) if model in made else Recurrent(model, config, count_V)


def _as_often(head: nn.Linear, count_V: np.ndarray) -> None:
    share_V = (count_V + 1) / (count_V + 1).sum()
    with torch.no_grad():
        head.bias.copy_(torch.from_numpy(np.log(share_V)))


class Windowed(nn.Module):
    def __init__(self, config: Any, count_V: np.ndarray) -> None:
        super().__init__()
        v, wide = len(count_V), config.window * config.width
        self.embed, self.window = nn.Embedding(v, config.width), config.window
        self.hidden, self.head = nn.Linear(wide, config.units), nn.Linear(config.units, v)
        self.direct = nn.Linear(wide, v, bias=False) if config.direct else None
        nn.init.normal_(self.embed.weight, std=0.1)
        _as_often(self.head, count_V)

    def forward(self, ids_BT: Tensor) -> Tensor:
        x_BTD = self.embed(ids_BT)
        t = x_BTD.shape[1]
        back = range(self.window - 1, -1, -1)
        x_BTE = torch.cat([F.pad(x_BTD, (0, 0, k, 0))[:, :t] for k in back], -1)
        logit_BTV: Tensor = self.head(torch.tanh(self.hidden(x_BTE)))
        return logit_BTV + self.direct(x_BTE) if self.direct else logit_BTV


class Dilated(nn.Module):
    def __init__(self, config: Any, count_V: np.ndarray) -> None:
        super().__init__()
        d, kernel, steps = config.width, config.kernel, [2**n for n in range(config.layers)]
        self.embed, self.head = nn.Embedding(len(count_V), d), nn.Linear(d, len(count_V))
        self.filters = nn.ModuleList(
            nn.Conv1d(d, 2 * d, kernel, padding=(kernel - 1) * step, dilation=step)
            for step in steps
        )
        self.mixes = nn.ModuleList(nn.Linear(d, d) for _ in steps)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in steps)
        _as_often(self.head, count_V)

    def forward(self, ids_BT: Tensor) -> Tensor:
        x_BTD, t = self.embed(ids_BT), ids_BT.shape[1]
        for filters, mix, norm in zip(self.filters, self.mixes, self.norms, strict=True):
            a_BET = filters(x_BTD.mT)[..., :t]
            d = x_BTD.shape[-1]
            z_BTD = (torch.tanh(a_BET[:, :d]) * torch.sigmoid(a_BET[:, d:])).mT
            x_BTD = norm(x_BTD + mix(z_BTD))
        logit_BTV: Tensor = self.head(F.relu(x_BTD))
        return logit_BTV


class Recurrent(nn.Module):
    def __init__(self, model: str, config: Any, count_V: np.ndarray) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(count_V), config.width)
        self.layers = LAYERS[model](config.width, config.units, config.layers, batch_first=True)
        self.head = nn.Linear(config.units, len(count_V))
        _as_often(self.head, count_V)

    def forward(self, ids_BT: Tensor) -> Tensor:
        logit_BTV: Tensor = self.head(self.layers(self.embed(ids_BT))[0])
        return logit_BTV


class Transformer(nn.Module):
    def __init__(self, config: Any, v: int) -> None:
        super().__init__()
        self.embed, self.kind, self.heads = (
            nn.Embedding(v, config.width),
            config.position,
            config.heads,
        )
        self.place = nn.Embedding(config.context, config.width) if self.kind == "learned" else None
        if self.kind not in ("learned", "none", "rope"):
            raise ValueError(f"torch's Transformer knows no positions of the kind {self.kind}")
        block = nn.TransformerEncoderLayer(
            config.width,
            config.heads,
            config.inner or 4 * config.width,
            0.0,
            "gelu",
            config.epsilon,
            batch_first=True,
            norm_first=True,
        )
        self.tower = nn.TransformerEncoder(
            block,
            config.layers,
            nn.LayerNorm(config.width, config.epsilon),
            enable_nested_tensor=False,
        )
        self.base = config.base
        for name, p in self.named_parameters():
            if p.dim() == 2:
                deep = name.endswith(("out_proj.weight", "linear2.weight"))
                nn.init.normal_(p, std=0.02 / (2 * config.layers) ** 0.5 if deep else 0.02)
            elif name.endswith(("in_proj_bias", "out_proj.bias")):
                # as torch's Linear begins, or its MultiheadAttention
                wide = config.width**-0.5 if config.bias_start == "uniform" else 0.0
                nn.init.uniform_(p, -wide, wide)

    def forward(self, ids_BT: Tensor) -> Tensor:
        t = ids_BT.shape[1]
        x_BTD = self.embed(ids_BT)
        if self.place is not None:
            x_BTD = x_BTD + self.place(torch.arange(t, device=ids_BT.device))
        if self.kind == "rope":
            for layer in self.tower.layers:
                x_BTD = x_BTD + self._attend(layer.self_attn, layer.norm1(x_BTD))  # type: ignore[arg-type, operator]
                x_BTD = x_BTD + layer.linear2(F.gelu(layer.linear1(layer.norm2(x_BTD))))  # type: ignore[operator]
            assert self.tower.norm is not None
            x_BTD = self.tower.norm(x_BTD)
        else:
            x_BTD = self.tower(
                x_BTD,
                nn.Transformer.generate_square_subsequent_mask(t, ids_BT.device),
                is_causal=True,
            )
        logit_BTV: Tensor = x_BTD @ self.embed.weight.T
        return logit_BTV

    def _attend(self, part: nn.MultiheadAttention, x_BTD: Tensor) -> Tensor:
        b, t, d = x_BTD.shape
        q, k, v = (
            F.linear(x_BTD, part.in_proj_weight, part.in_proj_bias)
            .view(b, t, 3, self.heads, d // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        read = F.scaled_dot_product_attention(self._turned(q), self._turned(k), v, is_causal=True)
        found: Tensor = part.out_proj(read.transpose(1, 2).reshape(b, t, d))
        return found

    def _turned(self, x_BNTK: Tensor) -> Tensor:
        """As complex numbers: dimension i and i + K/2 are one of them, turned by its place times
        its speed."""
        half = x_BNTK.shape[-1] // 2
        angle_TI = torch.arange(x_BNTK.shape[-2])[:, None] * torch.exp(
            -math.log(self.base) * torch.arange(half) / half
        )
        pairs = torch.complex(x_BNTK[..., :half].float(), x_BNTK[..., half:].float()) * torch.polar(
            torch.ones(()), angle_TI
        ).to(x_BNTK.device)
        return torch.cat([pairs.real, pairs.imag], -1).to(x_BNTK.dtype)
