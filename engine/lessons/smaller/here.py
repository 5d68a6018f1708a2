"""Here: students and experts that learn from a text of one's own, as the shipped ones did from novels.

What      as in distil.py and experts.py, of the first HERE_LETTERS of a text; each KEPTth line is kept back, and
          they are measured on those
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar, cast

import numpy as np
import torch

from engine import frame as fr
from engine.language.message import _
from engine.lessons.smaller import distil, experts, measured
from engine.lessons.smaller.nets import Net
from engine.models.transformer import Transformer
from engine.text import collection

T = TypeVar("T")
HERE_LETTERS, HERE_STEPS, KEPT = 40_000, 300, 8  # one line in so many is kept back


@fr.once
def beginning(id: str) -> tuple[str, ...]:
    return tuple(
        line for line in str(collection.find(id).text())[:60_000].splitlines() if line.strip()
    )


def learned_and_kept(text: str) -> tuple[list[str], list[str]]:
    """ValueError for a text too short."""
    total, some = 0, []
    for line in beginning(text):
        total += len(line)
        some.append(line)
        if total > HERE_LETTERS:
            break
    if total < 2_000 or len(some) < 2:
        raise ValueError("This text is too short to learn from: 2,000 letters in lines are needed.")
    return [x for n, x in enumerate(some) if n % KEPT], some[::KEPT]


@fr.once_told
def taught(
    *, teacher: Net, text: str, heat: float, soft: float
) -> fr.Taking[tuple[dict[str, Net], dict[str, float], int]]:
    """Two students of this text, as the shipped ones."""
    learned, kept = learned_and_kept(text)
    yield fr.Progress(0, _("The teacher reads"))
    t_NV = distil.judge(teacher, teacher.tokenizer.stream(learned))
    nets_3 = {"teacher": teacher}
    told = {distil.TAUGHT: _("Teaching"), distil.ALONE: _("Learning without a teacher")}
    for n, (name, share) in enumerate(((distil.TAUGHT, soft), (distil.ALONE, 0.0))):
        learning = distil.teach(teacher, learned, share, t_NV, heat, HERE_STEPS)
        nets_3[name] = yield from tell(learning, told[name], n / 2, 1 / 2)
    read = measured.cut_lines(teacher, kept, 4_000)
    score = {name: measured.bits_per_token(net, read) for name, net in nets_3.items()}
    return nets_3, score, sum(len(line) + 1 for line in learned)


def tell(
    learning: Generator[float, None, T], told: fr.Words, first: float, part: float
) -> fr.Taking[T]:
    """What a training comes to; `first`, `part`: where it begins in the whole, and how much of it it is."""
    while True:
        try:
            yield fr.Progress(first + part * next(learning), told)
        except StopIteration as end:
            return cast(T, end.value)


@fr.once_told
def mixed(
    *, base: Transformer, text: str, even: bool
) -> fr.Taking[tuple[tuple[Transformer, experts.Experts], dict[str, Any]]]:
    """Experts that learn from this text, and what they come to on lines of it that were kept back."""
    learned, kept = learned_and_kept(text)
    ids_N = torch.from_numpy(base.tokenizer.stream(learned).astype(np.int64))
    weight = experts.BALANCE if even else 0.0
    learning = experts.learn(base, ids_N, weight, steps=HERE_STEPS)
    net, made = yield from tell(learning, _("Training experts"), 0, 1)
    read = measured.cut_lines(base, kept, 4_000)
    judged = {
        "before": experts.judge(base, None, read),
        "balanced": experts.judge(net, made, read),
    }
    return (net, made), judged
