"""What the commands share: how a result, a number, a problem and progress reach the terminal."""

from __future__ import annotations

import ast
import json
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from engine.models.base import Model
    from engine.runs.store import Run

T = TypeVar("T")


class Wrong(Exception):
    """A request that can't be met; its message is one sentence: what was wrong and what to do."""


class Parser(ArgumentParser):
    """argparse, but a mistake is one line; and the arguments that many commands take."""

    def takes_run(self) -> None:
        self.add_argument("id", metavar="RUN", help="a run's id or folder")

    def takes_texts(self, help: str = "a file, FILE:COLUMN of a table, or a corpus's id") -> None:
        self.add_argument("--text", action="append", required=True, metavar="FILE", help=help)

    def error(self, message: str) -> NoReturn:
        raise Wrong(f"{message}; see `{self.prog} --help`")


@dataclass(frozen=True, slots=True)
class Command:
    """
    rank      its place in `--help`
    says      what stands beside its name there
    help      its own `--help`, as it is written
    options   declares its arguments
    run       gives what `--json` prints, or None when it has printed everything itself
    stopped   what is said after Ctrl-C
    """

    rank: int
    says: str
    help: str
    options: Callable[[Parser], None]
    run: Callable[[Namespace], dict[str, Any] | None]
    stopped: str = ""


def number(kind: Callable[[str], T], least: float, most: float = math.inf) -> Callable[[str], T]:
    """An argparse type: a number within [least, most]."""

    def read(text: str) -> T:
        try:
            value = kind(text)
            inside = least <= float(value) <= most  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            inside = False
        if not inside:
            upto = "" if most == math.inf else f" and at most {most:g}"
            raise ArgumentTypeError(
                f"{text!r} is not a {'whole ' * (kind is int)}number of at least {least:g}{upto}"
            )
        return value

    return read


def first_line(file: Path) -> str:
    """Of its docstring; nothing is imported."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def say(line: str) -> None:
    """To standard error: progress and notes."""
    print(harmless(line), file=sys.stderr, flush=True)


def tell(line: str) -> None:
    """To standard output: what came of a command, with names of files, runs and words in it."""
    print(harmless(line))


def table(rows: Iterable[Iterable[object]], head: Iterable[str], right: Iterable[int] = ()) -> str:
    """Rows as columns of text; `right` are the columns set flush right."""
    cells = [[harmless(str(c)) for c in line] for line in (head, *rows)]
    width = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    flush = set(right)
    lines = (
        "  ".join(
            c.rjust(w) if i in flush else c.ljust(w)
            for i, (c, w) in enumerate(zip(line, width, strict=True))
        )
        for line in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def harmless(said: str) -> str:
    """Without signs that would steer the terminal or turn the text around."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in said
    )


def visible(token: str) -> str:
    """A token as the eye can tell it: spaces, line ends and control characters are shown."""
    shown = "".join(
        c if c.isprintable() and c != "\N{NO-BREAK SPACE}" else f"\\u{ord(c):04x}"
        for c in token.replace("\n", "⏎")
    )
    return shown.replace(" ", "·") or "''"


def plain(value: Any) -> Any:
    """The same value as JSON knows it: numpy becomes Python, what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def print_json(value: Mapping[str, Any]) -> None:
    wide = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    print(json.dumps(plain(value), ensure_ascii=not wide, allow_nan=False))


def progress(
    items: Iterable[T],
    total: int | None,
    unit: str,
    note: Callable[[T], str] | None = None,
    start: int = 0,
) -> Iterator[T]:
    """The same items, with a bar on standard error; where that is no terminal, a line now and
    then."""
    from tqdm import tqdm

    live = sys.stderr.isatty()
    with tqdm(
        total=total,
        initial=start,
        unit=unit,
        file=sys.stderr,
        mininterval=0.2 if live else 20,
        dynamic_ncols=live,
    ) as bar:
        for item in items:
            if note:
                bar.set_postfix_str(note(item), refresh=False)
            bar.update()
            yield item


@contextmanager
def shares() -> Iterator[Callable[[float, str], None]]:
    """For a function to tell which share of what it does is done: a line for each thing that it
    does, and a bar on standard error under those that take their time; where that is no terminal,
    the bar is a line now and then."""
    from tqdm import tqdm

    live, last = sys.stderr.isatty(), ""
    with ExitStack() as stack:
        bar: Any = None

        def tell(share: float, what: str) -> None:
            nonlocal last, bar
            if bar is not None:
                bar.update(100 * min(1.0, share) - bar.n)
                if share >= 1:
                    stack.close()
                    bar = None
            if what != last:
                last = what
                say(what)
            if bar is None and share < 1:
                bar = stack.enter_context(
                    tqdm(
                        total=100,
                        file=sys.stderr,
                        mininterval=0.2 if live else 20,
                        dynamic_ncols=live,
                        bar_format="{l_bar}{bar}| {elapsed}",
                    )
                )
                bar.update(100 * share)

        yield tell


def open_run(name: str, needs: str | None = None) -> tuple[Run, Model[Any]]:
    """(run, model) by the id or the folder of a run, with the field `needs` promised."""
    from engine.runs.store import RunStore

    store = RunStore()
    run = store.find(name)
    model = store.load(run)
    if needs:
        demand(run, model, needs)
    return run, model


def demand(run: Run, model: Model[Any], field: str) -> None:
    """Wrong where the model does not promise the field."""
    if field not in [spec.name for spec in model.spec()]:
        raise Wrong(
            f"the run {run.id!r} is a {run.model} model, which gives no {field}; choose a run of"
            " a language model"
        )


def read_text(sources: Iterable[str], test: bool = False) -> str:
    """Files and corpora, one behind the other; what was done to each is noted on standard error.

    test  whether the test part of a stored corpus may be read, as ID:test
    """
    texts = []
    for source in sources:
        text, notes = _read_one(source, test)
        for note in notes:
            say(f"{source}: {note}")
        texts.append(text if text.endswith("\n") or not text else text + "\n")
    joined = "".join(texts)
    if not joined.strip():
        raise Wrong(
            f"there is no text in {', '.join(sources)}; give a file with some lines of text"
        )
    return joined


def _read_one(source: str, test: bool) -> tuple[str, list[str]]:
    """A file that is there, then FILE:COLUMN, then the id of a corpus, then ID:PART."""
    from engine.text import documents

    path, column = Path(source), ""
    if not path.exists() and ":" in source:
        before, _, after = source.rpartition(":")
        if Path(before).is_file():
            path, column = Path(before), after
    if path.is_dir():
        raise Wrong(f"{source} is a folder; give a text file, or several with one --text each")
    if not path.exists():
        return _corpus(source, test), []
    try:
        pieces = documents.read(path.name, path, (column,) if column else None)
    except ValueError as error:
        hint = f", as {source}:COLUMN" if "which one is the text" in str(error) else ""
        raise Wrong(f"{source}: {error}{hint}") from error
    notes = [
        f"{piece.name}: {note}" if len(pieces) > 1 else note
        for piece in pieces
        for note in piece.notes
    ]
    return (
        "".join(piece.text if piece.text.endswith("\n") else f"{piece.text}\n" for piece in pieces),
        notes,
    )


def _corpus(source: str, test: bool) -> str:
    from engine.text import collection

    id, _, part = source.partition(":")
    try:
        corpus = collection.find(id)
    except LookupError:
        known = ", ".join(c.id for c in collection.list_all())
        raise Wrong(
            f"there is no file {source}; give a file, or one of the corpora {known}"
        ) from None
    if not part:
        return corpus.text()
    if not isinstance(corpus, collection.Stored):
        raise Wrong(f"the built-in text {id} has no parts; write --text {id}")
    if part == "test" and not test:
        raise Wrong(
            f"the test part of {id} is kept for `score`; write --text {id}, which leaves it out"
        )
    return corpus.part(part)
