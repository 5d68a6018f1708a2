"""The tags of a run's heads: measured once, in the background, while the page is already there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.analysis.heads import measured, tags
from engine.analysis.heads.tags import ORIGINAL, RELATIONS, REPEAT, Tags
from engine.core.registry import corpora
from engine.course import planted
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.abilities import Attends

SAYS = {r.id: r.says for r in (*RELATIONS, ORIGINAL, REPEAT)}
_found: dict[tuple[str, str], Tags] = {}
_threads: dict[tuple[str, str], threading.Thread] = {}
_lock = threading.Lock()


def known(run: Run, model: Attends[Any], wait: bool = False) -> Tags | None:
    """What was measured; None while it is being measured, which the first call begins.

    Who drags the time machine over many steps does not want all of them: of these one is measured
    after the other.
    """
    if found := measured.find(str(run.note.get("recipe"))):
        return found
    key = run.key
    with _lock:
        others = any(thread.is_alive() for thread in _threads.values())
        busy = run.step is not None and not wait and others
        if key not in _threads and not busy:
            _threads[key] = threading.Thread(
                target=lambda: _found.__setitem__(key, _measure(run, model)),
                name="tags",
                daemon=True,
            )
            _threads[key].start()
    if wait:
        _threads[key].join()
    return _found.get(key)


def _measure(run: Run, model: Attends[Any]) -> Tags:
    """On the stories, or on the planted text that it has learned, which says no less what belongs
    together."""
    if text := planted.text(run.note):
        return tags.measure(model, source=cast(tags.Source, corpora.get(text)))
    return tags.measure(model)


def what(run: Run) -> str:
    """What its heads were measured on."""
    text = planted.text(run.note)
    return f"lines of its own text ({corpora.get(text).title})" if text else "little stories"


def failed(run: Run) -> bool:
    """Whether measuring came to an end without a result."""
    return run.key in _threads and not _threads[run.key].is_alive() and run.key not in _found


def described(found: Tags) -> dict[str, Any]:
    """For the browser: relations, and per layer and head its scores, baselines and z by relation,
    and its tags, strongest first, but last that it rests on the first token, as most heads do where
    they find nothing."""
    given = found.given()
    strong = np.where(given, found.score - found.baseline, -1).transpose(1, 2, 0)
    strong[..., found.names.index("first")] *= 1e-3
    order = np.argsort(-strong, -1, kind="stable")
    return {
        "relations": [
            {"id": name, "label": name, "says": SAYS[name], "passages": n}
            for name, n in zip(found.names, found.passages, strict=True)
        ],
        "rule": [tags.LEAST, tags.TIMES, tags.CLEAR],
        "score": _rounded(found.score),
        "baseline": _rounded(found.baseline),
        "z": np.round(found.z.transpose(1, 2, 0), 1).tolist(),
        "given": [
            [
                [int(r) for r in heads if strong[layer, head, r] >= 0]
                for head, heads in enumerate(row)
            ]
            for layer, row in enumerate(order)
        ],
    }


def _rounded(values: np.ndarray) -> list[Any]:
    found: list[Any] = np.round(values.transpose(1, 2, 0), 4).tolist()
    return found
