"""Hub: a data set by its name on the Hugging Face hub, or one in a folder, as rows of the columns
that are asked for.

What      rows come one after the other and are never kept as a whole; reading stops at the size of
          the largest text that is stored
Source    Lhoest et al., Datasets: A Community Library for Natural Language Processing, 2021
Differs   A path into nested cells is a column, as in engine/text/documents/nested.py.  The package
          `datasets` is not needed for anything else, so who wants this installs it.  Data sets that
          bring code are refused by the package itself; nothing of them runs here.

    load("owner/name", columns=("text",))        needs a network; load(Path("my/folder")) does not
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from engine.language.message import _, refusal
from engine.text.documents import MOST_BYTES, Piece, Sheet, shorten_name
from engine.text.documents.table import Objects, chosen, sheet
from engine.text.paged import Spool

NAME = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?")
INSTALL = "the package `datasets` is not installed; install it with `pip install datasets`"
OFTEN = 1000


def load(
    name: str | Path,
    columns: Sequence[str] | None = None,
    *,
    config: str | None = None,
    part: str = "train",
    most_bytes: int = MOST_BYTES,
    progress: Callable[[float, str], None] = lambda share, what: None,
) -> Piece:
    """The texts of one column, or rows of several.  A `Path` is a folder, a `str` always a name on
    the hub.

    ValueError with one sentence: no such set, no network, no package, no text."""
    rows = _table(name, config, part)
    plain = [one for one in rows.names if "." not in one and "[" not in one]
    names = chosen(rows, columns or (plain if len(plain) == 1 else None))
    text, size, count = Spool(), 0, 0
    cut = False
    for n, cells in enumerate(rows.cells(names)):
        size += sum(map(len, cells))
        if size > most_bytes:
            cut = True
            break
        if any(cells):
            text.write("\t".join(cells) + "\n")
            count += 1
        if n % OFTEN == 0:
            progress(min(size / most_bytes, 1.0), _("reading row {n:,}", n=n + 1))
    if not count:
        raise ValueError("the chosen columns have no text")
    notes = [
        *rows.notes,
        _(
            "{count:,} rows of “{names}”, part {part}",
            count=count,
            names="” and “".join(names),
            part=part,
        ),
        *(
            [_("only the first {most_bytes:,.0f} MB were taken", most_bytes=most_bytes / 1000000.0)]
            if cut
            else []
        ),
    ]
    return Piece(shorten_name(str(name)), text.close(), "hub", tuple(notes), len(names))


def columns(name: str | Path, *, config: str | None = None, part: str = "train") -> Sheet:
    """The columns to choose from, with the first rows.  ValueError as `load`."""
    return sheet(_table(name, config, part))


def _table(name: str | Path, config: str | None, part: str) -> Objects:
    found = _open(name, config, part)
    return Objects(lambda wanted, most: islice(_rows(found, name), most or None))


def _open(name: str | Path, config: str | None, part: str) -> Any:
    if isinstance(name, Path):
        if not name.is_dir():
            raise refusal("there is no folder {name}; give one of .parquet or .jsonl files")
    elif not NAME.fullmatch(name) or Path(name).exists():
        # `load_dataset` would take a folder of that name for it
        raise refusal(
            "{name} is not the name of a data set; names look like owner/name", name=repr(name[:60])
        )
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import datasets
    except ImportError as error:
        raise ValueError(INSTALL) from error
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    try:
        if isinstance(name, str):
            from huggingface_hub import HfApi

            # says at once, without trying again and again, when there is no network or no such set
            HfApi().dataset_info(name, timeout=10)
        return datasets.load_dataset(
            str(name.resolve() if isinstance(name, Path) else name),
            config,
            split=part,
            streaming=True,
        )
    except Exception as error:  # of many kinds, by many packages
        raise ValueError(_sentence(error, str(name))) from error


def _rows(found: Any, name: str | Path) -> Iterator[dict[str, Any]]:
    try:
        yield from found
    except GeneratorExit:
        raise
    except Exception as error:
        raise ValueError(_sentence(error, str(name))) from error


def _sentence(error: Exception, name: str) -> str:
    said = " ".join(str(error).split())
    lost = (
        "connect",
        "offline",
        "reach",
        "resolve",
        "timed out",
        "timeout",
        "proxy",
        "max retries",
        "name or service",
    )
    if any(word in f"{type(error).__name__} {said}".lower() for word in lost):
        return (
            "the hub can't be reached; check the network, or fetch the .parquet or .jsonl files of"
            " the data set by hand and give those"
        )
    if "notfound" in type(error).__name__.lower():
        return _(
            "the hub has no data set {name}, or it asks for a login; check the name",
            name=repr(name[:60]),
        )
    return _(
        "the data set {name} can't be read: {value}",
        name=repr(name[:60]),
        value=said[:200] or type(error).__name__,
    )
