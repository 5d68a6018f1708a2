"""Weights: the numbers of a checkpoint by name, whatever its files hold.

What      floats as they are, those in few bits dequantised, those that an adapter changes merged
Source    engine/pretrained/quantised, engine/pretrained/adapter.py
Shapes    as the family keeps them
Differs   What is stored as whole numbers is no weight unless a method says which numbers they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.registry import quantisations
from engine.language.message import _, refusal
from engine.pretrained import adapter
from engine.pretrained.base import Family, Names, without_effect
from engine.pretrained.gguf import Blocks
from engine.pretrained.pickled import Pickled
from engine.pretrained.quantised.base import Method, Weight
from engine.pretrained.stored import BIN, CONFIG, FLOATS, GGUF_INDEX, Stored, json_of, weight_files

if TYPE_CHECKING:
    from torch import Tensor


class Weights:
    """
    shapes   by name
    notes    what was done to them, a sentence each
    low      the method by which some were stored in few bits
    unread   names of what its library does not read either
    adapter  what was merged
    """

    def __init__(self, folder: Path, family: Family, stack: ExitStack) -> None:
        """ValueError where numbers can't be told from what is stored."""
        self._family = family
        self.notes: list[str] = []
        if (folder / GGUF_INDEX).is_file():
            blocks = Blocks(folder)
            self._stored: Stored = blocks
            self.notes += blocks.describe()
        elif (files := weight_files(folder)) and files[0].suffix == Path(BIN).suffix:
            self._stored = Pickled(files)
        else:
            self._stored = Stored(files, stack)
        self.low: Method | None = None
        self._made = self._quantised(json_of(folder / CONFIG))
        taken = {part for weight in self._made.values() for part in weight.parts}
        ends = self.low.unread if self.low else ()
        self.unread = [name for name in self._stored.heads if ends and name.endswith(ends)]
        heads = {
            name: head
            for name, head in self._stored.heads.items()
            if name not in taken and name not in self.unread
        }
        for name, head in heads.items():
            if head.kind not in FLOATS and not without_effect(name):
                raise refusal(
                    "{name} is stored as {head.kind}, and nothing in the checkpoint says which"
                    " numbers these are{how}",
                    how=f" ({self.low.title})" if self.low else "",
                )
        self.shapes = {name: head.shape for name, head in heads.items()} | {
            name: weight.shape[::-1] if self._turns(name) else weight.shape
            for name, weight in self._made.items()
        }
        self.adapter = self._adapter(folder, stack)
        if self.adapter:
            self.shapes |= self.adapter.whole

    @property
    def numbers(self) -> int:
        again = self._stored.again
        return sum(math.prod(shape) for name, shape in self.shapes.items() if name not in again)

    def read(self, name: str) -> Tensor:
        """In float32."""
        if self.adapter and name in self.adapter.whole:
            found = self.adapter.read(name)
        elif name in self._made:
            found = self._made[name].values()
            found = found.T.contiguous() if self._turns(name) else found
        else:
            found = self._stored.own(name)
        if self.adapter and name in self.adapter.changed:
            found = self.adapter.changed[name](found)
        return found

    def _turns(self, name: str) -> bool:
        """Whether a quantised weight lies (out, in), and the family keeps it (in, out)."""
        return self._made[name].turned and self._kept_turned(name)

    def _kept_turned(self, name: str) -> bool:
        return any(part in name for part in self._family.turned)

    def _quantised(self, config: Mapping[str, Any]) -> dict[str, Weight]:
        about = quantisation(config)
        if about is None:
            return {}
        name, settings = about
        if name.replace("-", "_") not in quantisations.ids():
            raise refusal(
                "its weights are quantised by {name!r}, which can't be read here; take the"
                " checkpoint in bfloat16, float16 or float32, or one quantised by {known}",
                known=(id.replace("_", "-") for id in quantisations.ids()),
            )
        self.low = quantisations.get(name.replace("-", "_"))
        found = self.low.weights(self._stored, settings)
        if found:
            said = (
                "Its weight matrices ({n:,} of them) are stored in few bits ({title}) and were"
                " dequantised as its library does; activations are not rounded."
            )
        else:
            said = (
                "Its config.json speaks of {title}, but none of its weights is stored so; they are"
                " read as they are."
            )
        self.notes.append(_(said, n=len(found), title=self.low.title))
        self.low = self.low if found else None
        return found

    def _adapter(self, folder: Path, stack: ExitStack) -> adapter.Adapter | None:
        names = Names(self.shapes, self._family.prefixes, self._family.renamed)

        def find(name: str) -> str | None:
            starts = ("", *self._family.prefixes)
            found = (names.find(name.removeprefix(start)) for start in starts)
            return next((full for full in found if full is not None), None)

        made = adapter.find_adapter(folder, find, self.shapes.__getitem__, self._kept_turned, stack)
        if made is not None:
            said = (
                "The LoRA adapter beside the model is merged into it; weights changed: {count:,}."
            )
            self.notes.append(_(said, count=len(made.changed) + len(made.whole)))
        return made


def quantisation(config: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """(name of the method, its settings) that a config.json speaks of; None where it speaks of none.
    ValueError where it does not say which."""
    key = next((k for k in ("quantization_config", "compression_config") if config.get(k)), None)
    if key is None:
        return None
    found: Any = config[key]
    if isinstance(found, Mapping) and isinstance(
        inner := found.get("quantization_config"), Mapping
    ):
        found = {**inner, "sparsity_config": found.get("sparsity_config")}
    if not isinstance(found, Mapping):
        raise refusal("its {key} in config.json is no table")
    method = found.get("quant_method")
    if found.get("load_in_8bit") or found.get("load_in_4bit"):
        method = "bitsandbytes"
    elif method is None and key == "compression_config":
        method = "compressed-tensors"
    if not isinstance(method, str):
        raise refusal("its {key} in config.json does not say by which method (quant_method)")
    return method[:60], found
