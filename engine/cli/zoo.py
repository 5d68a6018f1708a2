"""`zoo`: train the shipped runs again."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Wrong, new_command, read_text, say
from engine.cli.train import finished_note, fit, pick_device, summary

HELP = """\
Train the shipped runs again.  What is finished with the same recipe is left alone, what was stopped goes on.

--json: {"runs": [{"run", "folder", "model", "recipe", "steps", "seconds", "held_out", ...}]}
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "zoo", "train the shipped runs again", HELP)
    command.add_argument("names", nargs="*", metavar="NAME", help="runs to make; all when none is named")
    command.add_argument(
        "--text", action="append", required=True, metavar="FILE", help="a text file or a built-in text; may be repeated"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="the folder of the runs (assets/runs)")
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.registry import models
    from engine.runs import SHIPPED, digest
    from engine.zoo import ZOO

    unknown = [name for name in args.names if name not in ZOO]
    if unknown:
        raise Wrong(f"no run {unknown[0]!r} in the zoo; there are {', '.join(ZOO)}")
    names = args.names or [name for name, entry in ZOO.items() if entry.model in models.ids() and not entry.text]
    if left := [name for name, entry in ZOO.items() if entry.text] if not args.names else []:
        say(f"left out, as they need texts of their own: {', '.join(left)}; name one to make it")
    missing = [name for name in names if ZOO[name].model not in models.ids()]
    if missing:
        raise Wrong(
            f"{missing[0]} needs the model {ZOO[missing[0]].model!r}, which is not here; there are {', '.join(models.ids())}"
        )
    text = read_text(args.text)
    made = [_make(name, args, text, digest(text), args.out or SHIPPED) for name in names]
    if args.json:
        return {"runs": made}
    for each in made:
        print(f"{each['run']}: {each['folder']}")
    return None


def _make(name: str, args: Namespace, text: str, corpus: str, root: Path) -> dict[str, Any]:
    from engine.arrays import read_arrays
    from engine.registry import models
    from engine.runs import CHECKPOINT, NOTE, Recipe
    from engine.zoo import ZOO

    entry, folder = ZOO[name], root / name
    recipe = Recipe(entry.model, models.get(entry.model).config_type(**entry.settings), corpus, entry.seed)
    if (folder / NOTE).is_file() and (note := finished_note(folder))["recipe"] == recipe.key:
        say(f"{name}: finished already")
    else:
        say(f"{name}: training")
        state = folder / CHECKPOINT
        # a checkpoint of an older recipe is of no use: the zoo says what its runs are
        resume = state.is_file() and bytes(read_arrays(state)["recipe"]) == recipe.key.encode()
        facts = {"title": entry.title, "texts": [Path(source).name for source in args.text]}
        made = fit(folder, recipe, text, device=pick_device(args.device), resume=resume, half=entry.half, snapshots=entry.snapshots, facts=facts)
        if made is None:
            raise Wrong(f"{name} was asked to stop before it was done; the same command goes on")
        note = made
    return {"run": name, "folder": str(folder.resolve()), **summary(note)}
