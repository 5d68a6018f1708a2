"""GGUF files: a model of every family, written as llama.cpp's converter writes it, is read as the
library has it; every type of the format is dequantised as its own package does; files that lie are
refused."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from engine.pretrained import checkpoint
from engine.pretrained import gguf as ours
from engine.pretrained.stored import GGUF, GGUF_INDEX, TOKENIZER_STATE
from tests.models.checkpoints import byte_level
from tests.models.test_every_setting import CLOSE, KINDS, apart

# names of the library -> names of the format
DECODER = {
    r"model\.embed_tokens": "token_embd",
    r"model\.norm": "output_norm",
    r"model\.layers\.": "blk.",
    r"input_layernorm": "attn_norm",
    r"post_attention_layernorm": "ffn_norm",
    r"self_attn\.([qkv])_proj": r"attn_\1",
    r"self_attn\.o_proj": "attn_output",
    r"self_attn\.([qk])_norm": r"attn_\1_norm",
    r"mlp\.(\w+)_proj": r"ffn_\1",
    r"lm_head": "output",
}
NAMES: dict[str, dict[str, str]] = {
    "gpt2": {
        r"transformer\.wte": "token_embd",
        r"transformer\.wpe": "position_embd",
        r"transformer\.ln_f": "output_norm",
        r"transformer\.h\.": "blk.",
        r"ln_1": "attn_norm",
        r"ln_2": "ffn_norm",
        r"attn\.c_attn": "attn_qkv",
        r"attn\.c_proj": "attn_output",
        r"mlp\.c_fc": "ffn_up",
        r"mlp\.c_proj": "ffn_down",
    },
    "gptneox": {
        r"gpt_neox\.embed_in": "token_embd",
        r"gpt_neox\.final_layer_norm": "output_norm",
        r"gpt_neox\.layers\.": "blk.",
        r"input_layernorm": "attn_norm",
        r"post_attention_layernorm": "ffn_norm",
        r"attention\.query_key_value": "attn_qkv",
        r"attention\.dense": "attn_output",
        r"mlp\.dense_h_to_4h": "ffn_up",
        r"mlp\.dense_4h_to_h": "ffn_down",
        r"(embed_out|lm_head)": "output",
    },
}
NAMES["phi3"] = {
    r"self_attn\.qkv_proj": "attn_qkv",
    r"mlp\.gate_up_proj": "ffn_up",
} | DECODER
NAMES["gemma3"] = {
    r"post_attention_layernorm": "post_attention_norm",
    r"pre_feedforward_layernorm": "ffn_norm",
    r"post_feedforward_layernorm": "post_ffw_norm",
} | {theirs: named for theirs, named in DECODER.items() if "post_attention" not in theirs}
NAMES["gemma2"] = NAMES["gemma3"]
ARCHITECTURES = {
    "gemma2": "gemma2",
    "phi3": "phi3",
    "gemma3_text": "gemma3",
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "gemma": "gemma",
    "gpt2": "gpt2",
    "gpt_neox": "gptneox",
}
# as the files of the format say it: a window in all but every sixth layer, scores by the head's width
MORE: dict[str, dict[str, Any]] = {
    "gemma2": {"query_pre_attn_scalar": 8},
    "gemma3_text": {"num_hidden_layers": 7, "layer_types": None, "query_pre_attn_scalar": 8},
}
TYPES = ("F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1")
STRANGE = {"rope_freqs.weight": np.array([1, 2], np.float32)}
K_QUANTS = ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")


def net_of(family: str, **changed: Any) -> Any:
    import transformers as hf

    kind = KINDS[family]
    torch.manual_seed(7)
    net = getattr(hf, kind.head)(getattr(hf, kind.config)(**(kind.small | changed))).eval()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(std=0.3)
            elif "norm" in name or ".ln_" in name:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return net


def as_llama_cpp(arch: str, config: Any, name: str, x: torch.Tensor) -> np.ndarray:
    """What the converter of llama.cpp makes of a weight."""
    if arch == "llama" and (found := re.search(r"attn_([qk])\.", name)):
        heads = config.num_attention_heads if found[1] == "q" else config.num_key_value_heads
        x = x.reshape(heads, 2, -1, *x.shape[1:]).transpose(1, 2).reshape(x.shape)
    if arch == "gpt2" and x.ndim == 2 and "blk." in name:
        x = x.T
    if arch == "gptneox" and "attn_qkv" in name:
        three = x.reshape(config.num_attention_heads, 3, -1, *x.shape[1:])
        x = torch.cat([three[:, i].reshape(-1, *x.shape[1:]) for i in range(3)])
    if arch.startswith("gemma") and "norm" in name:
        x = x + 1
    return np.ascontiguousarray(x.detach().numpy(), np.float32)


def write(
    path: Path,
    family: str,
    net: Any,
    kind: str = "F32",
    drop: str = "",
    way: str = "gpt-2",
    extra: Mapping[str, np.ndarray] = MappingProxyType({}),
    **more: Any,
) -> dict[str, np.ndarray]:
    """The file of a net, its matrices in a type of the format, and what was written into it.

    way          how its tokenizer cuts a text
    extra, more  weights and settings besides
    """
    arch, c = ARCHITECTURES[family], net.config
    out = gguf.GGUFWriter(path, arch)
    out.add_block_count(c.num_hidden_layers)
    out.add_context_length(c.max_position_embeddings)
    out.add_embedding_length(c.hidden_size)
    out.add_head_count(c.num_attention_heads)
    if inner := getattr(c, "intermediate_size", None) or getattr(c, "n_inner", None):
        out.add_feed_forward_length(inner)
    else:
        out.add_feed_forward_length(4 * c.hidden_size)
    if hasattr(c, "num_key_value_heads"):
        out.add_head_count_kv(c.num_key_value_heads)
        out.add_layer_norm_rms_eps(c.rms_norm_eps)
    else:
        epsilon = getattr(c, "layer_norm_eps", None) or c.layer_norm_epsilon
        out.add_layer_norm_eps(epsilon)
    if hasattr(c, "rope_parameters"):
        out.add_rope_freq_base(
            c.rope_parameters.get("full_attention", c.rope_parameters)["rope_theta"]
        )
    if family == "gemma2":
        out.add_attn_logit_softcapping(c.attn_logit_softcapping)
        out.add_final_logit_softcapping(c.final_logit_softcapping)
    if family in ("phi3", "gemma2", "gemma3_text"):
        out.add_sliding_window(c.sliding_window or 0)
    if family == "phi3":
        out.add_rope_scaling_orig_ctx_len(c.max_position_embeddings)
    if family in ("qwen3", "gemma", "gemma2", "gemma3_text"):
        out.add_key_length(c.head_dim)
        out.add_value_length(c.head_dim)
    if family == "gpt_neox":
        head = c.hidden_size // c.num_attention_heads
        out.add_rope_dimension_count(int(head * c.rope_parameters["partial_rotary_factor"]))
        out.add_parallel_residual(c.use_parallel_residual)
    tokenizer = byte_level("<|endoftext|>")
    words = sorted((i, word) for word, i in tokenizer.get_vocab().items())
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre(way)
    out.add_token_list([word for _, word in words])
    out.add_token_types([3 if word.startswith("<|") else 1 for _, word in words])
    out.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    out.add_bos_token_id(0)
    out.add_eos_token_id(0)
    for key, value in more.items():
        name = key if key.startswith("tokenizer.") else f"{arch}.{key}"
        add = {bool: out.add_bool, str: out.add_string, int: out.add_uint32, float: out.add_float32}
        add[type(value)](name, value)
    for name, array in extra.items():
        out.add_tensor(name, array)
    written: dict[str, np.ndarray] = {}
    for name, x in net.state_dict().items():
        part, _, end = name.rpartition(".")
        for theirs, named in NAMES.get(arch, DECODER).items():
            part = re.sub(theirs, named, part)
        if f"{part}.{end}" in written or part == drop:
            continue
        if part == "output" and c.tie_word_embeddings:
            continue
        if arch == "gptneox" and end not in ("weight", "bias"):
            continue
        array = as_llama_cpp(arch, c, f"{part}.{end}", x)
        low = gguf.GGMLQuantizationType[kind]
        if array.ndim == 2 and low != gguf.GGMLQuantizationType.F32:
            packed = gguf.quantize(array, low)
            out.add_tensor(f"{part}.{end}", packed, raw_dtype=low)
            array = gguf.dequantize(packed, low)
        else:
            out.add_tensor(f"{part}.{end}", array)
        written[f"{part}.{end}"] = array
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return written


@pytest.mark.parametrize("family", ARCHITECTURES)
def test_a_file_is_read_as_the_library_has_it(family: str, tmp_path: Path) -> None:
    net = net_of(
        family, **({"vocab_size": 300} if family != "gpt2" else {}), **MORE.get(family, {})
    )
    path = tmp_path / "Some-Model.F32.gguf"
    write(path, family, net)
    (folder := tmp_path / "folder").mkdir()
    ours.unpack(path, folder)
    made = checkpoint.load(folder)
    assert apart(family, made, net) < CLOSE
    assert checkpoint.note(folder)["checkpoint"]["name"] == "Some-Model.F32"
    assert "F32" in checkpoint.note(folder)["checkpoint"]["notes"][0]
    (folder / TOKENIZER_STATE).write_bytes(made.tokenizer.state())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "_auto", None)  # a run of it is opened without the library
        again = checkpoint.reopen(folder, lambda: made.config).weights()
        (folder / TOKENIZER_STATE).write_bytes(b"[]")
        with pytest.raises(ValueError, match="can't be shown"):
            checkpoint.reopen(folder, lambda: made.config)
    assert all(np.array_equal(values, again[name]) for name, values in made.weights().items())


def longer(low: float, high: float, factor: float, trained: float, base: float) -> np.ndarray:
    """Llama 3.1's factors, a wave of a head of 8 after the other."""
    found = []
    for wave in (2 * math.pi * base ** (i / 8) for i in range(0, 8, 2)):
        turns = trained / wave
        if turns > high:
            found.append(1.0)
        elif turns < low:
            found.append(factor)
        else:
            smooth = (turns - low) / (high - low)
            found.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(found, np.float32)


LINEAR = {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}
YARN = {
    "rope_type": "yarn",
    "factor": 4.0,
    "rope_theta": 500.0,
    "original_max_position_embeddings": 16,
}
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "rope_theta": 500_000.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
SCALED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "linear": (LINEAR, {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}),
    "yarn": (
        YARN,
        {
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 16,
            "rope.scaling.finetuned": True,
        },
    ),
    # llama.cpp multiplies queries and keys by its factor and by 0.1 log(4) + 1
    "yarn, times": (
        YARN | {"attention_factor": 0.9 * (0.1 * math.log(4) + 1)},
        {
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 16,
            "rope.scaling.attn_factor": 0.9,
            "rope.scaling.yarn_beta_fast": 32.0,
        },
    ),
    "llama3": (LLAMA_3, {"extra": {"rope_freqs.weight": longer(1, 4, 8, 8192, 500_000)}}),
}


@pytest.mark.parametrize("how", SCALED)
def test_scaled_positions_are_those_of_the_library(how: str, tmp_path: Path) -> None:
    rope, written = SCALED[how]
    net = net_of("llama", vocab_size=300, hidden_size=32, rope_parameters=rope)
    write(tmp_path / "m.gguf", "llama", net, **written)
    (folder := tmp_path / "folder").mkdir()
    ours.unpack(tmp_path / "m.gguf", folder)
    made = checkpoint.load(folder)
    assert apart("llama", made, net) < CLOSE
    plain = net_of(
        "llama",
        vocab_size=300,
        hidden_size=32,
        rope_parameters={"rope_type": "default", "rope_theta": rope["rope_theta"]},
    )
    # of Llama 3 only waves longer than this text are stretched
    assert how == "llama3" or apart("llama", made, plain) > 10 * CLOSE


@pytest.mark.parametrize("way", ["gpt-2", "smollm", "nobody-knows"])
def test_a_text_is_cut_as_the_file_says(way: str, tmp_path: Path) -> None:
    from tokenizers import pre_tokenizers

    text = "the cat sat on 1234 mats"
    marks = {"tokenizer.ggml.add_bos_token": True}
    write(tmp_path / "m.gguf", "qwen2", small(), way=way, **marks)
    (folder := tmp_path / "folder").mkdir()
    ours.unpack(tmp_path / "m.gguf", folder)
    theirs = byte_level("<|endoftext|>")
    if way == "smollm":
        cuts = [pre_tokenizers.Digits(individual_digits=True), theirs.pre_tokenizer]
        theirs.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    want = theirs.encode(text, add_special_tokens=False).ids
    assert checkpoint.load(folder).tokenizer.encode(text).ids.tolist() == want
    found = json.loads((folder / "tokenizer.json").read_text())
    assert found["post_processor"]["single"][0]["SpecialToken"]["id"] == "<|endoftext|>"
    notes = checkpoint.note(folder)["checkpoint"]["notes"]
    assert any("is not known here" in note for note in notes) == (way == "nobody-knows")


@pytest.mark.parametrize("kind", TYPES)
def test_weights_in_few_bits_are_those_of_the_format_s_package(kind: str, tmp_path: Path) -> None:
    wide = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}
    net = net_of("qwen2", vocab_size=300, **wide)
    written = write(tmp_path / "m.gguf", "qwen2", net, kind)
    (folder := tmp_path / "folder").mkdir()
    ours.unpack(tmp_path / "m.gguf", folder)
    blocks = ours.Blocks(folder)
    index = json.loads((folder / GGUF_INDEX).read_text())["weights"]
    assert len(index) == len(written)
    for name, about in index.items():
        assert np.array_equal(blocks.read(name).numpy(), written[about["name"]]), name
    made = checkpoint.load(folder)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(blocks.read(name))
    assert apart("qwen2", made, net) < CLOSE


@pytest.mark.parametrize("kind", K_QUANTS)
def test_k_quants_are_dequantised_as_the_format_s_package_does(kind: str, tmp_path: Path) -> None:
    low = gguf.GGMLQuantizationType[kind]
    block, size = gguf.GGML_QUANT_SIZES[low]
    rng = np.random.default_rng(3)
    packed = rng.integers(0, 256, (8, 2 * size), np.uint8)
    scales = np.float16(rng.uniform(0.01, 0.1, (8, 2, 2))).view(np.uint8).reshape(8, 2, 4)
    for row in range(8):  # scales that are numbers: the first or the last bytes of a block
        for at in range(2):
            one = packed[row, at * size :][:size]
            if kind in ("Q4_K", "Q5_K"):
                one[:4] = scales[row, at]
            elif kind == "Q2_K":
                one[-4:] = scales[row, at]
            else:
                one[-2:] = scales[row, at, :2]
    (tmp_path / GGUF).write_bytes(b"\0" * 64 + packed.tobytes())
    about = {"name": "blk.0.ffn_up.weight", "kind": kind, "shape": [8, 2 * block], "offset": 64}
    (tmp_path / GGUF_INDEX).write_text(
        json.dumps({"architecture": "qwen2", "heads": {}, "weights": {"up": about}})
    )
    found = ours.Blocks(tmp_path).read("up").numpy()
    assert np.array_equal(found, gguf.dequantize(packed, low))
    assert found.std() > 0


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda path: path.write_bytes(b"GGUF" + b"\xff" * 40), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), "damaged"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: write(path, "qwen2", small(), drop="token_embd"), "no embedding"),
        (lambda path: write(path, "qwen2", small(), logit_scale=2.0), "qwen2.logit_scale"),
        (
            lambda path: write(path, "qwen2", small(), **{"rope.scaling.yarn_ext_factor": 2.0}),
            "yarn_ext_factor",
        ),
        (
            lambda path: write(path, "llama", net_of("llama", vocab_size=300), extra=STRANGE),
            "in a way not known here",
        ),
        (
            lambda path: write(path, "qwen2", small(), **{"attention.value_length": 6.0}),
            "wider than its keys",
        ),
    ],
)
def test_a_file_that_lies_is_refused(
    change: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.gguf"
    write(path, "qwen2", small())
    change(path)
    (folder := tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=said) as error:
        ours.unpack(path, folder)
    assert "\n" not in str(error.value) and "m.gguf" in str(error.value)


def small() -> Any:
    return net_of("qwen2", vocab_size=300)
