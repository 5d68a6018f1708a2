"""Tuning: DPO and PPO on the biases and norms of a Transformer, step by step.

What      DPO   -log sigma(beta (log pi(w)/pi_ref(w) - log pi(l)/pi_ref(l))), mean over pairs of replies w better than l
          PPO   -mean over the tokens of min(q A, clip(q, 1 - eps, 1 + eps) A), q = pi / pi_old; A is of a whole reply:
                R minus the mean R of the replies to the same prompt, over their deviation, with
                R = reward - beta log pi(reply)/pi_ref(reply)
Source    Rafailov et al., Direct Preference Optimization, 2023, eq. 7; Schulman et al., Proximal Policy Optimization
          Algorithms, 2017, eq. 7; the reward with its KL term: Ouyang et al., 2022, eq. 2; the mean of the group in
          place of a net that foretells the reward: Shao et al., DeepSeekMath, 2024, sec. 4.1; biases alone: Ben Zaken
          et al., BitFit, 2022
Shapes    B = replies, T = tokens, V = vocabulary
Differs   The KL to the old model is told exactly, as the mean over the tokens of a reply of KL(pi || pi_ref) over the
          whole vocabulary, summed up; the penalty of PPO is its estimate log pi/pi_ref, as in the source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.lessons.preferences import judges, replies
from engine.lessons.preferences.replies import Reply
from engine.models.neural import copy_apart
from engine.models.transformer import Transformer

Way = Literal["dpo", "ppo"]
Measured = Sequence[dict[str, Any]]
PAIRS, PROMPTS, GROUP, TURNS = 8, 3, 8, 2
"""Pairs of a step of DPO; prompts of a step of PPO, replies to each, and steps of descent on them."""
PROBED = 24  # replies that a step of measuring reads


@dataclass(frozen=True)
class Settings:
    way: Way = "dpo"
    beta: float = 0.1
    steps: int = 40
    rate: float = 3e-3
    clip: float = 0.2
    seed: int = 0


def dpo(new_B2: Tensor, old_B2: Tensor, beta: float) -> Tensor:
    """Of the log-probabilities of the better and the worse reply under the new and the old model."""
    gain_B2 = beta * (new_B2 - old_B2)
    return -F.logsigmoid(gain_B2[:, 0] - gain_B2[:, 1]).mean()


def ppo(new_BT: Tensor, old_BT: Tensor, gain_B: Tensor, own_BT: Tensor, clip: float) -> Tensor:
    """Of the log-probabilities of tokens now and when they were drawn; `own_BT`: which are of a reply."""
    ratio_BT, gain_B1 = (new_BT - old_BT).exp(), gain_B[:, None]
    kept_BT = torch.minimum(ratio_BT * gain_B1, ratio_BT.clamp(1 - clip, 1 + clip) * gain_B1)
    return -(kept_BT * own_BT).sum() / own_BT.sum()


def advantages(reward_GB: Tensor) -> Tensor:
    """(G, B) how much better each reply is than the mean of those to its prompt, in deviations."""
    away_GB = reward_GB - reward_GB.mean(1, keepdim=True)
    return away_GB / (reward_GB.std(1, correction=0, keepdim=True) + 1e-6)


def token_logs(net: nn.Module, ids_BT: Tensor) -> Tensor:
    """Log-probability (B, T) of each token behind those before it; 0 of the first."""
    log_BTV = net(ids_BT[:, :-1]).log_softmax(-1)
    return F.pad(log_BTV.gather(2, ids_BT[:, 1:, None])[..., 0], (1, 0))


def reply_logs(net: nn.Module, ids_BT: Tensor, own_BT: Tensor) -> Tensor:
    """Log-probability (B,) of each reply behind its prompt."""
    return (token_logs(net, ids_BT) * own_BT).sum(1)


def learns(net: nn.Module) -> dict[str, nn.Parameter]:
    """What is tuned: biases, and gains and biases of norms; all else is frozen."""
    found = {}
    for name, p in net.named_parameters():
        p.requires_grad_(p.dim() == 1)
        if p.dim() == 1:
            found[name] = p
    if not found:
        raise ValueError("This model has neither biases nor norms, which are what is tuned here.")
    return found


@dataclass(frozen=True, eq=False)
class Task:
    """What a model is tuned to.

    pairs    (better, worse), which DPO learns from
    prompts  that PPO writes replies to, and `probed` those that it does not
    reward   of replies, by the reward model; `rule`: by the rule that it was fitted to, where there is one
    """

    model: Transformer
    pairs: Sequence[tuple[Reply, Reply]]
    prompts: Sequence[str]
    probed: Sequence[str]
    reward: Callable[[Sequence[Reply]], np.ndarray]
    rule: Callable[[Sequence[Reply]], np.ndarray] | None = None


class Tuner:
    """A copy of a model that learns; the old one stays beside it.  The batch of a step depends on the seed and the
    step alone, so that one that goes on from `state()` takes the same steps."""

    def __init__(self, task: Task, settings: Settings) -> None:
        if settings.way == "dpo" and not task.pairs:
            raise ValueError("There is no pair of replies to learn from.")
        self.task, self.settings, self.step = task, settings, 0
        self.model = copy_apart(task.model)
        self.learned = learns(self.model.net)
        self._first = {name: p.detach().clone() for name, p in self.learned.items()}
        self._optimiser = torch.optim.Adam(self.learned.values(), lr=settings.rate)
        self._ends = replies.find_ends(tuple(task.model.tokenizer.vocab))

    def take_step(self) -> dict[str, float]:
        rng = np.random.default_rng((self.settings.seed, self.step))
        found = self._dpo(rng) if self.settings.way == "dpo" else self._ppo(rng)
        self.step += 1
        if not np.isfinite(found["loss"]):
            raise ValueError("The loss is no number any more; take a lower learning rate.")
        return found

    def _descend(self, loss: Tensor) -> float:
        self._optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.learned.values(), 1.0)
        self._optimiser.step()
        return loss.item()

    def _dpo(self, rng: np.random.Generator) -> dict[str, float]:
        task, beta = self.task, self.settings.beta
        some = rng.choice(len(task.pairs), min(PAIRS, len(task.pairs)), replace=False)
        ids_BT, own_BT = replies.batch(task.model, [one for n in some for one in task.pairs[n]])
        with torch.no_grad():
            old_B2 = reply_logs(task.model.net, ids_BT, own_BT).view(-1, 2)
        new_B2 = reply_logs(self.model.net, ids_BT, own_BT).view(-1, 2)
        gap_B = beta * ((new_B2 - old_B2).detach() @ torch.tensor([1.0, -1.0]))
        loss = self._descend(dpo(new_B2, old_B2, beta))
        return {
            "loss": loss,
            "gap": gap_B.mean().item(),
            "right": (gap_B > 0).float().mean().item(),
        }

    def _ppo(self, rng: np.random.Generator) -> dict[str, float]:
        task, settings = self.task, self.settings
        some = rng.choice(len(task.prompts), min(PROMPTS, len(task.prompts)), replace=False)
        seeds = rng.integers(2**31, size=len(some)).tolist()
        drawn = [
            one
            for n, seed in zip(some, seeds, strict=True)
            for one in replies.write(self.model, task.prompts[n], GROUP, seed)
        ]
        ids_BT, own_BT = replies.batch(task.model, drawn)
        with torch.no_grad():
            was_BT, old_BT = (token_logs(n, ids_BT) for n in (self.model.net, task.model.net))
        away_B = ((was_BT - old_BT) * own_BT).sum(1)
        reward_B = torch.tensor(task.reward(drawn), dtype=torch.float32)
        gain_B = advantages((reward_B - settings.beta * away_B).view(len(some), -1)).flatten()
        loss = 0.0
        for _turn in range(TURNS):
            new_BT = token_logs(self.model.net, ids_BT)
            loss = self._descend(ppo(new_BT, was_BT, gain_B, own_BT, settings.clip))
        ratio = (new_BT.detach() - was_BT)[own_BT].exp()
        cut = ((ratio - 1).abs() > settings.clip).float().mean().item()
        return {"loss": loss, "reward": reward_B.mean().item(), "cut": cut}

    @torch.no_grad()
    def probe(self) -> dict[str, Any]:
        """Replies to prompts that it has not learned from, always of the same seed."""
        task = self.task
        each = max(1, PROBED // len(task.probed))
        some = [
            one
            for n, prompt in enumerate(task.probed)
            for one in replies.write(self.model, prompt, each, 7_000 + n)
        ]
        ids_BT, own_BT = replies.batch(task.model, some)
        new_BTV, old_BTV = (
            n(ids_BT[:, :-1]).log_softmax(-1) for n in (self.model.net, task.model.net)
        )
        own_BT = own_BT[:, 1:]
        kl_BT = (new_BTV.exp() * (new_BTV - old_BTV)).sum(-1)
        old_BT = old_BTV.gather(2, ids_BT[:, 1:, None])[..., 0]
        words = [judges.WORD.findall(one.text.lower()) for one in some]
        found: dict[str, Any] = {
            "step": self.step,
            "reward": float(task.reward(some).mean()),
            "kl": float((kl_BT * own_BT).sum(1).mean()),
            "surprise": float(-old_BT[own_BT].mean()) / math.log(2),
            "tokens": float(own_BT.sum(1).float().mean()),
            "repeated": 1 - sum(len({*w}) for w in words) / max(1, sum(map(len, words))),
            "sample": "\n".join(f"{one.prompt}{one.text}" for one in some[:: max(1, each // 2)]),
        }
        if task.rule is not None:
            found["rule"] = float(task.rule(some).mean())
        return found

    def difference(self) -> dict[str, np.ndarray]:
        """What was tuned, as far as it differs from the old model."""
        return {n: (p.detach() - self._first[n]).numpy() for n, p in self.learned.items()}

    def state(self) -> dict[str, np.ndarray]:
        """All that `go_on` needs."""
        found = {f"now.{name}": p.detach().numpy().copy() for name, p in self.learned.items()}
        for name, p in self.learned.items():
            kept = self._optimiser.state.get(p, {})
            found |= {f"{n}.{name}": kept[n].numpy().copy() for n in MOMENTS if n in kept}
        return found | {"step": np.array([self.step])}

    def go_on(self, state: Mapping[str, np.ndarray]) -> None:
        self.step = int(state["step"][0])
        for name, p in self.learned.items():
            with torch.no_grad():
                p.copy_(torch.from_numpy(np.array(state[f"now.{name}"])))
            if f"exp_avg.{name}" in state:
                self._optimiser.state[p] = {
                    n: torch.from_numpy(np.array(state[f"{n}.{name}"])) for n in MOMENTS
                }


MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what Adam keeps of each parameter


def changed(model: Transformer, difference: Mapping[str, np.ndarray]) -> Transformer:
    """A copy with what was tuned.  ValueError where it is of another model."""
    found = copy_apart(model)
    own = dict(found.net.named_parameters())
    for name, values in difference.items():
        if name not in own or own[name].shape != values.shape:
            raise ValueError("What was tuned is of another model.")
        with torch.no_grad():
            own[name].add_(torch.from_numpy(np.array(values, np.float32)))
    return found


def run(
    tuner: Tuner, before: Measured = (), every: int = 5
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Its steps to the end: the number of each, and what was measured so far, every so many steps anew.  `before`:
    what was measured up to where it goes on."""
    rows = [*before]
    if tuner.step == 0:
        rows = [tuner.probe()]
        yield 0, rows
    told = list[dict[str, float]]()
    while tuner.step < tuner.settings.steps:
        told.append(tuner.take_step())
        if tuner.step % every == 0 or tuner.step == tuner.settings.steps:
            means = {f"step.{n}": float(np.mean([t[n] for t in told])) for n in told[0]}
            rows, told = [*rows, {**tuner.probe(), **means}], []
        yield tuner.step, rows
