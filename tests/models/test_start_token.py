"""A start token stands where the checkpoint's own tokenizer puts it, and where the switch says: what comes
next is what the library computes of the same tokens, in a folder, a run, a zip and a GGUF file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, processors

from engine.live import cache
from engine.runs import imported, store
from engine.runs.archive.pack import pack
from engine.runs.archive.unpack import unpack
from engine.storage.run_folder import NOTE, WEIGHTS
from tests.conftest import only_runs
from tests.models.checkpoints import CLOSE, TEXT, change, read_json, saved, write_json
from tests.models.test_gguf import net_of, write
from tests.pages.opening import opened, sound
from tests.pages.test_every_page import answered

START = "<s>"


def checkpoint(place: Path, *, puts: bool) -> Any:
    """A small Llama whose tokenizer puts a start token before a text, or does not; its net."""
    net = saved("llama", place)
    if puts:
        tokens = Tokenizer.from_file(str(place / "tokenizer.json"))
        tokens.post_processor = processors.TemplateProcessing(
            single=f"{START} $A", special_tokens=[(START, tokens.token_to_id(START))]
        )
        tokens.save(str(place / "tokenizer.json"))
    return net


def by_the_library(net: Any, place: Path, *, special: bool) -> np.ndarray:
    """(V,) what comes after the text; `special`: with what the tokenizer puts around it."""
    from transformers import AutoTokenizer

    read = AutoTokenizer.from_pretrained(place)
    ids = read(TEXT, add_special_tokens=special, return_tensors="pt").input_ids
    return after(net, ids)


@torch.no_grad()
def after(net: Any, ids: torch.Tensor) -> np.ndarray:
    found: np.ndarray = net(ids).logits[0, -1].softmax(-1).numpy()
    return found


def next_of(run: store.Run) -> np.ndarray:
    found: np.ndarray = cache.model(run).trace(TEXT).field("probability").values[-1]
    return found


@pytest.mark.parametrize("puts", [True, False])
def test_it_stands_where_the_tokenizer_puts_it_or_the_switch(tmp_path: Path, puts: bool) -> None:
    net = checkpoint(tmp_path / "there", puts=puts)
    run = imported.store(str(tmp_path / "there"), tmp_path / "run")
    assert run.note["checkpoint"]["opens"] is puts
    assert run.note["checkpoint"]["opening"] == START
    own, plain = (by_the_library(net, tmp_path / "there", special=at) for at in (True, False))
    np.testing.assert_allclose(next_of(run), own, atol=CLOSE)
    other = run.read_as("alone" if puts else "behind")
    model = cache.model(other)
    bare = cache.model(run.read_as("alone")).tokens(TEXT).ids
    if puts:
        np.testing.assert_allclose(next_of(other), plain, atol=CLOSE)
    else:
        ids = torch.tensor([[model.tokenizer.opening, *bare]])
        np.testing.assert_allclose(next_of(other), after(net, ids), atol=CLOSE)
    assert abs(next_of(run) - next_of(other)).max() > 10 * CLOSE
    assert len(model.tokens(TEXT)) == len(bare) + (not puts)
    assert len(model.marks()) == (not puts)
    # nothing that is kept of the one is taken for the other, and neither is opened twice
    assert (
        other.key != run.key
        and other.as_kept == run
        and run.read_as("behind" if puts else "alone") is run
    )
    assert model is cache.model(run.read_as("alone" if puts else "behind"))
    assert model.net is cache.model(run).net  # type: ignore[attr-defined]
    # an empty text is read behind the mark in any case: of nothing nothing can be foretold
    assert [len(cache.model(of).tokens("")) for of in (run, other)] == [1, 1]


def test_a_zip_keeps_it(tmp_path: Path) -> None:
    checkpoint(tmp_path / "there", puts=False)
    run = imported.store(str(tmp_path / "there"), tmp_path / "run")
    pack(run, tmp_path / "run.zip")
    came = unpack(tmp_path / "run.zip", store.RunStore(tmp_path / "runs")).run
    assert came.note["checkpoint"]["opens"] is False
    np.testing.assert_array_equal(next_of(came), next_of(run))
    np.testing.assert_array_equal(next_of(came.read_as("behind")), next_of(run.read_as("behind")))


def as_before(run: Path) -> None:
    """A run as it was written before it said whether its tokenizer puts a start token: each text was read
    behind one."""
    note = read_json(run / NOTE)
    del note["checkpoint"]["opens"], note["checkpoint"]["opening"]
    write_json(run / NOTE, note)
    from safetensors.numpy import load_file, save_file

    weights = load_file(run / WEIGHTS)
    about = json.loads(weights["tokenizer"].tobytes())
    del about["opens"]
    weights["tokenizer"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    save_file(weights, run / WEIGHTS)


def test_a_run_of_before_reads_as_it_did(tmp_path: Path) -> None:
    checkpoint(tmp_path / "there", puts=False)
    run = imported.store(str(tmp_path / "there"), tmp_path / "run")
    behind = next_of(run.read_as("behind"))
    shutil.copytree(tmp_path / "run", tmp_path / "old")
    as_before(tmp_path / "old")
    old = store.RunStore().find(str(tmp_path / "old"))
    np.testing.assert_array_equal(next_of(old), behind)


@pytest.mark.parametrize("puts", [True, False])
def test_a_file_says_whether_its_tokenizer_puts_one(tmp_path: Path, puts: bool) -> None:
    net = net_of("llama", vocab_size=300)
    write(tmp_path / "tiny.gguf", "llama", net, **{"tokenizer.ggml.add_bos_token": puts})
    run = imported.store(str(tmp_path / "tiny.gguf"), tmp_path / "run")
    assert run.note["checkpoint"]["opens"] is puts
    ids = cache.model(run.read_as("alone")).tokens(TEXT).ids
    for mark in (True, False):
        read = torch.tensor([[0, *ids] if mark else [*ids]])
        np.testing.assert_allclose(
            next_of(run.read_as("behind" if mark else "alone")), after(net, read), atol=CLOSE
        )


PAGES = ("transformer", "heads", "attention", "decoding")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: Any) -> Iterator[None]:
    """Pages see two imported runs, of which one puts a start token, an old one, and the shipped one."""
    place = tmp_path_factory.mktemp("imported")
    for name, puts in (("puts", True), ("alone", False)):
        checkpoint(place / f"{name}-there", puts=puts)
        change(place / f"{name}-there", _name_or_path=name)
        imported.store(str(place / f"{name}-there"), place / name)
    shutil.copytree(place / "alone", place / "old")
    as_before(place / "old")
    runs = {name: place / name for name in ("puts", "alone", "old")}
    for _root in only_runs(
        tmp_path_factory, {"transformer": store.SHIPPED / "transformer", **runs}
    ):
        yield


def switch(at: Any) -> Any:
    return next((one for one in at.toggle if one.label.startswith("Read behind")), None)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_has_the_switch_for_what_came_with_one(page: str, shown: None) -> None:
    assert switch(opened(page, run="transformer")) is None
    assert switch(opened(page, run="old")) is None
    at = opened(page, run="alone")
    assert switch(at).label == "Read behind \\<s\\>" and switch(at).value is False
    plain = read(at, page)
    sound(switch(at).set_value(True).run())
    behind = read(at, page)
    assert behind["total"] == plain["total"] + 1 and behind["labels"][0] == START
    # another run has its own
    sound(at.selectbox(key=f"{page}.run").set_value("puts").run())
    assert switch(at).value is True
    linked = opened(page, run="alone", **{f"{page}.start.alone": "true"})
    assert switch(linked).value is True and read(linked, page)["total"] == behind["total"]


def read(at: Any, page: str) -> Any:
    (part, *_) = answered(at, page, TEXT)[0]["readings"]
    return part
