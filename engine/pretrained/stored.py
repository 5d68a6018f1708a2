"""Stored: the tensors in a checkpoint's files, by name, as they lie there.

What      one model.safetensors, or several files that an index names; heads are read at once,
          numbers when they are asked for
Source    the safetensors format; `save_pretrained` of the `transformers` library
Shapes    as in the files
Differs   Where both are there the one file counts, as in the library; pytorch_model.bin counts last.
"""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Iterable, Mapping, Set
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.language.message import Message, _, refusal

if TYPE_CHECKING:
    from torch import Tensor

CONFIG, ONE, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
BIN, BIN_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
GGUF, GGUF_INDEX = "model.gguf", "model.gguf.index.json"
TEMPLATE = "chat_template.jinja"
TOKENIZER_STATE = "tokenizer.state.json"  # of a run of a GGUF file: its tokenizer, as ours
# bytes
MOST_CONFIG, MOST_INDEX = 10_000_000, 50_000_000
FLOATS = ("F64", "F32", "F16", "BF16")


@dataclass(frozen=True, slots=True)
class Head:
    """kind: what the format calls its type, as in "F32", "I8", "F8_E4M3"."""

    shape: tuple[int, ...]
    kind: str


class Stored:
    """The tensors of some files; none of them may hold a name of another.

    again  names of tensors that lie where one of another name does
    """

    again: Set[str] = frozenset()

    def __init__(self, files: Iterable[Path], stack: ExitStack) -> None:
        """ValueError where a file is damaged."""
        from safetensors import SafetensorError, safe_open

        self.heads: dict[str, Head] = {}
        self._files: dict[str, Any] = {}
        for path in files:
            try:
                file = stack.enter_context(safe_open(path, framework="pt"))
                for name in file.keys():  # noqa: SIM118 - no mapping
                    if name in self._files:
                        raise refusal(
                            "the weights in {path.parent} are damaged: two files hold {name}"
                        )
                    part = file.get_slice(name)
                    self.heads[name] = Head(tuple(part.get_shape()), str(part.get_dtype()))
                    self._files[name] = file
            except SafetensorError as error:
                raise refusal(
                    "the weights in {path.parent} are damaged: {said}",
                    said=sentence(error, 200),
                ) from error

    def read(self, name: str) -> Tensor:
        found: Tensor = self._files[name].get_tensor(name)
        return found

    def own(self, name: str) -> Tensor:
        """In float32, and in memory of its own."""
        return self.read(name).float().clone()

    def ending(self, end: str) -> list[str]:
        """What stands before this end, of every name that has it."""
        return sorted(name.removesuffix(end) for name in self.heads if name.endswith(end))


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights.  ValueError where one of several is missing."""
    if (folder / ONE).is_file():
        return [folder / ONE]
    if (folder / GGUF).is_file():
        return [folder / GGUF]
    if (folder / INDEX).is_file():
        return _listed(folder, INDEX)
    if (folder / BIN).is_file():
        return [folder / BIN]
    return _listed(folder, BIN_INDEX) if (folder / BIN_INDEX).is_file() else []


def _listed(folder: Path, index: str) -> list[Path]:
    listed = json_of(folder / index).get("weight_map")
    if not isinstance(listed, dict) or not all(isinstance(n, str) for n in listed.values()):
        raise refusal("{path} is damaged: it names no file for each weight", path=folder / index)
    names = sorted(set(listed.values()))
    files = [folder / Path(name).name for name in names]
    if missing := [f.name for f in files if not os.path.isfile(f)]:
        raise refusal(
            "the checkpoint in {folder} is incomplete: {name} is missing",
            name="".join(sign for sign in missing[0] if sign.isprintable())[:80],
        )
    return files


def json_of(path: Path) -> Mapping[str, Any]:
    """ValueError where it is damaged; what is no table counts as an empty one."""
    refuse_large(path, MOST_INDEX if path.name in (INDEX, BIN_INDEX, GGUF_INDEX) else MOST_CONFIG)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise refusal("{path} is damaged: {said}", said=sentence(error, 200)) from error
    return found if isinstance(found, dict) else {}


def refuse_large(path: Path, most: int) -> None:
    """ValueError for a file that is larger than any sound one."""
    if path.is_file() and (size := path.stat().st_size) > most:
        raise refusal(
            "{path} has {size:,.1f} MB, and in a checkpoint it has at most {most:,.0f}; it is"
            " damaged, or of something else",
            size=size / 1e6,
            most=most / 1e6,
        )


def sentence(error: BaseException, most: int) -> str:
    """What an error says, in a line without the names of classes and without signs that can't be
    seen."""
    if isinstance(error, ZeroDivisionError):
        return _("a number in its config.json that sizes are divided by is 0")
    if isinstance(error, RecursionError):
        return _("it is nested too deep")
    if re.search("negative dimension|Storage size|numel: integer", str(error)):
        return _("its config.json asks for sizes that no model has")
    if isinstance(said := str(error), Message):
        return said
    said = " ".join(re.sub(r"\b\w*Errors?\b:?", " ", said).split())
    return _("".join(sign for sign in said if sign.isprintable())[:most])
