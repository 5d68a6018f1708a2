"""Build: a shipped run trained further in five ways, what each changed, and trainings from its weights
and from random ones on more and more text.

    python -m engine.lessons.finetuning.build [--out FOLDER]
    python -m engine.lessons.finetuning.build --labels DATA     # the classes of labels.py alone

What      one base run, 50,000 characters of the little stories, the same steps and windows for every
          way; what is measured is loss on stories that follow those, and on a page of the old kind
          (old.txt, the beginning of Austen's Pride and Prejudice).  Of the amounts, each training
          keeps its best step on other unseen stories, and ends after two worse ones
Differs   About ten minutes on one core.  The weights that learned are shipped as differences from the
          base, in 8 bits
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engine.core.registry import corpora
from engine.lessons.finetuning import labels, results
from engine.lessons.finetuning.changed import BASE, WAYS
from engine.models.neural import NeuralLanguageModel
from engine.nn.tuning import base as tuning
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.training import going_on

NEW, UNSEEN = 50_000, 20_000  # characters
STEPS, EVERY = 200, 20
AMOUNTS = (1_000, 4_000, 16_000, 64_000)
AMOUNT_STEPS, LONGEST = 120, 8_000
BASES = {"Transformer": BASE, "LSTM": "lstm_small"}


def text(first: int, count: int) -> str:
    """Whole lines of the little stories, from about one character to another."""
    whole = corpora.get("stories").text()
    start = whole.index("\n", first) + 1 if first else 0
    return whole[start : whole.index("\n", start + count) + 1]


@torch.no_grad()
def nats(model: NeuralLanguageModel[Any], of: str) -> float:
    """Mean nats per token of all lines, each read from its start mark."""
    total, count = 0.0, 0
    for line in of.splitlines():
        ids = torch.from_numpy(model.tokenizer.stream([line]))[None]
        logits = model.net(ids[:, :-1]).float().log_softmax(-1)
        total -= float(logits.gather(-1, ids[:, 1:, None]).sum())
        count += ids.shape[1] - 1
    return total / count


def trained(name: str, chosen: Mapping[str, Any], learned: str, scratch: bool = False) -> Any:
    """Steps and models of a training that goes on from a run, or begins with its tokenizer alone."""
    start = going_on.open_start(name)
    config = going_on.config_of(start.run, {"batch": 16, "span": 64, **chosen})
    weights = start.weights
    if scratch:
        torch.manual_seed(0)
        made = type(start.model)
        assert issubclass(made, NeuralLanguageModel)
        net = made.build(config, len(start.model.tokenizer.vocab))
        fresh = {f"net.{k}": v.detach().numpy() for k, v in net.state_dict().items()}
        weights = {**weights, **fresh}
    return start, config, type(start.model).fit(learned, config, seed=0, resume=weights)


def way(name: str, chosen: Mapping[str, Any]) -> tuple[results.Way, Any, Any]:
    new, old = text(NEW + 1000, UNSEEN), results.old_text()
    start, config, steps = trained(BASES["Transformer"], {**chosen, "steps": STEPS}, text(0, NEW))
    model: NeuralLanguageModel[Any] = start.model
    rows = [(0, nats(model, new), nats(model, old))]
    for report in steps:
        if report.step % EVERY == 0:
            model = report.model or report.now()
            rows.append((report.step, nats(model, new), nats(model, old)))
    learning = tuning.learning(model.net, config)
    found = results.Way(
        name,
        sum(p.numel() for p in learning.values()),
        sum(p.numel() for p in start.model.net.parameters()),
        float(config.rate),
        [(s, round(a, 4), round(b, 4)) for s, a, b in rows],
    )
    return found, start.model, model


def differences(before: Any, after: Any) -> dict[str, np.ndarray]:
    """What a way changed, as it is shipped: differences of its weights, or what was added."""
    old = before.net.state_dict()
    made = {
        name: (v - old[name] if name in old else v).numpy()
        for name, v in after.net.state_dict().items()
        if name not in old or not v.equal(old[name])
    }
    return quantised.stored(made, "int8")


def amounts() -> Iterator[results.Amount]:
    unseen = text(300_000, LONGEST)
    for title, name in BASES.items():
        for count in AMOUNTS:
            for scratch in (False, True):
                best, waited = (np.inf, 0), 0
                rate = 3e-3 if scratch else 1e-3
                chosen = {"tune": "whole", "rate": rate, "steps": AMOUNT_STEPS}
                _start, _config, steps = trained(name, chosen, text(0, count), scratch)
                for report in steps:
                    if report.step % EVERY == 0 and waited < 2:
                        found = nats(report.model or report.now(), unseen)
                        waited = 0 if found < best[0] else waited + 1
                        best = min(best, (found, report.step))
                    if waited == 2:
                        break
                print(title, count, "scratch" if scratch else "pre-trained", best, flush=True)
                yield results.Amount(title, count, scratch, round(best[0], 4), best[1])


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--out", type=Path, default=results.SHIPPED)
    asked.add_argument("--only", default="", help="one way")
    asked.add_argument("--labels", type=Path, help="a folder with the treebank ud_english")
    args = asked.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.labels:
        labelled = []
        for one in labels.measured(args.labels):
            print(one, flush=True)
            labelled.append(one)
        results.write_labelled(args.out, labelled)
        return
    ways = []
    for name, chosen in WAYS.items():
        if args.only and args.only != name:
            continue
        found, before, after = way(name, chosen)
        print(found, flush=True)
        ways.append(found)
        write_arrays(args.out / results.file(name), differences(before, after))
    if not args.only:
        results.write(args.out, results.Results(ways, list(amounts())))


if __name__ == "__main__":
    main()
