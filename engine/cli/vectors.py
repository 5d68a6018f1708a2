"""`vectors`: how good a run's word vectors are, and the vectors as a file for other programs."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, open_run, say, table, tell

HELP = """\
Measure word vectors on tests that you have as files, or write them for other programs.  Analogies:
four words a line under lines ": section" (questions-words.txt).  Similarity: two words and a score
a line (WordSim-353, SimLex-999, MEN); the name of the file becomes the name of the test.

--json: {"run", "among", "analogies": {"asked", "known", "right", "honest", "sections": [{"name",
         "asked", "known", "right", "honest"}]} or null, "similarity": [{"name", "pairs", "known",
         "spearman"}], "saved"}; `known` have all their words among the vectors, `right` leaves the
         three words of the question out, `honest` nothing; null where nothing can be computed.
"""
FORMATS = ("word2vec", "binary", "glove")


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument("--analogies", type=Path, metavar="FILE", help="a file of analogies")
    command.add_argument(
        "--similarity",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a file of word pairs; may be given again",
    )
    command.add_argument(
        "--among",
        type=number(int, 1),
        default=30_000,
        metavar="N",
        help="analogies are sought among the N commonest words (30000)",
    )
    command.add_argument(
        "--keep", action="store_true", help="keep the results beside the run, for its page"
    )
    command.add_argument("--save", type=Path, metavar="FILE", help="write the vectors to a file")
    command.add_argument(
        "--format", choices=FORMATS, default="word2vec", help="how to write them (word2vec text)"
    )


def run(args: Namespace) -> dict[str, Any] | None:
    if not (args.analogies or args.similarity or args.save):
        raise Wrong(
            "there is nothing to do; give --analogies FILE, --similarity FILE or --save FILE"
        )
    from engine.models.abilities import Knows

    run, model = open_run(args.id, needs="neighbours")
    if not isinstance(model, Knows):
        raise Wrong(f"the run {run.id!r} is a {run.model} model, which has no word vectors")
    found = measured(model.space, args)
    result = {"run": run.id, **found, "saved": args.save}
    if args.keep:
        from engine.vectors import results

        results.keep_results(run.folder, found)
    if args.save:
        from engine.vectors import files

        files.save(args.save, model.space, args.format)
    if args.json:
        return result
    print_result(result)
    return None


def measured(space: Any, args: Namespace) -> dict[str, Any]:
    """The results as JSON has them."""
    from engine.vectors import evaluate

    analogies = None
    if args.analogies:
        say(f"answering {args.analogies.name}")
        sections = [
            asdict(s)
            for s in evaluate.analogies(
                space, _read(args.analogies, evaluate.read_questions), args.among
            )
        ]
        analogies = {
            name: sum(s[name] for s in sections) for name in ("asked", "known", "right", "honest")
        } | {"sections": sections}
    pairs = [
        asdict(evaluate.likeness(space, path.stem, _read(path, evaluate.read_pairs)))
        for path in args.similarity
    ]
    return {"among": min(args.among, len(space)), "analogies": analogies, "similarity": pairs}


def _read(path: Path, read: Any) -> Any:
    from engine.vectors import evaluate

    try:
        return read(evaluate.read_file(path))
    except ValueError as error:
        raise Wrong(f"{path}: {error}") from error


def print_result(result: dict[str, Any]) -> None:
    if found := result["analogies"]:
        rows = [*found["sections"], {"name": "all", **found}]
        cells = [
            (
                r["name"],
                f"{r['known']:,} of {r['asked']:,}",
                _share(r["right"], r["known"]),
                _share(r["honest"], r["known"]),
            )
            for r in rows
        ]
        tell(
            table(
                cells,
                ("analogies", "known", "right", "right with nothing left out"),
                right=(1, 2, 3),
            )
        )
    if found := result["similarity"]:
        pairs = [
            (
                r["name"],
                f"{r['known']:,} of {r['pairs']:,}",
                "none" if r["spearman"] is None else f"{r['spearman']:.3f}",
            )
            for r in found
        ]
        tell(table(pairs, ("similarity", "known", "Spearman"), right=(1, 2)))
    if result["saved"]:
        tell(f"written to {result['saved']}")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none known"


COMMAND = Command(160, "test word vectors, or write them to a file", HELP, options, run)
