"""`corpora`: a person's own corpora: list, add, delete."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, progress, say, table

HELP = """\
Your own corpora.  `train --text ID` and `score --text ID` read one by its id; `score --text
ID:test` reads its test part.

  corpora                       list them, the built-in ones too
  corpora add FILE ...          store the text of files: .txt .csv .html .docx .pdf .epub .zip and
                                 whatever else the page takes
  corpora add --hub OWNER/NAME  store a data set of the Hugging Face hub, or of a folder (needs `pip
                                 install datasets`)
  corpora delete ID ...

Of a table say which columns are meant: --columns text, or --columns label,text with --kind labelled
(a label and a text), parallel (a text and its translation; two files line by line do too) or tagged
(words and their tags).  In JSON and Parquet a path leads into nested cells: --columns meta.text, or
--columns 'messages[].content' for all that a list has.

--json: {"corpora": [{"id", "name", "kind", "built_in", "folder", "about"}]}: all, those added, or
         those deleted; `about` is null for built-in ones, else what about.json says: source,
         size_bytes, characters, words, sentences, passages, language, seed, notes ...
"""


def options(command: Parser) -> None:
    command.add_argument("what", nargs="?", choices=("list", "add", "delete"), default="list")
    command.add_argument(
        "names", nargs="*", metavar="FILE or ID", help="files to add, or ids to delete"
    )
    command.add_argument("--name", help="the name of the new corpus (that of the first file)")
    command.add_argument(
        "--kind", choices=("text", "labelled", "parallel", "tagged"), default="text"
    )
    command.add_argument("--columns", metavar="A,B", help="columns of a table, by name")
    command.add_argument(
        "--hub", metavar="NAME", help="a data set of the hub, or a folder, instead of files"
    )
    command.add_argument(
        "--seed",
        type=number(int, 0, 2**31 - 1),
        default=0,
        help="seed of the split into training, validation and test (0)",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.text.collection import Stored

    found = {"list": _list, "add": _add, "delete": _delete}[args.what](args)
    if args.json:
        return {"corpora": [_row(corpus) for corpus in found]}
    rows = [
        (c.id, kind, c.title, f"{c.about['words']:,}" if isinstance(c, Stored) else "built in")
        for c, kind in _kinds(found)
    ]
    print(table(rows, ("id", "kind", "name", "words"), right=(3,)) if rows else "no corpora")
    return None


def _list(args: Namespace) -> list[Any]:
    from engine.text import collection as library

    if args.names:
        raise Wrong(
            "`corpora list` takes no names; write `corpora add FILE` or `corpora delete ID`"
        )
    return library.list_all()


def _add(args: Namespace) -> list[Any]:
    from engine.text import collection as library
    from engine.text.collection import gather, hub

    columns = [c.strip() for c in args.columns.split(",") if c.strip()] if args.columns else None
    if bool(args.names) == bool(args.hub):
        raise Wrong("give files to add, or --hub NAME")
    if args.hub:
        place = Path(args.hub)
        piece = hub.load(place if place.is_dir() else args.hub, columns)
        found, first = gather.piece(piece, args.kind, args.hub), place.name
    else:
        paths = [Path(name) for name in args.names]
        for path in paths:
            if not path.is_file():
                raise Wrong(f"there is no file {path}; give a file with a text")
        found = gather.gather(
            [(path.name, path) for path in progress(paths, len(paths), "file")], args.kind, columns
        )
        first = paths[0].stem
    for note in found.notes:
        say(note)
    return [
        library.Library().add(
            found.content,
            args.name or first,
            source=found.source,
            kind=args.kind,
            notes=found.notes,
            seed=args.seed,
        )
    ]


def _delete(args: Namespace) -> list[Any]:
    from engine.text import collection as library

    if not args.names:
        raise Wrong("name the corpus to delete: `corpora delete ID`")
    store = library.Library()
    gone = [store.find(id) for id in dict.fromkeys(args.names)]
    for corpus in gone:
        store.delete(corpus.id)
    return gone


def _kinds(found: list[Any]) -> list[tuple[Any, str]]:
    from engine.text import collection as library

    return [(corpus, library.kind_of(corpus)) for corpus in found]


def _row(corpus: Any) -> dict[str, Any]:
    [(_, kind)] = _kinds([corpus])
    from engine.text.collection import Stored

    stored = corpus if isinstance(corpus, Stored) else None
    return {
        "id": corpus.id,
        "name": corpus.title,
        "kind": kind,
        "built_in": stored is None,
        "folder": stored and stored.folder,
        "about": stored and stored.about,
    }


COMMAND = Command(20, "your own corpora", HELP, options, run)
