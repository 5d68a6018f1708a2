"""`python -m engine`: the command line.  Results on standard output, progress on standard error.

Exit status 0; 2 with one line that says what was wrong and what to do; 130 after Ctrl-C.
UNROLLED_DEBUG=1 shows where an error came from.
"""

from __future__ import annotations

import errno
import os
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from io import TextIOWrapper

from engine import __version__
from engine.cli.console import Parser, Wrong, print_json, say
from engine.core import registry, runtime
from engine.storage.files import explain_error as disk_said
from engine.storage.files import is_full


def parser() -> Parser:
    top = Parser(
        prog="python -m engine",
        description="Sequence models, from counting to attention, on the command line.",
    )
    top.add_argument("--version", action="version", version=f"Unrolled {__version__}")
    commands = top.add_subparsers(dest="name", required=True, metavar="COMMAND")
    for name in registry.commands.listed():
        command = registry.commands.get(name)
        made: Parser = commands.add_parser(
            name,
            help=command.says,
            description=command.help,
            formatter_class=RawDescriptionHelpFormatter,
        )
        command.options(made)
        made.set_defaults(command=command)
        made.add_argument(
            "--json", action="store_true", help="print one JSON object and nothing else"
        )
    return top


def main(arguments: Sequence[str] | None = None, raised: tuple[type[Exception], ...] = ()) -> int:
    """Run one command and return its exit status; errors of these kinds are `raised`."""
    runtime.before_torch()
    # a terminal that lacks a sign shows "?" instead of ending the program
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    resume = ""
    try:
        args = parser().parse_args(
            [_text(a) for a in (sys.argv[1:] if arguments is None else arguments)]
        )
        resume = args.command.stopped
        result = args.command.run(args)
        if result is not None:
            print_json(result)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print(f"\nstopped{resume}", file=sys.stderr)
        return 130
    except Exception as error:
        if isinstance(error, raised) or os.environ.get("UNROLLED_DEBUG"):
            raise
        say(f"error: {_one_line(error)}")
        return 2
    return 0


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.errno != errno.ENOMEM:
        if is_full(error):
            return disk_said(error)
        said = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        return f"{said}; check the name, the rights and the free space"
    if (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, ImportError) and "map segment" in str(error))
    ):  # a library that no longer fits
        return "not enough memory; take less text, a smaller vocabulary or a smaller model"
    said = " ".join(str(error.args[0] if error.args else error).split())
    if isinstance(error, Wrong | ValueError | LookupError) and said:
        return said
    return (
        f"{type(error).__name__}: {said or 'no message'}; this is a mistake in Unrolled,"
        " UNROLLED_DEBUG=1 shows where"
    )


def _text(argument: str) -> str:
    """Bytes of the command line that are no UTF-8 become a replacement sign, as in a file."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
