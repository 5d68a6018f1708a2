"""`language`: what a language of the app lacks, and taking translations in."""

from __future__ import annotations

import io
import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, say

HELP = """\
The sentences of the app in another language, the gettext file assets/language/ID.po, brought up to
date with the source: new sentences are there without a translation, and what the source no longer
has is gone.  Any translators' tool opens it.  A language is offered on the pages as soon as nothing
is missing; before that UNROLLED_LANGUAGES=all shows it.

  language de --take FILE ...   take translations from JSON files of {English: German}

In a sentence {0}, {n:,} ... are filled by the program: each has to be there once, in any order.
Markdown, code, formulas and line ends stay.

--json: {"language", "sentences", "missing": [sentence], "taken", "refused": [{"en", "said", "lost"}]}
"""

# without dates, which would differ with each run
HEADER = """\
msgid ""
msgstr ""
"Language: {id}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""


def options(command: Parser) -> None:
    command.add_argument("id", metavar="ID", help="two letters: de, es, fr ...")
    command.add_argument("--take", nargs="+", metavar="FILE", help="translations to take")


def run(args: Namespace) -> dict[str, Any] | None:
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po

    from engine.language.catalogue import ENGLISH, FOLDER, faults, read
    from engine.language.source import sentences
    from engine.storage.files import write_bytes

    if not args.id.isalpha() or not args.id.islower() or args.id == ENGLISH:
        raise Wrong(f"{args.id!r} is no language to translate into; give its two letters, as de")
    path, source = FOLDER / f"{args.id}.po", sentences()
    had = read(path) if path.is_file() else {}
    said = {english: words for english, words in had.items() if english in source}
    before, refused = len(said), list[dict[str, Any]]()
    for file in args.take or ():
        for english, translation in _translations(Path(file)).items():
            if english not in source:
                continue
            if lost := [*faults(english, translation)] if translation.strip() else ["all"]:
                refused.append({"en": english, "said": translation, "lost": lost})
            else:
                said[english] = translation
    made = Catalog(locale=args.id)
    for english, place in source.items():
        made.add(english, said.get(english, ""), [(place.rpartition(":")[0], 0)])
    for message in made:
        message.flags.clear()  # a "%" in a sentence is no place of C's printf
    into = io.BytesIO()
    write_po(into, made, width=100, omit_header=True, include_lineno=False)
    FOLDER.mkdir(exist_ok=True)
    write_bytes(path, HEADER.format(id=args.id).encode() + into.getvalue())
    missing = [text for text in source if text not in said]
    told = {
        "language": args.id,
        "sentences": len(source),
        "missing": missing,
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
