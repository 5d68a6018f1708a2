"""Adapter: a LoRA beside its model, merged into the weights that it changes.

What      W' = W + s B A with s = alpha / r, or alpha / sqrt(r) (rsLoRA); with DoRA each row of W' is
          then given the length that was learned for it.  Weights that an adapter holds whole take
          the place of the model's
Source    Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2022; Kalajdzievski, A Rank
          Stabilization Scaling Factor for Fine-Tuning with LoRA, 2023; Liu et al., DoRA:
          Weight-Decomposed Low-Rank Adaptation, 2024; `merge_and_unload` of the `peft` library
Shapes    A (r, in), B (out, r), W (out, in), or (in, out) where its family keeps it so
Differs   Other kinds of adapters, and settings that are not read here, are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.language.message import _, refusal
from engine.pretrained.stored import FLOATS, Head, Stored, json_of

if TYPE_CHECKING:
    from torch import Tensor

CONFIG, WEIGHTS, PICKLED = "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"
FIRST = "base_model.model."  # of every name
PART = re.compile(r"(.+)\.(lora_embedding_[AB]|lora_[AB]|lora_magnitude_vector)(?:\.weight)?")
READ = {
    "peft_type",
    "r",
    "lora_alpha",
    "use_rslora",
    "use_dora",
    "rank_pattern",
    "alpha_pattern",
    "init_lora_weights",
}
# settings of training, and those that say what the file shows: which parts are changed, how they lie
NO_MATTER = {
    *("task_type", "auto_mapping", "base_model_name_or_path", "revision", "peft_version"),
    *("inference_mode", "target_modules", "exclude_modules", "layers_to_transform"),
    *("layers_pattern", "lora_dropout", "modules_to_save", "bias", "fan_in_fan_out"),
    *("qalora_group_size", "runtime_config", "ensure_weight_tying", "megatron_core"),
}
# beginnings of A and B that leave the model as it is
BEGINNINGS = (True, False, "gaussian", "eva", "orthogonal")
LONGEST = 300  # characters of an expression


@dataclass(frozen=True, slots=True)
class Adapter:
    """
    changed  how weights of the model are changed, by their names in its file
    whole    weights that take the place of the model's, or that it does not have
    """

    changed: Mapping[str, Callable[[Tensor], Tensor]]
    whole: Mapping[str, tuple[int, ...]]
    read: Callable[[str], Tensor]  # one of `whole`


def explain_alone(folder: Path) -> str:
    """What is said of a folder that holds an adapter and no model."""
    about = json_of(folder / CONFIG)
    base = about.get("base_model_name_or_path")
    named = isinstance(base, str) and base.isprintable() and base
    model = str(base)[:200] if named else _("a model that it does not name")
    kind = str(about.get("peft_type") or _("of no known kind"))
    return _(
        "{folder} holds only an adapter ({kind}) for {model}, and an adapter is no model by itself;"
        " put its files into that model's folder and open that folder",
        folder=str(folder),
        kind=kind,
        model=model,
    )


def find_adapter(
    folder: Path,
    find: Callable[[str], str | None],
    shape_of: Callable[[str], tuple[int, ...]],
    turned: Callable[[str], bool],
    stack: ExitStack,
) -> Adapter | None:
    """The adapter in the folder of a model; None where there is none.

    find      the name in the model's file of a weight of the library
    shape_of  of a weight in the model's file
    turned    whether it is kept (in, out)

    ValueError for one that can't be merged.
    """
    if not (folder / CONFIG).is_file():
        return None
    about = json_of(folder / CONFIG)
    _must_be_known(about)
    if not (folder / WEIGHTS).is_file():
        if (folder / PICKLED).is_file():
            raise refusal(
                "its adapter is stored in {PICKLED} only, which can run foreign code when it is"
                " opened; save it as {WEIGHTS}"
            )
        raise refusal("its {CONFIG} describes an adapter, but {WEIGHTS} is missing")
    stored = Stored([folder / WEIGHTS], stack)
    matrices: dict[str, dict[str, str]] = {}
    whole: dict[str, str] = {}
    for name, head in stored.heads.items():
        if head.kind not in FLOATS:
            raise refusal("{name} in its adapter is stored as {head.kind}; only floats can be read")
        if not name.startswith(FIRST):
            raise refusal(
                "its adapter holds {name}, which belongs to no weight of the model", name=name[:200]
            )
        if match := PART.fullmatch(plain := name.removeprefix(FIRST)):
            matrices.setdefault(match[1], {})[match[2]] = name
        else:
            plain = plain.replace(".base_layer.", ".").replace(".modules_to_save.", ".")
            whole[find(plain) or plain] = name
    changed = {}
    for module, parts in matrices.items():
        if (weight := find(f"{module}.weight")) is None:
            raise refusal("its adapter changes {module}, and the model has no such weight")
        changed[weight] = _change(stored, about, module, parts, shape_of(weight), turned(weight))
    return Adapter(
        changed,
        {name: stored.heads[source].shape for name, source in whole.items()},
        lambda name: stored.read(whole[name]).float(),
    )


def _must_be_known(about: Mapping[str, Any]) -> None:
    if str(about.get("peft_type")) != "LORA":
        raise refusal(
            "the adapter beside it is of the kind {kind}; only LORA can be merged",
            kind=str(about.get("peft_type"))[:60],
        )
    for name, value in about.items():
        if value and name not in READ | NO_MATTER:
            raise refusal(
                "adapters with {name:.60} = {value!s:.60} can't be merged; take one without it"
            )
    begun = about.get("init_lora_weights", True)
    if not any(begun is one or (isinstance(one, str) and begun == one) for one in BEGINNINGS):
        raise refusal(
            "adapters with init_lora_weights = {begun!r} can't be merged, because they change the"
            " model itself too",
            begun=str(begun)[:60],
        )


def _change(
    stored: Stored,
    about: Mapping[str, Any],
    module: str,
    parts: Mapping[str, str],
    shape: tuple[int, ...],
    turned: bool,
) -> Callable[[Tensor], Tensor]:
    words = "lora_embedding_A" in parts
    down, up = ("lora_embedding_A", "lora_embedding_B") if words else ("lora_A", "lora_B")
    long = "lora_magnitude_vector" in parts
    if set(parts) != {down, up} | ({"lora_magnitude_vector"} if long else set()) or (
        words and long
    ):
        raise refusal("its adapter for {module} is not whole: it has {known}", known=sorted(parts))
    if long != bool(about.get("use_dora")):
        raise refusal(
            "its adapter for {module} does not fit use_dora = {dora} in {CONFIG}", dora=not long
        )
    heads: dict[str, Head] = {part: stored.heads[name] for part, name in parts.items()}
    into, out = shape[::-1] if not (turned or words) else shape
    rank = heads[down].shape[0] if heads[down].shape else 0
    if heads[down].shape != (rank, into) or heads[up].shape != (out, rank) or not rank:
        raise refusal(
            "its adapter for {module} has the shapes {upper} and {lower}, which do not fit {shape}",
            upper=heads[up].shape,
            lower=heads[down].shape,
        )
    said = _of_pattern(about, "rank_pattern", module, about.get("r", 8))
    alpha = _of_pattern(about, "alpha_pattern", module, about.get("lora_alpha", 8))
    if said != rank or not isinstance(alpha, int | float) or not math.isfinite(alpha):
        raise refusal(
            "its adapter for {module} has rank {rank}, which does not fit r = {said!s:.60} and"
            " lora_alpha = {alpha!s:.60}"
        )
    scale = alpha / (math.sqrt(rank) if about.get("use_rslora") else rank)
    if long and math.prod(heads["lora_magnitude_vector"].shape) != out:
        raise refusal("its adapter for {module} has lengths that do not fit {shape}")

    def change(weight: Tensor) -> Tensor:
        delta = scale * (stored.read(parts[up]).float() @ stored.read(parts[down]).float())
        if words or turned:
            delta = delta.T
        weight = weight + delta
        if not long:
            return weight
        rows = 0 if turned else 1
        lengths = stored.read(parts["lora_magnitude_vector"]).float().flatten()
        return weight * (lengths / weight.norm(dim=rows)).unsqueeze(rows)

    return change


def _of_pattern(about: Mapping[str, Any], setting: str, module: str, usual: Any) -> Any:
    """The first of these expressions that the end of a module's name fits."""
    import regex

    patterns = about.get(setting) or {}
    if not isinstance(patterns, Mapping):
        raise refusal("its adapter's {setting} is no table")
    for expression, value in patterns.items():
        try:
            if len(expression) > LONGEST:
                raise ValueError
            if regex.match(rf"(.*\.)?({expression})$", module, timeout=1):
                return value
        except (regex.error, TimeoutError, ValueError) as error:
            raise refusal(
                "its adapter's {setting} has an expression that can't be read: {expression!r}",
                expression=expression[:60],
            ) from error
    return usual
