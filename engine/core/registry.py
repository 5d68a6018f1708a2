"""Registry: a folder is the list.  A file is found by its name and by the constant that it defines.

What      `models/lstm.py` defines MODEL, `views/heatmap.py` defines VIEW; a file of such a folder
          without the constant is something that several of them share.  Names are read from the
          files without importing them, so listing models does not import torch; `get` imports the
          one asked for.
          The folders named in the environment variable UNROLLED_MODELS (absolute paths, separated
          as in PATH) are searched for models too: a file my_model.py there that defines MODEL is a
          model like any other, on the command line, in the training room and in every process that
          either starts.  Every other folder of this kind has such a variable, named after it:
          UNROLLED_CELLS for recurrent cells, each of which is a language model as well,
          UNROLLED_OPTIMISERS, UNROLLED_DOCUMENTS ...  Only who starts Unrolled can set them, and a
          file in these folders runs with that person's rights.
Differs   A name that Unrolled has already stays Unrolled's own.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from engine import ROOT
from engine.language.message import refusal

if TYPE_CHECKING:
    from engine.analysis.listings.base import Listing
    from engine.analysis.projection.base import Projection
    from engine.cli.console import Command
    from engine.models.base import Model
    from engine.ngram.smoothing.base import Smoothing
    from engine.nn.cells.base import Cell
    from engine.nn.clipping.base import Clipping
    from engine.nn.optimisers.base import Optimiser
    from engine.nn.positions.base import Position
    from engine.nn.schedules.base import Schedule
    from engine.nn.scores.base import Score
    from engine.nn.tuning.base import Tuning
    from engine.pretrained.base import Family
    from engine.pretrained.quantised.base import Method
    from engine.shipped.sources.base import Source
    from engine.text.corpora.base import Corpus
    from engine.text.documents.base import Document
    from engine.text.preparation.base import Preparation
    from engine.text.tasks.base import Task
    from engine.text.tokenizers.base import Tokenizer
    from engine.views.base import View

T = TypeVar("T")


class Ranked(Protocol):
    """What says its place in lists itself."""

    @property
    def rank(self) -> int: ...


R = TypeVar("R", bound=Ranked)


class Registry(Generic[T]):
    def __init__(self, package: str, constant: str, unlisted: tuple[str, ...] = ()) -> None:
        """`unlisted`: files that nobody chooses from a list."""
        self._package, self._constant, self._unlisted = package, constant, unlisted
        self._besides = f"UNROLLED_{package.rpartition('.')[2].upper()}"
        self._got: dict[str, T] = {}  # asked for with every key press, some of them

    def ids(self) -> list[str]:
        return sorted(set(self._files()) - set(self._unlisted))

    def get(self, id: str) -> T:
        """KeyError that names what there is, when there is no such file."""
        if id not in self._got:
            self._got[id] = self._make(id)
        return self._got[id]

    def file(self, id: str) -> Path:
        """Where it is written.  KeyError as in `get`."""
        if (found := self._files().get(id)) is None:
            raise refusal(
                "no {id!r} in {self._package}; there are {known}", KeyError, known=self.ids()
            )
        return found

    def _make(self, id: str) -> T:
        self.file(id)
        found: T = getattr(self._module(id), self._constant)
        return found

    def _module(self, id: str) -> ModuleType:
        path = importlib.import_module(self._package).__path__
        for folder in map(str, self._folders()):
            if folder not in path:
                path.append(folder)  # so that `engine.models.my_model` is found there
                importlib.invalidate_caches()
        return importlib.import_module(f"{self._package}.{id}")

    def _folders(self) -> Iterator[Path]:
        """The folder of the package first."""
        root = ROOT
        yield root.joinpath(*self._package.split("."))
        for name in os.environ.get(self._besides, "").split(os.pathsep):
            if name and (folder := root / name).is_dir():
                yield folder.resolve()

    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        taken: set[str] = set()
        for folder in self._folders():
            for path in sorted(folder.glob("*.py")):
                if path.stem.isidentifier() and path.stem not in taken:
                    taken.add(path.stem)
                    stat = path.stat()
                    if _defines(str(path), self._constant, stat.st_mtime_ns, stat.st_size):
                        found[path.stem] = path
        return found


class Listed(Registry[R]):
    """Each file's constant has a `rank`, its place in lists."""

    def listed(self) -> list[str]:
        """The ids by rank, equal ones by name; this imports the files."""
        return sorted(self.ids(), key=lambda id: (self.get(id).rank, id))


class Models(Registry["type[Model[Any]]"]):
    """The files of engine/models; every recurrent cell, which `engine.models.recurrent.of` makes a
    language model of; and the files of other folders."""

    def heirs(self, base: str) -> tuple[str, ...]:
        """Ids of the files whose model inherits from the class of this name, unlisted ones too: read
        off the files, since importing them imports torch."""
        bases: dict[str, str] = {}
        for folder in self._folders():
            for path in folder.glob("*.py"):
                text = path.read_text(encoding="utf-8", errors="replace")
                bases |= dict(re.findall(r"^class (\w+)\(([\w.]+)", text, re.MULTILINE))
                if made := re.search(rf"^{self._constant} = (\w+)$", text, re.MULTILINE):
                    bases[path.stem] = made[1]
        found = []
        for id in sorted(self._files()):
            above = bases.get(id, "")
            while above and above != base:
                above = bases.get(above, "").rpartition(".")[2]
            if above:
                found.append(id)
        return tuple(found)

    def _make(self, id: str) -> type[Model[Any]]:
        if self.file(id) == cells._files().get(id):
            made: type[Model[Any]] = importlib.import_module(
                "engine.models.recurrent"
            ).model_of_cell(id)
            return made
        return super()._make(id)

    def _files(self) -> dict[str, Path]:
        own, found = next(self._folders()), super()._files()
        return found | {
            id: file
            for id, file in cells._files().items()
            if id not in found or found[id].parent != own
        }


@lru_cache(4096)
def _defines(path: str, constant: str, _time: int, _size: int) -> bool:
    """Whether a file defines the constant; it is read again only where it was changed."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    return re.search(rf"^{constant}\b.*?=", text, re.MULTILINE) is not None


OBSERVED = ("observed_decoder", "observed_states", "observed_encoder", "observed_translator")
models = Models("engine.models", "MODEL", ("vectors", *OBSERVED))
views: Registry[View] = Registry("engine.views", "VIEW")
tokenizers: Listed[type[Tokenizer]] = Listed(
    "engine.text.tokenizers", "TOKENIZER", ("library", "sentencepieces")
)
projections: Listed[type[Projection]] = Listed("engine.analysis.projection", "PROJECTION")
corpora: Registry[Corpus] = Registry("engine.text.corpora", "CORPUS", ("reviews",))
sources: Registry[Source] = Registry("engine.shipped.sources", "SOURCE")
cells: Registry[type[Cell]] = Registry("engine.nn.cells", "CELL")
smoothings: Listed[type[Smoothing]] = Listed("engine.ngram.smoothing", "SMOOTHING")
tasks: Listed[type[Task]] = Listed("engine.text.tasks", "TASK")
positions: Listed[type[Position]] = Listed("engine.nn.positions", "POSITION")
families: Registry[Family] = Registry("engine.pretrained", "FAMILY")
quantisations: Registry[Method] = Registry("engine.pretrained.quantised", "METHOD")
scores: Listed[type[Score]] = Listed("engine.nn.scores", "SCORE")
optimisers: Registry[Optimiser] = Registry("engine.nn.optimisers", "OPTIMISER")
schedules: Registry[type[Schedule]] = Registry("engine.nn.schedules", "SCHEDULE")
tunings: Listed[Tuning] = Listed("engine.nn.tuning", "TUNING")
clippings: Registry[type[Clipping]] = Registry("engine.nn.clipping", "CLIPPING")
listings: Registry[Listing] = Registry("engine.analysis.listings", "LISTING")
preparations: Registry[Preparation] = Registry("engine.text.preparation", "PREPARATION")
commands: Listed[Command] = Listed("engine.cli", "COMMAND")
documents: Registry[Document] = Registry("engine.text.documents", "DOCUMENT")
