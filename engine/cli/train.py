"""`train`: make a run from texts.  Stopped by Ctrl-C or by a crash, it goes on with --resume."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.cli import settings
from engine.cli.console import Wrong, new_command, number, progress, read_text, say

HELP = """\
Train a model on texts, one passage a line, and write the run to a folder.

The folder must be new or empty; with --resume a stopped training goes on from its last checkpoint, to the same
weights, bit for bit on one processor, as if it had never stopped.  A finished one is left as it is.

--json: {"run", "model", "folder", "recipe", "seed", "device", "steps", "seconds", "config", "corpus", "held_out"}
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "train", "train a model", HELP)
    command.add_argument("model", metavar="MODEL", help="a model's id, as `list models` says")
    command.add_argument(
        "--text", action="append", required=True, metavar="FILE", help="a text file or a built-in text; may be repeated"
    )
    command.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the model; may be repeated"
    )
    command.add_argument("--seed", type=number(int, 0, 2**31 - 1), default=0)
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the run")
    command.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    command.add_argument("--snapshots", type=number(int, 0, 1000), default=0, metavar="N", help="keep the model at about N steps on the way")
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.registry import models
    from engine.runs import Recipe, digest

    if args.model not in models.ids():
        raise Wrong(f"no model {args.model!r}; there are {', '.join(models.ids())}")
    model = models.get(args.model)
    config = settings.config(model, args.set)
    state = check_folder(args.out, args.resume)
    text = read_text(args.text)
    recipe = Recipe(args.model, config, digest(text), args.seed)
    if state == "finished":
        note = finished_note(args.out)
        if note["recipe"] != recipe.key:
            raise Wrong(f"{args.out} holds a finished run made with other settings or another text; choose another --out")
        say(f"the run in {args.out} is finished already")
    else:
        device = pick_device(args.device)
        facts = {"texts": [Path(source).name for source in args.text]}
        note = fit(args.out, recipe, text, device=device, resume=state == "stopped", snapshots=args.snapshots, facts=facts)
    result = {"run": args.out.resolve().name, "folder": str(args.out.resolve()), **summary(note)}
    if args.json:
        return result
    held_out = ", ".join(f"{k.replace('_', ' ')} {v:.4g}" for k, v in result["held_out"].items() if "per" in k)
    print(f"{result['model']}, {result['steps']} steps in {result['seconds']:g} s: {result['folder']}")
    if held_out:
        print(f"on held-out lines: {held_out}")
    return None


def check_folder(folder: Path, resume: bool) -> str:
    """ "new", "stopped" or "finished".  Wrong when writing there could lose something."""
    from engine.runs import CHECKPOINT, NOTE

    if folder.exists() and not folder.is_dir():
        raise Wrong(f"{folder} is a file; choose another --out")
    names = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    left = {name for name in names if not name.endswith(".part")}
    if NOTE in names:
        if not resume:
            raise Wrong(f"{folder} holds a finished run; choose another --out")
        return "finished"
    if CHECKPOINT in names:
        if not resume:
            raise Wrong(f"{folder} holds a stopped run; add --resume to go on with it, or choose another --out")
        return "stopped"
    if left and not (resume and left <= {"history.csv", "weights.safetensors", "snapshots"}):
        raise Wrong(f"{folder} is not empty; choose a new folder as --out")
    if resume:
        say(f"there is no checkpoint in {folder}; starting from the beginning")
    return "new"


def finished_note(folder: Path) -> Mapping[str, Any]:
    from engine.runs import RunStore

    return RunStore(folder.resolve().parent).find(str(folder.resolve())).note


def pick_device(name: str) -> str:
    """ "cpu" or "cuda"; Wrong when a GPU is asked for that torch can't use."""
    if name == "cpu":
        return name
    import torch

    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise Wrong("torch sees no usable GPU here; leave --device out or write --device cpu")
    return "cuda" if there else "cpu"


def fit(
    folder: Path, recipe: Any, text: str, *, device: str, resume: bool, half: bool = False, snapshots: int = 0, facts: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Train with a bar on standard error and return what run.json says."""
    from engine import runs

    reports = runs.fit(folder, recipe, text, device=device, resume=resume, half=half, snapshots=snapshots, facts=facts)
    first = next(reports)
    for _ in progress(_from(first, reports), first.total, "step", note, start=first.step - 1):
        pass
    sys.stderr.flush()
    return finished_note(folder)


def _from(first: Any, rest: Any) -> Any:
    yield first
    yield from rest


def note(report: Any) -> str:
    """The numbers of one report that say how it goes."""
    return ", ".join(f"{k} {v:.3g}" for k, v in report.metrics.items() if "nats" in k or "bits" in k)


def summary(note: Mapping[str, Any]) -> dict[str, Any]:
    names = ("model", "recipe", "seed", "device", "steps", "seconds", "config", "corpus", "held_out")
    return {name: note.get(name) for name in names}
