"""Checkpoints whose weights are stored in few bits: what we make of them is what the library makes of
them.

The library opens FP8 and compressed-tensors itself; for bitsandbytes, GPTQ, AWQ and FBGEMM, which
need packages of hundreds of megabytes or a GPU, it is given the numbers of tests/models/quantisers.py,
and those are held against what the packages wrote and read (tests/models/golden).
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shutil
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.core.registry import quantisations
from engine.pretrained import checkpoint
from engine.pretrained.stored import INDEX, ONE, Stored
from tests.conftest import sampled
from tests.models import quantisers as by_hand
from tests.models.checkpoints import CLOSE, apart, saved, write_json
from tests.models.quantisers import Quantiser

# of which every format can make groups and words
WIDE = {"hidden_size": 32, "intermediate_size": 64}
SIZES: dict[str, dict[str, Any]] = {
    "gpt2": {"n_embd": 32, "n_inner": 64},
    "opt": {"hidden_size": 32, "word_embed_proj_dim": 32, "ffn_dim": 64},
    "distilbert": {"dim": 32, "hidden_dim": 64},
    "t5": {"d_model": 32, "d_kv": 16, "d_ff": 64},
    "gpt_neox": {"hidden_size": 64, "intermediate_size": 64},
    "falcon": {"hidden_size": 32},
    "albert": WIDE | {"embedding_size": 32},
    "electra": WIDE | {"embedding_size": 32},
}
HEADS = re.compile(r".*(lm_head|embed_out|predictions|cls\.|pooler|classifier|vocab_).*")


@dataclasses.dataclass(frozen=True)
class Few:
    """A method: what config.json says of it, and how a weight is made; `itself`: whether the library
    opens it here."""

    settings: Mapping[str, Any]
    make: Quantiser
    itself: bool = False


def compressed(form: str, **weights: Any) -> dict[str, Any]:
    rounded = {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True}
    group: dict[str, Any] = {"targets": ["Linear"], "weights": {"num_bits": 8} | weights}
    if form in ("int-quantized", "float-quantized"):
        group["input_activations"] = rounded | {"type": weights["type"]}
    about = {"quant_method": "compressed-tensors", "format": form, "ignore": ["lm_head"]}
    return about | {"quantization_status": "compressed", "config_groups": {"group_0": group}}


def fp8(**settings: Any) -> dict[str, Any]:
    return {"quant_method": "fp8", "activation_scheme": "dynamic"} | settings


def bits4(table: str, nested: bool = False) -> dict[str, Any]:
    about = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": table}
    return about | {"bnb_4bit_use_double_quant": nested}


def grouped(method: str, bits: int, size: int, **settings: Any) -> dict[str, Any]:
    return {"quant_method": method, "bits": bits, "group_size": size} | settings


def tight(form: str, make: Quantiser, kind: str = "int", **weights: Any) -> Few:
    """Of compressed-tensors: a scale for each row, if not said otherwise."""
    return Few(compressed(form, type=kind, **({"strategy": "channel"} | weights)), make, True)


IN_16, IN_32 = ({"strategy": "group", "group_size": size} for size in (16, 32))
IN_BLOCKS = {"strategy": "block", "block_structure": [16, 16]}
MX = fp8(quant_method="mxfp8", weight_block_size=[1, 32], scale_fmt="ue8m0")
FLOAT, SCALE, NAIVE, PACK = "float-quantized", "weight_scale", "naive-quantized", "pack-quantized"
HALF = fp8(weight_block_size=[8, 32])
AGAIN = grouped("gptq", 4, 32, checkpoint_format="gptq_v2")
FEW: dict[str, Few] = {
    "fp8 in blocks": Few(fp8(weight_block_size=[16, 16]), by_hand.float8((16, 16)), True),
    "fp8 in bfloat16 blocks": Few(HALF, by_hand.float8((8, 32), torch.bfloat16), True),
    "fp8 of a matrix": Few(fp8(weight_block_size=None), by_hand.float8(None), True),
    "mxfp8": Few(MX, by_hand.float8((1, 32), torch.uint8), True),
    "mxfp8 as powers": Few(MX, by_hand.float8((1, 32), torch.float8_e8m0fnu), True),
    "fbgemm": Few({"quant_method": "fbgemm_fp8"}, by_hand.rowwise),
    "bitsandbytes 8": Few({"quant_method": "bitsandbytes", "load_in_8bit": True}, by_hand.eight),
    "an old bitsandbytes 8": Few({"load_in_8bit": True}, by_hand.eight),
    "nf4": Few(bits4("nf4"), by_hand.four("nf4")),
    "nf4 twice": Few(bits4("nf4", True), by_hand.four("nf4", True, "bfloat16")),
    "fp4": Few(bits4("fp4"), by_hand.four("fp4", kind="float16")),
    "gptq 2": Few(grouped("gptq", 2, 16), by_hand.gptq(2, 16)),
    "gptq 3": Few(grouped("gptq", 3, 32), by_hand.gptq(3, 32)),
    "gptq 4": Few(grouped("gptq", 4, 16, checkpoint_format="gptq"), by_hand.gptq(4, 16)),
    "gptq 4 by order": Few(grouped("gptq", 4, 16, desc_act=True), by_hand.gptq(4, 16, order=True)),
    "gptq 4 again": Few(AGAIN, by_hand.gptq(4, 32, less=False)),
    "gptq 8": Few(grouped("gptq", 8, -1), by_hand.gptq(8, -1)),
    "awq": Few(grouped("awq", 4, 16, version="gemm", zero_point=True), by_hand.awq(16)),
    "compressed int 8": tight("int-quantized", by_hand.plain("int", 0)),
    "compressed int 8 with zeros": tight(NAIVE, by_hand.plain("int", 0, False), symmetric=False),
    "compressed float 8": tight(FLOAT, by_hand.plain("float", 0), "float"),
    "compressed float 8 in blocks": tight(
        FLOAT, by_hand.under(SCALE, by_hand.float8((16, 16))), "float", **IN_BLOCKS
    ),
    "compressed float 8 of a matrix": tight(
        FLOAT, by_hand.under(SCALE, by_hand.float8(None)), "float", strategy="tensor"
    ),
    "compressed int 8 in groups": tight(NAIVE, by_hand.plain("int", 16), **IN_16),
    "packed 4": tight(PACK, by_hand.packed(4, 16), num_bits=4, **IN_16),
    "packed 4 with zeros": tight(
        PACK, by_hand.packed(4, 32, False), num_bits=4, symmetric=False, **IN_32
    ),
    "packed 3": tight(PACK, by_hand.packed(3, 0), num_bits=3),
    "packed 8": tight(PACK, by_hand.packed(8, 16), **IN_16),
}
# every method on Llama, and on the families whose weights lie otherwise
TRIED = [
    *(("llama", few) for few in FEW),
    *(("gpt2", few) for few in ("bitsandbytes 8", "nf4", "gptq 4")),
    *(("gpt_neox", few) for few in ("fp8 in blocks", "gptq 4", "compressed int 8")),
    *(("qwen2", "awq"), ("qwen2", "fp8 in blocks"), ("qwen3", "fp8 in blocks")),
    *(("mistral", "gptq 4"), ("gemma", "packed 4"), ("opt", "gptq 8")),
    *(("bert", "bitsandbytes 8"), ("roberta", "compressed float 8"), ("distilbert", "nf4 twice")),
    *(("albert", "nf4"), ("electra", "compressed int 8"), ("t5", "bitsandbytes 8")),
    *(("phi3", "gptq 4"), ("falcon", "nf4"), ("granite", "awq"), ("gemma3_text", "packed 4")),
]


def lowered(family: str, few: Few, place: Path) -> Any:
    """A small checkpoint whose matrices are stored in few bits; the library's model with the numbers
    that they stand for."""
    from transformers.pytorch_utils import Conv1D

    net = saved(family, place, **SIZES.get(family, WIDE))
    stored = load_file(place / ONE)
    back = {"lm_head": "embed_out"} if family == "gpt_neox" else {}
    with torch.no_grad():
        for name, module in net.named_modules():
            if not isinstance(module, torch.nn.Linear | Conv1D) or HEADS.fullmatch(name):
                continue
            conv = isinstance(module, Conv1D)
            small = few.make((module.weight.T if conv else module.weight).detach().contiguous())
            module.weight.copy_(small.values.T if conv else small.values)
            del stored[back.get(name, name) + ".weight"]
            stored |= {f"{name}.{end}": x.clone() for end, x in small.tensors.items()}
    save_file(stored, place / ONE, metadata={"format": "pt"})
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    write_json(place / "config.json", config | {"quantization_config": few.settings})
    return net


def opened(net: Any, place: Path, few: Few) -> Any:
    """By the library, dequantised."""
    import transformers as hf

    settings = dict(few.settings)
    kinds = {"compressed-tensors": hf.CompressedTensorsConfig}
    kind = kinds.get(settings["quant_method"], hf.FineGrainedFP8Config)
    how = {"dtype": torch.float32, "attn_implementation": "eager", "local_files_only": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that this is asked for twice
        config = kind(dequantize=True)
        made = type(net).from_pretrained(place, quantization_config=config, **how)
    return made.eval()


@sampled(("family", "few"), TRIED, ids=[f"{a} {b}" for a, b in TRIED], each=5)
def test_the_numbers_are_the_library_s(family: str, few: str, tmp_path: Path) -> None:
    net = lowered(family, FEW[few], tmp_path)
    ours = checkpoint.load(tmp_path)
    assert apart(family, ours, net) < CLOSE
    if FEW[few].itself:
        assert apart(family, ours, opened(net, tmp_path, FEW[few])) < CLOSE
    note = checkpoint.note(tmp_path)["checkpoint"]
    assert any("stored in few bits" in said for said in note["notes"])
    saved(family, tmp_path / "whole", **SIZES.get(family, WIDE))
    whole = load_file(tmp_path / "whole" / ONE)
    assert note["numbers"] == sum(p.numel() for p in whole.values())


GOLDEN = Path(__file__).with_name("golden") / "quantised.safetensors"
WROTE = {case: FEW[case] for case in sorted({name.split("/")[0] for name in load_file(GOLDEN)})}
# other tables of scales; two codes for 0; other groups
AS_BY_HAND = set(WROTE) - {"nf4 twice", "fp4", "gptq 8"}


def golden(case: str) -> dict[str, torch.Tensor]:
    every = load_file(GOLDEN).items()
    return {name.partition("/")[2]: x for name, x in every if name.startswith(f"{case}/")}


@sampled("case", WROTE, each=3)
def test_what_the_packages_wrote_is_what_they_read(case: str, tmp_path: Path) -> None:
    """Half of their digits are rounded to float16 on the way."""
    parts = golden(case)
    values = parts.pop("values").float()
    save_file({f"layer.{end}": x for end, x in parts.items()}, tmp_path / ONE)
    settings = dict(WROTE[case].settings)
    settings |= {"group_size": 64} if case == "gptq 8" else {}
    method = quantisations.get(str(settings["quant_method"]))
    with ExitStack() as stack:
        found = method.weights(Stored([tmp_path / ONE], stack), settings)
        read = found["layer.weight"].values()
    assert read.shape == values.shape == (32, 64)
    torch.testing.assert_close(read, values, rtol=1.2e-3, atol=1e-5)
    assert {*found["layer.weight"].parts} == {f"layer.{end}" for end in parts}


@sampled("case", sorted(AS_BY_HAND), each=3)
def test_by_hand_is_what_the_packages_write(case: str) -> None:
    parts = golden(case)
    weight = torch.randn(32, 64, generator=torch.Generator().manual_seed(5)).half().float()
    made = FEW[case].make(weight)
    for end, tensor in made.tensors.items():
        if end in parts and "quant_state" not in end:
            want = parts[end]
            assert tensor.reshape(want.shape).float().sub(want.float()).abs().max() < 1e-3, end


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Small checkpoints of Llama in each format."""
    root = tmp_path_factory.mktemp("few")
    for few in KEPT:
        lowered("llama", FEW[few], root / few)
    return {place.name: place for place in root.iterdir()}


Made = Mapping[str, Path]
ZEROS = "packed 4 with zeros"
KEPT = ("fp8 in blocks", "nf4 twice", "bitsandbytes 8", "gptq 4", "awq", ZEROS)
KEPT += ("compressed int 8 with zeros", "fbgemm")
LAYER = "model.layers.0.self_attn.q_proj"


def other(x: torch.Tensor) -> torch.Tensor:
    """Another tensor of its kind: of whole numbers another one, of floats all of them larger."""
    if x.is_floating_point():
        return (x.float() * 1.5).to(x.dtype)
    changed = x.clone()
    changed.view(-1)[0] += 1
    return changed


@sampled("few", KEPT, each=3)
def test_nothing_that_is_stored_goes_unread(few: str, made: Made, tmp_path: Path) -> None:
    """Whatever is changed of a layer changes the answer, or is refused."""
    place = Path(shutil.copytree(made[few], tmp_path / "one"))
    plain = checkpoint.load(place).trace("the cat sat").field("logits").values
    stored = load_file(place / ONE)
    assert checkpoint.note(place)["checkpoint"]["left_out"] == []
    parts = [name for name in stored if name.startswith(LAYER)]
    assert len(parts) > 1
    for name in parts:
        save_file(stored | {name: other(stored[name])}, place / ONE, metadata={"format": "pt"})
        try:
            found = checkpoint.load(place).trace("the cat sat").field("logits").values
        except ValueError as problem:
            assert "can't be shown" in str(problem), name
        else:
            assert abs(found - plain).max() > 0, name


@sampled("few", KEPT, each=3)
def test_a_part_that_is_damaged_is_refused(few: str, made: Made, tmp_path: Path) -> None:
    """Missing, of another shape, of another kind, not finite: one sentence each."""
    place = Path(shutil.copytree(made[few], tmp_path / "one"))
    stored = load_file(place / ONE)
    for end in sorted({*FEW[few].make(torch.randn(32, 32)).tensors} - {"g_idx"}):
        name = f"{LAYER}.{end}"
        whole = stored[name]
        cases: list[torch.Tensor | None] = [] if end == "weight_format" else [None]
        cases += [torch.cat([whole.view(-1), whole.view(-1)[:1]]), whole.view(-1)[:0]]
        if whole.is_floating_point():
            cases += [torch.full_like(whole.float(), x) for x in (math.nan, math.inf)]
        if not whole.is_floating_point() and end not in ("weight_shape", "weight_format"):
            cases.append(whole.to(torch.int64))
        for case in cases:
            changed = {n: x for n, x in stored.items() if n != name}
            changed |= {} if case is None else {name: case.clone()}
            save_file(changed, place / ONE, metadata={"format": "pt"})
            with pytest.raises(ValueError, match="can't be shown") as problem:
                checkpoint.load(place)
            said = str(problem.value)
            assert "\n" not in said and "Error" not in said and len(said) < 600, said


K_PROJ = {"a": {"targets": ["re:.*k_proj"], "weights": {"num_bits": 4}}}
STATIC = {"a": {"input_activations": {"dynamic": False}}}


@sampled(
    ("few", "changed", "said"),
    [
        ("fp8 in blocks", {"weight_block_size": "all"}, "no size of a block"),
        ("fp8 in blocks", {"quant_method": "gptq", "bits": 4}, "stored as F8_E4M3"),
        ("fp8 in blocks", {"quant_method": None}, "does not say by which method"),
        ("fp8 in blocks", {"quant_method": ["fp8"]}, "does not say by which method"),
        ("gptq 4", {"bits": 8}, "would fit"),
        ("gptq 4", {"bits": 5}, "bits = 5"),
        ("gptq 4", {"bits": True}, "bits = True"),
        ("gptq 4", {"checkpoint_format": "marlin"}, "'marlin' can't be shown"),
        ("gptq 4", {"quant_method": "awq"}, "would fit"),
        ("awq", {"quant_method": "gptq"}, "would fit"),
        ("awq", {"version": "gemv"}, "'gemv' can't be shown"),
        ("awq", {"group_size": 7}, "groups of 7"),
        ("bitsandbytes 8", {"llm_int8_has_fp16_weight": True}, "llm_int8_has_fp16_weight"),
        ("bitsandbytes 8", {"load_in_8bit": False, "quant_method": "fp8"}, "stored as I8"),
        (ZEROS, {"format": "marlin-24"}, "'marlin-24' can't be shown"),
        (ZEROS, {"kv_cache_scheme": {"num_bits": 8}}, "kv_cache_scheme"),
        (ZEROS, {"transform_config": {"a": 1}}, "transform_config"),
        (ZEROS, {"quantization_status": "frozen"}, "'frozen' can't be shown"),
        (ZEROS, {"sparsity_config": {"format": "sparse-24"}}, "sparsity_config"),
        (ZEROS, {"config_groups": None}, "config_groups"),
        (ZEROS, {"config_groups": {"a": {"targets": ["re:("], "weights": {}}}}, "can't be read"),
        (ZEROS, {"config_groups": K_PROJ}, "no group"),
        ("compressed int 8 with zeros", {"config_groups": STATIC}, "not dynamic"),
    ],
)
def test_settings_that_can_t_be_read_are_refused(
    few: str, changed: dict[str, Any], said: str, made: Mapping[str, Path], tmp_path: Path
) -> None:
    place = Path(shutil.copytree(made[few], tmp_path / "one"))
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    settings = {**config["quantization_config"], **changed}
    write_json(place / "config.json", {**config, "quantization_config": settings})
    with pytest.raises(ValueError, match="can't be shown") as problem:
        checkpoint.load(place)
    assert said in str(problem.value), problem.value


def test_each_method_of_the_library_is_read_or_refused_by_name(tmp_path: Path) -> None:
    """A method that a later version of the library adds is refused from then on."""
    from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

    saved("llama", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    read = {id.replace("_", "-") for id in quantisations.ids()} | set(quantisations.ids())
    assert len(AUTO_QUANTIZATION_CONFIG_MAPPING) > 20
    for method in (*AUTO_QUANTIZATION_CONFIG_MAPPING, "modelopt", "one of tomorrow"):
        method = "bitsandbytes" if method.startswith("bitsandbytes") else method
        about = {"quant_method": method, "bits": 4, "config_groups": {}}
        write_json(tmp_path / "config.json", config | {"quantization_config": about})
        if method in read:
            notes = checkpoint.note(tmp_path)["checkpoint"]["notes"]
            assert "none of its weights is stored so" in "".join(notes)
            continue
        with pytest.raises(ValueError, match=f"quantised by '{method}', which can't be read"):
            checkpoint.find(str(tmp_path))


CODES = [torch.int8, torch.uint8, torch.int32, torch.int64, torch.bool, torch.float8_e4m3fn]


@sampled("kind", CODES, ids=str)
@pytest.mark.parametrize("name", [f"{LAYER}.weight", "model.norm.weight", "lm_head.weight"])
def test_raw_codes_are_never_weights(kind: torch.dtype, name: str, tmp_path: Path) -> None:
    """Where config.json says nothing of them."""
    saved("llama", tmp_path)
    stored = load_file(tmp_path / ONE)
    stored[name] = stored[name].to(kind)
    save_file(stored, tmp_path / ONE, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=rf"{name} is stored as [A-Z0-9_]+, and nothing in the"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize("few", ["gptq 4", "nf4 twice", ZEROS])
def test_without_the_config_s_word_it_is_refused(few: str, made: Made, tmp_path: Path) -> None:
    place = Path(shutil.copytree(made[few], tmp_path / "one"))
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    settings = config.pop("quantization_config")
    write_json(place / "config.json", config)
    with pytest.raises(ValueError, match="is stored as"):
        checkpoint.load(place)
    if few == ZEROS:  # as its first files have it
        about = {"quantization_config": settings, "sparsity_config": {"format": "dense"}}
        write_json(place / "config.json", config | {"compression_config": about})
        assert len(checkpoint.load(place).trace("the cat").ids) >= 2


def test_in_several_files(made: Mapping[str, Path], tmp_path: Path) -> None:
    """Codes and their scales may lie apart; a name in two of them is refused."""
    place = Path(shutil.copytree(made["gptq 4"], tmp_path / "one"))
    plain = checkpoint.load(place).trace("the cat sat").field("logits").values
    stored = load_file(place / ONE)
    (place / ONE).unlink()
    halves: list[dict[str, torch.Tensor]] = [{}, {}]
    for i, (name, x) in enumerate(stored.items()):
        halves[i % 2][name] = x
    names = {name: f"part-{i}.safetensors" for i in (0, 1) for name in halves[i]}
    write_json(place / INDEX, {"weight_map": names})
    for i in (0, 1):
        save_file(halves[i], place / f"part-{i}.safetensors")
    assert (checkpoint.load(place).trace("the cat sat").field("logits").values == plain).all()
    twice = next(iter(halves[0]))
    save_file(halves[1] | {twice: halves[0][twice]}, place / "part-1.safetensors")
    with pytest.raises(ValueError, match=f"two files hold {twice}"):
        checkpoint.load(place)
