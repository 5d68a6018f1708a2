"""`train`: make a run from texts.  Paused, stopped by Ctrl-C or by a crash, it goes on with
--resume."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.cli import settings
from engine.cli.console import Command, Parser, Wrong, number, progress, read_text, say, tell

HELP = """\
Train a model on texts, one passage per line, and write the run to a folder.

The folder must be new or empty; with --resume a stopped training continues from its last checkpoint
and reaches the same weights, bit for bit on one processor, as if it had never stopped.  A finished
run is not changed.

--text takes every kind of file that `corpora add` does.  A corpus of your own is read without its
test part, which `score` reads as ID:test.

--start RUN goes on with the weights and the tokenizer of a finished run, on this text; its model's
settings stay.  `--set tune=lora` (or adapters, layers) lets a part of the weights learn: the run
then holds only these, and needs the one that it started from.

To pause, write "pause" to the file `control` in the folder; to stop, write "stop".  A pause writes
a checkpoint, a stop keeps the best model so far as the finished run.  SIGTERM is a pause.  --resume
--best finishes a failed or interrupted training with the best model so far.

Several processors, GPUs or machines: `torchrun --nproc-per-node 2 -m engine train ...`.  Each
process reads its share of every batch, so the losses are those of one process; all must find the
texts, and the folder, under the same names.  torchrun itself listens on a port where its processes
meet.

--json: {"run", "model", "folder", "recipe", "seed", "device", "steps", "seconds", "config",
         "corpus", "held_out"}; of a training that was paused, or stopped before there was a model,
         {"run", "folder", "state", "step", "total"}
"""


def options(command: Parser) -> None:
    command.add_argument("model", metavar="MODEL", help="a model's id, as `list models` says")
    command.takes_texts("a file, FILE:COLUMN of a table, or a corpus's id; may be repeated")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of the model; may be repeated",
    )
    command.add_argument("--seed", type=number(int, 0, 2**31 - 1), default=0)
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder of the run"
    )
    command.add_argument(
        "--start", default="", metavar="RUN", help="a finished run whose weights it goes on with"
    )
    command.add_argument("--title", default="", help="title of the run")
    command.add_argument("--resume", action="store_true", help="resume from the last checkpoint")
    command.add_argument(
        "--best",
        action="store_true",
        help="with --resume: take no more steps, keep the best model so far",
    )
    command.add_argument(
        "--snapshots",
        type=number(int, 0, 1000),
        default=0,
        metavar="N",
        help="keep about N snapshots during training",
    )
    command.add_argument(
        "--probes",
        "--looks",
        dest="probes",
        type=number(int, 0, 1000),
        default=0,
        metavar="N",
        help="keep samples and histograms of about N steps",
    )
    command.add_argument(
        "--prompt",
        action="append",
        default=[],
        metavar="TEXT",
        help="prompt of the samples; may be repeated",
    )
    command.add_argument("--queue", action="store_true", help="queue behind other --queue jobs")
    command.add_argument(
        "--memory",
        type=number(float, 0),
        default=0.0,
        metavar="GB",
        help="memory limit; 0: no limit",
    )
    command.add_argument(
        "--with-parent", action="store_true", help="pause when the parent process ends"
    )
    command.add_argument(
        "--tensorboard",
        action="store_true",
        help="write event files for TensorBoard too, in the folder's `tensorboard`",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.core.registry import models
    from engine.jobs import process

    if args.model not in models.ids():
        raise Wrong(f"no model {args.model!r}; there are {', '.join(models.ids())}")
    if args.memory:
        process.limit_memory(int(args.memory * 1e9))
    model = models.get(args.model)
    config = config_of(args, model)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:  # torchrun says so
        if args.start:
            raise Wrong("several processes can't go on from a run; leave torchrun or --start out")
        from engine.cli import torchrun

        return torchrun.train_shared(args, model, config, train_here)
    return train_here(args, config)


def config_of(args: Namespace, model: type) -> Any:
    """The settings of the command line, over those of the run that it goes on from."""
    if not args.start:
        return settings.config(model, args.set)
    from engine.runs.store import RunStore
    from engine.training import going_on

    run = RunStore().find(args.start)
    if run.model != args.model:
        raise Wrong(f"{args.start} is a run of the model {run.model}; write train {run.model} ...")
    return going_on.config_of(run, settings.values(model, args.set))


def train_here(
    args: Namespace, config: Any, meet: Callable[[Any, bool], None] = lambda recipe, resume: None
) -> dict[str, Any] | None:
    """The whole command in this process; `meet` is told the recipe, and whether it goes on from a
    checkpoint, before the first step."""
    from engine.runs.store import Recipe, digest

    state = check_folder(args.out, args.resume, args.best)
    with nothing_left(args.out), wait_turn(args) as goes:
        if not goes:
            return tell_end(args)
        text = read_text(args.text)
        start = begun(args.start, text) if args.start else None
        key = start.fact["recipe"] if start else ""
        recipe = Recipe(args.model, config, digest(text), args.seed, key)
        weights = start.weights if start else None
        facts = {
            **({"base": start.fact} if start else {}),
            "texts": [Path(source).name for source in args.text],
            "corpus": names(args.text),
            **({"title": args.title} if args.title else {}),
        }
        if state == "finished":
            note = finished_note(args.out)
            if note["recipe"] != recipe.key:
                raise Wrong(
                    f"{args.out} holds a finished run made with other settings or another text;"
                    " choose another --out"
                )
            say(f"the run in {args.out} is finished already")
        elif args.best:
            from engine.training import best

            best.keep_best(
                args.out,
                recipe,
                text,
                device=pick_device(args.device),
                start=weights,
                facts=facts,
            )
            note = finished_note(args.out)
        else:
            meet(recipe, state == "stopped")
            prepare_folder(args)
            found = fit(
                args.out,
                recipe,
                text,
                device=pick_device(args.device),
                resume=state == "stopped",
                start=weights,
                snapshots=args.snapshots,
                probes=args.probes,
                prompts=args.prompt,
                tensorboard=args.tensorboard,
                facts=facts,
            )
            if found is None:
                return tell_end(args)
            note = found
    result = {"run": args.out.resolve().name, "folder": str(args.out.resolve()), **summary(note)}
    if args.json:
        return result
    held_out = ", ".join(
        f"{k.replace('_', ' ')} {v:.4g}" for k, v in result["held_out"].items() if "per" in k
    )
    tell(
        f"{result['model']}, {result['steps']} steps in {result['seconds']:g} s: {result['folder']}"
    )
    if held_out:
        tell(f"on held-out lines: {held_out}")
    return None


def begun(name: str, text: str) -> Any:
    """The run that a training goes on from.  ValueError where the text is none for it."""
    from engine.training import going_on

    start = going_on.open_start(name)
    going_on.check_text(start, text)
    return start


def names(sources: list[str]) -> dict[str, str]:
    """What the corpora are called, where all texts are corpora."""
    from engine.text import collection

    try:
        return (
            {}
            if any(Path(source).exists() for source in sources)
            else {"name": ", ".join(collection.find(s.partition(":")[0]).title for s in sources)}
        )
    except (LookupError, ValueError):
        return {}


def prepare_folder(args: Namespace) -> None:
    """What must stand in the folder, and hold for this process, before the first step."""
    from engine.storage.run_folder import JOB
    from engine.training import limits
    from engine.training.job import Job

    args.out.mkdir(parents=True, exist_ok=True)
    limits.pause_on_term(args.out)
    if args.with_parent:
        limits.end_with_parent(args.out)
    if not (args.out / JOB).is_file():
        texts = tuple(str(Path(t).resolve()) if Path(t).exists() else t for t in args.text)
        Job(
            args.model,
            texts,
            tuple(args.set),
            args.seed,
            args.device,
            args.snapshots,
            args.probes,
            tuple(args.prompt),
            args.title,
            args.memory,
            args.tensorboard,
            args.queue,
            args.start,
        ).write(args.out)


@contextmanager
def nothing_left(folder: Path) -> Iterator[None]:
    """Of a training that is refused before its first step nothing stays in its folder that this command
    wrote; what a page began it with, and reads the refusal from, does."""
    from engine.storage.run_folder import JOB, UNBEGUN
    from engine.training import status

    there = {p.name for p in folder.iterdir()} if folder.is_dir() else None
    try:
        yield
    except (ValueError, LookupError, Wrong):
        made = {p.name for p in folder.iterdir()} - (there or set()) if folder.is_dir() else set()
        if made <= UNBEGUN and JOB not in (there or ()):
            for name in made:
                (folder / name).unlink(missing_ok=True)
            if there is None and folder.is_dir():
                folder.rmdir()
        raise
    except OSError as error:
        status.failed(folder, error)
        raise


@contextmanager
def wait_turn(args: Namespace) -> Iterator[bool]:
    """Wait for the turn of this training; False when it was paused or stopped before it came."""
    if not args.queue:
        yield True
        return
    from msgspec.structs import replace

    from engine.jobs import control, process
    from engine.storage.home import base
    from engine.training import queue, status

    process.lower_priority()
    args.out.mkdir(parents=True, exist_ok=True)
    pid, born = process.name_own()
    asked = control.ControlFile(args.out)
    asked.forget_older()
    before = status.read(args.out) or status.TrainingStatus(status.WAITING)

    def wait(ahead: int) -> bool:
        wish = asked()
        state = {control.PAUSE: status.PAUSED, control.STOP: status.STOPPED}.get(
            wish, status.WAITING
        )
        status.write(
            args.out, replace(before, state=state, ahead=ahead, pid=pid, born=born, error="")
        )
        if wish:
            asked.obeyed()
        return not wish

    with queue.wait_turn(base() / "queue", wait) as goes:
        yield goes


def tell_end(args: Namespace) -> dict[str, Any] | None:
    """What is said of a training that has no run to show."""
    from engine.training import status

    last = status.read(args.out)
    state, step, total = (last.state, last.step, last.total) if last else ("stopped", 0, 0)
    if args.json:
        return {
            "run": args.out.resolve().name,
            "folder": str(args.out.resolve()),
            "state": state,
            "step": step,
            "total": total,
        }
    tell(
        f"{state} at step {step} of {total}: {args.out}; to resume, run the same command with"
        " --resume"
    )
    return None


def check_folder(folder: Path, resume: bool, best: bool = False) -> str:
    """ "new", "stopped" or "finished"; with `best` no step will be taken.  Wrong when writing there
    could lose something."""
    from engine.storage.run_folder import CHECKPOINT, NOTE, UNBEGUN, UNKEPT
    from engine.training import status

    if folder.exists() and not folder.is_dir():
        raise Wrong(f"{folder} is a file; choose another --out")
    names = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    left = {name for name in names if not name.endswith(".part")}
    last = status.read(folder)
    if last and last.alive and last.pid != os.getpid():
        raise Wrong(
            f"another process is training in {folder}; wait for it, or choose another --out"
        )
    if NOTE in names:
        if not resume:
            raise Wrong(f"{folder} holds a finished run; choose another --out")
        return "finished"
    if CHECKPOINT in names:
        if not resume:
            raise Wrong(
                f"{folder} holds a stopped run; add --resume to continue it, or choose another"
                " --out"
            )
        return "stopped"
    if left and not (resume and left <= UNKEPT):
        raise Wrong(f"{folder} is not empty; choose a new folder as --out")
    if resume and not best and left - UNBEGUN:
        say(f"there is no checkpoint in {folder}; starting from the beginning")
    return "new"


def finished_note(folder: Path) -> Mapping[str, Any]:
    from engine.runs.store import RunStore

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
    folder: Path, recipe: Any, text: str, *, tensorboard: bool = False, **how: Any
) -> Mapping[str, Any] | None:
    """Train with a bar on standard error and return what run.json says; None when it was asked to
    end before there was a run.

    `how` are the settings of engine/training/fit.py.
    """
    from engine.storage.run_folder import NOTE
    from engine.training.fit import fit as train

    reports: Any = train(folder, recipe, text, **how)
    if tensorboard:
        from engine.training.tensorboard import written

        reports = written(folder, reports)
    first = next(reports)
    for said in first.notes.values():
        say(said)
    for _ in progress(_from(first, reports), first.total, "step", note, start=first.step - 1):
        pass
    sys.stderr.flush()
    return finished_note(folder) if (folder / NOTE).is_file() else None


def _from(first: Any, rest: Any) -> Any:
    yield first
    yield from rest


def note(report: Any) -> str:
    """The numbers of one report that say how it goes."""
    return ", ".join(
        f"{k} {v:.3g}" for k, v in report.metrics.items() if "nats" in k or "bits" in k
    )


def summary(note: Mapping[str, Any]) -> dict[str, Any]:
    names = (
        "model",
        "recipe",
        "seed",
        "device",
        "steps",
        "seconds",
        "config",
        "corpus",
        "held_out",
    )
    return {name: note.get(name) for name in names}


COMMAND = Command(
    30,
    "train a model",
    HELP,
    options,
    run,
    stopped="; the same command with --resume goes on from the last checkpoint",
)
