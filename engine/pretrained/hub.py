"""Hub: a checkpoint by its name at the hub of the `transformers` library.

What      `look_up` says what it is before a byte of it is fetched: how large, under which licence,
          whether for everybody; `fetch` brings its files into the library's own store, where a
          download that broke off goes on
Source    the `huggingface_hub` library
Differs   Only the files that are read here are fetched: config, tokenizer, .safetensors.  Whoever is
          a guest on a server does not fetch what its owner may.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from engine.core.registry import families
from engine.jobs.detached import growing
from engine.language.message import refusal
from engine.pretrained import adapter
from engine.pretrained.stored import CONFIG, INDEX
from engine.storage.home import person

NAME = re.compile(r"(\w[\w.-]*/)?\w[\w.-]*")  # some names have no maker: "gpt2"
WANTED = (
    "*.safetensors",
    INDEX,
    CONFIG,
    adapter.CONFIG,
    "tokenizer*",
    "*.model",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
)
SECONDS = 10.0
BYTES = 4.4  # of memory that a number takes while a model is opened


@dataclass(frozen=True, slots=True)
class Offered:
    """
    size, left  bytes of the files that are read here, and of those that are not here yet
    licence     as its makers call it; "" where they don't say
    gated       whether it is given only to those who accept its licence
    """

    name: str
    size: int
    left: int
    licence: str
    gated: bool


def look_up(name: str) -> Offered:
    """ValueError with one sentence where it can't be had, can't be shown, or there is no room."""
    import huggingface_hub as hub

    if not NAME.fullmatch(name):
        raise refusal("{name!r} is no name at the hub; names are like maker/model", name=name[:80])
    with _said(name):
        about = hub.HfApi().model_info(name, timeout=SECONDS, token=_token())
        files = hub.snapshot_download(name, dry_run=True, **_files())
    kind = str((about.config or {}).get("model_type", ""))[:60]
    if kind and kind not in families.ids():
        raise refusal(
            "{name} is of the type {kind}; there are {known}",
            name=name,
            kind=repr(kind),
            known=", ".join(families.ids()),
        )
    if not any(file.filename.endswith(".safetensors") for file in files):
        raise refusal("{name} has no weights saved as .safetensors", name=name)
    size = sum(file.file_size for file in files)
    left = sum(file.file_size for file in files if file.will_download)
    _must_have_room(name, left, about.safetensors.total if about.safetensors else size // 4)
    card: Any = about.card_data or {}
    licence = str(card.get("license_name") or card.get("license") or "")[:60]
    return Offered(name, size, left, licence, bool(about.gated))


def fetch(name: str, size: int = 1, tell: Callable[[float], None] = lambda share: None) -> Path:
    """The folder of a checkpoint of so many bytes; `tell` is told which share of it is there.
    ValueError with one sentence where it can't be had."""
    import huggingface_hub as hub
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.file_download import repo_folder_name

    place = Path(HF_HUB_CACHE) / repo_folder_name(repo_id=name, repo_type="model") / "blobs"
    with _said(name), growing(place, size, tell):
        return Path(hub.snapshot_download(name, **_files()))


def _files() -> dict[str, Any]:
    return {"allow_patterns": list(WANTED), "ignore_patterns": ["*/*"], "token": _token()}


def _token() -> bool | None:
    return None if person() is None else False


def _must_have_room(name: str, left: int, numbers: int) -> None:
    from huggingface_hub.constants import HF_HUB_CACHE

    place = Path(HF_HUB_CACHE)
    place = next(p for p in (place, *place.parents) if p.is_dir())
    free, memory = shutil.disk_usage(place).free, psutil.virtual_memory().available
    if left > free:
        raise refusal(
            "{name} takes {left:.1f} GB of the disk and {free:.1f} GB are free",
            name=name,
            left=left / 1e9,
            free=free / 1e9,
        )
    if BYTES * numbers > memory:
        raise refusal(
            "{name} needs {need:.1f} GB of memory and {free:.1f} GB are free; take a smaller one,"
            " or close other programs",
            name=name,
            need=BYTES * numbers / 1e9,
            free=memory / 1e9,
        )


@contextmanager
def _said(name: str) -> Iterator[None]:
    """Whatever the hub refuses, in one sentence."""
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError as error:
        raise refusal(
            "{name} is only given to those who accepted its licence at the hub; do that, log in"
            " with `hf auth login`, and try again",
            name=name,
        ) from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise refusal(
            "there is no public checkpoint {name!r} at the hub; check the name"
        ) from error
    except Exception as error:  # whatever is wrong with the network has many names
        raise refusal(
            "{name} is not on this computer and the hub can't be reached; connect to the network,"
            " or give the folder of a checkpoint",
            name=name,
        ) from error
