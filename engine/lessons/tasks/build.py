"""Build: learns the heads that are shipped, on the frozen body and on one that is tuned along, and measures them.

    python -m engine.lessons.tasks.build DATA

What      DATA is a folder with film_reviews and ud_english as `python -m engine zoo` reads them; what is learned goes
          to assets/task_heads.safetensors, what is measured to assets/task_heads.json
Differs   The body is tuned for all tasks at once, by LoRA in its upper half; in the end the heads of two tasks learn
          on alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from engine.analysis import task_heads as store
from engine.lessons.tasks import examples, learning
from engine.lessons.tasks.examples import Examples, Tasks
from engine.lessons.tasks.learning import Heads, Read
from engine.models.bert import Bert
from engine.nn.transformer import Tower
from engine.nn.tuning import lora
from engine.runs.store import SHIPPED, RunStore
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.storage.files import write_bytes

LINES, TESTED = 4000, 1000  # of each collection, and examples of each task that are judged
LEARNED = {"class": 4600, "tags": 2500, "question": 4000, "replaced": 2000}
PENALTY = 1000.0
ALONE, ALONG = dict.fromkeys(LEARNED, 4), dict.fromkeys(LEARNED, 1) | {"question": 2}  # rounds
RANK, ALPHA, RATE_ALONE, RATE_ALONG = 8, 16.0, 3e-3, 2e-3


def learn_alone(heads: Heads, model: Bert, given: Read) -> None:
    """The heads on a frozen body."""
    for step, of, task, loss in learning.fit(heads, model.net, given, ALONE, RATE_ALONE):
        _tell(step, of, task, loss)


def end(heads: Heads, model: Bert, given: Read) -> None:
    """Two of the heads, alone."""
    learn_alone(heads, model, {"replaced": given["replaced"]})
    learning.settle(heads, "class", model.net, given, "class", PENALTY)


def learn_along(model: Bert, given: Read, heads: Heads) -> Tower:
    """The upper layers with LoRA, tuned along with heads that have learned alone already."""
    tower = store.upper(model.net)
    for p in tower.parameters():
        p.requires_grad_(False)
    torch.manual_seed(0)
    plan: Any = SimpleNamespace(lora_targets=lora.ALL, lora_rank=RANK, lora_alpha=ALPHA)
    lora.install(tower, plan)
    narrow = [*lora.learns(tower, plan).values()]
    for step, of, task, loss in learning.fit(
        heads, model.net, given, ALONG, RATE_ALONG, tower, narrow
    ):
        _tell(step, of, task, loss)
    return tower


def _tell(step: int, of: int, task: str, loss: float) -> None:
    if step % 50 == 0 or step == of:
        print(f"step {step} of {of}: {task} {loss:.3f}", flush=True)


def judge_counts(model: Bert, of: Tasks) -> dict[str, float]:
    """The shares of classes that are right by which pieces of words a text has: no BERT, no order."""
    from sklearn.linear_model import LogisticRegression

    def read(some: Examples) -> tuple[np.ndarray, list[int]]:
        has_NV = np.zeros((len(some), len(model.tokenizer.vocab)), np.float32)
        for n, one in enumerate(some):
            has_NV[n, one.ids_T] = 1
        return has_NV, [int(one.target) for one in some]

    head = LogisticRegression(C=0.1, max_iter=400).fit(*read(of.learn["class"]))
    return {name: float(head.score(*read(of.test[name]))) for name in ("class", "short")}


def pack(
    alone: Mapping[str, np.ndarray], along: Mapping[str, np.ndarray], tower: Tower
) -> dict[str, np.ndarray]:
    bodies = zip(store.BODIES, (alone, along), strict=True)
    found = {f"{body}.{name}": x for body, heads in bodies for name, x in heads.items()}
    narrow = {name: p for name, p in tower.state_dict().items() if lora.FIRST in name}
    return found | {f"{store.LORA}{name}": p.numpy() for name, p in narrow.items()}


def describe(
    of: Tasks, alone: Mapping[str, float], along: Mapping[str, float], counted: Mapping[str, float]
) -> dict[str, Any]:
    return {
        "made_by": "python -m engine.lessons.tasks.build",
        "tags": of.names,
        "rank": RANK,
        "alpha": ALPHA,
        "learned": {task: len(some) for task, some in of.learn.items()},
        "tested": {task: len(some) for task, some in of.test.items()},
        "counted": {name: round(x, 4) for name, x in counted.items()},
        store.BODIES[0]: {name: round(x, 4) for name, x in alone.items()},
        store.BODIES[1]: {name: round(x, 4) for name, x in along.items()},
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("data", type=Path)
    shipped = RunStore(SHIPPED)
    model = shipped.load(shipped.find("bert"))
    assert isinstance(model, Bert)
    of = examples.read(model, asked.parse_args().data, LINES)
    of = Tasks(
        {task: some[: LEARNED[task]] for task, some in of.learn.items()},
        {task: some[:TESTED] for task, some in of.test.items()},
        of.names,
    )
    below, above = store.lower(model.net), store.upper(model.net)
    learn, test = (learning.read(below, part) for part in (of.learn, of.test))
    torch.manual_seed(0)
    heads = Heads(model.config.width, len(of.names))
    frozen = learning.go_on(learn, above)
    learn_alone(heads, model, frozen)
    begun = {name: x.clone() for name, x in heads.state_dict().items()}
    end(heads, model, frozen)
    alone = heads.arrays(), learning.judge(model.net, heads, test, above)
    print(alone[1], flush=True)
    heads.load_state_dict(begun)
    tower = learn_along(model, learn, heads)
    end(heads, model, learning.go_on({task: learn[task] for task in ("class", "replaced")}, tower))
    along = heads.arrays(), learning.judge(model.net, heads, test, tower)
    counted = judge_counts(model, of)
    arrays = pack(alone[0], along[0], tower)
    write_arrays(store.ARRAYS, quantised.stored(arrays, "float16"))
    written = json.dumps(describe(of, alone[1], along[1], counted), indent=1) + "\n"
    write_bytes(store.RESULTS, written.encode())


if __name__ == "__main__":
    main()
