"""Zips of runs with anything in them: settings, words, weights, snapshots, names and bytes changed, with
a list of contents that is true of it.  Each arrives whole and answers, or one sentence refuses it and
nothing is left behind."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from engine.runs.archive import unpack
from engine.runs.archive.manifest import Refused
from engine.runs.archive.pack import pack
from engine.runs.store import RunStore
from engine.storage.run_folder import NOTE, WEIGHTS
from engine.training import trial
from tests.fuzz.timed import JSON, SECONDS, Sound, Sounds, broken, changed, is_plain, lying, tried
from tests.runs.test_archive import Members, listed, members, untouched, zipped

RUNS = ("ngram", "lstm", "transformer", "skipgram", "bert", "tagger", "seq2seq")
MOST_SECONDS = 30.0
ODD_NAMES = ("../x", "/x", "a\\b", "snapshots/00000002.safetensors", "x" * 300, "con", NOTE + " ")


@pytest.fixture(scope="module")
def archives(run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Sounds:
    found = Sounds()
    for model in RUNS:
        path = tmp_path_factory.mktemp("zips") / "a.zip"
        pack(RunStore().find(str(run_folder(model))), path)
        found[model] = Sound(path.read_bytes())
    return found


def header(raw: bytes) -> tuple[Any, bytes]:
    """What a file of weights says of itself, and its numbers."""
    size = struct.unpack_from("<Q", raw)[0]
    return json.loads(raw[8 : 8 + size]), raw[8 + size :]


def with_header(said: Any, numbers: bytes, size: int | None = None) -> bytes:
    """`size`: what it says of its own length, where that is not so."""
    made = json.dumps(said).encode()
    return struct.pack("<Q", len(made) if size is None else size) + made + numbers


@st.composite
def zips(draw: st.DrawFn, archives: Sounds) -> bytes:
    archive = archives[draw(st.sampled_from(sorted(archives)))]
    if not draw(st.integers(0, 4)):
        return draw(broken(archive) | lying(archive))
    parts: Members = members(archive)
    about: dict[str, Any] = {}
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(parts)))
        kind = draw(st.sampled_from(["note", "json", "header", "bytes", "drop", "add", "list"]))
        note = {}
        with contextlib.suppress(ValueError, KeyError):
            note = json.loads(parts[NOTE])
        if kind == "note" and isinstance(note, dict):
            of = draw(st.sampled_from([*["config"] * 9, *sorted(note)]))
            parts[NOTE] = json.dumps(note | {of: draw(changed(note.get(of)))}).encode()
        elif kind == "json" and name.endswith(".json"):
            with contextlib.suppress(ValueError):  # its bytes were changed before
                parts[name] = json.dumps(draw(changed(json.loads(parts[name])))).encode()
        elif kind == "header" and WEIGHTS in parts:
            with contextlib.suppress(ValueError, struct.error):
                said, numbers = header(parts[WEIGHTS])
                size = draw(st.sampled_from([None, None, 0, 2**63 - 1, 2**64 - 1]))
                parts[WEIGHTS] = with_header(draw(changed(said)), numbers, size)
        elif kind == "bytes":
            parts[name] = draw(broken(Sound(parts[name])))
        elif kind == "drop":
            del parts[name]
        elif kind == "add":
            parts[draw(st.sampled_from(ODD_NAMES))] = draw(st.binary(max_size=40))
        else:
            about = {draw(st.sampled_from(["format", "version", "id", "members"])): draw(JSON)}
        if not parts:
            break
    twice = draw(st.sampled_from(["", "", "", *sorted(parts)]))
    return zipped(listed(parts, **about), twice=twice)


@SECONDS
def test_any_run_zip(
    seconds: float,
    archives: Sounds,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def here(folder: Path, weights_bytes: int) -> None:
        """In this process, to save the seconds that another needs to start."""
        if said := trial.problem(folder):
            raise Refused(said)

    monkeypatch.setattr(unpack, "_try_to_open", here)

    def arrives_or_is_refused(raw: bytes) -> None:
        store = RunStore(tmp_path_factory.mktemp("store"))
        begun = time.process_time()
        with warnings.catch_warnings(action="ignore"):
            try:
                arrived = unpack.unpack(io.BytesIO(raw), store)
            except ValueError as refusal:
                said = str(refusal)
                assert is_plain(said) and len(said) < 600, said
                assert untouched(store)
            else:
                model = store.load(arrived.run)
                model.trace("the cat\nthe dog" if model.tokens("").source else "the cat")
                assert store.all() and zipfile.is_zipfile(io.BytesIO(raw))
        assert time.process_time() - begun < MOST_SECONDS

    assert tried(zips(archives).map(Sound), arrives_or_is_refused, seconds) >= 5
