"""A checkpoint is compared with its library's own forward pass before it becomes a run: every family
agrees layer by layer, also in few bits, with an adapter and as a GGUF file; one whose weights are put
together wrongly is refused with the first layer where the two part."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from engine.__main__ import main
from engine.core.registry import families
from engine.pretrained import check, checkpoint, gguf
from engine.runs import imported
from tests.conftest import Capture, Patch, sampled
from tests.models.checkpoints import KINDS, TRANSLATORS, saved
from tests.models.test_adapters import QV, with_lora
from tests.models.test_gguf import net_of, write
from tests.models.test_low_precision import FEW, lowered

DEPTH = {"albert": 4, "modernbert": 5}
WIDE = {"vocab_size": 300, "hidden_size": 64, "intermediate_size": 96}


def compared(folder: Path) -> dict[str, float]:
    """(where, how far apart), the texts together."""
    ours = checkpoint.load(folder)
    theirs, found = check.library_model(folder, ours), dict[str, float]()
    for text in check.PAIRS if ours.card.id == "encoder_decoder" else check.TEXTS:
        given, parts = check.parts(ours, text)
        want = check.answers(theirs, given)
        for part in parts:
            found[part.where] = max(part.off(want), found.get(part.where, 0.0))
    return found


@sampled("name", KINDS, each=3)
def test_every_family_agrees(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    found = compared(tmp_path)
    assert max(found.values()) < check.CLOSE / 4
    depth, of = DEPTH.get(name, 2), " of the encoder" if name in TRANSLATORS else ""
    for n in range(depth):
        assert f"the attention weights of layer {n + 1}" in found
        assert f"layer {n + 1}" in found or n == depth - 1
    assert [*found][:: len(found) - 1] == [f"the embeddings{of}", "the logits"]
    assert check.validate(tmp_path, checkpoint.load(tmp_path)) == []


def test_weights_in_few_bits_and_an_adapter_agree(tmp_path: Path) -> None:
    net = lowered("llama", FEW["nf4 twice"], tmp_path)
    with_lora("llama", tmp_path, net, target_modules=QV)
    assert max(compared(tmp_path).values()) < check.CLOSE


def test_a_gguf_file_agrees(tmp_path: Path) -> None:
    (folder := tmp_path / "folder").mkdir()
    write(tmp_path / "model.gguf", "llama", net_of("llama", **WIDE), "Q8_0")
    gguf.unpack(tmp_path / "model.gguf", folder)
    assert max(compared(folder).values()) < check.CLOSE


def test_scores_of_thousands_round_by_more(tmp_path: Path) -> None:
    """As those of Qwen2, whose queries and keys have large biases: its library's own rounding is allowed
    for, and no more."""
    slow = {"rope_type": "default", "rope_theta": 1e8}
    net = saved("qwen2", tmp_path, rope_parameters=slow, hidden_size=48)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if re.search(r"[qk]_proj\.(weight|bias)", name):  # of the pair that hardly turns
                parameter.unflatten(0, (-1, 12))[:, 5] = 300.0 if name.endswith("bias") else 0.0
    net.save_pretrained(tmp_path)
    ours = checkpoint.load(tmp_path)
    assert max(compared(tmp_path).values()) > check.CLOSE
    assert check.first_apart(ours, check.library_model(tmp_path, ours)) is None
    with torch.no_grad():
        ours.tower.block(1).attention.qkv.weight[-12:] *= 1.5
    wrong = check.first_apart(ours, check.library_model(tmp_path, ours))
    assert wrong is not None and wrong[0] == "the logits"


def swapped(layer: int, **other: str) -> Any:
    """Llama with other weights in one layer: part of ours -> part of theirs."""
    family = families.get("llama")

    def parts(c: Any) -> Mapping[str, tuple[str, ...]]:
        wrong = {
            f"tower.blocks.{layer}.{ours}": (f"layers.{layer}.{theirs}",)
            for ours, theirs in other.items()
        }
        return {**family.parts(c), **wrong}

    return dataclasses.replace(family, parts=parts)


@pytest.mark.parametrize(
    ("family", "where"),
    [
        (
            lambda: swapped(
                1, **{"feed_forward.gate": "mlp.up_proj", "feed_forward.up": "mlp.gate_proj"}
            ),
            "the logits",
        ),
        (
            lambda: swapped(0, norm_2="input_layernorm", norm_1="post_attention_layernorm"),
            "the attention weights of layer 1",
        ),
        (
            lambda: dataclasses.replace(families.get("llama"), around_one=("1.norm_1",)),
            "the attention weights of layer 2",
        ),
    ],
)
def test_a_wrong_map_is_refused(
    family: Any, where: str, tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    net = saved("llama", tmp_path / "one")
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "norm" in name:
                parameter.add_(torch.randn_like(parameter) * 0.3)
    net.save_pretrained(tmp_path / "one")
    monkeypatch.setitem(families._got, "llama", family())
    assert main(["import", str(tmp_path / "one"), "--out", str(tmp_path / "run")]) == 2
    assert f"what is computed here part at {where}, by " in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_could_not_be_compared_is_said(tmp_path: Path, monkeypatch: Patch) -> None:
    saved("llama", tmp_path / "one")
    ours = checkpoint.load(tmp_path / "one")
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=10_000))
    (said,) = check.validate(tmp_path / "one", ours)
    assert "not compared with its library's own forward pass" in said and "0.0 GB are free" in said
    monkeypatch.undo()

    def broken(*_: object, **__: object) -> None:
        raise ImportError("no module named 'kernels'")

    monkeypatch.setattr(check, "library_model", broken)
    made = imported.store(str(tmp_path / "one"), tmp_path / "run")
    (said,) = made.note["checkpoint"]["notes"]
    assert said.endswith(
        "could not be compared with its library's own forward pass: no module named 'kernels'"
    )
