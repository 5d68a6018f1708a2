"""GGUF: one file, as llama.cpp keeps a model, beside the config and the tokenizer that it holds.

What      `unpack` writes what a folder of the `transformers` library has: config.json, the
          tokenizer's files, the file itself, and an index of where in it each weight lies.  `Blocks`
          reads the weights by the names of the library, in float32
Source    the format and its numbers: the package `gguf` of llama.cpp (Gerganov et al.); the
          tokenizer: the library
Shapes    as in the library: (out, in), but (in, out) for GPT-2
Differs   A setting that is not known here is refused, not passed over.  Weights lie in the file in
          another order, or around another number, for some families; that is undone here.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.language.message import _, refusal
from engine.pretrained.stored import CONFIG, GGUF, GGUF_INDEX, Head, Stored, json_of, sentence

if TYPE_CHECKING:
    from torch import Tensor

Values = dict[str, Any]
Turn = Callable[[np.ndarray, Mapping[str, int]], np.ndarray]
TOGETHER = 1 << 16  # numbers that are dequantised together
MOST_METADATA = 4_000_000  # items of a list; the largest vocabulary has 260,000
# what a setting is called in a config of the library
SETTINGS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_epsilon": "layer_norm_eps",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.sliding_window": "sliding_window",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "use_parallel_residual": "use_parallel_residual",
    "vocab_size": "vocab_size",
}
GPT2 = {
    "num_hidden_layers": "n_layer",
    "max_position_embeddings": "n_positions",
    "hidden_size": "n_embd",
    "intermediate_size": "n_inner",
    "num_attention_heads": "n_head",
    "layer_norm_eps": "layer_norm_epsilon",
}
# of scaled positions, as the library calls it
SCALING = {
    "rope.scaling.factor": "factor",
    "rope.scaling.original_context_length": "original_max_position_embeddings",
    "rope.scaling.yarn_beta_fast": "beta_fast",
    "rope.scaling.yarn_beta_slow": "beta_slow",
}
ATTENTION_FACTOR = "rope.scaling.attn_factor"
NEAR_BASE = "rope.freq_base_swa"  # of layers with a window
GEMMA_27B = (
    ("gemma2", 46),
    ("gemma3", 62),
)  # layers of those whose scores llama.cpp scales otherwise
# read apart from the others: what turns queries and keys; whether it was trained so changes nothing
ROTARY = (
    *SCALING,
    ATTENTION_FACTOR,
    "attention.value_length",
    "rope.dimension_count",
    "rope.freq_base",
    NEAR_BASE,
    "rope.scaling.type",
    "rope.scaling.finetuned",
)
# (factor, low, high, positions of the training) of Llama 3.1 and 3.2, whose file has only the result
LLAMA_3 = ((8.0, 1.0, 4.0, 8192), (32.0, 1.0, 4.0, 8192))
ROPE_FACTORS = "rope_freqs.weight"
MARKS = ("bos_token", "eos_token", "unk_token", "pad_token")
# ways to cut a text before merging, by their names in the format: as GPT-2, and so with each digit
# alone; the library knows the others
AS_GPT_2 = ("default", "gpt-2", "phi-2", "olmo", "mpt", "jais", "trillion")
DIGITS_ALONE = ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b")


def unpack(path: Path, folder: Path) -> None:
    """Write the checkpoint that a file holds into a folder.  ValueError with one sentence where it
    is damaged or of a kind that can't be shown."""
    with _said(path):
        reader, about = _read(path)
        if int(about.get("split.count", 1)) > 1:
            raise refusal("it is one of several files; join them with `gguf-split --merge`")
        kind, config = _config(about, reader)
        config._name_or_path = path.stem
        names = _names(kind, config, {tensor.name for tensor in reader.tensors})
        said = config.to_dict()
        (folder / CONFIG).write_text(json.dumps(said, default=str), encoding="utf-8")
        index: Values = {
            "architecture": about["general.architecture"],
            "heads": {
                "query": config.num_attention_heads,
                "key": said.get("num_key_value_heads") or config.num_attention_heads,
            },
            "weights": {
                names.get(tensor.name, tensor.name): {
                    "name": tensor.name,
                    "kind": tensor.tensor_type.name,
                    "shape": [int(size) for size in reversed(tensor.shape)],
                    "offset": int(tensor.data_offset),
                }
                for tensor in reader.tensors
                if tensor.name != ROPE_FACTORS
            },
        }
        index["notes"] = _write_tokenizer(path, folder)
        (folder / GGUF_INDEX).write_text(json.dumps(index), encoding="utf-8")
    shutil.copyfile(path, folder / GGUF)


class Blocks(Stored):
    """The weights of an unpacked file, by their names in the library.  `heads`: as in Stored."""

    def __init__(self, folder: Path) -> None:
        """ValueError where they are not where the index says."""
        index = json_of(folder / GGUF_INDEX)
        # as a plain array: cutting one that knows its file takes longer than what is done with the part
        self._file = np.asarray(np.memmap(folder / GGUF, np.uint8, "r"))
        self._weights: Mapping[str, Any] = index["weights"]
        self._turn = TURNS.get(index["architecture"], lambda name: None)
        self._heads: Mapping[str, int] = index["heads"]
        self._notes: list[str] = index.get("notes", [])
        self.heads = {name: self._head(name) for name in self._weights}

    def _head(self, name: str) -> Head:
        about = self._weights[name]
        shape = tuple(about["shape"])
        turned = self._turn(about["name"]) is _turned
        # what is in few bits counts as float32: that is what is read
        return Head(shape[::-1] if turned else shape, "F32")

    def read(self, name: str) -> Tensor:
        """In float32."""
        import torch
        from gguf import GGMLQuantizationType, quant_shape_to_byte_shape

        about = self._weights[name]
        kind = GGMLQuantizationType[about["kind"]]
        shape = tuple(about["shape"])
        if kind in (GGMLQuantizationType.F32, GGMLQuantizationType.F16):
            data = np.dtype(np.float32 if kind == GGMLQuantizationType.F32 else np.float16)
            size = int(np.prod(shape)) * data.itemsize
            found = np.array(self._file[about["offset"] :][:size].view(data), np.float32)
        else:
            size = int(np.prod(quant_shape_to_byte_shape(shape, kind)))
            found = _dequantised(self._file[about["offset"] :][:size], kind)
        turn, numbers = self._turn(about["name"]), found.reshape(shape)
        if not np.isfinite(numbers).all():
            raise refusal("{name} holds a number that is infinite or none")
        return torch.from_numpy(
            np.ascontiguousarray(turn(numbers, self._heads) if turn else numbers)
        )

    def own(self, name: str) -> Tensor:
        return self.read(name)

    def describe(self) -> list[str]:
        """How its weights are stored, and what is not sure, a sentence each."""
        every = [about["kind"] for about in self._weights.values()]
        kinds = sorted(((every.count(kind), kind) for kind in set(every)), reverse=True)
        said = _(
            "It comes from a GGUF file: its weights are stored as {kinds}, and were dequantised as"
            " llama.cpp does.",
            kinds=", ".join(f"{kind} ({count:,})" for count, kind in kinds),
        )
        return [said, *self._notes]


def _dequantised(lying: np.ndarray, kind: Any) -> np.ndarray:
    """The numbers of a table in few bits.  A part of it at a time, so that what is made on the way stays in the
    processor's cache: asking for fresh memory takes longer than the sums."""
    from gguf import GGML_QUANT_SIZES, dequantize

    block, size = GGML_QUANT_SIZES[kind]
    found = np.empty(len(lying) // size * block, np.float32)
    for at in range(0, len(found), each := max(1, TOGETHER // block) * block):
        part = lying[at // block * size :][: each // block * size]
        found[at : at + each] = dequantize(part[None], kind)[0]
    return found


def _turned(numbers: np.ndarray, heads: Mapping[str, int]) -> np.ndarray:
    return numbers.T


def _less_one(numbers: np.ndarray, heads: Mapping[str, int]) -> np.ndarray:
    return numbers - 1.0


def _halves(part: str) -> Turn:
    """Of a head's rows, which lie in pairs (first, second) of what is turned together, the first of
    every pair and then the second."""

    def turn(numbers: np.ndarray, heads: Mapping[str, int]) -> np.ndarray:
        pairs = numbers.reshape(heads[part], -1, 2, *numbers.shape[1:])
        return pairs.swapaxes(1, 2).reshape(numbers.shape)

    return turn


def _by_head(numbers: np.ndarray, heads: Mapping[str, int]) -> np.ndarray:
    """Query, key and value of one head together, of rows that hold all queries, all keys, all
    values."""
    three = numbers.reshape(3, heads["query"], -1, *numbers.shape[1:])
    return three.swapaxes(0, 1).reshape(numbers.shape)


def _chosen(*rules: tuple[str, Turn]) -> Callable[[str], Turn | None]:
    return lambda name: next((turn for rule, turn in rules if re.search(rule, name)), None)


# by architecture: what has to be undone of which weights
TURNS: Mapping[str, Callable[[str], Turn | None]] = {
    "llama": _chosen((r"\.attn_q\.", _halves("query")), (r"\.attn_k\.", _halves("key"))),
    "gpt2": _chosen((r"blk\.\d+\.(attn_qkv|attn_output|ffn_up|ffn_down)\.weight", _turned)),
    "gptneox": _chosen((r"\.attn_qkv\.", _by_head)),
    "gemma": _chosen((r"norm\.weight", _less_one)),
    "gemma2": _chosen((r"norm\.weight", _less_one)),
    "gemma3": _chosen((r"norm\.weight", _less_one)),
}
# architectures whose settings and weights are known here -> model_type of the library
KINDS = {name: name for name in ("gemma", "gemma2", "gpt2", "llama", "phi3", "qwen2", "qwen3")}
KINDS |= {"gemma3": "gemma3_text", "gptneox": "gpt_neox"}


def _read(path: Path) -> tuple[Any, Values]:
    """(reader of the file, all its settings but its lists of words).  ValueError where it is damaged."""
    import gguf

    try:
        reader = gguf.GGUFReader(path)
    except Exception as error:  # what a damaged file leads to has many names there
        raise refusal("it is damaged ({said})", said=sentence(error, 200)) from error
    long = [name for name, field in reader.fields.items() if len(field.data) > MOST_METADATA]
    if long:
        raise refusal("{name} has more items than any model needs", name=long[0][:100])
    return reader, {
        name: field.contents()
        for name, field in reader.fields.items()
        if len(field.data) == 1 or not name.startswith("tokenizer.")
    }


def _config(about: Values, reader: Any) -> tuple[str, Any]:
    """(architecture, config of the library).  ValueError for what has no place in it."""
    import transformers

    kind = str(about.get("general.architecture", ""))[:60]
    if (theirs := KINDS.get(kind)) is None:
        raise refusal(
            "it holds a model of the architecture {kind}; there are {known}",
            kind=repr(kind),
            known=", ".join(KINDS),
        )
    given = {
        name.removeprefix(f"{kind}."): value
        for name, value in about.items()
        if name.startswith(f"{kind}.")
    }
    values = {SETTINGS[name]: value for name, value in given.items() if name in SETTINGS}
    if strange := [name for name in given if name not in (*SETTINGS, *ROTARY)]:
        raise refusal(
            "its setting {name} is none that can be shown here", name=f"{kind}.{strange[0]}"
        )
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    if "token_embd.weight" not in tensors:
        raise refusal("it has no embedding (token_embd.weight)")
    values["vocab_size"] = int(tensors["token_embd.weight"].shape[1])
    values["tie_word_embeddings"] = "output.weight" not in tensors
    values |= {
        f"{mark}_token_id": about.get(f"tokenizer.ggml.{said}_token_id")
        for mark, said in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))
    }
    made = transformers.CONFIG_MAPPING[theirs]
    takes = set(made().to_dict())
    # where it can't be chosen it is what it always is, or a weight would not fit
    always = {
        "attention_bias": not {"blk.0.attn_q.bias", "blk.0.attn_qkv.bias"}.isdisjoint(tensors),
        "mlp_bias": "blk.0.ffn_up.bias" in tensors,
        "num_key_value_heads": values["num_attention_heads"],
        "head_dim": (even := values["hidden_size"] // values["num_attention_heads"]),
        "query_pre_attn_scalar": values.get("head_dim", even),
    }
    if (kind, values["num_hidden_layers"]) in GEMMA_27B:
        always["query_pre_attn_scalar"] = even
    if values.get("sliding_window") == 0:
        values["sliding_window"] = None
    values = {**{n: v for n, v in always.items() if n in takes}, **values}
    if kind == "gpt2":
        values = {GPT2.get(name, name): value for name, value in values.items()}
    else:
        rope = _rotary(given, values, tensors)
        if kind == "gemma3":
            near = {"rope_type": "default", "rope_theta": given.get(NEAR_BASE, 10_000.0)}
            rope = {"full_attention": rope, "sliding_attention": near}
        values["rope_parameters"] = rope
    for name in values.keys() - takes:
        if values[name] != always.get(name):
            raise refusal("its setting {name} is none that can be shown here")
    return kind, made(**{name: value for name, value in values.items() if name in takes})


def _rotary(given: Values, values: Values, tensors: Mapping[str, Any]) -> Values:
    """How queries and keys are turned by their places, as the library says it."""
    head = values.get("head_dim") or values["hidden_size"] // values["num_attention_heads"]
    if given.get("attention.value_length", head) != head:
        raise refusal("its values are wider than its keys, which can't be shown here")
    rope: Values = {"rope_type": "default", "rope_theta": given.get("rope.freq_base", 10_000.0)}
    if (turned := given.get("rope.dimension_count", head)) != head:
        rope["partial_rotary_factor"] = turned / head
    kind = given.get("rope.scaling.type", "none")
    if kind not in ("none", "linear", "yarn"):
        raise refusal("its positions are scaled by {kind!r}, which is not known here")
    if kind != "none":
        rope |= {"rope_type": kind}
        rope |= {theirs: given[name] for name, theirs in SCALING.items() if name in given}
    if kind == "yarn" and ATTENTION_FACTOR in given:
        # llama.cpp multiplies it with what the library takes where nothing is said
        usual = 0.1 * math.log(rope["factor"]) + 1.0
        rope["attention_factor"] = given[ATTENTION_FACTOR] * usual
    if ROPE_FACTORS in tensors:
        rope |= _llama_3(np.array(tensors[ROPE_FACTORS].data, np.float64), head, rope["rope_theta"])
    return rope


def _llama_3(factors: np.ndarray, head: int, base: float) -> Values:
    """The settings of Llama 3 that give the factors of a file.  ValueError where none does."""
    if np.all(factors == 1.0):
        return {}
    waves = 2 * np.pi * base ** (np.arange(0, head, 2) / head)
    for factor, low, high, trained in LLAMA_3:
        share = (trained / waves - low) / (high - low)
        want = np.where(
            waves > trained / low,
            factor,
            np.where(waves < trained / high, 1.0, 1 / ((1 - share) / factor + share)),
        )
        if factors.shape == want.shape and np.allclose(factors, want, rtol=1e-4):
            return {
                "rope_type": "llama3",
                "factor": factor,
                "low_freq_factor": low,
                "high_freq_factor": high,
                "original_max_position_embeddings": trained,
            }
    raise refusal("its positions are scaled ({ROPE_FACTORS}) in a way not known here")


def _names(kind: str, config: Any, there: set[str]) -> dict[str, str]:
    """{name in the file: name in the library}, of the weights that it has."""
    import gguf
    import torch
    import transformers

    arch = next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == kind)
    known = gguf.get_tensor_name_map(arch, config.num_hidden_layers)
    with torch.device("meta"):
        theirs = transformers.AutoModelForCausalLM.from_config(config).state_dict()
    found: dict[str, str] = {}
    for name in theirs:
        part, dot, end = name.rpartition(".")
        # some converters read the inner model alone
        for said in (part, part.partition(".")[2]):
            if (ours := known.get_name(said)) and ours + dot + end in there:
                found.setdefault(ours + dot + end, name)
                break
    return found


def _write_tokenizer(path: Path, folder: Path) -> list[str]:
    """Write the tokenizer's files; returns what is not sure of it, a sentence each."""
    import transformers
    from tokenizers import Tokenizer, pre_tokenizers, processors
    from transformers.integrations import gguf as library

    from engine.text.tokenizers.library import panics_said

    known = importlib.import_module(f"{library.__name__}.gguf_tokenizer_mapping")
    notes = []
    with panics_said():
        architecture, words, config = library.get_gguf_tokenizer(str(path))
        made: Tokenizer = library.convert_gguf_tokenizer(architecture, words)[0]
        way = str(words.get("pre_tokenizer_type", "default"))
        if words.get("tokenizer_type") == "gpt2" and way in DIGITS_ALONE:
            byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
            made.pre_tokenizer = pre_tokenizers.Sequence(
                [pre_tokenizers.Digits(individual_digits=True), byte_level]
            )
        elif words.get("tokenizer_type") == "gpt2" and way not in (
            *AS_GPT_2,
            *known.GGUF_PRE_TOKENIZER_SPLITS,
        ):
            notes.append(
                _(
                    "How its tokenizer cuts a text before it merges ({way!r}) is not known here;"
                    " it is cut as for GPT-2.",
                    way=way[:60],
                )
            )
        tokens = list(words["tokens"])
        put = {
            side: str(config[mark])
            for side, mark in (("bos", "bos_token"), ("eos", "eos_token"))
            if config.get(f"add_{side}_token") and config.get(mark)
        }
        if put:
            made.post_processor = processors.TemplateProcessing(
                single=" ".join(filter(None, (put.get("bos"), "$A", put.get("eos")))),
                special_tokens=[(mark, tokens.index(mark)) for mark in set(put.values())],
            )
        marks = {name: config.get(name) for name in MARKS if config.get(name)}
        saved = transformers.PreTrainedTokenizerFast(tokenizer_object=made, **marks)
        saved.chat_template = config.get("chat_template")
        saved.save_pretrained(folder)
    return notes


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file, in one sentence."""
    try:
        yield
    except OSError:  # of a disk, which has a sentence of its own
        raise
    except Exception as error:  # the libraries that read it have many names for that
        raise refusal(
            "the GGUF file {path.name} can't be shown: {said}", said=sentence(error, 300)
        ) from error
