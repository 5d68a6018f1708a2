"""Checkpoint: a folder as the `transformers` library saves it, or a name at its hub, opened as one
of our models.

What      config.json says which family, *.safetensors hold the weights, the tokenizer is read by
          the library
Source    Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020
Shapes    as in each family's file
Differs   Only safetensors are read, never pickled weights, and no code that comes with a checkpoint
          is ever run.  Weights go straight from the file into our model; the library itself only
          reads the config and the tokenizer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.core.registry import families, models
from engine.pretrained.base import Family, Names, converted
from engine.text.tokenizers.library import Library

CONFIG, ONE, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack")
WANTED = (
    "*.safetensors",
    INDEX,
    CONFIG,
    "tokenizer*",
    "*.model",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
)
VOCABULARIES = ("tokenizer.json", "vocab*", "*.model")
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def find(name: str) -> tuple[Path, dict[str, Any]] | None:
    """(folder, note) of a checkpoint by its folder or its hub name "maker/model"; None where the
    name is neither."""
    folder = Path(name)
    if folder.is_dir():
        return (folder.resolve(), note(folder)) if is_one(folder) else None
    if folder.exists() or not HUB_NAME.fullmatch(name):
        return None
    folder = fetch(name)
    return folder, note(folder, name)


def is_one(folder: Path) -> bool:
    """Whether a folder holds a checkpoint of the library."""
    return (folder / CONFIG).is_file() and "model_type" in _json(folder / CONFIG)


def fetch(name: str) -> Path:
    """The folder of a checkpoint from the hub.  ValueError with one sentence where it can't be
    had."""
    import huggingface_hub as hub
    from huggingface_hub import errors

    try:
        return Path(
            hub.snapshot_download(name, allow_patterns=list(WANTED), ignore_patterns=["*/*"])
        )
    except errors.GatedRepoError as error:
        raise ValueError(
            f"{name} is only given to those who accepted its licence at the hub; do that, log in"
            " with `hf auth login`, and try again"
        ) from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise ValueError(
            f"there is no public checkpoint {name!r} at the hub; check the name"
        ) from error
    except Exception as error:  # whatever is wrong with the network has many names
        raise ValueError(
            f"{name} is not on this computer and the hub can't be reached; connect to the network,"
            " or give the folder of a checkpoint"
        ) from error


def note(folder: Path, name: str | None = None) -> dict[str, Any]:
    """What a run.json would say of this checkpoint.  ValueError when it is none that we can
    show."""
    family, _, names, settings = _open(folder)
    config = models.get(family.model).config_type(**settings)
    facts = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in _files(folder)]
    return {
        "model": family.model,
        "config": asdict(config),
        "title": name or folder.resolve().name,
        "seed": 0,
        "recipe": (
            hashlib.sha256(json.dumps([str(folder.resolve()), facts]).encode()).hexdigest()[:12]
        ),
        "corpus": {"name": "texts that the makers of this checkpoint chose"},
        "held_out": {},
        "checkpoint": {
            "name": name or folder.resolve().name,
            "family": _family_of(folder),
            "numbers": sum(_sizes(folder).values()),
            "left_out": converted(family, config, names, lambda _: np.zeros(0, np.float32))[1],
        },
    }


def load(folder: Path) -> Any:
    """Our model with the weights of the checkpoint.  ValueError with one sentence where that can't
    be."""
    family, theirs, names, settings = _open(folder)
    _room_for(folder)
    model = models.get(family.model)
    config = model.config_type(**settings)
    with ExitStack() as stack:
        weights, _ = converted(family, config, names, _reader(folder, stack))
    rows = next(v.shape[0] for k, v in weights.items() if k.endswith("embed.weight"))
    weights["tokenizer"] = np.frombuffer(
        tokenizer(folder, rows, family.marks, theirs).state(), np.uint8
    )
    try:
        return model.from_weights(config, weights)
    except (RuntimeError, KeyError) as error:
        raise ValueError(
            f"the checkpoint in {folder} does not fit its own config.json:"
            f" {' '.join(str(error).split())[:300]}"
        ) from error


def tokenizer(folder: Path, rows: int, marks: str, config: Any) -> Library:
    """The checkpoint's tokenizer, for a model with `rows` ids.  `marks`: as in Family."""
    try:
        # the library would make an empty one up
        if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
            raise FileNotFoundError("no vocabulary")
        made = _auto("AutoTokenizer", folder)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise ValueError(
            f"the folder {folder} has no tokenizer that can be read; put its tokenizer.json there"
        ) from error
    library = getattr(made, "backend_tokenizer", None)
    if library is None:
        raise ValueError(
            f"the tokenizer in {folder} has an old format; save it as tokenizer.json first"
        )
    ids = {
        name: getattr(made, f"{name}_token_id", None)
        for name in ("cls", "sep", "mask", "pad", "unk", "bos", "eos")
    }
    if marks == "masked":
        found = {
            "start": ids["cls"],
            "end": ids["sep"],
            "boundary": ids["sep"],
            "opening": ids["cls"],
        }
    elif marks == "decoder":
        end = _first(ids["eos"], config.eos_token_id, ids["bos"], 0)
        found = {
            "start": ids["bos"],
            "boundary": end,
            "opening": _first(ids["bos"], config.bos_token_id, end),
        }
    else:
        found = {
            "end": ids["eos"],
            "boundary": ids["eos"],
            "opening": config.decoder_start_token_id,
        }
    found |= {"mask": ids["mask"], "pad": ids["pad"], "unknown": ids["unk"]}
    if '"ByteLevel"' in library.to_str():
        del found["unknown"]  # bytes are all known; the name is given to another mark
    between = _between(library) if marks == "masked" else ()
    return Library(
        library.to_str(), rows, {k: int(v) for k, v in found.items() if v is not None}, between
    )


def _first(*ids: Any) -> int:
    return next(int(i[0] if isinstance(i, list) else i) for i in ids if i is not None)


def _between(library: Any) -> tuple[int, ...]:
    """The marks that the tokenizer puts between two sentences."""
    both = library.encode("a", "b")
    of = both.sequence_ids
    if 0 not in of or 1 not in of:
        return ()
    last, first = max(i for i, s in enumerate(of) if s == 0), of.index(1)
    return tuple(both.ids[last + 1 : first])


def _open(folder: Path) -> tuple[Family, Any, Names, dict[str, Any]]:
    """Family, the library's config, names of the weights, settings of our config."""
    family: Family = families.get(_family_of(folder))
    files = _files(folder)
    if not files:
        pickled = next((name for name in PICKLED if (folder / name).is_file()), None)
        what = (
            f"only {pickled}, which can run foreign code when it is opened"
            if pickled
            else "no weights"
        )
        raise ValueError(
            f"{folder} has {what}; give a checkpoint saved as model.safetensors (save_pretrained of"
            " `transformers` writes it)"
        )
    config = _auto("AutoConfig", folder)
    names = Names(_sizes(folder), family.prefixes)
    try:
        ours = {"tokenizer": "library", "vocabulary": config.vocab_size}
        return family, config, names, family.settings(config, names) | ours
    except ValueError as error:
        raise ValueError(f"the checkpoint in {folder} can't be shown: {error}") from error


def _family_of(folder: Path) -> str:
    kind = str(_json(folder / CONFIG)["model_type"])
    if kind not in families.ids():
        raise ValueError(
            f"{folder} holds a checkpoint of the type {kind!r}; there are"
            f" {', '.join(families.ids())}"
        )
    return kind


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    return found if isinstance(found, dict) else {}


def _auto(kind: str, folder: Path) -> Any:
    """AutoConfig or AutoTokenizer of this folder; nothing is fetched, nothing foreign is run."""
    import transformers

    transformers.logging.set_verbosity_error()
    return getattr(transformers, kind).from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False
    )


def _files(folder: Path) -> list[Path]:
    """The files that hold the weights.  ValueError where one of several is missing."""
    if (folder / INDEX).is_file():
        names = sorted(set(_json(folder / INDEX).get("weight_map", {}).values()))
        files = [folder / Path(name).name for name in names]
        if missing := [f.name for f in files if not f.is_file()]:
            raise ValueError(f"the checkpoint in {folder} is incomplete: {missing[0]} is missing")
        return files
    return [folder / ONE] if (folder / ONE).is_file() else []


def _sizes(folder: Path) -> dict[str, int]:
    """How many numbers each weight has, from the heads of the files."""
    with ExitStack() as stack:
        return {
            name: int(np.prod(file.get_slice(name).get_shape()))
            for file in _opened(folder, stack)
            for name in file.keys()  # noqa: SIM118 - no mapping
        }


def _opened(folder: Path, stack: ExitStack) -> list[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        return [stack.enter_context(safe_open(path, framework="pt")) for path in _files(folder)]
    except SafetensorError as error:
        raise ValueError(f"the weights in {folder} are damaged: {error}") from error


def _reader(folder: Path, stack: ExitStack) -> Any:
    files = {name: file for file in _opened(folder, stack) for name in file.keys()}  # noqa: SIM118 - no mapping
    return lambda name: np.array(files[name].get_tensor(name).float().numpy())


def _room_for(folder: Path) -> None:
    """ValueError where the weights would not fit into the free memory."""
    import psutil

    need, free = 4.4 * sum(_sizes(folder).values()) / 1e9, psutil.virtual_memory().available / 1e9
    if need > free:
        raise ValueError(
            f"the checkpoint in {folder} needs {need:.1f} GB of memory and {free:.1f} GB are"
            " free; take a smaller one, or close other programs"
        )
