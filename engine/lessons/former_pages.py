"""Former pages, and where a link to one leads now.

What      each function takes what the address of such a page chose, and returns what that of the new
          page chooses; MOVED has the id of the new lesson and the function by the old id.  PARTS has, of a
          lesson, the places that stand in another one now, {lesson: {place: (lesson, place)}}
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.course.topics.base import PANEL

Chosen = dict[str, str]


def _same(asked: Chosen) -> Chosen:
    return asked


def _duel(asked: Chosen) -> Chosen:
    cut = ".words" if asked.pop("duel_cut", "") == "words" else ""
    sides = (
        asked.pop(f"side_{side}", f"counted.{text}")
        for side, text in zip("ab", ("stories", "python_docs"), strict=True)
    )
    asked["runs"] = ",".join(f"{id}{cut}" if id.startswith("counted.") else id for id in sides)
    asked = {name: value for name, value in asked.items() if not name.startswith("duel_")}
    asked.setdefault("text", "She gave him a silver key, and the function returned the value.")
    return asked


def _dynamics(asked: Chosen) -> Chosen:
    """Without what the page now has controls of the same names for, of other things."""
    kept = {name: value for name, value in asked.items() if name not in ("clip", "rate", "ball")}
    return {PANEL: "network"} | kept


def _generation(asked: Chosen) -> Chosen:
    names = {"start": "begin", "words": "written", "seed": "draw", "order": "longest"}
    chosen = {
        f"decoding.counts.{names.get(name, name)}": value
        for name, value in asked.items()
        if name != PANEL
    }
    return {PANEL: "part-writing-with-counts", **chosen}


def _local(asked: Chosen) -> Chosen:
    return asked | {"scores.head.looks": "scope"}


def _lookup(asked: Chosen) -> Chosen:
    from engine.lessons.attention.parts import HEATS

    step, _, score = asked.pop("rules", "").partition(".")
    if step.isdigit():  # twenty to a power of ten, from 0.01 on
        nearest = min(HEATS, key=lambda t: abs(math.log10(t) + 2 - int(step) / 20))
        asked["attention.lookup.heat"] = f"{nearest:g}"
    if score:
        asked["attention.lookup.meets"] = score
    if text := asked.pop("text", ""):
        asked["attention.lookup.library"] = text
    return asked | {PANEL: "part-a-library-that-is-read-softly"}


def _patching(asked: Chosen) -> Chosen:
    return {"run": "transformer"} | asked


def _reach(asked: Chosen) -> Chosen:
    bound = asked.get(PANEL) == "reach.bound"
    at = "part-one-step-and-all-of-them-the-jacobian" if bound else "arcs"
    return {PANEL: at} | ({"text": asked["text"]} if "text" in asked else {})


def _scale(asked: Chosen) -> Chosen:
    return {PANEL: "part-what-size-buys"} | asked


def _shapes(asked: Chosen) -> Chosen:
    return asked | {PANEL: "part-task-shapes"}


def _size(asked: Chosen) -> Chosen:
    if "in" in asked:
        asked["by"] = asked.pop("in")
    if not {PANEL, "m", "gram", "bits"} & {*asked}:
        asked[PANEL] = "sizes"
    return asked


def _sparse(asked: Chosen) -> Chosen:
    return asked or {"pattern": "4", "times": "3", "layer": "4", "head": "2"}


def _variants(asked: Chosen) -> Chosen:
    parts = {
        "Mixture": "part-mixture",
        "Fill the blank": "part-spelling",
        "Spelling": "part-spelling",
    }
    section = asked.pop("variant", "")
    if section in ("Skip-grams", "Variable length"):
        asked.setdefault(PANEL, "part-counts")
    asked.setdefault(PANEL, parts.get(section, "part-cache"))
    if "slip" in asked and section == "Spelling":
        asked["gap"] = asked.pop("slip")
    return asked


MOVED: dict[str, tuple[str, Callable[[Chosen], Chosen]]] = {
    "duel": ("compare", _duel),
    "dynamics": ("cures", _dynamics),
    "generation": ("decoding", _generation),
    "local": ("scores", _local),
    "lookup": ("attention", _lookup),
    "maps": ("embeddings", _same),
    "patching": ("surgery", _patching),
    "reach": ("bptt", _reach),
    "scale": ("transformer", _scale),
    "shapes": ("rnn", _shapes),
    "size": ("sparsity", _size),
    "sparse": ("masks", _sparse),
    "variants": ("smoothing", _variants),
}

_REWARDS = "preferences", "part-a-reward-from-pairs"
_REPEATED = "prompting", "part-a-passage-again-and-again"
PARTS: dict[str, dict[str, tuple[str, str]]] = {
    "lstm": dict.fromkeys(
        ("part-does-it-remember", "part-stories", "fold.stories"),
        ("stories", "part-does-it-remember"),
    ),
    "transformer": {
        **dict.fromkeys(
            ("part-what-people-prefer", "chosen", "rejected", "preference", "fold.preference"),
            _REWARDS,
        ),
        **dict.fromkeys(
            ("part-its-own-prompt", "passage", "times", "repeated", "few_shot", "fold.prompt"),
            _REPEATED,
        ),
    },
}
