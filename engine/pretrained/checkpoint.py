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
import math
import os.path
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.core.registry import families, models
from engine.pretrained.base import Family, Names, Settings, converted
from engine.text.tokenizers.library import Library, panics_said

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
WORDS = (*VOCABULARIES, "tokenizer*", "merges.txt", "*_tokens*.json")
# bytes; the largest tokenizers of today, of 260,000 pieces, have 35 million
MOST_CONFIG, MOST_INDEX, MOST_TOKENIZER = 10_000_000, 50_000_000, 60_000_000
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def find(name: str) -> tuple[Path, dict[str, Any]] | None:
    """(folder, note) of a checkpoint by its folder or its hub name "maker/model"; None where the
    name is neither."""
    folder = Path(name)
    if os.path.isdir(folder):  # of one that nobody may look into, `Path.is_dir` would raise
        return (folder.resolve(), note(folder)) if is_one(folder) else None
    if os.path.exists(folder) or not HUB_NAME.fullmatch(name):
        return None
    folder = fetch(name)
    return folder, note(folder, name)


def is_one(folder: Path) -> bool:
    """Whether a folder holds a checkpoint of the library."""
    return os.path.isfile(folder / CONFIG) and "model_type" in _json(folder / CONFIG)


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
    found = _open(folder)
    facts = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in _files(folder)]
    return {
        "model": found.family.model,
        "config": asdict(found.config),
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
            "numbers": _numbers(folder),
            "left_out": found.left_out,
        },
    }


def load(folder: Path) -> Any:
    """Our model with the weights of the checkpoint.  ValueError with one sentence where that can't
    be."""
    _room_for(folder)
    found = _open(folder)
    with ExitStack() as stack, _said(folder):
        made, _ = converted(
            found.family, found.theirs, found.config, found.names, _reader(folder, stack)
        )
    weights = {name: values.numpy() for name, values in made.items()}
    with _said(folder), panics_said():
        read = tokenizer(folder, len(weights["embed.weight"]), found.family.marks, found.theirs)
    weights["tokenizer"] = np.frombuffer(read.state(), np.uint8)
    return models.get(found.family.model).from_weights(found.config, weights)


def tokenizer(folder: Path, rows: int, marks: str, theirs: Any) -> Library:
    """The checkpoint's tokenizer, for a model with `rows` ids.  `marks`: as in Family."""
    for path in {path for pattern in WORDS for path in folder.glob(pattern)}:
        _bounded(path, MOST_TOKENIZER)
    try:
        # the library would make an empty one up
        if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
            raise FileNotFoundError("no vocabulary")
        made = _auto("AutoTokenizer", folder)
    except Exception as error:  # what is wrong with a file of its has many names there
        raise ValueError(
            f"the folder {folder} has no tokenizer that can be read; put its tokenizer.json there"
        ) from error
    library = getattr(made, "backend_tokenizer", None)
    if library is None:
        raise ValueError(
            f"the tokenizer in {folder} has an old format; save it as tokenizer.json first"
        )
    known = library.get_vocab(with_added_tokens=False)
    if (pieces := max(known.values(), default=-1) + 1) > rows:
        raise ValueError(
            f"the tokenizer in {folder} has {pieces:,} pieces and the model vectors for {rows:,};"
            " they do not belong together"
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
        end = _first(ids["eos"], theirs.eos_token_id, ids["bos"], 0)
        found = {
            "start": ids["bos"],
            "boundary": end,
            "opening": _first(ids["bos"], theirs.bos_token_id, end),
        }
    else:
        found = {
            "end": ids["eos"],
            "boundary": ids["eos"],
            "opening": _first(getattr(theirs, "decoder_start_token_id", None), ids["pad"], 0),
        }
    if missing := [name for name, id in found.items() if id is None and name != "start"]:
        raise ValueError(
            f"the tokenizer in {folder} has no mark for {missing[0]!r}; its tokenizer_config.json"
            " has to name one (cls_token and sep_token, or eos_token)"
        )
    found |= {"mask": ids["mask"], "pad": ids["pad"], "unknown": ids["unk"]}
    for name, id in found.items():
        if id is not None and not 0 <= int(id) < rows:
            raise ValueError(
                f"the checkpoint in {folder} can't be shown: its mark {name!r} is number {id}, and"
                f" the model has vectors for {rows:,}"
            )
    if '"ByteLevel"' in library.to_str():
        del found["unknown"]  # bytes are all known; the name is given to another mark
    between = _between(library) if marks == "masked" else ()
    return Library(
        library.to_str(), rows, {k: int(v) for k, v in found.items() if v is not None}, between
    )


def _first(*ids: Any) -> int:
    """The first that is a number, or a list that begins with one."""
    plain = (i[0] if isinstance(i, list) and i else i for i in ids)
    return next(i for i in plain if isinstance(i, int) and not isinstance(i, bool))


def _between(library: Any) -> tuple[int, ...]:
    """The marks that the tokenizer puts between two sentences."""
    both = library.encode("a", "b")
    of = both.sequence_ids
    if 0 not in of or 1 not in of:
        return ()
    last, first = max(i for i, s in enumerate(of) if s == 0), of.index(1)
    return tuple(both.ids[last + 1 : first])


@dataclass(frozen=True, slots=True)
class Opened:
    """theirs: the config of the library; left_out: names of weights that our model has no place
    for."""

    family: Family
    theirs: Any
    names: Names
    config: Any
    left_out: list[str]


def _open(folder: Path) -> Opened:
    """A checkpoint whose weights fit its config; no weight is read."""
    import torch

    from engine.nn.unfilled import unfilled

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
    shapes = _shapes(folder)
    names = Names(shapes, family.prefixes, family.renamed)
    with _said(folder):
        theirs = Settings(_config(folder))
        settings = family.settings(theirs, names)
        settings |= {"tokenizer": "library", "vocabulary": theirs.vocab_size}
        theirs.must_be_known()
        if not 1 <= settings["layers"] <= len(shapes):
            raise ValueError(
                f"{settings['layers']:,} layers do not fit its {len(shapes):,} weights"
            )
        made_of: Any = models.get(family.model)
        config = made_of.config_type(**settings)
        made, left = converted(
            family, theirs, config, names, lambda name: torch.empty(shapes[name], device="meta")
        )
        with unfilled():
            want = made_of.build(config, theirs.vocab_size).state_dict()
        _must_fit({k: v.shape for k, v in made.items()}, {k: v.shape for k, v in want.items()})
    return Opened(family, theirs, names, config, left)


def _must_fit(made: Mapping[str, Any], want: Mapping[str, Any]) -> None:
    """ValueError where weights are not those of a model."""
    if missing := sorted(want.keys() - made.keys()):
        raise ValueError(f"its weights are not whole: there is nothing for our {missing[0]}")
    for name, shape in made.items():
        if (asked := want.get(name)) != shape:
            raise ValueError(
                f"it does not fit its own config.json: {name} is {list(shape)}, and"
                f" {list(asked) if asked else 'nothing'} by the config"
            )


@contextmanager
def _said(folder: Path) -> Iterator[None]:
    """Whatever does not go together in a checkpoint, in one sentence."""
    try:
        yield
    except ValueError as error:
        said = str(error)
        if str(folder) in said and "\n" not in said:  # a sentence of ours already
            raise
        said = _sentence(error, 300)
        raise ValueError(f"the checkpoint in {folder} can't be shown: {said}") from error
    except (
        TypeError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RuntimeError,
    ) as error:
        said = _sentence(error, 300)
        raise ValueError(f"the checkpoint in {folder} can't be shown: {said}") from error


def _sentence(error: BaseException, most: int) -> str:
    """What an error says, in a line without the names of classes and without signs that can't be
    seen."""
    if isinstance(error, ZeroDivisionError):
        return "a number in its config.json that sizes are divided by is 0"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if re.search("negative dimension|Storage size|numel: integer", str(error)):
        return "its config.json asks for sizes that no model has"
    said = " ".join(re.sub(r"\b\w*Errors?\b:?", " ", str(error)).split())
    return "".join(sign for sign in said if sign.isprintable())[:most]


def _config(folder: Path) -> Any:
    """The library's config.  ValueError for one that it does not take."""
    try:
        return _auto("AutoConfig", folder)
    except Exception as error:  # its checks have exceptions of their own
        if isinstance(error, AttributeError | TypeError):
            said = "something in it is of another kind than it has to be"
        else:
            said = _sentence(error, 200)
        raise ValueError(f"its config.json is none that can be read: {said}") from error


def _family_of(folder: Path) -> str:
    kind = str(_json(folder / CONFIG)["model_type"])[:60]
    if kind not in families.ids():
        raise ValueError(
            f"{folder} holds a checkpoint of the type {kind!r}; there are"
            f" {', '.join(families.ids())}"
        )
    return kind


def _bounded(path: Path, most: int) -> None:
    """ValueError for a file that is larger than any sound one."""
    if path.is_file() and (size := path.stat().st_size) > most:
        raise ValueError(
            f"{path} has {size / 1e6:,.1f} MB, and in a checkpoint it has at most"
            f" {most / 1e6:,.0f}; it is damaged, or of something else"
        )


def _json(path: Path) -> Mapping[str, Any]:
    _bounded(path, MOST_INDEX if path.name == INDEX else MOST_CONFIG)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {_sentence(error, 200)}") from error
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
        listed = _json(folder / INDEX).get("weight_map")
        if not isinstance(listed, dict) or not all(isinstance(n, str) for n in listed.values()):
            raise ValueError(f"{folder / INDEX} is damaged: it names no file for each weight")
        names = sorted(set(listed.values()))
        files = [folder / Path(name).name for name in names]
        if missing := [f.name for f in files if not os.path.isfile(f)]:
            name = "".join(sign for sign in missing[0] if sign.isprintable())[:80]
            raise ValueError(f"the checkpoint in {folder} is incomplete: {name} is missing")
        return files
    return [folder / ONE] if (folder / ONE).is_file() else []


def _shapes(folder: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each weight, from the heads of the files."""
    with ExitStack() as stack:
        return {
            name: tuple(file.get_slice(name).get_shape())
            for file in _opened(folder, stack)
            for name in file.keys()  # noqa: SIM118 - no mapping
        }


def _numbers(folder: Path) -> int:
    return sum(map(math.prod, _shapes(folder).values()))


def _opened(folder: Path, stack: ExitStack) -> list[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        return [stack.enter_context(safe_open(path, framework="pt")) for path in _files(folder)]
    except SafetensorError as error:
        raise ValueError(f"the weights in {folder} are damaged: {_sentence(error, 200)}") from error


def _reader(folder: Path, stack: ExitStack) -> Any:
    files = {name: file for file in _opened(folder, stack) for name in file.keys()}  # noqa: SIM118 - no mapping
    return lambda name: files[name].get_tensor(name).float().clone()


def _room_for(folder: Path) -> None:
    """ValueError where the weights would not fit into the free memory."""
    import psutil

    need, free = 4.4 * _numbers(folder) / 1e9, psutil.virtual_memory().available / 1e9
    if need > free:
        raise ValueError(
            f"the checkpoint in {folder} needs {need:.1f} GB of memory and {free:.1f} GB are"
            " free; take a smaller one, or close other programs"
        )
