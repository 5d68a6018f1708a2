"""Learning: heads on a body that is frozen, or that is tuned along with all of them at once.

What      class, pair: softmax(W v + b) of one vector v of the text: raw [CLS], pooled, or the mean of all tokens;
          tags, replaced: softmax(W x_t + b) at each token; span: the first and the last token of the answer, each a
          softmax over the tokens of the passage;
          the loss counts targets that are not NOTHING only ("active loss")
Source    Devlin et al., BERT, 2019, sec. 4; several heads on one body, a batch of one task a step: Liu et al.,
          Multi-Task Deep Neural Networks for Natural Language Understanding, 2019, alg. 1; LoRA: Hu et al., 2022
Shapes    B = examples of one length, T = tokens, D = width, K = labels
Differs   A span is asked of the passage alone, not of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from engine.lessons.tasks.examples import NOTHING, Example, Examples, batches
from engine.nn.encoder import Net

WAYS = ("cls", "pooled", "mean")
HEADS = {
    "short": ("class",),
    "class": ("class",),
    "tags": ("tags",),
    "question": ("pair", "span"),
    "replaced": ("replaced",),
}
"""The heads of each task."""
SIZES = {"class": 2, "pair": 2, "tags": 0, "span": 2, "replaced": 2}
OF_TEXTS = ("class", "pair")
BATCH = 16
Read = Mapping[str, Sequence[tuple[Tensor, Tensor, Tensor]]]
"""By task, batches: ids (B, T), targets, what a body gives (B, T, D) in half the digits."""


class Heads(nn.Module):
    """Of the tasks of SIZES; `tags` labels of words."""

    def __init__(self, width: int, tags: int) -> None:
        super().__init__()
        made = {}
        for head, count in SIZES.items():
            for way in WAYS if head in OF_TEXTS else ("token",):
                made[f"{head}_{way}"] = nn.Linear(width, count or tags)
        self.heads = nn.ModuleDict(made)
        for p in self.parameters():
            nn.init.zeros_(p)

    def logits(self, head: str, x_BTD: Tensor, net: Net) -> dict[str, Tensor]:
        """Of each way in which a head reads the text."""
        if head not in OF_TEXTS:
            return {"token": self.heads[f"{head}_token"](x_BTD)}
        return {way: self.heads[f"{head}_{way}"](v_BD) for way, v_BD in vectors(net, x_BTD).items()}

    def loss(self, task: str, x_BTD: Tensor, net: Net, ids_BT: Tensor, target: Tensor) -> Tensor:
        total = torch.zeros(())
        for head in HEADS[task]:
            found = self.logits(head, x_BTD, net)
            if head == "span":
                total = total + span_loss(found["token"], ids_BT, target[:, 1:], net.end)
            else:
                right = target[:, 0] if head == "pair" else target
                losses = [active(one.flatten(0, -2), right.flatten()) for one in found.values()]
                total = total + torch.stack(losses).mean()
        return total

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: p.detach().numpy().copy() for name, p in self.heads.named_parameters()}


def vectors(net: Net, x_BTD: Tensor) -> dict[str, Tensor]:
    """One vector (B, D) for each text."""
    assert net.pool is not None
    first_BD = x_BTD[:, 0]
    weight_DD, bias_D = net.pool.weight.detach(), net.pool.bias.detach()  # it stays as it was
    pooled_BD = F.linear(first_BD, weight_DD, bias_D).tanh()
    return {"cls": first_BD, "pooled": pooled_BD, "mean": x_BTD.mean(1)}


def in_passage(ids_BT: Tensor, end: int) -> Tensor:
    """Whether a token stands behind the mark that closes the question, and is no mark itself."""
    closed_BT = (ids_BT == end).cumsum(1)
    return (closed_BT > 0) & (ids_BT != end)


def active(logit_NK: Tensor, target_N: Tensor) -> Tensor:
    """Mean cross-entropy of the targets that count; 0 where none does."""
    total = F.cross_entropy(logit_NK, target_N, ignore_index=NOTHING, reduction="sum")
    return total / (target_N != NOTHING).sum().clamp(min=1)


def span_loss(logit_BT2: Tensor, ids_BT: Tensor, target_B2: Tensor, end: int) -> Tensor:
    open_BT1 = in_passage(ids_BT, end)[..., None]
    logit_B2T = logit_BT2.masked_fill(~open_BT1, -1e9).transpose(1, 2)
    return 2 * active(logit_B2T.flatten(0, 1), target_B2.flatten())


def stack(some: Sequence[Example]) -> tuple[Tensor, Tensor]:
    ids, targets = (np.stack([getattr(one, name) for one in some]) for name in ("ids_T", "target"))
    return torch.from_numpy(ids), torch.from_numpy(targets).long()


@torch.no_grad()
def read(body: Callable[[Tensor], Tensor], learn: Mapping[str, Examples]) -> Read:
    """What a frozen body gives for each batch of each task."""
    return {
        task: [(*both, body(both[0]).half()) for both in map(stack, batches(some, BATCH))]
        for task, some in learn.items()
    }


@torch.no_grad()
def go_on(given: Read, above: nn.Module) -> Read:
    """What further layers make of what a body gives."""
    return {
        task: [(ids_BT, target, above(x_BTD.float()).half()) for ids_BT, target, x_BTD in some]
        for task, some in given.items()
    }


def fit(
    heads: Heads,
    net: Net,
    given: Read,
    rounds: Mapping[str, int],
    rate: float,
    above: nn.Module | None = None,
    learning: Sequence[nn.Parameter] = (),
    seed: int = 0,
) -> Iterator[tuple[int, int, str, float]]:
    """A batch of one task a step, in an order drawn by chance: step, of how many, task, loss. With layers `above`,
    whose `learning` weights are tuned along, else the heads alone."""
    rng = np.random.default_rng(seed)
    every = [
        (task, n)
        for task, some in given.items()
        for n in range(len(some))
        for _round in range(rounds[task])
    ]
    groups: list[dict[str, Any]] = [{"params": [*heads.parameters()], "lr": rate}]
    if learning:
        groups.append({"params": [*learning], "lr": rate})
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    warm, total = len(every) // 20 + 1, len(every)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (total - step) / total)
    )
    for step, at in enumerate(rng.permutation(total).tolist(), 1):
        task, n = every[at]
        ids_BT, target, x_BTD = given[task][n]
        optimiser.zero_grad()
        # torch's fused attention takes longer to go back through than the plain one
        with sdpa_kernel(SDPBackend.MATH):
            read_BTD = x_BTD.float() if above is None else above(x_BTD.float())
        loss = heads.loss(task, read_BTD, net, ids_BT, target)
        loss.backward()
        nn.utils.clip_grad_norm_([p for group in groups for p in group["params"]], 1.0)
        optimiser.step()
        schedule.step()
        yield step, total, task, float(loss.detach())


@torch.no_grad()
def settle(heads: Heads, head: str, net: Net, given: Read, task: str, penalty: float) -> None:
    """The heads of whole texts once more, by logistic regression, where large weights cost something: better than steps
    where little is to be learned from many numbers."""
    from sklearn.linear_model import LogisticRegression

    right_N = np.concatenate([target.numpy() for _ids, target, _x in given[task]])
    for way in WAYS:
        v_ND = np.concatenate(
            [vectors(net, x.float())[way].numpy() for _ids, _target, x in given[task]]
        )
        mean_D, spread_D = v_ND.mean(0), v_ND.std(0)
        found = LogisticRegression(C=1 / penalty, max_iter=400).fit(
            (v_ND - mean_D) / spread_D, right_N
        )
        weight_D = found.coef_[0] / spread_D / 2
        bias = (found.intercept_[0] / 2) - weight_D @ mean_D
        linear = heads.heads[f"{head}_{way}"]
        assert isinstance(linear, nn.Linear)
        linear.weight.copy_(torch.from_numpy(np.stack([-weight_D, weight_D])))
        linear.bias.copy_(torch.tensor([-bias, bias]))


@torch.inference_mode()
def judge(net: Net, heads: Heads, given: Read, above: nn.Module | None = None) -> dict[str, float]:
    """Shares that are right: texts, pairs, words, whole spans; the overlap of spans; of replaced words the area
    under the curve."""
    kept: dict[str, list[np.ndarray]] = {}

    def keep(name: str, values: np.ndarray) -> None:
        kept.setdefault(name, []).append(values)

    for task, some in given.items():
        for ids_BT, target, half_BTD in some:
            x_BTD = half_BTD.float() if above is None else above(half_BTD.float())
            for head in HEADS[task]:
                for way, logit in heads.logits(head, x_BTD, net).items():
                    if head == "span":
                        asked = target[:, 0] == 1
                        closed_BT = ~in_passage(ids_BT, net.end)
                        logit = logit.masked_fill(closed_BT[..., None], -1e9)[asked]
                        said, right = best_spans(logit.numpy()), target[asked, 1:].numpy()
                        keep("span", (said == right).all(1))
                        keep("span_overlap", overlap(said, right))
                    elif head == "replaced":
                        counts = target != NOTHING
                        keep("odds", (logit[..., 1] - logit[..., 0])[counts].numpy())
                        keep("is", target[counts].numpy())
                    else:
                        right_ = target[:, 0] if head == "pair" else target
                        counts = right_ != NOTHING
                        keep(
                            f"{'short' if task == 'short' else head}_{way}",
                            (logit.argmax(-1) == right_)[counts].numpy().ravel(),
                        )
    joined = {name: np.concatenate(parts) for name, parts in kept.items()}
    odds, replaced = joined.pop("odds", None), joined.pop("is", None)
    found = {name: float(values.mean()) for name, values in joined.items()}
    if odds is not None and replaced is not None:
        found["replaced"] = area(odds, replaced)
    return found


def best_spans(logit_BT2: np.ndarray, longest: int = 20) -> np.ndarray:
    """(B, 2): the first and the last token of the likeliest span, of at most so many tokens."""
    count = logit_BT2.shape[1]
    first_T1, last_1T = np.arange(count)[:, None], np.arange(count)
    fits_TT = (last_1T >= first_T1) & (last_1T < first_T1 + longest)
    sum_BTT = np.where(fits_TT, logit_BT2[..., 0][:, :, None] + logit_BT2[..., 1][:, None], -np.inf)
    at_B = sum_BTT.reshape(len(sum_BTT), count * count).argmax(1)
    return np.stack(np.divmod(at_B, count), 1)


def overlap(said_B2: np.ndarray, right_B2: np.ndarray) -> np.ndarray:
    """F1 of the tokens of two spans."""
    both_B = (
        np.minimum(said_B2[:, 1], right_B2[:, 1]) - np.maximum(said_B2[:, 0], right_B2[:, 0]) + 1
    )
    sizes_B = (said_B2[:, 1] - said_B2[:, 0] + 1) + (right_B2[:, 1] - right_B2[:, 0] + 1)
    found: np.ndarray = 2 * np.maximum(both_B, 0) / sizes_B
    return found


def area(score_N: np.ndarray, is_N: np.ndarray) -> float:
    """How often one that is has a larger score than one that is not (the area under the ROC curve)."""
    from scipy.stats import rankdata

    rank_N, yes = rankdata(score_N), int(is_N.sum())
    no = len(is_N) - yes
    return float((rank_N[is_N == 1].sum() - yes * (yes + 1) / 2) / (yes * no))
