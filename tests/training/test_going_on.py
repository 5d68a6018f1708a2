"""A run that goes on from another: what it holds, what it needs, and its LoRA as the peft library keeps
and reads one."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from engine.__main__ import main
from engine.core.registry import models
from engine.jobs import control
from engine.pretrained.adapter import CONFIG, WEIGHTS
from engine.runs import adapters, imported
from engine.runs.store import RunStore
from engine.storage import quantised
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import NOTE
from engine.storage.run_folder import WEIGHTS as NUMBERS
from engine.training import going_on, job
from tests.cli.test_cli import good, object_of, wrong
from tests.conftest import TEXT, Capture, Patch
from tests.models.checkpoints import saved

SIZES = "layers=2 width=16 heads=2 context=32 span=12 batch=4 steps=6 tokenizer=chars".split()
SIZES = [part for size in SIZES for part in ("--set", size)]
QUICK = ["--set", "steps=6", "--set", "batch=4", "--set", "span=12", "--set", "held_out_every=3"]
OTHER = "the dog saw a cat\na cat sat on the dog\n" * 20
LLAMA = "the cat sat on the mat\n" * 30


@pytest.fixture
def home(tmp_path: Path, monkeypatch: Patch, capsys: Capture) -> Path:
    """With a run called `first`."""
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.txt").write_text(OTHER, encoding="utf-8")
    train(capsys, tmp_path, "first", "a.txt", *SIZES)
    return tmp_path


def train(capsys: Capture, home: Path, name: str, text: str, *more: str) -> dict[str, Any]:
    out = str(home / "runs" / name)
    asked = ["train", "transformer", "--text", str(home / text), "--out", out, *more]
    return object_of(capsys, *asked)


def says(name: str) -> np.ndarray:
    store = RunStore()
    made: np.ndarray = store.load(store.find(name)).trace("the cat").field("probability").values
    return made


@pytest.mark.parametrize("tune", ["whole", "layers", "adapters", "lora"])
def test_a_run_holds_what_it_changed(tune: str, home: Path, capsys: Capture) -> None:
    rank = ["--set", "lora_rank=2"] * (tune == "lora")
    last = ["--set", "unfrozen=0"] * (tune == "layers")
    asked = ("--start", "first", "--set", f"tune={tune}", *QUICK, *rank, *last)
    made = train(capsys, home, "second", "b.txt", *asked)
    assert made["steps"] == 6 and made["config"]["layers"] == 2
    assert made["held_out"]["perplexity"] > 1
    held = read_arrays(home / "runs" / "second" / NUMBERS)
    kept = {name for name in held if "tokenizer" not in name}
    every = set(read_arrays(home / "runs" / "first" / NUMBERS))
    if tune == "whole":
        assert set(held) == every
    elif tune == "layers":
        assert kept == {"embed.weight", "tower.norm.weight", "tower.norm.bias"}
    else:
        assert kept and not kept & every
    assert np.abs(says("first") - says("second")).max() > 1e-5
    shutil.rmtree(home / "runs" / "first")
    if tune == "whole":
        assert says("second").shape
        return
    with pytest.raises(ValueError, match="only what it changed of the run first, and that is not"):
        says("second")
    train(capsys, home, "first", "b.txt", *SIZES)
    with pytest.raises(ValueError, match="what is here under that name is another"):
        says("second")


def test_paused_it_goes_on_to_the_same_numbers(
    home: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    asked = ["--start", "first", "--set", "tune=lora", *QUICK]
    train(capsys, home, "whole", "b.txt", *asked)
    place = home / "runs" / "parts"
    asking, steps = control.ControlFile.__call__, []

    def ask(self: control.ControlFile) -> str:
        steps.append(1)
        return control.PAUSE if len(steps) == 3 else asking(self)

    monkeypatch.setattr(control.ControlFile, "__call__", ask)
    assert train(capsys, home, "parts", "b.txt", *asked)["state"] == "paused"
    assert not (place / NOTE).exists()
    kept = job.read(place)
    assert kept is not None and kept.start == "first"
    assert main(kept.arguments(place)) == 0
    for name, values in read_arrays(home / "runs" / "whole" / NUMBERS).items():
        assert np.array_equal(values, read_arrays(place / NUMBERS)[name]), name


def test_what_does_not_fit_is_said_and_leaves_nothing(home: Path, capsys: Capture) -> None:
    out = home / "runs" / "bad"

    def refused(model: str = "transformer", text: str = TEXT, *more: str) -> str:
        (home / "c.txt").write_text(text, encoding="utf-8")
        asked = ["train", model, "--text", str(home / "c.txt"), "--out", str(out), *more]
        said = wrong(capsys, *asked)
        assert not out.exists()
        return said

    first = ("--start", "first")
    assert "a text of one line" in refused("transformer", "the cat sat", *first)
    assert "does not fit this text" in refused("transformer", "Ω Ψ Φ\nΦ Ω Ψ\n" * 30, *first)
    assert "a run of the model transformer" in refused("lstm", TEXT, *first)
    assert "no run 'nobody'" in refused("transformer", TEXT, "--start", "nobody")
    assert "can't be trained further" in refused("ngram", TEXT, "--start", "ngram")
    large = ("--set", "tune=lora", "--set", "lora_rank=99")
    assert "take at most 16" in refused("transformer", TEXT, *first, *large)
    assert "go on from a run" in refused("transformer", TEXT, "--set", "tune=layers", *SIZES)


def test_a_lora_of_ours_there_and_back(home: Path, capsys: Capture) -> None:
    """Query and value lie in one matrix: block by block in the file, apart here."""
    asked = ("--start", "first", "--set", "tune=lora", "--set", "lora_rank=3", *QUICK)
    train(capsys, home, "second", "b.txt", *asked)
    made = object_of(capsys, "adapter", "second", "--out", str(home / "peft"))
    assert made["rank"] == 3 and made["parameters"] == 2 * 2 * 3 * 32
    about = json.loads((home / "peft" / CONFIG).read_text())
    assert about["r"] == 6 and about["base_model_name_or_path"] == "first"
    good(
        capsys, "adapter", "first", "--take", str(home / "peft"), "--out", str(home / "runs/third")
    )
    assert_allclose(says("third"), says("second"), atol=1e-6)
    here, there = (quantised.read(home / "runs" / n / NUMBERS) for n in ("second", "third"))
    for name in (n for n in here if ".lora_" in n):
        assert_allclose(here[name], there[name], atol=1e-7, err_msg=name)
    with_peft(home)
    take = ("--take", str(home / "peft"), "--out", str(home / "runs" / "bad"))
    assert "no network that an adapter" in wrong(capsys, "adapter", "ngram", *take)
    said = wrong(capsys, "adapter", "first", "--out", str(home / "nothing"))
    assert "was not trained with tune=lora" in said and not (home / "nothing").exists()


def with_peft(home: Path) -> None:
    """The library reads our file around our own net, and says what our run says."""
    import peft

    store = RunStore()
    model: Any = store.load(store.find("first"))
    settings = peft.LoraConfig.from_pretrained(str(home / "peft"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peft.inject_adapter_in_model(settings, model.net)
        found = peft.load_peft_weights(str(home / "peft"), device="cpu")
        peft.set_peft_model_state_dict(model.net, found)
    assert_allclose(model.trace("the cat").field("probability").values, says("second"), atol=1e-5)


def test_a_lora_on_a_checkpoint_is_what_peft_says(
    home: Path, capsys: Capture, tmp_path: Path
) -> None:
    """Trained here and read by the library; made by the library and read here."""
    import peft

    place = tmp_path / "llama"
    net = saved("llama", place)
    imported.store(str(place), home / "runs" / "llama", called="llama")
    (home / "l.txt").write_text(LLAMA, encoding="utf-8")
    asked = ("--set", "tune=lora", "--set", "lora_targets=all", "--set", "lora_rank=2")
    asked = ("--start", "llama", *asked, "--set", "rate=0.02", *QUICK)
    train(capsys, home, "tuned", "l.txt", *asked)
    good(capsys, "adapter", "tuned", "--out", str(home / "peft"))
    store = RunStore()
    ours: Any = store.load(store.find("tuned"))
    ids = torch.arange(20)[None] % 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peft.PeftModel.from_pretrained(net, str(home / "peft")).eval()
    with torch.no_grad():
        said = theirs(ids).logits
        assert_allclose(ours.net(ids), said, atol=1e-5)
        for name, p in theirs.named_parameters():
            if "lora_" in name:
                p.normal_(std=0.2)
        theirs.peft_config["default"].base_model_name_or_path = str(place)
        theirs.save_pretrained(str(home / "theirs"))
        made = adapters.take(store.find("llama"), home / "theirs", home / "runs" / "taken")
        assert made["rank"] == 2
        ours = store.load(store.find("taken"))
        assert_allclose(ours.net(ids), theirs(ids).logits, atol=1e-4)
        assert (ours.net(ids) - said).abs().max() > 1e-2


def test_an_adapter_for_another_model_is_refused(
    home: Path, capsys: Capture, tmp_path: Path
) -> None:
    train(capsys, home, "second", "b.txt", "--start", "first", "--set", "tune=lora", *QUICK)
    good(capsys, "adapter", "second", "--out", str(home / "peft"))
    wide = [part.replace("width=16", "width=24") for part in SIZES]
    train(capsys, home, "wider", "a.txt", *wide)
    imported.store(str(folder_of("gpt2", tmp_path)), home / "runs" / "gpt2", called="gpt2")
    new = home / "runs" / "new"

    def taken(base: str, folder: Path = home / "peft") -> str:
        said = wrong(capsys, "adapter", base, "--take", str(folder), "--out", str(new))
        assert not new.exists()
        return said

    assert "for another model: its tower.blocks.0.attention.qkv is for a matrix" in taken("wider")
    assert "for another model: it changes tower.blocks.0" in taken("gpt2")
    assert "holds no adapter of peft" in taken("first", home / "runs")
    shutil.copytree(home / "peft", home / "odd")
    about = json.loads((home / "odd" / CONFIG).read_text())
    (home / "odd" / CONFIG).write_text(json.dumps(about | {"use_dora": True}))
    assert "only a LoRA of one rank, without lengths" in taken("first", home / "odd")
    (home / "odd" / CONFIG).write_text(json.dumps(about))
    (home / "odd" / WEIGHTS).write_bytes(b"{}")
    assert "damaged" in taken("first", home / "odd")


def folder_of(family: str, place: Path) -> Path:
    saved(family, place / family)
    return place / family


def test_settings_of_the_model_stay_and_those_of_training_are_new(home: Path) -> None:
    run = RunStore().find("first")
    found = going_on.config_of(run, {"tune": "lora"})
    assert (found.layers, found.width, found.tokenizer) == (2, 16, "chars")
    assert (found.steps, found.span, found.rate) == (300, 32, going_on.RATES["lora"])
    assert models.get("transformer").config_type is type(found)
