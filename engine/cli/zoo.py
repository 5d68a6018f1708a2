"""`zoo`: train the shipped runs again, and measure them."""

from __future__ import annotations

import os
import re
import shutil
from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.console import Command, Parser, Wrong, number, read_text, say
from engine.cli.train import finished_note, fit, pick_device, summary

if TYPE_CHECKING:
    from engine.runs.store import Recipe
    from engine.shipped.recipes import Entry

HELP = """\
Train the shipped runs again.  What is finished with the same recipe is left alone, what was stopped
goes on; a run that was finished with other settings or another text is only made anew, in its
place, when it is named.

--data is a folder with the collections that they learned from, as they can be downloaded:
         novels.tar.xz, simplewiki.txt.xz,
ud_ewt/, movie_reviews.zip (engine/shipped/sources says of each where it is and what it becomes).
--text is a text of your own instead.
--table trains nothing: it measures the runs on text that they never saw and writes measured.json
         and the table of README.md;
without --data it writes them from what was measured before.  --write puts the texts themselves into
a folder.

--json: {"runs": [{"run", "folder", "model", "recipe", "steps", "seconds", "held_out", ...}]}; with
         --table {"table", "measured", "left"}; with --write {"written"}
"""
START = "start"  # folder, in that of a run, of the one that it goes on from
Text = tuple[str, dict[str, Any]]  # and what run.json shall say of it


def options(command: Parser) -> None:
    command.add_argument(
        "names", nargs="*", metavar="NAME", help="runs to make; all when none is named"
    )
    command.add_argument("--data", type=Path, metavar="DIR", help="the folder with the collections")
    command.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="FILE",
        help="a text file or a built-in text; may be repeated",
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="the folder of the runs (assets/runs)"
    )
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    command.add_argument(
        "--table", action="store_true", help="measure the runs that are there and write the table"
    )
    command.add_argument(
        "--most",
        type=number(int, 1000),
        default=1_000_000,
        metavar="N",
        help="with --table: read N characters at most (1000000)",
    )
    command.add_argument(
        "--write",
        type=Path,
        metavar="DIR",
        help="write the texts that the runs learn from, and those kept back",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.core.registry import models
    from engine.runs.store import SHIPPED
    from engine.shipped.recipes import ZOO

    if unknown := [name for name in args.names if name not in ZOO]:
        raise Wrong(f"no run {unknown[0]!r} in the zoo; there are {', '.join(ZOO)}")
    if args.data is not None and (args.text or not args.data.is_dir()):
        raise Wrong(
            "give --data or --text, not both"
            if args.text
            else f"{args.data} is no folder; --data is the one with the collections"
        )
    if missing := [name for name in args.names if ZOO[name].model not in models.ids()]:
        raise Wrong(
            f"{missing[0]} needs the model {ZOO[missing[0]].model!r}, which is not here; there are"
            f" {', '.join(models.ids())}"
        )
    args.out = args.out or SHIPPED
    if args.table:
        from engine.cli import zootable

        return zootable.run(args, text_of(args))
    names = args.names or [name for name, entry in ZOO.items() if entry.model in models.ids()]
    if args.write:
        return _write(args, names)
    text = text_of(args)
    made = [_make(name, args, text) for name in _makeable(names, args)]
    if args.json:
        return {"runs": made}
    for each in made:
        print(f"{each['run']}: {each['folder']}")
    return None


def text_of(args: Namespace) -> Callable[[str], Text]:
    """The text that a run of the zoo learns from, by the run's name; the last one is kept, as the
    next run may want it too."""
    from engine.shipped.recipes import ZOO
    from engine.shipped.sources.base import find

    @lru_cache(maxsize=1)
    def read(id: str, characters: int) -> Text:
        if args.text:
            return read_text(args.text), {"texts": [Path(file).name for file in args.text]}
        source = find(id)
        say(f"reading {source.title}")
        return source.text(args.data, characters), {"corpus": source.facts}

    return lambda name: read("", 0) if args.text else read(ZOO[name].source, ZOO[name].characters)


def _makeable(names: list[str], args: Namespace) -> list[str]:
    """Those whose text is there, one text after the other; what is left out is said.  Wrong where a
    run was named, or none is left."""
    from engine.shipped.recipes import ZOO
    from engine.shipped.sources.base import find

    if args.text:
        left = [] if args.names else [name for name in names if ZOO[name].text]
        why = "they need texts of their own; name one to make it"
    else:
        problems = {}
        for name in names:
            try:
                find(ZOO[name].source).found(args.data)
            except LookupError as problem:
                problems[name] = str(problem.args[0])
        left, why = list(problems), next(iter(problems.values()), "")
        if problems and (args.names or len(left) == len(names) or args.data is None):
            raise Wrong(why)
    if left:
        say(f"left out: {', '.join(left)}; {why}")
    return sorted(
        (name for name in names if name not in left),
        key=lambda name: (ZOO[name].source, ZOO[name].characters),
    )


def _write(args: Namespace, names: list[str]) -> dict[str, Any] | None:
    from engine.shipped.recipes import ZOO
    from engine.shipped.sources.base import find
    from engine.storage.files import write_bytes

    args.write.mkdir(parents=True, exist_ok=True)
    written = []
    for id, characters in sorted(
        {(ZOO[name].source, ZOO[name].characters) for name in _makeable(names, args)}
    ):
        source, stem = find(id), f"{id}_{characters}" if characters else id
        texts = {stem: source.text(args.data, characters)} | {
            re.sub(r"\W+", "_", f"{id} {name}"): text
            for name, text in source.unseen(args.data).items()
        }
        for name, text in texts.items():
            write_bytes(path := args.write / f"{name}.txt", text.encode())
            written.append(str(path))
    if args.json:
        return {"written": written}
    print("\n".join(written))
    return None


def _make(name: str, args: Namespace, text_of: Callable[[str], Text]) -> dict[str, Any]:
    from engine.runs.store import RunStore, digest
    from engine.shipped.recipes import ZOO
    from engine.storage.run_folder import NOTE
    from engine.training.slim import slim
    from engine.vectors.probes import count_probes

    text, facts = text_of(name)
    entry, folder, device = ZOO[name], args.out / name, pick_device(args.device)
    facts = {"title": entry.title, **({"look": dict(entry.look)} if entry.look else {}), **facts}
    if _finished(folder, recipe_of(entry, digest(text))):
        say(f"{name}: finished already")
    elif (folder / NOTE).is_file() and not args.names:
        say(
            f"{name}: left as it is, finished with other settings or another text; name it to make"
            " it anew"
        )
        return {"run": name, "folder": str(folder.resolve()), **summary(finished_note(folder))}
    else:
        _train(name, entry, folder, text, device, facts)
    shutil.rmtree(folder / START, ignore_errors=True)
    if entry.probes and "probes" not in finished_note(folder):
        store = RunStore(folder.parent)
        model = store.load(store.find(name))
        from engine.models.wordspace import WordSpace

        assert isinstance(model, WordSpace)
        facts["probes"] = count_probes(model, text, entry.seed)
    slim(folder, facts)
    note = finished_note(folder)
    return {"run": name, "folder": str(folder.resolve()), **summary(note)}


def recipe_of(entry: Entry, corpus: str) -> Recipe:
    """`corpus`: digest of its text."""
    from engine.core.registry import models
    from engine.runs.store import Recipe

    start = recipe_of(entry.start, corpus).key if entry.start else ""
    return Recipe(
        entry.model,
        models.get(entry.model).config_type(**entry.settings),
        corpus,
        entry.seed,
        start,
    )


def _finished(folder: Path, recipe: Recipe) -> Mapping[str, Any] | None:
    """What the run.json says of a run that is there with this recipe."""
    from engine.storage.run_folder import NOTE

    note = finished_note(folder) if (folder / NOTE).is_file() else None
    return note if note and note["recipe"] == recipe.key else None


def _train(
    name: str, entry: Entry, folder: Path, text: str, device: str, facts: Mapping[str, Any]
) -> Mapping[str, Any]:
    """To its end, where it is not there, after the run that it goes on from, which stays in its
    folder; what its run.json says."""
    from engine.runs.store import RunStore, digest
    from engine.storage.arrays import read_arrays
    from engine.storage.run_folder import CHECKPOINT, HISTORY

    recipe, state, first, start = (
        recipe_of(entry, digest(text)),
        folder / CHECKPOINT,
        folder / START,
        None,
    )
    if note := _finished(folder, recipe):
        return note
    if entry.start:
        before = _train(f"{name}, its start", entry.start, first, text, device, facts)
        facts = {**facts, "before": {key: before[key] for key in ("recipe", "steps", "seconds")}}
        begun = (store := RunStore(folder)).load(store.find(START))
        from engine.models.abilities import GoesOn

        assert isinstance(begun, GoesOn)
        start = begun.opened()
    say(f"{name}: training")
    # a checkpoint of an older recipe is of no use: the zoo says what its runs are
    resume = state.is_file() and bytes(read_arrays(state)["recipe"]) == recipe.key.encode()
    if start and not resume:
        shutil.copy(first / HISTORY, folder / HISTORY)
    made = fit(
        folder,
        recipe,
        text,
        device=device,
        resume=resume,
        start=start,
        numbers=entry.numbers,
        snapshots=entry.snapshots,
        facts={**facts, **_machine(device)},
    )
    if made is None:
        raise Wrong(f"{name} was asked to stop before it was done; the same command goes on")
    return made


def _machine(device: str) -> dict[str, Any]:
    if device == "cpu":
        return {"threads": int(os.environ.get("UNROLLED_THREADS", os.cpu_count() or 1))}
    import torch

    return {"gpu": torch.cuda.get_device_name()}


COMMAND = Command(
    180,
    "train the shipped runs again",
    HELP,
    options,
    run,
    stopped="; the same command goes on from the last checkpoint",
)
