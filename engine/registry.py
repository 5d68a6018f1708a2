"""Registry: a folder is the list.  A module is found by its file name.

`models/lstm.py` must define MODEL, `views/heatmap.py` must define VIEW.  Names are read from
the folder without importing, so listing models does not import torch; `get` imports the one asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    def __init__(
        self, package: str, constant: str, besides: tuple[str, ...] = ("base",), unlisted: tuple[str, ...] = ()
    ) -> None:
        """`besides`: files that are none of these; `unlisted`: files that are, but that nobody chooses from a list."""
        self._package, self._constant, self._besides, self._unlisted = package, constant, besides, unlisted

    def ids(self) -> list[str]:
        path = importlib.import_module(self._package).__path__
        return sorted(m.name for m in pkgutil.iter_modules(path) if m.name not in self._besides + self._unlisted)

    def get(self, id: str) -> T:
        """KeyError that names what there is, when there is no such file."""
        if id not in self.ids() and id not in self._unlisted:
            raise KeyError(f"no {id!r} in {self._package}; there are {', '.join(self.ids())}")
        found: T = getattr(importlib.import_module(f"{self._package}.{id}"), self._constant)
        return found


models: Registry[Any] = Registry("engine.models", "MODEL", ("base", "neural", "recurrent", "labelling", "tagging", "wordspace", "word2vec", "gramvectors", "translating"), ("vectors",))
views: Registry[Any] = Registry("engine.views", "VIEW", ("base", "theme", "fold"))
tokenizers: Registry[Any] = Registry("engine.text", "TOKENIZER", ("base", "read", "pieces"), ("library",))
projections: Registry[Any] = Registry(
    "engine.project", "PROJECTION", ("base", "between", "quality", "sampling", "seeds", "clusters", "work", "job"),
    ("axes", "umap"),  # axes need words besides the points; umap compiles for seconds, so only a process of its own may ask for it
)
corpora: Registry[Any] = Registry("engine.corpora", "CORPUS", unlisted=("reviews",))
sources: Registry[Any] = Registry("engine.sources", "SOURCE")
cells: Registry[Any] = Registry("engine.nn.cells", "CELL")
smoothings: Registry[Any] = Registry("engine.ngram.smoothing", "SMOOTHING")
tasks: Registry[Any] = Registry("engine.tasks", "TASK")
positions: Registry[Any] = Registry("engine.nn.positions", "POSITION")
families: Registry[Any] = Registry("engine.pretrained", "FAMILY", ("base", "checkpoint", "store"))
scores: Registry[Any] = Registry("engine.nn.scores", "SCORE")
optimisers: Registry[Any] = Registry("engine.nn.optimisers", "OPTIMISER")
schedules: Registry[Any] = Registry("engine.nn.schedules", "SCHEDULE")
clippings: Registry[Any] = Registry("engine.nn.clipping", "CLIPPING")
preparations: Registry[Any] = Registry("engine.prepare", "PREPARATION", ("base", "effect", "pipeline"))
documents: Registry[Any] = Registry("engine.documents", "DOCUMENT", ("base", "members"))
