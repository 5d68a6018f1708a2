"""Weights that have no place in our models: those that are left out change nothing of what the library
answers, and any other is refused by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.pretrained import checkpoint
from engine.pretrained.base import without_effect
from engine.pretrained.stored import ONE
from tests.conftest import sampled
from tests.models.checkpoints import KINDS, TRANSLATORS, saved

# none of ours: heads that read pictures or that need more than the family's config
NOT_MADE = {"JevForDecision"}
# what older files hold besides, which the library makes itself or passes over
ANSWERS = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
OLD: dict[str, list[tuple[str, torch.Tensor]]] = {
    "gpt2": [
        ("transformer.h.0.attn.bias", torch.ones(1, 1, 48, 48, dtype=torch.bool)),
        ("transformer.h.1.attn.masked_bias", torch.tensor(-1e4)),
        ("v_head.summary.weight", torch.randn(1, 16)),
        ("multiple_choice_head.summary.bias", torch.randn(1)),
    ],
    "gpt_neox": [
        ("gpt_neox.layers.0.attention.bias", torch.ones(1, 1, 64, 64, dtype=torch.uint8)),
        ("gpt_neox.layers.1.attention.rotary_emb.inv_freq", torch.randn(2)),
    ],
    "llama": [("model.layers.0.self_attn.rotary_emb.inv_freq", torch.randn(2))],
    "bert": [
        ("bert.embeddings.position_ids", torch.arange(40)[None]),
        ("bert.embeddings.token_type_ids", torch.zeros(1, 40, dtype=torch.int64)),
    ],
    "t5": [(ANSWERS, torch.randn(32, 2))],
}


def heads(family: str) -> Iterator[str]:
    """Every class of the library that a checkpoint of this family can be saved from."""
    import transformers as hf
    from transformers.models.auto import modeling_auto

    config = KINDS[family].config
    kind, found = getattr(hf, config).model_type, set[str]()
    for name in dir(modeling_auto):
        if name.endswith("MAPPING_NAMES"):
            classes = dict(getattr(modeling_auto, name)).get(kind, ())
            found |= {classes} if isinstance(classes, str) else set(classes)
    yield from sorted(c for c in found - NOT_MADE - {config} if hasattr(hf, c))


def answers(family: str, place: Path) -> Any:
    """What the library answers where our model shows what it reads: its head for words, or all layers."""
    import transformers as hf

    torch.manual_seed(1)  # parts that a file lacks are drawn
    net = getattr(hf, KINDS[family].head).from_pretrained(place, local_files_only=True).eval()
    ids = torch.tensor([[5, 9, 11, 7]])
    more = {"decoder_input_ids": ids} if family in TRANSLATORS else {}
    found = net(ids, output_hidden_states=True, return_dict=True, **more)
    kept = ("prediction_logits", "logits", "hidden_states", "decoder_hidden_states")
    if family == "modernbert" and "head.dense.weight" in left_out(place):
        kept = kept[
            2:
        ]  # of a classifier its head for words would take what stands before the classes
    return {k: v for k, v in found.items() if k in kept and k != "seq_relationship_logits"}


def left_out(place: Path) -> list[str]:
    """What is left out of a checkpoint."""
    return list(checkpoint.note(place)["checkpoint"]["left_out"])


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    return all(same(x, y) for x, y in zip(a, b, strict=True))


@sampled("family", KINDS)
@torch.no_grad()
def test_what_is_left_out_changes_nothing(family: str, tmp_path: Path) -> None:
    """Of every head of every family."""
    import transformers as hf

    kind, shown, left = KINDS[family], 0, set()
    for head in heads(family):
        place = tmp_path / head
        saved(family, place)
        (place / ONE).unlink()
        getattr(hf, head)(getattr(hf, kind.config)(**kind.small)).save_pretrained(place)
        stored = load_file(place / ONE)
        old = {name: x for name, x in OLD.get(family, ()) if name not in stored}
        save_file(stored | old, place / ONE, metadata={"format": "pt"})
        try:
            note = checkpoint.note(place)["checkpoint"]
        except ValueError as problem:
            said = str(problem)
            assert "can't be shown" in said and "have no place" not in said, (head, said)
            continue
        shown += 1
        left |= set(note["left_out"])
        plain = answers(family, place)
        others = {n: x for n, x in (stored | old).items() if n in note["left_out"] or n in old}
        for name, x in others.items():
            assert without_effect(name), (head, name)
            others[name] = torch.randn(x.shape) if x.is_floating_point() else torch.zeros_like(x)
        save_file(stored | others, place / ONE, metadata={"format": "pt"})
        changed = answers(family, place)
        assert plain.keys() == changed.keys() and len(plain) >= 1
        for key in plain:
            assert same(plain[key], changed[key]), (head, key)
    assert shown >= 1


STRANGE = ["x", "layers.0.attn.bias", "score.dense.weight", "model.mtp.weight"]
WITHIN = ("0.self_attn.q_proj.weight_scale", "2.self_attn.q_proj.weight", "0.mlp.act.scales")
STRANGE += [f"model.layers.{end}" for end in (*WITHIN, "0.self_attn.q_norm.weight")]


def test_a_weight_that_is_not_known_is_refused(tmp_path: Path) -> None:
    saved("llama", tmp_path)
    stored = load_file(tmp_path / ONE)
    for name in STRANGE:
        save_file(stored | {name: torch.randn(16)}, tmp_path / ONE, metadata={"format": "pt"})
        with pytest.raises(ValueError, match=rf"may change what it answers: {name}$"):
            checkpoint.find(str(tmp_path))
        assert not without_effect(name)


@sampled("family", KINDS)
def test_so_it_is_in_every_family(family: str, tmp_path: Path) -> None:
    """Each weight of theirs under a name beside its own."""
    saved(family, tmp_path)
    stored = load_file(tmp_path / ONE)
    for name in (min(stored), max(stored)):
        other = {f"{name.rpartition('.')[0]}_2.weight": stored[name].clone()}
        save_file(stored | other, tmp_path / ONE, metadata={"format": "pt"})
        with pytest.raises(ValueError, match="have no place here"):
            checkpoint.find(str(tmp_path))
