"""Distillation: a small net that learns from the answers of a large one besides the text, and the same net without.

    python -m engine.lessons.smaller.distil DATA [--out FOLDER]

What      loss = a T^2 KL(softmax(t / T) | softmax(s / T)) + (1 - a) (-log softmax(s)[y]), mean over tokens, in nats;
          t the teacher's logits, s the student's, y the token that came
          DATA holds novels.tar.xz (engine/shipped/sources/novels.py); both students begin with the same weights and
          read the same windows of the beginning of its text, and are measured on the novels that are kept back
Source    Hinton, Vinyals & Dean, Distilling the Knowledge in a Neural Network, 2015, sec. 2
Shapes    N = tokens, B = windows, T = tokens of one, V = vocabulary
Differs   The teacher reads windows of its own, SEEN tokens before each that it judges, once for all steps.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from engine import ROOT
from engine.models.neural import NeuralLanguageModel
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.storage.files import write_bytes

Net = NeuralLanguageModel[Any]
TEACHER = "lstm"
FOLDER = ROOT / "assets" / "students"
TAUGHT, ALONE = "taught", "alone"
CHARACTERS, UNSEEN = 250_000, 40_000  # of the text that is learned, and of what is kept back
HEAT, SOFT = 2.0, 0.8
STUDENT: Mapping[str, Any] = {
    "units": 96,
    "layers": 1,
    "width": 32,
    "vocabulary": 128,
    "steps": 1500,
    "batch": 48,
    "span": 64,
    "rate": 6e-3,
}
SEEN, WINDOW, TOGETHER = (
    64,
    256,
    32,
)  # tokens that the teacher reads before, and behind; windows at once


def soft_loss(s: Any, t: Any, heat: float) -> Any:
    """T^2 KL(teacher | student) in nats, of logits (.., V), the mean over all but the last axis."""
    from torch.nn import functional as F

    t, s = (x.flatten(0, -2) / heat for x in (t, s))
    return heat**2 * F.kl_div(s.log_softmax(-1), t.softmax(-1), reduction="batchmean")


# ------------------------------------------------------------------ what is shipped


@lru_cache(1)
def measured() -> dict[str, float]:
    """OSError or ValueError where the file is missing or damaged."""
    found = json.loads((FOLDER / "measured.json").read_text(encoding="utf-8"))
    return {name: float(found[name]) for name in ("teacher", TAUGHT, ALONE)}


@lru_cache(2)
def student(name: str) -> Net:
    """OSError or ValueError where its file is missing or damaged."""
    from engine.core.registry import models

    model = models.get("lstm")
    found = model.from_weights(
        model.config_type(**STUDENT), quantised.read(FOLDER / f"{name}.safetensors")
    )
    return cast(Net, found)


# ------------------------------------------------------------------ how it is made


def judge(teacher: Net, ids_N: np.ndarray) -> Any:
    """The teacher's logits (N, V) behind every token of a stream, in float16."""
    import torch

    found = []
    padded = np.concatenate([np.full(SEEN, ids_N[0]), ids_N, np.zeros(-len(ids_N) % WINDOW, int)])
    starts = range(0, len(padded) - SEEN, WINDOW)
    with torch.inference_mode():
        for n in range(0, len(starts), TOGETHER):
            some = np.stack([padded[i : i + SEEN + WINDOW] for i in starts[n : n + TOGETHER]])
            found.append(teacher.net(torch.from_numpy(some))[:, SEEN:].half().flatten(0, 1))
    return torch.cat(found)[: len(ids_N)]


def teach(
    teacher: Net,
    lines: Sequence[str],
    soft: float,
    t_NV: Any = None,
    heat: float = HEAT,
    steps: int = STUDENT["steps"],
) -> Generator[float, None, Net]:
    """A student after its last step; `soft`: the share of the loss that is the teacher's.  Meanwhile, what share of
    the steps are done."""
    import torch
    from torch.nn import functional as F

    from engine.core.registry import models

    model = cast(type[Net], models.get("lstm"))
    config = model.config_type(**{**STUDENT, "steps": steps})
    torch.manual_seed(0)
    net = model.build(config, len(teacher.tokenizer.vocab))
    stream = teacher.tokenizer.stream(lines)
    model.prepare(net, np.bincount(stream, minlength=len(teacher.tokenizer.vocab)))
    ids_N = torch.from_numpy(stream.astype(np.int64))
    optimiser = torch.optim.AdamW(net.parameters(), config.rate, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.rate, config.steps, pct_start=0.07)
    drawn = np.random.default_rng(0)
    span_T = torch.arange(config.span)
    for step in range(config.steps):
        start_B = torch.from_numpy(drawn.integers(0, len(ids_N) - config.span - 1, config.batch))
        at_BT = start_B[:, None] + span_T
        s_BTV = net(ids_N[at_BT])
        loss = F.cross_entropy(s_BTV.flatten(0, 1), ids_N[at_BT + 1].flatten()) * (1 - soft)
        if soft:
            loss = loss + soft * soft_loss(s_BTV, t_NV[at_BT].float(), heat)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        rate.step()
        yield step / steps
    return model(config, teacher.tokenizer, net)


def main() -> None:
    from engine.lessons.smaller.experts import last
    from engine.lessons.smaller.measured import bits_per_token, cut_lines
    from engine.runs.store import RunStore
    from engine.shipped.sources.base import find
    from engine.text.tokenizers.base import passages

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("data", type=Path)
    asked.add_argument("--out", type=Path, default=FOLDER)
    given = asked.parse_args()
    source, store = find("novels"), RunStore()
    teacher = cast(Net, store.load(store.find(TEACHER)))
    lines = list(passages(source.text(given.data, CHARACTERS)))
    unseen = "\n".join(text[: UNSEEN // 5] for text in source.unseen(given.data).values())
    read = cut_lines(teacher, passages(unseen), UNSEEN)
    t_NV = judge(teacher, teacher.tokenizer.stream(lines))
    found = {"teacher": bits_per_token(teacher, read)}
    given.out.mkdir(parents=True, exist_ok=True)
    for name, soft in ((TAUGHT, SOFT), (ALONE, 0.0)):
        made = last(teach(teacher, lines, soft, t_NV))
        arrays = quantised.stored(made.weights(), "int8")
        write_arrays(given.out / f"{name}.safetensors", arrays)
        found[name] = bits_per_token(made, read)
        print(found, flush=True)
    write_bytes(given.out / "measured.json", (json.dumps(found, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
