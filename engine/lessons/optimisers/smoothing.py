"""Label smoothing: the right answer gets a little less than 1, the others a little more than 0.

What      torch and the training room: q = (1 - e) [k is right] + e / K
          the notes:                   q = 1 - e for the right one, e / (K - 1) for each other
          loss = - sum q log p;  least possible: the entropy of q, where p = q
Source    Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016, sec. 7
Shapes    K = answers
"""

from __future__ import annotations

import math

import numpy as np

from engine.frame.blocks import Beside, Controls, Formula, Note, Rows, Train, curves
from engine.frame.control import WANTED, Matrix, cells, pick, slider
from engine.frame.part import Blocks, part
from engine.language.message import _
from engine.views.base import number

FIRST = (2.0, 1.0, 0.1, 0.0)  # logits
ANSWERS = tuple(f"answer {n + 1}" for n in range(len(FIRST)))


def target(k: int, right: int, share: float, spread_on_all: bool = True) -> np.ndarray:
    """(K,); `spread_on_all`: as torch does, the right answer included."""
    q = np.full(k, share / k if spread_on_all else share / (k - 1))
    q[right] = 1 - share + (share / k if spread_on_all else 0)
    return q


def logarithms(logits: np.ndarray) -> np.ndarray:
    """log p (K,) of logits."""
    shifted = logits - logits.max()
    found: np.ndarray = shifted - np.log(np.exp(shifted).sum())
    return found


def loss(logits: np.ndarray, q: np.ndarray) -> float:
    """Nats."""
    return float(-(q * logarithms(logits)).sum())


def floor(q: np.ndarray) -> float:
    """The least loss that any logits reach, in nats."""
    some = q[q > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def gap(q: np.ndarray, right: int) -> float:
    """By how much the right logit is above the others where the loss is least; without end where the
    target asks for nothing of one of them."""
    own, other = float(q[right]), float(np.delete(q, right).max())
    if not (own and other):
        return math.inf if own else -math.inf
    return math.log(own / other)


def as_torch(share: float, k: int) -> float:
    """What torch has to be given for the target that the notes call `share`."""
    return share * k / (k - 1)


@part("Label smoothing")
def smoothing(
    epsilon: float = slider("ε, share that is spread", 0.0, 1.0, 0.1, 0.01, width=300),
    right: int = pick("Right answer", (1, 2, 3, 4), 1, few=True),
    *,
    logits: Matrix = cells("", [[x] for x in FIRST], ANSWERS, ("logit",), 260),
) -> Blocks:
    yield (
        "A target of 1 is never reached: to come nearer the right logit has to grow without end. Label"
        " smoothing asks for a little less, so that there is a best gap between the logits, and a model"
        " that is less sure of itself."
    )
    if not np.isfinite(logits).all():
        yield Beside([[Controls(["logits"])], []])
        raise ValueError(WANTED)
    z, k, at = np.array(logits)[:, 0], len(FIRST), right - 1
    hard, torch_q, others_q = (
        target(k, at, 0.0),
        target(k, at, epsilon),
        target(k, at, epsilon, False),
    )
    targets = {"1 and 0": hard, "ε over all": torch_q, "ε over the others": others_q}
    exact = dict.fromkeys(("loss, nats", "least possible"), "%.4f")
    table = [
        {
            "target": name,
            "loss, nats": loss(z, q),
            "least possible": floor(q),
            "best gap": f"{gap(q, at):.4f}".replace("inf", "∞"),
        }
        for name, q in targets.items()
    ]
    gaps = np.linspace(0, 10, 101)
    grown = np.zeros((len(gaps), k))
    grown[:, at] = gaps
    names = ("1 and 0", "over all", "over the others")
    drawn = curves(
        "smoothing",
        "Loss by the gap of the right logit",
        {
            name: (gaps, [loss(one, q) for one in grown])
            for name, q in zip(names, targets.values(), strict=True)
        },
        "gap",
        "nats",
        _("{k} answers, ε {share:g}", k=k, share=epsilon),
    )
    train = Train({"smoothing": min(0.9, epsilon)}, text="stories")
    yield Beside([[Controls(["logits"]), Rows(table, exact), train], [drawn]])
    logs = logarithms(z)
    columns = {"p": np.exp(logs), **targets}
    yield Rows(
        [
            {"answer": name} | {column: float(values[n]) for column, values in columns.items()}
            for n, name in enumerate(ANSWERS)
        ],
        dict.fromkeys(columns, "%.4f"),
        bars=[*columns],
    )
    terms = [rf"{number(q)} \cdot {number(-v)}" for q, v in zip(torch_q, logs, strict=True)]
    yield Formula(
        rf"\text{{loss}} = -\sum_k q_k \log p_k = {' + '.join(terms)} = {number(loss(z, torch_q))}"
    )
    yield Note(
        _(
            "An ε of {share:g} over the others is one of {as_torch} over all answers, the right one too, as"
            " torch and the training room have it.",
            share=epsilon,
            as_torch=number(as_torch(epsilon, k)),
        )
    )
