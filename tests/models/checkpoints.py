"""Small checkpoints of every family with random weights, as the library saves them, and how far what we
make of them is from what it makes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

LINES = ["the cat sat on the mat", "a dog saw the old cat é"]
LINES = [*LINES, "she read the book, and he wrote a letter"] * 4
CLOSE = 1e-4
TEXT = "the cat sat on the mat and a dog"
WIDE: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
WIDE |= {"intermediate_size": 24, "initializer_range": 0.3}
ROPED = {"vocab_size": 330, "num_key_value_heads": 2, "max_position_embeddings": 64, **WIDE}
BERT_MARKS = {f"{n}_token": f"[{n.upper()}]" for n in ("cls", "sep", "mask", "pad", "unk")}
ROBERTA_MARKS = {f"{n}_token": f"<{n}>" for n in ("mask", "pad", "unk")}
ROBERTA_MARKS |= dict.fromkeys(("cls_token", "bos_token"), "<s>")
ROBERTA_MARKS |= dict.fromkeys(("sep_token", "eos_token"), "</s>")
BLANK_MARKS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


def byte_level(*marks: str) -> Any:
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder, alphabet = decoders.ByteLevel(), pre_tokenizers.ByteLevel.alphabet()
    how = {"special_tokens": list(marks), "initial_alphabet": alphabet, "show_progress": False}
    t.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=290, **how))
    t.post_processor = (
        processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
        if "<s>" in marks
        else processors.ByteLevel(trim_offsets=True)
    )
    return t


def word_pieces() -> Any:
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    t.decoder, marks = decoders.WordPiece(), ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    how = {"special_tokens": marks, "show_progress": False}
    t.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=60, **how))
    two = [("[CLS]", 2), ("[SEP]", 3)]
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=two
    )
    return t


def with_blanks() -> Any:
    """Like Llama's: ▁ for a blank, one before the text too, unknown letters as bytes."""
    t = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    pieces = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    t.decoder = decoders.Sequence([*pieces, decoders.Strip(" ", 1, 0)])
    t.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
    t.train_from_iterator(
        [line.replace(" ", "▁") for line in LINES],
        trainers.BpeTrainer(vocab_size=320, special_tokens=marks, show_progress=False),
    )
    return t


def unigram() -> Any:
    t = Tokenizer(models.Unigram())
    t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    how = {"special_tokens": ["<pad>", "</s>", "<unk>"], "unk_token": "<unk>"}
    trainer = trainers.UnigramTrainer(vocab_size=60, show_progress=False, **how)
    t.train_from_iterator(LINES, trainer)
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return t


@dataclasses.dataclass(frozen=True)
class Kind:
    config: str
    head: str
    small: dict[str, Any]
    tokenizer: Any
    marks: dict[str, str]


def in_blanks(name: str, **more: Any) -> Kind:
    """A decoder like Llama."""
    small = ROPED | more
    return Kind(f"{name}Config", f"{name}ForCausalLM", small, with_blanks, BLANK_MARKS)


def in_pieces(name: str, head: str, **more: Any) -> Kind:
    """An encoder like BERT."""
    small = {"vocab_size": 70, "max_position_embeddings": 40} | more
    return Kind(f"{name}Config", f"{name}For{head}", small, word_pieces, BERT_MARKS)


def in_bytes(name: str, head: str, marks: dict[str, str], *signs: str, **more: Any) -> Kind:
    small = {"vocab_size": 300} | more
    return Kind(f"{name}Config", f"{name}{head}", small, lambda: byte_level(*signs), marks)


END = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
OPT_MARKS = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "</s>") | {"pad_token": "<pad>"}
ROBERTA_SIGNS = ("<s>", "<pad>", "</s>", "<unk>")
GPT2 = {"n_positions": 48, "n_embd": 16, "n_layer": 2, "n_head": 2, "initializer_range": 0.3}
OPT = {"max_position_embeddings": 48, "hidden_size": 16, "word_embed_proj_dim": 16, "ffn_dim": 24}
OPT |= {"num_hidden_layers": 2, "num_attention_heads": 4, "init_std": 0.3}
DISTILBERT = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "initializer_range": 0.3}
T5 = {"d_model": 16, "d_kv": 6, "d_ff": 24, "num_layers": 2, "num_heads": 2}
FIRST = {"bos_token_id": 0, "eos_token_id": 0}
NEOX = WIDE | FIRST | {"hidden_size": 64, "max_position_embeddings": 64}
ALBERT = WIDE | {"embedding_size": 12, "num_hidden_layers": 4, "num_hidden_groups": 2}
MODERNBERT = WIDE | {"num_hidden_layers": 5, "local_attention": 6, "pad_token_id": 0}
MODERNBERT |= {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
ROBERTA = WIDE | {"max_position_embeddings": 48}
BLOOM = {"hidden_size": 16, "n_layer": 2, "n_head": 4, "initializer_range": 0.3}
GPTJ = GPT2 | {"n_head": 4, "rotary_dim": 2}
MPT = {"d_model": 16, "n_heads": 4, "n_layers": 2, "max_seq_len": 48, "initializer_range": 0.3}
FALCON = {name: size for name, size in WIDE.items() if name != "intermediate_size"}
SHORT = {"max_position_embeddings": 64, "pad_token_id": None}
ENDS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": None}
FACTORS = {"embedding_multiplier": 3.0, "logits_scaling": 1.7, "residual_multiplier": 0.6}
FACTORS |= {"attention_multiplier": 0.4}
GEMMA_3 = {"head_dim": 8, "query_pre_attn_scalar": 5, "sliding_window": 4}
GEMMA_2 = GEMMA_3 | {"attn_logit_softcapping": 1.5, "final_logit_softcapping": 2.5}
GEMMA_3 |= {"layer_types": ["sliding_attention", "full_attention"]}
HALVES = {"d_model": 16, "max_position_embeddings": 40, "init_std": 0.3}
HALVES |= {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in (("layers", 2),)}
HALVES |= {f"{side}_attention_heads": 4 for side in ("encoder", "decoder")}
HALVES |= {f"{side}_ffn_dim": 24 for side in ("encoder", "decoder")}
UNIGRAM_MARKS = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def in_halves(name: str, head: str = "ForConditionalGeneration", **more: Any) -> Kind:
    """An encoder and a decoder, as BART has them."""
    small = HALVES | {"vocab_size": 80, "pad_token_id": 0, "eos_token_id": 1} | more
    return Kind(f"{name}Config", f"{name}{head}", small, unigram, UNIGRAM_MARKS)


MARIAN = {"decoder_start_token_id": 0, "scale_embedding": True, "activation_function": "swish"}
MARIAN |= {"decoder_vocab_size": 80, "bos_token_id": 2}
TRANSLATORS = ("bart", "mbart", "marian", "m2m_100", "t5")
APART = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0}
APART |= {"position_biased_input": False, "pad_token_id": 0}
DEBERTA = {**APART, "share_att_key": True, "norm_rel_ebd": "layer_norm", "position_buckets": 4}

KINDS = {
    "gpt2": in_bytes("GPT2", "LMHeadModel", END, "<|endoftext|>", **GPT2, **FIRST),
    "llama": in_blanks("Llama"),
    "mistral": in_blanks("Mistral"),
    "qwen2": in_blanks("Qwen2"),
    "qwen3": in_blanks("Qwen3", head_dim=8),
    "gemma": in_blanks("Gemma", head_dim=8),
    "gpt_neox": in_bytes("GPTNeoX", "ForCausalLM", END, "<|endoftext|>", **NEOX),
    "opt": in_bytes("OPT", "ForCausalLM", OPT_MARKS, *ROBERTA_SIGNS, **OPT),
    "phi": in_blanks("Phi", hidden_size=32),
    "phi3": in_blanks("Phi3", pad_token_id=None, eos_token_id=2),
    "falcon": in_bytes("Falcon", "ForCausalLM", END, "<|endoftext|>", **FALCON, **SHORT, **FIRST),
    "bloom": in_bytes("Bloom", "ForCausalLM", END, "<|endoftext|>", **BLOOM, **FIRST),
    "gptj": in_bytes("GPTJ", "ForCausalLM", END, "<|endoftext|>", **GPTJ, **FIRST),
    "mpt": in_bytes("Mpt", "ForCausalLM", END, "<|endoftext|>", **MPT, **FIRST),
    "stablelm": in_blanks("StableLm", **ENDS, hidden_size=64),
    "olmo": in_blanks("Olmo", **ENDS),
    "granite": in_blanks("Granite", **FACTORS),
    "cohere": in_blanks("Cohere", **ENDS, logit_scale=0.3),
    "olmo2": in_blanks("Olmo2", **ENDS),
    "smollm3": in_blanks("SmolLM3", **ENDS, no_rope_layer_interval=2),
    "gemma2": in_blanks("Gemma2", **GEMMA_2),
    "gemma3_text": Kind(
        "Gemma3TextConfig", "Gemma3ForCausalLM", ROPED | GEMMA_3, with_blanks, BLANK_MARKS
    ),
    "bert": in_pieces("Bert", "PreTraining", **WIDE),
    "albert": in_pieces("Albert", "PreTraining", **ALBERT),
    "electra": in_pieces("Electra", "MaskedLM", embedding_size=12, **WIDE),
    "roberta": in_bytes(
        "Roberta", "ForMaskedLM", ROBERTA_MARKS, *ROBERTA_SIGNS, "<mask>", **ROBERTA
    ),
    **{
        name: in_bytes(kind, "ForMaskedLM", ROBERTA_MARKS, *ROBERTA_SIGNS, "<mask>", **ROBERTA)
        for name, kind in (("xlm_roberta", "XLMRoberta"), ("camembert", "Camembert"))
    },
    "deberta_v2": in_pieces("DebertaV2", "MaskedLM", **WIDE, **DEBERTA),
    "modernbert": in_pieces("ModernBert", "MaskedLM", **MODERNBERT),
    "distilbert": in_pieces("DistilBert", "MaskedLM", **DISTILBERT),
    "bart": in_halves("Bart", decoder_start_token_id=1, scale_embedding=True),
    "mbart": in_halves("MBart", decoder_start_token_id=1),
    "marian": in_halves("Marian", "MTModel", **MARIAN),
    "m2m_100": in_halves("M2M100", decoder_start_token_id=1, bos_token_id=2),
    "t5": Kind(
        "T5Config",
        "T5ForConditionalGeneration",
        T5 | {"vocab_size": 80, "decoder_start_token_id": 0},
        unigram,
        {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"},
    ),
}

NEO = {"hidden_size": 16, "num_layers": 2, "num_heads": 4, "max_position_embeddings": 48}
NEO |= {"attention_types": [[["global", "local"], 1]], "window_size": 4, "initializer_range": 0.3}
EXPERTS = {"num_local_experts": 4, "head_dim": 8, "sliding_window": 4}
MPNET = {"pad_token_id": 0, "max_position_embeddings": 41}


# families that are not described: the library's own code reads them
READ_ONLY = {
    "gpt_neo": in_bytes("GPTNeo", "ForCausalLM", END, "<|endoftext|>", **NEO, **FIRST),
    "starcoder2": in_blanks("Starcoder2", **ENDS),
    "gpt_oss": in_blanks("GptOss", **ENDS, **EXPERTS),
    "mamba": in_blanks("Mamba", state_size=4, **ENDS),
    "deberta": in_pieces("Deberta", "MaskedLM", **WIDE, **APART),
    "mpnet": in_pieces("MPNet", "MaskedLM", **WIDE | MPNET),
    "pegasus": in_halves("Pegasus", decoder_start_token_id=0),
}


def saved(name: str, place: Path, most: str | None = None, **settings: Any) -> Any:
    """A small random checkpoint as the library saves it, with a tokenizer; `most`: the size of a file."""
    import transformers as hf

    kind = (KINDS | READ_ONLY)[name]
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    torch.manual_seed(7)
    net = getattr(hf, kind.head)(getattr(hf, kind.config)(**(kind.small | settings))).eval()
    with torch.no_grad():
        for parameter_name, parameter in net.named_parameters():
            if parameter_name.endswith("bias"):  # the library begins with biases of 0
                parameter.normal_(std=0.3)
        for buffer_name, buffer in net.named_buffers():
            if buffer_name == "final_logits_bias":
                buffer.normal_(std=0.3)
    net.save_pretrained(place, **({"max_shard_size": most} if most else {}))
    made = hf.PreTrainedTokenizerFast(tokenizer_object=kind.tokenizer(), **kind.marks)
    made.save_pretrained(place)
    return net


@torch.no_grad()
def apart(name: str, ours: Any, net: Any, text: str = TEXT) -> float:
    """How far our logits are from the library's; of large ones, as a part of them."""
    if name in TRANSLATORS:
        text += " => a dog"
    trace = ours.trace(text)
    ids = torch.from_numpy(trace.ids.copy())[None]
    if name in TRANSLATORS:
        source = torch.from_numpy(ours.tokens(text).source.ids.copy())[None]
        theirs = net(source, decoder_input_ids=ids, return_dict=True).logits[0]
        read = torch.tensor(trace.field("logits").values)
        return float((read - theirs).abs().max() / max(1.0, theirs.std()))
    made = net(ids, return_dict=True)
    theirs = made.prediction_logits if name in ("bert", "albert") else made.logits
    read = ours.net.fill(ours.net(ids)) if hasattr(ours.net, "fill") else ours.net(ids)
    assert theirs.std() > 100 * CLOSE
    return float((read - theirs).abs().max() / max(1.0, theirs.std()))


def read_json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def change(place: Path, file: str = "config.json", **settings: Any) -> None:
    """Other settings in a file of a checkpoint."""
    write_json(place / file, read_json(place / file) | settings)
