"""Folders of checkpoints of every family with anything changed: settings, tokenizer, weights, bytes.
Each is opened and answers, or one sentence says why not."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from engine.pretrained import checkpoint
from engine.pretrained.stored import INDEX
from tests.fuzz.test_run_zips import header, with_header
from tests.fuzz.timed import JSON, SCALARS, SECONDS, Sound, Sounds, broken, changed, is_plain, tried
from tests.models.test_adapters import with_lora
from tests.models.test_every_setting import KINDS, other, saved
from tests.models.test_low_precision import FEW, lowered

WEIGHTS, PART = "model.safetensors", "part.safetensors"
LOW = ("nf4 twice", "bitsandbytes 8", "gptq 4", "awq", "packed 4 with zeros", "fp8 in blocks")
NOTES = ("config.json", "tokenizer.json", "tokenizer_config.json")
MOST_SECONDS = 30.0


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sounds:
    """A small checkpoint of each family, some in few bits, one with an adapter."""
    root = tmp_path_factory.mktemp("sound")
    for name in KINDS:
        saved(name, root / name)
    for few in LOW:
        lowered("llama", FEW[few], root / few)
    with_lora("llama", root / "lora", saved("llama", root / "lora"), target_modules=["q_proj"])
    return Sounds({name: root / name for name in (*KINDS, *LOW, "lora")})


@cache
def text_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


Change = tuple[str, str, Any]


@st.composite
def changes(draw: st.DrawFn, sound: Sounds) -> tuple[str, list[Change]]:
    """(family, what is changed of which file)."""
    name = draw(st.sampled_from(sorted(sound)))
    found: list[Change] = []
    own = ["adapter_config.json"] if name == "lora" else []
    notes = [*NOTES, *own]
    weights = [WEIGHTS, *(["adapter_model.safetensors"] if own else [])]
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(
            st.sampled_from([*"setting setting note weight header index bytes gone".split()])
        )
        file = draw(st.sampled_from(notes))
        if kind == "setting":
            config = text_of(sound[name] / "config.json")
            about = config.get("quantization_config")
            inner = bool(about) and draw(st.booleans())
            of = about if inner else config
            field = draw(st.sampled_from(sorted(of)))
            values = [st.just(value) for value in other(field, of[field])]
            value = draw(st.one_of(SCALARS, changed(of[field]), *values))
            setting = {"quantization_config": about | {field: value}} if inner else {field: value}
            found.append(("set", "config.json", setting))
        elif kind == "note":
            found.append(("write", file, draw(changed(text_of(sound[name] / file)))))
        elif kind == "weight":
            how = draw(st.sampled_from(["drop", "rename", "turn", "cut", "half", "nan", "whole"]))
            found.append((how, draw(st.sampled_from(weights)), draw(st.integers(0, 10**6))))
        elif kind == "header":
            said, numbers = header((sound[name] / WEIGHTS).read_bytes())
            size = draw(st.sampled_from([None, None, None, 0, 2**63 - 1, 2**64 - 1]))
            raw = Sound(with_header(draw(changed(said)), numbers, size))
            found.append(("bytes", WEIGHTS, raw))
        elif kind == "index":
            files = draw(
                st.lists(
                    st.sampled_from([PART, WEIGHTS, "../x", "/etc/passwd", ""]) | JSON, max_size=3
                )
            )
            named = {f"w{n}": file for n, file in enumerate(files)}
            found.append(("new", INDEX, draw(changed({"weight_map": named}))))
        elif kind == "bytes":
            file = draw(st.sampled_from([*notes, *weights]))
            found.append(("bytes", file, draw(broken(Sound((sound[name] / file).read_bytes())))))
        else:
            found.append(("gone", draw(st.sampled_from([*NOTES, WEIGHTS])), None))
    return name, found


def apply(place: Path, change: Change) -> None:
    how, name, value = change
    file = place / name
    if how == "gone":
        file.unlink(missing_ok=True)
    elif how == "new":  # an index counts where there is not one file alone
        if (place / WEIGHTS).is_file():
            (place / WEIGHTS).rename(place / PART)
        file.write_text(json.dumps(value), encoding="utf-8")
    elif not file.is_file():
        return
    elif how == "bytes":
        file.write_bytes(value)
    elif how in ("set", "write"):
        with contextlib.suppress(ValueError):
            whole = json.loads(file.read_bytes()) if how == "set" else {}
            if how == "write" or isinstance(whole, dict):
                value = whole | value if how == "set" else value
                file.write_text(json.dumps(value), encoding="utf-8")
    else:
        _tamper(file, how, value)


def _tamper(file: Path, how: str, at: int) -> None:
    try:
        parts = load_file(file)
    except Exception:  # its bytes were changed before
        return
    name = sorted(parts)[at % len(parts)]
    one = parts.pop(name)
    if how == "rename":
        parts[f"other.{name}"] = one
    elif how == "turn":
        parts[name] = one.reshape(one.shape[::-1])
    elif how == "cut":
        parts[name] = (one[: len(one) // 2] if one.ndim else one.expand(0)).contiguous()
    elif how == "half":
        parts[name] = one.to(torch.bfloat16)
    elif how == "nan":
        parts[name] = torch.full_like(one.float(), torch.nan)
    elif how == "whole":
        parts[name] = one.to(torch.int64)
    save_file(parts, file, metadata={"format": "pt"})


@pytest.mark.parametrize(
    "name", ["9" * 5000, "a\x82b\u202e", "x\0"], ids=["long", "odd", "nothing"]
)
def test_an_index_names_a_file_that_no_disk_has(name: str, sound: Sounds, tmp_path: Path) -> None:
    place = tmp_path / "one"
    shutil.copytree(sound["gpt2"], place)
    (place / WEIGHTS).unlink()
    (place / INDEX).write_text(json.dumps({"weight_map": {"w": name}}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"is incomplete: .{1,80} is missing") as problem:
        checkpoint.load(place)
    assert is_plain(str(problem.value))


def test_a_tokenizer_that_names_a_mark_it_does_not_have(sound: Sounds, tmp_path: Path) -> None:
    """The tokenizers library takes it, and panics as soon as it has to put that mark somewhere."""
    place = tmp_path / "one"
    shutil.copytree(sound["bert"], place)
    about = json.loads((place / "tokenizer.json").read_text(encoding="utf-8"))
    about["post_processor"]["pair"][0]["SpecialToken"]["id"] = "[NONE]"
    (place / "tokenizer.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ValueError, match="the tokenizers library can't work with it") as problem:
        checkpoint.load(place)
    assert is_plain(str(problem.value))


@SECONDS
def test_any_checkpoint(seconds: float, sound: Sounds, tmp_path: Path) -> None:
    place = tmp_path / "one"

    def opens_or_says(case: tuple[str, list[Change]]) -> None:
        name, found = case
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(sound[name], place)
        for change in found:
            apply(place, change)
        begun = time.process_time()
        try:
            if checkpoint.find(str(place)) is None:
                return  # nothing says any more that it is one
            ours = checkpoint.load(place)
            ours.trace("the cat sat => a dog" if name == "t5" else "the cat sat")
        except ValueError as problem:
            said = str(problem)
            assert type(problem) is ValueError, repr(problem)
            assert is_plain(said) and len(said) < 1000 and "Error" not in said, said
        assert time.process_time() - begun < MOST_SECONDS

    assert tried(changes(sound), opens_or_says, seconds) >= 5
