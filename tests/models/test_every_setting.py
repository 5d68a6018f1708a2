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
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.core.registry import families
from engine.pretrained import checkpoint, stored
from tests.conftest import sampled
from tests.models.test_pretrained import byte_level, unigram, with_blanks, word_pieces

CLOSE = 1e-4
TEXT = "the cat sat on the mat and a dog"
WIDE: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "initializer_range": 0.3,
}
ROPED = {"vocab_size": 330, "num_key_value_heads": 2, "max_position_embeddings": 64, **WIDE}
BERT_MARKS = {f"{n}_token": f"[{n.upper()}]" for n in ("cls", "sep", "mask", "pad", "unk")}
ROBERTA_MARKS = {
    "cls_token": "<s>",
    "bos_token": "<s>",
    "sep_token": "</s>",
    "eos_token": "</s>",
    "mask_token": "<mask>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
}
BLANK_MARKS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}

SOME = ("gpt2", "bert", "llama")  # the others, read by the same code, with `make bench`


@dataclasses.dataclass(frozen=True)
class Kind:
    config: str
    head: str
    small: dict[str, Any]
    tokenizer: Any
    marks: dict[str, str]


KINDS = {
    "gpt2": Kind(
        "GPT2Config",
        "GPT2LMHeadModel",
        {
            "vocab_size": 300,
            "n_positions": 48,
            "n_embd": 16,
            "n_layer": 2,
            "n_head": 2,
            "bos_token_id": 0,
            "eos_token_id": 0,
            "initializer_range": 0.3,
        },
        lambda: byte_level("<|endoftext|>"),
        dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>"),
    ),
    "llama": Kind("LlamaConfig", "LlamaForCausalLM", ROPED, with_blanks, BLANK_MARKS),
    "mistral": Kind("MistralConfig", "MistralForCausalLM", ROPED, with_blanks, BLANK_MARKS),
    "qwen2": Kind("Qwen2Config", "Qwen2ForCausalLM", ROPED, with_blanks, BLANK_MARKS),
    "qwen3": Kind(
        "Qwen3Config", "Qwen3ForCausalLM", ROPED | {"head_dim": 8}, with_blanks, BLANK_MARKS
    ),
    "gemma": Kind(
        "GemmaConfig", "GemmaForCausalLM", ROPED | {"head_dim": 8}, with_blanks, BLANK_MARKS
    ),
    "gpt_neox": Kind(
        "GPTNeoXConfig",
        "GPTNeoXForCausalLM",
        {"vocab_size": 300, "max_position_embeddings": 64, "bos_token_id": 0, "eos_token_id": 0}
        | WIDE
        | {"hidden_size": 64},
        lambda: byte_level("<|endoftext|>"),
        dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>"),
    ),
    "opt": Kind(
        "OPTConfig",
        "OPTForCausalLM",
        {
            "vocab_size": 300,
            "max_position_embeddings": 48,
            "hidden_size": 16,
            "word_embed_proj_dim": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "ffn_dim": 24,
            "init_std": 0.3,
        },
        lambda: byte_level("<s>", "<pad>", "</s>", "<unk>"),
        dict.fromkeys(("bos_token", "eos_token", "unk_token"), "</s>") | {"pad_token": "<pad>"},
    ),
    "bert": Kind(
        "BertConfig",
        "BertForPreTraining",
        {"vocab_size": 70, "max_position_embeddings": 40, **WIDE},
        word_pieces,
        BERT_MARKS,
    ),
    "albert": Kind(
        "AlbertConfig",
        "AlbertForPreTraining",
        {
            "vocab_size": 70,
            "max_position_embeddings": 40,
            "embedding_size": 12,
            **WIDE,
            "num_hidden_layers": 4,
            "num_hidden_groups": 2,
        },
        word_pieces,
        BERT_MARKS,
    ),
    "electra": Kind(
        "ElectraConfig",
        "ElectraForMaskedLM",
        {"vocab_size": 70, "max_position_embeddings": 40, "embedding_size": 12, **WIDE},
        word_pieces,
        BERT_MARKS,
    ),
    "roberta": Kind(
        "RobertaConfig",
        "RobertaForMaskedLM",
        {"vocab_size": 300, "max_position_embeddings": 48, **WIDE},
        lambda: byte_level("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
        ROBERTA_MARKS,
    ),
    "distilbert": Kind(
        "DistilBertConfig",
        "DistilBertForMaskedLM",
        {
            "vocab_size": 70,
            "dim": 16,
            "n_layers": 2,
            "n_heads": 2,
            "hidden_dim": 24,
            "max_position_embeddings": 40,
            "initializer_range": 0.3,
        },
        word_pieces,
        BERT_MARKS,
    ),
    "t5": Kind(
        "T5Config",
        "T5ForConditionalGeneration",
        {
            "vocab_size": 80,
            "d_model": 16,
            "d_kv": 6,
            "d_ff": 24,
            "num_layers": 2,
            "num_heads": 2,
            "decoder_start_token_id": 0,
        },
        unigram,
        {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"},
    ),
}
LLAMA_3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 500.0,
    "factor": 4.0,
    "original_max_position_embeddings": 16,
}
# what a setting is tried with where its kind of value does not say it
TRIED: dict[str, list[Any]] = {
    "activation_function": ["relu", "silu", "mish"],
    "hidden_act": ["relu", "silu", "gelu", "gelu_new"],
    "activation": ["relu", "silu"],
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
        {
            "rope_type": "longrope",
            "rope_theta": 500.0,
            "short_factor": [1.0, 2.0],
            "long_factor": [1.0, 2.0],
            "original_max_position_embeddings": 16,
        },
        {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 0.5},
    ],
    "n_inner": [40],
    "head_dim": [8, 12],
    "num_key_value_heads": [1, 4],
    "sliding_window": [3, None],
    "use_sliding_window": [True],
    "layer_types": [["sliding_attention", "full_attention"]],
    "num_hidden_layers": [1, 3],
    "num_hidden_groups": [1, 4],
    "type_vocab_size": [1, 3],
    "pad_token_id": [0, 3],
    "problem_type": ["regression"],
    "use_bidirectional_attention": [True],
    "bos_token_id": [1, 2],
    "eos_token_id": [1, 2],
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


def saved(name: str, place: Path, **changed: Any) -> Any:
    """A small random checkpoint as the library saves it, with a tokenizer."""
    import transformers as hf

    kind = KINDS[name]
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    torch.manual_seed(7)
    net = getattr(hf, kind.head)(getattr(hf, kind.config)(**(kind.small | changed))).eval()
    with torch.no_grad():
        for parameter_name, parameter in net.named_parameters():
            if parameter_name.endswith("bias"):  # the library begins with biases of 0
                parameter.normal_(std=0.3)
    net.save_pretrained(place)
    hf.PreTrainedTokenizerFast(tokenizer_object=kind.tokenizer(), **kind.marks).save_pretrained(
        place
    )
    return net


@torch.no_grad()
def apart(name: str, ours: Any, net: Any, text: str = TEXT) -> float:
    """How far our logits are from the library's; of large ones, as a part of them."""
    if name == "t5":
        text += " => a dog"
    trace = ours.trace(text)
    ids = torch.from_numpy(trace.ids.copy())[None]
    if name == "t5":
        source = torch.from_numpy(ours.tokens(text).source.ids.copy())[None]
        theirs = net(source, decoder_input_ids=ids, return_dict=True).logits[0]
        read = torch.tensor(trace.field("logits").values)
        return float((read - theirs).abs().max() / max(1.0, theirs.std()))
    made = net(ids, return_dict=True)
    theirs = made.prediction_logits if name in ("bert", "albert") else made.logits
    read = ours.net.fill(ours.net(ids)) if hasattr(ours.net, "fill") else ours.net(ids)
    assert theirs.std() > 100 * CLOSE
    return float((read - theirs).abs().max() / max(1.0, theirs.std()))


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


@pytest.mark.parametrize(
    "name", [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in KINDS]
)
def test_every_setting_is_kept_or_refused(name: str, tmp_path: Path) -> None:
    found = {
        (field, str(value)): verdict(name, field, value, tmp_path / str(i))
        for i, (field, value) in enumerate(cases(name))
    }
    good = ("equal", "refused", "not taken")
    assert {case: said for case, said in found.items() if said not in good} == {}
    assert list(found.values()).count("equal") > 10, "most settings must be tried in earnest"


@sampled("name", KINDS)
def test_the_plain_one_is_shown(name: str, tmp_path: Path) -> None:
    assert apart(name, (net := saved(name, tmp_path)) and checkpoint.load(tmp_path), net) < CLOSE


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
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    config.pop("decoder_start_token_id")
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    assert apart("t5", checkpoint.load(tmp_path), net) < CLOSE


HOSTILE: dict[str, dict[str, Any]] = {
    "a billion layers": {"n_layer": 10**9},
    "fewer than no layers": {"n_layer": -1},
    "layers as text": {"n_layer": "two"},
    "not a number": {"n_layer": float("nan")},
    "no heads": {"n_head": 0},
    "no width": {"n_embd": 0},
    "an activation that is a list": {"activation_function": ["gelu"]},
    "an activation that is a table": {"activation_function": {"gelu": 1}},
    "a kind of number": {"dtype": "evil"},
    "marks": {"eos_token_id": "no"},
    "inner": {"n_inner": -5},
    "places": {"n_positions": 10**12},
    "width": {"n_embd": 10**12},
    "positions as a list": {"rope_parameters": [1]},
    "words": {"vocab_size": 10**12},
}


@sampled("what", HOSTILE)
def test_a_config_that_lies_ends_in_a_sentence(what: str, tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | HOSTILE[what]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"can't be shown|no tokenizer") as problem:
        checkpoint.load(tmp_path)
    assert not re.search("division|modulo|dimension|attribute|Storage", str(problem.value))


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
def test_a_file_that_is_nested_too_deep(file: str, tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    text = (tmp_path / file).read_text(encoding="utf-8").rstrip().removesuffix("}")
    deep = f'{text}, "a": {"[" * 10**5}{"]" * 10**5}}}'
    (tmp_path / file).write_text(deep, encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"nested too deep|no tokenizer that can be read"
    ) as problem:
        checkpoint.load(tmp_path)
    assert "recursion" not in str(problem.value)


@pytest.mark.parametrize(
    ("file", "of", "most"),
    [("config.json", stored, "MOST_CONFIG"), ("tokenizer.json", checkpoint, "MOST_TOKENIZER")],
)
def test_a_file_that_is_larger_than_any_sound_one(
    file: str, of: Any, most: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by tests/bench/attack.py: 10 million pieces took over five minutes and 4 GB."""
    saved("gpt2", tmp_path)
    checkpoint.load(tmp_path)
    monkeypatch.setattr(of, most, 100)
    with pytest.raises(
        ValueError, match=r"\.json has 0\.\d MB, and in a checkpoint it has at most 0;"
    ):
        checkpoint.load(tmp_path)


def test_weights_under_other_names(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    file = tmp_path / "model.safetensors"
    save_file(
        {f"other.{k}": v for k, v in load_file(file).items()}, file, metadata={"format": "pt"}
    )
    with pytest.raises(ValueError, match=r"not whole: there is nothing for our embed\.weight"):
        checkpoint.find(str(tmp_path))


@sampled("start", [80, -1, 10**12, [], [80], {}, "0"], ids=str, each=3)
def test_a_mark_that_the_model_has_no_vector_for(start: Any, tmp_path: Path) -> None:
    """Found by tests/fuzz: such a T5 opened, and its first trace raised IndexError or TypeError."""
    saved("t5", tmp_path)
    for file in ("config.json", "generation_config.json"):
        if (tmp_path / file).is_file():
            said = json.loads((tmp_path / file).read_text(encoding="utf-8"))
            said["decoder_start_token_id"] = start
            (tmp_path / file).write_text(json.dumps(said), encoding="utf-8")
    try:
        ours = checkpoint.load(tmp_path)
    except ValueError as problem:
        assert "can't be shown" in str(problem) and "Error" not in str(problem)
    else:  # what is no number at all counts as not said
        assert not isinstance(start, int) and len(ours.trace("the cat => a dog"))


@pytest.mark.parametrize("width", [None, False, [], "wide"], ids=str)
def test_the_library_s_names_of_errors_are_not_shown(width: Any, tmp_path: Path) -> None:
    saved("bert", tmp_path)
    said = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(said | {"hidden_size": width}))
    with pytest.raises(ValueError, match="can't be shown") as problem:
        checkpoint.load(tmp_path)
    assert "Error" not in str(problem.value)


@pytest.mark.parametrize(
    ("name", "mark"), [("albert", "cls_token"), ("bert", "sep_token"), ("t5", "eos_token")]
)
def test_a_tokenizer_without_a_mark_that_is_needed(name: str, mark: str, tmp_path: Path) -> None:
    """Found by tests/fuzz: the first trace of such a checkpoint raised IndexError."""
    saved(name, tmp_path)
    file = tmp_path / "tokenizer_config.json"
    said = json.loads(file.read_text(encoding="utf-8"))
    del said[mark]
    file.write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(ValueError, match=r"has no mark for .*" + mark):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize("pad", [48, -2])
def test_places_that_are_not_there_are_said(pad: int, tmp_path: Path) -> None:
    saved("roberta", tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"pad_token_id": pad}))
    with pytest.raises(ValueError, match="places are counted from pad_token_id"):
        checkpoint.load(tmp_path)


@sampled("name", KINDS)
def test_a_size_of_the_config_takes_no_memory(name: str, tmp_path: Path) -> None:
    """A file of a few kilobytes that speaks of tables of terabytes is refused before they are made."""
    saved(name, tmp_path)
    file = tmp_path / "config.json"
    config = json.loads(file.read_text())
    for field in config.keys() & {"max_position_embeddings", "n_positions", "embedding_size"}:
        file.write_text(json.dumps(config | {field: 10**12}))
        try:
            checkpoint.load(tmp_path)
        except ValueError as problem:
            assert "memory" not in str(problem), field


def write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


@sampled("name", ["gpt2", "bert", "llama", "t5"], each=3)
@pytest.mark.parametrize("layers", [-1, 10**9])
def test_a_number_of_layers_that_no_weights_have(name: str, layers: int, tmp_path: Path) -> None:
    saved(name, tmp_path)
    said = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    field = {"gpt2": "n_layer", "t5": "num_layers"}.get(name, "num_hidden_layers")
    write_json(tmp_path / "config.json", said | {field: layers})
    with pytest.raises(ValueError, match="can't be shown"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize(
    "index", [[], {"weight_map": []}, {"weight_map": {"w": 7}}, {"weight_map": {"w": ["a"]}}, "x"]
)
def test_an_index_of_shards_that_is_none(index: Any, tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
    (tmp_path / stored.ONE).unlink()
    write_json(tmp_path / stored.INDEX, index)
    with pytest.raises(ValueError, match=r"index\.json is damaged"):
        checkpoint.load(tmp_path)


def more_pieces(about: dict[str, Any]) -> None:
    about["model"]["vocab"] |= {f"more{n}": 300 + n for n in range(9)}


TOKENIZERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "more pieces than vectors": (more_pieces, "they do not belong together"),
    "added tokens that are lists": (lambda a: a.update(added_tokens=[[0, "x"]]), "no tokenizer"),
    "an expression that is none": (
        lambda a: a.update(
            pre_tokenizer={
                "type": "Split",
                "pattern": {"Regex": "(["},
                "behavior": "Isolated",
                "invert": False,
            }
        ),
        "no tokenizer",
    ),
}


@pytest.mark.parametrize("what", TOKENIZERS)
def test_a_tokenizer_that_can_t_be_the_model_s(what: str, tmp_path: Path) -> None:
    change, said = TOKENIZERS[what]
    saved("gpt2", tmp_path)
    about = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    change(about)
    write_json(tmp_path / "tokenizer.json", about)
    with pytest.raises(ValueError, match=said):
        checkpoint.load(tmp_path)


def test_a_config_of_a_tokenizer_that_is_a_list(tmp_path: Path) -> None:
    saved("gpt2", tmp_path)
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
