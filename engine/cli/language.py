"""`language`: what a language of the app lacks, and taking translations in."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, say

HELP = """\
The sentences of the app in another language, assets/language/ID.json.  Alone it says how many there
are and how many are missing.  A language is offered on the pages as soon as none is missing; before
that UNROLLED_LANGUAGES=all shows it.

  language de --out DIR         write what is missing to DIR/000.json ...: [{"en", "where"}]
  language de --take FILE ...   take translations from files of {English: German}

In a sentence {0}, {1} ... are filled by the program: each has to be there once, in any order.
Markdown, code, formulas and line ends stay.  What is taken and no longer in the source is dropped.

--json: {"language", "sentences", "missing", "taken", "refused": [{"en", "said", "lost"}]}
"""


def options(command: Parser) -> None:
    command.add_argument("id", metavar="ID", help="two letters: de, es, fr ...")
    command.add_argument("--name", help="how its speakers call it, for the switch")
    command.add_argument("--out", metavar="DIR", help="folder for what is missing")
    command.add_argument(
        "--chunk", type=number(int, 1), default=120, help="sentences in one of its files (120)"
    )
    command.add_argument("--take", nargs="+", metavar="FILE", help="translations to take")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.language.catalogue import ENGLISH, FOLDER, faults
    from engine.language.source import sentences
    from engine.storage.files import write_bytes

    if not args.id.isalpha() or not args.id.islower() or args.id == ENGLISH:
        raise Wrong(f"{args.id!r} is no language to translate into; give its two letters, as de")
    path, source = FOLDER / f"{args.id}.json", sentences()
    had = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    said: dict[str, str] = {k: v for k, v in had.get("said", {}).items() if k in source}
    before, refused = len(said), list[dict[str, Any]]()
    for file in args.take or ():
        for english, translation in _translations(Path(file)).items():
            if english not in source:
                continue
            if lost := [*faults(english, translation)] if translation.strip() else ["all"]:
                refused.append({"en": english, "said": translation, "lost": lost})
            else:
                said[english] = translation
    if args.take:
        name = args.name or had.get("language") or args.id
        found = {
            "language": name,
            "of": len(source),
            "said": {k: said[k] for k in source if k in said},
        }
        FOLDER.mkdir(exist_ok=True)
        write_bytes(path, json.dumps(found, ensure_ascii=False, indent=0).encode() + b"\n")
    missing = [{"en": text, "where": place} for text, place in source.items() if text not in said]
    if args.out:
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        for n in range(0, len(missing), args.chunk):
            part = json.dumps(missing[n : n + args.chunk], ensure_ascii=False, indent=0)
            (folder / f"{n // args.chunk:03}.json").write_text(part, encoding="utf-8")
    told = {
        "language": args.id,
        "sentences": len(source),
        "missing": len(missing),
        "taken": len(said) - before,
        "refused": refused,
    }
    if args.json:
        return told
    for one in refused:
        say(f"refused, {' and '.join(one['lost'])} differ: {one['en'][:100]!r}")
    print(f"{len(source):,} sentences, {len(missing):,} missing in {args.id}")
    return None


def _translations(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Wrong(f"{file} can't be read as JSON: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise Wrong(f"{file} is no object of sentences and their translations")
    return found


COMMAND = Command(95, "translate the app's sentences", HELP, options, run)
