"""Digit programs: a number is read digit by digit and written backwards or again, by two short programs of
sequence to sequence, trained in seconds.

What      states: LSTM layers read one-hot digits; the decoder's layers all start in the state of the highest
          one, its first input is V 0 + b, each later one U o + u with o the scores it gave before; it
          writes as many digits as it is told to
          mended: the same cells; each layer of the decoder starts in the state of its own, a step
          reads the vector of a digit (the right one in training, its own last one in use), a start mark
          is read first, an end mark written last, forget gates begin with a bias of 1
          attention: a GRU each; a_t = softmax over s of v tanh(W [h_t-1, e_s] + b), c_t = sum_s a_ts e_s,
          h_t = cell([y_t-1, c_t], h_t-1), scores W_o [h_t, c_t, y_t-1] + b_o
Source    Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014; Bahdanau, Cho &
          Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015; the two
          programs of the course notes, written anew
Shapes    B = numbers, S = digits of one, T = steps, H = units, V = 10 digits, start and end mark
Differs   The programs of the notes have no loss and no training: cross-entropy and Adam are added. A batch
          has one length, so that no filling has to be masked.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

DIGITS = 10
START, END, SIGNS = DIGITS, DIGITS + 1, DIGITS + 2
KINDS = {
    "states": "one state, as written",
    "mended": "one state, repaired",
    "attention": "with attention",
}
UNITS, WIDTH, BATCH, RATE, CLIP = 48, 16, 64, 5e-3, 1.0
EVERY, HELD_OUT = 25, 200


class Cell(nn.Linear):
    """An LSTM's step in one product: gates i, f, o and candidate of [h, x]."""

    def __init__(self, width: int, units: int, forget: float = 0.0) -> None:
        super().__init__(units + width, 4 * units)
        for part in self.weight.split(units):  # each gate has a matrix of its own
            nn.init.xavier_uniform_(part)
        nn.init.zeros_(self.bias)
        nn.init.constant_(self.bias[units : 2 * units], forget)

    def step(self, x_BD: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        h_BH, c_BH = state
        i, f, o, new = self(torch.cat((h_BH, x_BD), -1)).chunk(4, -1)
        c_BH = f.sigmoid() * c_BH + i.sigmoid() * new.tanh()
        return o.sigmoid() * c_BH.tanh(), c_BH


def stack(width: int, units: int, layers: int, forget: float = 0.0) -> nn.ModuleList:
    return nn.ModuleList(Cell(units if n else width, units, forget) for n in range(layers))


def through(cells: nn.ModuleList, x_BD: Tensor, states: list[tuple[Tensor, Tensor]]) -> Tensor:
    """One step of all layers, which changes `states`: the highest layer's h (B, H)."""
    for n, cell in enumerate(cells):
        states[n] = cell.step(x_BD, states[n])  # type: ignore[operator]
        x_BD = states[n][0]
    return x_BD


class States(nn.Module):
    """The program as it is written; with `mended`, without its mistakes."""

    def __init__(self, units: int = UNITS, layers: int = 1, mended: bool = False) -> None:
        super().__init__()
        self.mended, signs = mended, SIGNS if mended else DIGITS
        self.encoder = stack(DIGITS, units, layers, float(mended))
        self.decoder = stack(units, units, layers, float(mended))
        self.output = nn.Linear(units, signs)
        self.feed: nn.Module
        if mended:
            self.feed = nn.Embedding(signs, units)
        else:
            self.feed, self.begin = nn.Linear(signs, units), nn.Linear(units, units)

    def read(self, source_BS: Tensor) -> list[tuple[Tensor, Tensor]]:
        """The states that the decoder starts in, a pair (B, H) for each layer."""
        units = self.output.in_features
        zero_BH = torch.zeros(len(source_BS), units)
        states = [(zero_BH, zero_BH) for _ in self.encoder]
        for x_BD in F.one_hot(source_BS, DIGITS).float().unbind(1):
            through(self.encoder, x_BD, states)
        return states if self.mended else [states[-1]] * len(states)

    def forward(self, source_BS: Tensor, steps: int, right_BT: Tensor | None = None) -> Any:
        """Scores (B, T, digits or V), and no weights. `right_BT`: what each step shall write, read one
        step later where the program is mended."""
        states, said = self.read(source_BS), []
        if self.mended:
            x_BH = self.feed(torch.full((len(source_BS),), START))
        else:
            x_BH = self.begin(torch.zeros(len(source_BS), self.begin.in_features))
        for t in range(steps):
            said.append(self.output(through(self.decoder, x_BH, states)))
            if self.mended:
                x_BH = self.feed(said[-1].argmax(-1) if right_BT is None else right_BT[:, t])
            else:
                x_BH = self.feed(said[-1])
        return torch.stack(said, 1), None


class Looking(nn.Module):
    """GRUs and additive attention, looking before the cell."""

    def __init__(
        self, units: int = UNITS, width: int = WIDTH, layers: int = 1, signs: int = SIGNS
    ) -> None:
        super().__init__()
        self.units = units
        self.read_sign, self.write_sign = nn.Embedding(signs, width), nn.Embedding(signs, width)
        self.encoder = nn.GRU(width, units, layers, batch_first=True)
        self.score, self.value = nn.Linear(2 * units, units), nn.Linear(units, 1, bias=False)
        self.decoder = nn.GRU(width + units, units, layers, batch_first=True)
        self.output = nn.Linear(2 * units + width, signs)

    def forward(self, source_BS: Tensor, steps: int, right_BT: Tensor | None = None) -> Any:
        """Scores (B, T, V) and weights (B, T, S)."""
        e_BSH, state = self.encoder(self.read_sign(source_BS))
        of_state_HH, of_source_HH = self.score.weight.split(self.units, -1)
        offered_BSH = e_BSH @ of_source_HH.T + self.score.bias  # the same at every step
        last_B, said, looks = torch.full((len(source_BS),), START), [], []
        for t in range(steps):
            y_BD = self.write_sign(last_B)
            asked_BH = state[-1] @ of_state_HH.T
            a_BS = self.value(torch.tanh(asked_BH[:, None] + offered_BSH))[..., 0].softmax(-1)
            c_BH = (a_BS[:, None] @ e_BSH)[:, 0]
            h_B1H, state = self.decoder(torch.cat((y_BD, c_BH), -1)[:, None], state)
            said.append(self.output(torch.cat((h_B1H[:, 0], c_BH, y_BD), -1)))
            looks.append(a_BS)
            last_B = said[-1].argmax(-1) if right_BT is None else right_BT[:, t]
        return torch.stack(said, 1), torch.stack(looks, 1)


@dataclass(frozen=True, eq=False)
class Learned:
    """Steps (N,), and after each the shares of digits and of whole numbers (N,) that are right, end marks
    among the digits; `slope`: of each weight by its name, the largest norm that its gradient had in any
    step; seconds of the whole training, trials included."""

    net: nn.Module
    step_N: np.ndarray
    digits_N: np.ndarray
    whole_N: np.ndarray
    slope: dict[str, float]
    seconds: float


def drawn(count: int, digits: int, draw: torch.Generator, back: bool) -> tuple[Tensor, Tensor]:
    """Random numbers (B, S), and what is to be written of them (B, S + 1), the end mark last."""
    source_BS = torch.randint(0, DIGITS, (count, digits), generator=draw)
    return source_BS, F.pad(source_BS.flip(1) if back else source_BS, (0, 1), value=END)


def made(kind: str, seed: int, layers: int = 1) -> nn.Module:
    """KeyError for no such kind."""
    assert KINDS[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if kind == "attention":
            return Looking(layers=layers)
        return States(layers=layers, mended=kind == "mended")


def ends(net: nn.Module) -> bool:
    """Whether it writes an end mark; what doesn't is told how much to write."""
    return not isinstance(net, States) or net.mended


def learned(kind: str, digits: int, seed: int, back: bool, steps: int, layers: int = 1) -> Learned:
    """Trained here."""
    began = perf_counter()
    net, draw = made(kind, seed, layers), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE, fused=True)
    count = digits + ends(net)
    slope = dict.fromkeys((name for name, _ in net.named_parameters()), 0.0)
    found = [(0, *tried(net, digits, back))]
    for step in range(1, steps + 1):
        source_BS, target_BT = drawn(BATCH, digits, draw, back)
        target_BT = target_BT[:, :count]
        score_BTV, _ = net(source_BS, count, target_BT)
        loss = F.cross_entropy(score_BTV.flatten(0, 1), target_BT.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for name, part in net.named_parameters():
            assert part.grad is not None
            slope[name] = max(slope[name], float(part.grad.norm()))
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimiser.step()
        if step % EVERY == 0:
            found.append((step, *tried(net, digits, back)))
    at, right, whole = (np.array(each) for each in zip(*found, strict=True))
    return Learned(net, at, right, whole, slope, perf_counter() - began)


@torch.inference_mode()
def tried(net: nn.Module, digits: int, back: bool) -> tuple[float, float]:
    """On HELD_OUT numbers, as in use: the shares of digits (and end marks) and of whole numbers that are
    right."""
    source_BS, target_BT = drawn(HELD_OUT, digits, torch.Generator().manual_seed(10_000), back)
    count = digits + ends(net)
    right_BT = net(source_BS, count)[0].argmax(-1) == target_BT[:, :count]
    return float(right_BT.float().mean()), float(right_BT.all(1).float().mean())


def read(text: str) -> list[int]:
    """The digits of a text; ValueError where there are none."""
    found = [ord(sign) - ord("0") for sign in text if "0" <= sign <= "9"]
    if not found:
        raise ValueError("Type digits from 0 to 9")
    return found


@torch.inference_mode()
def written(net: nn.Module, digits: list[int]) -> tuple[str, np.ndarray | None]:
    """What it writes of these digits, up to its end mark or twice as many steps, and as many as there are
    where it has no end mark; with the weights (T, S) of each step, if it has any."""
    score_1TV, look_1TS = net(torch.tensor([digits]), len(digits) * (1 + ends(net)))
    ids = score_1TV[0].argmax(-1).tolist()
    steps = ids.index(END) + 1 if END in ids else len(ids)
    said = "".join(str(i) if i < DIGITS else "?" for i in ids[:steps] if i != END)
    return said, None if look_1TS is None else look_1TS[0, :steps].numpy()


@torch.inference_mode()
def lanes(net: States, digits: list[int]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Of a number it reads and writes: h of each encoder layer after each digit (L, S, H), of each decoder
    layer at each step (L, T, H), and what the steps write, END where it ends."""
    seen: list[list[Tensor]] = [[] for _ in (*net.encoder, *net.decoder)]
    states = [(torch.zeros(1, net.output.in_features),) * 2 for _ in net.encoder]
    for x_1D in F.one_hot(torch.tensor(digits), DIGITS).float()[:, None]:
        through(net.encoder, x_1D, states)
        for rows, (h_1H, _) in zip(seen, states, strict=False):
            rows.append(h_1H[0])
    states, count = net.read(torch.tensor([digits])), len(net.encoder)
    x_1H = (
        net.feed(torch.tensor([START]))
        if net.mended
        else net.begin(torch.zeros(1, states[0][0].shape[1]))
    )
    wrote: list[int] = []
    for _ in range(len(digits) * (1 + net.mended)):
        score_1V = net.output(through(net.decoder, x_1H, states))
        for rows, (h_1H, _) in zip(seen[count:], states, strict=True):
            rows.append(h_1H[0])
        wrote.append(int(score_1V.argmax()))
        if wrote[-1] == END:
            break
        x_1H = net.feed(torch.tensor(wrote[-1:]) if net.mended else score_1V)
    every = [torch.stack(rows).numpy() for rows in seen]
    return np.stack(every[:count]), np.stack(every[count:]), wrote


def handed_on(net: States) -> tuple[int, int]:
    """How many numbers the encoder has at the end of a text, and how many of them the decoder starts in."""
    draw = torch.Generator().manual_seed(1)
    states = net.read(torch.randint(0, DIGITS, (1, 5), generator=draw))
    reach = torch.cat([part for pair in states for part in pair], -1)
    return len(net.encoder) * 2 * net.output.in_features, reach.unique().numel()


def sizes(net: nn.Module) -> dict[str, int]:
    """Parameters by the name of each part."""
    return {name: sum(p.numel() for p in part.parameters()) for name, part in net.named_children()}
