"""`zoo --table`: measure the runs and write their table."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

from engine.cli.console import Wrong, say


def run(args: Namespace, text_of: Callable[[str], tuple[str, Any]]) -> dict[str, Any] | None:
    from engine.shipped import scoreboard
    from engine.shipped.recipes import ZOO

    runs = {found.id: found for found in scoreboard.shipped(args.out)}
    if not runs:
        raise Wrong(
            f"there is no finished run in {args.out}; name the folder of the runs with --out"
        )
    if absent := [name for name in args.names if name not in runs]:
        raise Wrong(f"{absent[0]} is not in {args.out}; make it first, without --table")
    before, done, left = scoreboard.read(args.out), list[str](), dict[str, str]()
    measured = {
        name: _known(found) | {"results": before.get(name, {}).get("results", [])}
        for name, found in runs.items()
    }
    wanted = args.names or [name for name in runs if not measured[name]["results"]]
    for name in sorted(
        wanted,
        key=lambda name: (ZOO[name].source, ZOO[name].characters) if name in ZOO else ("", 0),
    ):
        if name in ZOO and (args.data or args.text or not _needs_data(name)):
            measured[name]["results"], why = _results(runs[name], args, text_of)
            if why:
                left[name] = why
                say(f"{name}: {why}")
            else:
                done.append(name)
        scoreboard.write(args.out, measured)
    scoreboard.write(args.out, measured)
    table = str(args.out / scoreboard.README)
    if args.json:
        return {"table": table, "measured": done, "left": left}
    print(table)
    return None


def _needs_data(name: str) -> bool:
    from engine.shipped.recipes import ZOO
    from engine.shipped.sources.base import find

    return bool(find(ZOO[name].source).files)


def _known(run: Any) -> dict[str, Any]:
    """What can be said without a text."""
    from engine.runs.store import RunStore
    from engine.shipped import judging
    from engine.vectors import results

    vectors: Mapping[str, Any] = results.read_results(run.folder) or {}
    asked = (
        {name: vectors["analogies"][name] for name in ("known", "right")}
        if vectors.get("analogies")
        else None
    )
    tests = [
        {"name": test["name"], "spearman": round(test["spearman"], 4)}
        for test in vectors.get("similarity", ())
        if test["spearman"] is not None
    ]
    found = {"recipe": run.note["recipe"], **judging.size(run, RunStore().load(run))}
    return found | (
        {"vectors": {"among": vectors.get("among", 0), "analogies": asked, "similarity": tests}}
        if vectors
        else {}
    )


def _results(
    run: Any, args: Namespace, text_of: Callable[[str], tuple[str, Any]]
) -> tuple[list[dict[str, Any]], str]:
    """What was measured, and why nothing was."""
    from engine.runs.store import RunStore, digest
    from engine.shipped import judging
    from engine.shipped.recipes import ZOO
    from engine.shipped.sources.base import find

    try:
        text, _ = text_of(run.id)
        unseen = {} if args.text else find(ZOO[run.id].source).unseen(args.data)
    except LookupError as problem:
        return [], str(problem.args[0])
    if digest(text) != run.note["corpus"].get("digest"):
        return [], "not measured: it was made from another text than the zoo makes it from today"
    say(f"{run.id}: measuring")
    return judging.judge(run, RunStore().load(run), text, unseen, args.most), ""
