"""Checkpoints of every family, one setting of the library's config changed at a time: what we make
of them is what the library makes of them, or a sentence says that it can't be shown.

What counts is the config class of the library, with all its fields; a field that a later version
adds is tried from then on.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from engine.core.registry import families
from engine.pretrained import checkpoint, stored
from tests.conftest import Patch, sampled, together
from tests.models.checkpoints import CLOSE, KINDS, apart, change, read_json, saved, write_json

SOME = ("llama",)  # the others, read by the same code, with `make bench`
FAMILIES = [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in KINDS]
ROTARY: dict[str, Any] = {"rope_theta": 500.0, "original_max_position_embeddings": 16}
YARN = ROTARY | {"rope_type": "yarn", "factor": 4.0}
LLAMA_3 = ROTARY | {"rope_type": "llama3", "factor": 8.0}
LLAMA_3 |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
SLOW = ({"rope_theta": 500.0}, {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0})
_F, _S = "full", "sliding"
FIVE = ((_F, _S, _F, _S, _F), (_F,) * 5, (_S,) * 5, (_F, *(_S,) * 4), (_S, _F, _S, _F, _S))
# what a setting is tried with where its kind of value does not say it
TRIED: dict[str, list[Any]] = {
    "activation_function": ["relu", "silu", "mish"],
    "hidden_act": ["relu", "silu", "gelu", "gelu_new"],
    "activation": ["relu", "silu"],
    "hidden_activation": ["relu", "silu", "gelu"],
    "classifier_activation": ["silu"],
    "classifier_pooling": ["mean"],
    "init_device": ["meta"],
    "norm_type": ["layernorm"],
    "feed_forward_proj": ["gated-gelu", "gated-silu", "gelu"],
    "rope_parameters": [
        {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0},
        {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 500.0},
        LLAMA_3,
        LLAMA_3 | {"partial_rotary_factor": 0.5},
        YARN,
        YARN | {"attention_factor": 0.9, "beta_slow": 0.25, "beta_fast": 2.0},
        YARN | {"mscale": 0.7, "mscale_all_dim": 2.0},
        YARN | {"truncate": False},
        ROTARY | {"rope_type": "longrope", "short_factor": [1.0, 2.0], "long_factor": [1.0, 2.0]},
        {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 0.5},
        *({"full_attention": kind, "sliding_attention": {"rope_theta": 90.0}} for kind in SLOW),
    ],
    "n_inner": [40],
    "ffn_hidden_size": [40],
    "num_kv_heads": [1, 2],
    "num_ln_in_parallel_attn": [1, 2],
    "logit_scale": [0.7, None],
    "softmax_scale": [0.4],
    "clip_qkv": [0.5],
    "attn_config": [
        *({name: 0.5} for name in ("clip_qkv", "softmax_scale")),
        *({name: True} for name in ("prefix_lm", "qk_ln")),
        *({name: value} for name, value in (("alibi", False), ("alibi_bias_max", 16))),
        {"attn_type": "multiquery_attention"},
        {"attn_impl": "flash"},
    ],
    "head_dim": [8, 12],
    "sliding_window": [3, None],
    "layer_types": [
        ["sliding_attention", "full_attention"],
        ["full_attention", "sliding_attention"],
        ["sliding_attention", "sliding_attention"],
        ["full_attention", "full_attention"],
        *([f"{kind}_attention" for kind in kinds] for kinds in FIVE),
    ],
    "no_rope_layers": [[0, 1], [1, 1], [0, 0]],
    **{f"{of}_logit_softcapping": [2.0] for of in ("final", "attn")},
    **{field: [True] for field in ("use_sliding_window", "use_bidirectional_attention")},
    **{field: [1, 2] for field in ("bos_token_id", "eos_token_id")},
    **{field: [1, 3] for field in ("num_hidden_layers", "type_vocab_size")},
    **{field: [1, 4] for field in ("num_key_value_heads", "num_hidden_groups")},
    "pos_att_type": [["p2c"], ["c2p", "p2c"], []],
    "pooler_hidden_act": ["relu"],
    "pad_token_id": [0, 3],
    "problem_type": ["regression"],
    "classifier_dropout": [0.3],
    "summary_type": ["mean"],
    "summary_activation": ["tanh"],
    "transformers_version": ["4.0.0"],
    "id2label": [{0: "no", 1: "maybe", 2: "yes"}],
    "label2id": [{"no": 0, "yes": 1}],
}
# the form of the library's answer; what the file is, which says the family; the kind of number,
# which tests/models/test_pretrained.py tries
GIVEN = {"return_dict", "architectures", "model_type", "dtype"}


def other(field: str, value: Any) -> list[Any]:
    """Other values of a setting."""
    if field in TRIED:
        return [tried for tried in TRIED[field] if tried != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [2 * value] if value else [1]
    if isinstance(value, float):
        return [value * 3 if value else 0.2]
    return []


def cases(name: str) -> Iterator[tuple[str, Any]]:
    """(setting, value) for every field of the config class."""
    import transformers as hf

    plain = getattr(hf, KINDS[name].config)(**KINDS[name].small)
    for field in sorted(f.name for f in dataclasses.fields(plain)):
        if not field.startswith("_") and field not in GIVEN:
            for value in other(field, getattr(plain, field, None)):
                yield field, copy.deepcopy(value)  # the library writes into tables


@sampled("name", KINDS)
def test_no_setting_is_left_out(name: str) -> None:
    """What a later version of the library adds has to be given a value to be tried with."""
    import transformers as hf

    every = {f.name for f in dataclasses.fields(getattr(hf, KINDS[name].config))}
    tried = {field for field, _ in cases(name)}
    assert {field for field in every - tried - GIVEN if not field.startswith("_")} == set()


def verdict(name: str, field: str, value: Any, place: Path) -> str:
    """ "equal", "refused" in a sentence with the setting's own name, "not taken" by the library itself,
    or what is wrong."""
    try:
        net = saved(name, place, **{field: value})
        net = type(net).from_pretrained(place, local_files_only=True).eval()
    except Exception:  # whatever the library does not take itself
        return "not taken"
    try:
        ours = checkpoint.load(place)
    except ValueError as error:
        said = str(error)
        named = re.search(rf"(?<!\w){field}(?!\w)", said)
        return "refused" if "can't be shown" in said and named else f"does not name it: {said}"
    off = apart(name, ours, net)
    return "equal" if off < CLOSE else f"off by {off:.2g}"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_is_kept_or_refused(name: str, tmp_path: Path) -> None:
    found = {
        (field, str(value)): verdict(name, field, value, tmp_path / str(i))
        for i, (field, value) in enumerate(cases(name))
    }
    good = ("equal", "refused", "not taken")
    assert {case: said for case, said in found.items() if said not in good} == {}
    assert list(found.values()).count("equal") > 10, "most settings must be tried in earnest"


def test_every_family_is_tried() -> None:
    assert set(families.ids()) == set(KINDS)


def test_filling_that_is_typed_has_no_place(tmp_path: Path) -> None:
    net = saved("roberta", tmp_path)
    assert apart("roberta", checkpoint.load(tmp_path), net, "the cat<pad> sat<pad><pad> on") < CLOSE


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("gpt2", "lm_head.weight"),
        ("bert", "cls.predictions.decoder.weight"),
        ("roberta", "lm_head.decoder.bias"),
        ("distilbert", "vocab_projector.weight"),
        ("opt", "lm_head.weight"),
        ("albert", "predictions.decoder.weight"),
        ("electra", "generator_lm_head.weight"),
    ],
)
def test_a_copy_that_is_none_is_never_dropped(name: str, weight: str, tmp_path: Path) -> None:
    net = saved(name, tmp_path)
    file = tmp_path / "model.safetensors"
    copy = net.state_dict()[weight].clone()
    save_file(load_file(file) | {weight: copy}, file, metadata={"format": "pt"})
    checkpoint.load(tmp_path)
    copy.view(-1)[3] += 0.01
    save_file(load_file(file) | {weight: copy}, file, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=f"{weight} should be a copy"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize("head", ["GPT2Model", "GPT2ForSequenceClassification"])
def test_no_output_is_invented(head: str, tmp_path: Path) -> None:
    import transformers as hf

    saved("gpt2", tmp_path)
    config = hf.GPT2Config(**(KINDS["gpt2"].small | {"tie_word_embeddings": False}))
    getattr(hf, head)(config).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="no output layer"):
        checkpoint.find(str(tmp_path))


def test_one_sort_of_bias_alone(tmp_path: Path) -> None:
    for changed in ({"attention_bias": True}, {"mlp_bias": True}):
        net = saved("llama", tmp_path, **changed)
        assert apart("llama", checkpoint.load(tmp_path), net) < CLOSE


def test_a_t5_that_does_not_say_how_its_answers_begin(tmp_path: Path) -> None:
    net = saved("t5", tmp_path)
    config = read_json(tmp_path / "config.json")
    config.pop("decoder_start_token_id")
    write_json(tmp_path / "config.json", config)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    assert apart("t5", checkpoint.load(tmp_path), net) < CLOSE


HUGE = 10**12
SHOWN = "can't be shown|no tokenizer"
LIES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "gpt2": [
        *(({"n_layer": n}, SHOWN) for n in (10**9, -1, "two", float("nan"))),
        *(({"n_head": 0}, SHOWN), ({"n_embd": 0}, SHOWN), ({"n_inner": -5}, SHOWN)),
        *(({"activation_function": a}, SHOWN) for a in (["gelu"], {"gelu": 1})),
        *(({"dtype": "evil"}, SHOWN), ({"eos_token_id": "no"}, SHOWN)),
        *(({name: HUGE}, SHOWN) for name in ("n_positions", "n_embd", "vocab_size")),
        ({"rope_parameters": [1]}, SHOWN),
        ({"model_type": "vit"}, "type 'vit'"),
        ({"model_type": "mamba"}, "32 layers do not fit its 28 weights"),
        ({"activation_function": "mish"}, "activation_function = 'mish' can't be shown"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx = True"),
        ({"n_layer": 3}, "not whole|does not fit"),
        ({"n_embd": 20}, "does not fit"),
        ({"n_layer": 1}, r"h\.1\.attn\.c_attn\.bias and 11 more"),
    ],
    "bert": [
        *(({"hidden_size": width}, "can't be shown") for width in (None, False, [], "wide")),
        *(({"num_hidden_layers": n}, "can't be shown") for n in (-1, 10**9)),
    ],
    "t5": [({"num_layers": n}, "can't be shown") for n in (-1, 10**9)],
    "roberta": [
        ({"pad_token_id": pad}, "places are counted from pad_token_id") for pad in (48, -2)
    ],
}
OF_PYTHON = re.compile("division|modulo|dimension|attribute|Storage|Error")


@pytest.mark.parametrize("name", LIES)
def test_a_config_that_lies_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    sound = read_json(tmp_path / "config.json")

    @together(("changes", "said"), LIES[name])
    def each(changes: dict[str, Any], said: str) -> None:
        write_json(tmp_path / "config.json", sound | changes)
        with pytest.raises(ValueError, match=said) as problem:
            checkpoint.load(tmp_path)
        assert not OF_PYTHON.search(str(problem.value))

    each()


def test_a_file_that_is_nested_too_deep(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    for file in ("config.json", "tokenizer.json"):
        sound = (tmp_path / file).read_text(encoding="utf-8")
        deep = f'{sound.rstrip().removesuffix("}")}, "a": {"[" * 10**5}{"]" * 10**5}}}'
        (tmp_path / file).write_text(deep, encoding="utf-8")
        said = r"nested too deep|no tokenizer that can be read"
        with pytest.raises(ValueError, match=said) as problem:
            checkpoint.load(tmp_path)
        assert "recursion" not in str(problem.value)
        (tmp_path / file).write_text(sound, encoding="utf-8")


def test_a_file_that_is_larger_than_any_sound_one(tmp_path: Path, monkeypatch: Patch) -> None:
    """Found by tests/bench/attack.py: 10 million pieces took over five minutes and 4 GB."""
    saved("gpt2", tmp_path)
    checkpoint.load(tmp_path)
    said = r"\.json has 0\.\d MB, and in a checkpoint it has at most 0;"
    for of, most in ((stored, "MOST_CONFIG"), (checkpoint, "MOST_TOKENIZER")):
        with monkeypatch.context() as patch:
            patch.setattr(of, most, 100)
            with pytest.raises(ValueError, match=said):
                checkpoint.load(tmp_path)


def test_weights_under_other_names(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    file = tmp_path / "model.safetensors"
    others = {f"other.{name}": x for name, x in load_file(file).items()}
    save_file(others, file, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"not whole: there is nothing for our embed\.weight"):
        checkpoint.find(str(tmp_path))


def test_a_mark_that_the_model_has_no_vector_for(tmp_path: Path) -> None:
    """Found by tests/fuzz: such a T5 opened, and its first trace raised IndexError or TypeError."""
    saved("t5", tmp_path)
    for start in (80, -1, HUGE, [], [80], {}, "0"):
        for file in ("config.json", "generation_config.json"):
            if (tmp_path / file).is_file():
                change(tmp_path, file, decoder_start_token_id=start)
        try:
            ours = checkpoint.load(tmp_path)
        except ValueError as problem:
            assert "can't be shown" in str(problem) and "Error" not in str(problem)
        else:  # what is no number at all counts as not said
            assert not isinstance(start, int) and len(ours.trace("the cat => a dog"))


@pytest.mark.parametrize(
    ("name", "mark"), [("albert", "cls_token"), ("bert", "sep_token"), ("t5", "eos_token")]
)
def test_a_tokenizer_without_a_mark_that_is_needed(name: str, mark: str, tmp_path: Path) -> None:
    """Found by tests/fuzz: the first trace of such a checkpoint raised IndexError."""
    saved(name, tmp_path)
    said = read_json(tmp_path / "tokenizer_config.json")
    del said[mark]
    write_json(tmp_path / "tokenizer_config.json", said)
    with pytest.raises(ValueError, match=r"has no mark for .*" + mark):
        checkpoint.load(tmp_path)


@sampled("name", KINDS)
def test_a_size_of_the_config_takes_no_memory(name: str, tmp_path: Path) -> None:
    """A file of a few kilobytes that speaks of tables of terabytes is refused before they are made."""
    saved(name, tmp_path)
    config = read_json(tmp_path / "config.json")
    for field in config.keys() & {"max_position_embeddings", "n_positions", "embedding_size"}:
        write_json(tmp_path / "config.json", config | {field: HUGE})
        try:
            checkpoint.load(tmp_path)
        except ValueError as problem:
            assert "memory" not in str(problem), field


def test_an_index_of_shards_that_is_none(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    (tmp_path / stored.ONE).unlink()
    maps = ([], {"w": 7}, {"w": ["a"]})
    for index in ([], "x", *({"weight_map": names} for names in maps)):
        write_json(tmp_path / stored.INDEX, index)
        with pytest.raises(ValueError, match=r"index\.json is damaged"):
            checkpoint.load(tmp_path)


def more_pieces(about: dict[str, Any]) -> None:
    about["model"]["vocab"] |= {f"more{n}": 300 + n for n in range(9)}


SPLIT = {"type": "Split", "pattern": {"Regex": "(["}, "behavior": "Isolated", "invert": False}
TOKENIZERS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (more_pieces, "they do not belong together"),
    (lambda a: a.update(added_tokens=[[0, "x"]]), "no tokenizer"),
    (lambda a: a.update(pre_tokenizer=SPLIT), "no tokenizer"),
]


def test_a_tokenizer_that_can_t_be_the_model_s(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    for edit, said in TOKENIZERS:
        about = read_json(tmp_path / "tokenizer.json")
        edit(about)
        place = tmp_path / "copy"
        shutil.copytree(tmp_path, place, ignore=shutil.ignore_patterns("copy"))
        write_json(place / "tokenizer.json", about)
        with pytest.raises(ValueError, match=said):
            checkpoint.load(place)
        shutil.rmtree(place)
    write_json(tmp_path / "tokenizer_config.json", [])
    with pytest.raises(ValueError, match="no tokenizer that can be read"):
        checkpoint.load(tmp_path)


def test_a_header_of_many_names(tmp_path: Path) -> None:
    """A million of them took minutes once; each name is looked at once."""
    saved("gpt2", tmp_path)
    names = {f"x{n}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for n in range(20_000)}
    head = json.dumps(names).encode()
    head += b" " * (-len(head) % 8)
    (tmp_path / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head)
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"not whole|can't be shown|damaged"):
        checkpoint.load(tmp_path)
    assert time.process_time() - begun < 10
