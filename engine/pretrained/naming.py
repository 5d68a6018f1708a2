"""Naming: what a checkpoint is called.

What      its name at the hub; else the name in its config.json; else that of its folder
Source    our own
Differs   Names that say nothing ("hf", "checkpoint-500", the number of a snapshot) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NOTHING = re.compile(
    r"(hf|huggingface|models?|checkpoints?|ckpt|weights|final|last|best|merged|output|outputs|out"
    r"|results?|snapshots?|base|root|home|data|downloads?|te?mp|tmp\w{6,}|pytest-.*|\W*)"
    r"([-_.]?\d+)?|[0-9a-f]{16,}|(checkpoint|step|epoch)[-_]\d+",
    re.IGNORECASE,
)
PERSON = re.compile(r"([A-Za-z]:)?[/\\](home|Users)[/\\][^/\\]+")  # whose folder it is
CACHED = re.compile(r"models--([\w.-]+?)(?:--([\w.-]+))?")  # a folder of the hub's cache
MOST, PARTS = 80, 5


def name_of(folder: Path, config: Mapping[str, Any], at_hub: str | None = None) -> str:
    """ "" where nothing says it."""
    if at_hub:
        return at_hub
    said = config.get("_name_or_path")
    said = said if isinstance(said, str) and said.isprintable() and len(said) < 1000 else ""
    if re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", said):  # maker/model
        maker, _, model = said.partition("/")
        if not NOTHING.fullmatch(model):
            return model[:MOST] if NOTHING.fullmatch(maker) else said[:MOST]
    return _telling(said) or _telling(str(folder.resolve()))


def _telling(path: str) -> str:
    """The last part of a path that says something, of the last few."""
    for part in re.split(r"[/\\]", PERSON.sub("", path, count=1))[:-PARTS:-1]:
        if cached := CACHED.fullmatch(part):
            return "/".join(part for part in cached.groups() if part)[:MOST]
        if part and part.isprintable() and not NOTHING.fullmatch(part) and ":" not in part:
            return part[:MOST]
    return ""
