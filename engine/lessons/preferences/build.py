"""Build: what the lesson on preferences ships: replies of a Transformer, and what a few tunings came to.

python -m engine.lessons.preferences.build [NAME ...]    all of them, or those named

assets/preferences/replies.json         token ids of the replies to each prompt
                  /curves.json          by name: settings, and what was measured on the way
                  /<name>.safetensors   the difference that was tuned, in half precision, of those in KEPT
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import numpy as np

from engine.lessons.preferences import study, tuning
from engine.lessons.preferences.judges import By
from engine.lessons.preferences.tuning import Settings
from engine.runs.store import RunStore
from engine.storage.arrays import write_arrays
from engine.storage.files import write_bytes

RUN = "transformer"
CURVES = study.ASSETS / "curves.json"
RECIPES: dict[str, tuple[By, Settings]] = {
    "dpo_words": ("words", Settings("dpo", 0.1, 40)),
    "ppo_words_1": ("words", Settings("ppo", 1.0, 20)),
    "ppo_words_0": ("words", Settings("ppo", 0.0, 20)),
    "dpo_shorter": ("shorter", Settings("dpo", 0.1, 40)),
    "ppo_words_0.3": ("words", Settings("ppo", 0.3, 20)),
    "ppo_words_3": ("words", Settings("ppo", 3.0, 20)),
    "dpo_words_0.02": ("words", Settings("dpo", 0.02, 40)),
    "dpo_words_0.5": ("words", Settings("dpo", 0.5, 40)),
}
KEPT = ("dpo_words", "dpo_shorter", "ppo_words_1", "ppo_words_0")


def build(names: list[str]) -> None:
    run = next(one for one in RunStore().all() if one.id == RUN)
    model = study.check(RunStore().load(run))
    study.ASSETS.mkdir(exist_ok=True)
    if not study.POOL.is_file():
        groups = study.write_pool(model)
        ids = {group[0].prompt: [one.ids for one in group] for group in groups}
        body = {"recipe": run.note["recipe"], "replies": ids}
        write_bytes(study.POOL, json.dumps(body).encode() + b"\n")
    for name in names or RECIPES:
        by, settings = RECIPES[name]
        tuner = tuning.Tuner(study.make(run, model, study.Asked(by)).task(), settings)
        rows: list[dict[str, Any]] = []
        for step, rows in tuning.run(tuner):
            print(name, step, {k: v for k, v in rows[-1].items() if k != "sample"}, flush=True)
        print(rows[-1]["sample"], flush=True)
        stored = json.loads(CURVES.read_text(encoding="utf-8")) if CURVES.is_file() else {}
        stored[name] = {"by": by, "settings": asdict(settings), "rows": [rounded(r) for r in rows]}
        write_bytes(CURVES, json.dumps(stored, indent=1, ensure_ascii=False).encode() + b"\n")
        if name in KEPT:
            found = tuner.difference().items()
            write_arrays(
                study.ASSETS / f"{name}.safetensors", {n: v.astype(np.float16) for n, v in found}
            )


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {n: float(f"{v:.5g}") if isinstance(v, float) else v for n, v in row.items()}


if __name__ == "__main__":
    build(sys.argv[1:])
