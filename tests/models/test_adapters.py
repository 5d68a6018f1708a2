"""Adapters beside a model: merged they give what `merge_and_unload` of the peft library gives."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.pretrained import adapter, checkpoint
from engine.runs.store import RunStore
from tests.conftest import sampled
from tests.models.checkpoints import CLOSE, apart, change, saved
from tests.models.test_low_precision import FEW, lowered

QV = ["q_proj", "v_proj"]
RANKS: dict[str, Any] = {"rank_pattern": {"q_proj": 5, "^model.layers.1.mlp.up_proj": 3}}
RANKS |= {"alpha_pattern": {"q_proj": 12, "down_proj": 1.5}, "r": 2}
LORAS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("llama", {"target_modules": QV, "r": 4, "lora_alpha": 8}),
    "rank stabilised": ("qwen3", {"target_modules": QV, "r": 4, "use_rslora": True}),
    "with its own ranks": ("llama", RANKS | {"target_modules": "all-linear"}),
    "with lengths": ("mistral", {"target_modules": QV, "r": 4, "use_dora": True}),
    "on layers that lie otherwise": ("gpt2", {"target_modules": ["c_attn", "c_proj"]}),
    "with lengths, lying otherwise": ("gpt2", {"target_modules": ["c_fc"], "use_dora": True}),
    "with biases": ("gpt_neox", {"target_modules": ["query_key_value"], "bias": "all"}),
    "with biases of its own": ("opt", {"target_modules": QV, "bias": "lora_only"}),
    "with an output layer": ("llama", {"target_modules": QV, "modules_to_save": ["lm_head"]}),
    "on words": ("llama", {"target_modules": ["embed_tokens", "k_proj"]}),
    "on an encoder": ("bert", {"target_modules": ["query", "dense"]}),
    "on matrices of several parts": ("phi3", {"target_modules": ["qkv_proj", "gate_up_proj"]}),
    "on weights that are folded": ("granite", {"target_modules": [*QV, "down_proj"]}),
    "on both halves": ("t5", {"target_modules": ["q", "v", "wo"]}),
}


def with_lora(family: str, place: Path, net: Any, **settings: Any) -> Any:
    """The folder with a random adapter; the library's model with it merged."""
    import peft

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = peft.get_peft_model(net, peft.LoraConfig(**settings))
        torch.manual_seed(3)
        with torch.no_grad():
            for name, parameter in made.named_parameters():
                if "lora_magnitude" in name:
                    parameter.mul_(torch.empty_like(parameter).uniform_(0.5, 1.5))
                elif "lora_" in name or "modules_to_save" in name or parameter.requires_grad:
                    parameter.normal_(std=0.2)
        made.save_pretrained(str(place))
        return made.merge_and_unload().eval()


@sampled("what", LORAS)
def test_merged_as_the_library_merges(what: str, tmp_path: Path) -> None:
    family, settings = LORAS[what]
    net = with_lora(family, tmp_path, saved(family, tmp_path), **settings)
    ours = checkpoint.load(tmp_path)
    assert apart(family, ours, net) < CLOSE
    shutil.copytree(tmp_path, tmp_path / "bare")
    (tmp_path / "bare" / adapter.CONFIG).unlink()
    assert apart(family, checkpoint.load(tmp_path / "bare"), net) > 10 * CLOSE
    note = checkpoint.note(tmp_path)
    assert note["title"].endswith(" + LoRA")
    assert any("LoRA adapter beside the model is merged" in s for s in note["checkpoint"]["notes"])
    assert note["recipe"] != checkpoint.note(tmp_path / "bare")["recipe"]


def test_on_weights_in_few_bits(tmp_path: Path) -> None:
    """As QLoRA has them: merged into the numbers that they stand for."""
    net = lowered("llama", FEW["nf4 twice"], tmp_path)
    net = with_lora("llama", tmp_path, net, target_modules=QV)
    assert apart("llama", checkpoint.load(tmp_path), net) < CLOSE
    assert len(checkpoint.note(tmp_path)["checkpoint"]["notes"]) == 2


def test_names_without_the_model_s_prefix(tmp_path: Path) -> None:
    """GPT-2's first files have none, and adapters always do."""
    net = with_lora("gpt2", tmp_path, saved("gpt2", tmp_path), target_modules=["c_attn"])
    file = tmp_path / "model.safetensors"
    bare = {name.removeprefix("transformer."): x for name, x in load_file(file).items()}
    save_file(bare, file, metadata={"format": "pt"})
    assert apart("gpt2", checkpoint.load(tmp_path), net) < CLOSE


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("adapter") / "one"
    with_lora("llama", place, saved("llama", place), target_modules=QV, r=4)
    return place


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"peft_type": "LOHA"}, "of the kind LOHA; only LORA"),
    ({"peft_type": None}, "only LORA"),
    ({"use_qalora": True}, "use_qalora = True can't be merged"),
    ({"lora_bias": True}, "lora_bias"),
    ({"layer_replication": [[0, 1]]}, "layer_replication"),
    ({"trainable_token_indices": [1]}, "trainable_token_indices"),
    ({"alora_invocation_tokens": [1]}, "alora_invocation_tokens"),
    ({"a setting of tomorrow": 3}, "a setting of tomorrow = 3"),
    ({"init_lora_weights": "pissa"}, "init_lora_weights = 'pissa'"),
    ({"init_lora_weights": 1.0}, "init_lora_weights"),
    ({"use_dora": True}, "use_dora"),
    ({"r": 8}, "rank 4"),
    ({"r": "four"}, "rank 4"),
    ({"lora_alpha": "much"}, "lora_alpha = much"),
    ({"lora_alpha": float("nan")}, "lora_alpha = nan"),
    ({"rank_pattern": {"q_proj": 3}}, "rank 4"),
    ({"rank_pattern": {"((a+)+)+b": 3, "(": 4}}, "can't be read"),
    ({"alpha_pattern": ["q_proj"]}, "no table"),
]


def test_what_can_t_be_merged_is_refused(merged: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(merged, tmp_path / "one"))
    sound = (merged / adapter.CONFIG).read_text(encoding="utf-8")
    for changed, said in REFUSED:
        (place / adapter.CONFIG).write_text(sound, encoding="utf-8")
        change(place, adapter.CONFIG, **changed)
        with pytest.raises(ValueError, match="can't be shown") as problem:
            checkpoint.load(place)
        assert said in str(problem.value) and "\n" not in str(problem.value)


def test_a_damaged_adapter_is_refused(merged: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(merged, tmp_path / "one"))
    parts = load_file(file := place / adapter.WEIGHTS)
    name = sorted(parts)[0]
    others = {n: x for n, x in parts.items() if n != name}
    for damaged in (
        others,
        others | {name: parts[name][:-1].contiguous()},
        others | {name.replace("layers.0", "layers.7"): parts[name]},
        others | {name: parts[name].to(torch.int8)},
        parts | {"other.weight": parts[name].clone()},
        None,
    ):
        if damaged is None:
            file.unlink()
        else:
            save_file(damaged, file)
        for pickled in (False, True) if damaged is None else (False,):
            if pickled:
                (place / adapter.PICKLED).write_bytes(b"\x80\x04.")
            with pytest.raises(ValueError, match="can't be shown") as problem:
                checkpoint.load(place)
            assert "adapter" in str(problem.value) and "\n" not in str(problem.value)


def test_an_embedding_that_is_the_output_too(tmp_path: Path) -> None:
    """Merged, the library's output layer would change with it; unmerged, it would not."""
    net = saved("gpt2", tmp_path)
    with_lora("gpt2", tmp_path, net, target_modules=["wte", "c_attn"])
    with pytest.raises(ValueError, match="its output layer too"):
        checkpoint.load(tmp_path)


def test_an_adapter_alone_says_what_it_is(merged: Path, tmp_path: Path) -> None:
    for file in (adapter.CONFIG, adapter.WEIGHTS):
        shutil.copy(merged / file, tmp_path)
    change(tmp_path, adapter.CONFIG, base_model_name_or_path="somebody/llama")
    with pytest.raises(ValueError, match=r"only an adapter \(LORA\) for somebody/llama, and an"):
        RunStore().find(str(tmp_path))
