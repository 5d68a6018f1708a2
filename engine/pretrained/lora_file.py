"""LoRA file: a LoRA that was trained here as the `peft` library keeps one, and one of its files for a
training or a run here.

What      adapter_config.json and adapter_model.safetensors.  The matrices are called as in the
          checkpoint that the model came from; of a model of ours, or where a family arranges its
          weights otherwise, as in the model itself
Source    Mangrulkar et al., PEFT: Parameter-Efficient Fine-Tuning, 2022; the `peft` library's
          checkpoint format
Shapes    A (r, in), B (out, r)
Differs   A matrix that holds several parts (query, key and value) has one A and one B in the file: those
          of its parts on top of each other and side by side, k times as many columns for k parts.
          Biases, embeddings, lengths of rows (DoRA) and ranks that differ are not read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from engine.core.registry import families
from engine.language.message import refusal
from engine.nn.tuning import lora
from engine.pretrained.adapter import CONFIG, FIRST, WEIGHTS
from engine.pretrained.base import Family
from engine.pretrained.stored import FLOATS, Stored, json_of
from engine.storage import record
from engine.storage.arrays import write_arrays

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor, nn

MATRIX = re.compile(r"(.+)\.lora_([AB])(?:\.default)?\.weight")
PLAIN = {f.name: f.default for f in fields(Family)}


def names(net: nn.Module, config: Any, family: str = "") -> dict[str, list[lora.Part]]:
    """Name of a matrix in the file -> the parts of ours that it is, in the order of its rows."""
    found: dict[str, list[lora.Part]] = {}
    for part in lora.parts(net):
        found.setdefault(part.module, []).append(part)
    if not family:
        return found
    of: Family = families.get(family)
    if of.by_head or of.arranged is not PLAIN["arranged"]:
        return found
    first, theirs = next(iter(of.prefixes), ""), of.parts(config)
    made: dict[str, list[lora.Part]] = {}
    for module, some in found.items():
        called = theirs.get(module, ())
        if any("|" in name for name in called) or len(called) not in (1, len(some)):
            return found
        for name, parts in zip(called, [some] if len(called) == 1 else [[p] for p in some]):
            made.setdefault(first + name, []).extend(parts)
    return made if sum(map(len, made.values())) == sum(map(len, found.values())) else found


def save(
    folder: Path,
    net: nn.Module,
    config: Any,
    arrays: Mapping[str, np.ndarray],
    base: str,
    family: str = "",
) -> None:
    """
    net     without what was added
    config  of the run that has it
    arrays  what was learned, by its name in the net
    base    what the model is called that it belongs to
    """
    made: dict[str, np.ndarray] = {}
    targets, rank, block = [], config.lora_rank, 0
    for name, every in names(net, config, family).items():
        parts = [p for p in every if f"{_key(p)}.down.weight" in arrays]
        if not parts:
            continue
        targets.append(name)
        block = max(block, len(parts))
        down = [torch.from_numpy(arrays[f"{_key(p)}.down.weight"]).float() for p in parts]
        rows = sum(p.rows for p in every)
        up = torch.zeros(rows, rank * len(parts))
        for i, p in enumerate(parts):
            start = p.start - every[0].start
            up[start : start + p.rows, i * rank : (i + 1) * rank] = torch.from_numpy(
                arrays[f"{_key(p)}.up.weight"]
            ).float()
        made[f"{FIRST}{name}.lora_A.weight"] = torch.cat(down).contiguous().numpy()
        made[f"{FIRST}{name}.lora_B.weight"] = up.numpy()
    if not made:
        raise ValueError("there is no LoRA in this run; train one with tune=lora")
    folder.mkdir(parents=True, exist_ok=True)
    write_arrays(folder / WEIGHTS, made)
    record.save(
        folder / CONFIG,
        {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM" if family else None,
            "base_model_name_or_path": base,
            "r": rank * block,
            "lora_alpha": config.lora_alpha * block,
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": bool(family and families.get(family).turned),
            "inference_mode": True,
            "init_lora_weights": True,
            "target_modules": targets,
        },
    )


def load(
    folder: Path, net: nn.Module, config: Any, title: str, family: str = ""
) -> tuple[Any, dict[str, np.ndarray]]:
    """The config of a run that has it, and what was learned by its name in the net.  ValueError with a
    sentence where it can't be read, or belongs to another model.

    net, config  of the run that it shall belong to, called `title`
    """
    if not (folder / CONFIG).is_file() or not (folder / WEIGHTS).is_file():
        raise refusal(
            "{folder} holds no adapter of peft: it needs {CONFIG} and {WEIGHTS}", folder=str(folder)
        )
    about = json_of(folder / CONFIG)
    if about.get("peft_type") != "LORA" or about.get("use_dora") or about.get("rank_pattern"):
        raise ValueError("only a LoRA of one rank, without lengths of rows, can be taken over")
    with ExitStack() as stack:
        found = _matrices(Stored([folder / WEIGHTS], stack), title)
    of = names(net, config, family)
    changes: dict[str, tuple[lora.Part, Tensor, Tensor]] = {}
    for name, (down, up) in found.items():
        parts = of.get(name) or next(
            (parts for one, parts in of.items() if one.endswith(f".{name}")), None
        )
        if parts is None:
            raise refusal(
                "this adapter is for another model: it changes {name}, and {title} has no such matrix",
                name=name[:200],
            )
        rows, width = sum(p.rows for p in parts), parts[0].linear.in_features
        if down.shape[1] != width or up.shape[0] != rows or up.shape[1] != down.shape[0]:
            raise refusal(
                "this adapter is for another model: its {name} is for a matrix of {upper} x {lower}, and that"
                " of {title} is {rows} x {width}",
                name=name[:200],
                upper=up.shape[0],
                lower=down.shape[1],
            )
        for p, b in zip(parts, up.split([p.rows for p in parts]), strict=True):
            changes[_key(p)] = p, down, b
    return _run_of(about, config, changes)


def _matrices(stored: Stored, title: str) -> dict[str, tuple[Tensor, Tensor]]:
    """Name of a matrix -> A and B."""
    found: dict[str, dict[str, Tensor]] = {}
    for name, head in stored.heads.items():
        match = MATRIX.fullmatch(name.removeprefix(FIRST))
        if match is None or head.kind not in FLOATS or len(head.shape) != 2:
            raise refusal("its adapter holds {name}, which is no matrix of a LoRA", name=name[:200])
        found.setdefault(match[1], {})[match[2]] = stored.own(name).float()
    for name, both in found.items():
        if set(both) != {"A", "B"}:
            raise refusal("its adapter for {name} is not whole", name=name[:200])
    if not found:
        raise ValueError("this adapter is empty")
    return {name: (both["A"], both["B"]) for name, both in found.items()}


def _run_of(
    about: Mapping[str, Any], config: Any, changes: Mapping[str, tuple[lora.Part, Tensor, Tensor]]
) -> tuple[Any, dict[str, np.ndarray]]:
    ranks = {len(a) for _p, a, _b in changes.values()}
    alpha = about.get("lora_alpha", 8)
    said = about.get("r", 8)
    if len(ranks) != 1 or not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise ValueError("only a LoRA of one rank can be taken over, and this one has several")
    (rank,) = ranks
    scale = alpha / (math.sqrt(said) if about.get("use_rslora") else said)
    most = min(p.most for p, _a, _b in changes.values())
    used = [_used(b) for _p, _a, b in changes.values() if b.any()]
    if used and len({int(u.sum()) for u in used}) == 1 and int(used[0].sum()) < rank:
        rank = int(used[0].sum())  # several parts of one matrix, written side by side
        changes = {
            key: (p, a[_used(b)], b[:, _used(b)]) for key, (p, a, b) in changes.items() if b.any()
        }
    if rank > most:
        raise refusal(
            "a rank of {rank} is larger than a matrix that it changes has; that has {most}"
        )
    targets = " ".join(n for n in lora.PARTS if any(p.name == n for p, _a, _b in changes.values()))
    made = replace(
        config, tune="lora", lora_rank=rank, lora_alpha=float(scale * rank), lora_targets=targets
    )
    arrays = {}
    for key, (_p, a, b) in changes.items():
        arrays[f"{key}.down.weight"] = a.contiguous().numpy()
        arrays[f"{key}.up.weight"] = b.contiguous().numpy()
    return made, arrays


def _used(up: Tensor) -> Tensor:
    """Which columns of B are not 0."""
    return up.ne(0).any(0)


def _key(part: lora.Part) -> str:
    return f"{part.module}.{lora.FIRST}{part.name}"
