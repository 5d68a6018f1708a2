"""Hub: a checkpoint by its name at the hub of the `transformers` library.

What      `look_up` says what it is before a byte of it is fetched: how large, under which licence,
          whether for everybody; `fetch` brings its files into the library's own store, or into a
          folder; `bring` does both, or takes what is here where there is no network
Source    the `huggingface_hub` library
Differs   Only the files that are read here are fetched: config, tokenizer, and .safetensors, or else
          pytorch_model.bin.  The library
          begins a file anew when its process was ended; here a part that is in its store already is
          kept, goes on, and is compared with its digest.  Whoever is a guest on a server gets nothing
          in the name of its owner, and nothing out of its owner's store.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from engine.core.registry import families
from engine.jobs.detached import growing
from engine.language.message import Message, _, refusal
from engine.people import limits
from engine.pretrained import adapter
from engine.pretrained.stored import BIN, BIN_INDEX, CONFIG, INDEX, TEMPLATE
from engine.storage.files import explain_error
from engine.storage.home import home, person

# read by the library as it is imported: what is installed here is nobody's business
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
NAME = re.compile(r"(\w[\w.-]*/)?\w[\w.-]*")  # some names have no maker: "gpt2"
WANTED = (
    "*.safetensors",
    INDEX,
    CONFIG,
    "generation_config.json",
    adapter.CONFIG,
    "tokenizer*",
    "*.model",
    "*.spm",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    TEMPLATE,
)
PICKLED = (BIN, BIN_INDEX, "pytorch_model-*.bin")  # fetched where there are no safetensors
TWICE = ("*/*", "consolidated*")  # weights in folders and by the names of another library
DIGEST = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")  # git's, and sha256 of a large file
SECONDS = 10.0
BYTES, STORED = 4.4, 4  # of memory that a number takes while it is opened, and in the run


class Unreachable(ValueError):
    """Nothing is known of the name, for nobody answers."""


@dataclass(frozen=True, slots=True)
class File:
    """`digest`: "" where the hub gives none."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Offered:
    """
    commit   of the version that this is about
    files    that are read here
    numbers  in its weights
    licence  as its makers call it; "" where they don't say
    gated    whether it is given only to those who accept its licence
    """

    name: str
    commit: str
    files: tuple[File, ...]
    numbers: int
    licence: str
    gated: bool

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def look_up(name: str, store: Path | None = None) -> Offered:
    """`store`: another than the library's own.  ValueError with one sentence where it can't be had,
    can't be shown, or there is no room; Unreachable where there is no network."""
    import huggingface_hub as hub

    if not NAME.fullmatch(name):
        raise refusal("{name!r} is no name at the hub; names are like maker/model", name=name[:80])
    with _said(name):
        hub.get_session().timeout = SECONDS  # the library waits for ever here and there
        about = hub.HfApi().model_info(name, timeout=SECONDS, files_metadata=True, token=_token())
        if about.gated:
            hub.HfApi().auth_check(name, token=_token())
        every = {one.rfilename: one for one in about.siblings or ()}
        files = tuple(_file(every[one]) for one in _wanted(sorted(every)))
        kind = str((about.config or {}).get("model_type", ""))[:60].replace("-", "_")
        total = int(about.safetensors.total) if about.safetensors else 0
        card: Any = about.card_data or {}
        licence = str(card.get("license_name") or card.get("license") or "")[:60]
        commit = str(about.sha)
    _must_be_ours(name, {file.name for file in files}, kind)
    total = total or sum(file.size for file in files) // STORED
    offered = Offered(name, commit, files, total, licence, bool(about.gated))
    _must_have_room(offered, store)
    return offered


def left(offered: Offered, store: Path | None = None) -> int:
    """Bytes that are not here yet."""
    if store is None and person() is not None:
        return offered.size
    return sum(_left(file, _blobs(offered.name, store)) for file in offered.files)


def fetch(
    offered: Offered,
    tell: Callable[[float], None] = lambda share: None,
    store: Path | None = None,
) -> Path:
    """The folder of the checkpoint; `tell` is told which share of it is there.  ValueError with one
    sentence where it can't be had; then the next try goes on where this one ended."""
    import huggingface_hub as hub
    from huggingface_hub.utils import disable_progress_bars

    blobs, size = _blobs(offered.name, store), max(1, offered.size)
    with _said(offered.name, begun=True):
        disable_progress_bars()
        blobs.mkdir(parents=True, exist_ok=True)
        before = sum(path.stat().st_size for path in blobs.iterdir())  # of other versions too
        here = (size - left(offered, store) - before) / size
        with growing(blobs, size, lambda share: tell(here + share)):
            for file in sorted(offered.files, key=lambda file: file.size):
                if file.digest and _left(file, blobs):
                    _go_on(offered, file, blobs / file.digest)
            names = [file.name for file in offered.files]
            return Path(hub.snapshot_download(offered.name, **_how(store), allow_patterns=names))


def bring(
    name: str,
    tell: Callable[[float, str], None] = lambda share, what: None,
    store: Path | None = None,
) -> Path:
    """The folder of a checkpoint by its name; without a network that of one which was fetched
    before.  ValueError with one sentence."""
    import huggingface_hub as hub

    try:
        offered = look_up(name, store)
    except Unreachable:
        with _said(name):
            which = {"allow_patterns": [*WANTED], "ignore_patterns": [*TWICE]}
            here = {**_how(store), **which, "local_files_only": True}
            return Path(hub.snapshot_download(name, **here))
    what = _(
        "fetching {name}: {size:,.1f} MB, licence: {licence}",
        name=name,
        size=offered.size / 1e6,
        licence=offered.licence or _("its makers do not say"),
    )
    tell(1 - left(offered, store) / max(1, offered.size), what)
    return fetch(offered, lambda share: tell(share, what), store)


def _wanted(names: list[str]) -> list[str]:
    """Of the files of a checkpoint those that are read here."""
    from huggingface_hub.utils import filter_repo_objects

    def chosen(*more: str) -> list[str]:
        patterns = [*WANTED, *more]
        return [*filter_repo_objects(names, allow_patterns=patterns, ignore_patterns=[*TWICE])]

    return found if _weights(found := chosen()) else chosen(*PICKLED)


def _weights(names: Iterable[str]) -> list[str]:
    return [n for n in names if n.endswith((".safetensors", ".bin")) and n != adapter.WEIGHTS]


def _how(store: Path | None) -> dict[str, Any]:
    return {
        "token": _token(),
        "cache_dir": _store(store),
        "etag_timeout": SECONDS,
    }


def _token() -> bool | None:
    return None if person() is None else False


def _store(store: Path | None) -> Path:
    from huggingface_hub.constants import HF_HUB_CACHE

    return store or (Path(HF_HUB_CACHE) if person() is None else home())


def _blobs(name: str, store: Path | None) -> Path:
    """Where the library keeps the files of a checkpoint, by their digests."""
    from huggingface_hub.file_download import repo_folder_name

    return _store(store) / repo_folder_name(repo_id=name, repo_type="model") / "blobs"


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.incomplete")


def _file(said: Any) -> File:
    digest = str(said.lfs.sha256 if said.lfs else said.blob_id)
    return File(said.rfilename, int(said.size or 0), digest if DIGEST.fullmatch(digest) else "")


def _left(file: File, blobs: Path) -> int:
    """Bytes that are not here yet."""
    path = blobs / (file.digest or "none")
    if path.is_file():
        return 0
    part = _part(path).stat().st_size if _part(path).is_file() else 0
    return file.size - part if part < file.size else file.size


def _go_on(offered: Offered, file: File, path: Path) -> None:
    """The rest of a file."""
    import huggingface_hub as hub
    from huggingface_hub.errors import HTTPError
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import WeakFileLock, build_hf_headers

    folder, part = path.parents[1], _part(path)
    lock = folder.parent / ".locks" / folder.name / f"{path.name}.lock"  # the library's own
    lock.parent.mkdir(parents=True, exist_ok=True)
    with WeakFileLock(lock):
        if path.is_file():  # another process was faster
            return
        with part.open("ab") as sink:
            if sink.tell() > file.size:
                sink.truncate(0)
            try:
                http_get(
                    hub.hf_hub_url(offered.name, file.name, revision=offered.commit),
                    sink,
                    resume_size=part.stat().st_size,
                    headers={**build_hf_headers(token=_token()), "Accept-Encoding": "identity"},
                    expected_size=file.size,
                )
            except OSError as error:
                if error.errno is None and not isinstance(error, HTTPError):
                    part.unlink()  # another length: something else came
                raise
        if _digest(part, file) != file.digest:
            part.unlink()
            raise refusal(
                "the file {file.name} of {offered.name} was damaged on its way and is thrown away; try"
                " again"
            )
        part.replace(path)


def _digest(path: Path, file: File) -> str:
    large = len(file.digest) == 64
    with path.open("rb") as source:
        return hashlib.file_digest(
            source,
            hashlib.sha256 if large else lambda: hashlib.sha1(b"blob %d\0" % file.size),
        ).hexdigest()


def _must_be_ours(name: str, files: set[str], kind: str) -> None:
    if CONFIG not in files and adapter.CONFIG in files:
        raise refusal(
            "there is only an adapter in {name}, and an adapter is no model by itself; take the model"
            " that it was made for"
        )
    if CONFIG not in files:
        raise refusal("there is no config.json in {name}, so it is no checkpoint of `transformers`")
    from engine.pretrained import observed

    if kind and kind not in families.ids() and not observed.opens(kind):
        raise refusal(
            "the checkpoint {name} is of the type {kind!r}; there are {known}",
            known=families.ids(),
        )
    if not _weights(files):
        raise refusal("there are no weights saved as .safetensors or pytorch_model.bin in {name}")


def _must_have_room(offered: Offered, store: Path | None) -> None:
    """On the disk for what is fetched and for the run that is made of it, and in memory."""
    place, runs = _there(_store(store)), _there(home())
    numbers, fetched = offered.numbers, left(offered, store)
    run = STORED * numbers if place.stat().st_dev == runs.stat().st_dev else 0
    need, free = fetched + run, shutil.disk_usage(place).free
    memory = psutil.virtual_memory().available
    if fetched and need > free:
        raise refusal(
            "there is no room for {name}: with the run that is made of it, it takes {need:,.1f} GB of"
            " the disk, and {free:,.1f} GB are free",
            name=offered.name,
            need=need / 1e9,
            free=free / 1e9,
        )
    if BYTES * numbers > memory:
        raise refusal(
            "there is not enough memory for {name}: it needs {need:,.1f} GB, and {free:,.1f} GB are"
            " free; take a smaller one, or close other programs",
            name=offered.name,
            need=BYTES * numbers / 1e9,
            free=memory / 1e9,
        )
    limits.check_room(fetched + STORED * numbers)


def _there(place: Path) -> Path:
    return next(path for path in (place, *place.absolute().parents) if path.is_dir())


@contextmanager
def _said(name: str, begun: bool = False) -> Iterator[None]:
    """Whatever the hub refuses, in one sentence.  `begun`: a part of it may be here."""
    from huggingface_hub import errors, get_token

    try:
        yield
    except errors.GatedRepoError as error:
        if person() is not None:
            raise refusal(
                "the hub gives {name} only to those who accepted its licence, and this server asks in"
                " nobody's name"
            ) from error
        raise refusal(
            "the hub gives {name} only to those who accepted its licence; do that there, log in with"
            " `hf auth login`, and try again"
        ) from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise refusal(
            "there is no public checkpoint {name!r} at the hub; check the name"
        ) from error
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        if status == 401 and _token() is None and get_token():
            raise refusal(
                "the hub does not take the log-in that is kept on this computer; renew it with"
                " `hf auth login`, or end it with `hf auth logout`"
            ) from error
        raise refusal(
            "the hub does not give {name}, with the answer {status}; try again later"
        ) from error
    except (errors.HTTPError, errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError) as error:
        if begun:
            raise refusal(
                "the connection to the hub was lost before all of {name} was here; try again, and it"
                " goes on where it stopped"
            ) from error
        raise refusal(
            "the hub can't be reached, and {name} is not on this computer; connect to the network, or"
            " give the folder of a checkpoint",
            Unreachable,
        ) from error
    except OSError as error:
        if error.errno is None:  # the library's own
            raise refusal("what came of {name} is not what the hub said; try again") from error
        raise refusal(
            "the files of {name} can't be kept: {said}", said=explain_error(error)
        ) from error
    except Exception as error:
        if error.args and isinstance(error.args[0], Message):
            raise
        raise refusal(
            "what the hub answers about {name} can't be read; check the network, or try again later"
        ) from error
